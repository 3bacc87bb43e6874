/* Intervals of 4-bit values, tried in every pair: each result of an operation is in the interval, and the interval is
 * as small as the operation allows where a pass relies on that. */
#include "isa/ops.h"
#include "opencl/passes/range.h"
#include "tests/ct.h"

CT_FREES(struct ir, ir_free)

enum { BITS = 4, VALUES = 1 << BITS };

struct set {
  struct range range;
  uint32_t low, high; /* unsigned */
};

static int32_t as_signed(uint32_t value) { return (int32_t)(value ^ VALUES / 2) - VALUES / 2; }

static struct range of_values(uint32_t low, uint32_t high) {
  struct range range = range_const(low, BITS);
  for (uint32_t value = low + 1; value <= high; value++)
    range = range_hull(range, range_const(value, BITS));
  return range;
}

/* Every interval of unsigned values, some of which are intervals of signed values, too; then the other signed ones. */
static uint32_t all_sets(struct set set[2 * VALUES * VALUES]) {
  uint32_t count = 0;
  for (uint32_t low = 0; low < VALUES; low++)
    for (uint32_t high = low; high < VALUES; high++)
      set[count++] = (struct set){of_values(low, high), low, high};
  for (uint32_t low = VALUES / 2; low < VALUES; low++)
    for (uint32_t high = VALUES; high < VALUES + VALUES / 2; high++) {
      struct range range = range_const(low, BITS);
      for (uint32_t value = low + 1; value <= high; value++)
        range = range_hull(range, range_const(value % VALUES, BITS));
      set[count++] = (struct set){range, low, high};
    }
  return count;
}

/* What the ISA's rows compute, in four bits, including divisions by zero. */
static uint32_t computed(enum kind kind, uint32_t a, uint32_t b) {
  const int32_t sa = as_signed(a), sb = as_signed(b);
  switch (kind) {
  case KIND_ADD:
    return a + b;
  case KIND_SUB:
    return a - b;
  case KIND_MUL:
    return a * b;
  case KIND_AND:
    return a & b;
  case KIND_OR:
    return a | b;
  case KIND_XOR:
    return a ^ b;
  case KIND_SHL:
    return a << b % BITS;
  case KIND_SHR_U:
    return a >> b % BITS;
  case KIND_SHR_S:
    return (uint32_t)(sa >> b % BITS);
  case KIND_DIV_U:
    return b ? a / b : UINT32_MAX;
  case KIND_DIV_S:
    return b ? (uint32_t)(sa / sb) : UINT32_MAX;
  case KIND_REM_U:
    return b ? a % b : a;
  case KIND_REM_S:
    return b ? (uint32_t)(sa % sb) : a;
  case KIND_MIN_U:
    return a < b ? a : b;
  case KIND_MAX_U:
    return a > b ? a : b;
  case KIND_MIN_S:
    return sa < sb ? a : b;
  default:
    return sa > sb ? a : b;
  }
}

/* The smallest interval that contains all results. */
static struct range around(enum kind kind, const struct set *a, const struct set *b) {
  struct range range = {1, 0, 1, 0};
  for (uint32_t x = a->low; x <= a->high; x++)
    for (uint32_t y = b->low; y <= b->high; y++)
      range = range_hull(range, range_const(computed(kind, x % VALUES, y % VALUES) % VALUES, BITS));
  return range;
}

static bool contains(struct range range, struct range part) {
  return range.low <= part.low && range.high >= part.high && range.least <= part.least && range.most >= part.most;
}

static bool expect_kind(enum kind kind,
                        bool (*is_tight)(struct range found, struct range exact, struct range a, struct range b)) {
  static struct set set[2 * VALUES * VALUES];
  const uint32_t count = all_sets(set);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < count; k++) {
      const struct range exact = around(kind, &set[i], &set[k]);
      const struct range found = range_binary(kind, BITS, set[i].range, set[k].range);
      ct_note("kind %d of [%u, %u] and [%u, %u]", (int)kind, set[i].low, set[i].high, set[k].low, set[k].high);
      if (!EXPECT_TRUE(contains(found, exact)) || !EXPECT_TRUE(is_tight(found, exact, set[i].range, set[k].range)))
        return false;
    }
  return true;
}

