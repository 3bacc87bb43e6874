/* Files named by other files: --confined and --files against sources that try to read other files, and names of files
 * that never end. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"

#define KERNEL "kernel void k(global int *o) { o[get_global_id(0)] = secret(1); }\n"

static const char *here; /* the test's folder */

static void link_to(const char *target, const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", here, name);
  EXPECT_EQ(symlink(target, path), 0);
}

static void folder_of(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", here, name);
  EXPECT_EQ(mkdir(path, 0700), 0);
}

/* Makes box/l.json with its program, and secret.h outside the box. */
static void box(const char *build, const char *program) {
  char text[600];
  here = tool_folder();
  folder_of("box");
  snprintf(
      text, sizeof text,
      "{\"program\": \"k.cl\", \"build\": {%s}, \"buffers\": {\"o\": {\"bytes\": 256}}, \"launches\": [{\"kernel\": "
      "\"k\", \"global\": [64], \"local\": [64], \"args\": [{\"buffer\": \"o\"}]}]}",
      build);
  tool_file("box/l.json", text);
  tool_file("box/k.cl", program);
  tool_file("secret.h", "int secret(int a) { return a; }\n");
}

static void expect(const char *arguments, int status, const char *out, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_CONTAINS(outcome.out, out);
  EXPECT_CONTAINS(outcome.err, err);
}

TEST(confined, an_include_split_by_any_line_ending_is_found) {
  static const char *const ends[] = {"\n", "\r\n", "\r", "\n\r", " \t\r"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char program[300];
    snprintf(program, sizeof program, "#inc\\%slude \"../secret.h\"\n" KERNEL, ends[i]);
    box("", program);
    expect("run box/l.json --confined", 2, "", "'box/../secret.h' is outside");
    expect("run box/l.json --files", 0, "\nbox/../secret.h\n", "");
  }
}

TEST(confined, has_include_in_a_define_is_found) {
  box("\"defines\": {\"THERE\": \"__has_include(\\\"../secret.h\\\")\"}",
      "#if THERE\n#endif\nkernel void k(global int *o) {}\n");
  expect("run box/l.json --confined", 2, "", "'box/../secret.h' is outside");
}

TEST(confined, a_header_named_like_one_of_clang_s_opens_no_folder) {
  box("\"include\": [\"inc\"]", "#include <up/secret.h>\n" KERNEL);
  folder_of("box/inc");
  tool_file("box/inc/opencl-c-base.h", "");
  link_to("../..", "box/inc/up");
  expect("run box/l.json --confined", 2, "", "'box/inc/up/secret.h' is outside ");
}

TEST(confined, a_backslash_in_a_name_is_not_a_slash) {
  box("", "#include \"a\\b.h\"\n" KERNEL);
  folder_of("box/a");
  tool_file("box/a/b.h", "");
  link_to("../secret.h", "box/a\\b.h");
  expect("run box/l.json --confined", 2, "",
         "box/k.cl: a file whose name has a backslash cannot be included: \"box/a\\\\b.h\"\n");
  expect("run box/l.json --files", 2, "", "a backslash cannot be included");
}

TEST(confined, files_inside_and_clang_s_own_headers_are_read) {
  box("\"options\": \"-isystem inc\", \"defines\": {\"THERE\": \"__has_include(\\\"in.h\\\")\"}",
      "#include <opencl-c-base.h>\n#include <deep.h>\n#if THERE\n#include \"in.h\"\n#endif\n" KERNEL);
  folder_of("box/inc");
  tool_file("box/inc/deep.h", "");
  tool_file("box/in.h", "int secret(int a) { return a; }\n");
  expect("run box/l.json --confined", 0, "cycles", "");
}

static struct outcome with_input(const char *arguments, int file) {
  const int before = dup(STDIN_FILENO);
  dup2(file, STDIN_FILENO);
  struct outcome outcome = tool(arguments);
  dup2(before, STDIN_FILENO);
  close(before);
  return outcome;
}

