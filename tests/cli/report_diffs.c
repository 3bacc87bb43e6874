/* warpwait diff: the comparison of two reports or traces, its sums, refusals and exit status. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tools/diff/diff.h"

/* Two tiles, one after the other: copy, wait and use of each. */
#define HEAD                                                                                                           \
  ".kernel tiles\n.arg in global\n.arg room local\n.reg i, v, e\n.reg64 p\n"                                           \
  "  ld.arg.b64 p, in\n"                                                                                               \
  "  ld.arg.b32 i, room\n"
#define COPY                                                                                                           \
  "  mov.b32 e, 0\n"                                                                                                   \
  "  copy.to_lds e, [i], [p], 64, size=4\n"
#define USE "  ld.lds.b32 v, [i]\n"
#define WAIT "  wait e\n"
#define END "  exit\n"

#define RUN " --global 128 --local 64 --arg buffer:in=4096:uint:iota --arg local:1024 "

static void good(const char *arguments, int status) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s: %s", arguments, outcome.err);
  EXPECT_EQ(outcome.status, status);
}

/* Makes NAME.wws, its report NAME.json and its trace NAME.wwt. */
static void record(const char *name, const char *kernel, const char *more) {
  char file[64], command[400];
  snprintf(file, sizeof file, "%s.wws", name);
  tool_file(file, kernel);
  snprintf(command, sizeof command, "run %s" RUN "--report json --out %s.json --trace %s.wwt %s", file, name, name,
           more);
  good(command, 0);
}

static void folder(void) {
  tool_folder();
  record("a", HEAD COPY WAIT USE END, "");
}

/* Returns the comparison as JSON and checks the exit status; the caller frees it. */
static json_t *compared(const char *arguments, int status) {
  char command[400];
  snprintf(command, sizeof command, "diff --report json %s", arguments);
  ct_freed(outcome_free) struct outcome outcome = tool(command);
  ct_note("warpwait %s: %s", command, outcome.err);
  EXPECT_EQ(outcome.status, status);
  json_t *root = json_loads(outcome.out, 0, NULL);
  EXPECT_TRUE(json_is_object(root));
  return root;
}

static int64_t at(const json_t *object, const char *key) { return json_integer_value(json_object_get(object, key)); }

static const json_t *in(const json_t *object, const char *first, const char *second) {
  return json_object_get(json_object_get(object, first), second);
}

/* The line of text `text` in B, or in A if B lacks it; NULL if there is none. */
static const json_t *line_of(const json_t *root, const char *text) {
  const json_t *line;
  size_t i;
  json_array_foreach(json_object_get(root, "lines"), i, line) {
    const char *a = json_string_value(in(line, "a", "text")), *b = json_string_value(in(line, "b", "text"));
    if (strcmp(b ? b : a, text) == 0)
      return line;
  }
  return NULL;
}

/* ---- no difference ----------------------------------------------------------------------------------- */

TEST(report_diffs, a_report_compared_with_itself_shows_no_difference) {
  folder();
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.json a.json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_STREQ(outcome.out, "");
  EXPECT_STREQ(outcome.err, "");
  json_t *root = compared("a.json a.json", 0);
  EXPECT_TRUE(json_is_true(json_object_get(root, "same")));
  json_decref(root);
  good("diff a.json a.json --out same.txt", 0);
  ct_freed(ct_free) char *text = tool_read("same.txt");
  EXPECT_STREQ(text, "");
}

TEST(report_diffs, a_trace_stands_for_the_report_of_its_run) {
  folder();
  good("diff a.json a.wwt", 0);
  good("diff a.wwt a.json", 0);
  good("diff a.wwt a.wwt", 0);
}

TEST(report_diffs, both_traces_are_replayed_on_the_given_machine) {
  folder();
  good("run a.wws" RUN "--set dma.setup=300 --report json --out slow.json", 0);
  good("diff a.wwt slow.json", 1);
  good("diff a.wwt slow.json --set dma.setup=300", 0);
  good("diff a.wwt a.wwt --set dma.setup=300", 0);
  good("diff slow.json a.wwt --set dma.setup=20 --set-b dma.setup=300", 0);
  good("diff a.wwt a.wwt --machine teaching --set-b dma.setup=300", 1);
}

/* ---- differences --------------------------------------------------------------------------------------- */

