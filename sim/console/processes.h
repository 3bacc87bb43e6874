/* Workers that are processes, for whom it is worth it to outlive them.
 *
 *             ┌─ counter in shared memory: the next task ─┐
 *     parent ─┼─fork─► worker 1: task 0, 2, 3, ... ──pipe─┼─► parent: take(), task by task
 *             └─fork─► worker 2: task 1, 4, ...    ──pipe─┘
 *
 * Workers share what the parent had in memory when they were forked, and change none of it for others. A worker that
 * is killed is replaced, and its task dealt again. A task whose worker dies by itself (SIGSEGV, an assertion, memory)
 * a second time is lost.
 *
 * Invariant: workers do not outlive the parent. */
#ifndef SIM_CONSOLE_PROCESSES_H
#define SIM_CONSOLE_PROCESSES_H

#include "sim/sweep/workers.h"

enum { PROCESSES_DEATHS = 2, PROCESSES_KILLS = 20 /* of one task, before it is lost */ };

extern const struct dealer processes;

#endif
