/* Intervals through one operation, computed in 128 bits. A result that may wrap is unbounded. */
#include "opencl/passes/range.h"

__extension__ typedef __int128 wide;

static const struct range nothing = {1, 0, 1, 0};

#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))

struct range range_full(unsigned bits) {
  const int64_t most = (int64_t)(kind_mask(bits) >> 1);
  return (struct range){0, kind_mask(bits), -most - 1, most};
}

bool range_is_unsigned(struct range range, unsigned bits) { return range.high <= kind_mask(bits); }

bool range_is_signed(struct range range, unsigned bits) {
  const struct range full = range_full(bits);
  return range.least >= full.least && range.most <= full.most;
}

/* Where the sign is known, each reading narrows the other. */
static struct range agreed(struct range range, unsigned bits) {
  const struct range full = range_full(bits);
  if (range.high <= (uint64_t)full.most) {
    range.least = (int64_t)range.low > range.least ? (int64_t)range.low : range.least;
    range.most = (int64_t)range.high < range.most ? (int64_t)range.high : range.most;
  }
  if (range.least >= 0) {
    range.low = (uint64_t)range.least > range.low ? (uint64_t)range.least : range.low;
    range.high = (uint64_t)range.most < range.high ? (uint64_t)range.most : range.high;
  }
  if (range.most < 0) {
    const uint64_t low = (uint64_t)range.least & kind_mask(bits), high = (uint64_t)range.most & kind_mask(bits);
    range.low = low > range.low ? low : range.low;
    range.high = high < range.high ? high : range.high;
  }
  return range_empty(range) || range.least > range.most ? full : range;
}

static struct range of_unsigned(uint64_t low, uint64_t high, unsigned bits) {
  struct range range = range_full(bits);
  range.low = low;
  range.high = high;
  return agreed(range, bits);
}

static struct range of_signed(int64_t least, int64_t most, unsigned bits) {
  struct range range = range_full(bits);
  range.least = least;
  range.most = most;
  return agreed(range, bits);
}

struct range range_const(uint64_t value, unsigned bits) {
  const int64_t sign = kind_signed(value, bits);
  return (struct range){value, value, sign, sign};
}