TEST(report_diffs, a_slower_copy_is_found_at_its_wait_and_in_its_bucket) {
  folder();
  json_t *root = compared("a.wwt a.wwt --set-b dma.setup=320", 1);
  const int64_t later = 300; /* one copy for each work-group, and both work-groups run at once */
  EXPECT_EQ(at(in(root, "figures", "cycles"), "change"), later);
  const int64_t warps = 4, waited = at(in(root, "stalls", "copy_wait"), "change");
  EXPECT_EQ(waited, warps * later);
  EXPECT_EQ(at(json_object_get(line_of(root, "wait e"), "cycles"), "change"), waited);
  EXPECT_EQ(at(in(root, "parameters", "dma.setup"), "a"), 20);
  EXPECT_EQ(at(in(root, "parameters", "dma.setup"), "b"), 320);
  EXPECT_EQ(json_object_size(json_object_get(root, "parameters")), 1);
  json_decref(root);
}

TEST(report_diffs, the_text_begins_with_totals_and_ends_with_the_machine) {
  folder();
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.wwt a.wwt --set-b dma.setup=320");
  static const char *const parts[] = {"A  a.wwt: a.wws on teaching, replayed\n",
                                      "1 parameter of the machine differs",
                                      "B takes 300 cycles more than A (",
                                      "\ncycles ",
                                      "\ncopy_wait ",
                                      "\nresident ",
                                      "total of the changes above\n",
                                      "copy_wait +1200 ",
                                      "  wait e\n",
                                      "other lines, the same\n",
                                      "all lines; the changes add up to that of the resident warp-cycles\n",
                                      "\ndma.latency.mean ",
                                      "\nhiding.exposed_cycles ",
                                      "--all shows them\n",
                                      "\nmachine\ndma.setup                  20 -> 320 cycles\n"};
  const char *from = outcome.out;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *found = from ? strstr(from, parts[i]) : NULL;
    ct_note("%s", parts[i]);
    EXPECT_TRUE(found);
    from = found ? found : from;
  }
}

TEST(report_diffs, shifted_lines_match) {
  folder();
  record("b", "; one\n; two\n; three\n" HEAD "  mov.b32 v, 7\n" COPY WAIT "\n\n" USE "  ; a remark\n" END, "");
  json_t *root = compared("a.json b.json", 1);
  const json_t *wait = line_of(root, "wait e"), *new = line_of(root, "mov.b32 v, 7");
  EXPECT_EQ(at(json_object_get(wait, "a"), "line"), 10);
  EXPECT_EQ(at(json_object_get(wait, "b"), "line"), 14);
  EXPECT_EQ(at(json_object_get(wait, "issues"), "change"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(new, "a")));
  EXPECT_EQ(json_array_size(json_object_get(root, "lines")), 8);
  EXPECT_EQ(at(in(root, "figures", "warp_instructions"), "change"), 4);
  json_decref(root);
}

TEST(report_diffs, an_edited_line_is_shown_once) {
  folder();
  record("b", HEAD "  mov.b32 e, 0\n  copy.to_lds e, [i], [p], 128, size=4\n" WAIT USE END, "");
  json_t *root = compared("a.json b.json", 1);
  const json_t *copy = line_of(root, "copy.to_lds e, [i], [p], 128, size=4");
  EXPECT_TRUE(json_is_true(json_object_get(copy, "edited")));
  EXPECT_STREQ(json_string_value(in(copy, "a", "text")), "copy.to_lds e, [i], [p], 64, size=4");
  EXPECT_EQ(at(json_object_get(copy, "copy_bytes"), "change"), 2 * 64 * 4);
  json_decref(root);
}

/* Turns a.json into a report of OpenCL C in which the wait's line has this text. */
static void reword(const char *path, const char *text) {
  ct_freed(ct_free) char *written = tool_read("a.json");
  json_t *report = json_loads(written, 0, NULL), *line;
  size_t i;
  json_array_foreach(json_object_get(json_array_get(json_object_get(report, "launches"), 0), "by_line"), i, line) {
    json_object_set_new(line, "file", json_string("a.cl"));
    if (strcmp(json_string_value(json_object_get(line, "text")), "wait e") == 0)
      json_object_set_new(line, "text", json_string(text));
  }
  ct_freed(ct_free) char *bytes = json_dumps(report, 0);
  tool_file(path, bytes);
  json_decref(report);
}

