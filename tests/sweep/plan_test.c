/* Plans: what files mean, and which points they define. */
#include "tools/sweep/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sweep/fixture.h"

/* Values of an axis, joined by blanks. */
static void join(const struct sweep_axis *axis, char *text, size_t size) {
  size_t at = 0;
  text[0] = '\0';
  for (size_t i = 0; i < axis->count && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " " : "", axis->value[i]);
}

TEST(sweep_plan, values_are_words_and_expanded_ranges) {
  static const struct {
    const char *written, *meant;
  } values[] = {
      {"1 2 4 8", "1 2 4 8"},
      {"8,4, 2 ,1", "8 4 2 1"},
      {"1..6", "1 2 3 4 5 6"},
      {"7..7", "7"},
      {"-2..1", "-2 -1 0 1"},
      {"0..64:16", "0 16 32 48 64"},
      {"0..65:16", "0 16 32 48 64"},
      {"1..64*2", "1 2 4 8 16 32 64"},
      {"3..100*3", "3 9 27 81"},
      {"1K..4K*2", "1024 2048 4096"},
      {"0..2M:1M", "0 1048576 2097152"},
      {"4K 16k -1G", "4096 16384 -1073741824"},
      {"1..3 8 16..32:16", "1 2 3 8 16 32"},
      {"9007199254740991..9007199254740992", "9007199254740991 9007199254740992"},
      {"fair greedy ../m.ini 0.5f 1e3 0x10 (1<<3)", "fair greedy ../m.ini 0.5f 1e3 0x10 (1<<3)"},
      {"1 2 ; 3 4\n  4 ; 5\n ; 6\n\n  8..9", "1 2 4 8 9"},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char text[400], meant[400];
    ct_freed(plan_free) struct sweep_plan plan;
    ct_note("%s", values[i].written);
    snprintf(text, sizeof text, SWEEP "[axes]\na.x = %s\n", values[i].written);
    if (fixture_plan(text, &plan)) {
      join(&plan.axis[0], meant, sizeof meant);
      EXPECT_STREQ(meant, values[i].meant);
    }
  }
}

static const char whole[] = "; all that a file may have\n"
                            "[sweep]\n"
                            "launch = sub/l.json\n"
                            "machine = h200\n"
                            "build = -cl-mad-enable  -DX=1\n"
                            "sample = random 3\n"
                            "seed = 9\n"
                            "cost = define.DEPTH * 4K\n"
                            "  + dma.queue * 64 ; bytes\n"
                            "[set]\n"
                            "mem.l1_size = 1K\n"
                            "[axes]\n"
                            "dma.queue = 4 8\n"
                            "define.DEPTH = 1..3\n"
                            "[zip widths]\n"
                            "dma.read_width = 16 32\n"
                            "dma.write_width = 32 32\n"
                            "[constraints]\n"
                            "room = dma.queue > define.DEPTH\n";

TEST(sweep_plan, a_whole_file_is_read) {
  ct_freed(plan_free) struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(whole, &plan));
  EXPECT_STREQ(plan.file, "d/s.ini");
  EXPECT_STREQ(plan.launch, "d/sub/l.json");
  EXPECT_TRUE(!plan.trace);
  EXPECT_STREQ(plan.machine, "h200");
  ASSERT_EQ(plan.build_count, 2);
  EXPECT_STREQ(plan.builds[0], "-cl-mad-enable");
  EXPECT_STREQ(plan.builds[1], "-DX=1");
  ASSERT_EQ(plan.setting_count, 1);
  EXPECT_STREQ(plan.settings[0].name, "mem.l1_size");
  EXPECT_STREQ(plan.settings[0].value, "1024");
  EXPECT_EQ(plan.settings[0].line, 11);
  EXPECT_EQ(plan.axes, 4);
  EXPECT_EQ(plan.factors, 3);
  EXPECT_STREQ(plan.axis[3].zip, "widths");
  EXPECT_EQ(plan.axis[3].line, 17);
  EXPECT_STREQ(plan.constraints[0].text, "dma.queue > define.DEPTH");
  EXPECT_STREQ(plan.cost_text, "define.DEPTH * 4K + dma.queue * 64");
  EXPECT_EQ(plan.sample, SWEEP_RANDOM);
  EXPECT_EQ(plan.seed, 9);
  EXPECT_EQ(plan.grid, 2 * 3 * 2);
  EXPECT_EQ(plan.points, 3);
}

