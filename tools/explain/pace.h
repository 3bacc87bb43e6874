/* The progress of a launch's warps over time, accumulated while the launch runs.
 *
 *      issues                              ..----'''     of two machines
 *         |                       ..---''''   ..--''
 *    share|- - - - - - - ..---''''- - ..--''''
 *         |         ..-''|   ..--''''
 *         |______..'_____|.''____________________ cycle
 *                        a  b                            extra time of one machine up to this share: b - a
 *
 * Both machines issue the same instructions, so a share of them is the same point of the kernel's work, unless warps
 * overtake each other. The cycles between two shares are the time of that part of the work.
 *
 * Cycles are counted in PACE_BINS bins of equal width, which doubles when a launch outgrows them. When the next launch
 * starts, or the log ends, the bins become a pace: the times at which each of PACE_PARTS parts of the issues was
 * complete. So a job of a thousand launches has a thousand paces for each machine, and only one set of bins.
 *
 * Issues are counted where warps get their operations, which is cheap. Events of a timeline would take longer than the
 * replay. Stalls are collected on one machine only, from its timeline.
 *
 * Invariant: the bins' issues are all steps of the launch's warps; the bins' stalls are those of its WARP events. */
#ifndef TOOLS_EXPLAIN_PACE_H
#define TOOLS_EXPLAIN_PACE_H

#include "models/source_filter.h"
#include "sim/core/timeline.h"
#include "sim/session/run.h"

enum { PACE_BINS = 512, PACE_PARTS = 16 };

/* The times of a launch's parts, which have equal numbers of issues. */
struct pace {
  double over[PACE_PARTS - 1]; /* the simulation's cycle in which each part but the last was complete; 0: nothing was
                                * recorded */
};

/* Warp-cycles by part and bucket. */
struct pace_stalls {
  double part[PACE_PARTS][STALLS];
};

/* Bins of the current launch. */
struct pace_bins {
  cycle_t origin, width; /* first cycle of the first bin; cycles per bin, 0: nothing was recorded */
  uint64_t issues[PACE_BINS];
};

/* Accumulates one pace for each launch, or for the first of launches that run at once. `stalls` may be NULL. */
struct pace_log {
  struct timeline timeline; /* a listener, for stalls */
  struct pace *pace;
  struct pace_stalls *stalls;
  struct pace_bins bins;
  uint64_t (*bin_stalls)[STALLS]; /* PACE_BINS elements if stalls are requested */
  uint32_t launches, launch;      /* the number of launches; the launch of the bins */
  cycle_t end;                    /* the latest cycle so far */
  struct source_filters filters;  /* count issues */
};

/* `pace` and `stalls` are zeroed arrays with an element per launch. *log must stay at its address. */
void pace_log_begin(struct pace_log *log, struct pace *pace, struct pace_stalls *stalls, uint32_t launches);

/* The log as a watcher of a run; it listens to the timeline if stalls are requested. */
struct run_watcher pace_watcher(struct pace_log *log);

/* A warp of the launch issues. Launches come in order. */
void pace_issue(struct pace_log *log, uint32_t launch, cycle_t now);

/* Ends the last launch, and frees the sources. The simulation must be freed before. */
void pace_log_end(struct pace_log *log);

/* The cycle of the launch in which `parts` parts were complete, 0 for none, `cycles` for all. `start` is its start in
 * the simulation's time, `cycles` its length. */
double pace_when(const struct pace *pace, size_t parts, cycle_t start, cycle_t cycles);

/* Adds the warp-cycles of parts `from` to `to - 1` to `sum`, by bucket. */
void pace_between(const struct pace_stalls *stalls, size_t from, size_t to, double sum[STALLS]);

#endif