TEST(report_diffs, changes_to_comments_do_not_count_and_changes_to_code_and_strings_do) {
  static const struct {
    const char *a, *b;
    bool edited;
  } rows[] = {
      {"f(a, b); // one", "f(a,  b); // two", false},
      {"f(a, /* one */ b);", "f(a, /* two, three */ b); /* four", false},
      {"f(a, /* one */ b);", "f(a, /* one */ c);", true},
      {"print(\"http://one\", a);", "print(\"http://two\", a);", true},
      {"print(\"\\\" // \", a);", "print(\"\\\" // \", b);", true},
  };
  folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    reword("one.json", rows[i].a);
    reword("two.json", rows[i].b);
    ct_note("%s and %s", rows[i].a, rows[i].b);
    json_t *root = compared("one.json two.json", 0);
    EXPECT_TRUE(json_is_boolean(json_object_get(line_of(root, rows[i].b), "edited")));
    EXPECT_EQ(json_is_true(json_object_get(line_of(root, rows[i].b), "edited")), rows[i].edited);
    json_decref(root);
  }
}

TEST(report_diffs, cycles_that_only_moved_between_lines_have_their_own_sentence) {
  folder();
  ct_freed(ct_free) char *text = tool_read("a.json");
  json_t *report = json_loads(text, 0, NULL);
  json_t *lines = json_object_get(json_array_get(json_object_get(report, "launches"), 0), "by_line");
  json_object_set_new(json_array_get(lines, 0), "file", json_string("other.wws"));
  ct_freed(ct_free) char *moved = json_dumps(report, 0);
  tool_file("moved.json", moved);
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.json moved.json");
  EXPECT_TRUE(strstr(outcome.out, "B takes the same number of cycles as A. Of lines the largest change is at "));
  json_decref(report);
}

TEST(report_diffs, lines_of_reports_without_source_match_by_number) {
  folder();
  json_t *report, *line;
  ct_freed(ct_free) char *text = tool_read("a.json");
  size_t i;
  report = json_loads(text, 0, NULL);
  json_array_foreach(json_object_get(json_array_get(json_object_get(report, "launches"), 0), "by_line"), i, line) {
    json_object_del(line, "text");
  }
  ct_freed(ct_free) char *without = json_dumps(report, 0);
  tool_file("without.json", without);
  good("diff a.json without.json", 0);
  json_decref(report);
}

TEST(report_diffs, new_and_fixed_hazards_are_reported) {
  folder();
  record("b", HEAD COPY END, ""); /* X10: no wait */
  json_t *root = compared("a.json b.json", 1);
  const json_t *hazard = json_array_get(json_object_get(root, "hazards"), 0);
  EXPECT_EQ(json_array_size(json_object_get(root, "hazards")), 1);
  EXPECT_CONTAINS(json_string_value(json_object_get(hazard, "rule")), "X10");
  EXPECT_EQ(at(json_object_get(hazard, "count"), "a"), 0);
  EXPECT_EQ(at(json_object_get(hazard, "count"), "b"), 2);
  json_decref(root);
  struct outcome came = tool("diff a.json b.json"), went = tool("diff b.json a.json");
  EXPECT_CONTAINS(came.out, "\n+ X10");
  EXPECT_CONTAINS(went.out, "\n- X10");
  outcome_free(&came);
  outcome_free(&went);
}

TEST(report_diffs, a_hazard_at_a_shifted_line_matches) {
  tool_folder();
  record("a", HEAD COPY END, "");
  record("b", "; one\n; two\n" HEAD COPY END, "");
  json_t *root = compared("a.json b.json", 0);
  const json_t *hazard = json_array_get(json_object_get(root, "hazards"), 0);
  EXPECT_EQ(json_array_size(json_object_get(root, "hazards")), 1);
  EXPECT_EQ(at(json_object_get(hazard, "b"), "line"), at(json_object_get(hazard, "a"), "line") + 2);
  EXPECT_EQ(at(json_object_get(hazard, "count"), "change"), 0);
  json_decref(root);
}

TEST(report_diffs, unfinished_launches_are_reported) {
  folder();
  good("run a.wws" RUN "--max-cycles 50 --report json --out cut.json", 1);
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.json cut.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.out, "B: launch 1 did not finish (cycle_limit)");
  good("diff cut.json cut.json", 0);
}

/* ---- launches --------------------------------------------------------------------------------------------- */

#define KERNEL(name, body)                                                                                             \
  ".kernel " name "\n.arg data global\n.reg v\n.reg64 p\n  ld.arg.b64 p, data\n" body "  exit\n"
