/* Pointers: their numbers in each space, conversion between spaces, chains of indices, comparisons.
 *
 * A pointer is kept in the narrowest form known to hold it. Casts to generic cost nothing: spaces.c tracks the space
 * that a value really points to, and the generic number is only computed where the number itself is needed. The
 * apertures of the spaces are consecutive ranges of generic numbers, so comparing a number with the ends of the
 * possible ranges finds its space. */

#include "opencl/lower/build_core.h"

/* ---- spaces -------------------------------------------------------------------------------------- */

enum build_space core_space(const struct spirv_type *pointer, uint8_t spaces) {
  switch (pointer->storage) {
  case SPIRV_WORKGROUP:
    return SPACE_LOCAL;
  case SPIRV_FUNCTION_STORAGE: /* a private aggregate, or the constants that clang initializes one from */
    if (!(spaces & IN_TABLE))
      return SPACE_PRIVATE;
    break;
  case SPIRV_CROSS_WORKGROUP:
    return SPACE_GLOBAL;
  default:
    break;
  }
  for (enum build_space space = SPACE_GLOBAL; space < SPACE_GENERIC; space++)
    if ((spaces & IN_SPACES) == 1 << space)
      return space;
  return SPACE_GENERIC;
}

static bool is_offset(enum build_space space) { return space == SPACE_LOCAL || space == SPACE_PRIVATE; }

static uint64_t aperture_of(enum build_space space) {
  static const uint64_t apertures[] = {[SPACE_LOCAL] = ISA_LOCAL_APERTURE,
                                       [SPACE_PRIVATE] = ISA_PRIVATE_APERTURE,
                                       [SPACE_TABLE] = ISA_CONSTANT_APERTURE};
  return space < SPACE_GENERIC ? apertures[space] : 0;
}

/* Null as an offset. No object is there or within 2^29 bytes of it, so an access through a null pointer is out of
 * bounds, whatever the index. If nothing can be null, no code compares with null. */
static ir_ref null_offset(struct build *b) { return build_32(b, b->core->has_nulls ? CORE_NULL_OFFSET : 0); }

/* Whether the pointer may be null. Without null pointers in the module, 0 is an object's offset. */
static bool may_be_null(const struct build *b, struct build_pointer pointer) {
  return b->core->has_nulls && (!pointer.maybe || pointer.maybe & IN_NULL);
}

static ir_ref null_in(struct build *b, enum build_space space) {
  return is_offset(space) ? null_offset(b) : build_64(b, 0);
}

/* Replaces `from` by `to` and keeps other values. A constant stays a constant, because constants are shared by all
 * blocks. */
static ir_ref exchange(struct build *b, ir_ref offset, ir_ref from, ir_ref to) {
  if (offset == from)
    return to;
  return ir_is_const(b->ir, offset) ? offset
                                    : build_select(b, build_op(b, ISA_SETP_EQ_U32, offset, from, 0), to, offset);
}

bool core_is_pointer(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  return type && type->kind == SPIRV_POINTER && b->module->id[id].kind != SPIRV_TYPE;
}

struct build_pointer build_pointer(struct build *b, uint32_t id) {
  if (!core_is_pointer(b, id)) {
    build_fail(b, "a pointer is expected");
    return (struct build_pointer){.address = build_64(b, 0)};
  }
  const uint8_t spaces = core_spaces(b, id);
  return (struct build_pointer){core_space(build_type(b, id), spaces), build_value(b, id), spaces};
}

/* ---- from one space to another ------------------------------------------------------------------- */

static ir_ref to_generic(struct build *b, struct build_pointer pointer, enum build_space space) {
  const ir_ref offset = pointer.address, aperture = build_32(b, (uint32_t)aperture_of(space));
  ir_ref low = ir_is_const(b->ir, offset) ? build_32(b, (uint32_t)(b->ir->inst[offset].imm + aperture_of(space)))
                                          : build_op(b, ISA_ADD_32, offset, aperture, 0);
  if (pointer.maybe && may_be_null(b, pointer))
    low = build_select(b, build_op(b, ISA_SETP_EQ_U32, offset, null_offset(b), 0), build_32(b, 0), low);
  return build_pair(b, low, build_32(b, 0));
}