/* Each row is a file's text and the error reported for it. */
static const struct {
  const char *text, *message;
} faults[] = {
    {"", "d/s.ini: nothing to run; [sweep] needs launch = FILE or trace = FILE"},
    {SWEEP, "d/s.ini: no axis; list what to vary in [axes] or [zip NAME]"},
    {"launch = l.json\n", "d/s.ini:1: launch: precedes the first section; start with [sweep]"},
    {"[sweep]\nlanch = l.json\n", "d/s.ini:2: [sweep] has no key 'lanch'; did you mean 'launch'?"},
    {"[sweep]\nwidth = 3\n",
     "d/s.ini:2: [sweep] has no key 'width'; legal: launch, trace, machine, build, sample, seed, cost, max_cycles"},
    {SWEEP "trace = t.wwt\n", "d/s.ini:3: trace: line 2 already says what to run; legal: one launch or one trace"},
    {SWEEP "launch = m.json\n", "d/s.ini:3: launch: is already set"},
    {SWEEP "seed =\n[axes]\n", "d/s.ini:3: seed: has no value"},
    {SWEEP "seed = -1\n", "d/s.ini:3: seed: '-1' is not a whole number from 0 to 2^53"},
    {SWEEP "sample = latin\n", "d/s.ini:3: sample: 'latin'; legal: grid, random N, latin N, with N from 1 to 1000000"},
    {SWEEP "sample = random 0\n",
     "d/s.ini:3: sample: 'random 0'; legal: grid, random N, latin N, with N from 1 to 1000000"},
    {SWEEP "sample = grid 7\n",
     "d/s.ini:3: sample: 'grid 7'; legal: grid, random N, latin N, with N from 1 to 1000000"},
    {SWEEP "sample = random 5M\n",
     "d/s.ini:3: sample: 'random 5M'; legal: grid, random N, latin N, with N from 1 to 1000000"},
    {SWEEP "sample = sobol 5\n",
     "d/s.ini:3: sample: 'sobol 5'; legal: grid, random N, latin N, with N from 1 to 1000000"},
    {SWEEP "sample = random 7\n[axes]\na = 1..6\n",
     "d/s.ini:3: sample: 7 points, but there are only 6; sample = grid runs them all"},
    {SWEEP "cost = 1 +\n", "d/s.ini:3: cost: expected a number, a name or '(', at its end"},
    {SWEEP "[axis]\na = 1\n", "d/s.ini:4: no section [axis]; did you mean [axes]?"},
    {SWEEP "[parameters]\na = 1\n",
     "d/s.ini:4: no section [parameters]; legal: [sweep], [set], [axes], [zip NAME], [constraints]"},
    {SWEEP "[axes]\ndma.queue\n", "d/s.ini:4: not a [section], key = value or comment"},
    {SWEEP "[axes]\ndma.queue = 1 1\nnothing\n", "d/s.ini:5: not a [section], key = value or comment"},
    {SWEEP "[axes]\n= 1\n", "d/s.ini:4: a value without a key; legal: key = value"},
    {SWEEP "[axes]\ndma.queue =\n", "d/s.ini:4: dma.queue: has no value"},
    {SWEEP "[axes]\ndma.queue = ,\n",
     "d/s.ini:4: dma.queue: no value; legal: words and ranges, as in 1 2 4, 1..6, 0..64:8, 1..64*2"},
    {SWEEP "[axes]\ndma.queue = 1 2 1\n", "d/s.ini:4: dma.queue: '1' is listed twice"},
    {SWEEP "[axes]\ndma.queue = 4..6 1..5:4\n", "d/s.ini:4: dma.queue: '5' is listed twice"},
    {SWEEP "[axes]\nm.s = 4K 4096\n", "d/s.ini:4: m.s: '4096' is listed twice"},
    {SWEEP "[axes]\nm.s = 16 16.0\n", "d/s.ini:4: m.s: '16' and '16.0' are the same value"},
    {SWEEP "[axes]\nm.s = 1 16.0 16 0x10\n", "d/s.ini:4: m.s: '16.0' and '16' are the same value"},
    {SWEEP "[axes]\nm.s = b a b\n", "d/s.ini:4: m.s: 'b' is listed twice"},
    {SWEEP "[axes]\nq = 64..1\n", "d/s.ini:4: q: '64..1' goes down; in A..B, A must be at most B"},
    {SWEEP "[axes]\nq = 1..64:0\n", "d/s.ini:4: q: '1..64:0' has a step of 0; it must be at least 1"},
    {SWEEP "[axes]\nq = 1..64:-1\n", "d/s.ini:4: q: '1..64:-1' has a step of -1; it must be at least 1"},
    {SWEEP "[axes]\nq = 1..64*1\n", "d/s.ini:4: q: '1..64*1' has a factor of 1; it must be at least 2"},
    {SWEEP "[axes]\nq = 0..64*2\n", "d/s.ini:4: q: '0..64*2' begins at 0; with a factor, it must begin at 1 or more"},
    {SWEEP "[axes]\nq = 1..\n",
     "d/s.ini:4: q: '1..' is not a range; a range is A..B, A..B:STEP or A..B*FACTOR, of whole numbers up to 2^53"},
    {SWEEP "[axes]\nq = 1..6:\n",
     "d/s.ini:4: q: '1..6:' is not a range; a range is A..B, A..B:STEP or A..B*FACTOR, of whole numbers up to 2^53"},
    {SWEEP "[axes]\nq = 1..2.5\n",
     "d/s.ini:4: q: '1..2.5' is not a range; a range is A..B, A..B:STEP or A..B*FACTOR, of whole numbers up to 2^53"},
    {SWEEP "[axes]\nq = 1..9007199254740993\n", "d/s.ini:4: q: '1..9007199254740993' is not a range; a range is A..B, "
                                                "A..B:STEP or A..B*FACTOR, of whole numbers up to 2^53"},
    {SWEEP "[axes]\nq = 1..9999999G\n", "d/s.ini:4: q: '1..9999999G' is not a range; a range is A..B, A..B:STEP or "
                                        "A..B*FACTOR, of whole numbers up to 2^53"},
    {SWEEP "[axes]\nq = 1 .. 6\n",
     "d/s.ini:4: q: '..' is not a value; a range is A..B, A..B:STEP or A..B*FACTOR, without blanks"},
    {SWEEP "[axes]\nq = 1..6 *2\n",
     "d/s.ini:4: q: '*2' is not a value; a range is A..B, A..B:STEP or A..B*FACTOR, without blanks"},
    {SWEEP "[axes]\nq = 1..65536 0\n", "d/s.ini:4: q: more than 65536 values"},
    {SWEEP "[axes]\nq = 1..1G\n", "d/s.ini:4: q: more than 65536 values"},
    {SWEEP "[axes]\n  p = 1\n  q = 2\n",
     "d/s.ini:4: p: '=' contains a '='; a line that begins with a blank continues the key above"},
    {SWEEP "[axes]\nq = a\001b\n", "d/s.ini:4: q: 'a\001b' contains a control character"},
    {SWEEP "[axes]\nq-x = 1\n", "d/s.ini:4: 'q-x' is not a name; legal: letters, digits, '_' and '.', a letter first"},
    {SWEEP "[axes]\n2.q = 1\n", "d/s.ini:4: '2.q' is not a name; legal: letters, digits, '_' and '.', a letter first"},
    {SWEEP "[axes]\nq = 1\np = 2\nQ = 3\n", "d/s.ini:6: Q: line 4 already has this axis"},
    {SWEEP "[axes]\nq = 1\n[zip z]\nq = 3\n", "d/s.ini:6: q: line 4 already has this axis"},
    {SWEEP "[set]\nq = 1\n[axes]\nq = 1 2\n", "d/s.ini:6: q: line 4 already sets it for all points"},
    {SWEEP "[set]\nq = 1 2\n", "d/s.ini:4: q: has 2 values; put it in [axes] to vary it"},
    {SWEEP "[set]\nq = 2..1\n", "d/s.ini:4: q: '2..1' goes down; in A..B, A must be at most B"},
    {SWEEP "[zip]\nq = 1\n", "d/s.ini:4: [zip] has no name; legal: [zip NAME]"},
    {SWEEP "[zip z]\na = 1 2 3\nb = 1 2 3\nc = 1 2\n",
     "d/s.ini:6: zip z: c has 2 values, and a of line 4 has 3; a zip pairs values, so their numbers must be equal"},
    {SWEEP "[zip z]\na = 1 2 1\nb = 1 2 1\n", "d/s.ini:4: zip z: '1 1' is listed twice"},
    {SWEEP "[zip 345678901234567890123456789012345678901234567890]\na = 1\n",
     "d/s.ini:4: [zip 34567890123456789012345678901234567890123456...]: a section's name is longer than 47 characters"},
    {SWEEP "[axes]\na = 1\n[constraints]\nc = a <\n", "d/s.ini:6: c: expected a number, a name or '(', at its end"},
    {SWEEP "[axes]\na = 1\n[constraints]\nc = a = 1\n", "d/s.ini:6: c: expected an operator ('==' compares), at '= 1'"},
    {SWEEP "machine = dsp\n[axes]\nmachine = teaching h200\n",
     "d/s.ini:5: machine: [sweep] already sets 'dsp'; legal: one of the two"},
    {SWEEP "machine = dsp\n[set]\nmachine = h200\n[axes]\na = 1\n",
     "d/s.ini:5: machine: [sweep] already sets 'dsp'; legal: one of the two"},
    {SWEEP "[axes]\na = 1\n[constraints]\nc = a < 2\nc = a < 3\n", "d/s.ini:7: c: line 6 already has this constraint"},
    /* Reported once names are known. */
    {SWEEP "cost = dma.quene\n[axes]\ndma.queue = 1\n",
     "d/s.ini:3: cost: no axis, setting or parameter 'dma.quene'; did you mean 'dma.queue'?"},
    {SWEEP "[axes]\nq = 1\n[constraints]\nc = mem.l1_siz > q\n",
     "d/s.ini:6: c: no axis, setting or parameter 'mem.l1_siz'; did you mean 'mem.l1_size'?"},
    {SWEEP "[axes]\nq = 1\n[constraints]\nc = something > q\n",
     "d/s.ini:6: c: no axis, setting or parameter 'something'"},
    {SWEEP "[axes]\ndefine.N = 8 010\n[constraints]\nc = define.N < 9\n",
     "d/s.ini:6: c: '010' of define.N would be octal in C but is decimal here; write it without the leading 0"},
    {SWEEP "cost = define.N\n[set]\ndefine.N = -07\n[axes]\nq = 1\n",
     "d/s.ini:3: cost: '-07' of define.N would be octal in C but is decimal here; write it without the leading 0"},
    {SWEEP "[axes]\nq = 1..9\n[constraints]\na = q < 9\nb = q > 9\n",
     "d/s.ini:7: b: no point satisfies q > 9 and the constraints above it"},
    {SWEEP "[axes]\nq = 1..9\n[constraints]\na = q < 1\nb = q > 2\n", "d/s.ini:6: a: no point satisfies q < 1"},
    {SWEEP "[axes]\nq = 1..9\n[constraints]\na = 1 / 0 < q\n", "d/s.ini:6: a: no point satisfies 1 / 0 < q"},
    {SWEEP "[axes]\np = 1..2000\nq = 1..2000\n[constraints]\na = p + q == 0\n",
     "d/s.ini:7: a: none of 1000000 points drawn at random satisfies p + q == 0"},
    {SWEEP "sample = random 5\n[axes]\nq = 1..9\n[constraints]\na = q < 4\n",
     "d/s.ini:3: sample: 5 points, but of 9 only 3 satisfy the constraints; sample = grid runs them all"},
    {SWEEP "sample = latin 1\n[axes]\nq = 1..9\n[constraints]\na = q == 4\n",
     "d/s.ini:3: sample: none of 1 drawn points satisfies the constraints; try another seed or more points"},
};

