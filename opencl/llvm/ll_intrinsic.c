/* LLVM's own intrinsics. Those that have no type in their name, or one for each argument, are alike here. */
#include "opencl/llvm/ll.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef uint32_t expand(struct ll *ll, const struct ll_call *call);

/* ---- integers ------------------------------------------------------------------------------------ */

static uint32_t op2(struct ll *ll, const char *op, const struct ll_call *call) {
  return ll_binary(ll, op, call->argument[0].type, call->argument[0].id, call->argument[1].id);
}

static uint32_t make2(struct ll *ll, uint16_t op, uint32_t type, uint32_t a, uint32_t b) {
  return ll_make(ll, op, ll_spirv_type(ll, type), a, b);
}

static uint32_t swap_bytes(struct ll *ll, const struct ll_call *call) {
  const uint32_t type = call->argument[0].type, from = call->argument[0].id;
  const unsigned bits = ll_scalar(ll, type)->bits;
  uint32_t sum = 0;
  for (unsigned at = 0; at < bits; at += 8) {
    const unsigned to = bits - 8 - at;
    uint32_t byte = ll_binary(ll, "lshr", type, from, ll_integer(ll, type, at));
    byte = ll_binary(ll, "and", type, byte, ll_integer(ll, type, 0xff));
    byte = ll_binary(ll, "shl", type, byte, ll_integer(ll, type, to));
    sum = sum ? ll_binary(ll, "or", type, sum, byte) : byte;
  }
  return sum;
}

/* Of the 2n bits of a and b, those from the shift on: fshl the high n, fshr the low n. Shifts count modulo n. */
static uint32_t funnel(struct ll *ll, const struct ll_call *call, bool left) {
  const uint32_t type = call->argument[0].type;
  const uint32_t a = call->argument[0].id, b = call->argument[1].id;
  const unsigned bits = ll_scalar(ll, type)->bits;
  uint32_t by = ll_binary(ll, "urem", type, call->argument[2].id, ll_integer(ll, type, bits));
  if (a == b && bits == ll_width(bits)) {
    by = left ? by : ll_binary(ll, "sub", type, ll_integer(ll, type, bits), by);
    return ll_std(ll, LL_STD_rotate, type, 2, a, by);
  }
  const uint32_t rest = ll_binary(ll, "sub", type, ll_integer(ll, type, bits - 1), by);
  const uint32_t one = ll_integer(ll, type, 1);
  /* Shifting by one first makes a shift by all bits legal. Calls in turn: C leaves the order of arguments open. */
  const uint32_t near = ll_binary(ll, left ? "shl" : "lshr", type, left ? a : b, by);
  const uint32_t far = ll_binary(ll, left ? "lshr" : "shl", type, left ? b : a, one);
  return ll_binary(ll, "or", type, near, ll_binary(ll, left ? "lshr" : "shl", type, far, rest));
}

static uint32_t funnel_left(struct ll *ll, const struct ll_call *call) { return funnel(ll, call, true); }
static uint32_t funnel_right(struct ll *ll, const struct ll_call *call) { return funnel(ll, call, false); }

static uint32_t boolean_like(struct ll *ll, uint32_t type) { return ll_like(ll, type, ll_int_type(ll, 1)); }

static uint32_t pair(struct ll *ll, const struct ll_call *call, uint32_t value, uint32_t overflow) {
  return ll_make(ll, OpCompositeConstruct, ll_spirv_type(ll, call->result), value, overflow);
}

/* { sum, whether it has wrapped }. Signed: the operands have a sign that the sum has not. */
static uint32_t add_overflow(struct ll *ll, const struct ll_call *call, bool minus, bool is_signed) {
  const uint32_t type = call->argument[0].type, boolean = boolean_like(ll, type);
  const uint32_t a = call->argument[0].id, b = call->argument[1].id;
  const uint32_t value = op2(ll, minus ? "sub" : "add", call);
  if (!is_signed)
    return pair(ll, call, value,
                minus ? make2(ll, OpULessThan, boolean, a, b) : make2(ll, OpULessThan, boolean, value, a));
  const uint32_t left = ll_binary(ll, "xor", type, a, minus ? b : value);
  const uint32_t right = ll_binary(ll, "xor", type, minus ? a : b, value);
  const uint32_t both = ll_binary(ll, "and", type, left, right);
  return pair(ll, call, value, make2(ll, OpSLessThan, boolean, both, ll_integer(ll, type, 0)));
}

