#include "sim/cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 4096 };

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static char paths[INTERRUPT_FILES][LONGEST];
static volatile sig_atomic_t used[INTERRUPT_FILES], asked, depth;

void interrupt_remove_all(void) {
  for (int i = 0; i < INTERRUPT_FILES; i++)
    if (used[i])
      unlink(paths[i]);
}

/* Calls only functions that are safe in a signal handler. Prints nothing for SIGPIPE: the reader is gone. */
_Noreturn static void leave(int signal) {
  static const char *const lines[] = {"warpwait: interrupted\n", "warpwait: terminated\n", "warpwait: hung up\n"};
  interrupt_remove_all();
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (signal == caught[i] && write(STDERR_FILENO, lines[i], strlen(lines[i])) < 0)
      break;
  _exit(128 + signal);
}

static void on_signal(int signal) {
  if (!depth || asked || signal == SIGPIPE)
    leave(signal);
  asked = signal;
}

void interrupt_listen(void) {
  const struct sigaction action = {.sa_handler = on_signal};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
    struct sigaction before;
    sigaction(caught[i], NULL, &before);
    if (before.sa_handler != SIG_IGN)
      sigaction(caught[i], &action, NULL);
  }
}

void interrupt_begin(void) { depth = depth + 1; }
void interrupt_end(void) { depth = depth - 1; }
int interrupt_asked(void) { return asked; }

/* Blocks signals from the creation of the file until it is guarded. */
int interrupt_guarded_file(char *name) {
  sigset_t all, before;
  int free = 0;
  while (free < INTERRUPT_FILES && used[free])
    free++;
  if (free == INTERRUPT_FILES || strlen(name) >= LONGEST) {
    errno = free == INTERRUPT_FILES ? EMFILE : ENAMETOOLONG;
    return -1;
  }
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const int file = mkostemp(name, O_CLOEXEC), error = errno;
  if (file >= 0) {
    strcpy(paths[free], name);
    used[free] = 1;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return file;
}

void interrupt_remove(const char *path) {
  unlink(path);
  interrupt_forgets(path);
}

void interrupt_forgets(const char *path) {
  for (int i = 0; i < INTERRUPT_FILES; i++)
    if (used[i] && strcmp(paths[i], path) == 0)
      used[i] = 0;
}
