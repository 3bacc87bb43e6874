/* Vectors, arrays and structs as values. A value is an array of its scalars, so most of this copies refs. A dynamic
 * index becomes a chain of selects. A cast between vectors goes through 32-bit words. */
#include <string.h>

#include "opencl/lower/build_core.h"

/* ---- constant indices ----------------------------------------------------------------------------- */

/* Follows literal indices from word number `next` on; *first is the member's first part. */
static const struct spirv_type *member_at(struct build *b, const struct spirv_inst *inst, unsigned next,
                                          const struct spirv_type *type, uint32_t *first) {
  for (*first = 0; type && next < inst->words; next++) {
    const uint32_t index = inst->word[next];
    const bool many = type->kind == SPIRV_STRUCT || type->kind == SPIRV_ARRAY || type->kind == SPIRV_VECTOR;
    if (!many || index >= type->count)
      return NULL;
    if (type->kind == SPIRV_STRUCT) {
      for (uint32_t i = 0; i < index; i++)
        *first += spirv_type(b->module, type->member[i])->parts;
      type = spirv_type(b->module, type->member[index]);
    } else {
      type = spirv_type(b->module, type->element);
      *first += index * type->parts;
    }
  }
  return type;
}

/* A value's parts in the form that composites hold. */
static bool plain_parts(struct build *b, uint32_t id, ir_ref *part) {
  const ir_ref *from = build_parts(b, id);
  if (!from)
    return false;
  if (core_is_pointer(b, id))
    *part = core_plain(b, id);
  else
    memcpy(part, from, build_type(b, id)->parts * sizeof *part);
  return !b->failed;
}

bool lower_composite_extract(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *whole = build_type(b, inst->word[3]);
  const bool beyond = whole && whole->kind == SPIRV_VECTOR && inst->words == 5 && inst->word[4] >= whole->count;
  const ir_ref value = beyond ? build_beyond(b, inst->word[3]) : 0;
  if (value) {
    *build_define(b, inst->word[2]) = value;
    return !b->failed;
  }
  uint32_t first = 0;
  if (!type || !core_same_shape(type, member_at(b, inst, 4, whole, &first)))
    return core_misfit(b, inst);
  const ir_ref *from = build_parts(b, inst->word[3]);
  if (!from)
    return false;
  if (type->kind == SPIRV_POINTER)
    return core_define_pointer(b, inst->word[2], core_from_plain(b, type, from[first], 0));
  memcpy(build_define(b, inst->word[2]), from + first, type->parts * sizeof *from);
  return !b->failed;
}

bool lower_composite_insert(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *member = build_type(b, inst->word[3]);
  uint32_t first = 0;
  if (!type || !member || type->kind == SPIRV_POINTER || !core_same_shape(type, build_type(b, inst->word[4])) ||
      !core_same_shape(member, member_at(b, inst, 5, type, &first)))
    return core_misfit(b, inst);
  const ir_ref *from = build_parts(b, inst->word[4]);
  if (!from)
    return false;
  ir_ref *part = build_define(b, inst->word[2]);
  if (b->failed)
    return false;
  memcpy(part, from, type->parts * sizeof *from);
  return plain_parts(b, inst->word[3], part + first);
}

bool lower_composite_construct(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  ir_ref *part = build_define(b, inst->word[2]);
  uint32_t filled = 0;
  for (unsigned i = 3; i < inst->words && !b->failed; i++) {
    const struct spirv_type *member = build_type(b, inst->word[i]);
    if (!member || member->parts > type->parts - filled)
      return core_misfit(b, inst);
    if (!plain_parts(b, inst->word[i], part + filled))
      return false;
    filled += member->parts;
  }
  return !b->failed && (filled == type->parts || core_misfit(b, inst));
}