static uint32_t uadd_overflow(struct ll *ll, const struct ll_call *call) {
  return add_overflow(ll, call, false, false);
}
static uint32_t sadd_overflow(struct ll *ll, const struct ll_call *call) { return add_overflow(ll, call, false, true); }
static uint32_t usub_overflow(struct ll *ll, const struct ll_call *call) { return add_overflow(ll, call, true, false); }
static uint32_t ssub_overflow(struct ll *ll, const struct ll_call *call) { return add_overflow(ll, call, true, true); }

/* The high half of the product must be what the low half's sign extends to, or zero. */
static uint32_t mul_overflow(struct ll *ll, const struct ll_call *call, bool is_signed) {
  const uint32_t type = call->argument[0].type, boolean = boolean_like(ll, type);
  const uint32_t low = op2(ll, "mul", call);
  const uint32_t high =
      ll_std(ll, is_signed ? LL_STD_s_mul_hi : LL_STD_u_mul_hi, type, 2, call->argument[0].id, call->argument[1].id);
  const uint32_t top = ll_integer(ll, type, ll_scalar(ll, type)->bits - 1);
  const uint32_t wanted = is_signed ? ll_binary(ll, "ashr", type, low, top) : ll_integer(ll, type, 0);
  return pair(ll, call, low, make2(ll, OpINotEqual, boolean, high, wanted));
}

static uint32_t umul_overflow(struct ll *ll, const struct ll_call *call) { return mul_overflow(ll, call, false); }
static uint32_t smul_overflow(struct ll *ll, const struct ll_call *call) { return mul_overflow(ll, call, true); }

/* -1, 0 or 1 */
static uint32_t three_way(struct ll *ll, const struct ll_call *call, bool is_signed) {
  const uint32_t boolean = boolean_like(ll, call->argument[0].type);
  const uint32_t a = call->argument[0].id, b = call->argument[1].id;
  const uint32_t less = make2(ll, is_signed ? OpSLessThan : OpULessThan, boolean, a, b);
  const uint32_t more = make2(ll, is_signed ? OpSGreaterThan : OpUGreaterThan, boolean, a, b);
  return ll_select(ll, call->result, less, ll_integer(ll, call->result, UINT64_MAX),
                   ll_bool_to(ll, more, call->result, false));
}

static uint32_t signed_three_way(struct ll *ll, const struct ll_call *call) { return three_way(ll, call, true); }
static uint32_t unsigned_three_way(struct ll *ll, const struct ll_call *call) { return three_way(ll, call, false); }

/* ---- reals --------------------------------------------------------------------------------------- */

/* A NaN if one is. */
static uint32_t ieee_extreme(struct ll *ll, const struct ll_call *call, uint32_t instruction) {
  const uint32_t type = call->result, boolean = boolean_like(ll, type);
  const uint32_t a = call->argument[0].id, b = call->argument[1].id;
  const uint32_t nan = make2(ll, OpUnordered, boolean, a, b);
  const uint32_t sum = make2(ll, OpFAdd, type, a, b);
  return ll_select(ll, type, nan, sum, ll_std(ll, instruction, type, 2, a, b));
}

static uint32_t ieee_minimum(struct ll *ll, const struct ll_call *call) { return ieee_extreme(ll, call, LL_STD_fmin); }
static uint32_t ieee_maximum(struct ll *ll, const struct ll_call *call) { return ieee_extreme(ll, call, LL_STD_fmax); }

static uint32_t saturate(struct ll *ll, const struct ll_call *call, uint16_t op) {
  const uint32_t id = ll_make(ll, op, ll_spirv_type(ll, call->result), call->argument[0].id);
  if (ll_scalar(ll, call->result)->bits != ll_width(ll_scalar(ll, call->result)->bits))
    return ll_unsupported(ll, call->result, "%s", call->name);
  ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationSaturatedConversion);
  return id;
}

static uint32_t saturate_signed(struct ll *ll, const struct ll_call *call) { return saturate(ll, call, OpConvertFToS); }
static uint32_t saturate_unsigned(struct ll *ll, const struct ll_call *call) {
  return saturate(ll, call, OpConvertFToU);
}

