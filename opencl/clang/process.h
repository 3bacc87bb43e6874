/* Runs a tool without a shell, with its input from memory, all output captured, and limits on its resources.
 *
 * The tool's result comes through a pipe and is never in a file, so a full disk cannot truncate it unnoticed. The
 * tool's environment consists of PATH, LD_LIBRARY_PATH, HOME and TMPDIR (both a temporary folder), and LC_ALL=C. */
#ifndef OPENCL_CLANG_PROCESS_H
#define OPENCL_CLANG_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PROCESS_TEXT = 1 << 20,     /* most bytes of standard error that are kept */
  PROCESS_OUTPUT = 256 << 20, /* most bytes of standard output, and of any file that the tool writes */
  PROCESS_SECONDS = 300,      /* of processor time; twice as much elapsed time */
};
#define PROCESS_MEMORY (UINT64_C(8) << 30) /* bytes of address space */

struct process {
  const char *const *argv; /* argv[0] is searched in PATH */
  const char *folder;      /* for its temporary files */
  const char *input;       /* for its standard input */
  size_t input_bytes;
  bool (*cancelled)(void *self); /* called ten times a second; true stops the tool. NULL: never */
  void *self;
};

/* How it ended. */
struct process_end {
  int error;       /* errno if it could not be started, else 0 */
  int status;      /* exit status, if it exited */
  int signal;      /* the signal that ended it, else 0 */
  bool cancelled;  /* process.cancelled() stopped it */
  const char *why; /* the limit that it exceeded, in words, or NULL */
  char *text;      /* its standard error, cut at PROCESS_TEXT */
  char *output;    /* its standard output, followed by a zero byte */
  size_t output_bytes;
};

/* Runs the tool and waits for its end. Free the result with process_free(). */
void process_run(const struct process *process, struct process_end *end);
void process_free(struct process_end *end);

static inline bool process_good(const struct process_end *end) {
  return !end->error && !end->status && !end->signal && !end->cancelled && !end->why;
}

#endif
