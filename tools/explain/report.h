/* The report of `warpwait explain` about a step, for people and for programs; both contain the same facts.
 *
 * Invariant: all advice is based on a machine, or on a value of --vary, that was tried. */
#ifndef TOOLS_EXPLAIN_REPORT_H
#define TOOLS_EXPLAIN_REPORT_H

#include "sim/base/text.h"
#include "tools/explain/changes.h"
#include "tools/explain/run.h"
#include "tools/explain/vary.h"

enum { EXPLAIN_PAIRS = 5 };

struct explain_view {
  const struct explain_run *run;
  const struct explain_vary *vary;       /* NULL: nothing was varied */
  const struct explain_changes *changes; /* NULL: the kernel was not changed */
  const struct explain_case **better;    /* the changes that count, fastest first */
  size_t better_count;
  size_t step, launches; /* number of launches in the step */
  cycle_t cycles;
  const struct explain_step *base; /* where its warps wait */
  const struct explain_case *rank[LIMITS];
  size_t ranks;
  const struct explain_case *pair[EXPLAIN_PAIRS]; /* those that save most first */
  size_t pairs;
  const struct explain_case *outside, *all; /* all limits but those of computing, and all limits; NULL: did not
                                             * finish */
  struct explain_phase phase[EXPLAIN_PHASES];
  size_t phases;
  /* For each of the base's places, the single limit whose lifting leaves the shortest wait; NULL: none shortens it. */
  const struct explain_case *without[EXPLAIN_PLACES];
};

/* What is tried apart from lifted limits; either may be NULL. */
struct explain_tries {
  struct explain_vary *vary;
  struct explain_changes *changes;
};

/* Fills a view, which explain_view_free() frees. */
void explain_view(const struct explain_run *run, const struct explain_tries *tries, size_t step,
                  struct explain_view *view);
void explain_view_free(struct explain_view *view);

/* The wait at the place, in warp-cycles, after the set was lifted. */
uint64_t explain_wait_left(const struct explain_view *view, size_t place, const struct explain_case *without);

static inline enum limit explain_limit(const struct explain_case *single) {
  return (enum limit)__builtin_ctzll(single->lifted);
}

/* The lifted limits, to follow "without" in a sentence: "the DMA set-up latency", "all latencies". */
void explain_words(limit_set set, struct text *text);

/* How the case was computed: "replayed" or "run". */
static inline const char *explain_how(const struct explain_case *at) { return at->replayed ? "replayed" : "run"; }

/* Percentage of the step's cycles. */
double explain_percent(const struct explain_view *view, int64_t cycles);

/* The advice in order, one sentence each. The caller frees them and the list. */
char **explain_advice(const struct explain_view *view, size_t *count);

/* The caller frees the result. `only`: the launch to report, from 1; 0: all. */
char *explain_text(const struct explain_run *run, const struct explain_tries *tries, size_t only);
char *explain_json(const struct explain_run *run, const struct explain_tries *tries, size_t only);

/* Are results missing because a worker failed? They say nothing about the machine, so the report is incomplete. The
 * message names them and the reason. */
bool explain_missing(const struct explain_run *run, const struct explain_tries *tries, struct message *message);

#endif