/* ---- vectors ------------------------------------------------------------------------------------- */

/* llvm.vector.reduce.add(<4 x i32>), and .fadd(start, vector). */
static uint32_t reduce(struct ll *ll, const struct ll_call *call) {
  static const struct {
    const char *word, *op;
    uint32_t instruction;
  } rows[] = {{"fadd", "fadd", 0},
              {"fmul", "fmul", 0},
              {"add", "add", 0},
              {"mul", "mul", 0},
              {"and", "and", 0},
              {"or", "or", 0},
              {"xor", "xor", 0},
              {"smax", NULL, LL_STD_s_max},
              {"smin", NULL, LL_STD_s_min},
              {"umax", NULL, LL_STD_u_max},
              {"umin", NULL, LL_STD_u_min},
              {"fmax", NULL, LL_STD_fmax},
              {"fmin", NULL, LL_STD_fmin}};
  const char *word = call->name + strlen("llvm.vector.reduce.");
  const struct ll_value vector = call->argument[call->count - 1];
  uint32_t sum = call->count > 1 ? call->argument[0].id : 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strncmp(word, rows[i].word, strlen(rows[i].word)) || word[strlen(rows[i].word)] != '.')
      continue;
    for (uint32_t k = 0; k < ll_components(ll, vector.type); k++) {
      const uint32_t part = ll_extract(ll, vector, k);
      sum = !sum         ? part
            : rows[i].op ? ll_binary(ll, rows[i].op, call->result, sum, part)
                         : ll_std(ll, rows[i].instruction, call->result, 2, sum, part);
    }
    return sum;
  }
  return ll_unsupported(ll, call->result, "%s", call->name);
}

/* ---- memory -------------------------------------------------------------------------------------- */

enum { MOST_STORED = 256 }; /* bytes of memset that become stores; more become a copy */

/* The least alignment that both arguments have. */
static uint32_t both_aligned(const struct ll_value *a, const struct ll_value *b) {
  const uint32_t left = a->align ? a->align : 1, right = b->align ? b->align : 1;
  return left < right ? left : right;
}

static uint32_t copy(struct ll *ll, const struct ll_call *call) {
  const struct ll_value *a = call->argument;
  ll_emit(ll, LL_CODE, OpCopyMemorySized, a[0].id, a[1].id, a[2].id, MemoryAccessAligned, both_aligned(&a[0], &a[1]));
  return 0;
}

static uint32_t bytes_type(struct ll *ll, uint64_t count) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_ARRAY, .element = ll_int_type(ll, 8), .count = count});
}

/* Memory may overlap, so all is read before anything is written. */
static uint32_t move(struct ll *ll, const struct ll_call *call) {
  const struct ll_value *a = call->argument;
  uint64_t size;
  if (!ll_constant_value(ll, a[2].id, &size) || size > SPIRV_MOST_PARTS)
    return ll_unsupported(ll, call->result, "a move of more than %d bytes, or of an unknown number", SPIRV_MOST_PARTS);
  if (!size)
    return 0;
  const uint32_t type = ll_spirv_type(ll, bytes_type(ll, size));
  const uint32_t value = ll_make(ll, OpLoad, type, a[1].id, MemoryAccessAligned, a[1].align ? a[1].align : 1);
  ll_emit(ll, LL_CODE, OpStore, a[0].id, value, MemoryAccessAligned, a[0].align ? a[0].align : 1);
  return 0;
}