TEST(sweep_plan, each_error_is_reported_in_one_line) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct message message[1] = {{""}};
    ct_freed(plan_free) struct sweep_plan plan;
    ct_note("%s", faults[i].text);
    EXPECT_FALSE(plan_parse(faults[i].text, "d/s.ini", &plan, message) &&
                 plan_settle(&plan, fixture_constant, NULL, message));
    EXPECT_STREQ(message->text, faults[i].message);
  }
}

TEST(sweep_plan, grids_larger_than_2_to_the_63_are_refused) {
  struct message message[1];
  char text[2000] = SWEEP "[axes]\n";
  struct sweep_plan plan;
  for (int i = 0; i < 63; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "a%d = 0 1\n", i);
  EXPECT_TRUE(plan_parse(text, "d/s.ini", &plan, message) && plan_settle(&plan, NULL, NULL, message));
  EXPECT_TRUE(plan.points == UINT64_C(1) << 63);
  uint32_t value[PLAN_AXES];
  EXPECT_TRUE(plan_point(&plan, plan.points - 1, value));
  EXPECT_EQ(value[0] + value[31] + value[62], 3);
  EXPECT_TRUE(plan_point(&plan, 2, value));
  EXPECT_EQ(value[0] + value[31] + value[62], 0);
  EXPECT_EQ(value[61], 1);
  plan_free(&plan);
  strcat(text, "last = 0 1\n");
  EXPECT_FALSE(plan_parse(text, "d/s.ini", &plan, message));
  EXPECT_STREQ(message->text, "d/s.ini: the axes have more than 2^63 points between them");
  plan_free(&plan);
  strcat(text, "more = 0 1\n");
  EXPECT_FALSE(plan_parse(text, "d/s.ini", &plan, message));
  EXPECT_STREQ(message->text, "d/s.ini:68: more: more than 64 axes");
  plan_free(&plan);
}

