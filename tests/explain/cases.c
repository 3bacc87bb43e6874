/* Cases made by hand: what is an anomaly, to the cycle, and which programs have the same places. */
#include <stdio.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "tests/ct.h"
#include "tools/explain/places.h"

/* ---- anomalies --------------------------------------------------------------------------------------- */

static struct explain_time time_of[3];
static struct explain_case cases[3];
static const struct explain three = {.steps = 1, .launches = 1, .cases = cases, .count = 3};

/* The base, a case with one limit lifted, and one with that limit and another lifted. */
static void make_cases(cycle_t base, cycle_t one, cycle_t two) {
  const cycle_t cycles[] = {base, one, two};
  const limit_set lifted[] = {0, limit_bit(LIFT_DMA_SETUP), limit_bit(LIFT_DMA_SETUP) | limit_bit(LIFT_BARRIERS)};
  for (size_t i = 0; i < 3; i++) {
    time_of[i] = (struct explain_time){0, cycles[i]};
    cases[i] = (struct explain_case){.lifted = lifted[i], .status = OUTCOME_finished, .time = &time_of[i]};
  }
}

TEST(anomalies, lifting_a_limit_may_add_at_most_1_percent_of_the_cycles) {
  make_cases(10000, 10100, 10000);
  EXPECT_TRUE(!explain_anomaly(&three, &cases[1], 0));
  make_cases(10000, 10101, 10000);
  EXPECT_TRUE(explain_anomaly(&three, &cases[1], 0) == &cases[0]);
}

TEST(anomalies, lifting_a_limit_of_a_short_kernel_may_add_at_most_16_cycles) {
  for (cycle_t base = 50; base <= 1600; base += 1550) {
    make_cases(base, base + 16, base);
    EXPECT_TRUE(!explain_anomaly(&three, &cases[1], 0));
    make_cases(base, base + 17, base);
    EXPECT_TRUE(explain_anomaly(&three, &cases[1], 0) == &cases[0]);
  }
}

TEST(anomalies, a_pair_may_exceed_its_limits_by_the_tolerance_of_the_base) {
  make_cases(10000, 6000, 6100);
  EXPECT_TRUE(!explain_anomaly(&three, &cases[2], 0));
  make_cases(10000, 6000, 6101);
  EXPECT_TRUE(explain_anomaly(&three, &cases[2], 0) == &cases[1]);
  cases[1].status = OUTCOME_failed;
  EXPECT_TRUE(!explain_anomaly(&three, &cases[2], 0));
}

/* ---- programs ---------------------------------------------------------------------------------------- */

static struct isa_program *assembled(const char *body) {
  char text[400];
  struct isa_error error;
  snprintf(text, sizeof text, ".kernel k\n.reg i, j\n%s  exit\n", body);
  struct isa_program *program = isa_assemble(text, strlen(text), "k.wws", &error);
  ct_note("%s", program ? body : error.text);
  EXPECT_TRUE(program);
  return program;
}

static bool fit(const char *base, const char *other) {
  struct isa_program *a = assembled(base), *b = assembled(other);
  const bool same = a && b && explain_places_fit(a, b);
  isa_program_free(a);
  isa_program_free(b);
  return same;
}

TEST(places, match_the_same_operations_at_the_same_lines) {
  EXPECT_TRUE(fit("  mov.b32 i, 1\n  mul.i32 i, i, i\n", "  mov.b32 j, 1\n  mul.i32 j, j, j\n"));
  EXPECT_FALSE(fit("  mov.b32 i, 1\n  mul.i32 i, i, i\n", "  mul.i32 i, i, i\n  mov.b32 i, 1\n"));
  EXPECT_FALSE(fit("  mov.b32 i, 1\n  mul.i32 i, i, i\n", "  mov.b32 i, 1\n\n  mul.i32 i, i, i\n"));
  EXPECT_FALSE(fit("  mov.b32 i, 1\n  mul.i32 i, i, i\n", "  mov.b32 i, 1\n"));
}