ir_ref build_generic(struct build *b, struct build_pointer pointer) {
  if (!is_offset(pointer.space))
    return pointer.address;
  if (pointer.maybe == IN_NULL)
    return build_64(b, 0);
  return to_generic(b, pointer, pointer.space);
}

static ir_ref from_generic(struct build *b, struct build_pointer pointer, enum build_space space) {
  const ir_ref low = build_word(b, pointer.address, 0);
  const ir_ref offset = build_op(b, ISA_ADD_32, low, build_32(b, 0u - (uint32_t)aperture_of(space)), 0);
  if (!may_be_null(b, pointer))
    return offset;
  return build_select(b, build_op(b, ISA_SETP_EQ_U32, low, build_32(b, 0), 0), null_offset(b), offset);
}

/* The address in the form of `space`. Between disjoint spaces, the pointer can only be null. */
ir_ref core_convert(struct build *b, struct build_pointer pointer, enum build_space space) {
  if (pointer.space == space)
    return pointer.address;
  if (pointer.maybe && !(pointer.maybe & IN_SPACES))
    return null_in(b, space);
  if (space == SPACE_GENERIC)
    return build_generic(b, pointer);
  if (pointer.space == SPACE_GENERIC)
    return is_offset(space) ? from_generic(b, pointer, space) : pointer.address;
  if (!is_offset(pointer.space) && !is_offset(space))
    return pointer.address;
  return null_in(b, space);
}

bool core_define_pointer(struct build *b, uint32_t id, struct build_pointer pointer) {
  const struct spirv_type *type = build_type(b, id);
  if (!type || type->kind != SPIRV_POINTER)
    return build_fail(b, "a pointer is expected");
  *build_define(b, id) = core_convert(b, pointer, core_space(type, core_spaces(b, id)));
  return !b->failed;
}

static enum build_space plain_space(const struct spirv_type *type) { return core_space(type, 0); }

ir_ref core_null(struct build *b, const struct spirv_type *pointer) { return null_in(b, core_space(pointer, IN_NULL)); }

/* Code that reads a pointer from memory treats it as private or generic, so a private constant's address cannot be
 * stored. */
ir_ref core_plain(struct build *b, uint32_t id) {
  const struct build_pointer pointer = build_pointer(b, id);
  const struct spirv_type *type = build_type(b, id);
  if (!b->failed && pointer.maybe & IN_TABLE && type->storage != SPIRV_UNIFORM_CONSTANT)
    build_fail(b, "a private constant's address in memory is not supported");
  const ir_ref address = core_convert(b, pointer, plain_space(type));
  if (!may_be_null(b, pointer) || !is_offset(plain_space(type)))
    return address;
  return exchange(b, address, null_offset(b), build_32(b, 0));
}

struct build_pointer core_maybe_plain(const struct spirv_type *pointer, ir_ref part) {
  const enum build_space space = plain_space(pointer);
  int maybe = 1 << space;
  if (pointer->storage == SPIRV_UNIFORM_CONSTANT)
    maybe = IN_GLOBAL | IN_TABLE;
  else if (space == SPACE_GENERIC)
    maybe = IN_GLOBAL | IN_LOCAL | IN_PRIVATE;
  return (struct build_pointer){space, part, (uint8_t)(maybe | IN_NULL)};
}

struct build_pointer core_from_plain(struct build *b, const struct spirv_type *type, ir_ref part, uint8_t spaces) {
  struct build_pointer pointer = core_maybe_plain(type, part);
  pointer.maybe = spaces ? spaces : pointer.maybe;
  if (is_offset(pointer.space) && may_be_null(b, pointer))
    pointer.address = exchange(b, part, build_32(b, 0), null_offset(b));
  return pointer;
}