static bool anything(struct range found, struct range exact, struct range a, struct range b) {
  (void)found, (void)exact, (void)a, (void)b;
  return true;
}

static bool unsigned_is_exact(struct range found, struct range exact, struct range a, struct range b) {
  (void)a, (void)b;
  return found.low == exact.low && found.high == exact.high;
}

static bool signed_is_exact(struct range found, struct range exact, struct range a, struct range b) {
  (void)a, (void)b;
  return found.least == exact.least && found.most == exact.most;
}

/* Divisors that may be zero or negative may give anything. */
static bool quotient_is_exact(struct range found, struct range exact, struct range a, struct range b) {
  return b.low == 0 || unsigned_is_exact(found, exact, a, b);
}

static bool signed_quotient_is_exact(struct range found, struct range exact, struct range a, struct range b) {
  return b.least < 1 || signed_is_exact(found, exact, a, b);
}

static bool shift_is_exact(struct range found, struct range exact, struct range a, struct range b) {
  return b.high >= BITS || unsigned_is_exact(found, exact, a, b);
}

static bool signed_shift_is_exact(struct range found, struct range exact, struct range a, struct range b) {
  return b.high >= BITS || signed_is_exact(found, exact, a, b);
}

TEST(range, quotients_are_in_the_smallest_interval) {
  expect_kind(KIND_DIV_U, quotient_is_exact);
  expect_kind(KIND_DIV_S, signed_quotient_is_exact);
}

/* A remainder is less than the divisor and at most the dividend. */
static bool rest_is_small(struct range found, struct range exact, struct range a, struct range b) {
  (void)exact;
  return found.high <= a.high && (b.low == 0 || found.high < b.high);
}

static bool signed_rest_is_small(struct range found, struct range exact, struct range a, struct range b) {
  (void)exact;
  const bool of_divisor = found.most < b.most && found.least > -b.most;
  const bool of_dividend = found.most <= (a.most > 0 ? a.most : 0) && found.least >= (a.least < 0 ? a.least : 0);
  return b.least < 1 || (of_divisor && of_dividend);
}

TEST(range, remainders_are_smaller_than_their_divisors) {
  expect_kind(KIND_REM_U, rest_is_small);
  expect_kind(KIND_REM_S, signed_rest_is_small);
}

TEST(range, right_shifts_are_in_the_smallest_interval) {
  expect_kind(KIND_SHR_U, shift_is_exact);
  expect_kind(KIND_SHR_S, signed_shift_is_exact);
}

TEST(range, minimum_and_maximum_are_in_the_smallest_interval) {
  expect_kind(KIND_MIN_U, unsigned_is_exact);
  expect_kind(KIND_MAX_U, unsigned_is_exact);
  expect_kind(KIND_MIN_S, signed_is_exact);
  expect_kind(KIND_MAX_S, signed_is_exact);
}

TEST(range, sums_products_and_logic_are_in_their_intervals) {
  static const enum kind kinds[] = {KIND_ADD, KIND_SUB, KIND_MUL, KIND_AND, KIND_OR, KIND_XOR, KIND_SHL};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!expect_kind(kinds[i], anything))
      return;
}

static bool holds(enum kind kind, uint32_t a, uint32_t b) {
  const int32_t sa = as_signed(a), sb = as_signed(b);
  switch (kind) {
  case KIND_EQ_U:
    return a == b;
  case KIND_NE_U:
    return a != b;
  case KIND_LT_U:
    return a < b;
  case KIND_LE_U:
    return a <= b;
  case KIND_GT_U:
    return a > b;
  case KIND_GE_U:
    return a >= b;
  case KIND_LT_S:
    return sa < sb;
  case KIND_LE_S:
    return sa <= sb;
  case KIND_GT_S:
    return sa > sb;
  default:
    return sa >= sb;
  }
}

