#include "sim/sweep/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/processors.h"

unsigned sweep_workers_online(void) {
  const unsigned processors = processors_online();
  return processors < SWEEP_WORKERS ? processors : SWEEP_WORKERS;
}

bool sweep_deal(const struct dealer *dealer, const struct sweep_work *work, unsigned workers, struct message *message) {
  return !work->tasks || (dealer ? dealer : &sweep_threads)->run(work, workers, message);
}

/* ---- a worker -------------------------------------------------------------------------------------- */

struct attempt {
  struct sweep_hands *hands;
  size_t task;
  void *answer;
};

static void attempt(void *self) {
  const struct attempt *attempt = self;
  struct sweep_hands *hands = attempt->hands;
  const struct sweep_work *work = hands->work;
  if (work->begin && !hands->own)
    hands->own = work->begin(work->self, hands->caller);
  memset(attempt->answer, 0, work->answer_bytes);
  work->work(work->self, hands->own, attempt->task, attempt->answer);
}

static const char no_memory[] = "out of memory";

/* The text of the first defect stays unchanged, because the thread that takes answers may be reading it. */
const char *sweep_attempt(struct sweep_hands *hands, size_t task, void *answer) {
  size_t wanted = 0;
  if (heap_try(&hands->pool, attempt, &(struct attempt){hands, task, answer}, &wanted))
    return NULL;
  hands->own = NULL;
  if (wanted != HEAP_DEFECT)
    return no_memory;
  if (!*hands->defect)
    snprintf(hands->defect, sizeof hands->defect, "%s", heap_defect_text());
  return hands->defect;
}

bool sweep_is_defect(const char *why) { return why != no_memory; }

static void end(void *self) {
  const struct sweep_hands *hands = self;
  hands->work->end(hands->work->self, hands->own);
}

void sweep_leave(struct sweep_hands *hands) {
  if (hands->work->end && hands->own)
    heap_try(&hands->pool, end, hands, NULL);
  heap_pool_empty(&hands->pool);
}

/* ---- one by one ------------------------------------------------------------------------------------- */

struct serial {
  const struct sweep_work *work;
  struct sweep_hands hands;
  void *answer;
  bool ended;
};

/* When a task asks whether to stop, ask the caller. */
static bool stops(void *self) {
  struct serial *serial = self;
  serial->ended = serial->ended || !serial->work->tick(serial->work->self);
  return serial->ended;
}

static void deal(void *self) {
  struct serial *serial = self;
  const struct sweep_work *work = serial->work;
  for (size_t task = 0; task < work->tasks && !serial->ended; task++) {
    void *answer = serial->answer;
    const char *why = sweep_attempt(&serial->hands, task, answer);
    if (serial->ended && work->drop && !why)
      work->drop(work->self, answer);
    serial->ended =
        serial->ended ||
        !(why ? work->lost(work->self, task, why, sweep_is_defect(why)) : work->take(work->self, task, answer)) ||
        !work->tick(work->self);
  }
}

static bool run(const struct sweep_work *work, unsigned workers, struct message *message) {
  struct serial serial = {.work = work, .answer = need(1, work->answer_bytes)};
  const struct caller caller = {.self = &serial, .stops = stops};
  size_t wanted = 0;
  (void)workers;
  (void)message;
  serial.hands = (struct sweep_hands){.work = work, .caller = &caller};
  const bool good = heap_pass(deal, &serial, &wanted);
  sweep_leave(&serial.hands);
  if (!good)
    heap_out(wanted);
  free(serial.answer);
  return !serial.ended;
}

const struct dealer sweep_serial = {run};