/* ---- an access in each possible space ------------------------------------------------------------- */

static ir_ref offset_in(struct build *b, struct build_pointer pointer, enum build_space space) {
  if (space == SPACE_GLOBAL || is_offset(pointer.space))
    return pointer.address;
  const ir_ref low = build_word(b, pointer.address, 0);
  const uint32_t aperture = (uint32_t)aperture_of(space);
  if (ir_is_const(b->ir, low))
    return build_32(b, (uint32_t)b->ir->inst[low].imm - aperture);
  return build_op(b, ISA_ADD_32, low, build_32(b, 0u - aperture), 0);
}

/* Spaces by ascending aperture; each ends where the next begins. */
static const struct {
  enum build_space space;
  uint64_t end;
} by_address[] = {
    {SPACE_LOCAL, ISA_PRIVATE_APERTURE},
    {SPACE_PRIVATE, ISA_CONSTANT_APERTURE},
    {SPACE_TABLE, ISA_VARIABLE_BASE},
    {SPACE_GLOBAL, 0},
};

static uint8_t possible(const struct build *b, struct build_pointer pointer) {
  if (pointer.space != SPACE_GENERIC)
    return (uint8_t)(1 << pointer.space);
  const uint8_t known = pointer.maybe & IN_SPACES;
  const uint8_t spaces = (known ? known : IN_GLOBAL | IN_LOCAL | IN_PRIVATE) & (b->core->exists | IN_TABLE);
  return spaces ? spaces : IN_GLOBAL;
}

/* Sets the guard of the next place. `here` is true for pointers below the end of its space, `below` for pointers into
 * the previous places. The `last` place takes all that remain. */
static void set_guard(struct build *b, struct build_place *place, ir_ref here, ir_ref below, bool last) {
  place->guard_not = last;
  if (last)
    place->guard = below;
  else
    place->guard = below ? build_op(b, ISA_ANDN_P, here, below, 0) : here;
}

unsigned build_spaces(struct build *b, struct build_pointer pointer, struct build_place places[4]) {
  uint8_t left = possible(b, pointer);
  unsigned count = 0;
  ir_ref below = 0;
  for (unsigned i = 0; left; i++) {
    if (!(left & 1 << by_address[i].space))
      continue;
    left = (uint8_t)(left & ~(1 << by_address[i].space));
    struct build_place *place = &places[count++];
    *place = (struct build_place){.space = by_address[i].space, .address = offset_in(b, pointer, by_address[i].space)};
    const ir_ref here = left ? build_op(b, ISA_SETP_LT_U64, pointer.address, build_64(b, by_address[i].end), 0) : 0;
    if (left || below)
      set_guard(b, place, here, below, !left);
    below = here;
  }
  return count;
}

/* ---- sums ---------------------------------------------------------------------------------------- */

/* Merges constants: x + 4 and 4 more is x + 8. */
static ir_ref without_constant(struct build *b, ir_ref address, bool offset, uint64_t *bytes) {
  const ir_ref constant = ir_operand(b->ir, address, 1);
  if (b->ir->inst[address].op != (offset ? ISA_ADD_32 : ISA_ADD_64) || !ir_is_const(b->ir, constant))
    return address;
  *bytes += b->ir->inst[constant].imm;
  return ir_operand(b->ir, address, 0);
}

struct build_pointer build_offset(struct build *b, struct build_pointer pointer, uint64_t bytes) {
  const bool offset = is_offset(pointer.space);
  if (bytes == 0)
    return pointer;
  pointer.address = without_constant(b, pointer.address, offset, &bytes);
  if (ir_is_const(b->ir, pointer.address)) {
    const uint64_t sum = b->ir->inst[pointer.address].imm + bytes;
    pointer.address = ir_const(b->ir, offset ? IR_W1 : IR_W2, sum);
  } else if (offset)
    pointer.address = build_op(b, ISA_ADD_32, pointer.address, build_32(b, (uint32_t)bytes), 0);
  else
    pointer.address = build_op(b, ISA_ADD_64, pointer.address, build_64(b, bytes), 0);
  return pointer;
}

