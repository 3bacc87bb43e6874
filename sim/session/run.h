/* Running jobs: the launches of one go through a machine one after the other.
 *
 * An *engine* is a machine at work. It may run one job after the other: simulated time, and what caches hold, go on.
 * One whose launches have not finished (a deadlock, the cycle limit, a stop) cannot go on. Launches without timing
 * (`functional`) leave time and caches alone.
 *
 * Invariant: the first job of an engine leaves what run_job() does. */
#ifndef SIM_SESSION_RUN_H
#define SIM_SESSION_RUN_H

#include <stdio.h>

#include "sim/base/caller.h"
#include "sim/host/host.h"
#include "sim/session/job.h"

/* Somebody who watches a run: a recorder, a checker, a timeline, ...; or who gives warps their operations in place of
 * executors: a replayer. What is NULL is not wanted. It stays where it is while the run goes on. */
struct run_watcher {
  void *self;
  /* Sources of warps: its own, or such as look at those of `inner`, which the watchers before it have made; NULL there:
   * executors. */
  struct source_maker (*sources)(void *self, const struct source_maker *inner);
  struct timeline *timeline; /* is told what the machine does */
  /* Told from time to time that all before cycle `now` is over, and has been told; and that so many of the launches'
   * work-groups are done. False ends the run. */
  bool (*settle)(void *self, cycle_t now, uint64_t done, uint64_t groups);
};

enum { RUN_WATCHERS = 8 };

enum { RUN_MAX_CYCLES = 1000000000 }; /* of a launch, unless somebody says otherwise */

enum { RUN_BEST_THREADS = 0xffff }; /* as many as there are processors, and islands enough to keep them busy */

struct run_options {
  host_make *make_host; /* NULL: the plain loop, with this `order` and `seed`, */
  unsigned threads;     /* or in ascending order in so many threads; 0 and 1: in the caller's */
  void *host_self;      /* of make_host() */
  enum host_order order;
  uint32_t seed;
  FILE *vcd;          /* a waveform goes there; NULL: none */
  cycle_t max_cycles; /* of each launch; if it is `functional`, the instructions of a warp */
  bool functional; /* execute launches without timing (models/functional.h): watchers' sources and timelines see none */
  const struct caller *caller; /* NULL: nobody is told */
  const struct run_watcher *watchers[RUN_WATCHERS];
  size_t watcher_count;
};

/* Adds one behind the others, and takes the last one away. */
static inline void run_watch(struct run_options *options, const struct run_watcher *watcher) {
  options->watchers[options->watcher_count++] = watcher;
}
static inline void run_unwatch(struct run_options *options) { options->watcher_count--; }

struct engine;

/* A machine with executors. What simulates it is made for the first launch that has timing. */
struct engine *engine_new(const struct machine *machine);
void engine_free(struct engine *engine);

/* Runs a job on it, whose buffers are all there; as run_job(), but `results` has room for all launches. No waveform. */
bool engine_run(struct engine *engine, struct job *job, const struct run_options *options,
                struct launch_result *results, size_t *count, struct message *message);

/* The cycle in which its next launch would start. */
cycle_t engine_now(const struct engine *engine);

/* Runs launches until one does not finish. *results has job->launch_count elements, of which the first
 * *count are filled; the caller frees each and the array. False: the machine could not be had, or
 * the caller has stopped it, and the message says how far the run was, or a watcher has ended it. */
bool run_job(struct job *job, const struct run_options *options, struct launch_result **results, size_t *count,
             struct message *message);

/* All launches have come to their end. */
bool run_finished(const struct job *job, const struct launch_result *results, size_t count);

/* Says of a launch that has not finished why, in a line. */
void run_unfinished(const struct job *job, const struct launch_result *results, size_t index, cycle_t max_cycles,
                    struct message *message);

void run_free(struct launch_result *results, size_t count);

#endif
