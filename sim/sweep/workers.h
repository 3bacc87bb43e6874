/* Work dealt to workers: threads of this process, or whatever else a client gives in their place.
 *
 *              ┌─ the next task ─┐
 *     caller ──┼──► worker 1: begin, task 0, 2, 3, ..., end ──answers──► caller: take(), task by task
 *              └──► worker 2: begin, task 1, 4, ..., end    ──answers──►
 *
 * A *dealer* says what a worker is. Threads (threads.c) are cheap, and go down together. A client to whom it is worth
 * it has a process for each worker (sim/console/processes.h): one that dies costs its task alone.
 *
 * Invariant: each task is answered to take(), or told to lost(), once, in any order. take(), lost() and tick() are
 * called in the caller's thread; begin(), work() and end() run in several at once, and change nothing that others see
 * but the answer and what begin() has made. */
#ifndef SIM_SWEEP_WORKERS_H
#define SIM_SWEEP_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/caller.h"
#include "sim/base/heap.h"

enum { SWEEP_WORKERS = 256 };

struct sweep_work {
  size_t tasks, answer_bytes;
  void *self;
  /* What a worker has for itself, from its first task to its last. The caller there is asked whether to stop, by tasks
   * that take long: once all is ended, nobody waits for their answers. NULL: nothing. */
  void *(*begin)(void *self, const struct caller *caller);
  void (*work)(void *self, void *own, size_t task, void *answer);      /* the answer is zeroed */
  void (*end)(void *self, void *own);                                  /* not in a process, which ends */
  bool (*take)(void *self, size_t task, const void *answer);           /* false: ends all */
  bool (*lost)(void *self, size_t task, const char *why, bool defect); /* likewise; no defect: out of memory */
  bool (*tick)(void *self);                                            /* ten times a second; likewise */
  void (*drop)(void *self, const void *answer); /* of an answer that nobody takes, for all is ended; NULL: nothing */
};

/* True when all tasks are answered or lost. False when somebody has ended it, or with the message filled when there are
 * no workers to be had. */
struct dealer {
  bool (*run)(const struct sweep_work *work, unsigned workers, struct message *message);
};

/* In the thread of the caller, who is asked as tasks go on: no worker at all. */
extern const struct dealer sweep_serial;

/* In threads; where there are none to be had, or one worker is enough, in the caller's. */
extern const struct dealer sweep_threads;

/* NULL: sweep_threads. */
bool sweep_deal(const struct dealer *dealer, const struct sweep_work *work, unsigned workers, struct message *message);

/* For dealers: a worker's hands. Tasks run behind a border (sim/base/heap.h): one that runs out of memory is lost, and
 * with it goes all that the worker had, which begins anew. */
struct sweep_hands {
  const struct sweep_work *work;
  const struct caller *caller;
  void *own;             /* from begin(); NULL before the first task */
  struct heap_pool pool; /* of what is the worker's */
  char defect[240];      /* the first one */
};

/* Why the task is lost, which may be a defect; NULL: it is answered, at `answer`. */
const char *sweep_attempt(struct sweep_hands *hands, size_t task, void *answer);
bool sweep_is_defect(const char *why);
void sweep_leave(struct sweep_hands *hands);

/* As many as there are processors. */
unsigned sweep_workers_online(void);

#endif
