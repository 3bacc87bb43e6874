/* Costs per source line, and what work-items print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/launch/job.h"
#include "sim/launch/printed.h"
#include "sim/report/lines.h"
#include "sim/report/report.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

/* ---- lines --------------------------------------------------------------------------------------- */

enum { PCS = 6 };

/* Instructions on lines 3 and 9 of file 0, line 3 of file 1, and no line; one costs nothing. */
static struct isa_program program_of_lines(void) {
  static uint32_t line[PCS] = {9, 3, 3, 0, 3, 7};
  static uint16_t source[PCS] = {0, 0, 1, 0, 0, 0};
  return (struct isa_program){.line = line, .source = source, .count = PCS};
}

TEST(lines, costs_of_a_lines_instructions_add_up) {
  const struct isa_program program = program_of_lines();
  struct pc_result by_pc[PCS] = {{0}};
  const struct launch_result result = {.by_pc = by_pc};
  size_t count = 0;
  for (uint32_t pc = 0; pc < PCS - 1; pc++) {
    by_pc[pc].issues = 1u << pc;
    by_pc[pc].stalls[STALL_ISSUED] = 1u << pc;
    by_pc[pc].stalls[STALL_MEMORY] = 10u << pc;
    by_pc[pc].copy_max = 100 - pc;
    by_pc[pc].lds_conflict_cycles = pc;
  }
  by_pc[4].stalls[STALL_BARRIER] = 1000;
  ct_freed(ct_free) struct line_cost *lines = lines_of(&program, &result, &count);
  ASSERT_EQ(count, 4);
  static const struct {
    uint32_t source, line;
    uint64_t issues, cycles, most, conflict;
    enum stall stall;
  } rows[] = {{0, 0, 8, 88, 97, 3, STALL_MEMORY},
              {0, 3, 2 + 16, 22 + 176 + 1000, 99, 1 + 4, STALL_BARRIER},
              {0, 9, 1, 11, 100, 0, STALL_MEMORY},
              {1, 3, 4, 44, 98, 2, STALL_MEMORY}};
  for (size_t i = 0; i < count; i++) {
    ct_note("row %zu", i);
    EXPECT_EQ(lines[i].source, rows[i].source);
    EXPECT_EQ(lines[i].line, rows[i].line);
    EXPECT_EQ(lines[i].cost.issues, rows[i].issues);
    EXPECT_EQ(lines[i].cycles, rows[i].cycles);
    EXPECT_EQ(lines[i].cost.copy_max, rows[i].most);
    EXPECT_EQ(lines[i].cost.lds_conflict_cycles, rows[i].conflict);
    EXPECT_EQ(line_stall(&lines[i]), rows[i].stall);
  }
}

TEST(lines, a_line_that_never_waits_counts_as_issued) {
  const struct line_cost line = {.cost.stalls[STALL_ISSUED] = 7};
  EXPECT_EQ(line_stall(&line), STALL_ISSUED);
}

/* ---- what work-items print ----------------------------------------------------------------------- */

struct call {
  uint32_t group[3], item;
  const char *text;
};

static const struct isa_launch launch = {.groups = {2, 2, 1}};

/* Prints all calls, starting at `first` and wrapping around, and returns the text. */
static char *print(const struct call *calls, size_t count, size_t first, size_t limit, bool *truncated) {
  struct print_log log = {.limit = limit};
  for (size_t i = 0; i < count; i++) {
    const struct call *call = &calls[(first + i) % count];
    struct isa_group group = {.launch = &launch, .id = {call->group[0], call->group[1], call->group[2]}};
    print_log_take(&log, &group, call->item, call->text, strlen(call->text));
  }
  struct printed printed = print_log_finish(&log);
  char *text = calloc(printed.length + 1, 1);
  memcpy(text, printed.text, printed.length);
  *truncated = printed.truncated;
  printed_free(&printed);
  return text;
}

TEST(printed, output_is_ordered_by_group_item_and_call) {
  static const struct call calls[] = {{{1, 1, 0}, 0, "d"}, {{0, 1, 0}, 5, "c"},  {{1, 0, 0}, 9, "b2"},
                                      {{1, 0, 0}, 2, "b"}, {{0, 0, 0}, 1, "a1"}, {{0, 0, 0}, 1, "a2"},
                                      {{0, 0, 0}, 0, "a"}, {{0, 0, 0}, 1, "a3"}};
  bool truncated = true;
  ct_freed(ct_free) char *text = print(calls, sizeof calls / sizeof *calls, 0, 1000, &truncated);
  EXPECT_STREQ(text, "aa1a2a3bb2cd");
  EXPECT_FALSE(truncated);
}