TEST(sweep_plan, lines_may_be_as_long_as_inih_allows_and_continue_if_indented) {
  struct message message[1];
  char text[PLAN_LINE + 100] = SWEEP "[axes]\nq = 1";
  const size_t before = strlen(text) - strlen("q = 1");
  struct sweep_plan plan;
  memset(text + strlen(text), ' ', before + PLAN_LINE - strlen(text) - 1);
  strcat(text, "2\n  3\n");
  ASSERT_TRUE(fixture_plan(text, &plan));
  EXPECT_EQ(plan.points, 3);
  plan_free(&plan);
  memcpy(text + before + PLAN_LINE - 1, " 2\n", 4);
  EXPECT_FALSE(plan_parse(text, "d/s.ini", &plan, message));
  EXPECT_STREQ(message->text, "d/s.ini:4: longer than 198 characters; an indented line continues the one above");
  plan_free(&plan);
}

TEST(sweep_plan, each_grid_point_occurs_once_and_the_last_axis_changes_fastest) {
  struct sweep_plan plan;
  ASSERT_TRUE(
      fixture_plan(SWEEP "[axes]\na = 1..3\nb = x y\n[zip z]\nc = 1 2 3 4\nd = 5 5 6 6\n[axes]\ne = 7 8\n", &plan));
  ASSERT_EQ(plan.points, 3 * 2 * 4 * 2);
  uint64_t number = 0;
  for (uint32_t a = 0; a < 3; a++)
    for (uint32_t b = 0; b < 2; b++)
      for (uint32_t z = 0; z < 4; z++)
        for (uint32_t e = 0; e < 2; e++) {
          uint32_t value[PLAN_AXES];
          EXPECT_TRUE(plan_point(&plan, number++, value));
          const uint32_t wanted[] = {a, b, z, z, e};
          EXPECT_EQ(memcmp(value, wanted, sizeof wanted), 0);
        }
  plan_free(&plan);
}

