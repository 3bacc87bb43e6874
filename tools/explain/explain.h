/* Why a launch takes as long as it does: combines runs on machines with lifted limits.
 *
 *   base machine ──► cycles, waits by line, pace ─────┐
 *   each limit lifted by itself ──► the same ─────────┼─► ranks, pairs, phases, places, anomalies
 *   two, all but computing, all ──► the same ─────────┘
 *
 * A case is a set of limits and the result without them. The first case is the base, with the empty set. Launches that
 * run at once are one step, which ends with the last of them.
 *
 * Invariant: nothing is reported about a set whose case did not finish.
 *
 * Not modeled: chance. Lifting a limit may add cycles, because something that happens earlier may delay something else.
 * More than bottleneck_tolerance() is an anomaly, whatever else is lifted with it. */
#ifndef TOOLS_EXPLAIN_EXPLAIN_H
#define TOOLS_EXPLAIN_EXPLAIN_H

#include "sim/replay/trial.h"
#include "sim/report/bottleneck.h"
#include "tools/explain/pace.h"

enum {
  EXPLAIN_PHASES = PACE_PARTS,
  EXPLAIN_TOP = 3,   /* limits of a step whose pairs are tried */
  EXPLAIN_PLACES = 6 /* of a step */
};

struct explain_time {
  cycle_t start, cycles; /* of a step */
};

struct explain_case {
  limit_set lifted;
  const char *name; /* of a changed kernel, or of a value of --vary; NULL: of lifted limits */
  enum trial_outcome status;
  bool replayed;             /* false: run */
  bool same_program;         /* `wait` is valid: its program has the base's places */
  char reason[TRIAL_REASON]; /* of one that did not finish; of a run: why it is not a replay */
  struct explain_time *time; /* of each step */
  struct pace *pace;         /* of each launch; of launches that run at once, in the first one's */
  uint64_t left;             /* for other jobs and the base: a hash of the final contents of buffers */
  bool same_results;         /* the base\'s: the same work */
  uint64_t hazards;          /* number of reported hazards */
  uint64_t *wait;            /* warp-cycles except issues, at the EXPLAIN_PLACES places of each step */
};

struct explain {
  size_t steps, launches;
  size_t *first; /* the first launch of each step */
  struct explain_case *cases;
  size_t count;
  struct pace_stalls *stalls; /* of the base, indexed like its pace */
};

/* The finished case of a set; NULL: there is none. */
const struct explain_case *explain_find(const struct explain *explain, limit_set set);

/* Cycles by which lifting the set shortens a step; 0 if `of` is NULL. */
int64_t explain_saved(const struct explain *explain, const struct explain_case *of, size_t step);

/* If the case is an anomaly: the fastest case, the base included, that lifts only a subset of its limits. Else NULL. */
const struct explain_case *explain_anomaly(const struct explain *explain, const struct explain_case *of, size_t step);

/* The cases of single limits, the one that saves most first. Returns their number. */
size_t explain_rank(const struct explain *explain, size_t step, const struct explain_case *rank[LIMITS]);

/* The limit that may be one with the limit `first`: of a latency, the costliest room for what waits for it, and the
 * reverse. NULL: none saves more than the tolerance. */
const struct explain_case *explain_partner(const struct explain *explain, const struct explain_case *first,
                                           size_t step);

/* The finished case without both limits, if that shows that they are one limit; else NULL. */
const struct explain_case *explain_same(const struct explain *explain, const struct explain_case *first,
                                        const struct explain_case *partner, size_t step);

/* For each step, the first limit and its partner. The caller frees the list. */
limit_set *explain_partners(const struct explain *explain, size_t *count);

/* The pairs to try after all single limits: those of the first ranks of each step that save more than the tolerance,
 * and the first limits with their partners. The caller frees the list. */
limit_set *explain_pairs(const struct explain *explain, size_t *count);

/* A part of the kernel's work. Before phases are merged, each has the same number of instructions. */
struct explain_phase {
  double from, to;  /* cycles of the base */
  enum stall stall; /* the largest bucket, except issues */
  double share;     /* that bucket's share of all warp-cycles in the phase */
  bool helped;      /* lifting one limit saves more than a tenth of the phase: */
  enum limit limit; /* the limit that saves most */
  double saved;     /* cycles, of `to - from` */
};

/* Divides a step into phases; returns their number. Adjacent phases are merged if the same limit helps both, or if none
 * helps and warps wait in the same bucket. */
size_t explain_phases(const struct explain *explain, size_t step, struct explain_phase phase[EXPLAIN_PHASES]);

/* The bottleneck of a step: all single limits, the most expensive first. */
struct bottleneck explain_bottleneck(const struct explain *explain, size_t step);

#endif
