/* Arithmetic, comparisons, conversions, selection, addresses, and parts of vectors and structs, as instructions and as
 * constant expressions.
 *
 * An integer of another width than 8, 16, 32 or 64 bits is in the next of these, with zeros above. Operations that care
 * about the bits above extend their operands first, those that may set them clear them afterwards. i1 is a bool. */
#include "opencl/llvm/ll.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/vector.h"

/* ---- widths -------------------------------------------------------------------------------------- */

static bool is_bool(const struct ll *ll, uint32_t type) {
  return ll_scalar(ll, type)->kind == LL_INT && ll_scalar(ll, type)->bits == 1;
}

/* Clears the bits above an integer. */
static uint32_t clear_above(struct ll *ll, uint32_t type, uint32_t id) {
  if (!ll_is_odd(ll, type))
    return id;
  return ll_make(ll, OpBitwiseAnd, ll_spirv_type(ll, type), id, ll_integer(ll, type, UINT64_MAX));
}

/* Fills the bits above an integer with its sign. */
static uint32_t extend_sign(struct ll *ll, uint32_t type, uint32_t id) {
  const unsigned bits = ll_scalar(ll, type)->bits, width = ll_width(bits);
  if (!ll_is_odd(ll, type))
    return id;
  const uint32_t written = ll_spirv_type(ll, type);
  const uint32_t by = ll_integer(ll, ll_like(ll, type, ll_int_type(ll, width)), width - bits);
  return ll_make(ll, OpShiftRightArithmetic, written, ll_make(ll, OpShiftLeftLogical, written, id, by), by);
}

uint32_t ll_select(struct ll *ll, uint32_t type, uint32_t condition, uint32_t yes, uint32_t no) {
  return ll_make(ll, OpSelect, ll_spirv_type(ll, type), condition, yes, no);
}

uint32_t ll_bool_to(struct ll *ll, uint32_t condition, uint32_t type, bool all_ones) {
  return ll_select(ll, type, condition, ll_integer(ll, type, all_ones ? UINT64_MAX : 1), ll_integer(ll, type, 0));
}

static uint32_t not(struct ll * ll, uint32_t type, uint32_t id) {
  return ll_make(ll, OpLogicalNot, ll_spirv_type(ll, type), id);
}

/* ---- bfloat --------------------------------------------------------------------------------------- */

bool ll_is_bfloat(const struct ll *ll, uint32_t type) { return ll_scalar(ll, type)->kind == LL_BFLOAT; }

static uint32_t floats(struct ll *ll, uint32_t type) { return ll_like(ll, type, ll_real_type(ll, 32)); }

uint32_t ll_widen(struct ll *ll, struct ll_value from) {
  const uint32_t word = ll_like(ll, from.type, ll_int_type(ll, 32)), written = ll_spirv_type(ll, word);
  const uint32_t low = ll_make(ll, OpUConvert, written, from.id);
  const uint32_t bits = ll_make(ll, OpShiftLeftLogical, written, low, ll_integer(ll, word, 16));
  return ll_make(ll, OpBitcast, ll_spirv_type(ll, floats(ll, from.type)), bits);
}

