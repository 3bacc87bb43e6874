/* Deals work to workers: threads of this process, or whatever a client supplies.
 *
 *              ┌─ the next task ─┐
 *     caller ──┼──► worker 1: begin, task 0, 2, 3, ..., end ──answers──► caller: take(), task by task
 *              └──► worker 2: begin, task 1, 4, ..., end    ──answers──►
 *
 * A *pool* supplies the workers. Threads (workers_threads.c) are cheap, but if one crashes, all do. A client may use a
 * process for each worker instead (sim/cli/processes.h): if one crashes, only its task is lost.
 *
 * Invariant: each task ends with one call of take() or lost(), in any order. take(), lost() and tick() run in the
 * caller's thread. begin(), work() and end() run in several threads at once, and change nothing shared, only the answer
 * and what begin() created. */
#ifndef SIM_BASE_WORKERS_H
#define SIM_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/caller.h"
#include "sim/base/heap.h"

enum { MOST_WORKERS = 256 };

struct workload {
  size_t tasks, answer_bytes;
  void *self;
  /* Creates a worker's own state, from its first task to its last. Long tasks ask `caller` whether to stop: after all
   * work is ended, their answers are not taken. NULL: no state. */
  void *(*begin)(void *self, const struct caller *caller);
  void (*work)(void *self, void *own, size_t task, void *answer);      /* the answer is zeroed */
  void (*end)(void *self, void *own);                                  /* skipped in a process, which exits */
  bool (*take)(void *self, size_t task, const void *answer);           /* false ends all work */
  bool (*lost)(void *self, size_t task, const char *why, bool defect); /* false ends all work; no defect: out of
                                                                        * memory */
  bool (*tick)(void *self);                                            /* ten times a second; false ends all work */
  void (*drop)(void *self, const void *answer); /* frees an answer that is not taken, because all work has ended; NULL:
                                                 * nothing to free */
};

/* True when all tasks are answered or lost. False when a callback ends the work, or with the message filled when no
 * workers can be created. */
struct worker_pool {
  bool (*run)(const struct workload *work, unsigned workers, struct message *message);
};

/* Runs tasks one by one in the caller's thread. Calls tick() after each task, and whenever a task asks whether to
 * stop. */
extern const struct worker_pool serial_workers;

/* Threads; if none can be created, or one worker is enough, the caller's thread. */
extern const struct worker_pool thread_workers;

/* NULL: thread_workers. */
bool workers_run(const struct worker_pool *pool, const struct workload *work, unsigned workers,
                 struct message *message);

/* For pools: the state of a worker. Tasks run under heap_try() (sim/base/heap.h): one that runs out of memory is
 * lost, and with it the worker's own state, which begin() creates again. */
struct worker_state {
  const struct workload *work;
  const struct caller *caller;
  void *own;             /* from begin(); NULL before the first task */
  struct heap_pool pool; /* the blocks of `own` */
  char defect[240];      /* text of the first defect */
};

/* Runs a task. Returns NULL if it is answered, in `answer`, else why it is lost, which may be a defect. */
const char *worker_try(struct worker_state *state, size_t task, void *answer);
bool worker_is_defect(const char *why);
void worker_end(struct worker_state *state);

/* The number of processors, at most MOST_WORKERS. */
unsigned workers_online(void);

#endif