bool lower_vector_shuffle(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *scalar = build_scalar(b, type);
  const struct spirv_type *left = build_type(b, inst->word[3]), *right = build_type(b, inst->word[4]);
  const ir_ref *from = build_parts(b, inst->word[3]), *other = build_parts(b, inst->word[4]);
  if (!from || !other || !scalar || inst->words - 5u != type->parts || !build_scalar(b, left) ||
      !build_scalar(b, right))
    return b->failed ? false : core_misfit(b, inst);
  ir_ref *part = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < type->parts; i++) {
    const uint32_t at = inst->word[5 + i];
    if (at == UINT32_MAX)
      part[i] = ir_undef(b->ir, core_width(scalar));
    else if (at < left->parts)
      part[i] = from[at];
    else if (at - left->parts < right->parts)
      part[i] = other[at - left->parts];
    else
      return core_misfit(b, inst);
  }
  return !b->failed;
}

/* ---- dynamic indices ------------------------------------------------------------------------------ */

static const char INDEX[] = "an index is not an integer";

/* Halves the candidates with each bit of the index. An index beyond the end is undefined, except in built-in
 * vectors. */
bool lower_extract_dynamic(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[3]);
  const ir_ref *from = build_parts(b, inst->word[3]);
  if (!from || !build_scalar(b, type) || type->parts > SPIRV_MOST_COMPONENTS)
    return from ? core_misfit(b, inst) : false;
  const ir_ref index = core_word(b, inst->word[4], INDEX);
  ir_ref left[SPIRV_MOST_COMPONENTS];
  uint32_t count = type->parts;
  memcpy(left, from, count * sizeof *left);
  for (unsigned bit = 0; count > 1; bit++) {
    const ir_ref masked = build_op(b, ISA_AND_32, index, build_32(b, 1u << bit), 0);
    const ir_ref odd = build_op(b, ISA_SETP_NE_U32, masked, build_32(b, 0), 0);
    for (uint32_t i = 0; i < count; i += 2)
      left[i / 2] = i + 1 < count ? build_select(b, odd, left[i + 1], left[i]) : left[i];
    count = (count + 1) / 2;
  }
  const ir_ref beyond = build_beyond(b, inst->word[3]);
  if (beyond)
    left[0] = build_select(b, build_op(b, ISA_SETP_LT_U32, index, build_32(b, type->parts), 0), left[0], beyond);
  *build_define(b, inst->word[2]) = left[0];
  return !b->failed;
}

bool lower_insert_dynamic(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  const ir_ref *from = build_parts(b, inst->word[3]);
  if (!from || !build_scalar(b, type) || !core_same_shape(type, build_type(b, inst->word[3])))
    return from ? core_misfit(b, inst) : false;
  const ir_ref value = build_value(b, inst->word[4]), index = core_word(b, inst->word[5], INDEX);
  ir_ref *part = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < type->parts && !b->failed; i++)
    part[i] = build_select(b, build_op(b, ISA_SETP_EQ_U32, index, build_32(b, i), 0), value, from[i]);
  return !b->failed;
}

/* ---- selection ------------------------------------------------------------------------------------ */

static bool select_pointer(struct build *b, const struct spirv_inst *inst, ir_ref predicate) {
  const enum build_space space = core_space(build_type(b, inst->word[2]), core_spaces(b, inst->word[2]));
  const ir_ref yes = core_convert(b, build_pointer(b, inst->word[4]), space);
  const ir_ref no = core_convert(b, build_pointer(b, inst->word[5]), space);
  if (!b->failed)
    *build_define(b, inst->word[2]) = build_select(b, predicate, yes, no);
  return !b->failed;
}

bool lower_select(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *by = build_type(b, inst->word[3]);
  const struct spirv_type *scalar = build_scalar(b, by);
  if (!type || !scalar || scalar->kind != SPIRV_BOOL || (by->parts != 1 && by->parts != type->parts) ||
      !core_same_shape(type, build_type(b, inst->word[4])) || !core_same_shape(type, build_type(b, inst->word[5])))
    return core_misfit(b, inst);
  const ir_ref *predicate = build_parts(b, inst->word[3]);
  const ir_ref *yes = build_parts(b, inst->word[4]), *no = build_parts(b, inst->word[5]);
  if (!predicate || !yes || !no)
    return false;
  if (type->kind == SPIRV_POINTER)
    return select_pointer(b, inst, *predicate);
  ir_ref *part = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < type->parts && !b->failed; i++)
    part[i] = build_select(b, predicate[by->parts == 1 ? 0 : i], yes[i], no[i]);
  return !b->failed;
}

