/* warpwait trace: what is done with traces and timelines that are in files. */
#include <stdio.h>

#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"

static const struct verb verbs[] = {
    {"info", trace_verb_info, "what was recorded, and how much of it there is"},
    {"validate", trace_verb_validate, "read all of it: exit status 2, and the offset, if anything is wrong"},
    {"head", trace_verb_head, "the first operations of a warp, or events of a timeline"},
    {"diff", trace_verb_diff, "where two traces differ first: exit status 1 if they do"},
    {"slice", trace_verb_slice, "some launches or work-groups of a trace, as a trace"},
    {"merge", trace_verb_merge, "launches of several traces, as a trace"},
    {"convert", trace_verb_convert,
     "a trace into text and back; a timeline into .json (Perfetto), .vcd (GTKWave), .csv"},
    {"import", trace_verb_import, "a trace of what Accel-Sim's tracer has written"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int help(void) {
  puts("Usage: warpwait trace VERB [OPTION...] FILE...\n"
       "Looks into traces (.wwt, of `warpwait run --trace`) and timelines (.wtl, of `run --timeline`),\n"
       "and makes other files of them.\n");
  cli_list_verbs(verbs, VERBS);
  puts("\ninfo, validate, head and convert take timelines, too. `warpwait trace VERB --help` says more.");
  return STATUS_FINE;
}

int verb_trace(int argc, char **argv) {
  struct message message;
  if (argc < 2) {
    message_fail(&message, "what to do? `warpwait trace --help` lists the verbs");
    return cli_bad_input(&message);
  }
  if (cli_asks_for_help(argv[1]))
    return help();
  return cli_verb(verbs, VERBS, argc, argv);
}
