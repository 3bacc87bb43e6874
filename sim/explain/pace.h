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
 * Cycles are counted in PACE_BINS bins of equal width, which double their width when a launch goes on beyond them.
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

enum { PACE_BINS = 512 };

struct pace {
  cycle_t origin, width; /* of the first bin's first cycle; of a bin. A width of 0: nothing has been told */
  uint64_t issues[PACE_BINS];
};

/* Warp-cycles by bucket, in bins as a pace has them. */
struct pace_stalls {
  uint64_t stalls[PACE_BINS][STALLS];
};

struct pace_unit;

/* Who adds up: one pace for each launch, or for each of those that run at once the first one's. `stalls` may be NULL.
 */
struct pace_log {
  struct timeline timeline; /* to be listened with for stalls */
  struct pace *pace;
  struct pace_stalls *stalls;
  uint32_t launches;
  cycle_t end; /* the latest cycle told */
  const struct source_maker *inner;
  struct pace_unit **units;
  size_t unit_count;
};

/* `pace` and `stalls` are zeroed, and as many as there are launches. *log stays where it is. */
void pace_log_begin(struct pace_log *log, struct pace *pace, struct pace_stalls *stalls, uint32_t launches);

/* Sources that count, around those that `inner` makes; NULL: around executors. *inner stays where it is. */
struct source_maker pace_sources(struct pace_log *log, const struct source_maker *inner);

/* A warp of the launch issues. */
void pace_issue(struct pace_log *log, uint32_t launch, cycle_t now);

/* Frees what the sources had. The simulation is gone by then. */
void pace_log_end(struct pace_log *log);

/* The cycle of the launch in which `share` of all issues were over; `start` is where it began in the simulation's time,
 * `cycles` what it took. The whole share is the end, none of it the beginning. */
double pace_when(const struct pace *pace, double share, cycle_t start, cycle_t cycles);

/* Adds up the warp-cycles by bucket from one cycle of the launch to another. */
void pace_between(const struct pace *pace, const struct pace_stalls *stalls, cycle_t start, double from, double to,
                  double sum[STALLS]);

#endif
