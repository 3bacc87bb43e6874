/* The examples stay correct: each launch file's golden report is what `run` prints, its checks pass on machines of
 * every shape, and its numbers do not depend on which host steps the model.
 *
 * Run from the root of the project, with the program in the environment variable WARPWAIT. */
#include <glob.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"

/* A command's output and exit status. The caller frees the text. */
struct outcome {
  char *text;
  int status;
};

static char *read_all(FILE *file) {
  size_t room = 1 << 16, used = 0, got = 0;
  char *text = malloc(room);
  while (text && (got = fread(text + used, 1, room - used - 1, file)) > 0) {
    used += got;
    if (used + 1 == room)
      text = realloc(text, room *= 2);
  }
  if (text)
    text[used] = '\0';
  return text;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = file ? read_all(file) : strdup("(no such file)");
  if (file)
    fclose(file);
  return text;
}

static struct outcome warpwait_run(const char *launch, const char *format, ...) {
  const char *program = getenv("WARPWAIT");
  char options[256], command[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(options, sizeof options, format, arguments);
  va_end(arguments);
  snprintf(command, sizeof command, "'%s' run '%s' %s 2>&1", program ? program : "build/warpwait", launch, options);
  ct_note("%s", command);
  FILE *pipe = popen(command, "r");
  struct outcome outcome = {.text = pipe ? read_all(pipe) : NULL, .status = -1};
  if (pipe)
    outcome.status = pclose(pipe);
  return outcome;
}

/* Runs it and expects success. */
static struct outcome run_well(const char *launch, const char *options) {
  struct outcome outcome = warpwait_run(launch, "%s", options);
  if (!EXPECT_EQ(outcome.status, 0))
    EXPECT_STREQ(outcome.text, "");
  return outcome;
}

static json_t *report_of(const char *launch, const char *options) {
  char with_json[256];
  snprintf(with_json, sizeof with_json, "--report json --host plain --why=no %s", options);
  struct outcome outcome = run_well(launch, with_json);
  json_t *report = json_loads(outcome.text, 0, NULL);
  EXPECT_TRUE(report != NULL);
  free(outcome.text);
  return report;
}

static const char *const launches_glob = "examples/*/launch*.json";

static void for_each_launch_file(void (*test)(const char *launch)) {
  ct_freed(globfree) glob_t found = {0};
  ASSERT_EQ(glob(launches_glob, 0, NULL, &found), 0);
  EXPECT_GE(found.gl_pathc, 10);
  for (size_t i = 0; i < found.gl_pathc; i++)
    test(found.gl_pathv[i]);
}

/* The golden report of launch_separate.json is in report_separate.txt. */
static void golden_path(const char *launch, char *path, size_t room) {
  const char *name = strrchr(launch, '/') + 1, *rest = name + strlen("launch");
  snprintf(path, room, "%.*sreport%.*s.txt", (int)(name - launch), launch, (int)(strlen(rest) - strlen(".json")), rest);
}

static int64_t number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  EXPECT_TRUE(json_is_integer(value));
  return json_integer_value(value);
}

static const json_t *launch_at(const json_t *report, size_t index) {
  return json_array_get(json_object_get(report, "launches"), index);
}

/* ---- all examples ------------------------------------------------------------------------- */

static void compare_with_golden(const char *launch) {
  char path[256];
  golden_path(launch, path, sizeof path);
  ct_freed(ct_free) char *golden = read_file(path);
  struct outcome outcome = run_well(launch, "");
  EXPECT_STREQ(outcome.text, golden);
  free(outcome.text);
}

TEST(examples, run_prints_the_golden_report) { for_each_launch_file(compare_with_golden); }

static int64_t sum_of(const json_t *counts) {
  const char *name = NULL;
  json_t *count = NULL;
  int64_t sum = 0;
  json_object_foreach((json_t *)counts, name, count) sum += json_integer_value(count);
  return sum;
}

static void add_up(const json_t *of) {
  size_t i = 0;
  json_t *instruction = NULL;
  int64_t by_instruction = 0;
  EXPECT_EQ(sum_of(json_object_get(of, "stalls")), number(of, "resident_cycles"));
  json_array_foreach(json_object_get(of, "by_instruction"), i, instruction) by_instruction +=
      sum_of(json_object_get(instruction, "stalls"));
  EXPECT_EQ(by_instruction, number(of, "resident_cycles"));
}