static unsigned log2_of(uint64_t size) { return (unsigned)__builtin_ctzll(size); }

/* A multiple of a size, in the form that passes recognize: a shift for powers of two. */
static ir_ref scaled(struct build *b, ir_ref index, uint64_t size, bool offset) {
  if (size == 1)
    return index;
  if (!(size & (size - 1)))
    return build_op(b, offset ? ISA_SHL_32 : ISA_SHL_64, index, build_32(b, log2_of(size)), 0);
  return build_op(b, offset ? ISA_MUL_32 : ISA_MUL_64, index, offset ? build_32(b, (uint32_t)size) : build_64(b, size),
                  0);
}

struct build_pointer build_index(struct build *b, struct build_pointer pointer, ir_ref index64, uint64_t size) {
  const bool offset = is_offset(pointer.space);
  if (size == 0)
    return pointer;
  if (ir_is_const(b->ir, index64))
    return build_offset(b, pointer, b->ir->inst[index64].imm * size);
  const ir_ref bytes = scaled(b, offset ? build_word(b, index64, 0) : index64, size, offset);
  pointer.address = build_op(b, offset ? ISA_ADD_32 : ISA_ADD_64, pointer.address, bytes, 0);
  return pointer;
}

/* ---- chains -------------------------------------------------------------------------------------- */

struct chain {
  struct build_pointer pointer;
  uint64_t bytes; /* constant; added last, so that neighbors share everything else */
  const struct spirv_type *type;
};

static const struct spirv_inst *definition(const struct build *b, uint32_t id, uint16_t op) {
  const struct spirv_id *row = &b->module->id[id];
  const struct spirv_inst *inst = row->kind == SPIRV_VALUE ? &b->module->inst[row->index] : NULL;
  return inst && inst->op == op && inst->words > 3 && inst->word[2] == id ? inst : NULL;
}

/* The addition or subtraction that defines `id`; NULL: none. */
static const struct spirv_inst *sum_of(const struct build *b, uint32_t id) {
  const struct spirv_inst *sum = definition(b, id, OpIAdd);
  return sum ? sum : definition(b, id, OpISub);
}

/* Splits off a constant: (long)(i + 1) is (long)i + 1 if the sum cannot overflow, and the constant joins the offset.
 * The same for i - 1. */
static bool take_sum(struct build *b, uint32_t id, uint32_t *rest, int64_t *constant) {
  const struct spirv_inst *wide = definition(b, id, OpSConvert);
  const uint32_t sum_id = wide ? wide->word[3] : id;
  const struct spirv_inst *sum = sum_of(b, sum_id);
  const struct spirv_type *type = build_type(b, sum_id);
  uint64_t bits = 0;
  if (!sum || sum->words != 5 || !type || type->kind != SPIRV_INT || type->bits != (wide ? 32 : 64))
    return false;
  if (wide && !b->module->id[sum_id].decoration.no_signed_wrap)
    return false;
  const unsigned other = spirv_integer(b->module, sum->word[4], &bits) ? 3 : 4;
  if (other == 4 && (sum->op == OpISub || !spirv_integer(b->module, sum->word[3], &bits)))
    return false;
  *rest = sum->word[other];
  *constant = wide ? (int32_t)(uint32_t)bits : (int64_t)bits;
  if (sum->op == OpISub)
    *constant = (int64_t)(0 - (uint64_t)*constant);
  return b->core->ids.part[*rest] != NULL;
}

