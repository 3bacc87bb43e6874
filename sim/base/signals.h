/* Signals in our threads. */
#ifndef SIM_BASE_SIGNALS_H
#define SIM_BASE_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Leaves signals to the program's own threads, except those that report an error of the thread itself. */
static inline void leave_signals_to_others(void) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  sigset_t others;
  sigfillset(&others);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    sigdelset(&others, own[i]);
  pthread_sigmask(SIG_BLOCK, &others, NULL);
}

#endif
