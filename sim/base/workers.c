#include "sim/base/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/processors.h"

unsigned workers_online(void) {
  const unsigned processors = processors_online();
  return processors < MOST_WORKERS ? processors : MOST_WORKERS;
}

bool workers_run(const struct worker_pool *pool, const struct workload *work, unsigned workers,
                 struct message *message) {
  return !work->tasks || (pool ? pool : &thread_workers)->run(work, workers, message);
}

/* ---- a worker -------------------------------------------------------------------------------------- */

struct attempt {
  struct worker_state *state;
  size_t task;
  void *answer;
};

static void attempt(void *self) {
  const struct attempt *attempt = self;
  struct worker_state *state = attempt->state;
  const struct workload *work = state->work;
  if (work->begin && !state->own)
    state->own = work->begin(work->self, state->caller);
  memset(attempt->answer, 0, work->answer_bytes);
  work->work(work->self, state->own, attempt->task, attempt->answer);
}

static const char no_memory[] = "out of memory";

/* The text of the first defect stays unchanged, because the thread that takes answers may be reading it. */
const char *worker_try(struct worker_state *state, size_t task, void *answer) {
  size_t wanted = 0;
  if (heap_try(&state->pool, attempt, &(struct attempt){state, task, answer}, &wanted))
    return NULL;
  state->own = NULL;
  if (wanted != HEAP_DEFECT)
    return no_memory;
  if (!*state->defect)
    snprintf(state->defect, sizeof state->defect, "%s", heap_defect_text());
  return state->defect;
}

bool worker_is_defect(const char *why) { return why != no_memory; }

static void end(void *self) {
  const struct worker_state *state = self;
  state->work->end(state->work->self, state->own);
}

void worker_end(struct worker_state *state) {
  if (state->work->end && state->own)
    heap_try(&state->pool, end, state, NULL);
  heap_pool_empty(&state->pool);
}

/* ---- one by one ------------------------------------------------------------------------------------- */

struct serial {
  const struct workload *work;
  struct worker_state state;
  void *answer;
  bool ended;
};

/* When a task asks whether to stop, ask the caller. */
static bool stops(void *self) {
  struct serial *serial = self;
  serial->ended = serial->ended || !serial->work->tick(serial->work->self);
  return serial->ended;
}

static void run_all(void *self) {
  struct serial *serial = self;
  const struct workload *work = serial->work;
  for (size_t task = 0; task < work->tasks && !serial->ended; task++) {
    void *answer = serial->answer;
    const char *why = worker_try(&serial->state, task, answer);
    if (serial->ended && work->drop && !why)
      work->drop(work->self, answer);
    serial->ended =
        serial->ended ||
        !(why ? work->lost(work->self, task, why, worker_is_defect(why)) : work->take(work->self, task, answer)) ||
        !work->tick(work->self);
  }
}

static bool run(const struct workload *work, unsigned workers, struct message *message) {
  struct serial serial = {.work = work, .answer = need(1, work->answer_bytes)};
  const struct caller caller = {.self = &serial, .stops = stops};
  size_t wanted = 0;
  (void)workers;
  (void)message;
  serial.state = (struct worker_state){.work = work, .caller = &caller};
  const bool good = heap_pass(run_all, &serial, &wanted);
  worker_end(&serial.state);
  if (!good)
    heap_out(wanted);
  free(serial.answer);
  return !serial.ended;
}

const struct worker_pool serial_workers = {run};
