/* The part of glibc's <argp.h> that the command line uses, for the C library of Emscripten, which has none. */
#ifndef SIM_PLAYGROUND_LIBC_ARGP_H
#define SIM_PLAYGROUND_LIBC_ARGP_H

#include <errno.h>
#include <stdio.h>

typedef int error_t;

struct argp_state;

enum { OPTION_ARG_OPTIONAL = 0x1, OPTION_HIDDEN = 0x2 };

enum {
  ARGP_KEY_ARG = 0,
  ARGP_KEY_END = 0x1000001,
  ARGP_ERR_UNKNOWN = E2BIG,
};

/* What cli_parse() says each time: errors and help are its own. */
enum { ARGP_NO_ERRS = 0x02, ARGP_NO_HELP = 0x10 };

enum { ARGP_HELP_STD_HELP = 0x27a, ARGP_HELP_EXIT_OK = 0x200 }; /* of no effect */

struct argp_option {
  const char *name;
  int key;
  const char *arg;
  int flags;
  const char *doc;
  int group;
};

struct argp {
  const struct argp_option *options;
  error_t (*parser)(int key, char *word, struct argp_state *state);
  const char *args_doc;
  const char *doc;
  const void *children, *help_filter, *argp_domain; /* all NULL */
};

struct argp_state {
  void *input;
};

/* Options wherever they stand, whole or by a beginning that no other has, then the other words in their order, then
 * ARGP_KEY_END. 0, or what the parser refused with, or EINVAL. */
error_t argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *next, void *input);

/* What there is, a line an option. */
void argp_help(const struct argp *argp, FILE *out, unsigned flags, char *name);

#endif
