/* Constants and variables at module scope. A scalar constant is folded when it is defined: to its bits, or, for an
 * address, to a variable and a byte offset. Initializers like &table[2].x arrive as OpSpecConstantOp of access chains
 * and bitcasts, and fold to such addresses. */
#include "opencl/spirv/spirv_reader.h"

#include <string.h>

/* A folded scalar: `value`, plus base's address if base is not 0. */
struct folded {
  uint32_t base;
  uint64_t value;
};

static bool is_scalar(const struct spirv_type *type) {
  return type->kind == SPIRV_BOOL || type->kind == SPIRV_INT || type->kind == SPIRV_FLOAT ||
         type->kind == SPIRV_POINTER;
}

static unsigned scalar_bits(const struct spirv_type *type) {
  return type->kind == SPIRV_BOOL ? 1 : type->kind == SPIRV_POINTER ? 64 : type->bits;
}

static uint64_t low_bits(uint64_t value, unsigned bits) {
  return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t sign_extended(uint64_t value, unsigned bits) {
  const uint64_t sign = UINT64_C(1) << (bits - 1);
  return (low_bits(value, bits) ^ sign) - sign;
}

bool reader_is_constant(uint16_t op) {
  switch (op) {
  case OpUndef:
  case OpConstantTrue:
  case OpConstantFalse:
  case OpConstant:
  case OpConstantComposite:
  case OpConstantSampler:
  case OpConstantNull:
  case OpConstantPipeStorage:
  case OpSpecConstantTrue:
  case OpSpecConstantFalse:
  case OpSpecConstant:
  case OpSpecConstantComposite:
  case OpSpecConstantOp:
  case OpConstantFunctionPointerINTEL:
    return true;
  default:
    return false;
  }
}

/* ---- OpSpecConstantOp ---------------------------------------------------------------------------- */

/* Operand `i` of the operation in the current OpSpecConstantOp, and its type. */
static const struct spirv_type *spec_operand(struct reader *r, uint32_t i, struct folded *value) {
  if (4 + i >= reader_words(r)) {
    reader_fail(r, "operands are missing");
    return NULL;
  }
  const uint32_t number = reader_word(r, 4 + i);
  const struct spirv_id *id = number < r->module->bound ? &r->module->id[number] : &(struct spirv_id){0};
  const struct spirv_type *type = spirv_type(r->module, id->type);
  if (id->kind == SPIRV_VARIABLE) {
    *value = (struct folded){number, 0};
    return type;
  }
  if (id->kind != SPIRV_CONSTANT || id->unfolded || !type || !is_scalar(type)) {
    reader_fail(r, "id %u is neither a scalar constant nor a variable", number);
    return NULL;
  }
  *value = (struct folded){id->base, id->value};
  return type;
}

static bool fail_operation(struct reader *r) {
  char room[32];
  return reader_fail(r, "%s is not folded here", spirv_op_name(reader_word(r, 3), room));
}

/* Follows an index into `type`: returns the element's type and adds its offset. */
static const struct spirv_type *step_into(struct reader *r, const struct spirv_type *type, struct folded index,
                                          unsigned index_bits, uint64_t *offset) {
  if (type->kind == SPIRV_STRUCT && index.value < type->count) {
    *offset += type->offset[index.value];
    return spirv_type(r->module, type->member[index.value]);
  }
  if (type->kind == SPIRV_ARRAY || type->kind == SPIRV_VECTOR) {
    const struct spirv_type *element = spirv_type(r->module, type->element);
    *offset += sign_extended(index.value, index_bits) * element->size;
    return element;
  }
  reader_fail(r, "an index leads outside its type");
  return NULL;
}

/* `element_index`: the first index counts whole objects of the type that the pointer points to. */
static bool fold_chain(struct reader *r, bool element_index, struct folded *result) {
  const uint32_t base = spirv_chain_base((uint16_t)reader_word(r, 3)) - 3u;
  const struct spirv_type *type = spec_operand(r, base, result);
  if (type && type->kind != SPIRV_POINTER)
    return reader_fail(r, "an access chain does not begin with a pointer");
  type = type ? spirv_type(r->module, base ? reader_word(r, 4) : type->element) : NULL;
  if (!type)
    return reader_fail(r, "an access chain into an unknown type");
  for (uint32_t i = base + 1; type && 4 + i < reader_words(r); i++) {
    struct folded index;
    const struct spirv_type *of = spec_operand(r, i, &index);
    if (!of || of->kind != SPIRV_INT || index.base)
      return of ? reader_fail(r, "an index is not an integer") : false;
    if (i == base + 1 && element_index)
      result->value += sign_extended(index.value, of->bits) * type->size;
    else
      type = step_into(r, type, index, of->bits, &result->value);
  }
  return type != NULL;
}

/* Sums and differences may include an address. */
static bool fold_sum(struct reader *r, bool minus, struct folded a, struct folded b, struct folded *result) {
  if (minus && a.base == b.base)
    *result = (struct folded){0, a.value - b.value};
  else if (!b.base)
    *result = (struct folded){a.base, minus ? a.value - b.value : a.value + b.value};
  else if (!a.base && !minus)
    *result = (struct folded){b.base, a.value + b.value};
  else
    return fail_operation(r);
  return true;
}

/* Folds two integers of `bits` bits, zero-extended. Division by zero and excessive shifts are undefined; they give
 * 0. */
static bool fold_integers(struct reader *r, unsigned bits, uint64_t a, uint64_t b, uint64_t *result) {
  const uint64_t sa = sign_extended(a, bits), sb = sign_extended(b, bits);
  const bool overflows = sb == UINT64_MAX && sa == (uint64_t)1 << 63;
  switch (reader_word(r, 3)) {
#define FOLD(op, expression)                                                                                           \
  case op:                                                                                                             \
    *result = (expression);                                                                                            \
    return true
    FOLD(OpIMul, a * b);
    FOLD(OpUDiv, b ? a / b : 0);
    FOLD(OpUMod, b ? a % b : 0);
    FOLD(OpSDiv, !b ? 0 : overflows ? sa : (uint64_t)((int64_t)sa / (int64_t)sb));
    FOLD(OpSRem, !b || overflows ? 0 : (uint64_t)((int64_t)sa % (int64_t)sb));
    FOLD(OpShiftLeftLogical, b < bits ? a << b : 0);
    FOLD(OpShiftRightLogical, b < bits ? a >> b : 0);
    FOLD(OpShiftRightArithmetic, b < bits ? (uint64_t)((int64_t)sa >> b) : 0);
    FOLD(OpBitwiseAnd, a & b);
    FOLD(OpBitwiseOr, a | b);
    FOLD(OpBitwiseXor, a ^ b);
    FOLD(OpLogicalAnd, a & b);
    FOLD(OpLogicalOr, a | b);
    FOLD(OpLogicalEqual, a == b);
    FOLD(OpLogicalNotEqual, a != b);
    FOLD(OpIEqual, a == b);
    FOLD(OpINotEqual, a != b);
    FOLD(OpULessThan, a < b);
    FOLD(OpULessThanEqual, a <= b);
    FOLD(OpUGreaterThan, a > b);
    FOLD(OpUGreaterThanEqual, a >= b);
    FOLD(OpSLessThan, (int64_t)sa < (int64_t)sb);
    FOLD(OpSLessThanEqual, (int64_t)sa <= (int64_t)sb);
    FOLD(OpSGreaterThan, (int64_t)sa > (int64_t)sb);
    FOLD(OpSGreaterThanEqual, (int64_t)sa >= (int64_t)sb);
#undef FOLD
  default:
    return fail_operation(r);
  }
}

static bool fold_two(struct reader *r, struct folded *result) {
  struct folded a, b;
  const struct spirv_type *type = spec_operand(r, 0, &a), *other = type ? spec_operand(r, 1, &b) : NULL;
  if (!other)
    return false;
  const uint32_t op = reader_word(r, 3);
  if (op == OpIAdd || op == OpISub)
    return fold_sum(r, op == OpISub, a, b, result);
  if (a.base || b.base || (type->kind != SPIRV_INT && type->kind != SPIRV_BOOL))
    return fail_operation(r);
  return fold_integers(r, scalar_bits(type), a.value, b.value, &result->value);
}

/* Casts keep the bits, truncated or sign-extended. An address can only be cast to 64 bits. */
static bool fold_cast(struct reader *r, const struct spirv_type *to, bool is_signed, struct folded *result) {
  const struct spirv_type *from = spec_operand(r, 0, result);
  if (!from)
    return false;
  if (result->base && scalar_bits(to) != 64)
    return fail_operation(r);
  if (is_signed)
    result->value = sign_extended(result->value, scalar_bits(from));
  return true;
}

static bool fold_one(struct reader *r, struct folded *result) {
  const struct spirv_type *type = spec_operand(r, 0, result);
  if (!type)
    return false;
  if (result->base)
    return fail_operation(r);
  result->value = reader_word(r, 3) == OpSNegate ? -result->value : ~result->value;
  return true;
}

static bool fold_select(struct reader *r, struct folded *result) {
  struct folded condition;
  return spec_operand(r, 0, &condition) && spec_operand(r, condition.value & 1 ? 1 : 2, result);
}

static bool fold(struct reader *r, const struct spirv_type *type, struct folded *result) {
  switch (reader_word(r, 3)) {
  case OpAccessChain:
  case OpInBoundsAccessChain:
  case OpUntypedAccessChainKHR:
  case OpUntypedInBoundsAccessChainKHR:
    return fold_chain(r, false, result);
  case OpPtrAccessChain:
  case OpInBoundsPtrAccessChain:
  case OpUntypedPtrAccessChainKHR:
  case OpUntypedInBoundsPtrAccessChainKHR:
    return fold_chain(r, true, result);
  case OpBitcast:
  case OpPtrCastToGeneric:
  case OpGenericCastToPtr:
  case OpConvertPtrToU:
  case OpConvertUToPtr:
  case OpUConvert:
    return fold_cast(r, type, false, result);
  case OpSConvert:
    return fold_cast(r, type, true, result);
  case OpSNegate:
  case OpNot:
  case OpLogicalNot:
    return fold_one(r, result);
  case OpSelect:
    return fold_select(r, result);
  default:
    return fold_two(r, result);
  }
}

/* Checks that the operation's id operands, according to its row, are constants defined before. */
static bool check_spec_operands(struct reader *r) {
  const struct spirv *module = r->module;
  const struct spirv_op_row *row = spirv_op_row(reader_word(r, 3));
  if (!row || row->operands[0] != 't')
    return reader_fail(r, "instruction %u is not an operation on constants", reader_word(r, 3));
  const bool typed = row->operands[2] == 't'; /* the type that a chain goes into */
  uint32_t position = 4 + typed;
  if (typed && (position > reader_words(r) || !reader_type(r, 4)))
    return reader_fail(r, "operands are missing");
  for (const char *letter = row->operands + 2 + typed; *letter == 'i' && position < reader_words(r); position++) {
    const uint32_t id = reader_word(r, position);
    if (id >= module->bound || (module->id[id].kind != SPIRV_CONSTANT && module->id[id].kind != SPIRV_VARIABLE))
      return reader_fail(r, "id %u is not a constant defined before", id);
    letter += letter[1] == '*' ? 0 : letter[1] == '?' ? 2 : 1;
  }
  return true;
}

/* A constant that cannot be folded is not an error yet: its number may never be needed. */
static bool read_spec_op(struct reader *r, const struct spirv_type *type, struct spirv_id *id) {
  struct folded result = {0, 0};
  if (!check_spec_operands(r))
    return false;
  id->unfolded = !is_scalar(type) || !fold(r, type, &result);
  r->error->text[0] = 0;
  if (id->unfolded)
    return true;
  id->base = result.base;
  id->value = low_bits(result.value, scalar_bits(type));
  return true;
}

/* ---- literals and composites --------------------------------------------------------------------- */

static bool read_literal(struct reader *r, const struct spirv_type *type, struct spirv_id *id) {
  if (type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT)
    return reader_fail(r, "a number must be an integer or a float");
  if (reader_words(r) != (type->bits == 64 ? 5u : 4u))
    return reader_fail(r, "%u bits do not fill %u words", type->bits, reader_words(r) - 3);
  const uint64_t high = type->bits == 64 ? reader_word(r, 4) : 0;
  id->value = low_bits(high << 32 | reader_word(r, 3), type->bits);
  return true;
}

/* Translators often duplicate types, so types only need to look alike. Equal depth keeps spirv_constant_bytes() from
 * recursing deeper than the type. */
static bool looks_like(const struct spirv_type *a, const struct spirv_type *b) {
  return a == b || (a->kind == b->kind && a->bits == b->bits && a->count == b->count && a->size == b->size &&
                    a->parts == b->parts && a->depth == b->depth);
}

static const struct spirv_type *member_type(const struct spirv *module, const struct spirv_type *type, uint32_t i) {
  return spirv_type(module, type->kind == SPIRV_STRUCT ? type->member[i] : type->element);
}

/* The cost of writing a constant's bytes. A null constant is cleared in one step. */
static uint32_t add_work(uint64_t work, uint64_t more) {
  return work + more > READER_MOST_WORK ? READER_MOST_WORK + 1 : (uint32_t)(work + more);
}

static bool read_composite(struct reader *r, const struct spirv_type *type, uint32_t result) {
  const struct spirv *module = r->module;
  if (type->kind != SPIRV_VECTOR && type->kind != SPIRV_ARRAY && type->kind != SPIRV_STRUCT)
    return reader_fail(r, "a composite of a type without parts");
  if (type->count != reader_words(r) - 3)
    return reader_fail(r, "%u parts, but its type has %u", reader_words(r) - 3, type->count);
  r->work[result] = 1;
  for (uint32_t i = 0; i < type->count; i++) {
    const uint32_t part = reader_word(r, 3 + i);
    const struct spirv_type *of = spirv_type_of(module, part), *wanted = member_type(module, type, i);
    const uint8_t kind = module->id[part].kind;
    if ((kind != SPIRV_CONSTANT && kind != SPIRV_VARIABLE) || !of)
      return reader_fail(r, "id %u is not a constant defined before", part);
    if (!looks_like(of, wanted))
      return reader_fail(r, "part %u is of another type", i);
    r->work[result] = add_work(r->work[result], r->work[part] + 1);
  }
  return r->work[result] <= READER_MOST_WORK || reader_fail(r, "a constant of more than 2^26 parts");
}

/* SPIR-V numbers addressing modes like isa/image.h. */
static bool read_sampler(struct reader *r, const struct spirv_type *type, struct spirv_id *id) {
  const uint32_t mode = reader_word(r, 3), normalized = reader_word(r, 4), filter = reader_word(r, 5);
  if (type->kind != SPIRV_SAMPLER)
    return reader_fail(r, "a sampler without a sampler type");
  if (mode >= ISA_IMAGE_ADDRESSES || normalized > 1 || filter > 1)
    return reader_fail(r, "a sampler with addressing mode %u, normalized %u, filter %u", mode, normalized, filter);
  id->value = isa_sampler(normalized, (enum isa_image_address)mode, filter);
  return true;
}

static bool read_value(struct reader *r, const struct spirv_type *type, uint32_t result) {
  struct spirv_id *id = &r->module->id[result];
  switch (reader_op(r)) {
  case OpConstantTrue:
  case OpSpecConstantTrue:
    id->value = 1;
    return true;
  case OpConstant:
  case OpSpecConstant:
    return read_literal(r, type, id);
  case OpConstantComposite:
  case OpSpecConstantComposite:
    return read_composite(r, type, result);
  case OpSpecConstantOp:
    return read_spec_op(r, type, id);
  case OpConstantSampler:
    return read_sampler(r, type, id);
  default: /* false, null, undefined: 0; pipe storage is refused where it is used */
    return true;
  }
}

bool reader_read_constant(struct reader *r) {
  const struct spirv_type *type = reader_type(r, 1);
  const uint32_t id = reader_word(r, 2);
  return type && read_value(r, type, id) &&
         reader_define(r, id, SPIRV_CONSTANT, reader_word(r, 1), reader_keep(r, (struct ir_place){0}));
}

/* ---- variables ----------------------------------------------------------------------------------- */

static bool check_initializer(struct reader *r, const struct spirv_type *pointer) {
  const uint32_t value = reader_word(r, 4);
  const struct spirv_type *type = spirv_type(r->module, pointer->element), *of = spirv_type_of(r->module, value);
  const uint8_t kind = r->module->id[value].kind;
  if ((kind != SPIRV_CONSTANT && kind != SPIRV_VARIABLE) || !of)
    return reader_fail(r, "the initializer, id %u, is not a constant", value);
  if (!looks_like(of, type))
    return reader_fail(r, "the initializer, id %u, has another type", value);
  r->total_work += r->work[value];
  return r->total_work <= READER_MOST_WORK || reader_fail(r, "initializers of more than 2^26 parts");
}

bool reader_read_variable(struct reader *r) {
  const struct spirv_type *type = reader_type(r, 1);
  if (!type)
    return false;
  if (type->kind != SPIRV_POINTER || !spirv_type(r->module, type->element))
    return reader_fail(r, "a variable's type must be a pointer to its contents");
  if (type->storage != reader_word(r, 3))
    return reader_fail(r, "storage class %u, but its type says %u", reader_word(r, 3), type->storage);
  return reader_define(r, reader_word(r, 2), SPIRV_VARIABLE, reader_word(r, 1), reader_keep(r, (struct ir_place){0})) &&
         (reader_words(r) < 5 || check_initializer(r, type));
}

/* ---- queries ------------------------------------------------------------------------------------- */

bool spirv_integer(const struct spirv *module, uint32_t id, uint64_t *value) {
  if (id >= module->bound || module->id[id].kind != SPIRV_CONSTANT || module->id[id].base || module->id[id].unfolded)
    return false;
  const struct spirv_type *type = spirv_type(module, module->id[id].type);
  if (type->kind != SPIRV_INT && type->kind != SPIRV_BOOL)
    return false;
  *value = module->id[id].value;
  return true;
}

struct writer {
  const struct spirv *module;
  uint64_t (*address)(void *context, uint32_t variable, uint64_t offset);
  void *context;
};

static bool write_constant(const struct writer *writer, uint32_t id, uint8_t *to);

static bool write_parts(const struct writer *writer, const struct spirv_inst *inst, const struct spirv_type *type,
                        uint8_t *to) {
  for (uint32_t i = 0; i < type->count; i++) {
    const uint64_t stride = member_type(writer->module, type, i)->size;
    if (!write_constant(writer, inst->word[3 + i], to + (type->kind == SPIRV_STRUCT ? type->offset[i] : i * stride)))
      return false;
  }
  return true;
}

/* `to` must be zeroed. */
static bool write_constant(const struct writer *writer, uint32_t id, uint8_t *to) {
  const struct spirv *module = writer->module;
  const struct spirv_id *row = &module->id[id];
  const struct spirv_type *type = spirv_type(module, row->type);
  const struct spirv_inst *inst = &module->inst[row->index];
  if (row->kind == SPIRV_CONSTANT && (inst->op == OpConstantComposite || inst->op == OpSpecConstantComposite))
    return write_parts(writer, inst, type, to);
  const uint32_t base = row->kind == SPIRV_VARIABLE ? id : row->base;
  const uint64_t value = base ? writer->address(writer->context, base, row->value) : row->value;
  const bool is_number = is_scalar(type) || type->kind == SPIRV_SAMPLER;
  for (unsigned byte = 0; is_number && byte < type->size; byte++)
    to[byte] = (uint8_t)(value >> 8 * byte);
  return (is_number && !row->unfolded) || inst->op == OpConstantNull || inst->op == OpUndef;
}

bool spirv_constant_bytes(const struct spirv *module, uint32_t id, uint8_t *to,
                          uint64_t (*address)(void *context, uint32_t variable, uint64_t offset), void *context) {
  const struct spirv_type *type = spirv_type_of(module, id);
  if (id >= module->bound || (module->id[id].kind != SPIRV_CONSTANT && module->id[id].kind != SPIRV_VARIABLE))
    return false;
  memset(to, 0, (size_t)type->size);
  return write_constant(&(struct writer){module, address, context}, id, to);
}
