#include "sim/cli/progress_line.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, EVERY_MS = 200 };

static uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct progress_line progress_line_new(bool quiet) {
  return (struct progress_line){.watched = !quiet && isatty(STDERR_FILENO), .next = milliseconds() + FIRST_MS};
}

bool progress_line_due(struct progress_line *line) {
  const uint64_t now = line->watched ? milliseconds() : 0;
  if (!line->watched || now < line->next)
    return false;
  line->next = now + EVERY_MS;
  return line->shown = true;
}

void progress_line_clear(const struct progress_line *line) {
  if (line->shown)
    fputs("\r\x1b[K", stderr);
}
