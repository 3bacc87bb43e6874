/* warpwait: which verb? */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/console/interrupt.h"

/* What was printed may be in a buffer still, and the disk full. */
static void flush_output(void) {
  struct message message;
  if (console_flush(&message))
    return;
  message_print(&message);
  interrupt_remove_all();
  _exit(STATUS_BAD_INPUT);
}

int main(int argc, char **argv) {
  static verb_function *const functions[VERBS] = {
#define VERB(id, function, ...) [VERB_##id] = verb_##function,
#include "sim/cli/verbs.def"
  };
  atexit(interrupt_remove_all); /* the last to be called */
  atexit(flush_output);
  interrupt_listen();
  signal(SIGXFSZ, SIG_IGN); /* a file that would be too large is told, as a full disk is */
  /* Small arrays too come fresh from the system, which has them as zeros and gives memory to those parts that are used:
   * of a large machine a small launch uses little. */
  mallopt(M_TOP_PAD, 0);
  /* The compiler's arrays for a large kernel have some MB and live for one pass: the next one gets the same memory. */
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  const int status = cli_run(functions, argv + (argc > 0)), interrupt = interrupt_asked();
  return interrupt && (status == STATUS_BAD_INPUT || status == STATUS_DEFECT) ? 128 + interrupt : status;
}
