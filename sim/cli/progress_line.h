/* A line on the terminal that says how far a long run is: only for a person who waits. */
#ifndef SIM_CLI_PROGRESS_LINE_H
#define SIM_CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct progress_line {
  bool watched, shown;
  uint64_t next; /* milliseconds: when to show it again */
};

/* Nobody watches what is `quiet`, or goes into a file. */
struct progress_line progress_line_new(bool quiet);

/* Whether it is time to show it: the caller then prints it to stderr, from "\r" to PROGRESS_LINE_END. */
bool progress_line_due(struct progress_line *line);
#define PROGRESS_LINE_END " \x1b[K" /* what an earlier, longer one has left there vanishes */

/* Takes it away. */
void progress_line_clear(const struct progress_line *line);

#endif