/* Rounds to the nearest, a tie to the even one; what is not a number stays so. */
uint32_t ll_narrow(struct ll *ll, uint32_t id, uint32_t to) {
  enum { BELOW_HALF = 0x7fff, QUIET = 0x40 };
  const uint32_t word = ll_like(ll, to, ll_int_type(ll, 32)), written = ll_spirv_type(ll, word),
                 boolean = ll_spirv_type(ll, ll_like(ll, to, ll_int_type(ll, 1))), by = ll_integer(ll, word, 16);
  const uint32_t bits = ll_make(ll, OpBitcast, written, id);
  const uint32_t high = ll_make(ll, OpShiftRightLogical, written, bits, by);
  const uint32_t odd = ll_make(ll, OpBitwiseAnd, written, high, ll_integer(ll, word, 1));
  const uint32_t more = ll_make(ll, OpIAdd, written, odd, ll_integer(ll, word, BELOW_HALF));
  const uint32_t rounded = ll_make(ll, OpShiftRightLogical, written, ll_make(ll, OpIAdd, written, bits, more), by);
  const uint32_t quiet = ll_make(ll, OpBitwiseOr, written, high, ll_integer(ll, word, QUIET));
  const uint32_t chosen = ll_select(ll, word, ll_make(ll, OpFUnordNotEqual, boolean, id, id), quiet, rounded);
  return ll_make(ll, OpUConvert, ll_spirv_type(ll, to), chosen);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static const struct binary {
  const char *word;
  uint16_t op, boolean; /* boolean: on i1 */
  bool is_signed;       /* operands need their sign above them */
  bool overflows;       /* the result may have bits above it */
} binaries[] = {
    {"add", OpIAdd, OpLogicalNotEqual, false, true},
    {"sub", OpISub, OpLogicalNotEqual, false, true},
    {"mul", OpIMul, OpLogicalAnd, false, true},
    {"and", OpBitwiseAnd, OpLogicalAnd, false, false},
    {"or", OpBitwiseOr, OpLogicalOr, false, false},
    {"xor", OpBitwiseXor, OpLogicalNotEqual, false, false},
    {"shl", OpShiftLeftLogical, 0, false, true},
    {"lshr", OpShiftRightLogical, 0, false, false},
    {"ashr", OpShiftRightArithmetic, 0, true, true},
    {"udiv", OpUDiv, 0, false, false},
    {"sdiv", OpSDiv, 0, true, true},
    {"urem", OpUMod, 0, false, false},
    {"srem", OpSRem, 0, true, true},
    {"fadd", OpFAdd, 0, false, false},
    {"fsub", OpFSub, 0, false, false},
    {"fmul", OpFMul, 0, false, false},
    {"fdiv", OpFDiv, 0, false, false},
    {"frem", OpFRem, 0, false, false},
};

static const struct binary *find_binary(const struct ll_token *op) {
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (ll_token_is(op, binaries[i].word))
      return &binaries[i];
  return NULL;
}

static uint32_t operate(struct ll *ll, const struct binary *row, uint32_t type, uint32_t a, uint32_t b) {
  const uint32_t written = ll_spirv_type(ll, type);
  if (ll_is_bfloat(ll, type)) {
    const uint32_t wide = ll_make(ll, row->op, ll_spirv_type(ll, floats(ll, type)), ll_widen(ll, ll_value(a, type)),
                                  ll_widen(ll, ll_value(b, type)));
    return ll_narrow(ll, wide, type);
  }
  if (is_bool(ll, type)) /* a shift or quotient by 1 is undefined, by 0 or of 1 it is the operand */
    return row->boolean ? ll_make(ll, row->boolean, written, a, b) : a;
  if (row->is_signed) {
    a = extend_sign(ll, type, a);
    b = row->op == OpShiftRightArithmetic ? b : extend_sign(ll, type, b);
  }
  const uint32_t id = ll_make(ll, row->op, written, a, b);
  return row->overflows ? clear_above(ll, type, id) : id;
}

uint32_t ll_binary(struct ll *ll, const char *op, uint32_t type, uint32_t a, uint32_t b) {
  const struct ll_token token = {LL_WORD, op, strlen(op), 0};
  return operate(ll, find_binary(&token), type, a, b);
}

/* ---- comparisons --------------------------------------------------------------------------------- */

static const struct comparison {
  const char *word;
  uint16_t integer, real; /* of icmp, of fcmp; 0: none */
  bool is_signed;
  uint8_t boolean; /* of i1, for a and b = 00, 01, 10, 11 from the lowest bit */
} comparisons[] = {
    {"eq", OpIEqual, 0, false, 0x9},
    {"ne", OpINotEqual, 0, false, 0x6},
    {"ult", OpULessThan, OpFUnordLessThan, false, 0x2},
    {"ule", OpULessThanEqual, OpFUnordLessThanEqual, false, 0xb},
    {"ugt", OpUGreaterThan, OpFUnordGreaterThan, false, 0x4},
    {"uge", OpUGreaterThanEqual, OpFUnordGreaterThanEqual, false, 0xd},
    {"slt", OpSLessThan, 0, true, 0x4},
    {"sle", OpSLessThanEqual, 0, true, 0xd},
    {"sgt", OpSGreaterThan, 0, true, 0x2},
    {"sge", OpSGreaterThanEqual, 0, true, 0xb},
    {"oeq", 0, OpFOrdEqual, false, 0},
    {"one", 0, OpFOrdNotEqual, false, 0},
    {"olt", 0, OpFOrdLessThan, false, 0},
    {"ole", 0, OpFOrdLessThanEqual, false, 0},
    {"ogt", 0, OpFOrdGreaterThan, false, 0},
    {"oge", 0, OpFOrdGreaterThanEqual, false, 0},
    {"ueq", 0, OpFUnordEqual, false, 0},
    {"une", 0, OpFUnordNotEqual, false, 0},
    {"ord", 0, OpOrdered, false, 0},
    {"uno", 0, OpUnordered, false, 0},
};

/* Of bools: eq and ne have instructions; the others are an AND or OR of one and the negation of the other. */
static uint32_t compare_bools(struct ll *ll, uint8_t table, uint32_t type, uint32_t a, uint32_t b) {
  const uint32_t written = ll_spirv_type(ll, type);
  switch (table) {
  case 0x9:
    return ll_make(ll, OpLogicalEqual, written, a, b);
  case 0x6:
    return ll_make(ll, OpLogicalNotEqual, written, a, b);
  case 0x2:
    return ll_make(ll, OpLogicalAnd, written, not(ll, type, a), b);
  case 0x4:
    return ll_make(ll, OpLogicalAnd, written, a, not(ll, type, b));
  case 0xb:
    return ll_make(ll, OpLogicalOr, written, not(ll, type, a), b);
  default:
    return ll_make(ll, OpLogicalOr, written, a, not(ll, type, b));
  }
}

static uint32_t compare(struct ll *ll, const struct comparison *row, uint32_t type, uint32_t a, uint32_t b) {
  const uint32_t boolean = ll_like(ll, type, ll_int_type(ll, 1)), written = ll_spirv_type(ll, boolean);
  const uint8_t kind = ll_scalar(ll, type)->kind;
  if (kind == LL_BFLOAT)
    return compare(ll, row, floats(ll, type), ll_widen(ll, ll_value(a, type)), ll_widen(ll, ll_value(b, type)));
  if (is_bool(ll, type))
    return compare_bools(ll, row->boolean, type, a, b);
  if (kind == LL_POINTER && row->integer == OpIEqual)
    return ll_make(ll, OpPtrEqual, written, a, b);
  if (kind == LL_POINTER && row->integer == OpINotEqual)
    return ll_make(ll, OpPtrNotEqual, written, a, b);
  if (row->is_signed) {
    a = extend_sign(ll, type, a);
    b = extend_sign(ll, type, b);
  }
  return ll_make(ll, kind == LL_REAL ? row->real : row->integer, written, a, b);
}

/* ---- conversions --------------------------------------------------------------------------------- */

static unsigned width_of(const struct ll *ll, uint32_t type) { return ll_width(ll_scalar(ll, type)->bits); }

static uint32_t from_bool(struct ll *ll, const char *op, uint32_t id, uint32_t to) {
  const bool minus = !strcmp(op, "sext") || !strcmp(op, "sitofp");
  if (ll_scalar(ll, to)->kind == LL_REAL)
    return ll_select(ll, to, id, ll_real(ll, to, minus ? -1 : 1), ll_real(ll, to, 0));
  return ll_bool_to(ll, id, to, minus);
}

/* The lowest bit decides. */
static uint32_t to_bool(struct ll *ll, struct ll_value from, uint32_t to) {
  const uint32_t bit = ll_make(ll, OpBitwiseAnd, ll_spirv_type(ll, from.type), from.id, ll_integer(ll, from.type, 1));
  return ll_make(ll, OpINotEqual, ll_spirv_type(ll, to), bit, ll_integer(ll, from.type, 0));
}

static uint32_t cast_pointer(struct ll *ll, struct ll_value from, uint32_t to) {
  const uint64_t here = ll_type(ll, from.type)->count, there = ll_type(ll, to)->count;
  if (here == there)
    return from.id;
  return ll_make(ll,
                 there == SPIRV_GENERIC  ? OpPtrCastToGeneric
                 : here == SPIRV_GENERIC ? OpGenericCastToPtr
                                         : OpBitcast,
                 ll_spirv_type(ll, to), from.id);
}

static uint32_t element_of(const struct ll *ll, uint32_t type) {
  return ll_type(ll, type)->kind == LL_VECTOR ? ll_type(ll, type)->element : type;
}

enum { REPACKED = 64 };

/* Elements that SPIR-V keeps in more bits than they have, such as <8 x i1>, do not lie beside each other. So all are
 * put into one number, the first in its lowest bits, and taken out again. */
static uint32_t repack(struct ll *ll, struct ll_value from, uint32_t to) {
  const uint32_t in = ll_scalar(ll, from.type)->bits, out = ll_scalar(ll, to)->bits, word = ll_int_type(ll, REPACKED),
                 inner = ll_int_type(ll, in), outer = ll_int_type(ll, out), written = ll_spirv_type(ll, word);
  uint32_t all = 0, part[REPACKED];
  for (uint32_t i = 0; i < ll_components(ll, from.type); i++) {
    const struct ll_value element = ll_value(ll_extract(ll, from, i), element_of(ll, from.type));
    uint32_t id = ll_convert(ll, "zext", ll_value(ll_convert(ll, "bitcast", element, inner), inner), word);
    if (i)
      id = ll_make(ll, OpBitwiseOr, written, all,
                   ll_make(ll, OpShiftLeftLogical, written, id, ll_integer(ll, word, i * in)));
    all = id;
  }
  for (uint32_t i = 0; i < ll_components(ll, to); i++) {
    const uint32_t low = i ? ll_make(ll, OpShiftRightLogical, written, all, ll_integer(ll, word, i * out)) : all;
    const struct ll_value bits = ll_value(ll_convert(ll, "trunc", ll_value(low, word), outer), outer);
    part[i] = ll_convert(ll, "bitcast", bits, element_of(ll, to));
  }
  return ll_components(ll, to) == 1
             ? part[0]
             : ll_make_words(ll, OpCompositeConstruct, ll_spirv_type(ll, to), part, ll_components(ll, to));
}

static bool is_repacked(const struct ll *ll, uint32_t from, uint32_t to) {
  const struct ll_type *in = ll_scalar(ll, from), *out = ll_scalar(ll, to);
  return in->bits && out->bits && in->kind != LL_POINTER && out->kind != LL_POINTER &&
         (uint64_t)in->bits * ll_components(ll, from) <= REPACKED &&
         (uint64_t)in->bits * ll_components(ll, from) == (uint64_t)out->bits * ll_components(ll, to) &&
         (!ll->folding || ll_components(ll, to) == 1);
}

static uint32_t bitcast(struct ll *ll, struct ll_value from, uint32_t to) {
  const uint32_t written = ll_spirv_type(ll, to);
  if (written == ll_spirv_type(ll, from.type))
    return from.id;
  if (ll_type(ll, from.type)->kind == LL_POINTER && ll_type(ll, to)->kind == LL_POINTER)
    return cast_pointer(ll, from, to);
  const bool odd = ll_is_odd(ll, from.type) || ll_is_odd(ll, to) || is_bool(ll, from.type) || is_bool(ll, to);
  if (odd && is_repacked(ll, from.type, to))
    return repack(ll, from, to);
  if (odd)
    return ll_unsupported(ll, to, "a bitcast from %u to %u bits", ll_scalar(ll, from.type)->bits,
                          ll_scalar(ll, to)->bits);
  return ll_make(ll, OpBitcast, written, from.id);
}

uint32_t ll_convert(struct ll *ll, const char *op, struct ll_value from, uint32_t to) {
  const uint32_t written = ll_spirv_type(ll, to);
  const bool same = width_of(ll, from.type) == width_of(ll, to);
  const bool is_signed = *op == 's'; /* sext, sitofp */
  if (!strcmp(op, "bitcast"))
    return bitcast(ll, from, to);
  if (ll_is_bfloat(ll, from.type)) {
    const struct ll_value wide = ll_value(ll_widen(ll, from), floats(ll, from.type));
    return ll_scalar(ll, to)->bits == 32 && ll_scalar(ll, to)->kind == LL_REAL ? wide.id : ll_convert(ll, op, wide, to);
  }
  if (ll_is_bfloat(ll, to)) {
    const uint32_t wide = floats(ll, to);
    const bool is_wide = ll_spirv_type(ll, from.type) == ll_spirv_type(ll, wide);
    return ll_narrow(ll, is_wide ? from.id : ll_convert(ll, op, from, wide), to);
  }
  if (!strcmp(op, "addrspacecast"))
    return cast_pointer(ll, from, to);
  if (!strcmp(op, "ptrtoint") || !strcmp(op, "ptrtoaddr")) {
    const uint32_t word = ll_int_type(ll, 64);
    const uint32_t number = ll_make(ll, OpConvertPtrToU, ll_spirv_type(ll, word), from.id);
    return ll_convert(ll, "trunc", ll_value(number, word), to);
  }
  if (!strcmp(op, "inttoptr"))
    return ll_make(ll, OpConvertUToPtr, written, from.id);
  if (is_bool(ll, from.type))
    return is_bool(ll, to) ? from.id : from_bool(ll, op, from.id, to);
  if (!strcmp(op, "fptrunc") || !strcmp(op, "fpext"))
    return ll_make(ll, OpFConvert, written, from.id);
  if (!strcmp(op, "fptoui") || !strcmp(op, "fptosi")) {
    const uint32_t wide = is_bool(ll, to) ? ll_like(ll, to, ll_int_type(ll, 8)) : to;
    const uint32_t id =
        ll_make(ll, !strcmp(op, "fptoui") ? OpConvertFToU : OpConvertFToS, ll_spirv_type(ll, wide), from.id);
    return is_bool(ll, to) ? to_bool(ll, ll_value(id, wide), to) : clear_above(ll, to, id);
  }
  if (is_bool(ll, to))
    return to_bool(ll, from, to);
  if (is_signed)
    from.id = extend_sign(ll, from.type, from.id);
  if (!strcmp(op, "uitofp") || !strcmp(op, "sitofp"))
    return ll_make(ll, is_signed ? OpConvertSToF : OpConvertUToF, written, from.id);
  const uint32_t id = same ? from.id : ll_make(ll, is_signed ? OpSConvert : OpUConvert, written, from.id);
  return !strcmp(op, "zext") ? id : clear_above(ll, to, id);
}

/* ---- vectors and structs ------------------------------------------------------------------------- */

uint32_t ll_extract(struct ll *ll, struct ll_value from, uint32_t index) {
  const struct ll_type *type = ll_type(ll, from.type);
  if (type->kind != LL_VECTOR || type->count == 1)
    return from.id;
  return ll_make(ll, OpCompositeExtract, ll_spirv_type(ll, type->element), from.id, index);
}

/* "type index": a constant or any value. */
static bool read_index(struct ll *ll, int64_t *constant, uint32_t *id) {
  const uint32_t type = ll_read_type(ll);
  const bool known = ll_peek_integer(ll, constant);
  *id = ll_read_value(ll, type);
  return known;
}

static struct ll_value read_extract(struct ll *ll) {
  const struct ll_value vector = ll_read_operand(ll);
  int64_t constant = 0;
  uint32_t index = 0;
  ll_expect(ll, ",");
  const bool known = read_index(ll, &constant, &index);
  if (ll_type(ll, vector.type)->kind != LL_VECTOR) {
    ll_fail(ll, "a vector is expected");
    return vector;
  }
  const uint32_t element = ll_type(ll, vector.type)->element;
  if (known || ll_type(ll, vector.type)->count == 1) {
    const bool inside = constant >= 0 && (uint64_t)constant < ll_type(ll, vector.type)->count;
    return ll_value(inside ? ll_extract(ll, vector, (uint32_t)constant) : ll_undef(ll, element), element);
  }
  return ll_value(ll_make(ll, OpVectorExtractDynamic, ll_spirv_type(ll, element), vector.id, index), element);
}

static struct ll_value read_insert(struct ll *ll) {
  struct ll_value vector = ll_read_operand(ll);
  int64_t constant = 0;
  uint32_t index = 0;
  ll_expect(ll, ",");
  const struct ll_value element = ll_read_operand(ll);
  ll_expect(ll, ",");
  const bool known = read_index(ll, &constant, &index);
  const struct ll_type *type = ll_type(ll, vector.type);
  if (type->kind != LL_VECTOR) {
    ll_fail(ll, "a vector is expected");
  } else if (type->count == 1) {
    vector.id = element.id;
  } else if (known) {
    if (constant >= 0 && (uint64_t)constant < type->count)
      vector.id =
          ll_make(ll, OpCompositeInsert, ll_spirv_type(ll, vector.type), element.id, vector.id, (uint32_t)constant);
  } else {
    vector.id = ll_make(ll, OpVectorInsertDynamic, ll_spirv_type(ll, vector.type), vector.id, element.id, index);
  }
  return vector;
}

#define ANY UINT32_MAX /* a component of a shuffle that may be anything, as in SPIR-V */

/* "<4 x i32> <i32 0, i32 poison, ...>", zeroinitializer, poison, splat (i32 1) */
static uint32_t read_mask(struct ll *ll, uint32_t mask[64]) {
  const uint32_t type = ll_read_type(ll);
  const uint32_t count = ll_type(ll, type)->kind == LL_VECTOR ? (uint32_t)ll_type(ll, type)->count : 0;
  int64_t value = 0;
  for (uint32_t i = 0; i < count; i++)
    mask[i] = ll_is(ll, "zeroinitializer") ? 0 : ANY;
  if (!count)
    ll_fail(ll, "a mask of components is expected");
  if (ll_take(ll, "splat")) {
    ll_expect(ll, "(");
    ll_read_type(ll);
    if (!ll_peek_integer(ll, &value))
      ll_fail(ll, "a number of a component is expected");
    for (uint32_t i = 0; i < count; i++)
      mask[i] = (uint32_t)value;
    ll_advance(ll);
    ll_expect(ll, ")");
    return count;
  }
  if (!ll_take(ll, "<")) {
    ll_advance(ll);
    return count;
  }
  for (uint32_t i = 0; i < count; i++) {
    ll_read_type(ll);
    mask[i] = ll_peek_integer(ll, &value) ? (uint32_t)value : ANY;
    ll_advance(ll);
    if (i + 1 < count)
      ll_expect(ll, ",");
  }
  ll_expect(ll, ">");
  return count;
}

/* Vectors of one component are scalars in SPIR-V, which OpVectorShuffle does not take. */
static struct ll_value read_shuffle(struct ll *ll) {
  uint32_t mask[64] = {0}, part[64];
  struct ll_value operand[2];
  ll_read_operands(ll, operand, 2);
  const struct ll_value a = operand[0], b = operand[1];
  ll_expect(ll, ",");
  const uint32_t count = read_mask(ll, mask), from = ll_components(ll, a.type);
  if (ll_type(ll, a.type)->kind != LL_VECTOR || ll->failed) {
    ll_fail(ll, "a vector is expected");
    return a;
  }
  const uint32_t element = ll_type(ll, a.type)->element, type = ll_vector_type(ll, element, count);
  const uint32_t written = ll_spirv_type(ll, type);
  for (uint32_t i = 0; i < count; i++)
    if (mask[i] != ANY && mask[i] >= 2 * from)
      ll_fail(ll, "component %u of two vectors of %u", mask[i], from);
  if (from > 1 && count > 1) {
    uint32_t words[66] = {a.id, b.id};
    memcpy(words + 2, mask, count * sizeof *mask);
    return ll_value(ll_make_words(ll, OpVectorShuffle, written, words, count + 2), type);
  }
  for (uint32_t i = 0; i < count; i++)
    part[i] = mask[i] == ANY   ? ll_undef(ll, element)
              : mask[i] < from ? ll_extract(ll, a, mask[i])
                               : ll_extract(ll, b, mask[i] - from);
  return ll_value(count == 1 ? part[0] : ll_make_words(ll, OpCompositeConstruct, written, part, count), type);
}

/* ", 0, 1": the path to a member, and its type. */
static uint32_t read_path(struct ll *ll, uint32_t type, uint32_t path[32], uint32_t *count) {
  *count = 0;
  while (*count < 32 && ll_take_comma(ll)) {
    uint64_t index;
    ll_take_number(ll, &index);
    const struct ll_type *t = ll_type(ll, type);
    if ((t->kind != LL_STRUCT && t->kind != LL_ARRAY) || index >= t->count) {
      ll_fail(ll, "an index leads outside its type");
      return type;
    }
    path[(*count)++] = (uint32_t)index;
    type = t->kind == LL_STRUCT ? t->member[index] : t->element;
  }
  return type;
}

static struct ll_value read_extract_value(struct ll *ll) {
  const struct ll_value from = ll_read_operand(ll);
  uint32_t words[33] = {from.id}, count;
  const uint32_t type = read_path(ll, from.type, words + 1, &count);
  return ll_value(ll_make_words(ll, OpCompositeExtract, ll_spirv_type(ll, type), words, count + 1), type);
}

static struct ll_value read_insert_value(struct ll *ll) {
  struct ll_value operand[2];
  ll_read_operands(ll, operand, 2);
  const struct ll_value into = operand[0], part = operand[1];
  uint32_t words[34] = {part.id, into.id}, count;
  read_path(ll, into.type, words + 2, &count);
  return ll_value(ll_make_words(ll, OpCompositeInsert, ll_spirv_type(ll, into.type), words, count + 2), into.type);
}

/* "inbounds nuw T, ptr %p, i64 %i, ..." */
static struct ll_value read_address(struct ll *ll, bool brackets) {
  uint32_t *word = NULL;
  size_t count = 0, room = 0;
  while (ll_is(ll, "inbounds") || ll_is(ll, "nusw") || ll_is(ll, "nuw") || ll_is(ll, "inrange")) {
    const bool range = ll_is(ll, "inrange"); /* inrange(-16, 16) */
    ll_advance(ll);
    if (range && ll_is(ll, "("))
      ll_skip_brackets(ll);
  }
  if (brackets)
    ll_expect(ll, "(");
  const uint32_t type = ll_read_type(ll);
  ll_expect(ll, ",");
  const struct ll_value base = ll_read_operand(ll);
  *vector_next(word, count, room) = ll_spirv_type(ll, type);
  *vector_next(word, count, room) = base.id;
  while (ll_take_comma(ll)) {
    ll_take(ll, "inrange");
    struct ll_value index = ll_read_operand(ll);
    index.id = extend_sign(ll, index.type, index.id);
    *vector_next(word, count, room) = index.id;
  }
  if (brackets)
    ll_expect(ll, ")");
  uint32_t id = base.id;
  if (ll_type(ll, base.type)->kind != LL_POINTER)
    ll_fail(ll, "an address is expected");
  else if (count > 2)
    id = ll_make_words(ll, OpUntypedPtrAccessChainKHR, ll_spirv_type(ll, base.type), word, count);
  free(word);
  return ll_value(id, base.type);
}

/* ---- reading ------------------------------------------------------------------------------------- */

unsigned ll_skip_flags(struct ll *ll) {
  static const char *const flags[] = {"nsw",  "nuw", "exact", "disjoint", "nneg", "samesign", "nnan",
                                      "ninf", "nsz", "arcp",  "contract", "afn",  "fast",     "reassoc"};
  unsigned found = 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags;)
    if (ll_take(ll, flags[i])) {
      found |= 1u << i;
      i = 0;
    } else {
      i++;
    }
  return found & 3;
}

