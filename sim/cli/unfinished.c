#include "sim/cli/unfinished.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4, LONGEST = 4096 }; /* a timeline, what it becomes, and SystemC's two parts of that */

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof caught / sizeof *caught };

static char paths[MOST][LONGEST];
static volatile sig_atomic_t used[MOST];
static struct sigaction before[CAUGHT];
static int count;

/* Calls nothing that a signal must not interrupt. */
static void leave(int signal) {
  static const char line[] = "warpwait: interrupted\n";
  for (int i = 0; i < MOST; i++)
    if (used[i])
      unlink(paths[i]);
  const bool told = write(STDERR_FILENO, line, sizeof line - 1) > 0;
  (void)told;
  _exit(128 + signal);
}

static void listen_to_signals(void) {
  const struct sigaction action = {.sa_handler = leave};
  for (int i = 0; i < CAUGHT; i++) {
    sigaction(caught[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN)
      sigaction(caught[i], &action, NULL);
  }
}

void unfinished_add(const char *path) {
  int free = 0;
  while (free < MOST && used[free])
    free++;
  if (free == MOST || strlen(path) >= LONGEST)
    return;
  strcpy(paths[free], path);
  used[free] = 1;
  if (!count++)
    listen_to_signals();
}

void unfinished_done(const char *path) {
  for (int i = 0; i < MOST; i++) {
    if (!used[i] || strcmp(paths[i], path) != 0)
      continue;
    used[i] = 0;
    if (--count == 0)
      for (int j = 0; j < CAUGHT; j++)
        sigaction(caught[j], &before[j], NULL);
    return;
  }
}
