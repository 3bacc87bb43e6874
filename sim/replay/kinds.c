#include "sim/replay/kinds.h"

#include "isa/ops.h"
#include "isa/rows.h"
#include "sim/base/need.h"

enum trace_kind replay_kind(unsigned op) {
  switch ((enum isa_format)isa_rows[op].format) {
  case FORMAT_LOAD_LDS:
  case FORMAT_STORE_LDS:
  case FORMAT_ATOMIC_LDS:
  case FORMAT_CAS_LDS:
  case FORMAT_LOAD_GLOBAL:
  case FORMAT_STORE_GLOBAL:
  case FORMAT_ATOMIC_GLOBAL:
  case FORMAT_CAS_GLOBAL:
    return TRACE_ACCESS;
  case FORMAT_PREFETCH:
    return TRACE_PREFETCH;
  case FORMAT_COPY_LANE:
    return TRACE_LANE_COPY;
  case FORMAT_COPY_IN:
  case FORMAT_COPY_OUT:
  case FORMAT_COPY_IN_STRIDED:
  case FORMAT_COPY_OUT_STRIDED:
  case FORMAT_COPY_IN_2D:
  case FORMAT_COPY_OUT_2D:
  case FORMAT_COPY_IN_3D:
  case FORMAT_COPY_OUT_3D:
    return TRACE_COPY;
  case FORMAT_WAIT:
  case FORMAT_WAIT_FIRST:
    return TRACE_WAIT;
  case FORMAT_PIPE_RESERVE:
  case FORMAT_PIPE_COMMIT:
  case FORMAT_PIPE_NUM:
    return TRACE_PIPE;
  case FORMAT_PIPE_SLOT:
    return TRACE_PIPE_SLOT;
  case FORMAT_PIPE_BAR:
    return TRACE_PIPE_BARRIER;
  case FORMAT_MBARRIER_INIT:
  case FORMAT_MBARRIER_ARRIVE:
  case FORMAT_MBARRIER_TEST:
    return TRACE_MBARRIER;
  case FORMAT_IMAGE_READ:
  case FORMAT_IMAGE_STORE:
    return TRACE_IMAGE;
  case FORMAT_LOAD_CONST:
    return TRACE_CONSTANTS;
  case FORMAT_ALU:
  case FORMAT_LOGIC:
  case FORMAT_SHIFT:
  case FORMAT_QUERY:
  case FORMAT_IMAGE_QUERY:
  case FORMAT_QUERY_AXIS:
  case FORMAT_CLOCK:
  case FORMAT_SHUFFLE:
  case FORMAT_VOTE:
  case FORMAT_REDUCE:
  case FORMAT_SCAN:
  case FORMAT_SCAN_BEFORE:
  case FORMAT_EXPECT:
  case FORMAT_BRANCH:
  case FORMAT_EXIT:
  case FORMAT_LOAD_ARG:
  case FORMAT_LOAD_PRIVATE:
  case FORMAT_STORE_PRIVATE:
  case FORMAT_PRINTF: /* its output is a note */
  case FORMAT_SYNC:
  case FORMAT_LANE_COMMIT:
  case FORMAT_LANE_WAIT:
  case FORMAT_YIELD:
  case ISA_FORMATS:
    break;
  }
  return TRACE_PLAIN;
}

uint8_t *replay_kinds(const struct isa_program *program) {
  uint8_t *kinds = need(program->count, 1);
  for (uint32_t pc = 0; pc < program->count; pc++)
    kinds[pc] = (uint8_t)replay_kind((enum isa_op)program->code[pc].op);
  return kinds;
}
