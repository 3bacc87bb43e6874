/* What a programmer would try, tried: `explain` changes the kernel or its launch, runs it, and compares.
 *
 *   text of the kernel ──edits.h──► unrolled, padded, copied in 2D, ... ─┐
 *   defines and arguments that say how many buffers there are ──► more ──┼─► a run each ──► cycles, same results or not
 *   NDRange ──► other work-group sizes, other numbers of work-groups ────┘
 *
 * Invariant: what is said of a change comes from a run with it. It counts only if buffers and pipes hold the same, to
 * the bit, as after the launch as it is, and it has no more hazards.
 *
 * Not modelled: two changes at once; programs that are not OpenCL C. */
#ifndef SIM_EXPLAIN_CHANGES_H
#define SIM_EXPLAIN_CHANGES_H

#include "sim/explain/run.h"
#include "sim/session/subject.h"

struct explain_change {
  char *name;
  char *text;             /* of the program; NULL: the file's */
  char *define;           /* "DEPTH=3"; NULL: none */
  char *argument, *word;  /* an argument and its value; NULL: none */
  struct job_change made; /* the rest */
  enum explain_status status;
  char reason[EXPLAIN_REASON];
  bool same_results;
  struct explain_time *time; /* of each step */
};

struct explain_changes {
  struct explain_change *change;
  size_t count;
  const char *varied;
  const struct subject *subject;
  struct machine machine;
};

/* The changes that fit the base's job. Values of the name `varied` are left to --vary; NULL: none is varied. */
struct explain_changes *explain_changes_new(struct explain_run *run, const struct subject *subject, const char *varied);
void explain_changes_free(struct explain_changes *changes);

/* Runs each; as explain_run_cases(). */
bool explain_changes_run(struct explain_changes *changes, struct explain_run *run, int *status);

/* It came to its end and left the same. */
static inline bool explain_change_counts(const struct explain_change *change) {
  return change->status == EXPLAIN_FINISHED && change->same_results;
}

/* Those that count, the fastest first: how many. Of two that are the same but for their names the first stays. */
size_t explain_changes_rank(const struct explain_changes *changes, size_t step, const struct explain_change **rank);

#endif