static void expect_good_report(const char *launch) {
  json_t *report = report_of(launch, "--verify"), *of = NULL;
  size_t index = 0;
  EXPECT_EQ(json_array_size(json_object_get(report, "hazards")), 0);
  EXPECT_GE(json_array_size(json_object_get(report, "verify")), 1);
  json_array_foreach(json_object_get(report, "launches"), index, of) add_up(of);
  json_decref(report);
}

TEST(examples, all_verify_without_hazards_and_stalls_sum_to_residency_by_bucket_and_by_instruction) {
  for_each_launch_file(expect_good_report);
}

/* Others run with the default, a warp size of 32 and one compute unit. */
static void verify_on_many_machines(const char *launch) {
  static const int shapes[][2] = {{16, 1}, {16, 132}, {32, 4}, {64, 1}, {64, 132}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    char options[128];
    snprintf(options, sizeof options, "--verify --host plain --why=no --set cu.warp_size=%d --set cu.count=%d",
             shapes[s][0], shapes[s][1]);
    free(run_well(launch, options).text);
  }
}

TEST(examples, results_hold_for_any_warp_size_and_number_of_cus) { for_each_launch_file(verify_on_many_machines); }

/* Compares the first order with the others. */
static void compare_orders(const char *launch, const char *same, const char *const *orders, size_t count) {
  struct outcome first = warpwait_run(launch, "%s %s", same, orders[0]);
  EXPECT_EQ(first.status, 0);
  EXPECT_CONTAINS(first.text, "\"trace_hash\"");
  for (size_t i = 1; i < count; i++) {
    struct outcome other = warpwait_run(launch, "%s %s", same, orders[i]);
    EXPECT_TRUE(strcmp(other.text, first.text) == 0);
    free(other.text);
  }
  free(first.text);
}

/* The golden report, and one other order, include the runs for --why. */
static void compare_all_orders(const char *launch) {
  static const char *const orders[] = {"--order ascending", "--order shuffled:7", "--order descending",
                                       "--order shuffled:8", "--host systemc"};
  compare_orders(launch, "--report json --set cu.count=4", orders, 2);
  compare_orders(launch, "--report json --set cu.count=4 --why=no", orders + 1, 4);
}

TEST(examples, evaluation_order_and_host_change_no_byte_of_the_report) { for_each_launch_file(compare_all_orders); }

/* ---- what each example shows ---------------------------------------------------------------- */

TEST(example_02, a_power_of_two_stride_costs_stride_passes_per_access) {
  enum { WARPS = 2, ACCESSES = 17 }; /* of a warp: a store and 16 loads */
  json_t *report = report_of("examples/02_bank_conflict/launch.json", "");
  for (size_t i = 0; i < 6; i++) {
    const json_t *lds = json_object_get(launch_at(report, i), "lds");
    int64_t stride = INT64_C(1) << i;
    EXPECT_EQ(number(lds, "max_ways"), stride);
    EXPECT_EQ(number(lds, "passes"), WARPS * ACCESSES * stride);
    EXPECT_EQ(number(lds, "conflict_cycles"), WARPS * ACCESSES * (stride - 1));
  }
  json_decref(report);
}

TEST(example_03, one_word_of_padding_per_row_removes_all_conflicts) {
  enum { READS = 1024 / 32 };
  json_t *report = report_of("examples/03_padding/launch.json", "");
  EXPECT_EQ(number(json_object_get(launch_at(report, 0), "lds"), "conflict_cycles"), READS * 31);
  EXPECT_EQ(number(json_object_get(launch_at(report, 1), "lds"), "conflict_cycles"), 0);
  EXPECT_LT(number(launch_at(report, 1), "cycles"), number(launch_at(report, 0), "cycles"));
  json_decref(report);
}

TEST(example_08, uneven_work_waits_at_barriers_and_takes_longer) {
  json_t *report = report_of("examples/08_barrier_imbalance/launch.json", "");
  const json_t *even = launch_at(report, 0), *uneven = launch_at(report, 1);
  EXPECT_EQ(number(even, "warp_instructions"), number(uneven, "warp_instructions"));
  EXPECT_LT(number(even, "cycles"), number(uneven, "cycles"));
  EXPECT_LT(2 * number(json_object_get(even, "stalls"), "barrier"),
            number(json_object_get(uneven, "stalls"), "barrier"));
  json_decref(report);
}