static ir_ref wide_index(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  if (!type || type->kind != SPIRV_INT) {
    build_fail(b, "an index is not an integer");
    return build_64(b, 0);
  }
  const ir_ref index = build_extended(b, build_value(b, id), type->bits, true);
  return type->bits == 64 ? index : build_op(b, ISA_CVT_S64_S32, index, 0, 0);
}

static void step(struct build *b, struct chain *chain, uint32_t id, uint64_t size) {
  uint64_t bits = 0;
  uint32_t rest = id;
  int64_t constant = 0;
  const struct spirv_type *type = build_type(b, id);
  if (type && type->kind == SPIRV_INT && spirv_integer(b->module, id, &bits)) {
    const unsigned unused = 64u - type->bits;
    chain->bytes += (uint64_t)((int64_t)(bits << unused) >> unused) * size;
    return;
  }
  if (take_sum(b, id, &rest, &constant))
    chain->bytes += (uint64_t)constant * size;
  chain->pointer = build_index(b, chain->pointer, wide_index(b, rest), size);
}

/* Steps into a member or an element. */
static bool descend(struct build *b, struct chain *chain, uint32_t id) {
  const struct spirv_type *type = chain->type;
  uint64_t member = 0;
  switch ((enum spirv_type_kind)type->kind) {
  case SPIRV_STRUCT:
    if (!spirv_integer(b->module, id, &member) || member >= type->count)
      return build_fail(b, "a chain of indices names no member of its struct");
    chain->bytes += type->offset[member];
    chain->type = spirv_type(b->module, type->member[member]);
    return true;
  case SPIRV_ARRAY:
  case SPIRV_VECTOR: {
    const struct spirv_type *element = spirv_type(b->module, type->element);
    step(b, chain, id, element->size);
    chain->type = element;
    return !b->failed;
  }
  default:
    return build_fail(b, "a chain of indices goes into a scalar");
  }
}

bool lower_chain(struct build *b, const struct spirv_inst *inst) {
  const bool element = inst->op == OpPtrAccessChain || inst->op == OpInBoundsPtrAccessChain ||
                       inst->op == OpUntypedPtrAccessChainKHR || inst->op == OpUntypedInBoundsPtrAccessChainKHR;
  const unsigned base = spirv_chain_base(inst->op);
  struct chain chain = {.pointer = build_pointer(b, inst->word[base])};
  if (b->failed)
    return false;
  chain.type = spirv_type(b->module, base > 3 ? inst->word[3] : build_type(b, inst->word[3])->element);
  if (!chain.type)
    return core_misfit(b, inst);
  unsigned next = base + 1;
  if (element && inst->words > next)
    step(b, &chain, inst->word[next++], chain.type->size);
  for (; next < inst->words && !b->failed; next++)
    if (!descend(b, &chain, inst->word[next]))
      return false;
  return core_define_pointer(b, inst->word[2], build_offset(b, chain.pointer, chain.bytes));
}

/* ---- casts --------------------------------------------------------------------------------------- */

/* The pointer, or null if it does not point to that space: the result of to_local() and its relatives. */
static struct build_pointer explicit(struct build *b, struct build_pointer from, enum build_space space) {
  struct build_pointer to = {space, 0, (uint8_t)(1 << space | IN_NULL)};
  const bool offset = is_offset(space);
  const ir_ref null = null_in(b, space);
  if (from.space != SPACE_GENERIC) {
    to.address = from.space == space ? from.address : null;
    return to;
  }
  /* For a generic number: null is in no aperture, and must not count as global memory. */
  const uint64_t begin = space == SPACE_GLOBAL ? ISA_VARIABLE_BASE : aperture_of(space);
  const uint64_t size = space == SPACE_GLOBAL  ? 0 - begin
                        : space == SPACE_LOCAL ? ISA_PRIVATE_APERTURE - begin
                                               : ISA_CONSTANT_APERTURE - begin;
  const ir_ref above = build_op(b, ISA_SUB_64, from.address, build_64(b, begin), 0);
  const ir_ref inside = build_op(b, ISA_SETP_LT_U64, above, build_64(b, size), 0);
  to.address = build_select(b, inside, offset ? build_word(b, above, 0) : from.address, null);
  return to;
}

