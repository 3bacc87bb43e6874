/* Where the warps of a launch wait: buckets, and the source lines at which they wait longest.
 *
 * It is all that is kept of the base's results, and of those of every other machine only what warps wait at these
 * lines, whatever the length of the programs.
 *
 * Invariant: an instruction is of one place at most. */
#ifndef SIM_EXPLAIN_PLACES_H
#define SIM_EXPLAIN_PLACES_H

#include "sim/explain/explain.h"
#include "sim/session/job.h"

struct explain_place {
  size_t launch;
  uint32_t pc;      /* the instruction of the line that waits longest */
  uint64_t wait;    /* warp-cycles that are no issues */
  enum stall stall; /* the largest part of them */
};

/* Of launches at once together. */
struct explain_step {
  uint64_t resident, stalls[STALLS];          /* warp-cycles */
  struct explain_place place[EXPLAIN_PLACES]; /* where warps wait longest first */
  size_t places;
};

struct explain_places {
  struct explain_step *step;
  uint8_t *of; /* of each instruction, the launches' one behind the other: its place in its step; else EXPLAIN_PLACES */
};

struct explain_places explain_places_new(const struct explain *explain, const struct job *job,
                                         const struct launch_result *results);
void explain_places_free(struct explain_places *places);

/* Both have the same operations of the same lines, so that a place of one is one of the other. Where OpenCL C is
 * compiled for more registers, operands may be others. */
bool explain_places_fit(const struct isa_program *base, const struct isa_program *program);

/* Adds up what warps wait at the places of all steps, in programs that fit. */
void explain_places_wait(const struct explain_places *places, const struct explain *explain, const struct job *job,
                         const struct launch_result *results, uint64_t *wait);

#endif