#define LOAD "  ld.global.b32 v, [p]\n  add.i32 v, v, 1\n"
#define LAUNCH(name) "{\"kernel\": \"" name "\", \"global\": [32], \"local\": [32], \"args\": [{\"buffer\": \"data\"}]}"

static void launch(const char *name, const char *launches) {
  char text[2000], file[64], command[200];
  snprintf(
      text, sizeof text,
      "{\"program\": \"k.wws\", \"buffers\": {\"data\": {\"bytes\": 256, \"elem\": \"uint\"}}, \"launches\": [%s]}",
      launches);
  snprintf(file, sizeof file, "%s.l.json", name);
  tool_file(file, text);
  snprintf(command, sizeof command, "run %s --report json --out %s.json", file, name);
  good(command, 0);
}

static void launches_folder(void) {
  tool_folder();
  tool_file("k.wws", KERNEL("one", LOAD) KERNEL("two", LOAD LOAD) KERNEL("six", LOAD LOAD LOAD));
  launch("a", LAUNCH("one") ", " LAUNCH("two"));
}

static void expect_pair(const json_t *root, size_t i, int64_t a, int64_t b) {
  const json_t *pair = json_array_get(json_object_get(root, "launches"), i);
  EXPECT_EQ(at(pair, "a"), a);
  EXPECT_EQ(at(pair, "b"), b);
}

TEST(report_diffs, launches_are_paired_in_order_by_kernel) {
  launches_folder();
  launch("b", LAUNCH("one") ", " LAUNCH("six") ", " LAUNCH("two"));
  json_t *root = compared("a.json b.json", 1);
  EXPECT_EQ(json_array_size(json_object_get(root, "launches")), 3);
  expect_pair(root, 0, 1, 1);
  expect_pair(root, 1, 0, 2);
  expect_pair(root, 2, 2, 3);
  json_decref(root);
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.json b.json");
  EXPECT_CONTAINS(outcome.out, "six, only in B\n");
  EXPECT_CONTAINS(outcome.out, "all launches");
}

TEST(report_diffs, an_equal_number_of_launches_of_other_kernels_is_reported_as_renamed) {
  launches_folder();
  launch("b", LAUNCH("one") ", " LAUNCH("six"));
  json_t *root = compared("a.json b.json", 1);
  const json_t *kernel = in(json_array_get(json_object_get(root, "launches"), 1), "differs", "kernel");
  EXPECT_STREQ(json_string_value(json_object_get(kernel, "a")), "two");
  EXPECT_STREQ(json_string_value(json_object_get(kernel, "b")), "six");
  json_decref(root);
}

TEST(report_diffs, one_launch_can_be_compared_alone) {
  launches_folder();
  launch("b", LAUNCH("one") ", " LAUNCH("six"));
  good("diff a.json b.json --launch 1", 0);
  good("diff a.json b.json --launch 2", 1);
  json_t *all = compared("a.json b.json", 1), *second = compared("a.json b.json --launch 2", 1);
  EXPECT_EQ(at(in(all, "figures", "cycles"), "change"), at(in(second, "figures", "cycles"), "change"));
  EXPECT_TRUE(at(in(all, "figures", "cycles"), "a") > at(in(second, "figures", "cycles"), "a"));
  json_decref(all);
  json_decref(second);
}

/* Launch 1 of A runs the kernel of launch 2 of B; order alone would not pair them. */
TEST(report_diffs, a_launch_can_be_compared_with_a_named_one) {
  launches_folder();
  launch("b", LAUNCH("six") ", " LAUNCH("one"));
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.json b.json --launch 2 --launch-b 1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.out, "on teaching, launch 2\nB  b.json: ");
  EXPECT_CONTAINS(outcome.out, "on teaching, launch 1\n");
  EXPECT_CONTAINS(outcome.out, "\nkernel                     two -> six\n");
  json_t *root = compared("a.json b.json --launch 2 --launch-b 1", 1);
  EXPECT_EQ(json_array_size(json_object_get(root, "launches")), 1);
  expect_pair(root, 0, 2, 1);
  json_decref(root);
  good("diff a.json a.json --launch 1 --launch-b 1", 0);
  good("diff a.json a.json --launch 1 --launch-b 2", 1);
}