static uint32_t set(struct ll *ll, const struct ll_call *call) {
  const struct ll_value *a = call->argument;
  uint64_t size, byte = 0;
  const uint32_t align = a[0].align ? a[0].align : 1;
  const bool known = ll_constant_value(ll, a[1].id, &byte);
  if (!ll_constant_value(ll, a[2].id, &size) || (!known && size > MOST_STORED))
    return ll_unsupported(ll, call->result, "memset with a size or value that the program computes");
  if (!size)
    return 0;
  const uint32_t type = bytes_type(ll, size), written = ll_spirv_type(ll, type);
  if (size > MOST_STORED && byte)
    return ll_unsupported(ll, call->result, "memset of more than %d bytes to another value than 0", MOST_STORED);
  if (size > MOST_STORED) {
    const uint32_t pointer = ll_typed_pointer(ll, SPIRV_UNIFORM_CONSTANT, written), zeros = ll_null(ll, type);
    const uint32_t variable = ll_id(ll);
    ll_emit(ll, LL_DEFINITIONS, OpVariable, pointer, variable, SPIRV_UNIFORM_CONSTANT, zeros);
    ll_emit(ll, LL_CODE, OpCopyMemorySized, a[0].id, variable, a[2].id, MemoryAccessAligned, align);
    return 0;
  }
  uint32_t words[MOST_STORED], value;
  for (uint64_t i = 0; i < size; i++)
    words[i] = a[1].id;
  value = known && !byte ? ll_null(ll, type) : ll_make_words(ll, OpCompositeConstruct, written, words, (size_t)size);
  ll_emit(ll, LL_CODE, OpStore, a[0].id, value, MemoryAccessAligned, align);
  return 0;
}

static uint32_t first(struct ll *ll, const struct ll_call *call) {
  (void)ll;
  return call->argument[0].id;
}

static uint32_t nothing(struct ll *ll, const struct ll_call *call) {
  return ll_type(ll, call->result)->kind == LL_VOID ? 0 : ll_undef(ll, call->result);
}