/* Whether the type is an integer vector as wide as a pointer, which OpBitcast accepts since SPIR-V 1.5. */
static bool is_pointer_wide(struct build *b, const struct spirv_type *type) {
  const struct spirv_type *scalar = build_scalar(b, type);
  return scalar && scalar->kind == SPIRV_INT && type->parts > 1 && type->parts * scalar->bits == 64;
}

/* As an integer, a pointer of any type is its generic number, because clang looks through casts. */
static bool to_integer(struct build *b, const struct spirv_inst *inst, uint32_t from) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  const bool vector = is_pointer_wide(b, type);
  if (!type || (type->kind != SPIRV_INT && !vector))
    return core_misfit(b, inst);
  const ir_ref number = build_generic(b, build_pointer(b, from));
  ir_ref *part = build_define(b, inst->word[2]), word[2];
  if (b->failed)
    return false;
  if (!vector) {
    *part = type->bits == 64 ? number : build_word(b, number, 0);
    return true;
  }
  build_to_words(b, &number, 1, 64, word);
  build_from_words(b, word, type->parts, build_scalar(b, type)->bits, false, part);
  return !b->failed;
}

/* The pointer's number from an integer or vector: 64 bits, or fewer for a narrower integer. */
static ir_ref number_of(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  if (!is_pointer_wide(b, type))
    return build_extended(b, build_value(b, id), type->bits, false);
  const ir_ref *part = build_parts(b, id);
  ir_ref word[2];
  if (!part)
    return 0;
  build_to_words(b, part, type->parts, build_scalar(b, type)->bits, word);
  return build_pair(b, word[0], word[1]);
}

static bool from_integer(struct build *b, const struct spirv_inst *inst, uint32_t from) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *integer = build_type(b, from);
  if (type && type->kind == SPIRV_INT && integer && integer->kind == SPIRV_INT && integer->bits == type->bits) {
    *build_define(b, inst->word[2]) = build_value(b, from); /* CLK_NULL_RESERVE_ID */
    return !b->failed;
  }
  const bool vector = is_pointer_wide(b, integer);
  if (!type || type->kind != SPIRV_POINTER || !integer || (integer->kind != SPIRV_INT && !vector))
    return core_misfit(b, inst);
  const ir_ref value = number_of(b, from);
  if (b->failed)
    return false;
  struct build_pointer pointer = core_maybe_plain(type, value);
  pointer.space = SPACE_GENERIC;
  if (!vector && integer->bits != 64)
    pointer.address = build_op(b, ISA_CVT_U64_U32, value, 0, 0);
  return core_define_pointer(b, inst->word[2], pointer);
}

/* Casts, and OpBitcast from or to a pointer. */
bool lower_pointer(struct build *b, const struct spirv_inst *inst) {
  const uint32_t from = inst->word[3];
  if (!core_is_pointer(b, from))
    return from_integer(b, inst, from);
  if (!core_is_pointer(b, inst->word[2]))
    return to_integer(b, inst, from);
  struct build_pointer pointer = build_pointer(b, from);
  if (b->failed)
    return false;
  if (inst->op == OpGenericCastToPtrExplicit)
    pointer = explicit(b, pointer, plain_space(build_type(b, inst->word[2])));
  return core_define_pointer(b, inst->word[2], pointer);
}

/* get_fence(): the bit of SPIR-V's memory semantics for the space that the pointer points to. */
bool lower_semantics(struct build *b, const struct spirv_inst *inst) {
  enum { LOCAL = 0x100, GLOBAL = 0x200 };
  const struct build_pointer from = build_pointer(b, inst->word[3]);
  if (b->failed)
    return false;
  const struct build_pointer local = explicit(b, from, SPACE_LOCAL);
  const ir_ref outside = build_op(b, ISA_SETP_EQ_U32, local.address, null_offset(b), 0);
  ir_ref semantics = build_select(b, outside, build_32(b, GLOBAL), build_32(b, LOCAL));
  if (from.space != SPACE_GENERIC)
    semantics = build_32(b, from.space == SPACE_LOCAL ? LOCAL : GLOBAL);
  *build_define(b, inst->word[2]) = semantics;
  return !b->failed;
}

