/* cl_khr_kernel_clock: all scopes read the machine's clock, which is the same in all compute units. */
#include "opencl/lower/group.h"

/* The result is 64 bits, or their two words, low first. */
static bool define_clock(struct build *b, uint32_t id, const char *name) {
  const struct spirv_type *type = build_type(b, id), *scalar = build_scalar(b, type);
  const bool whole = scalar && scalar->kind == SPIRV_INT && scalar->bits == 64 && type->parts == 1;
  const bool words = scalar && scalar->kind == SPIRV_INT && scalar->bits == 32 && type->parts == 2;
  if (!whole && !words)
    return build_fail(b, "%s must return ulong or uint2", name);
  const ir_ref clock = build_op(b, ISA_GET_CLOCK, 0, 0, 0);
  ir_ref *parts = build_define(b, id);
  for (uint32_t i = 0; parts && i < type->parts; i++)
    parts[i] = whole ? clock : build_word(b, clock, i);
  return !b->failed;
}

bool clock_call(struct build *b, const struct spirv_inst *inst, const char *name) {
  return define_clock(b, inst->word[2], name);
}

bool clock_read(struct build *b, const struct spirv_inst *inst) {
  return build_scope(b, inst->word[3]) != UINT32_MAX && define_clock(b, inst->word[2], "OpReadClockKHR");
}
