/* The caller of a command's work: whoever sits at the terminal. A line there says how far a long run is, an interrupt
 * (interrupt.h) ends it, and warnings go to stderr.
 *
 * Nobody watches what is `quiet`, or goes into a file. */
#ifndef SIM_CONSOLE_TERMINAL_H
#define SIM_CONSOLE_TERMINAL_H

#include <stdint.h>

#include "sim/base/caller.h"

struct terminal {
  struct caller caller; /* for the work; its `self` is this terminal, which stays where it is */
  bool watched, shown;
  uint64_t next; /* milliseconds: when to show the line again */
};

void terminal_open(struct terminal *terminal, bool quiet);

/* Takes the line away, which busy() does by itself. */
void terminal_clear(struct terminal *terminal);

#endif
