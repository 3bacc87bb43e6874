/* warpwait trace: what is in a trace, and whether it is whole. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"

static const struct verb verbs[] = {
    {"info", trace_verb_info, "what was recorded, how much of it there is, where it depends on time"},
    {"validate", trace_verb_validate, "read all of it: exit status 2, and the offset, if anything is wrong"},
    {"head", trace_verb_head, "the first operations of a warp"},
    {"diff", trace_verb_diff, "where two traces differ first: exit status 1 if they do"},
    {"slice", trace_verb_slice, "some of its launches or work-groups, as a trace"},
    {"merge", trace_verb_merge, "launches of several traces, as a trace"},
    {"convert", trace_verb_convert, "into text that can be read and written by hand, and back"},
    {"import", trace_verb_import, "a trace of what Accel-Sim's tracer has written"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int help(void) {
  puts("Usage: warpwait trace VERB [OPTION...] TRACE.wwt\n"
       "Looks into traces that `warpwait run --trace` has recorded.\n");
  cli_list_verbs(verbs, VERBS);
  puts("\n`warpwait trace VERB --help` says more.");
  return CLI_FINE;
}

int verb_trace(int argc, char **argv) {
  struct message message;
  if (argc < 2) {
    message_fail(&message, "what to do? `warpwait trace --help` lists the verbs");
    return cli_bad_input(&message);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)
    return help();
  return cli_verb(verbs, VERBS, argc, argv);
}