/* 1 or 0 if all pairs agree, -1 otherwise. */
static int agreed(enum kind kind, const struct set *a, const struct set *b) {
  uint32_t yes = 0, all = 0;
  for (uint32_t x = a->low; x <= a->high; x++)
    for (uint32_t y = b->low; y <= b->high; y++, all++)
      yes += holds(kind, x % VALUES, y % VALUES);
  return yes == all ? 1 : yes ? -1 : 0;
}

/* Equality does not distinguish sets that have a gap in both readings. */
static bool is_equality(enum kind kind) { return kind == KIND_EQ_U || kind == KIND_NE_U; }

TEST(range, comparisons_are_decided_where_all_pairs_agree) {
  static const enum kind kinds[] = {KIND_EQ_U, KIND_NE_U, KIND_LT_U, KIND_LE_U, KIND_GT_U,
                                    KIND_GE_U, KIND_LT_S, KIND_LE_S, KIND_GT_S, KIND_GE_S};
  static struct set set[2 * VALUES * VALUES];
  const uint32_t count = all_sets(set);
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (uint32_t i = 0; i < count; i++)
      for (uint32_t k = 0; k < count; k++) {
        ct_note("kind %d of [%u, %u] and [%u, %u]", (int)kinds[kind], set[i].low, set[i].high, set[k].low, set[k].high);
        const int found = range_compare(kinds[kind], set[i].range, set[k].range);
        const bool may_give_up = is_equality(kinds[kind]) && (set[i].high >= VALUES || set[k].high >= VALUES);
        if ((found != -1 || !may_give_up) && !EXPECT_EQ(found, agreed(kinds[kind], &set[i], &set[k])))
          return;
      }
}

TEST(range, empty_operands_give_an_empty_result) {
  const struct range none = {1, 0, 1, 0}, some = range_const(3, 64);
  EXPECT_TRUE(range_empty(range_binary(KIND_ADD, 64, none, some)));
  EXPECT_TRUE(range_empty(range_binary(KIND_DIV_U, 64, some, none)));
  EXPECT_EQ(range_compare(KIND_LT_U, none, some), -1);
}

