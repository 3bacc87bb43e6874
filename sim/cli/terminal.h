/* The user at the terminal as the caller of a command's work. A line on the terminal shows the progress of a long run,
 * an interrupt (interrupt.h) stops it, and warnings go to stderr.
 *
 * No progress is shown if `quiet`, or if stderr is not a terminal. */
#ifndef SIM_CLI_TERMINAL_H
#define SIM_CLI_TERMINAL_H

#include <stdint.h>

#include "sim/base/caller.h"

struct terminal {
  struct caller caller; /* for the work; its `self` is this terminal, which must not move */
  bool watched, shown;
  uint64_t next; /* milliseconds: when to show the line next */
};

void terminal_open(struct terminal *terminal, bool quiet);

/* Removes the line; busy() does so itself. */
void terminal_clear(struct terminal *terminal);

#endif
