#include "sim/sweep/workers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/need.h"

unsigned sweep_workers_online(void) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors < SWEEP_WORKERS ? (unsigned)processors : SWEEP_WORKERS;
}

bool sweep_deal(const struct dealer *dealer, const struct sweep_work *work, unsigned workers, struct message *message) {
  return !work->tasks || (dealer ? dealer : &sweep_threads)->run(work, workers, message);
}

/* All that a task does is done here: whoever catches what runs out of memory puts a border around this body, gives up
 * *own, which may be half made, and returns "out of memory". */
const char *sweep_attempt(const struct sweep_work *work, const struct caller *caller, void **own, size_t task,
                          void *answer) {
  if (work->begin && !*own)
    *own = work->begin(work->self, caller);
  memset(answer, 0, work->answer_bytes);
  work->work(work->self, *own, task, answer);
  return NULL;
}

/* ---- one after the other ---------------------------------------------------------------------------- */

struct serial {
  const struct sweep_work *work;
  bool ended;
};

/* A task that asks whether to stop is the time to ask the caller. */
static bool stops(void *self) {
  struct serial *serial = self;
  serial->ended = serial->ended || !serial->work->tick(serial->work->self);
  return serial->ended;
}

static bool run(const struct sweep_work *work, unsigned workers, struct message *message) {
  struct serial serial = {.work = work};
  const struct caller caller = {.self = &serial, .stops = stops};
  void *own = NULL, *answer = need(1, work->answer_bytes);
  (void)workers;
  (void)message;
  for (size_t task = 0; task < work->tasks && !serial.ended; task++) {
    const char *why = sweep_attempt(work, &caller, &own, task, answer);
    serial.ended = serial.ended ||
                   !(why ? work->lost(work->self, task, why, false) : work->take(work->self, task, answer)) ||
                   !work->tick(work->self);
  }
  if (work->end && own)
    work->end(work->self, own);
  free(answer);
  return !serial.ended;
}

const struct dealer sweep_serial = {run};
