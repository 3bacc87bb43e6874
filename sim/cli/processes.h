/* Workers as processes, for work that must survive the crash of a worker.
 *
 *             ┌─ counter in shared memory: the next task ─┐
 *     parent ─┼─fork─► worker 1: task 0, 2, 3, ... ──pipe─┼─► parent: take(), task by task
 *             └─fork─► worker 2: task 1, 4, ...    ──pipe─┘
 *
 * Workers share the parent's memory as of the fork; their changes are private. A worker that is killed is replaced, and
 * its task given again. A task is lost after PROCESSES_DEATHS workers have crashed on it (SIGSEGV, an assertion,
 * memory), or PROCESSES_KILLS were killed.
 *
 * Invariant: workers do not outlive the parent. */
#ifndef SIM_CLI_PROCESSES_H
#define SIM_CLI_PROCESSES_H

#include "sim/base/workers.h"

enum { PROCESSES_DEATHS = 2, PROCESSES_KILLS = 20 /* of one task before it is lost */ };

extern const struct worker_pool processes;

#endif
