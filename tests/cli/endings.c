/* How text reports end, and rows that they merge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/help.h"
#include "sim/cli/rows.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), last = strlen(end);
  return length >= last && strcmp(text + length - last, end) == 0;
}

static void folder_with_launch(void) {
  char launch[2000];
  snprintf(launch, sizeof launch, fixture_launch, "");
  fixture_folder();
  tool_file("launch.json", launch);
}

/* The report has, if `ends`, the row of the verb at its end. */
static void expect_next(const char *words, enum verb verb, bool ends) {
  struct text next = {0};
  help_next(verb, &next);
  ct_freed(outcome_free) struct outcome ran = tool(words);
  EXPECT_GT(next.length, 0u);
  EXPECT_EQ(ends_with(ran.out, next.data), ends);
  EXPECT_EQ(strstr(ran.out, "Next: ") != NULL, ends);
  free(next.data);
}

TEST(endings, a_text_report_ends_with_the_next_command_and_json_does_not) {
  folder_with_launch();
  ct_freed(outcome_free) struct outcome made = tool("run launch.json --trace t.wwt --report json --out a.json");
  EXPECT_EQ(made.status, 0);
  tool_again(&made, "run launch.json --set mem.dram_latency=900 --report json --out b.json");
  static const struct {
    const char *words;
    enum verb verb;
  } verbs[] = {{"run launch.json", VERB_RUN},     {"replay t.wwt", VERB_REPLAY},
               {"check launch.json", VERB_CHECK}, {"explain launch.json --quiet", VERB_EXPLAIN},
               {"diff a.json b.json", VERB_DIFF}, {"trace info t.wwt", VERB_TRACE_INFO}};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    expect_next(verbs[i].words, verbs[i].verb, true);
    if (verbs[i].verb == VERB_TRACE_INFO)
      expect_next("trace info t.wwt --json", VERB_TRACE_INFO, false);
    else {
      char words[200];
      snprintf(words, sizeof words, "%s --report json", verbs[i].words);
      expect_next(words, verbs[i].verb, false);
    }
  }
}

TEST(endings, a_run_that_did_not_finish_names_no_next_command) {
  folder_with_launch();
  expect_next("run launch.json --max-cycles 5", VERB_RUN, false);
}

TEST(endings, a_report_with_nothing_to_say_stays_empty) {
  folder_with_launch();
  ct_freed(outcome_free) struct outcome made = tool("run launch.json --report json --out a.json");
  tool_again(&made, "diff a.json a.json");
  EXPECT_STREQ(made.out, "");
  EXPECT_STREQ(made.err, "");
}

TEST(endings, run_and_replay_share_a_row_and_help_shows_every_row) {
  size_t shown = 0;
  for (enum verb verb = 0; verb < VERBS; verb++) {
    struct text next = {0}, help = {0};
    help_next(verb, &next);
    if (verb_rows[verb].operands)
      help_text(verb, &help);
    if (next.length)
      EXPECT_TRUE(ends_with(help.data, next.data));
    shown += next.length > 0;
    free(next.data);
    free(help.data);
  }
  EXPECT_GE(shown, 12u);
  EXPECT_STREQ(next_of(VERB_RUN), next_of(VERB_REPLAY));
}

/* Both loads of line 6 have the same numbers; the store of line 3 has them, too, but another line. */
TEST(endings, equal_rows_of_the_lds_table_are_one_row_with_their_sums) {
  tool_folder();
  tool_file("k.cl", "kernel void k(global uint *out) {\n"
                    "  local uint tile[96];\n"
                    "  tile[get_local_id(0)] = 1;\n"
                    "  tile[get_local_id(0) + 64] = 2;\n"
                    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                    "  out[get_local_id(0)] = tile[get_local_id(0)] + tile[get_local_id(0) + 64];\n"
                    "}\n");
  ct_freed(outcome_free) struct outcome ran = tool("run k.cl --global 32 --local 32 --arg buffer:out=128");
  EXPECT_EQ(ran.status, 0);
  EXPECT_CONTAINS(ran.out, "           1           1                 0         1      3  tile[");
  EXPECT_CONTAINS(ran.out, "           2           2                 0         1      6  out[get_local_id(0)] = "
                           "tile[get_local_id(0)] + tile[get_local_id(0) + 64]; (2 instructions)\n");
}