TEST(report_diffs, a_line_run_by_several_launches_is_shown_once) {
  launches_folder();
  launch("b", LAUNCH("one") ", " LAUNCH("one"));
  json_t *root = compared("b.json b.json", 0);
  const json_t *load = line_of(root, "ld.global.b32 v, [p]");
  EXPECT_EQ(json_array_size(json_object_get(root, "lines")), 4);
  EXPECT_EQ(at(json_object_get(load, "issues"), "b"), 2);
  json_decref(root);
}

TEST(report_diffs, concurrent_launches_count_cycles_and_shared_counters_once) {
  launches_folder();
  launch("b", "{\"together\": [" LAUNCH("one") ", " LAUNCH("two") "]}");
  json_t *root = compared("a.json b.json", 1);
  ct_freed(ct_free) char *text = tool_read("b.json");
  json_t *report = json_loads(text, 0, NULL);
  const json_t *first = json_array_get(json_object_get(report, "launches"), 0);
  EXPECT_EQ(at(in(root, "figures", "cycles"), "b"), at(first, "together_cycles"));
  EXPECT_EQ(at(in(root, "figures", "memory.loads"), "b"), 3);
  EXPECT_EQ(at(in(root, "figures", "memory.loads"), "a"), 3);
  json_decref(report);
  json_decref(root);
}

/* A pipe in which every counter is `count`. */
static void give_pipe(json_t *launch, uint64_t count) {
  json_t *pipe = json_pack("{s:s}", "name", "p");
  for (size_t i = 0; i < isa_pipe_stat_group.count; i++)
    json_object_set_new(pipe, isa_pipe_stat_group.rows[i].name, json_integer((json_int_t)count));
  json_object_set_new(launch, "pipes", json_pack("[o]", pipe));
}

TEST(report_diffs, packets_of_pipes_are_added_up_except_for_the_peak) {
  launches_folder();
  ct_freed(ct_free) char *text = tool_read("a.json");
  json_t *report = json_loads(text, 0, NULL), *list = json_object_get(report, "launches");
  give_pipe(json_array_get(list, 0), 5);
  give_pipe(json_array_get(list, 1), 3);
  ct_freed(ct_free) char *with = json_dumps(report, 0);
  tool_file("with.json", with);
  json_t *root = compared("a.json with.json", 1);
  EXPECT_EQ(at(in(root, "figures", "pipes[p].written"), "change"), 8);
  EXPECT_EQ(at(in(root, "figures", "pipes[p].most"), "change"), 5);
  json_decref(root);
  json_decref(report);
}

/* ---- sums ------------------------------------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return (uint32_t)(*state >> 33);
}

/* Random lines; the lower `kinds`, the more are equal. About `drop` of 8 are removed and as many inserted. */
static void random_kernel(uint64_t seed, uint64_t edits, uint32_t drop, char *text) {
  static const char *const lines[] = {"  add.i32 v, v, 3\n",     "  mul.i32 v, v, 5\n",   COPY WAIT,
                                      "  ld.lds.b32 v, [i]\n",   "  st.lds.b32 [i], v\n", "  bar.lds\n",
                                      "  ld.global.b32 v, [p]\n"};
  const uint32_t kinds = sizeof lines / sizeof *lines;
  char *end = text + sprintf(text, HEAD);
  for (int i = 0; i < 24; i++) {
    const char *line = lines[next_random(&seed) % kinds];
    if (next_random(&edits) % 8 < drop)
      end += sprintf(end, "  xor.b32 v, v, %" PRIu32 "\n", next_random(&edits) % 4);
    if (next_random(&edits) % 8 >= drop)
      end += sprintf(end, "%s", line);
  }
  sprintf(end, END);
}

static void expect_sums(const json_t *root, const char *side) {
  int64_t buckets = 0, lines = 0;
  const char *key;
  const json_t *value;
  size_t i;
  json_object_foreach(json_object_get(root, "stalls"), key, value) { buckets += at(value, side); }
  json_array_foreach(json_object_get(root, "lines"), i, value) { lines += at(json_object_get(value, "cycles"), side); }
  EXPECT_EQ(buckets, at(in(root, "figures", "resident_cycles"), side));
  EXPECT_EQ(lines, buckets);
}

