/* How far a launch's warps had come, when: a timeline that is added up while it is told.
 *
 *      issues                              ..----'''     of two machines
 *         |                       ..---''''   ..--''
 *    share|- - - - - - - ..---''''- - ..--''''
 *         |         ..-''|   ..--''''
 *         |______..'_____|.''____________________ cycle
 *                        a  b                            what one machine needs more up to this share: b - a
 *
 * Both machines issue the same instructions, so that a share of them is the same place of the kernel's work, as far as
 * warps do not overtake each other; the cycles between two shares are those of that part of the work.
 *
 * Cycles are counted in PACE_BINS bins of equal width, which double their width when a launch goes on beyond them. When
 * the next launch is told, or the log ends, they become a pace: when each of PACE_PARTS parts of the issues was over. A
 * job of a thousand launches has a thousand paces for each machine, and bins of one.
 *
 * Issues are counted where warps get their operations, which costs little: a timeline's events would take longer than
 * the replay. Stalls, asked for of one machine alone, are those of its timeline.
 *
 * Invariant: the bins' issues are all that the launch's warps step; the bins' stalls are those of its WARP events. */
#ifndef SIM_EXPLAIN_PACE_H
#define SIM_EXPLAIN_PACE_H

#include "models/result.h"
#include "models/warp_source.h"
#include "sim/core/timeline.h"
#include "sim/session/run.h"

enum { PACE_BINS = 512, PACE_PARTS = 16 };

/* A launch in parts of equally many issues. */
struct pace {
  double over[PACE_PARTS - 1]; /* the simulation's cycle in which each but the last was over; 0: nothing was told */
};

/* Warp-cycles by part and bucket. */
struct pace_stalls {
  double part[PACE_PARTS][STALLS];
};

/* Of the launch that is being told. */
struct pace_bins {
  cycle_t origin, width; /* of the first bin's first cycle; of a bin. A width of 0: nothing has been told */
  uint64_t issues[PACE_BINS];
};

struct pace_unit;

/* Who adds up: one pace for each launch, or for each of those that run at once the first one's. `stalls` may be NULL.
 */
struct pace_log {
  struct timeline timeline; /* to be listened with for stalls */
  struct pace *pace;
  struct pace_stalls *stalls;
  struct pace_bins bins;
  uint64_t (*bin_stalls)[STALLS]; /* PACE_BINS of them, if stalls are asked for */
  uint32_t launches, launch;      /* how many; the one that the bins are of */
  cycle_t end;                    /* the latest cycle told */
  uint32_t first, together;       /* of those that run at once, as sources hear of them, and how many */
  const struct source_maker *inner;
  struct pace_unit **units;
  size_t unit_count;
};

/* `pace` and `stalls` are zeroed, and as many as there are launches. *log stays where it is. */
void pace_log_begin(struct pace_log *log, struct pace *pace, struct pace_stalls *stalls, uint32_t launches);

/* Sources that count, around those that `inner` makes; NULL: around executors. *inner stays where it is. */
struct source_maker pace_sources(struct pace_log *log, const struct source_maker *inner);

/* A log as who watches a run; listens too if stalls are asked for. */
struct run_watcher pace_watcher(struct pace_log *log);

/* A warp of the launch issues. Launches are told one behind the other. */
void pace_issue(struct pace_log *log, uint32_t launch, cycle_t now);

/* The last launch has its pace; frees what the sources had. The simulation is gone by then. */
void pace_log_end(struct pace_log *log);

/* The cycle of the launch in which so many parts were over; `start` is where it began in the simulation's time,
 * `cycles` what it took. All parts are over at its end, none at its beginning. */
double pace_when(const struct pace *pace, size_t parts, cycle_t start, cycle_t cycles);

/* Adds up the warp-cycles by bucket of parts `from` to `to - 1`. */
void pace_between(const struct pace_stalls *stalls, size_t from, size_t to, double sum[STALLS]);

#endif
