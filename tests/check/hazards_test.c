/* The list of hazards: one entry for each rule and pair of places, with a count. */
#include "sim/check/check_parts.h"

#include "tests/ct.h"

CT_FREES(struct checker, checker_free)

/* Eight instructions: two on each line, except for the last two, whose line is unknown. */
static uint32_t line[8] = {3, 3, 2, 2, 5, 5, 0, 0};
static uint16_t source[8], column[8] = {1, 1, 1, 2, 4, 4, 0, 0};
static struct isa_program program = {.count = 8, .source = source, .line = line, .column = column};

static void add(struct checker *checker, enum isa_hazard_rule rule, uint32_t here, int other, uint64_t count) {
  const struct check_hazard hazard = {.rule = rule,
                                      .count = count,
                                      .here = {.program = &program, .pc = here},
                                      .other = {.program = other < 0 ? NULL : &program, .pc = (uint32_t)(other & 7)},
                                      .address = here};
  hazards_add(checker, &hazard);
}

TEST(hazards, repeats_at_one_place_are_counted_and_the_first_is_kept) {
  ct_freed(checker_free_at) struct checker *checker = checker_new();
  size_t count = 0;
  add(checker, HAZARD_M5, 1, 4, 0);
  add(checker, HAZARD_M5, 1, 4, 0);
  add(checker, HAZARD_M5, 1, 4, 5);
  const struct check_hazard *found = checker_hazards(checker, &count);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(found[0].count, 7);
}

TEST(hazards, instructions_of_one_source_place_count_as_one) {
  ct_freed(checker_free_at) struct checker *checker = checker_new();
  size_t count = 0;
  add(checker, HAZARD_M5, 1, 4, 0);
  add(checker, HAZARD_M5, 0, 5, 2); /* line 3 column 1 and line 5 column 4 again */
  add(checker, HAZARD_M5, 2, 4, 0); /* another line */
  add(checker, HAZARD_M5, 3, 4, 0); /* another column */
  add(checker, HAZARD_M6, 1, 4, 0); /* another rule */
  add(checker, HAZARD_M5, 1, -1, 0);
  add(checker, HAZARD_M5, 6, 4, 0); /* no line: the instructions are distinct */
  add(checker, HAZARD_M5, 7, 4, 0);
  const struct check_hazard *found = checker_hazards(checker, &count);
  EXPECT_EQ(count, 7);
  const uint32_t here[7] = {6, 7, 2, 3, 1, 1, 1};
  for (size_t i = 0; i < count && i < 7; i++)
    EXPECT_EQ(found[i].here.pc, here[i]);
  EXPECT_TRUE(!found[4].other.program && found[5].rule == HAZARD_M5 && found[6].rule == HAZARD_M6);
  EXPECT_EQ(found[5].count, 3);
  EXPECT_EQ(found[5].address, 1); /* of the first */
}

/* Each cause and a symptom, which is at an earlier line. */
TEST(hazards, likely_causes_come_first) {
  static const enum isa_hazard_rule pairs[][2] = {
      {HAZARD_X10, HAZARD_X9}, {HAZARD_X12, HAZARD_X10}, {HAZARD_M8, HAZARD_X12}, {HAZARD_I5, HAZARD_I4},
      {HAZARD_I5, HAZARD_M6},  {HAZARD_P5, HAZARD_R9},   {HAZARD_R12, HAZARD_R2}, {HAZARD_I1, HAZARD_M6},
      {HAZARD_I3, HAZARD_I4},  {HAZARD_R6, HAZARD_Q10},  {HAZARD_R5, HAZARD_R13}, {HAZARD_R1, HAZARD_R7},
      {HAZARD_M1, HAZARD_M7},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    ct_freed(checker_free_at) struct checker *checker = checker_new();
    size_t count = 0;
    add(checker, pairs[i][1], 2, -1, 0);
    add(checker, pairs[i][0], 4, -1, 0);
    const struct check_hazard *found = checker_hazards(checker, &count);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(found[0].rule, pairs[i][0]);
    EXPECT_EQ(found[1].rule, pairs[i][1]);
  }
}

TEST(hazards, a_refused_reservation_comes_before_the_use_of_its_id_and_after_other_uses) {
  ct_freed(checker_free_at) struct checker *checker = checker_new();
  size_t count = 0;
  add(checker, HAZARD_R2, 2, 4, 0); /* line 2, of the reservation in line 5 */
  add(checker, HAZARD_R2, 0, -1, 0);
  add(checker, HAZARD_R2, 1, 6, 0); /* of another reservation */
  add(checker, HAZARD_Q10, 4, -1, 0);
  const struct check_hazard *found = checker_hazards(checker, &count);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(found[0].here.pc, 0);
  EXPECT_EQ(found[1].here.pc, 1);
  EXPECT_EQ(found[2].rule, HAZARD_Q10);
  EXPECT_EQ(found[3].here.pc, 2);
}

TEST(hazards, the_reason_of_a_race_must_hold_at_all_instructions_of_a_place) {
  for (unsigned same = 0; same < 2; same++) {
    ct_freed(checker_free_at) struct checker *checker = checker_new();
    size_t count = 0;
    struct check_hazard hazard = {.rule = HAZARD_M6,
                                  .here = {.program = &program, .pc = 0},
                                  .why = WHY_SCOPE,
                                  .detail = "the barrier at line 1 has memory_scope_work_group"};
    hazards_add(checker, &hazard);
    hazard.here.pc = 1; /* the same place */
    hazard.why = same ? WHY_SCOPE : WHY_NOTHING;
    hazards_add(checker, &hazard);
    const struct check_hazard *found = checker_hazards(checker, &count);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(found[0].detail[0] != 0, same != 0);
  }
}

TEST(hazards, lookup_works_among_many_hazards) {
  ct_freed(checker_free_at) struct checker *checker = checker_new();
  enum { MANY = 300 };
  static struct isa_program programs[MANY];
  for (unsigned turn = 0; turn < 2; turn++)
    for (unsigned i = 0; i < MANY; i++) {
      programs[i] = program;
      const struct check_hazard hazard = {.rule = HAZARD_X5, .here = {.program = &programs[i], .pc = 6}};
      hazards_add(checker, &hazard);
    }
  EXPECT_EQ(checker->hazard_count, MANY);
  for (unsigned i = 0; i < MANY; i++)
    EXPECT_EQ(checker->hazards[i].count, 2);
}
