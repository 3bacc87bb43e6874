/* The entry point: runs the verb. */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/interrupt.h"

#ifndef WARPWAIT_COMMIT /* outside a clone. Only this file knows it, so that a commit rebuilds nothing else. */
#define WARPWAIT_COMMIT ""
#endif

/* Printed text may still be in a buffer while the disk is full. */
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
  atexit(interrupt_remove_all); /* registered first, so called last */
  atexit(flush_output);
  interrupt_listen();
  signal(SIGXFSZ, SIG_IGN); /* a file over the size limit is reported like a full disk */
  /* With no padding, even small arrays come fresh from the system: already zero, and taking memory only where they are
   * touched. A small launch touches little of a large machine. */
  mallopt(M_TOP_PAD, 0);
  /* The compiler's arrays for a large kernel take some MB and live for one pass: the next pass reuses their memory. */
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  const int status = cli_run(functions, WARPWAIT_COMMIT, argv + (argc > 0)), interrupt = interrupt_asked();
  return interrupt && (status == STATUS_BAD_INPUT || status == STATUS_DEFECT) ? 128 + interrupt : status;
}