static uint32_t clock(struct ll *ll, const struct ll_call *call) {
  return ll_make(ll, OpReadClockKHR, ll_spirv_type(ll, call->result), ll_word(ll, ScopeSubgroup));
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* By name without "llvm." and types; `arguments` of them count. Either an instruction of OpenCL.std, an opcode, or an
 * expansion. */
static const struct row {
  const char *name;
  uint8_t arguments;
  uint8_t std;
  uint16_t op;
  expand *expand;
} rows[] = {
    {"fabs", 1, LL_STD_fabs, 0, 0},
    {"sqrt", 1, LL_STD_sqrt, 0, 0},
    {"floor", 1, LL_STD_floor, 0, 0},
    {"ceil", 1, LL_STD_ceil, 0, 0},
    {"trunc", 1, LL_STD_trunc, 0, 0},
    {"rint", 1, LL_STD_rint, 0, 0},
    {"nearbyint", 1, LL_STD_rint, 0, 0},
    {"roundeven", 1, LL_STD_rint, 0, 0},
    {"round", 1, LL_STD_round, 0, 0},
    {"copysign", 2, LL_STD_copysign, 0, 0},
    {"minnum", 2, LL_STD_fmin, 0, 0},
    {"maxnum", 2, LL_STD_fmax, 0, 0},
    {"minimumnum", 2, LL_STD_fmin, 0, 0},
    {"maximumnum", 2, LL_STD_fmax, 0, 0},
    {"minimum", 2, 0, 0, ieee_minimum},
    {"maximum", 2, 0, 0, ieee_maximum},
    {"fma", 3, LL_STD_fma, 0, 0},
    {"fmuladd", 3, LL_STD_mad, 0, 0},
    {"pow", 2, LL_STD_pow, 0, 0},
    {"powi", 2, LL_STD_pown, 0, 0},
    {"ldexp", 2, LL_STD_ldexp, 0, 0},
    {"sin", 1, LL_STD_sin, 0, 0},
    {"cos", 1, LL_STD_cos, 0, 0},
    {"tan", 1, LL_STD_tan, 0, 0},
    {"exp", 1, LL_STD_exp, 0, 0},
    {"exp2", 1, LL_STD_exp2, 0, 0},
    {"exp10", 1, LL_STD_exp10, 0, 0},
    {"log", 1, LL_STD_log, 0, 0},
    {"log2", 1, LL_STD_log2, 0, 0},
    {"log10", 1, LL_STD_log10, 0, 0},
    {"canonicalize", 1, 0, OpCopyObject, 0},
    {"fptosi.sat", 1, 0, 0, saturate_signed},
    {"fptoui.sat", 1, 0, 0, saturate_unsigned},
    {"smax", 2, LL_STD_s_max, 0, 0},
    {"smin", 2, LL_STD_s_min, 0, 0},
    {"umax", 2, LL_STD_u_max, 0, 0},
    {"umin", 2, LL_STD_u_min, 0, 0},
    {"sadd.sat", 2, LL_STD_s_add_sat, 0, 0},
    {"uadd.sat", 2, LL_STD_u_add_sat, 0, 0},
    {"ssub.sat", 2, LL_STD_s_sub_sat, 0, 0},
    {"usub.sat", 2, LL_STD_u_sub_sat, 0, 0},
    {"abs", 1, LL_STD_s_abs, 0, 0},
    {"ctlz", 1, LL_STD_clz, 0, 0},
    {"cttz", 1, LL_STD_ctz, 0, 0},
    {"ctpop", 1, LL_STD_popcount, 0, 0},
    {"bitreverse", 1, 0, OpBitReverse, 0},
    {"bswap", 1, 0, 0, swap_bytes},
    {"fshl", 3, 0, 0, funnel_left},
    {"fshr", 3, 0, 0, funnel_right},
    {"uadd.with.overflow", 2, 0, 0, uadd_overflow},
    {"sadd.with.overflow", 2, 0, 0, sadd_overflow},
    {"usub.with.overflow", 2, 0, 0, usub_overflow},
    {"ssub.with.overflow", 2, 0, 0, ssub_overflow},
    {"umul.with.overflow", 2, 0, 0, umul_overflow},
    {"smul.with.overflow", 2, 0, 0, smul_overflow},
    {"scmp", 2, 0, 0, signed_three_way},
    {"ucmp", 2, 0, 0, unsigned_three_way},
    {"memcpy", 3, 0, 0, copy},
    {"memcpy.inline", 3, 0, 0, copy},
    {"memmove", 3, 0, 0, move},
    {"memset", 3, 0, 0, set},
    {"memset.inline", 3, 0, 0, set},
    {"expect", 1, 0, 0, first},
    {"expect.with.probability", 1, 0, 0, first},
    {"arithmetic.fence", 1, 0, 0, first},
    {"ssa.copy", 1, 0, 0, first},
    {"launder.invariant.group", 1, 0, 0, first},
    {"strip.invariant.group", 1, 0, 0, first},
    {"ptr.annotation", 1, 0, 0, first},
    {"annotation", 1, 0, 0, first},
    {"stacksave", 0, 0, 0, nothing},
    {"trap", 0, 0, 0, nothing},
    {"debugtrap", 0, 0, 0, nothing},
    {"readcyclecounter", 0, 0, 0, clock},
    {"readsteadycounter", 0, 0, 0, clock},
};

/* "v4f32", "i64", "p0", "p1i8" */
static bool is_type(const char *word, size_t length) {
  const char *end = word + length;
  if (length && *word == 'v')
    for (word++; word < end && isdigit((unsigned char)*word); word++)
      ;
  if (word < end && *word == 'b')
    word++;
  if (end - word < 2 || !strchr("ifp", *word))
    return false;
  return isdigit((unsigned char)word[1]);
}

static size_t without_types(const char *name) {
  size_t length = strlen(name);
  for (size_t at = length; at-- > 0;) {
    if (name[at] != '.')
      continue;
    if (!is_type(name + at + 1, length - at - 1))
      break;
    length = at;
  }
  return length;
}

bool ll_call_intrinsic(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  const char *name = call->name + strlen("llvm.");
  const size_t length = without_types(name);
  const struct ll_value *a = call->argument;
  if (!strncmp(name, "vector.reduce.", 14) && call->count) {
    *id = reduce(ll, call);
    return true;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *row = &rows[i];
    if (strlen(row->name) != length || memcmp(row->name, name, length) || call->count < row->arguments)
      continue;
    const bool odd = call->count && ll_scalar(ll, a[0].type)->kind == LL_INT &&
                     ll_scalar(ll, a[0].type)->bits != ll_width(ll_scalar(ll, a[0].type)->bits);
    if (odd && !(row->expand == set || row->expand == first))
      return false;
    if (row->expand)
      *id = row->expand(ll, call);
    else if (row->op)
      *id = ll_make(ll, row->op, ll_spirv_type(ll, call->result), a[0].id);
    else
      *id = ll_std(ll, row->std, call->result, row->arguments, a[0].id, row->arguments > 1 ? a[1].id : 0,
                   row->arguments > 2 ? a[2].id : 0);
    return true;
  }
  return false;
}