/* Whichever call comes first in time, the text keeps the first calls in order. */
TEST(printed, truncation_does_not_depend_on_when_text_was_printed) {
  struct call calls[40];
  char texts[40][8];
  for (uint32_t i = 0; i < 40; i++) {
    snprintf(texts[i], sizeof texts[i], i % 7 ? "%02u " : "%02u--- ", i);
    calls[i] = (struct call){.group = {i / 20 % 2, i / 30 % 2, 0}, .item = i, .text = texts[i]};
  }
  for (size_t limit = 0; limit < 200; limit += 13) {
    bool cut = false, again = false;
    ct_freed(ct_free) char *text = print(calls, 40, 0, limit, &cut);
    EXPECT_LE(strlen(text), limit);
    EXPECT_EQ(cut, limit < 40 * 3 + 6 * 3);
    for (size_t first = 1; first < 40; first++) {
      ct_note("limit %zu, first %zu", limit, first);
      ct_freed(ct_free) char *other = print(calls, 40, first, limit, &again);
      EXPECT_STREQ(other, text);
      EXPECT_EQ(again, cut);
    }
  }
}

/* ---- the annotated source ------------------------------------------------------------------------ */

TEST(annotate, source_lines_show_their_costs_and_other_lines_none) {
  fixture_folder();
  struct outcome outcome = tool("run kernel.wws --global 64 --local 64 --arg buffer:a=256 --arg uint:1 --arg local:4 "
                                "--annotate");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "\nkernel.wws\n     %      issues  mostly waiting      sectors   line\n");
  EXPECT_CONTAINS(outcome.out, "... 4 lines\n");               /* no line before 7 has a cost */
  EXPECT_CONTAINS(outcome.out, "      6  .reg64 p\n");         /* context */
  EXPECT_CONTAINS(outcome.out, "           2  memory       "); /* the use of the loaded value waits */
  EXPECT_CONTAINS(outcome.out, "     12    add.i32 v, v, i\n");
  EXPECT_CONTAINS(outcome.out, "          8     10    ld.global.b32 v, [p]\n"); /* 64 lanes x 4 bytes / 32 */
  EXPECT_CONTAINS(outcome.out, "\nsectors         of global memory touched by warps' accesses\n");
  EXPECT_CONTAINS(outcome.out,
                  "charged to the line that uses a value,\n                not to the line that loads it\n");
  EXPECT_TRUE(!strstr(outcome.out, "\nLDS conflict ")); /* no such column */
  outcome_free(&outcome);
}

static char *lines_of_main[] = {"main 1", "main 2", "main 3", "main 4", "main 5", "main 6", "main 7"};
static char *lines_of_part[] = {"part 1", "part 2"};

/* Lines 1 and 7 of one file and 2 of another; two copies of 10 and 20 cycles. */
TEST(annotate, files_are_separate_small_gaps_are_shown_and_latencies_are_means) {
  static uint32_t line[3] = {1, 7, 2};
  static uint16_t source[3] = {0, 0, 1};
  struct isa_source sources[] = {{(char[]){"main.cl"}, NULL, lines_of_main, 7},
                                 {(char[]){"part.h"}, NULL, lines_of_part, 2}};
  const struct isa_program program = {
      .line = line, .source = source, .count = 3, .sources = sources, .source_count = 2};
  struct pc_result by_pc[3] = {{.issues = 1}, {.issues = 2}, {.issues = 3}};
  by_pc[1].copies = by_pc[1].copies_done = 2;
  by_pc[1].copy_cycles = 30;
  by_pc[1].copy_max = 20;
  const struct launch_result result = {.by_pc = by_pc, .resident_cycles = 100};
  struct job_launch one = {.isa.program = &program};
  const struct job job = {.launches = &one, .launch_count = 1};
  ct_freed(ct_free) char *text = report_annotate(&(struct report){.job = &job, .results = &result, .count = 1});
  EXPECT_CONTAINS(text, "\nmain.cl\n");
  EXPECT_CONTAINS(text, "\npart.h\n");
  EXPECT_CONTAINS(text, "  4  main 4\n"); /* the middle of five lines between two */
  EXPECT_TRUE(!strstr(text, "... "));
  EXPECT_CONTAINS(text, "      15.0      7  main 7\n");
}