/* ---- comparisons --------------------------------------------------------------------------------- */

/* Converts both to numbers of one width: 32 bits if they point to the same 32-bit space. */
static bool same_form(struct build *b, uint32_t left_id, uint32_t right_id, ir_ref form[2]) {
  const struct build_pointer left = build_pointer(b, left_id), right = build_pointer(b, right_id);
  const bool left_null = left.maybe == IN_NULL, right_null = right.maybe == IN_NULL;
  enum build_space space = left.space == right.space ? left.space : SPACE_GENERIC;
  if (left_null || right_null)
    space = left_null ? right.space : left.space;
  form[0] = core_convert(b, left, space);
  form[1] = core_convert(b, right, space);
  return is_offset(space);
}

static bool difference(struct build *b, const struct spirv_inst *inst, const ir_ref form[2], bool narrow) {
  const struct spirv_type *element = spirv_type(b->module, build_type(b, inst->word[3])->element);
  const struct spirv_type *type = build_type(b, inst->word[2]);
  if (!element || !element->size || type->kind != SPIRV_INT)
    return core_misfit(b, inst);
  ir_ref bytes = build_op(b, narrow ? ISA_SUB_32 : ISA_SUB_64, form[0], form[1], 0);
  if (narrow)
    bytes = build_op(b, ISA_CVT_S64_S32, bytes, 0, 0);
  const bool power = !(element->size & (element->size - 1));
  const ir_ref count = power ? build_op(b, ISA_SHR_S64, bytes, build_32(b, log2_of(element->size)), 0)
                             : build_op(b, ISA_DIV_S64, bytes, build_64(b, element->size), 0);
  *build_define(b, inst->word[2]) = type->bits == 64 ? count : build_word(b, count, 0);
  return !b->failed;
}

bool lower_pointer_compare(struct build *b, const struct spirv_inst *inst) {
  static const struct {
    uint16_t op;
    enum isa_op narrow, wide;
  } rows[] = {
      {OpPtrEqual, ISA_SETP_EQ_U32, ISA_SETP_EQ_U64},       {OpIEqual, ISA_SETP_EQ_U32, ISA_SETP_EQ_U64},
      {OpPtrNotEqual, ISA_SETP_NE_U32, ISA_SETP_NE_U64},    {OpINotEqual, ISA_SETP_NE_U32, ISA_SETP_NE_U64},
      {OpULessThan, ISA_SETP_LT_U32, ISA_SETP_LT_U64},      {OpUGreaterThan, ISA_SETP_GT_U32, ISA_SETP_GT_U64},
      {OpULessThanEqual, ISA_SETP_LE_U32, ISA_SETP_LE_U64}, {OpUGreaterThanEqual, ISA_SETP_GE_U32, ISA_SETP_GE_U64},
  };
  const struct spirv_type *type = build_type(b, inst->word[2]);
  ir_ref form[2];
  const bool narrow = same_form(b, inst->word[3], inst->word[4], form);
  if (b->failed || !type)
    return false;
  if (inst->op == OpPtrDiff)
    return difference(b, inst, form, narrow);
  for (size_t i = 0; i < sizeof rows / sizeof *rows && type->kind == SPIRV_BOOL; i++)
    if (rows[i].op == inst->op) {
      *build_define(b, inst->word[2]) = build_op(b, narrow ? rows[i].narrow : rows[i].wide, form[0], form[1], 0);
      return !b->failed;
    }
  return core_misfit(b, inst);
}
