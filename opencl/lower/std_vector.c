/* Vectors in memory and in pieces: vload and vstore, their half forms, shuffle, select.
 *
 * vload and vstore guarantee only an element's alignment. The vloada and vstorea forms guarantee the whole vector's;
 * for them, vectors of 3 are four elements apart. Vectors of 3 are accessed as arrays, because the fourth element in
 * memory is not theirs. */
#include "opencl/lower/std.h"

#include <string.h>

enum { MOST = 16 };

/* ---- memory ---------------------------------------------------------------------------------------- */

/* A vector in memory at pointer + offset * stride elements. */
struct access {
  struct build_pointer at;
  struct spirv_type type; /* of the value in memory */
  uint32_t align;
};

static ir_ref as_index(struct build *b, uint32_t id) {
  const ir_ref offset = build_value(b, id);
  if (!offset || build_type(b, id)->bits == 64)
    return offset;
  return build_op(b, ISA_CVT_U64_U32, offset, 0, 0);
}

/* An access to `count` elements at operand `pointer`. False after build_fail(). */
static bool access(const struct std_call *call, unsigned offset, unsigned pointer, uint32_t count, bool aligned,
                   struct access *to) {
  struct build *b = call->b;
  const uint32_t element = build_type(b, call->operand[pointer])->element;
  const struct spirv_type *scalar = spirv_type(b->module, element);
  if (!scalar || (scalar->kind != SPIRV_INT && scalar->kind != SPIRV_FLOAT))
    return build_fail(b, "'%s' takes a pointer to integers or floats", call->row->name);
  const uint32_t bytes = scalar->bits / 8u, stride = aligned && count == 3 ? 4 : count;
  const ir_ref index = as_index(b, call->operand[offset]);
  if (!index)
    return false;
  const struct build_pointer start = build_pointer(b, call->operand[pointer]);
  to->at = build_index(b, start, index, (uint64_t)stride * bytes);
  to->align = aligned ? stride * bytes : bytes;
  to->type = *scalar;
  if (count > 1)
    to->type = (struct spirv_type){.kind = count == 3 ? SPIRV_ARRAY : SPIRV_VECTOR,
                                   .element = element,
                                   .count = count,
                                   .size = (uint64_t)count * bytes,
                                   .align = count == 3 ? bytes : count * bytes,
                                   .parts = count};
  return !b->failed;
}

/* Whether the elements in memory fit the vector `type`. */
static bool alike(const struct std_call *call, const struct access *to, const struct spirv_type *type) {
  struct build *b = call->b;
  const struct spirv_type *there = to->type.parts > 1 ? spirv_type(b->module, to->type.element) : &to->type;
  const struct spirv_type *here = build_scalar(b, type);
  return (there->kind == here->kind && there->bits == here->bits) ||
         build_fail(b, "'%s' takes a pointer to the elements of its vector", call->row->name);
}

static bool small_enough(const struct std_call *call, const struct spirv_type *type) {
  return build_components(type) <= MOST || build_fail(call->b, "a vector has more than %d components", MOST);
}

bool std_vload(const struct std_call *call) {
  struct access from;
  if (!access(call, 0, 1, build_components(call->type), false, &from) || !alike(call, &from, call->type))
    return false;
  build_load(call->b, from.at, &from.type, from.align, build_define(call->b, call->result));
  return !call->b->failed;
}

bool std_vstore(const struct std_call *call) {
  const struct spirv_type *type = build_type(call->b, call->operand[0]);
  const ir_ref *parts = build_parts(call->b, call->operand[0]);
  struct access to;
  if (!parts || !access(call, 1, 2, build_components(type), false, &to) || !alike(call, &to, type))
    return false;
  build_store(call->b, to.at, &to.type, to.align, parts);
  return !call->b->failed;
}

/* ---- halves in memory ------------------------------------------------------------------------------ */

static bool is_aligned(const struct std_call *call) {
  return !strncmp(call->row->name, "vloada", 6) || !strncmp(call->row->name, "vstorea", 7);
}

static bool half_access(const struct std_call *call, unsigned offset, uint32_t count, struct access *to) {
  struct build *b = call->b;
  if (!access(call, offset, offset + 1, count, is_aligned(call), to))
    return false;
  const struct spirv_type *there = count > 1 ? spirv_type(b->module, to->type.element) : &to->type;
  return there->bits == 16 || build_fail(b, "'%s' takes a pointer to halves", call->row->name);
}

bool std_vload_half(const struct std_call *call) {
  struct build *b = call->b;
  const uint32_t count = build_components(call->type), bits = build_scalar(b, call->type)->bits;
  ir_ref half[MOST] = {0};
  struct access from;
  if (!small_enough(call, call->type) || !half_access(call, 0, count, &from))
    return false;
  build_load(b, from.at, &from.type, from.align, half);
  ir_ref *result = build_define(b, call->result);
  for (uint32_t i = 0; i < count && !b->failed; i++)
    result[i] = bits == 16 ? half[i] : build_op(b, bits == 32 ? ISA_CVT_F32_F16 : ISA_CVT_F64_F16, half[i], 0, 0);
  return !b->failed;
}

