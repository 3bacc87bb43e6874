/* Running a tool: no shell, nothing on its standard input, all that it prints captured. */
#ifndef OPENCL_CLANG_PROCESS_H
#define OPENCL_CLANG_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* How it ended. */
struct process_end {
  int error;  /* errno when it could not be started, else 0 */
  int status; /* exit status, when it exited */
  int signal; /* the signal that ended it, else 0 */
  char *text; /* what it printed, standard output and error, cut at PROCESS_TEXT; free() it */
};

enum { PROCESS_TEXT = 1 << 20 };

/* Runs argv[0], found along PATH, and waits for it. */
void process_run(const char *const *argv, struct process_end *end);

static inline bool process_good(const struct process_end *end) { return !end->error && !end->status && !end->signal; }

/* Between these two, signals that would end us (SIGINT, SIGTERM, SIGHUP) end a running tool instead and wait for
 * process_release(): time to remove temporary files. */
struct process_hold {
  char mask[256]; /* a sigset_t, which the C headers need not know */
};
void process_hold(struct process_hold *hold);
void process_release(const struct process_hold *hold);

#endif
