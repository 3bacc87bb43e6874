/* Tries what a programmer would try: `explain` changes the kernel or its launch, runs it, and compares.
 *
 *   text of the kernel ──edits.h──► unrolled, padded, copied in 2D, ... ─┐
 *   defines and arguments that look like numbers of buffers ──► more ────┼─► a run each ──► cycles, same results or not
 *   NDRange ──► other work-group sizes, other numbers of work-groups ────┘
 *
 * Invariant: everything reported about a change comes from a run with it. A change counts only if buffers and pipes
 * have the same contents, to the bit, as after the unchanged launch, and it has no more hazards.
 *
 * Not modeled: two changes at once; programs that are not OpenCL C. */
#ifndef TOOLS_EXPLAIN_CHANGES_H
#define TOOLS_EXPLAIN_CHANGES_H

#include "sim/launch/subject.h"
#include "tools/explain/run.h"

struct explain_change {
  char *name;
  char *text;             /* of the program; NULL: the file's */
  char *define;           /* "DEPTH=3"; NULL: none */
  char *argument, *word;  /* an argument and its value; NULL: none */
  struct job_change made; /* other changes */
};

struct explain_changes {
  struct explain_change *change;
  size_t count, room;
  struct explain_case *cases; /* of each change */
  const char *varied;
  const struct subject *subject;
  const struct machine *machine;
};

/* The changes that apply to the base's job. Values of the name `varied` are left to --vary; NULL: none is varied. */
struct explain_changes *explain_changes_new(struct explain_run *run, const struct subject *subject, const char *varied);
void explain_changes_free(struct explain_changes *changes);

/* Runs each change; otherwise like explain_run_cases(). */
bool explain_changes_run(struct explain_changes *changes, struct explain_run *run, int *status);

/* Fills `rank` with the changes that count, fastest first, and returns their number. Equally fast ones stay in
 * order. */
size_t explain_changes_rank(const struct explain_changes *changes, size_t step, const struct explain_case **rank);

#endif
