/* Why a launch takes as long as it does: what runs on machines with limits lifted say together.
 *
 *   base machine ──► cycles, waits by line, pace ─┐
 *   one limit lifted  (each) ──► the same ────────────┼─► ranks, pairs, phases, places, anomalies
 *   two, all but computing, all ──► the same ─────────┘
 *
 * A case is a set of limits and what came of it; the first one is the base, of the empty set. Launches that run at once
 * are one step, which ends with the last of them.
 *
 * Invariant: nothing is said of a set that has no case that finished.
 *
 * Not modelled: chance. A lifted limit may add cycles, since what comes earlier may come in the way of something else:
 * beyond bottleneck_tolerance() that is an anomaly, whatever else is lifted with it. */
#ifndef SIM_EXPLAIN_EXPLAIN_H
#define SIM_EXPLAIN_EXPLAIN_H

#include "sim/explain/pace.h"
#include "sim/report/bottleneck.h"

enum {
  EXPLAIN_REASON = 400,
  EXPLAIN_PHASES = PACE_PARTS,
  EXPLAIN_TOP = 3,   /* limits of a step whose pairs are asked for */
  EXPLAIN_PLACES = 6 /* of a step */
};

/* ABSENT: the machine has none of the limits. REFUSED: it is no machine for this launch. */
enum explain_status {
  EXPLAIN_FINISHED,
  EXPLAIN_ABSENT,
  EXPLAIN_DEADLOCK,
  EXPLAIN_CYCLE_LIMIT,
  EXPLAIN_REFUSED,
  EXPLAIN_FAILED,
  EXPLAIN_STATUSES
};
extern const char *const explain_statuses[EXPLAIN_STATUSES];

struct explain_time {
  cycle_t start, cycles; /* of a step */
};

struct explain_case {
  limit_set lifted;
  enum explain_status status;
  bool replayed;               /* else run */
  bool same_program;           /* as far as `wait` goes: it is of the base's places */
  char reason[EXPLAIN_REASON]; /* of all but FINISHED and ABSENT, and of a run: why it is no replay */
  struct explain_time *time;   /* of each step */
  struct pace *pace;           /* of each launch; of those at once the first one's */
  uint64_t left;               /* of another job, and of the base: a hash of what it leaves in its buffers */
  uint64_t hazards;            /* that were reported */
  uint64_t *wait;              /* warp-cycles that are no issues, at the EXPLAIN_PLACES places of each step */
};

struct explain {
  size_t steps, launches;
  size_t *first; /* launch of each step */
  struct explain_case *cases;
  size_t count;
  struct pace_stalls *stalls; /* of the base, as its pace */
};

/* The case of the set that finished; NULL: there is none. */
const struct explain_case *explain_find(const struct explain *explain, limit_set set);

/* Cycles that lifting the set takes away from a step; 0 of a set that is not known. */
int64_t explain_saved(const struct explain *explain, const struct explain_case *of, size_t step);

/* Of the cases that lift some of the set's limits and no other, the base among them, the one that takes least, if that
 * is so much less that the set is an anomaly; else NULL. */
const struct explain_case *explain_anomaly(const struct explain *explain, const struct explain_case *of, size_t step);

/* The single limits that were lifted, the one that saves most first: their cases. Returns how many. */
size_t explain_rank(const struct explain *explain, size_t step, const struct explain_case *rank[LIMITS]);

/* The pairs worth asking for after all single limits: of the first ranks of each step that save more than the
 * tolerance. The caller frees the list. */
limit_set *explain_pairs(const struct explain *explain, size_t *count);

/* A part of the kernel's work: so many instructions as any other. */
struct explain_phase {
  double from, to;  /* cycles of the base */
  enum stall stall; /* the largest bucket, issues aside */
  double share;     /* of all warp-cycles in it, that bucket's */
  bool helped;      /* lifting one limit saves more than a tenth of it: */
  enum limit limit; /* the one that saves most */
  double saved;     /* of `to - from` */
};

/* Cuts a step into phases; returns how many. Those side by side that the same limit helps, or none while warps wait in
 * the same bucket, are one. */
size_t explain_phases(const struct explain *explain, size_t step, struct explain_phase phase[EXPLAIN_PHASES]);

/* The bottleneck of a step: all single limits, the one that costs most first. */
struct bottleneck explain_bottleneck(const struct explain *explain, size_t step);

#endif
