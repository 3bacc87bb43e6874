/* warpwait sweep: many points of a machine and a kernel, and what came of them. */
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/sweep_verbs.h"

static const struct verb verbs[] = {
    {"run", sweep_verb_run, "run the points of a sweep file; `warpwait sweep FILE.ini` is short for it"},
    {"info", sweep_verb_info, "what a file of results is of, how its points ended, and the best of them"},
    {"csv", sweep_verb_csv, "its points as comma-separated values"},
    {"merge", sweep_verb_merge, "the points of several files in one"},
    {"query", sweep_verb_python, "questions: best points, Pareto front, sensitivities, the knee of a curve"},
    {"plot", sweep_verb_python, "pictures: curves, heat maps, the Pareto front, sensitivities"},
    {"report", sweep_verb_python, "tables and pictures in one HTML page"},
    {"optimise", sweep_verb_python, "searches the best point instead of running all"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int help(void) {
  puts("Usage: warpwait sweep VERB [OPTION...] FILE...\n"
       "Runs many points of a machine and a kernel, and keeps what came of them in one SQLite file.\n");
  cli_list_verbs(verbs, VERBS);
  puts("\n`warpwait sweep VERB --help` says more.");
  return STATUS_FINE;
}

int verb_sweep(int argc, char **argv) {
  struct message message;
  if (argc < 2) {
    message_fail(&message, "what to do? `warpwait sweep --help` lists the verbs");
    return cli_bad_input(&message);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)
    return help();
  if (strcmp(file_extension(argv[1]), ".ini") == 0)
    return sweep_verb_run(argc, argv);
  return cli_verb(verbs, VERBS, argc, argv);
}
