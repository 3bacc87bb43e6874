/* Every operation of the ISA has a trace kind that keeps what timing reads. */
#include "isa/ops.h"
#include "isa/rows.h"
#include "sim/replay/kinds.h"
#include "tests/ct.h"

/* The classes that models/issue.c treats as accesses. */
static bool has_access(enum isa_class class_) {
  return class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_GLOBAL || class_ == ISA_CLASS_PREFETCH ||
         class_ == ISA_CLASS_PIPE || class_ == ISA_CLASS_COPY_LANE || class_ == ISA_CLASS_MBARRIER ||
         class_ == ISA_CLASS_PHASE || class_ == ISA_CLASS_TEXTURE;
}

static enum trace_kind expected(const struct isa_row *row) {
  switch ((enum isa_class)row->class_) {
  case ISA_CLASS_LDS:
  case ISA_CLASS_GLOBAL:
    return row->format == FORMAT_IMAGE_STORE ? TRACE_IMAGE : TRACE_ACCESS;
  case ISA_CLASS_PREFETCH:
    return TRACE_PREFETCH;
  case ISA_CLASS_PIPE:
    return TRACE_PIPE;
  case ISA_CLASS_COPY_LANE:
    return TRACE_LANE_COPY;
  case ISA_CLASS_TEXTURE:
    return TRACE_IMAGE;
  case ISA_CLASS_MBARRIER:
  case ISA_CLASS_PHASE:
    return TRACE_MBARRIER;
  case ISA_CLASS_COPY:
    return TRACE_COPY;
  case ISA_CLASS_WAIT:
    return TRACE_WAIT;
  default:
    return row->format == FORMAT_PIPE_BAR     ? TRACE_PIPE_BARRIER
           : row->format == FORMAT_PIPE_SLOT  ? TRACE_PIPE_SLOT
           : row->format == FORMAT_LOAD_CONST ? TRACE_CONSTANTS
                                              : TRACE_PLAIN;
  }
}

TEST(kinds, every_operations_kind_has_what_timing_reads) {
  bool formats[ISA_FORMATS] = {false}, kinds[TRACE_KINDS] = {false};
  for (unsigned op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    const enum trace_kind kind = replay_kind((enum isa_op)op);
    ct_note("%s", row->mnemonic);
    EXPECT_EQ(kind, expected(row));
    if (has_access((enum isa_class)row->class_))
      EXPECT_GT(trace_kind_rows[kind].vectors, 0);
    formats[row->format] = kinds[kind] = true;
  }
  for (unsigned format = 0; format < ISA_FORMATS; format++) {
    ct_note("format %s", isa_formats[format].name);
    EXPECT_TRUE(formats[format]); /* a new format needs a row, and then a case above and in kinds.c */
  }
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
    ct_note("kind %s", trace_kind_rows[kind].name);
    EXPECT_TRUE(kinds[kind]);
  }
}

TEST(kinds, copies_and_waits_have_a_field_for_each_isa_field) {
  EXPECT_EQ(TRACE_COPY_FIELDS, (int)COPY_FIELDS);
  EXPECT_EQ(TRACE_WAIT_FIELDS, 2 + ISA_WAIT_EVENTS);
}
