/* warpwait in a browser: the command line's own verbs, those that need nothing but files. `sweep` and `trace` want
 * other programs, a data base or a decompressor; `playground` is where this is already. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"

static const struct verb verbs[] = {
    {.name = "run", .run = verb_run},           {.name = "check", .run = verb_check},
    {.name = "explain", .run = verb_explain},   {.name = "asm", .run = verb_asm},
    {.name = "dis", .run = verb_dis},           {.name = "replay", .run = verb_replay},
    {.name = "diff", .run = verb_diff},         {.name = "params", .run = verb_params},
    {.name = "machines", .run = verb_machines},
};

static int run(int argc, char **argv) { return cli_verb(verbs, sizeof verbs / sizeof *verbs, argc, argv); }

/* The worker always names a verb, or asks for the version. */
int main(int argc, char **argv) {
  if (strcmp(argv[1], "--version") == 0) {
    puts("warpwait " WARPWAIT_VERSION);
    return STATUS_FINE;
  }
  argv[0] = (char[]){"warpwait"};
  return cli_run(run, argc, argv);
}
