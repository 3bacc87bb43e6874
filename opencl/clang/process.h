/* Runs a tool without a shell, with its input from memory, all its output captured, and limits on what it may use.
 *
 * What the tool produces comes through a pipe and never lies in a file, so a full disk cannot truncate it unnoticed.
 * The tool's environment has PATH, LD_LIBRARY_PATH and a folder for temporary files, and nothing else. */
#ifndef OPENCL_CLANG_PROCESS_H
#define OPENCL_CLANG_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PROCESS_TEXT = 1 << 20,     /* bytes of standard error that are kept */
  PROCESS_OUTPUT = 256 << 20, /* bytes of standard output, and of any file that the tool writes */
  PROCESS_SECONDS = 300,      /* of processor time; twice that by the clock */
};
#define PROCESS_MEMORY (UINT64_C(8) << 30) /* bytes of address space */

struct process {
  const char *const *argv; /* argv[0] is found along PATH */
  const char *folder;      /* for its temporary files */
  const char *input;       /* on its standard input */
  size_t input_bytes;
  bool (*cancelled)(void *self); /* asked ten times a second; true ends the tool. NULL: never */
  void *self;
};

/* How it ended. */
struct process_end {
  int error;       /* errno when it could not be started, else 0 */
  int status;      /* exit status, when it exited */
  int signal;      /* the signal that ended it, else 0 */
  bool cancelled;  /* as `process.cancelled` wanted */
  const char *why; /* the limit that ended it, in words, else NULL */
  char *text;      /* what it wrote to standard error, cut at PROCESS_TEXT */
  char *output;    /* what it wrote to standard output; a zero byte follows */
  size_t output_bytes;
};

/* Runs the tool and waits for its end. process_free() what it says. */
void process_run(const struct process *process, struct process_end *end);
void process_free(struct process_end *end);

static inline bool process_good(const struct process_end *end) {
  return !end->error && !end->status && !end->signal && !end->cancelled && !end->why;
}

#endif
