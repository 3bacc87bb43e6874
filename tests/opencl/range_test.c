/* Intervals on values of four bits, of which every pair is tried: what an operation can give lies in the interval, and
 * the interval is as small as the operation allows where a pass relies on that. */
#include "opencl/passes/range.h"
#include "tests/ct.h"

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

/* Every interval of unsigned values, which are some of the signed ones, too; the rest of these behind them. */
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

/* What the rows of the ISA compute, on four bits; divisions by zero as there. */
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

/* The smallest interval around all results. */
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

/* Divisors that may be zero, or negative ones, may give anything. */
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

TEST(range, quotients_lie_in_the_smallest_interval) {
  expect_kind(KIND_DIV_U, quotient_is_exact);
  expect_kind(KIND_DIV_S, signed_quotient_is_exact);
}

/* A rest is less than the divisor and no more than the dividend. */
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

TEST(range, rests_are_smaller_than_their_divisors) {
  expect_kind(KIND_REM_U, rest_is_small);
  expect_kind(KIND_REM_S, signed_rest_is_small);
}

TEST(range, shifts_to_the_right_lie_in_the_smallest_interval) {
  expect_kind(KIND_SHR_U, shift_is_exact);
  expect_kind(KIND_SHR_S, signed_shift_is_exact);
}

TEST(range, extremes_lie_in_the_smallest_interval) {
  expect_kind(KIND_MIN_U, unsigned_is_exact);
  expect_kind(KIND_MAX_U, unsigned_is_exact);
  expect_kind(KIND_MIN_S, signed_is_exact);
  expect_kind(KIND_MAX_S, signed_is_exact);
}

TEST(range, sums_products_and_logic_lie_in_their_intervals) {
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

/* 1 or 0 if all pairs agree, -1 if they do not. */
static int agreed(enum kind kind, const struct set *a, const struct set *b) {
  uint32_t yes = 0, all = 0;
  for (uint32_t x = a->low; x <= a->high; x++)
    for (uint32_t y = b->low; y <= b->high; y++, all++)
      yes += holds(kind, x % VALUES, y % VALUES);
  return yes == all ? 1 : yes ? -1 : 0;
}

/* Of which sets that have a gap in both readings are not distinguished. */
static bool is_equality(enum kind kind) { return kind == KIND_EQ_U || kind == KIND_NE_U; }

TEST(range, comparisons_are_answered_where_all_pairs_agree) {
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

TEST(range, nothing_in_gives_nothing_out) {
  const struct range none = {1, 0, 1, 0}, some = range_const(3, 64);
  EXPECT_TRUE(range_empty(range_binary(KIND_ADD, 64, none, some)));
  EXPECT_TRUE(range_empty(range_binary(KIND_DIV_U, 64, some, none)));
  EXPECT_EQ(range_compare(KIND_LT_U, none, some), -1);
}

/* In 64 bits, products and sums at the edge of the numbers. */
TEST(range, what_may_wrap_may_be_anything) {
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