TEST(confined, an_open_file_without_a_name_is_outside) {
  char path[200];
  here = tool_folder();
  folder_of("box");
  tool_file("box/k.wws", ".kernel k\n  exit\n");
  tool_file("box/l.json", "{\"program\": \"k.wws\", \"buffers\": {\"b\": {\"bytes\": 7, \"file\": \"/dev/stdin\"}}, "
                          "\"launches\": [{\"kernel\": \"k\", \"global\": [32], \"local\": [32]}]}");
  tool_file("gone", "hunter2");
  snprintf(path, sizeof path, "%s/gone", here);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  unlink(path);
  ct_freed(outcome_free) struct outcome outcome = with_input("run box/l.json --confined", file);
  close(file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_CONTAINS(outcome.err, "box/l.json:1: buffers.b.file: '/dev/stdin' is outside ");
}

/* Only root can make a link that belongs to another user. */
TEST(confined, an_output_follows_no_link_that_another_user_left_in_a_shared_folder) {
  char path[200];
  here = tool_folder();
  tool_file("k.wws", ".kernel k\n  exit\n");
  tool_file("mine", "as it was");
  folder_of("shared");
  snprintf(path, sizeof path, "%s/shared", here);
  EXPECT_EQ(chmod(path, 01777), 0);
  link_to("../mine", "shared/r");
  expect("run k.wws --global 32 -o shared/r", 0, "", "");
  tool_file("mine", "as it was");
  snprintf(path, sizeof path, "%s/shared/r", here);
  if (geteuid() != 0 || lchown(path, 65534, 65534) != 0)
    return;
  expect("run k.wws --global 32 -o shared/r", 2, "", "shared/r: cannot be written: Permission denied\n");
  ct_freed(ct_free) char *text = tool_read("mine");
  EXPECT_STREQ(text, "as it was");
}

TEST(confined, a_named_pipe_in_an_input_file_is_refused) {
  char path[200];
  here = tool_folder();
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", here, i ? "kernel-1.traceg" : "pipe.wwt");
    EXPECT_EQ(mkfifo(path, 0600), 0);
  }
  tool_file("s.ini", "[sweep]\ntrace = pipe.wwt\n[axes]\nlds.banks = 16 32\n");
  tool_file("kernelslist.g", "kernel-1.traceg\n");
  expect("sweep run s.ini -o s.sqlite", 2, "", "warpwait: pipe.wwt: is not a regular file\n");
  expect("trace import kernelslist.g o.wwt", 2, "", "warpwait: kernel-1.traceg: is not a regular file\n");
}

TEST(confined, messages_never_quote_files_that_are_not_source) {
  static const char *const programs[] = {
      "enum e { A,\n#include \"../secret.txt\"\n};\nint f(enum e e) { switch (e) { case A: return 0; } return 1; "
      "}\n" KERNEL,
      "int\n#include \"../secret.txt\"\n;\nkernel void k(global int *o) { o[0] = hunter3; }\n",
      "kernel void\n#include \"../secret.txt\"\n(global int *o) {}\n"};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    box("\"options\": \"-Wall\"", programs[i]);
    tool_file("secret.txt", "hunter2\n");
    ct_freed(outcome_free) struct outcome outcome = tool("run box/l.json");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_CONTAINS(outcome.err, "box/k.cl: error: 'box/../secret.txt' is included but not named like a source (");
    EXPECT_FALSE(strstr(outcome.err, "hunter2"));
  }
}

TEST(confined, a_file_s_name_in_a_warning_has_no_control_characters) {
  box("\"options\": \"-Wall\"",
      "#line 1 \"\\033]0;a\\007\\302\\233m.cl\"\n#warning told\nkernel void k(global int *o) {}\n");
  expect("run box/l.json", 0, "", "\\x1b]0;a\\x07\xc2\\x9bm.cl:1:2: warning: told");
}

/* More files than the table of paths first has room for, each named twice. */
TEST(confined, a_file_named_twice_is_listed_once) {
  enum { FILES = 1000 };
  here = tool_folder();
  tool_file("k.wws", ".kernel k\n  exit\n");
  ct_freed(ct_free) char *text = calloc(FILES + 10, 120);
  size_t used = (size_t)sprintf(text, "{\"program\": \"k.wws\", \"buffers\": {\"b\": {\"bytes\": 4}}, \"launches\": "
                                      "[{\"kernel\": \"k\", \"global\": [32], \"local\": [32]}], \"check\": [");
  for (int i = 0; i < 2 * FILES; i++)
    used += (size_t)sprintf(text + used, "{\"buffer\": \"b\", \"expected\": \"%d.bin\"},", i % FILES);
  sprintf(text + used - 1, "]}");
  tool_file("l.json", text);
  ct_freed(outcome_free) struct outcome outcome = tool("run l.json --files --verify");
  size_t lines = 0;
  for (const char *at = outcome.out; *at; at++)
    lines += *at == '\n';
  EXPECT_EQ(lines, FILES + 2);
  EXPECT_CONTAINS(outcome.out, "\n0.bin\n1.bin\n2.bin\n");
  EXPECT_CONTAINS(outcome.out, "\n999.bin\n");
}
