/* What `warpwait explain` says of a step, for people and for programs: both say the same facts.
 *
 * Invariant: what is advised rests on a machine, or on a value of --vary, that was tried. */
#ifndef SIM_EXPLAIN_REPORT_H
#define SIM_EXPLAIN_REPORT_H

#include "sim/base/text.h"
#include "sim/explain/changes.h"
#include "sim/explain/run.h"
#include "sim/explain/vary.h"

enum { EXPLAIN_PAIRS = 5 };

struct explain_view {
  const struct explain_run *run;
  const struct explain_vary *vary;       /* NULL: nothing was varied */
  const struct explain_changes *changes; /* NULL: the kernel was not changed */
  const struct explain_change **better;  /* those that count, the fastest first */
  size_t betters;
  size_t step, launches; /* of the step */
  cycle_t cycles;
  const struct explain_step *base; /* where its warps wait */
  const struct explain_case *rank[LIMITS];
  size_t ranks;
  const struct explain_case *pair[EXPLAIN_PAIRS]; /* those that save most first */
  size_t pairs;
  const struct explain_case *outside, *all; /* all limits but those of computing, all; NULL: that did not finish */
  struct explain_phase phase[EXPLAIN_PHASES];
  size_t phases;
  /* For each of the base's places the single limit without which the least is left; NULL: none takes any away. */
  const struct explain_case *without[EXPLAIN_PLACES];
};

/* What is tried besides lifted limits: either may be NULL. */
struct explain_tries {
  struct explain_vary *vary;
  struct explain_changes *changes;
};

/* Ends with explain_view_free(). */
void explain_view(const struct explain_run *run, const struct explain_tries *tries, size_t step,
                  struct explain_view *view);
void explain_view_free(struct explain_view *view);

/* What warps wait at the place after the set was lifted. */
uint64_t explain_wait_left(const struct explain_view *view, size_t place, const struct explain_case *without);

static inline enum limit explain_limit(const struct explain_case *single) {
  return (enum limit)__builtin_ctzll(single->lifted);
}

/* What is lifted, as a sentence has it behind "without": "the DMA set-up latency", "all latencies". */
void explain_words(limit_set set, struct text *text);

/* "replayed" or "run": how a case came about. */
static inline const char *explain_how(const struct explain_case *at) { return at->replayed ? "replayed" : "run"; }

/* Of the cycles of the step, in percent. */
double explain_percent(const struct explain_view *view, int64_t cycles);

/* The advice, a sentence each, in order. The caller frees them and the list. */
char **explain_advice(const struct explain_view *view, size_t *count);

/* The caller frees what they return. `only`: the launch that is asked for, from 1; 0: all. */
char *explain_text(const struct explain_run *run, const struct explain_tries *tries, size_t only);
char *explain_json(const struct explain_run *run, const struct explain_tries *tries, size_t only);

/* A process that ended before its answer says nothing of the machine: a report without it is not whole. Whether there
 * are such answers; the message says which, and why. */
bool explain_missing(const struct explain_run *run, const struct explain_tries *tries, struct message *message);

#endif
