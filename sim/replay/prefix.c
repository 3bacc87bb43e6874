#include "sim/replay/prefix.h"

bool prefix_is_call(const struct isa_program *program, uint32_t pc, uint64_t mask) {
  switch ((enum isa_class)program->info[pc].class_) {
  case ISA_CLASS_BARRIER:
  case ISA_CLASS_COPY_FENCE:
  case ISA_CLASS_COPY:
  case ISA_CLASS_WAIT:
    return mask;
  default:
    return false;
  }
}

uint64_t prefix_calls(struct trace_warp *decoder, const struct isa_program *program, uint32_t launch, uint32_t group,
                      uint32_t warps) {
  uint64_t all = UINT64_MAX;
  for (uint32_t i = 0; i < warps && all; i++) {
    struct trace_op op = {0};
    uint64_t calls = 0;
    uint32_t pc;
    if (trace_warp_start(decoder, launch, group, i, &pc))
      while (trace_decode(decoder, &op))
        calls += prefix_is_call(program, op.pc, op.mask);
    if (!(op.flags & TRACE_DONE) && calls < all)
      all = calls;
  }
  return all;
}
