/* Launch files with and without timing: the same bytes, printed text, hazards and ends. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/result.h"
#include "sim/base/file.h"
#include "sim/launch/launch_file.h"
#include "sim/session/run.h"
#include "tests/ct.h"

/* Kernels that lack a barrier or in which the first to arrive gets a packet: their results depend on timing. */
static const char *const races[] = {
    "P5_echo.json",
    "P5_group_blocks.json",
    "R2_null_in_lds.json",
    "R2_null_second.json",
    "R4_last_rounds_id.json",
    "R5_last_block.json",
    "R5_two_open.json",
    "R6_break.json",
    "R6_out_of_order.json",
    "X5_columns.wrong.json",
    "X5_lane_reads_tile.wrong.json",
    "X6_lane_write.wrong.json",
    "X6_lines_to_global.wrong.json",
    "X7_early_store.wrong.json",
    "X9_tile_of_two_copies.wrong.json",
};

struct side {
  struct job job;
  struct launch_result *results;
  size_t count;
  bool good;
  struct message message;
};

static bool side_run(struct side *side, const char *path, bool functional) {
  const struct job_request request = {.verify = true};
  const struct run_options options = {.max_cycles = 3000000, .functional = functional};
  *side = (struct side){.good = false};
  side->good = launch_load(path, &request, &side->job, &side->message) &&
               run_job(&side->job, &options, &side->results, &side->count, &side->message);
  return side->good;
}

static void side_free(struct side *side) {
  run_free(side->results, side->count);
  job_free(&side->job);
}

static bool is_race(const char *path) {
  bool race = false;
  for (size_t i = 0; i < sizeof races / sizeof *races; i++)
    race |= strcmp(file_base(path), races[i]) == 0;
  return race;
}

static void compare_bytes(const struct side *timed, const struct side *plain) {
  for (size_t i = 0; i < timed->job.memory.count; i++) {
    const struct isa_buffer *a = &timed->job.memory.buffers[i], *b = &plain->job.memory.buffers[i];
    EXPECT_TRUE(memcmp(a->data, b->data, a->bytes) == 0);
  }
}

/* The rules that hazards break, one bit each. */
static uint64_t rules(const struct launch_result *result) {
  uint64_t found = 0;
  for (size_t i = 0; i < result->hazard_count; i++)
    found |= UINT64_C(1) << result->hazards[i].first.rule;
  return found;
}

static void compare_launch(const struct side *timed, const struct side *plain, size_t i) {
  const struct launch_result *a = &timed->results[i], *b = &plain->results[i];
  const struct printed *one = &timed->job.launches[i].printed, *other = &plain->job.launches[i].printed;
  EXPECT_FALSE(a->functional);
  EXPECT_TRUE(b->functional);
  EXPECT_EQ(b->end, a->end);
  EXPECT_EQ(b->cu.work_groups, a->cu.work_groups);
  EXPECT_EQ(rules(b), rules(a));
  EXPECT_EQ(b->stuck_count, a->stuck_count);
  EXPECT_EQ(other->length, one->length);
  EXPECT_TRUE(!one->length || memcmp(other->text, one->text, one->length) == 0);
  EXPECT_EQ(b->cycles, 0);
  EXPECT_EQ(b->resident_cycles, 0);
}

static void compare(const char *path) {
  struct side timed = {.good = false}, plain = {.good = false};
  ct_note("%s", path);
  if (EXPECT_TRUE(side_run(&timed, path, false)) && EXPECT_TRUE(side_run(&plain, path, true)) &&
      EXPECT_EQ(plain.count, timed.count)) {
    for (size_t i = 0; i < timed.count; i++)
      compare_launch(&timed, &plain, i);
    if (!is_race(path))
      compare_bytes(&timed, &plain);
  } else
    ct_note("%s", timed.good ? plain.message.text : timed.message.text);
  side_free(&plain);
  side_free(&timed);
}

static void compare_all(const char *pattern) {
  ct_freed(globfree) glob_t found = {0};
  EXPECT_EQ(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++)
    compare(found.gl_pathv[i]);
}

TEST(files, examples_and_lessons_give_the_same_results_with_and_without_timing) {
  compare_all("examples/*/launch*.json");
  compare_all("docs/lessons/*/launch*.json");
}

TEST(files, hazard_kernels_give_the_same_results_and_break_the_same_rules_with_and_without_timing) {
  const char *python = getenv("PYTHON") ? getenv("PYTHON") : "/usr/bin/python3";
  char command[1024];
  snprintf(command, sizeof command, "%s -B tests/check/launches.py >/dev/null", python);
  EXPECT_EQ(system(command), 0);
  compare_all("build/check/launches/*.json");
}
