/* warpwait diff and explain: control characters in names from outside do not reach the terminal. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"

/* Control characters of ASCII, and of the second set in UTF-8. */
#define HOSTILE                                                                                                        \
  "\x1b[31m\r\n\x7f\xc2\x9b"                                                                                           \
  "31m\t"
#define TAMED "\\x1b[31m\\x0d\\x0a\\x7f\\xc2\\x9b31m "

/* Makes the strings of a report hostile. */
static void spoil(json_t *value, const char *more) {
  const char *key;
  json_t *part;
  size_t i;
  json_object_foreach(value, key, part) if (strcmp(key, "warpwait") != 0) spoil(part, more);
  json_array_foreach(value, i, part) spoil(part, more);
  if (!json_is_string(value))
    return;
  char text[2000];
  snprintf(text, sizeof text, "%s%s", json_string_value(value), more);
  json_string_set(value, text);
}

/* Writes a report of a kernel in the file, and the same with hostile strings as NAME.json. */
static void write_report(const char *name, const char *launch, const char *more) {
  char command[400];
  snprintf(command, sizeof command, "run %s --quiet --report json --out %s.json", launch, name);
  ct_freed(outcome_free) struct outcome outcome = tool(command);
  ct_note("warpwait %s: %s", command, outcome.err);
  ASSERT_TRUE(outcome.status == 0);
  snprintf(command, sizeof command, "%s.json", name);
  char *text = tool_read(command);
  json_t *root = json_loads(text, 0, NULL);
  spoil(root, more);
  free(text);
  text = json_dumps(root, 0);
  tool_file(command, text);
  free(text);
  json_decref(root);
}

#define KERNEL(more)                                                                                                   \
  ".kernel k\n.arg out global\n.reg i\n.reg64 p\n  ld.arg.b64 p, out\n" more "  exit ; \x1b[31m\x7f\n"
#define RUN " --global 64 --local 64 --arg buffer:out=1024:uint"

static size_t lines_in(const char *text) {
  size_t lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

TEST(hostile_reports, control_characters_in_their_strings_are_not_printed) {
  tool_folder();
  tool_file("a.wws", KERNEL("  mov.b32 i, 1\n"));
  tool_file("b.wws", KERNEL("  mov.b32 i, 1\n  mul.i32 i, i, i\n  st.global.b32 [p], i\n"));
  size_t lines[2];
  for (int hostile = 0; hostile < 2; hostile++) {
    write_report("a", "a.wws" RUN, hostile ? HOSTILE : "");
    write_report("b", "b.wws" RUN " --set cu.warp_size=16", hostile ? HOSTILE : "");
    ct_freed(outcome_free) struct outcome outcome = tool("diff a.json b.json --all");
    ct_note("%s%s", outcome.err, outcome.out);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(strstr(outcome.out, TAMED) != NULL, hostile);
    EXPECT_TRUE(strpbrk(outcome.out, "\x1b\r\x7f\t") == NULL);
    EXPECT_TRUE(strstr(outcome.out, "\xc2\x9b") == NULL);
    lines[hostile] = lines_in(outcome.out);
  }
  EXPECT_EQ(lines[1], lines[0] + 2); /* each says that it has not "finished" */
}

TEST(hostile_reports, control_characters_in_kernel_names_and_sources_are_not_printed) {
  tool_folder();
  tool_file("a\x1b[31m.wws", KERNEL("  st.global.b32 [p], i ; \x1b[31m\x7f\n"));
  ct_freed(outcome_free) struct outcome outcome = tool("explain --quiet a\x1b[31m.wws" RUN);
  ct_note("%s%s", outcome.err, outcome.out);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(strstr(outcome.out, "k in a\\x1b[31m.wws") != NULL);
  EXPECT_TRUE(strstr(outcome.out, "exit ; \\x1b[31m\\x7f") != NULL);
  EXPECT_TRUE(strpbrk(outcome.out, "\x1b\r\x7f\t") == NULL);
}

TEST(hostile_reports, a_long_word_is_printed_whole) {
  tool_folder();
  tool_file("a.wws", KERNEL("  mov.b32 i, 1\n"));
  char word[1000] = "", more[1100], *at = word;
  for (int i = 0; i < 450; i++)
    at += sprintf(at, "\u00e9");
  for (int side = 0; side < 2; side++) {
    snprintf(more, sizeof more, "%s%d", word, side);
    write_report(side ? "b" : "a", "a.wws" RUN, more);
  }
  ct_freed(outcome_free) struct outcome outcome = tool("diff a.json b.json");
  snprintf(more, sizeof more, "%s1\n", word);
  EXPECT_TRUE(strstr(outcome.out, more) != NULL);
}
