/* The output of `warpwait check`. tests/check tests what it finds. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"
#include "sim/check/report.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

/* All work-items write data[0]; then each reads what its neighbor has written into the LDS. */

#define RACE "check race.wws --global 16 --local 8 --arg buffer:d=64:uint --arg local:64"

static void race_folder(void) {
  fixture_folder();
  tool_file("race.wws", CT_KERNEL(race));
}

static void expect(const char *arguments, int status, const char *out, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_CONTAINS(outcome.out, out);
  if (*err)
    EXPECT_CONTAINS(outcome.err, err);
  else
    EXPECT_STREQ(outcome.err, "");
}

/* Nothing was run: one line of output and no file. */
static void refuse(const char *arguments, const char *err) {
  char stranger[256] = "";
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_STREQ(outcome.out, "");
  EXPECT_CONTAINS(outcome.err, err);
  EXPECT_TRUE(strchr(outcome.err, '\n') && !strchr(outcome.err, '\n')[1]);
  EXPECT_EQ(tool_strangers(stranger, sizeof stranger), 0);
}

TEST(check_verb, a_clean_run_exits_0_and_reports_how_much_was_checked) {
  fixture_folder();
  /* 64 work-items load and store. */
  expect("check kernel.wws --global 64 --arg buffer:d=256:uint --arg uint:5 --arg local:64", 0,
         "no hazards: 128 accesses and 0 copies of 1 launch checked\n", "");
}