/* ---- bit casts ------------------------------------------------------------------------------------ */

static bool is_half(const struct spirv_type *scalar) { return scalar->kind == SPIRV_FLOAT && scalar->bits == 16; }

/* The number of components is equal. Only halves differ in form: their upper bits must be zero. */
static void recast_each(struct build *b, const ir_ref *from, uint32_t count, bool into_half, ir_ref *part) {
  for (uint32_t i = 0; i < count; i++)
    part[i] = into_half ? build_extended(b, from[i], 16, false) : from[i];
}

/* SPIR-V defines no bits for a bool; LLVM has one. clang compares eight components at once as a number of eight
 * bits. */
static unsigned component_bits(const struct spirv_type *scalar) {
  return scalar->kind == SPIRV_BOOL ? 1 : scalar->bits;
}

static ir_ref bools_to_word(struct build *b, const ir_ref *predicate, uint32_t count) {
  const ir_ref none = build_32(b, 0);
  ir_ref word = none;
  for (uint32_t i = 0; i < count; i++)
    word = build_op(b, ISA_OR_32, word, build_select(b, predicate[i], build_32(b, 1u << i), none), 0);
  return word;
}

static void bools_from_word(struct build *b, ir_ref word, uint32_t count, ir_ref *predicate) {
  for (uint32_t i = 0; i < count; i++) {
    const ir_ref bit = build_op(b, ISA_AND_32, word, build_32(b, 1u << i), 0);
    predicate[i] = build_op(b, ISA_SETP_NE_U32, bit, build_32(b, 0), 0);
  }
}

/* Front ends also cast values to their own type, whatever that is. */
bool lower_bitcast(struct build *b, const struct spirv_inst *inst) {
  if (core_is_pointer(b, inst->word[2]) || core_is_pointer(b, inst->word[3]))
    return lower_pointer(b, inst);
  const struct spirv_type *to = build_type(b, inst->word[2]), *from = build_type(b, inst->word[3]);
  if (to == from)
    return lower_copy_object(b, inst);
  const struct spirv_type *to_scalar = build_scalar(b, to), *from_scalar = build_scalar(b, from);
  if (!to_scalar || !from_scalar || from->parts > SPIRV_MOST_COMPONENTS || to->parts > SPIRV_MOST_COMPONENTS ||
      to->parts * component_bits(to_scalar) != from->parts * component_bits(from_scalar))
    return core_misfit(b, inst);
  const ir_ref *source = build_parts(b, inst->word[3]);
  ir_ref *part = build_define(b, inst->word[2]);
  if (!source || b->failed)
    return false;
  if (component_bits(to_scalar) == component_bits(from_scalar)) {
    recast_each(b, source, to->parts, is_half(to_scalar) && !is_half(from_scalar), part);
    return true;
  }
  ir_ref word[2 * SPIRV_MOST_COMPONENTS];
  if ((from_scalar->kind == SPIRV_BOOL ? from
       : to_scalar->kind == SPIRV_BOOL ? to
                                       : &(struct spirv_type){0})
          ->parts > 32)
    return build_fail(b, "more than 32 booleans as one number are not supported");
  if (from_scalar->kind == SPIRV_BOOL)
    word[0] = bools_to_word(b, source, from->parts);
  else
    build_to_words(b, source, from->parts, from_scalar->bits, word);
  if (to_scalar->kind == SPIRV_BOOL)
    bools_from_word(b, word[0], to->parts, part);
  else
    build_from_words(b, word, to->parts, to_scalar->bits, is_half(to_scalar), part);
  return !b->failed;
}

bool lower_copy_object(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  if (!type || !core_same_shape(type, build_type(b, inst->word[3])))
    return core_misfit(b, inst);
  if (type->kind == SPIRV_POINTER)
    return core_define_pointer(b, inst->word[2], build_pointer(b, inst->word[3]));
  const ir_ref *from = build_parts(b, inst->word[3]);
  if (from)
    memcpy(build_define(b, inst->word[2]), from, type->parts * sizeof *from);
  return from && !b->failed;
}