TEST(sweep_plan, constraints_exclude_points_and_are_counted) {
  struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(SWEEP "[set]\nlimit = 6\n[axes]\na = 1..10\nb = 1..10\nfree = 1..7\n"
                                 "[constraints]\norder = a <= b\nsum = a + b <= limit\n",
                           &plan));
  uint64_t there = 0, wanted = 0;
  for (uint64_t i = 0; i < plan.points; i++) {
    uint32_t value[PLAN_AXES];
    const bool allowed = plan_point(&plan, i, value);
    const int a = atoi(fixture_word(&plan, value, "a")), b = atoi(fixture_word(&plan, value, "b"));
    EXPECT_EQ(allowed, a <= b && a + b <= 6);
    there += allowed;
    wanted += a <= b && a + b <= 6;
  }
  struct plan_counted counted = plan_count(&plan);
  EXPECT_EQ(there, wanted);
  EXPECT_EQ(counted.points, there);
  EXPECT_TRUE(counted.exact);
  plan_free(&plan);
}

TEST(sweep_plan, counts_are_exact_when_few_axes_decide_and_estimated_when_many_do) {
  struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(
      SWEEP "[axes]\na = 1..1000\nb = 1..1000\nc = 1..1000\nd = 1..1000\n[constraints]\nc = a < b\n", &plan));
  struct plan_counted counted = plan_count(&plan);
  EXPECT_TRUE(counted.exact);
  EXPECT_EQ(counted.points, INT64_C(1000) * 999 / 2 * 1000 * 1000);
  plan_free(&plan);
  ASSERT_TRUE(
      fixture_plan(SWEEP "[axes]\na = 1..1000\nb = 1..1000\nc = 1..1000\n[constraints]\nc = a < b && b < c\n", &plan));
  counted = plan_count(&plan);
  const double wanted = 1000.0 * 999 * 998 / 6;
  EXPECT_FALSE(counted.exact);
  EXPECT_TRUE(fabs((double)counted.points / wanted - 1) < 0.02);
  plan_free(&plan);
}