TEST(check_verb, a_hazard_shows_place_source_both_sides_bytes_count_and_advice) {
  race_folder();
  ct_freed(outcome_free) struct outcome outcome = tool(RACE);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_STREQ(outcome.err, "");
  static const char *const parts[] = {
      "race.wws:8:3: error: two work-items access the same bytes of global memory",
      "nothing orders the two [M6-global-race]\n    8 |   st.global.b32 [p], i\n      |   ^\n",
      "race.wws:8:3: note: the other access, at the same place\n",
      "  4 bytes at byte 0 of buffer 'd'\n",
      "advice: in a work-group, put a barrier with CLK_GLOBAL_MEM_FENCE, ",
      "for an image CLK_IMAGE_MEM_FENCE, between one access at line 8",
      "race.wws:13:3: error: ",
      "race.wws:11:3: note: the other access\n   11 |   st.lds.b32 [at], i\n      |   ^\n",
      "of local 'room'\n",
      " launch checked\n",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    EXPECT_CONTAINS(outcome.out, parts[i]);
  EXPECT_TRUE(strchr(outcome.out, '\033') == NULL); /* no colors except on a terminal */
}

TEST(check_verb, work_items_are_named_by_their_place_in_the_work_group) {
  /* A group of 4 x 2: work-item 5 is (1, 1, 0). */
  const struct isa_launch launch = {.global = {8, 2, 1}, .local = {4, 2, 1}, .groups = {2, 1, 1}, .warp_size = 32};
  const struct check_side side = {.group = {1, 0, 0}, .item = 5};
  uint32_t id[3];
  check_local_id(&launch, &side, id);
  EXPECT_EQ(id[0], 1);
  EXPECT_EQ(id[1], 1);
  EXPECT_EQ(id[2], 0);
}

/* Waits and barriers do not order another work-group's accesses, and another work-group has none in this LDS. */
TEST(check_verb, advice_differs_within_and_between_work_groups) {
  tool_folder();
  tool_file("k.cl", CT_KERNEL(advice_differs_within_and));
  ct_freed(outcome_free) struct outcome outcome =
      tool("check k.cl --global 16 --local 8 --arg buffer:a=64 --arg buffer:b=64");
  EXPECT_CONTAINS(outcome.out,
                  "advice: wait for the event of the copy at line 3 before the read at line 4; between two "
                  "copies of a work-group, a copy fence is enough\n");
  EXPECT_CONTAINS(outcome.out, "X9-overlapping-destinations");
  EXPECT_CONTAINS(outcome.out, "advice: between work-groups, let them write different bytes, or move one");
  EXPECT_CONTAINS(outcome.out, "X6-destination-written-in-flight");
  EXPECT_CONTAINS(outcome.out, "advice: between work-groups, let them use different bytes, or move one");
  EXPECT_TRUE(strstr(outcome.out, "line 6 before") == NULL);
}

TEST(check_verb, hosts_and_orders_find_the_same_hazards) {
  race_folder();
  struct outcome first = tool(RACE " --report json"), other = tool(RACE " --report json --order shuffled:7");
  EXPECT_STREQ(other.out, first.out);
  outcome_free(&first);
  outcome_free(&other);
}

TEST(check_verb, hazards_beyond_max_hazards_are_counted) {
  race_folder();
  expect(RACE " --max-hazards 0", 1, "hazards are not shown (--max-hazards)\n", "");
  expect(RACE " --max-hazards 1", 1, "race.wws:8:3: error", "");
  ct_freed(outcome_free) struct outcome outcome = tool(RACE " --max-hazards 1");
  EXPECT_TRUE(strstr(outcome.out, "race.wws:13:3: error") == NULL);
}

TEST(check_verb, a_launch_that_does_not_end_exits_1) {
  fixture_folder();
  tool_file(
      "stuck.wws",
      ".kernel k\n.reg i\n.pred p\n  get.local_id i, x\n  setp.lt.u32 p, i, 32\n@p bra out\n  bar.lds\nout: exit\n");
  expect(
      "check kernel.wws --global 64 --arg buffer:d=256:uint --arg uint:5 --arg local:64 --max-cycles 20", 1,
      "the run did not finish: only what ran was checked\nno hazards: ", "not finished after 20 cycles (--max-cycles)");
  expect("check stuck.wws --global 64 --local 64", 1, "stuck.wws:7:3: error: ", "deadlock at cycle");
}

TEST(check_verb, an_interrupted_check_exits_130_and_writes_nothing) {
  char stranger[256] = "";
  tool_folder();
  tool_file("spin.wws", ".kernel k\nagain: bra again\n");
  ct_freed(outcome_free) struct outcome outcome =
      tool_interrupted("check spin.wws --global 64 --sarif s.sarif --out report.txt");
  EXPECT_EQ(outcome.status, 130);
  EXPECT_STREQ(outcome.out, "");
  EXPECT_CONTAINS(outcome.err, "warpwait: interrupted in launch 1 of 1");
  EXPECT_EQ(tool_strangers(stranger, sizeof stranger), 0);
}

TEST(check_verb, suppressions_match_by_rule_file_line_column_and_other_place) {
  static const struct {
    const char *lines, *err;
    bool first, second; /* M6 at 8:3, M5 at 13:3 with 11:3 */
  } rows[] = {
      {"M6 # on purpose\n\n  # M5\n", "", true, false},
      {"M5-lds-race\r\n", "", false, true},
      {"*\n", "", true, true},
      {"M?-*-race race.wws\n", "", true, true},
      {"M5 race.wws:13\n", "", false, true},
      {"* *:1?:3 race.wws:11:*", "", false, true},
      {"* * *:11\n", "", false, true},
      {"M6 race.wws:8:3 race.wws:8:3\nM6 r*:8", "", true, false},
      {"M6 ace.wws\n", "s.txt:1: note: 'M6 ace.wws' suppressed nothing", false, false},
      {"M6 race.wws:9\n", "s.txt:1: note: 'M6 race.wws:9' suppressed nothing", false, false},
      {"M6 race.wws:8:4\n", "s.txt:1: note: ", false, false},
      {"M5 race.wws:13 race.wws:13\n", "s.txt:1: note: ", false, false},
      {"M6\nX5\n", "s.txt:2: note: 'X5' suppressed nothing", true, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    race_folder();
    tool_file("s.txt", rows[i].lines);
    ct_freed(outcome_free) struct outcome outcome = tool(RACE " --suppress s.txt");
    ct_note("%s", rows[i].lines);
    EXPECT_EQ(outcome.status, !(rows[i].first && rows[i].second));
    EXPECT_EQ(strstr(outcome.out, "race.wws:8:3: error") == NULL, rows[i].first);
    EXPECT_EQ(strstr(outcome.out, "race.wws:13:3: error") == NULL, rows[i].second);
    EXPECT_EQ(strstr(outcome.out, " suppressed: ") != NULL, rows[i].first || rows[i].second);
    if (*rows[i].err)
      EXPECT_CONTAINS(outcome.err, rows[i].err);
    else
      EXPECT_STREQ(outcome.err, "");
  }
}

TEST(check_verb, suppressions_match_files_by_the_last_parts_of_their_path) {
  static const struct {
    const char *pattern, *path;
    bool fits;
  } rows[] = {{"k.cl", "src/a/k.cl", true},     {"a/k.cl", "src/a/k.cl", true}, {"a/k.cl", "src/ba/k.cl", false},
              {"/src/k.cl", "/src/k.cl", true}, {"src/*", "src/a/k.cl", true},  {"/k.cl", "src/k.cl", false},
              {"k.c", "src/k.cl", false},       {"?.cl", "src/kk.cl", false},   {"a?b?1?.cl", "src/a b:1].cl", true},
              {"k[12].cl", "src/k2.cl", true}};
  const char *folder = tool_folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct suppressions all = {0};
    struct message message;
    char path[200], text[100];
    snprintf(text, sizeof text, "X5 %s", rows[i].pattern);
    tool_file("s.txt", text);
    snprintf(path, sizeof path, "%s/s.txt", folder);
    ASSERT_TRUE(suppressions_read(&all, path, &message));
    const struct suppress_place place = {rows[i].path, 0, 0};
    ct_note("%s %s", rows[i].pattern, rows[i].path);
    EXPECT_EQ(suppressions_fit(&all, "X5-destination-read-in-flight", &place, NULL), rows[i].fits);
    suppressions_free(&all);
  }
}

TEST(check_verb, suppressions_may_have_a_byte_order_mark_and_any_line_ends) {
  race_folder();
  tool_file("s.txt", "\xef\xbb\xbfM6 race.wws:8\r\n\r\n# the other\r\nM5\r\n");
  expect(RACE " --suppress s.txt", 0, "no hazards, 2 suppressed: ", "");
  tool_file("s.txt", "\xef\xbb\xbf");
  expect(RACE " --suppress s.txt", 1, "2 hazards of 2 rules: ", "");
}

TEST(check_verb, bad_suppressions_are_reported_with_their_line) {
  static const struct {
    const char *lines, *err;
  } rows[] = {
      {"# fine\nX55\n", "s.txt:2: no rule 'X55'; legal: X5, X5-destination-read-in-flight, X*, ..."},
      {"M5-lds-rase\n", "s.txt:1: no rule 'M5-lds-rase'; did you mean 'M5-lds-race'?"},
      {"M5 a b c\n", "s.txt:1: 'c' is one word too many; legal: RULE [PLACE [OTHER-PLACE]]"},
      {"M5 :3\n", "s.txt:1: a place cannot begin with ':'; legal: FILE, FILE:LINE or FILE:LINE:COLUMN"},
      {"M5 a:b\n", "s.txt:1: 'b' is not a line; legal: digits, * and ?"},
      {"M5 a:1 b:2:\n", "s.txt:1: '' is not a column; legal: digits, * and ?"},
      {"M5 a:1:2:3\n", "s.txt:1: '3' follows the column; legal: FILE:LINE:COLUMN"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    race_folder();
    tool_file("s.txt", rows[i].lines);
    refuse(RACE " --suppress s.txt --sarif s.sarif", rows[i].err);
  }
  race_folder();
  tool_bytes("s.txt", "M5\0", 3);
  refuse(RACE " --suppress s.txt", "s.txt: contains a zero byte; a file of suppressions is text");
  refuse(RACE " --suppress none.txt", "--suppress: none.txt: No such file");
}

TEST(check_verb, bad_options_are_reported_in_one_line) {
  race_folder();
  tool_file("s.txt", "M5\n");
  refuse("check", "a launch file or a kernel is missing");
  refuse(RACE " --max-hazards many", "--max-hazards: 'many' is not a whole number in [0, 4294967295] hazards");
  refuse(RACE " --report sarif", "--report: 'sarif' is not one of: text json");
  refuse(RACE " --verify", "--verify: is not an option of this verb, but of `warpwait run`");
  refuse(RACE " --sarif none/s.sarif", "--sarif: none/s.sarif: cannot be written");
  refuse(RACE " --sarif race.wws", "--sarif: race.wws: is also the input");
  refuse(RACE " --out s.txt --suppress s.txt", "--out: s.txt: is also a file of --suppress");
  refuse(RACE " --sarif -", "--sarif: -: the report also goes to standard output; write it with --out FILE");
  refuse(RACE " --report json --sarif /dev/stdout", "--sarif: /dev/stdout: the report also goes to standard output");
  refuse(RACE " --out o --sarif o", "--out: o: is also the file of --sarif");
  char text[2000];
  snprintf(text, sizeof text, fixture_launch, "");
  tool_file("l.json", text);
  refuse("check l.json --sarif kernel.wws", "--sarif: kernel.wws: is also the program");
}

/* The disk is full when the SARIF is written: the report must not look like a success. */
TEST(check_verb, a_report_that_cannot_be_written_exits_2) {
  race_folder();
  refuse(RACE " --sarif /dev/full --out report.txt", "--sarif: /dev/full: cannot be written: No space left on device");
}

/* ---- missing lanes and events ----------------------------------------------------- */

TEST(check_verb, a_divergent_call_shows_the_branch_and_what_the_missing_lanes_do) {
  fixture_folder();
  tool_file(
      "left.wws",
      ".kernel k\n.reg i\n.pred p\n  get.local_id i, x\n  setp.lt.u32 p, i, 3\n@p bra out\n  bar.lds\nout: exit\n");
  expect("check left.wws --global 32 --local 32", 1,
         "left.wws:6:1: note: the branch or the loop\n    6 | @p bra out\n      | ^\n"
         "  here: work-group (0, 0, 0), work-item 3 at (3, 0, 0)\n"
         "  the branch or the loop: work-group (0, 0, 0), work-item 0 at (0, 0, 0)\n"
         "  only 29 of 32 lanes of warp 0 are active; work-item 0 continues at line 8\n",
         "");
  tool_file("ended.wws",
            ".kernel k\n.reg i\n.pred p\n  get.local_id i, x\n  setp.lt.u32 p, i, 3\n@p exit\n  bar.lds\n  exit\n");
  expect("check ended.wws --global 32 --local 32", 1, "are active; work-item 0 has ended\n", "");
}

TEST(check_verb, a_wait_for_an_event_that_no_copy_creates_is_reported) {
  fixture_folder();
  tool_file("dead.wws", ".kernel k\n.reg e\n  mov.b32 e, 7\n  wait e\n  exit\n");
  expect("check dead.wws --global 32 --local 32", 1,
         "  event 7 has no copy: nothing completes it, so the wait never ends\n", "deadlock");
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static json_t *parse(const char *text) {
  json_error_t error;
  json_t *root = json_loads(text ? text : "", 0, &error);
  EXPECT_TRUE(root != NULL);
  return root;
}

static json_t *json_report(const char *arguments) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  json_t *root = parse(outcome.out);
  return root;
}

static bool has_row(const char *key) {
  for (size_t i = 0; i < check_key_count; i++)
    if (strcmp(check_keys[i].key, key) == 0)
      return true;
  return false;
}

/* Counts the members of an object, nested ones included, that have a row; each must have one. */
static size_t count_rows(const json_t *object, const char *prefix) {
  const char *key;
  json_t *value;
  size_t rows = 0;
  json_object_foreach((json_t *)object, key, value) {
    const json_t *inner = json_is_array(value) ? json_array_get(value, 0) : value;
    char name[100], list[104];
    snprintf(name, sizeof name, "%s%s", prefix, key);
    snprintf(list, sizeof list, "%s[]", name);
    const bool own = has_row(name) || has_row(list);
    rows += own;
    ct_note("key %s", name);
    EXPECT_TRUE(own || json_is_object(inner));
    if (json_is_object(inner)) {
      snprintf(name, sizeof name, "%s%s%s.", prefix, key, json_is_array(value) ? "[]" : "");
      rows += count_rows(inner, name);
    }
  }
  return rows;
}

TEST(check_verb, json_has_exactly_the_documented_keys) {
  race_folder();
  json_t *root = json_report(RACE " --report json");
  EXPECT_EQ(count_rows(root, ""), check_key_count);
  json_decref(root);
}

static const char *word(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static int64_t whole(const json_t *object, const char *key) { return json_integer_value(json_object_get(object, key)); }

TEST(check_verb, json_agrees_with_the_text) {
  race_folder();
  json_t *root = json_report(RACE " --report json");
  json_t *list = json_object_get(root, "hazards"), *global = json_array_get(list, 0);
  json_t *lds = json_array_get(list, json_array_size(list) - 1), *other = json_object_get(lds, "other");
  EXPECT_STREQ(word(json_object_get(root, "machine"), "name"), "teaching");
  EXPECT_STREQ(word(global, "rule"), "M6-global-race");
  EXPECT_STREQ(word(global, "buffer"), "d");
  EXPECT_STREQ(word(global, "space"), "global");
  EXPECT_STREQ(word(global, "source"), "  st.global.b32 [p], i");
  EXPECT_EQ(whole(global, "launch"), 1);
  EXPECT_EQ(whole(global, "offset"), 0);
  EXPECT_EQ(json_array_size(json_object_get(global, "work_items")), 2);
  EXPECT_STREQ(word(lds, "level"), "error");
  EXPECT_STREQ(word(lds, "lds"), "room");
  EXPECT_STREQ(word(lds, "file"), "race.wws");
  EXPECT_EQ(whole(lds, "line"), 13);
  EXPECT_EQ(whole(lds, "column"), 3);
  EXPECT_EQ(whole(lds, "bytes"), 4);
  EXPECT_EQ(whole(other, "line"), 11);
  EXPECT_STREQ(word(other, "what"), "the other access");
  EXPECT_TRUE(whole(json_object_get(root, "checked"), "accesses") > 0);
  json_decref(root);
}

TEST(check_verb, columns_are_bytes_in_text_and_characters_in_sarif) {
  tool_folder();
  tool_file("k.cl", "kernel void k(global int *a) {\n\t/* \xc3\xa4 */ a[0] = get_local_id(0);\n}\n");
  ct_freed(outcome_free) struct outcome outcome = tool("check k.cl --global 8 --arg buffer:a=64 --sarif s.sarif");
  EXPECT_CONTAINS(outcome.out, "k.cl:2:16: error: ");
  EXPECT_CONTAINS(outcome.out, "    2 | \t/* \xc3\xa4 */ a[0] = get_local_id(0);\n      | \t             ^\n");
  ct_freed(ct_free) char *text = tool_read("s.sarif");
  EXPECT_CONTAINS(text, "\"startColumn\": 15");
}

/* A long line is cut around the column, and the caret is below the column. */
TEST(check_verb, long_lines_are_cut_around_the_column) {
  char line[700] = "kernel void k(global int *a) { /* ", *out = NULL;
  tool_folder();
  for (int i = 0; i < 150; i++)
    strcat(line, "\xc3\xa4");
  strcat(line, " */ a[0] = get_local_id(0); /* ");
  for (int i = 0; i < 250; i++)
    strcat(line, "x");
  tool_file("k.cl", strcat(line, " */ }\n"));
  ct_freed(outcome_free) struct outcome outcome = tool("check k.cl --global 8 --arg buffer:a=64");
  EXPECT_CONTAINS(outcome.out, "k.cl:1:344: error: ");
  out = strstr(outcome.out, "    1 | ...\xc3\xa4");
  EXPECT_TRUE(out && strstr(out, " */ a[0] = get_local_id(0); /* xxx") < strchr(out, '\n'));
  EXPECT_CONTAINS(outcome.out, "xxx...\n      | ");
  const char *after = out ? strchr(out, '\n') : NULL, *caret = after ? strchr(after, '^') : NULL;
  const char *store = out ? strstr(out, "= get_local_id") : NULL;
  size_t width = 0;
  for (const char *at = out; store && at < store; at++)
    width += (*at & 0xc0) != 0x80;
  EXPECT_EQ(caret ? (size_t)(caret - after - 1) : 0, width);
}

/* SPIR-V without its OpLine. */
static size_t without_lines(uint32_t *word, size_t count) {
  enum { HEADER = 5, OP_LINE = 8 };
  size_t kept = HEADER;
  for (size_t at = HEADER, length; at < count; at += length) {
    length = word[at] >> 16;
    if ((word[at] & 0xffff) == OP_LINE)
      continue;
    memmove(word + kept, word + at, length * sizeof *word);
    kept += length;
  }
  return kept;
}

TEST(check_verb, instructions_without_lines_are_separate_places) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  char path[200];
  struct isa_error error = {""};
  snprintf(path, sizeof path, "%s/k.cl", tool_folder());
  tool_file("k.cl", "kernel void k(global int *a) {\n  a[1] = get_local_id(0);\n  a[2] = a[1];\n}\n");
  EXPECT_TRUE(opencl_compile(path, &(struct opencl_build){0}, &spirv, &size, &error));
  tool_bytes("k.spv", spirv, 4 * without_lines((uint32_t *)(void *)spirv, size / 4));
  ct_freed(outcome_free) struct outcome outcome = tool("check k.spv --global 8 --arg buffer:a=64");
  EXPECT_CONTAINS(outcome.out, "k.spv: note: the other access, at the same place\n");
  EXPECT_CONTAINS(outcome.out, "k.spv: note: the other access\n      | instruction ");
}

TEST(check_verb, output_of_work_items_is_in_json_only) {
  tool_folder();
  tool_file("p.cl", "kernel void p() { printf(\"hello %d\\n\", (int)get_local_id(0)); }\n");
  ct_freed(outcome_free) struct outcome outcome = tool("check p.cl --global 2");
  EXPECT_TRUE(strstr(outcome.out, "hello") == NULL);
  json_t *root = json_report("check p.cl --global 2 --report json");
  EXPECT_STREQ(word(json_array_get(json_object_get(root, "launches"), 0), "printf"), "hello 0\nhello 1\n");
  json_decref(root);
}

/* ---- SARIF: tests/check/sarif_test.py checks its form ---------------------------------------- */

static json_t *sarif_run(const char *arguments) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_freed(ct_free) char *text = tool_read("s.sarif");
  json_t *root = parse(text), *run = json_incref(json_array_get(json_object_get(root, "runs"), 0));
  EXPECT_STREQ(word(root, "version"), "2.1.0");
  json_decref(root);
  return run;
}

TEST(check_verb, sarif_includes_suppressed_and_hidden_hazards) {
  race_folder();
  tool_file("s.txt", "M6\n");
  json_t *run = sarif_run(RACE " --suppress s.txt --max-hazards 0 --sarif s.sarif");
  json_t *list = json_object_get(run, "results"), *first = json_array_get(list, 0);
  json_t *last = json_array_get(list, json_array_size(list) - 1);
  EXPECT_STREQ(word(first, "ruleId"), "M6-global-race");
  EXPECT_EQ(whole(first, "ruleIndex"), HAZARD_M6);
  EXPECT_EQ(json_array_size(json_object_get(first, "suppressions")), 1);
  EXPECT_STREQ(word(last, "ruleId"), "M5-lds-race");
  EXPECT_EQ(json_array_size(json_object_get(last, "suppressions")), 0);
  EXPECT_EQ(json_array_size(json_object_get(last, "relatedLocations")), 1);
  json_decref(run);
}

static json_t *location_of(json_t *run) {
  json_t *result = json_array_get(json_object_get(run, "results"), 0);
  json_t *location = json_array_get(json_object_get(result, "locations"), 0);
  return json_object_get(json_object_get(location, "physicalLocation"), "artifactLocation");
}

TEST(check_verb, sarif_goes_to_standard_output_when_the_report_does_not) {
  race_folder();
  json_t *root = json_report(RACE " --sarif - --out report.txt");
  EXPECT_STREQ(json_string_value(json_object_get(root, "version")), "2.1.0");
  json_decref(root);
}

TEST(check_verb, sarif_names_files_relative_to_the_current_folder_or_by_absolute_path) {
  char command[400], whole_path[200];
  const char *folder = tool_folder();
  tool_file("r %c.wws", CT_KERNEL(race)); /* tool() splits words at blanks, so a launch file names it */
  tool_file("l.json", "{\"program\": \"r %c.wws\", \"buffers\": {\"d\": {\"bytes\": 64}}, \"launches\": [{\"kernel\": "
                      "\"race\", \"global\": [8], \"local\": [8], \"args\": [{\"buffer\": \"d\"}, {\"local\": 64}]}]}");
  json_t *run = sarif_run("check l.json --sarif s.sarif");
  EXPECT_STREQ(word(location_of(run), "uri"), "r%20%25c.wws");
  EXPECT_STREQ(word(location_of(run), "uriBaseId"), "%SRCROOT%");
  json_decref(run);
  snprintf(command, sizeof command,
           "check ../%s/race.wws --global 8 --local 8 --arg buffer:d=64 --arg local:64 --sarif s.sarif",
           strrchr(folder, '/') + 1);
  tool_file("race.wws", CT_KERNEL(race));
  run = sarif_run(command);
  snprintf(whole_path, sizeof whole_path, "file://%s/race.wws", folder);
  EXPECT_STREQ(word(location_of(run), "uri"), whole_path);
  EXPECT_STREQ(word(location_of(run), "uriBaseId"), "");
  json_decref(run);
}

TEST(check_verb, included_files_are_named_by_a_path_that_opens) {
  const char *folder = tool_folder();
  tool_file("part.h", "void put(global int *a);\nvoid put(global int *a) { a[0] = get_local_id(0); }\n");
  tool_file("k.cl", "#include \"part.h\"\nkernel void k(global int *a) { put(a); }\n");
  char command[300];
  snprintf(command, sizeof command, "check %s/k.cl --global 8 --arg buffer:a=64", folder);
  ct_freed(outcome_free) struct outcome outcome = tool(command);
  snprintf(command, sizeof command, "%s/part.h:2:32: error: ", folder);
  EXPECT_CONTAINS(outcome.out, command);
}