TEST(example_09, each_kernel_has_the_limit_that_its_name_states) {
  static const struct {
    const char *limit;
    int groups;
  } expected[] = {{"warps", 4}, {"registers", 2}, {"lds", 1}};
  json_t *report = report_of("examples/09_occupancy/launch.json", "");
  int64_t cycles = 0;
  for (size_t i = 0; i < 3; i++) {
    const json_t *of = launch_at(report, i), *occupancy = json_object_get(of, "occupancy");
    ct_note("launch %zu", i);
    EXPECT_EQ(number(occupancy, "groups_per_cu"), expected[i].groups);
    EXPECT_STREQ(json_string_value(json_object_get(occupancy, "limit")), expected[i].limit);
    EXPECT_LT(cycles, number(of, "cycles"));
    cycles = number(of, "cycles");
  }
  json_decref(report);
}

static int64_t contention(const char *launch, const char *counter) {
  json_t *report = report_of(launch, "");
  int64_t count = number(json_object_get(launch_at(report, 0), "lds"), counter);
  json_decref(report);
  return count;
}

TEST(example_10, the_first_requester_never_waits_and_two_ports_remove_all_waits) {
  EXPECT_GT(contention("examples/10_contention/launch.json", "contention_cycles"), 0);
  EXPECT_GT(contention("examples/10_contention/launch.json", "dma_contention_cycles"), 0);
  EXPECT_EQ(contention("examples/10_contention/launch_warps_first.json", "contention_cycles"), 0);
  EXPECT_GT(contention("examples/10_contention/launch_warps_first.json", "dma_contention_cycles"), 0);
  EXPECT_GT(contention("examples/10_contention/launch_dma_first.json", "contention_cycles"), 0);
  EXPECT_EQ(contention("examples/10_contention/launch_dma_first.json", "dma_contention_cycles"), 0);
  EXPECT_EQ(contention("examples/10_contention/launch_separate.json", "contention_cycles"), 0);
  EXPECT_EQ(contention("examples/10_contention/launch_separate.json", "dma_contention_cycles"), 0);
}

TEST(example_13, concurrently_the_slower_kernel_sets_the_time_and_the_faster_waits_for_room) {
  json_t *at_once = report_of("examples/13_pipe/launch_opencl.json", "");
  json_t *in_turn = report_of("examples/13_pipe/launch_in_turn_opencl.json", "");
  const json_t *put = launch_at(at_once, 0), *take = launch_at(at_once, 1);
  const json_t *pipe = json_array_get(json_object_get(put, "pipes"), 0);
  const int64_t produce = number(launch_at(in_turn, 0), "cycles"), consume = number(launch_at(in_turn, 1), "cycles");
  EXPECT_LT(produce, consume);
  EXPECT_LT(10 * number(put, "together_cycles"), 7 * (produce + consume));
  EXPECT_GT(number(put, "together_cycles"), consume);
  EXPECT_GT(json_real_value(json_object_get(pipe, "mean")), 128); /* of 256 */
  EXPECT_GT(number(json_object_get(put, "stalls"), "pipe_full"), 1000);
  EXPECT_LT(number(json_object_get(take, "stalls"), "pipe_empty"), 1000);
  json_decref(at_once);
  json_decref(in_turn);
}

/* ---- the kernels of `make bench`, which is too long to be a test --------------------------------- */

TEST(bench, kernels_run_without_hazards) {
  static const char *const out = "--arg buffer:out=1024:uint --arg uint:2";
  static const char *const in_out = "--arg buffer:in=65536:uint:iota --arg buffer:out=1024:uint --arg uint:2";
  const struct {
    const char *program, *arguments;
  } kernels[] = {{"tests/bench/alu.wws", out},
                 {"tests/bench/lds_tile.wws", out},
                 {"tests/bench/double_buffer.wws", in_out},
                 {"tests/bench/strided_gather.wws", in_out}};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    char options[256];
    snprintf(options, sizeof options, "--global 256 --local %d %s", kernels[i].arguments == out ? 256 : 64,
             kernels[i].arguments);
    json_t *report = report_of(kernels[i].program, options);
    EXPECT_EQ(json_array_size(json_object_get(report, "hazards")), 0);
    json_decref(report);
  }
}

/* ---- pages made from runs --------------------------------------------------------------------- */

static void expect_success(const char *command) {
  ct_note("%s", command);
  EXPECT_EQ(system(command), 0);
}

TEST(pages, the_worked_example_agrees_with_its_formulas_and_the_run) { expect_success("tests/examples/worked.py"); }

TEST(pages, the_table_of_depths_agrees_with_the_run) { expect_success("tests/examples/depth.py"); }

TEST(pages, listings_of_opencl_c_match_the_output_of_dis) { expect_success("tests/examples/lowering.py"); }
