/* sim/playground/argp.c against glibc's argp: the same options and words to the parser, in the same order. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"

#define argp_parse playground_argp_parse
#define argp_help playground_argp_help
error_t playground_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *next, void *input);
void playground_argp_help(const struct argp *argp, FILE *out, unsigned flags, char *name);
#include "sim/playground/argp.c"
#undef argp_parse
#undef argp_help

enum { WORDS = 8 };

static const struct argp_option options[] = {{"out", 'o', "FILE", 0, "Where to", 0},
                                             {"quiet", 'q', NULL, 0, "Nothing", 0},
                                             {"quick", 300, NULL, OPTION_HIDDEN, "Less", 0},
                                             {NULL, 0, NULL, 0, "A group:", 1},
                                             {"set", 301, "K=V", 0, "A value", 1},
                                             {"why", 'w', "yes|no", OPTION_ARG_OPTIONAL, "Why", 1},
                                             {0}};

/* What a parser was told. */
struct told {
  char text[400];
};

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct told *told = state->input;
  const size_t length = strlen(told->text);
  if (key != 'o' && key != 'q' && key != 300 && key != 301 && key != 'w' && key != ARGP_KEY_ARG && key != ARGP_KEY_END)
    return ARGP_ERR_UNKNOWN;
  snprintf(told->text + length, sizeof told->text - length, "%d %s;", key, word ? word : "-");
  if (word && strcmp(word, "bad") == 0)
    return EINVAL;
  return key == ARGP_KEY_ARG && strcmp(word, "much") == 0 ? ARGP_ERR_UNKNOWN : 0;
}

static void expect_the_same(const char *const *words, int count) {
  const struct argp argp = {options, parse_option, "WORD", NULL, NULL, NULL, NULL};
  struct told theirs = {""}, ours = {""};
  char *one[WORDS + 2] = {(char[]){"warpwait"}}, *other[WORDS + 2] = {(char[]){"warpwait"}};
  char line[200] = "";
  for (int i = 0; i < count; i++) {
    one[i + 1] = strdup(words[i]);
    other[i + 1] = one[i + 1];
    snprintf(line + strlen(line), sizeof line - strlen(line), " %s", words[i]);
  }
  ct_note("%s", line);
  const error_t error = argp_parse(&argp, count + 1, one, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &theirs);
  EXPECT_EQ(playground_argp_parse(&argp, count + 1, other, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &ours), error);
  EXPECT_STREQ(ours.text, theirs.text);
  for (int i = 0; i < count; i++)
    free(one[i + 1]);
}

TEST(playground, words_are_parsed_as_glibc_parses_them) {
  static const char *const words[] = {
      "a",         "-q",        "--quiet",   "--qui", "--o",       "--out",   "--out=", "-o",  "-ofile",
      "-qofile",   "-",         "--",        "--set", "--set=a=b", "bad",     "much",   "-oq", "-qq",
      "-x",        "--nothing", "--quiet=3", "--qu",  "--out=x",   "--quick", "",       "--s", "-qx",
      "file.json", "--why",     "--why=no",  "-w",    "-wno",      "-qw"};
  const char *line[WORDS];
  uint32_t random = 1;
  for (int i = 0; i < 3000; i++) {
    const int count = i % WORDS;
    for (int at = 0; at < count; at++) {
      random = random * 1664525 + 1013904223;
      line[at] = words[(random >> 16) % (sizeof words / sizeof *words)];
    }
    expect_the_same(line, count);
  }
}