struct range range_hull(struct range a, struct range b) {
  if (range_empty(a))
    return b;
  if (range_empty(b))
    return a;
  return (struct range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                        a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

/* The intersection. If it is empty, this place is never reached, and the first interval will do. */
struct range range_meet(struct range a, struct range b) {
  const struct range range = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high,
                              a.least > b.least ? a.least : b.least, a.most < b.most ? a.most : b.most};
  return range_empty(range) || range.least > range.most ? a : range;
}

/* Wraps the exact results, [low, high] as unsigned and [least, most] as signed. */
static struct range wrapped(wide low, wide high, wide least, wide most, unsigned bits) {
  struct range range = range_full(bits);
  const wide size = (wide)kind_mask(bits) + 1;
  if (low >= 0 && high < size) {
    range.low = (uint64_t)low;
    range.high = (uint64_t)high;
  } else if (low >= -size && high < 0) {
    range.low = (uint64_t)(low + size);
    range.high = (uint64_t)(high + size);
  } else if (low >= size && high < 2 * size) {
    range.low = (uint64_t)(low - size);
    range.high = (uint64_t)(high - size);
  }
  if (least >= range.least && most <= range.most) {
    range.least = (int64_t)least;
    range.most = (int64_t)most;
  }
  return agreed(range, bits);
}

static struct range multiply(struct range a, struct range b, unsigned bits) {
  const wide corner[] = {(wide)a.least * b.least, (wide)a.least * b.most, (wide)a.most * b.least,
                         (wide)a.most * b.most};
  wide least = corner[0], most = corner[0];
  for (int i = 1; i < 4; i++) {
    least = corner[i] < least ? corner[i] : least;
    most = corner[i] > most ? corner[i] : most;
  }
  uint64_t high;
  const bool over = __builtin_mul_overflow(a.high, b.high, &high);
  const wide low = (wide)(a.low * b.low);
  return over ? wrapped(-1, 0, least, most, bits) : wrapped(low, (wide)high, least, most, bits);
}

static uint64_t ones_over(uint64_t value) { return value ? UINT64_MAX >> __builtin_clzll(value) : 0; }

static struct range divided(enum kind kind, struct range a, struct range b, unsigned bits) {
  if (kind == KIND_DIV_U)
    return b.low ? of_unsigned(a.low / b.high, a.high / b.low, bits) : range_full(bits);
  if (b.least < 1)
    return range_full(bits);
  return of_signed(a.least < 0 ? a.least / b.least : a.least / b.most, a.most < 0 ? a.most / b.most : a.most / b.least,
                   bits);
}

static struct range rest(enum kind kind, struct range a, struct range b, unsigned bits) {
  if (kind == KIND_REM_U)
    return of_unsigned(0, b.low ? LESS(a.high, b.high - 1) : a.high, bits);
  if (b.least < 1)
    return range_full(bits);
  const int64_t most = b.most - 1;
  return of_signed(LESS(0, MORE(a.least, -most)), MORE(0, LESS(a.most, most)), bits);
}

static struct range shifted(enum kind kind, struct range a, struct range by, unsigned bits) {
  if (by.high >= bits)
    return range_full(bits);
  if (kind == KIND_SHR_U)
    return of_unsigned(a.low >> by.high, a.high >> by.low, bits);
  if (kind == KIND_SHR_S)
    return of_signed(a.least >> (a.least < 0 ? by.low : by.high), a.most >> (a.most < 0 ? by.high : by.low), bits);
  if (by.low != by.high || by.low >= bits - 1)
    return range_full(bits);
  return multiply(a, range_const(UINT64_C(1) << by.low, bits), bits);
}

static struct range extreme(enum kind kind, struct range a, struct range b, unsigned bits) {
  switch (kind) {
  case KIND_MIN_S:
    return of_signed(LESS(a.least, b.least), LESS(a.most, b.most), bits);
  case KIND_MAX_S:
    return of_signed(MORE(a.least, b.least), MORE(a.most, b.most), bits);
  case KIND_MIN_U:
    return of_unsigned(LESS(a.low, b.low), LESS(a.high, b.high), bits);
  default:
    return of_unsigned(MORE(a.low, b.low), MORE(a.high, b.high), bits);
  }
}

struct range range_binary(enum kind kind, unsigned bits, struct range a, struct range b) {
  if (range_empty(a) || range_empty(b))
    return nothing;
  switch (kind) {
  case KIND_ADD:
    return wrapped((wide)a.low + b.low, (wide)a.high + b.high, (wide)a.least + b.least, (wide)a.most + b.most, bits);
  case KIND_SUB:
    return wrapped((wide)a.low - b.high, (wide)a.high - b.low, (wide)a.least - b.most, (wide)a.most - b.least, bits);
  case KIND_MUL:
    return multiply(a, b, bits);
  case KIND_AND:
    return of_unsigned(0, a.high < b.high ? a.high : b.high, bits);
  case KIND_OR:
    return of_unsigned(a.low > b.low ? a.low : b.low, ones_over(a.high | b.high), bits);
  case KIND_XOR:
    return of_unsigned(0, ones_over(a.high | b.high), bits);
  case KIND_SHL:
  case KIND_SHR_U:
  case KIND_SHR_S:
    return shifted(kind, a, b, bits);
  case KIND_DIV_S:
  case KIND_DIV_U:
    return divided(kind, a, b, bits);
  case KIND_REM_S:
  case KIND_REM_U:
    return rest(kind, a, b, bits);
  case KIND_MIN_S:
  case KIND_MIN_U:
  case KIND_MAX_S:
  case KIND_MAX_U:
    return extreme(kind, a, b, bits);
  default:
    return range_full(bits);
  }
}

int range_compare(enum kind kind, struct range a, struct range b) {
  if (range_empty(a) || range_empty(b))
    return -1;
  switch (kind) {
  case KIND_EQ_U:
  case KIND_NE_U:
    if (a.high < b.low || b.high < a.low || a.most < b.least || b.most < a.least)
      return kind == KIND_NE_U;
    return a.low == a.high && b.low == b.high ? kind == KIND_EQ_U : -1;
  case KIND_LT_U:
    return a.high < b.low ? 1 : a.low >= b.high ? 0 : -1;
  case KIND_LE_U:
    return a.high <= b.low ? 1 : a.low > b.high ? 0 : -1;
  case KIND_LT_S:
    return a.most < b.least ? 1 : a.least >= b.most ? 0 : -1;
  case KIND_LE_S:
    return a.most <= b.least ? 1 : a.least > b.most ? 0 : -1;
  case KIND_GT_U:
  case KIND_GE_U:
  case KIND_GT_S:
  case KIND_GE_S:
    return range_compare(kind_swapped(kind), b, a);
  default:
    return -1;
  }
}

/* ---- operations outside kinds.def ------------------------------------------------------------------- */

static const struct {
  uint16_t op;
  int64_t least, most;
} bounds[] = {
    /* clang-format off */
    {ISA_CVT_U32_P, 0, 1},
    {ISA_POPC_32, 0, 32},      {ISA_POPC_64, 0, 64},      {ISA_CLZ_32, 0, 32},        {ISA_CLZ_64, 0, 64},
    {ISA_CTZ_32, 0, 32},       {ISA_CTZ_64, 0, 64},
    {ISA_EXT_S8, INT8_MIN, INT8_MAX},                     {ISA_EXT_S16, INT16_MIN, INT16_MAX},
    {ISA_GET_WORK_DIM, 1, 3},  {ISA_GET_LANE, 0, 63},     {ISA_GET_WARP_SIZE, 1, 64}, {ISA_GET_MAX_WARP_SIZE, 16, 64},
    /* clang-format on */
};

/* Limits of queries: a work-group has at most ISA_MOST_GROUP_ITEMS work-items, or in each dimension what the kernel
 * requires; sizes of the NDRange fit into 32 bits. The last group may be smaller. */
static struct range of_query(const struct ir *ir, const struct ir_inst *inst, unsigned bits) {
  const uint32_t *required = ir->required_local;
  const bool exact = required[0] && inst->imm < 3;
  const uint32_t group = exact ? required[inst->imm] : ISA_MOST_GROUP_ITEMS;
  switch (inst->op) {
  case ISA_GET_LOCAL_ID:
    return of_signed(0, group - 1, bits);
  case ISA_GET_LOCAL_SIZE:
    return of_signed(1, group, bits);
  case ISA_GET_ENQUEUED_LOCAL_SIZE:
    return of_signed(exact ? group : 1, group, bits);
  case ISA_GET_LOCAL_LINEAR_ID:
  case ISA_GET_WARP:
    return of_signed(0, ISA_MOST_GROUP_ITEMS - 1, bits);
  case ISA_GET_NUM_WARPS:
    return of_signed(1, ISA_MOST_GROUP_ITEMS, bits);
  case ISA_GET_GROUP_ID:
    return of_unsigned(0, (UINT32_MAX - 1) / (exact ? group : 1), bits);
  case ISA_GET_NUM_GROUPS:
  case ISA_GET_GLOBAL_SIZE:
    return of_unsigned(1, UINT32_MAX, bits);
  case ISA_GET_GLOBAL_ID:
  case ISA_GET_GLOBAL_OFFSET:
    return of_unsigned(0, UINT32_MAX - 1, bits);
  default:
    return range_full(bits);
  }
}

static struct range bounded(const struct ranges *ranges, ir_ref ref, unsigned bits) {
  const struct ir_inst *inst = &ranges->ir->inst[ref];
  const struct isa_row *row = ir_row(ranges->ir, ref);
  const unsigned in_memory = 8u * isa_types[row->a].bytes;
  if (row->access == ISA_ACCESS_LOAD && row->via == ISA_VIA_PLAIN && in_memory < 32 && !inst->guard)
    return row->d == TYPE_S32 ? of_signed(-(INT64_C(1) << (in_memory - 1)), (INT64_C(1) << (in_memory - 1)) - 1, bits)
                              : of_signed(0, (INT64_C(1) << in_memory) - 1, bits);
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    if (bounds[i].op == inst->op && !inst->guard)
      return of_signed(bounds[i].least, bounds[i].most, bits);
  return of_query(ranges->ir, inst, bits);
}

static struct range word_of(struct range pair, uint64_t word) {
  if (range_empty(pair))
    return nothing;
  if (word)
    return of_unsigned(pair.low >> 32, pair.high >> 32, 32);
  if (range_is_unsigned(pair, 32))
    return of_unsigned(pair.low, pair.high, 32);
  return range_is_signed(pair, 32) ? of_signed(pair.least, pair.most, 32) : range_full(32);
}

static struct range joined(struct range low, struct range high) {
  if (range_empty(low) || range_empty(high))
    return nothing;
  return of_unsigned(high.low << 32 | low.low, high.high << 32 | low.high, 64);
}

/* Extends a 32-bit interval to 64 bits. */
static struct range widened(struct range range, bool is_signed) {
  if (range_empty(range))
    return nothing;
  return is_signed ? of_signed(range.least, range.most, 64) : of_unsigned(range.low, range.high, 64);
}

static struct range other_op(const struct ranges *ranges, ir_ref ref, unsigned bits) {
  const struct ir *ir = ranges->ir;
  const ir_ref a = ir_operand(ir, ref, 0), b = ir_operand(ir, ref, 1), c = ir_operand(ir, ref, 2);
  const uint16_t op = ir->inst[ref].op;
  const bool is_signed = op == ISA_CVT_S64_S32 || op == ISA_MULW_S32 || op == ISA_MADW_S32;
  switch (op) {
  case ISA_CVT_U64_U32:
  case ISA_CVT_S64_S32:
    return widened(range_of(ranges, a), is_signed);
  case ISA_MULW_U32:
  case ISA_MULW_S32:
  case ISA_MADW_U32:
  case ISA_MADW_S32: {
    const struct range product =
        range_binary(KIND_MUL, 64, widened(range_of(ranges, a), is_signed), widened(range_of(ranges, b), is_signed));
    return c ? range_binary(KIND_ADD, 64, product, range_of(ranges, c)) : product;
  }
  case ISA_EXT_S8:
  case ISA_EXT_S16: {
    const struct range inner = range_of(ranges, a);
    return range_is_signed(inner, op == ISA_EXT_S8 ? 8 : 16) ? inner : bounded(ranges, ref, 32);
  }
  case IR_WORD:
    return ir->inst[a].width == IR_W2 ? word_of(range_of(ranges, a), ir->inst[ref].imm) : range_full(32);
  case IR_JOIN:
    return a && b && bits == 64 ? joined(range_of(ranges, a), range_of(ranges, b)) : range_full(bits);
  default:
    return bounded(ranges, ref, bits);
  }
}

/* The interval of a sum that, by the source, does not wrap. */
static struct range kept_sum(struct range a, struct range b, unsigned bits) {
  const wide most = kind_mask(bits) >> 1, least = -most - 1;
  if (range_empty(a) || range_empty(b))
    return nothing;
  const wide low = (wide)a.least + b.least, high = (wide)a.most + b.most;
  return low > most || high < least
             ? range_full(bits)
             : of_signed((int64_t)(low < least ? least : low), (int64_t)(high > most ? most : high), bits);
}

struct range range_kept(const struct ir *ir, ir_ref ref, struct range a, struct range b) {
  const struct ir_inst *inst = &ir->inst[ref];
  const enum kind kind = kind_of(inst->op);
  const unsigned bits = kind_bits(inst->op);
  const struct range result = range_binary(kind, bits, a, b);
  const bool kept = kind == KIND_ADD && ir->target.optimize && inst->no_wrap & IR_NO_WRAP_SIGNED;
  return kept ? range_meet(result, kept_sum(a, b, bits)) : result;
}

struct range range_of_op(const struct ranges *ranges, ir_ref ref) {
  const struct ir *ir = ranges->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  const unsigned bits = inst->width == IR_W2 ? 64 : 32;
  const enum kind kind = kind_of(inst->op);
  const ir_ref a = ir_operand(ir, ref, 0), b = ir_operand(ir, ref, 1);
  if (kind == KIND_OTHER)
    return other_op(ranges, ref, bits);
  if (kind == KIND_SEL)
    return range_hull(range_of(ranges, a), range_of(ranges, b));
  if (kind == KIND_MOV)
    return range_of(ranges, a);
  if (kind == KIND_NEG)
    return range_binary(KIND_SUB, bits, range_const(0, bits), range_of(ranges, a));
  if (kind == KIND_MAD)
    return range_binary(KIND_ADD, bits, range_binary(KIND_MUL, bits, range_of(ranges, a), range_of(ranges, b)),
                        range_of(ranges, ir_operand(ir, ref, 2)));
  return b ? range_kept(ir, ref, range_of(ranges, a), range_of(ranges, b)) : range_full(bits);
}
