/* Where the warps of a launch wait: buckets, and the source lines with the longest waits.
 *
 * These are kept of the base's results. Of every other machine's, only the waits at these lines are kept, whatever the
 * length of the programs.
 *
 * Invariant: an instruction belongs to at most one place. */
#ifndef TOOLS_EXPLAIN_PLACES_H
#define TOOLS_EXPLAIN_PLACES_H

#include "sim/launch/job.h"
#include "tools/explain/explain.h"

struct explain_place {
  size_t launch;
  uint32_t pc;      /* the instruction of the line with the longest wait */
  uint64_t wait;    /* warp-cycles except issues */
  enum stall stall; /* its largest bucket */
};

/* Launches that run at once, together. */
struct explain_step {
  uint64_t resident, stalls[STALLS];          /* warp-cycles */
  struct explain_place place[EXPLAIN_PLACES]; /* the longest waits first */
  size_t places;
};

struct explain_places {
  struct explain_step *step;
  uint8_t *of; /* for each instruction, launch after launch: the index of its place in its step, or EXPLAIN_PLACES */
};

struct explain_places explain_places_new(const struct explain *explain, const struct job *job,
                                         const struct launch_result *results);
void explain_places_free(struct explain_places *places);

/* Do both programs have the same operations on the same lines, so that places of one are places of the other? Operands
 * may differ where OpenCL C is compiled for more registers. */
bool explain_places_fit(const struct isa_program *base, const struct isa_program *program);

/* Adds the waits at the places of all steps to `wait`, for programs that fit. */
void explain_places_wait(const struct explain_places *places, const struct explain *explain, const struct job *job,
                         const struct launch_result *results, uint64_t *wait);

#endif
