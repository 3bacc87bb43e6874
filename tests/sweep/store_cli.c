/* warpwait sweep info, csv and merge, as a user calls them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/sweep/store_rig.h"

struct said {
  int status;
  char text[8192]; /* on standard output and standard error */
};

/* Runs "warpwait sweep ..." in the tests' folder. */
static struct said sweep(const char *format, ...) {
  const char *program = getenv("WARPWAIT");
  struct said said = {-1, ""};
  char words[400], path[512];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  ct_freed(ct_free) char *whole = realpath(program ? program : "build/warpwait", NULL);
  snprintf(path, sizeof path, "cd %s && { %s sweep %s; } 2>&1", rig_path("."), whole ? whole : "nothing", words);
  FILE *pipe = popen(path, "r");
  said.text[fread(said.text, 1, sizeof said.text - 1, pipe)] = '\0';
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

static void expect_refused(const char *words, const char *why) {
  const struct said said = sweep("%s", words);
  ct_note("sweep %s", words);
  EXPECT_EQ(said.status, 2);
  EXPECT_CONTAINS(said.text, why);
  EXPECT_TRUE(strchr(said.text, '\n') == said.text + strlen(said.text) - 1);
}

static void make(const char *name) {
  rig_remove(name);
  rig_fill(name, 0, 1);
}

TEST(store_cli, info_reports_the_contents) {
  make("a");
  static const char all[] = "sweep:\n"
                            "  factors              dma.channels define.T machine\n"
                            "  kernel.cl            8f3a\n"
                            "  seed                 1\n"
                            "  ~host                here\n"
                            "axes:\n"
                            "  dma.channels         1 2 4\n"
                            "  define.T             half 0x10 1.5 010\n"
                            "  machine              h200 my,machine\n"
                            "points: 24\n"
                            "  finished             21\n"
                            "  deadlock             3\n";
  static const char next[] =
      "\nNext: `warpwait sweep query` answers questions about the results; `warpwait sweep report` "
      "makes a\npage.\n";
  struct said said = sweep("info a --count 1");
  char wanted[1000];
  snprintf(wanted, sizeof wanted, "%sleast microseconds:\n  0.546448087431694    %s\n%s", all, rig_row(0).key, next);
  EXPECT_EQ(said.status, 0);
  EXPECT_STREQ(said.text, wanted);
  said = sweep("info a --count 1 --by cycles");
  snprintf(wanted, sizeof wanted,
           "%sleast cycles (clocks can differ; --by microseconds compares times):\n  1000                 %s\n%s", all,
           rig_row(0).key, next);
  EXPECT_STREQ(said.text, wanted);
  said = sweep("info a --count 1 --by microseconds --most");
  snprintf(wanted, sizeof wanted, "%smost microseconds:\n  0.5994535519125683   %s\n%s", all, rig_row(19).key, next);
  EXPECT_STREQ(said.text, wanted);
}

TEST(store_cli, csv_is_the_same_in_a_file_and_on_standard_output) {
  make("a");
  struct said said = sweep("csv a"), file = sweep("csv a -o b.csv");
  EXPECT_EQ(file.status, 0);
  EXPECT_STREQ(file.text, "");
  EXPECT_CONTAINS(said.text, "number,status,reason,dma.channels,define.T,machine,cycles,");
  ct_freed(ct_free) char *text = NULL;
  size_t size = 0;
  FILE *made = fopen(rig_path("b.csv"), "r"), *copy = open_memstream(&text, &size);
  ASSERT_TRUE(made);
  for (int c; (c = getc(made)) != EOF;)
    putc(c, copy);
  fclose(made);
  fclose(copy);
  EXPECT_STREQ(text, said.text);
}

TEST(store_cli, merge_combines_shards) {
  make("one");
  for (uint64_t i = 0; i < 3; i++) {
    const char *const names[] = {"s0", "s1", "s2"};
    rig_remove(names[i]);
    rig_fill(names[i], i, 3);
  }
  rig_remove("all");
  EXPECT_EQ(sweep("merge all s2 s0").status, 0);
  EXPECT_EQ(sweep("merge all s1").status, 0);
  rig_remove(":memory:");
  EXPECT_EQ(sweep("merge :memory: s0 s1 s2").status, 0);
  ct_freed(ct_free) char *one = strdup(rig_points("one"));
  EXPECT_STREQ(rig_points("all"), one);
  EXPECT_STREQ(rig_points(":memory:"), one);
}

TEST(store_cli, a_failed_merge_leaves_no_file) {
  make("a");
  make("b");
  rig_remove("c");
  rig_remove("all");
  rig_fill("c", 0, 2);
  rig_query("b", "UPDATE points SET cycles = 1 WHERE number = 23");
  expect_refused("merge all a b", "b: cycles is 1, but 1043 in all, for the point");
  EXPECT_FALSE(rig_exists("all"));
  expect_refused("merge c a b", "b: cycles is 1, but 1043 in c, for the point");
  EXPECT_STREQ(rig_query("c", "SELECT count(*) FROM points"), "12\n");
  EXPECT_FALSE(rig_exists("c-journal"));
}

TEST(store_cli, bad_input_is_reported_in_one_line) {
  static const char *const rows[][2] = {
      {"info", "a file of results is missing"},
      {"info a b", "b: only one file is allowed"},
      {"info nothing", "warpwait: nothing: No such file or directory"},
      {"info a --by cycle", "a: has no metric 'cycle'; did you mean 'cycles'?"},
      {"info a --count x", "--count: 'x' is not a whole number"},
      {"csv a -o a", "a: is also the input"},
      {"csv a -o no/such", "no/such: cannot be written: No such file or directory"},
      {"csv a -o /dev/full", "/dev/full: cannot be written: No space left on device"},
      {"csv a >/dev/full", "standard output: cannot be written: No space left on device"},
      {"merge", "files are missing"},
      {"merge all", "files are missing"},
      {"merge all nothing", "nothing: No such file or directory"},
      {"merge a a", "a: cannot be merged with itself"},
      {"merge no/all a", "no/all: cannot be written: No such file or directory"},
      {"mrege", "no verb 'mrege'; did you mean 'merge'?"},
  };
  make("a");
  rig_remove("all");
  ct_freed(ct_free) char *before = strdup(rig_points("a"));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect_refused(rows[i][0], rows[i][1]);
  EXPECT_FALSE(rig_exists("all"));
  EXPECT_STREQ(rig_points("a"), before);
}

/* A hot journal of 18 pages of 4096 bytes in sectors of 512, and the super-journal that it names. */
static void write_journal(const char *name, const char *super) {
  static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7},
                       numbers[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 2, 0, 0, 0, 16, 0};
  const size_t length = strlen(super);
  uint32_t sum = 0;
  for (size_t i = 0; i < length; i++)
    sum += (unsigned char)super[i];
  const uint8_t ends[] = {0, 0, 0, (uint8_t)length, 0, 0, (uint8_t)(sum >> 8), (uint8_t)sum};
  uint8_t head[512 + 4] = {0};
  memcpy(head, magic, sizeof magic);
  memcpy(head + sizeof magic, numbers, sizeof numbers);
  FILE *file = fopen(rig_path(name), "wb");
  fwrite(head, 1, sizeof head, file);
  fwrite(super, 1, length, file);
  fwrite(ends, 1, sizeof ends, file);
  fwrite(magic, 1, sizeof magic, file);
  fclose(file);
}

TEST(store_cli, a_file_that_a_journal_names_is_not_removed) {
  static const char *const rows[] = {"info a", "csv a", "query best a", "report a -o r.html", "merge b a", "merge a c"};
  make("c");
  char precious[512];
  snprintf(precious, sizeof precious, "%s", rig_path("precious"));
  fclose(fopen(precious, "w"));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    make("a");
    write_journal("a-journal", precious);
    expect_refused(rows[i],
                   ": a: the file with \"-journal\" after this name is not the journal of a sweep; remove it\n");
    EXPECT_EQ(access(precious, F_OK), 0);
  }
  rig_remove("a-journal");
  EXPECT_EQ(mkfifo(rig_path("a-journal"), 0600), 0);
  expect_refused("info a", "is not the journal of a sweep");
  rig_remove("a-journal");
  rig_remove("precious");
}
