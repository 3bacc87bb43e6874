/* Runs jobs: the launches of a job run on a machine, one after the other.
 *
 * An *engine* is a machine that keeps its state. It can run several jobs in turn: simulated time goes on, and caches
 * keep their contents. An engine with an unfinished launch (a deadlock, the cycle limit, a stop) cannot go on. Launches
 * without timing (`functional`) change neither time nor caches.
 *
 * Invariant: the first job of an engine gives the same results as run_job(). */
#ifndef SIM_SESSION_RUN_H
#define SIM_SESSION_RUN_H

#include <stdio.h>

#include "models/warp_source.h"
#include "sim/base/caller.h"
#include "sim/base/text.h"
#include "sim/host/host.h"
#include "sim/launch/job.h"

struct launch_result;
struct stuck_warp;
struct timeline;

/* Watches a run (a recorder, a checker, a timeline), or supplies the operations of warps in place of executors (a
 * replayer). NULL members are skipped. It must stay at its address during the run. */
struct run_watcher {
  void *self;
  /* Makes sources of warps: its own, or wrappers of those of `inner`, which earlier watchers made; `inner` is NULL for
   * executors. */
  struct source_maker (*sources)(void *self, const struct source_maker *inner);
  struct timeline *timeline; /* receives the machine's events */
  /* Called from time to time: everything before cycle `now` is complete and reported, and `done` of the launches'
   * `groups` work-groups have finished. False ends the run. */
  bool (*settle)(void *self, cycle_t now, uint64_t done, uint64_t groups);
};

enum { RUN_WATCHERS = 8 };

enum { RUN_MAX_CYCLES = 1000000000 }; /* of a launch, unless a caller sets another limit */

enum { RUN_BEST_THREADS = 0xffff }; /* as many as there are processors, but not more than the islands keep busy */

struct run_options {
  host_make *make_host; /* NULL: the plain host, either with `order` and `seed`, */
  unsigned threads;     /* or in ascending order in this many threads; 0 and 1: in the caller's */
  void *host_self;      /* the context of make_host() */
  enum host_order order;
  uint32_t seed;
  FILE *vcd;          /* receives a waveform; NULL: none */
  cycle_t max_cycles; /* of each launch; if `functional`, instructions of a warp */
  bool functional;    /* execute without timing (models/functional.h): watchers' sources and timelines are not used */
  const struct caller *caller; /* NULL: no reports of progress, no interruption */
  const struct run_watcher *watchers[RUN_WATCHERS];
  size_t watcher_count;
};

/* Adds a watcher after the others; removes the last one. */
static inline void run_watch(struct run_options *options, const struct run_watcher *watcher) {
  options->watchers[options->watcher_count++] = watcher;
}
static inline void run_unwatch(struct run_options *options) { options->watcher_count--; }

struct engine;

/* A machine with executors. Its simulation is created at the first launch with timing. */
struct engine *engine_new(const struct machine *machine);
void engine_free(struct engine *engine);

/* Runs a job with all its buffers, like run_job(), but `results` is an array for all launches. No waveform. */
bool engine_run(struct engine *engine, struct job *job, const struct run_options *options,
                struct launch_result *results, size_t *count, struct message *message);

/* The cycle in which its next launch would start. */
cycle_t engine_now(const struct engine *engine);

/* Runs launches until one does not finish. *results has job->launch_count elements, and the first *count are filled;
 * the caller frees each and the array. False when the caller stops the run (the message says how far it got), or when
 * a watcher ends it. */
bool run_job(struct job *job, const struct run_options *options, struct launch_result **results, size_t *count,
             struct message *message);

/* Did all launches finish? */
bool run_finished(const struct job *job, const struct launch_result *results, size_t count);

/* Says who polls what at the cycle limit, and why that does not end: a clause without a period. Adds nothing if no warp
 * polls. */
void run_polls(const struct launch_result *result, struct text *text);

/* Says what one warp polls: "lanes 1-31 of warp 0 poll byte 0 of 'lock'", and who waits for it. */
void run_poll(const struct launch_result *result, const struct stuck_warp *warp, struct text *text);

/* Explains in one line why a launch did not finish. */
void run_unfinished(const struct job *job, const struct launch_result *results, size_t index, cycle_t max_cycles,
                    struct message *message);

void run_free(struct launch_result *results, size_t count);

#endif