/* The rounding mode of the _r forms is their last operand. */
bool std_vstore_half(const struct std_call *call) {
  struct build *b = call->b;
  const struct spirv_type *type = build_type(b, call->operand[0]);
  const uint32_t count = build_components(type), bits = build_scalar(b, type)->bits;
  const uint32_t mode = call->row->signature[4] == 'l' ? call->operand[3] : 0;
  const ir_ref *parts = build_parts(b, call->operand[0]);
  ir_ref half[MOST];
  struct access to;
  if (!parts || !small_enough(call, type) || !half_access(call, 1, count, &to))
    return false;
  if (mode > 3)
    return build_fail(b, "'%s' has rounding mode %u; legal: 0 to 3", call->row->name, mode);
  for (uint32_t i = 0; i < count; i++)
    half[i] = std_round_to_half(b, parts[i], bits, mode);
  build_store(b, to.at, &to.type, to.align, half);
  return !b->failed;
}

/* ---- selection ------------------------------------------------------------------------------------- */

/* Picks one of 2^levels candidates by the low bits of `index`, halving the candidates with each bit. */
static ir_ref pick(struct build *b, ir_ref *candidate, unsigned levels, ir_ref index) {
  for (unsigned level = 0; level < levels; level++) {
    const ir_ref bit = build_op(b, ISA_AND_32, index, build_32(b, 1u << level), 0);
    const ir_ref odd = build_op(b, ISA_SETP_NE_U32, bit, build_32(b, 0), 0);
    for (unsigned i = 0; i < 1u << (levels - level - 1); i++)
      candidate[i] = build_select(b, odd, candidate[2 * i + 1], candidate[2 * i]);
  }
  return candidate[0];
}

/* Lists the components of all sources, filled up to a power of 2; returns its logarithm. */
static unsigned line_up(const struct std_call *call, unsigned sources, ir_ref *candidate) {
  const uint32_t each = build_components(build_type(call->b, call->operand[0])), all = each * sources;
  unsigned levels = 0;
  while (1u << levels < all)
    levels++;
  for (unsigned i = 0; i < 1u << levels; i++) {
    const ir_ref *parts = build_parts(call->b, call->operand[i < all ? i / each : 0]);
    candidate[i] = parts ? parts[i % each] : 0;
  }
  return levels;
}

static bool shuffle_fits(const struct std_call *call, unsigned sources) {
  struct build *b = call->b;
  const struct spirv_type *mask = build_type(b, call->operand[sources]), *result = build_scalar(b, call->type);
  bool good = build_scalar(b, mask)->kind == SPIRV_INT && build_components(mask) == build_components(call->type) &&
              build_components(mask) <= MOST;
  for (unsigned i = 0; i < sources; i++) {
    const struct spirv_type *type = build_type(b, call->operand[i]), *scalar = build_scalar(b, type);
    good = good && scalar->kind == result->kind && scalar->bits == result->bits && build_components(type) <= MOST &&
           build_components(type) == build_components(build_type(b, call->operand[0]));
  }
  return good || build_fail(b, "the operands of '%s' do not fit its result", call->row->name);
}

/* A constant mask takes no instruction. */
bool std_shuffle(const struct std_call *call) {
  struct build *b = call->b;
  const unsigned sources = call->row->signature[3] ? 2 : 1;
  if (!shuffle_fits(call, sources))
    return false;
  const ir_ref *mask = build_parts(b, call->operand[sources]);
  const bool wide = build_scalar(b, build_type(b, call->operand[sources]))->bits == 64;
  ir_ref *result = build_define(b, call->result);
  for (uint32_t i = 0; mask && i < build_components(call->type); i++) {
    ir_ref candidate[2 * MOST];
    const unsigned levels = line_up(call, sources, candidate);
    if (b->failed)
      return false;
    if (ir_is_const(b->ir, mask[i]))
      result[i] = candidate[b->ir->inst[mask[i]].imm & ((1u << levels) - 1)];
    else
      result[i] = pick(b, candidate, levels, wide ? build_word(b, mask[i], 0) : mask[i]);
  }
  return !b->failed;
}

/* A scalar tests whether c is not 0, a vector the highest bit of each component. */
static ir_ref is_chosen(struct build *b, ir_ref c, unsigned bits, bool vector) {
  if (vector) {
    const ir_ref word = bits == 64 ? build_word(b, c, 1) : c;
    const ir_ref highest = build_op(b, ISA_AND_32, word, build_32(b, 1u << ((bits - 1) & 31)), 0);
    return build_op(b, ISA_SETP_NE_U32, highest, build_32(b, 0), 0);
  }
  if (bits == 64)
    return build_op(b, ISA_SETP_NE_U64, c, build_64(b, 0), 0);
  const ir_ref clean = build_extended(b, c, bits, false);
  return build_op(b, ISA_SETP_NE_U32, clean, build_32(b, 0), 0);
}

bool std_select(const struct std_call *call) {
  struct build *b = call->b;
  const unsigned bits = build_scalar(b, call->type)->bits;
  const ir_ref *no = build_parts(b, call->operand[0]), *yes = build_parts(b, call->operand[1]);
  const ir_ref *c = build_parts(b, call->operand[2]);
  if (!no || !yes || !c)
    return false;
  ir_ref *result = build_define(b, call->result);
  for (uint32_t i = 0; i < build_components(call->type); i++) {
    const ir_ref chosen = is_chosen(b, c[i], bits, call->type->kind == SPIRV_VECTOR);
    result[i] = build_select(b, chosen, yes[i], no[i]);
  }
  return !b->failed;
}