/* "i32 %a, %b", or in constant expressions "(i32 1, i32 2)": two operands of one type. */
static void read_two(struct ll *ll, bool brackets, struct ll_value *a, struct ll_value *b) {
  if (brackets)
    ll_expect(ll, "(");
  *a = ll_read_operand(ll);
  ll_expect(ll, ",");
  *b = brackets ? ll_read_operand(ll) : ll_value(ll_read_value(ll, a->type), a->type);
  if (brackets)
    ll_expect(ll, ")");
}

static struct ll_value read_binary(struct ll *ll, const struct binary *row, bool brackets) {
  const unsigned wraps = ll_skip_flags(ll);
  struct ll_value a, b;
  read_two(ll, brackets, &a, &b);
  const uint32_t id = operate(ll, row, a.type, a.id, b.id);
  const bool wraps_in_spirv =
      row->op == OpIAdd || row->op == OpISub || row->op == OpIMul || row->op == OpShiftLeftLogical;
  if (wraps_in_spirv && !ll->folding && !is_bool(ll, a.type)) {
    if (wraps & 1)
      ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationNoSignedWrap);
    if (wraps & 2)
      ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationNoUnsignedWrap);
  }
  return ll_value(id, a.type);
}

static struct ll_value read_comparison(struct ll *ll, bool brackets) {
  char room[80];
  ll_skip_flags(ll);
  const struct ll_token word = ll->token;
  ll_advance(ll);
  struct ll_value a, b;
  read_two(ll, brackets, &a, &b);
  const uint32_t type = ll_like(ll, a.type, ll_int_type(ll, 1));
  const bool real = ll_scalar(ll, a.type)->kind == LL_REAL || ll_is_bfloat(ll, a.type);
  if (ll_token_is(&word, "true") || ll_token_is(&word, "false"))
    return ll_value(ll_integer(ll, type, ll_token_is(&word, "true")), type);
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (ll_token_is(&word, comparisons[i].word) && (real ? comparisons[i].real : comparisons[i].integer))
      return ll_value(compare(ll, &comparisons[i], a.type, a.id, b.id), type);
  ll_fail(ll, "comparison '%s' is unknown", ll_text(&word, room));
  return a;
}

