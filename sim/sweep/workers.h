/* Work dealt to processes.
 *
 *             ┌─ counter in shared memory: the next task ─┐
 *     parent ─┼─fork─► worker 1: task 0, 2, 3, ... ──pipe─┼─► parent: take(), task by task
 *             └─fork─► worker 2: task 1, 4, ...    ──pipe─┘
 *
 * Workers share what the parent had in memory when they were forked, and change none of it for others. A worker that
 * is killed is replaced, and its task dealt again. A task whose worker dies by itself (SIGSEGV, an assertion, memory)
 * a second time is lost.
 *
 * Invariant: each task is answered to take(), or told to lost(), once, in any order. Workers do not outlive the
 * parent. */
#ifndef SIM_SWEEP_WORKERS_H
#define SIM_SWEEP_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

enum { SWEEP_WORKERS = 256, SWEEP_DEATHS = 2, SWEEP_KILLS = 20 /* of one task, before it is lost */ };

struct sweep_work {
  size_t tasks, answer_bytes;
  void *self;
  void (*work)(void *self, size_t task, void *answer);                 /* in a worker; the answer is zeroed */
  bool (*take)(void *self, size_t task, const void *answer);           /* false: ends all */
  bool (*lost)(void *self, size_t task, const char *why, bool defect); /* likewise; no defect: out of memory */
  bool (*tick)(void *self);                                            /* ten times a second; likewise */
};

/* As many as there are processors. */
unsigned sweep_workers_online(void);

/* True when all tasks are answered or lost; false when somebody has ended it, or memory or processes run out. */
bool sweep_workers_run(const struct sweep_work *work, unsigned workers);

#endif