/* 64-bit products and sums at the limits of the numbers. */
TEST(range, results_that_may_wrap_are_unbounded) {
  const struct range most = range_const(UINT64_MAX, 64), large = range_const(UINT64_C(1) << 63, 64);
  const struct range two = range_const(2, 64), either = range_hull(range_const(1, 64), large);
  EXPECT_EQ(range_binary(KIND_ADD, 64, most, two).low, 1);
  EXPECT_EQ(range_binary(KIND_ADD, 64, most, two).high, 1);
  EXPECT_EQ(range_binary(KIND_ADD, 64, either, large).low, 0);
  EXPECT_EQ(range_binary(KIND_ADD, 64, either, large).high, UINT64_MAX);
  EXPECT_EQ(range_binary(KIND_MUL, 64, either, two).low, 0);
  EXPECT_EQ(range_binary(KIND_MUL, 64, either, two).high, UINT64_MAX);
  EXPECT_EQ(range_binary(KIND_DIV_U, 64, most, two).high, UINT64_MAX >> 1);
  EXPECT_EQ(range_binary(KIND_DIV_S, 64, large, two).least, INT64_MIN / 2);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static ir_ref made(struct ir *ir, uint32_t block, uint16_t op, enum ir_width width, ir_ref a, ir_ref b, uint64_t imm) {
  const ir_ref operand[] = {a, b};
  const ir_ref ref = ir_make(ir, op, width, operand, b ? 2 : a ? 1 : 0, imm, (struct ir_place){.line = 1});
  ir_append(ir, block, ref);
  return ref;
}

/* x kind y ? J : A, A to J: J has phi(x, other). */
static struct range of_phi(enum kind kind, unsigned bits, uint64_t y, uint64_t other) {
  ct_freed(ir_free_at) struct ir *ir = ir_new("k");
  const enum ir_width width = kind_width(bits);
  const uint32_t away = ir_block_new(ir), join = ir_block_new(ir);
  const ir_ref x = made(ir, 0, bits == 64 ? ISA_LD_ARG_64 : ISA_LD_ARG_32, width, 0, 0, 0);
  const ir_ref holds = made(ir, 0, kind_op(kind, bits), IR_PRED, x, ir_const(ir, width, y), 0);
  const ir_ref phi = made(ir, join, IR_PHI, width, 0, 0, 0);
  ir_if(ir, 0, holds, join, away, (struct ir_place){.line = 1});
  ir_goto(ir, away, join, (struct ir_place){.line = 1});
  ir_exit(ir, join, (struct ir_place){.line = 1});
  ir_phi_add(ir, phi, 0, x);
  ir_phi_add(ir, phi, away, ir_const(ir, width, other));
  ir_analyze(ir);
  struct ranges ranges;
  ranges_find(&ranges, ir);
  const struct range range = range_of(&ranges, phi);
  ranges_free(&ranges);
  return range;
}

TEST(range, a_phi_has_the_range_that_the_condition_on_its_edge_leaves) {
  for (unsigned bits = 32; bits <= 64; bits += 32) {
    const struct range full = range_full(bits);
    EXPECT_EQ(of_phi(KIND_LT_S, bits, 100, 50).most, 99);
    EXPECT_EQ(of_phi(KIND_LE_S, bits, 100, 50).most, 100);
    EXPECT_EQ(of_phi(KIND_GT_S, bits, 100, 150).least, 101);
    EXPECT_EQ(of_phi(KIND_GE_S, bits, 100, 150).least, 100);
    EXPECT_EQ(of_phi(KIND_LT_U, bits, 100, 50).high, 99);
    EXPECT_EQ(of_phi(KIND_LE_U, bits, 100, 50).high, 100);
    EXPECT_EQ(of_phi(KIND_GT_U, bits, 100, 150).low, 101);
    EXPECT_EQ(of_phi(KIND_GE_U, bits, 100, 150).low, 100);
    EXPECT_EQ(of_phi(KIND_EQ_U, bits, 100, 100).low, 100);
    EXPECT_EQ(of_phi(KIND_EQ_U, bits, 100, 100).high, 100);
    EXPECT_EQ(of_phi(KIND_NE_U, bits, 0, 100).low, 1);
    EXPECT_EQ(of_phi(KIND_NE_U, bits, full.high, 100).high, full.high - 1);
    EXPECT_EQ(of_phi(KIND_LT_S, bits, 100, 50).least, full.least);
    EXPECT_EQ(of_phi(KIND_GT_U, bits, 100, 150).high, full.high);
  }
}

/* The edge is never taken, so it adds at most the end of the type. */
TEST(range, an_edge_that_is_never_taken_does_not_widen_a_phi) {
  EXPECT_EQ(of_phi(KIND_LT_S, 64, UINT64_C(1) << 63, 5).most, 5);
  EXPECT_EQ(of_phi(KIND_GT_S, 64, INT64_MAX, 5).least, 5);
  EXPECT_EQ(of_phi(KIND_LT_U, 64, 0, 5).high, 5);
  EXPECT_EQ(of_phi(KIND_GT_U, 64, UINT64_MAX, 5).low, 5);
}

static bool is_range(struct range range, uint64_t low, uint64_t high, int64_t least, int64_t most) {
  return EXPECT_EQ(range.low, low) && EXPECT_EQ(range.high, high) && EXPECT_EQ(range.least, least) &&
         EXPECT_EQ(range.most, most);
}

/* A byte and a signed byte as pairs, and the words of these and of their shifts. */
TEST(range, a_pair_and_its_words_have_the_range_of_their_operands) {
  ct_freed(ir_free_at) struct ir *ir = ir_new("k");
  const ir_ref byte = made(ir, 0, ISA_LD_ARG_U8, IR_W1, 0, 0, 0), sign = made(ir, 0, ISA_LD_ARG_S8, IR_W1, 0, 0, 1);
  const ir_ref any = made(ir, 0, ISA_LD_ARG_32, IR_W1, 0, 0, 4);
  const ir_ref wide = made(ir, 0, ISA_CVT_U64_U32, IR_W2, any, 0, 0);
  const ir_ref wide_sign = made(ir, 0, ISA_CVT_S64_S32, IR_W2, sign, 0, 0);
  const ir_ref shifted = made(ir, 0, ISA_SHL_64, IR_W2, wide, ir_const(ir, IR_W1, 4), 0);
  const ir_ref joined = made(ir, 0, IR_JOIN, IR_W2, any, byte, 0);
  const ir_ref some = made(ir, 0, ISA_ADD_32, IR_W1, byte, ir_const(ir, IR_W1, 256), 0);
  const ir_ref some_again = made(ir, 0, IR_WORD, IR_W1, made(ir, 0, IR_JOIN, IR_W2, any, some, 0), 0, 1);
  const ir_ref high = made(ir, 0, IR_WORD, IR_W1, shifted, 0, 1);
  const ir_ref byte_again = made(ir, 0, IR_WORD, IR_W1, joined, 0, 1);
  const ir_ref high_any = made(ir, 0, IR_WORD, IR_W1, made(ir, 0, IR_JOIN, IR_W2, byte, any, 0), 0, 1);
  const ir_ref low = made(ir, 0, IR_WORD, IR_W1, made(ir, 0, ISA_CVT_U64_U32, IR_W2, byte, 0, 0), 0, 0);
  const ir_ref low_any = made(ir, 0, IR_WORD, IR_W1, wide, 0, 0);
  const ir_ref low_sign = made(ir, 0, IR_WORD, IR_W1, wide_sign, 0, 0);
  ir_exit(ir, 0, (struct ir_place){.line = 1});
  ir_analyze(ir);
  struct ranges ranges;
  ranges_find(&ranges, ir);
  is_range(range_of(&ranges, wide), 0, UINT32_MAX, 0, UINT32_MAX);
  is_range(range_of(&ranges, wide_sign), 0, UINT64_MAX, INT8_MIN, INT8_MAX);
  is_range(range_of(&ranges, shifted), 0, (uint64_t)UINT32_MAX << 4, 0, (int64_t)UINT32_MAX << 4);
  is_range(range_of(&ranges, high), 0, 15, 0, 15);
  is_range(range_of(&ranges, byte_again), 0, 255, 0, 255);
  is_range(range_of(&ranges, some_again), 256, 511, 256, 511);
  is_range(range_of(&ranges, high_any), 0, UINT32_MAX, INT32_MIN, INT32_MAX);
  is_range(range_of(&ranges, low), 0, 255, 0, 255);
  is_range(range_of(&ranges, low_any), 0, UINT32_MAX, INT32_MIN, INT32_MAX);
  is_range(range_of(&ranges, low_sign), 0, UINT32_MAX, INT8_MIN, INT8_MAX);
  ranges_free(&ranges);
}

/* Each corner is the smallest or largest product for some row. */
TEST(range, a_signed_product_is_between_its_corners) {
  static const int64_t rows[][6] = {{-3, 2, -5, 4, -12, 15}, {-3, 2, -4, 5, -15, 12}, {-2, 3, -4, 5, -12, 15},
                                    {-2, 3, -5, 4, -15, 12}, {2, 3, 4, 5, 8, 15},     {-3, -2, -5, -4, 8, 15},
                                    {-3, -2, 4, 5, -15, -8}, {2, 3, -5, -4, -15, -8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct range a = range_hull(range_const((uint64_t)rows[i][0], 64), range_const((uint64_t)rows[i][1], 64));
    const struct range b = range_hull(range_const((uint64_t)rows[i][2], 64), range_const((uint64_t)rows[i][3], 64));
    const struct range product = range_binary(KIND_MUL, 64, a, b);
    ct_note("row %zu", i);
    EXPECT_EQ(product.least, rows[i][4]);
    EXPECT_EQ(product.most, rows[i][5]);
  }
}
