/* The rows of limits: what they lift, on every built-in machine. */
#include <stdio.h>
#include <string.h>

#include "models/machine.h"
#include "sim/launch/machines.h"
#include "sim/session/limits.h"
#include "tests/ct.h"

static const char *const machines[] = {"teaching", "h200", "dsp"};
enum { MACHINES = sizeof machines / sizeof *machines };

static struct machine machine_named(const char *name) {
  struct machine machine;
  struct message message;
  EXPECT_TRUE(machine_load(name, NULL, NULL, &machine, &message));
  return machine;
}

TEST(limits, slugs_and_names_are_unique_and_sentences_are_complete) {
  for (enum limit i = 0; i < LIMITS; i++) {
    const struct lift_row *row = &lift_rows[i];
    ct_note("%s", row->slug);
    EXPECT_TRUE(row->lifted[strlen(row->lifted) - 1] == '.');
    EXPECT_TRUE(row->look[strlen(row->look) - 1] != '.');
    EXPECT_LE(strlen(row->name), 44);
    for (enum limit j = 0; j < i; j++) {
      EXPECT_TRUE(strcmp(row->slug, lift_rows[j].slug) != 0);
      EXPECT_TRUE(strcmp(row->name, lift_rows[j].name) != 0);
    }
  }
}

/* Calls take(key, value) for each "key=value" of a row. */
static void each_key(enum limit limit, void (*take)(enum limit limit, const char *key, const char *value)) {
  char keys[1024], *rest = keys;
  snprintf(keys, sizeof keys, "%s", lift_rows[limit].keys);
  for (char *word; (word = strsep(&rest, " "));) {
    char *equals = strchr(word, '=');
    ct_note("%s: %s", lift_rows[limit].slug, word);
    ASSERT_TRUE(equals);
    *equals = '\0';
    take(limit, word, equals + 1);
  }
}

static void is_legal(enum limit limit, const char *key, const char *value) {
  struct machine machine = machine_named("teaching");
  char message[PARAM_MESSAGE];
  (void)limit;
  EXPECT_TRUE(param_set(machine_groups, MACHINE_GROUPS, &machine, key, value, message));
}

TEST(limits, every_key_is_a_parameter_and_every_value_is_legal) {
  for (enum limit i = 0; i < LIMITS; i++)
    each_key(i, is_legal);
}

static char seen[LIMITS * 32][64];
static size_t seen_count;

static void is_new(enum limit limit, const char *key, const char *value) {
  (void)limit, (void)value;
  for (size_t i = 0; i < seen_count; i++)
    EXPECT_TRUE(strcmp(seen[i], key) != 0);
  snprintf(seen[seen_count++], sizeof *seen, "%s", key);
}

TEST(limits, no_parameter_is_in_two_rows) {
  seen_count = 0;
  for (enum limit i = 0; i < LIMITS; i++)
    each_key(i, is_new);
}

TEST(limits, lifting_any_limit_is_legal_and_lifting_it_twice_changes_nothing) {
  char message[PARAM_MESSAGE];
  for (size_t m = 0; m < MACHINES; m++)
    for (enum limit i = 0; i <= LIMITS; i++) {
      const limit_set set = i < LIMITS ? limit_bit(i) : limits_all();
      struct machine machine = machine_named(machines[m]);
      ct_note("%s on %s", i < LIMITS ? lift_rows[i].slug : "all", machines[m]);
      limits_lift(set, &machine);
      EXPECT_TRUE(machine_check(&machine, message));
      EXPECT_FALSE(limits_lift(set, &machine));
    }
}

TEST(limits, the_teaching_machine_has_the_limits_that_its_examples_show) {
  static const enum limit limits[] = {LIFT_DMA_SETUP,     LIFT_DRAM_LATENCY,   LIFT_DMA_REQUESTS, LIFT_OCCUPANCY,
                                      LIFT_LDS_CONFLICTS, LIFT_LDS_CONTENTION, LIFT_BARRIERS,     LIFT_EXECUTION};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct machine machine = machine_named("teaching");
    ct_note("%s", lift_rows[limits[i]].slug);
    EXPECT_TRUE(limits_lift(limit_bit(limits[i]), &machine));
  }
}

TEST(limits, each_limit_has_one_cause_and_is_outside_unless_it_is_computing) {
  limit_set all = 0;
  for (enum limit_cause cause = 0; cause < CAUSES; cause++) {
    EXPECT_TRUE(limits_of(cause) && !(limits_of(cause) & all));
    all |= limits_of(cause);
  }
  EXPECT_EQ(all, limits_all());
  EXPECT_EQ(limits_outside() | limits_of(CAUSE_COMPUTE), limits_all());
  EXPECT_EQ(limits_outside() & limits_of(CAUSE_COMPUTE), 0);
}