static void expect_report(const json_t *root, const char *side, const char *file) {
  ct_freed(ct_free) char *text = tool_read(file);
  json_t *report = json_loads(text, 0, NULL);
  const json_t *first = json_array_get(json_object_get(report, "launches"), 0);
  EXPECT_EQ(at(in(root, "figures", "cycles"), side), at(first, "cycles"));
  EXPECT_EQ(at(in(root, "figures", "resident_cycles"), side), at(first, "resident_cycles"));
  json_decref(report);
}

TEST(report_diffs, changes_of_random_pairs_add_up_to_the_total) {
  char kernel[4000], set[100];
  for (uint64_t seed = 0; seed < 16; seed++) {
    tool_folder();
    random_kernel(seed, seed, (uint32_t)(seed % 3), kernel);
    record("a", kernel, "");
    random_kernel(seed, seed + 100, (uint32_t)(seed % 4), kernel);
    snprintf(set, sizeof set, "--set dma.setup=%" PRIu64 " --set lds.banks=%d", 20 * (seed % 3), seed & 1 ? 16 : 32);
    record("b", kernel, set);
    json_t *root = compared("a.json b.json", 1);
    ct_note("seed %" PRIu64, seed);
    expect_sums(root, "a");
    expect_sums(root, "b");
    expect_sums(root, "change");
    expect_report(root, "a", "a.json");
    expect_report(root, "b", "b.json");
    json_decref(root);
  }
}

/* The length of the longest common subsequence by the plain table. */
static size_t common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
  size_t table[41][41] = {{0}};
  for (size_t i = 1; i <= a_count; i++)
    for (size_t j = 1; j <= b_count; j++) {
      const size_t skip = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : skip;
    }
  return table[a_count][b_count];
}

TEST(report_diffs, a_match_is_a_longest_common_subsequence) {
  uint64_t state = 7;
  for (int round = 0; round < 2000; round++) {
    uint64_t a[40], b[40];
    size_t mate[40], matched = 0, last = 0;
    const size_t a_count = next_random(&state) % 41, b_count = next_random(&state) % 41;
    const uint32_t kinds = 1 + next_random(&state) % 20;
    for (size_t i = 0; i < 40; i++) {
      a[i] = next_random(&state) % kinds;
      b[i] = next_random(&state) % kinds;
    }
    diff_match(a, a_count, b, b_count, mate);
    for (size_t i = 0; i < a_count; i++) {
      if (mate[i] == DIFF_NONE)
        continue;
      EXPECT_EQ(a[i], b[mate[i]]);
      EXPECT_TRUE(mate[i] < b_count && (!matched || mate[i] > last));
      last = mate[i];
      matched++;
    }
    EXPECT_EQ(matched, common(a, a_count, b, b_count));
  }
}

/* ---- bad input ------------------------------------------------------------------------------------------------- */

static void refuse(const char *arguments, const char *part) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_CONTAINS(outcome.err, part);
  EXPECT_STREQ(outcome.out, "");
  EXPECT_TRUE(strchr(outcome.err, '\n') && !strchr(outcome.err, '\n')[1]);
}

TEST(report_diffs, bad_usage_is_reported_in_one_line) {
  static const struct {
    const char *arguments, *part;
  } rows[] = {
      {"diff", "two reports, traces or logs are needed"},
      {"diff a.json", "two reports, traces or logs are needed"},
      {"diff a.json a.json a.json", "a.json: only two reports, traces or logs are allowed"},
      {"diff a.json none.json", "none.json: No such file"},
      {"diff a.json a.json --machine dsp", "--machine: needs a trace"},
      {"diff a.json a.json --set dma.setup=1", "--set: needs a trace"},
      {"diff a.wwt a.json --set-b dma.setup=1", "--set-b: B, a.json, is not a trace"},
      {"diff a.wwt a.json --machine-b dsp", "--machine-b: B, a.json, is not a trace"},
      {"diff a.wwt a.wwt --set-b dma.setups=1", "--set-b: no parameter 'dma.setups'"},
      {"diff a.wwt a.wwt --set dma.setups=1 --set-b dma.setup=1", "--set: no parameter 'dma.setups'"},
      {"diff a.wwt a.wwt --machine-b none", "--machine-b: no machine 'none'"},
      {"diff - -", "-: standard input cannot be both A and B"},
      {"diff a.wwt a.wwt --machine-b dsp", "a.wwt: launch 1: was recorded with warps of 32 lanes"},
      {"diff a.json a.json --top few", "--top: 'few'"},
      {"diff a.json a.json --launch 0", "--launch: '0'"},
      {"diff a.json a.json --launch 2", "--launch: 2: A has 1 launch"},
      {"diff a.json a.json --launch 1 --launch-b 2", "--launch-b: 2: B has 1 launch"},
      {"diff a.json a.json --launch-b 1", "--launch-b: needs --launch, the launch of A"},
      {"diff a.json a.json --report xml", "--report: 'xml'"},
      {"diff a.json a.wwt --out a.json", "--out: a.json: is also an input"},
      {"diff a.json a.wwt --out no/such.txt", "--out: no/such.txt"},
      {"diff - a.json", "/dev/stdin: is neither a trace, a log of `exec`, nor a JSON report"},
  };
  folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    refuse(rows[i].arguments, rows[i].part);
}

