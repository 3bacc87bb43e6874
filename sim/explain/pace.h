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
 * Invariant: the bins' sums are those of the launch's WARP events. */
#ifndef SIM_EXPLAIN_PACE_H
#define SIM_EXPLAIN_PACE_H

#include "models/result.h"
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

/* Who adds up: one pace for each launch, or for each of those that run at once the first one's. `stalls` may be
 * NULL. */
struct pace_log {
  struct timeline timeline; /* to be listened with */
  struct pace *pace;
  struct pace_stalls *stalls;
  uint32_t launches;
  uint32_t launch; /* the last one told of */
  cycle_t end;     /* the latest cycle told */
};

/* `pace` and `stalls` are zeroed, and as many as there are launches. *log stays where it is. */
void pace_log_begin(struct pace_log *log, struct pace *pace, struct pace_stalls *stalls, uint32_t launches);

/* The cycle of the launch in which `share` of all issues were over; `start` is where it began in the simulation's time,
 * `cycles` what it took. The whole share is the end, none of it the beginning. */
double pace_when(const struct pace *pace, double share, cycle_t start, cycle_t cycles);

/* Adds up the warp-cycles by bucket from one cycle of the launch to another. */
void pace_between(const struct pace *pace, const struct pace_stalls *stalls, cycle_t start, double from, double to,
                  double sum[STALLS]);

#endif