static const char *find_conversion(const struct ll_token *op) {
  static const char *const words[] = {"trunc",    "zext",      "sext",    "fptrunc",      "fpext",
                                      "fptoui",   "fptosi",    "uitofp",  "sitofp",       "ptrtoint",
                                      "inttoptr", "ptrtoaddr", "bitcast", "addrspacecast"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ll_token_is(op, words[i]))
      return words[i];
  return NULL;
}

static struct ll_value read_conversion(struct ll *ll, const char *op, bool brackets) {
  ll_skip_flags(ll);
  if (brackets)
    ll_expect(ll, "(");
  const struct ll_value from = ll_read_operand(ll);
  ll_expect(ll, "to");
  const uint32_t to = ll_read_type(ll);
  if (brackets)
    ll_expect(ll, ")");
  if (ll_components(ll, from.type) != ll_components(ll, to) && strcmp(op, "bitcast")) {
    ll_fail(ll, "a conversion between vectors of different lengths");
    return from;
  }
  return ll_value(ll_convert(ll, op, from, to), to);
}

static struct ll_value read_select(struct ll *ll, bool brackets) {
  ll_skip_flags(ll);
  if (brackets)
    ll_expect(ll, "(");
  struct ll_value operand[3];
  ll_read_operands(ll, operand, 3);
  if (brackets)
    ll_expect(ll, ")");
  return ll_value(ll_select(ll, operand[1].type, operand[0].id, operand[1].id, operand[2].id), operand[1].type);
}