TEST(report_diffs, files_that_are_not_reports_are_refused_by_kind) {
  folder();
  tool_file("l.json", "{\"program\": \"a.wws\", \"launches\": []}");
  tool_file("other.json", "{\"tables\": []}");
  tool_file("list.json", "[1]");
  tool_bytes("store.sqlite", "SQLite format 3\0 and so on", 25);
  good("diff a.wwt a.wwt --set-b dma.setup=1 --report json --out d.json", 1);
  tool_file("e.json", "{\"warpwait\": \"0\", \"depends_on_time\": null, \"launches\": []}");
  good("check a.wws" RUN "--report json --out c.json", 0);
  good("run a.wws" RUN "--timeline t.wtl --out r.txt", 0);
  refuse("diff a.json l.json", "l.json: is a launch file, not a report; `warpwait run --report json` makes one");
  refuse("diff other.json a.json", "other.json: is not a report of `warpwait run` or `warpwait replay`");
  refuse("diff list.json a.json", "list.json: is neither a trace, a log of `exec`, nor a JSON report");
  refuse("diff a.json store.sqlite", "store.sqlite: is a sweep's store");
  refuse("diff a.json d.json", "d.json: is a comparison of `warpwait diff`");
  refuse("diff a.json e.json", "e.json: is an explanation of `warpwait explain`");
  refuse("diff a.json c.json", "c.json: is a report of `warpwait check`");
  refuse("diff a.json t.wtl", "t.wtl: is a timeline");
  refuse("diff a.json r.txt",
         "r.txt: is neither a trace, a log of `exec`, nor a JSON report; `--report json` makes one");
}

/* The report with its first `from` replaced by `to`. */
static void damage(const char *from, const char *to, const char *part) {
  char *text = tool_read("a.json"), *place = strstr(text, from), *bad = malloc(strlen(text) + strlen(to) + 1);
  ct_note("%s", from);
  EXPECT_TRUE(place);
  if (place) {
    sprintf(bad, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    tool_file("bad.json", bad);
    refuse("diff a.json bad.json", part);
  }
  free(bad);
  free(text);
}

TEST(report_diffs, a_damaged_report_is_refused_with_the_place) {
  folder();
  damage("\"warpwait\": \"", "\"warpwait\": \"9.", "bad.json:2: warpwait: the report is from '9.");
  damage("\"copy_wait\": ", "\"copy_wait\": 1", "launches[0].stalls: add up to ");
  damage("\"copy_wait\": ", "\"coffee_wait\": ", "launches[0].stalls.coffee_wait: no such key");
  damage("\"by_line\": [", "\"by_line\": [], \"old\": [", "launches[0].by_line: lines add up to 0 cycles");
  damage("\"by_line\": [", "\"by_lines\": [", "launches[0].by_line: is missing");
  damage("\"conflict_cycles\": 0", "\"conflict_cycles\": -1", "launches[0].lds.conflict_cycles: -1");
  damage("\"kernel\": \"tiles\"", "\"kernel\": 3", "launches[0].kernel: is not a string");
  damage("\"name\": \"a.wws\"", "\"name\": null", "name: is not a string");
  damage("\"parameters\": {", "\"parameters\": {\"x\": 3,", "machine.parameters.x: needs a `value`");
  damage("\"launches\": [", "\"launches\": [3,", "launches[0]: is not an object");
  damage("\"units\": {", "\"units\": {,", "bad.json:");
}

TEST(report_diffs, a_truncated_trace_is_refused) {
  folder();
  ct_freed(ct_free) char *text = tool_read("a.wwt");
  tool_bytes("cut.wwt", text, 500);
  refuse("diff a.json cut.wwt", "cut.wwt: offset ");
}