TEST(sweep_plan, constants_are_those_of_the_point_s_machine) {
  struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(SWEEP
                           "cost = mem.l1_size + tile\n[axes]\nmachine = teaching h200\ntile = 1 64K\n"
                           "[constraints]\nfits = tile < mem.l1_size && (machine != 'h200' || cu.policy == \"fair\")\n",
                           &plan));
  static const bool allowed[] = {true, false, true, true};
  static const double cost[] = {32769, 98304, 262145, 327680};
  for (uint64_t i = 0; i < plan.points; i++) {
    uint32_t value[PLAN_AXES];
    EXPECT_EQ(plan_point(&plan, i, value), allowed[i]);
    EXPECT_TRUE(plan_cost(&plan, value) == cost[i]);
  }
  EXPECT_EQ(plan_count(&plan).points, 3);
  plan_free(&plan);
}

TEST(sweep_plan, words_and_the_base_machine_compare_with_quoted_words) {
  struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(SWEEP "machine = h200\n[axes]\ncu.way = fair greedy 7\n"
                                 "[constraints]\nc = cu.way != 'fair' && machine == 'h200' && cu.policy == 'oldest'\n",
                           &plan));
  uint32_t value[PLAN_AXES];
  EXPECT_FALSE(plan_point(&plan, 0, value));
  EXPECT_TRUE(plan_point(&plan, 1, value));
  EXPECT_TRUE(isnan(plan_cost(&plan, value)));
  plan_free(&plan);
}

TEST(sweep_plan, keys_are_sorted_by_axis_and_unique_per_point) {
  ct_freed(plan_free) struct sweep_plan plan;
  uint32_t value[PLAN_AXES];
  ASSERT_TRUE(fixture_plan(SWEEP "[axes]\nz.b = 4K 1\na = x\nz.a = 1..2\n", &plan));
  plan_point(&plan, 1, value);
  ct_freed(ct_free) char *key = plan_key(&plan, value);
  EXPECT_STREQ(key, "a=x z.a=2 z.b=4096");
}

TEST(sweep_plan, unreadable_files_are_reported) {
  struct message message[1];
  char path[] = "/tmp/sweep-XXXXXX";
  struct sweep_plan plan;
  EXPECT_FALSE(plan_read("/nonexistent/s.ini", &plan, message));
  EXPECT_STREQ(message->text, "/nonexistent/s.ini: No such file or directory");
  plan_free(&plan);
  EXPECT_FALSE(plan_read("/", &plan, message));
  EXPECT_STREQ(message->text, "/: Is a directory");
  plan_free(&plan);
  const int descriptor = mkstemp(path);
  ASSERT_EQ(write(descriptor, "[sweep]\0x", 9), 9);
  EXPECT_FALSE(plan_read(path, &plan, message));
  EXPECT_CONTAINS(message->text, ": contains a zero byte; a sweep file is text");
  plan_free(&plan);
  ASSERT_EQ(pwrite(descriptor, whole, sizeof whole - 1, 0), sizeof whole - 1);
  EXPECT_TRUE(plan_read(path, &plan, message));
  EXPECT_STREQ(plan.launch, "/tmp/sub/l.json");
  plan_free(&plan);
  ASSERT_EQ(ftruncate(descriptor, PLAN_FILE_BYTES + 1), 0);
  EXPECT_FALSE(plan_read(path, &plan, message));
  EXPECT_CONTAINS(message->text, ": larger than 1048576 bytes");
  plan_free(&plan);
  close(descriptor);
  unlink(path);
}

/* docs/sweep.md starts with a file and states how many points it has. */
TEST(sweep_plan, the_example_on_the_page_has_the_stated_points) {
  static char page[65536], said[200];
  FILE *file = fopen("docs/sweep.md", "r");
  ASSERT_TRUE(file);
  page[fread(page, 1, sizeof page - 1, file)] = '\0';
  fclose(file);
  char *text = strstr(page, "```ini\n"), *end = text ? strstr(text + 7, "```") : NULL;
  ASSERT_TRUE(end);
  *end = '\0';
  ct_freed(plan_free) struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(text + 7, &plan));
  snprintf(said, sizeof said, "= %d points of the axes, and %d of them", (int)plan.points,
           (int)plan_count(&plan).points);
  end[strlen("```\n\n") + 200] = '\0';
  EXPECT_CONTAINS(end + 1, said);
}