static bool read_number(struct ll *ll, const struct ll_token *op, bool brackets, struct ll_value *result) {
  const struct binary *binary = find_binary(op);
  const char *conversion = find_conversion(op);
  if (binary)
    *result = read_binary(ll, binary, brackets);
  else if (conversion)
    *result = read_conversion(ll, conversion, brackets);
  else if (ll_token_is(op, "icmp") || ll_token_is(op, "fcmp"))
    *result = read_comparison(ll, brackets);
  else if (ll_token_is(op, "select"))
    *result = read_select(ll, brackets);
  else if (ll_token_is(op, "getelementptr"))
    *result = read_address(ll, brackets);
  else
    return false;
  return true;
}

bool ll_read_number(struct ll *ll, const struct ll_token *op, struct ll_value *result) {
  if (read_number(ll, op, false, result))
    return true;
  if (ll_token_is(op, "fneg")) {
    ll_skip_flags(ll);
    *result = ll_read_operand(ll);
    const uint32_t written = ll_spirv_type(ll, result->type);
    result->id = ll_is_bfloat(ll, result->type)
                     ? ll_make(ll, OpBitwiseXor, written, result->id, ll_integer(ll, result->type, 0x8000))
                     : ll_make(ll, OpFNegate, written, result->id);
  } else if (ll_token_is(op, "freeze")) { /* registers always hold some number */
    *result = ll_read_operand(ll);
  } else if (ll_token_is(op, "extractelement")) {
    *result = read_extract(ll);
  } else if (ll_token_is(op, "insertelement")) {
    *result = read_insert(ll);
  } else if (ll_token_is(op, "shufflevector")) {
    *result = read_shuffle(ll);
  } else if (ll_token_is(op, "extractvalue")) {
    *result = read_extract_value(ll);
  } else if (ll_token_is(op, "insertvalue")) {
    *result = read_insert_value(ll);
  } else {
    return false;
  }
  return true;
}

bool ll_is_operation(const struct ll_token *word) {
  static const char *const others[] = {"icmp",         "fcmp",           "select",        "getelementptr",
                                       "fneg",         "extractelement", "insertelement", "shufflevector",
                                       "extractvalue", "insertvalue"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ll_token_is(word, others[i]))
      return true;
  return find_binary(word) || find_conversion(word);
}

uint32_t ll_read_expression(struct ll *ll, const struct ll_token *op, uint32_t type) {
  char room[80];
  struct ll_value result = ll_value(1, type);
  const bool folding = ll->folding;
  ll->folding = !ll->block || ll->in_phi;
  if (!read_number(ll, op, true, &result)) {
    if (ll_is(ll, "("))
      ll_skip_brackets(ll);
    result.id = ll_unsupported(ll, type, "'%s'", ll_text(op, room));
  }
  ll->folding = folding;
  return result.id;
}
