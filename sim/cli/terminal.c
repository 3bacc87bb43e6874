#include "sim/cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sim/cli/console.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/processes.h"

enum { FIRST_MS = 1000, EVERY_MS = 200 };

static uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t first(void) { return milliseconds() + FIRST_MS; }

void terminal_clear(struct terminal *terminal) {
  if (terminal->shown)
    fputs("\r\x1b[K", stderr);
  terminal->shown = false;
}

static void busy(void *self, bool begins) {
  struct terminal *terminal = self;
  if (begins) {
    interrupt_begin();
    terminal->next = first();
    return;
  }
  terminal_clear(terminal);
  interrupt_end();
}

static bool stops(void *self) {
  (void)self;
  return interrupt_asked();
}

static bool due(void *self) {
  struct terminal *terminal = self;
  const uint64_t now = terminal->watched ? milliseconds() : 0;
  if (!terminal->watched || now < terminal->next)
    return false;
  terminal->next = now + EVERY_MS;
  return terminal->shown = true;
}

/* Overwrites an earlier, longer line. The line may contain a file's name, and so any characters. */
static void progress(void *self, const char *line) {
  struct text plain = {0}, screen = {0};
  (void)self;
  text_foreign(&plain, "%s", line);
  text_screen(&screen, plain.data, plain.length, false);
  fprintf(stderr, "\r%s \x1b[K", screen.data);
  free(screen.data);
  free(plain.data);
}

static void warn(void *self, const struct message *message) {
  terminal_clear(self);
  message_print(message);
}

static void quote(void *self, const char *line) {
  terminal_clear(self);
  fprintf(stderr, "%s\n", line);
}

void terminal_open(struct terminal *terminal, bool quiet) {
  *terminal = (struct terminal){.caller = {terminal, busy, stops, due, progress, warn, quote, &processes},
                                .watched = !quiet && isatty(STDERR_FILENO),
                                .next = first()};
}
