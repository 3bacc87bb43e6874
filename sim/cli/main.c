/* warpwait: which verb? */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/interrupt.h"

static const struct verb verbs[] = {
    {"run", verb_run, "run a launch file or a kernel, and report where its warps waited"},
    {"check", verb_check, "run a launch file or a kernel, and name every misuse of copies, events, pipes and memory"},
    {"explain", verb_explain,
     "lift one limit of the machine after the other, and say what each costs a launch or a trace"},
    {"asm", verb_asm, "translate a kernel into an object file, or list it"},
    {"dis", verb_dis, "show a kernel's instructions beside its source, or as assembly"},
    {"replay", verb_replay, "run a recorded trace again, on any machine"},
    {"diff", verb_diff, "compare two reports or traces: where the cycles went"},
    {"trace", verb_trace, "look into traces and timelines, compare, cut, join, convert and import them"},
    {"sweep", verb_sweep, "run many points of a machine and a kernel, and keep what came of them"},
    {"params", verb_params, "list the parameters of a machine"},
    {"machines", verb_machines, "list the built-in machines, or print one"},
    {"playground", verb_playground, "serve the playground, warpwait in a browser, on this computer"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int help(void) {
  puts("Usage: warpwait VERB [OPTION...]\n"
       "Shows where the warps of a GPU work-group wait: a cycle-approximate simulator of compute units,\n"
       "a banked local data store and a DMA engine.\n");
  cli_list_verbs(verbs, VERBS);
  puts("\n`warpwait VERB --help` says more. An output called - is standard output; a trace or a report\n"
       "called - is standard input. Exit status: 0 fine, 1 the simulated kernel went wrong\n"
       "(a failed check, a deadlock, the cycle limit, under `check` a hazard) or, under `diff`, there is\n"
       "a difference, 2 bad input, 3 a defect of warpwait, 128 and the number of a\n"
       "signal that ended it: 130 interrupted. `warpwait --version` prints the version.");
  return STATUS_FINE;
}

/* What was printed may be in a buffer still, and the disk full. */
static void flush_output(void) {
  struct message message;
  if (cli_flush(&message))
    return;
  message_print(&message);
  interrupt_remove_all();
  _exit(STATUS_BAD_INPUT);
}

static int run_verb(int argc, char **argv) {
  argv[0] = (char[]){"warpwait"};
  const int status = cli_verb(verbs, VERBS, argc, argv), signal = interrupt_asked();
  return signal && (status == STATUS_BAD_INPUT || status == STATUS_DEFECT) ? 128 + signal : status;
}

int main(int argc, char **argv) {
  struct message message;
  atexit(interrupt_remove_all); /* the last to be called */
  atexit(flush_output);
  interrupt_listen();
  signal(SIGXFSZ, SIG_IGN); /* a file that would be too large is told, as a full disk is */
  /* Small arrays too come fresh from the system, which has them as zeros and gives memory to those parts that are used:
   * of a large machine a small launch uses little. */
  mallopt(M_TOP_PAD, 0);
  if (argc < 2) {
    message_fail(&message, "what to do? `warpwait --help` lists the verbs");
    return cli_bad_input(&message);
  }
  if (cli_asks_for_help(argv[1]))
    return help();
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    puts("warpwait " WARPWAIT_VERSION);
    return STATUS_FINE;
  }
  return cli_run(run_verb, argc, argv);
}
