/* The checker: a warp source around each executor. It compares what every work-item and every copy touches with what
 * the others have touched, and reports uses that OpenCL leaves undefined.
 *
 *     compute unit ──step──► checker ──step──► executor
 *                               │ accesses, copies, waits, fences, barriers
 *                               ▼
 *                             shadow (shadow.h): who touched each byte last, from which instruction
 *
 * Two accesses to a byte, at least one of them a write, are a hazard unless something orders them:
 *   - the program order of one work-item (a texel that is stored and then read also needs an image fence),
 *   - a barrier that fences their memory,
 *   - a wait or a copy fence, between a copy and what follows it, or
 *   - a release and an acquire, by atomic operations and fences.
 * It does not matter which of the two came first in this run, or whether their cycles overlapped. So a race is found
 * whether or not the machine's timing exposes it. All machines give the same hazards if the kernel takes the same path.
 *
 * Invariant: checking does not change the run. Its memory grows with the bytes that are touched and the copies in
 * flight, not with the length of the run.
 *
 * Each hazard is kept once per rule and pair of places in the source, with its first occurrence and a count.
 *
 * Not modeled: values. Writing the value that is already there is still a race. */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "models/result.h"
#include "models/warp_source.h"
#include "sim/session/run.h"

/* Why a race is one that the source does not show at once. */
enum check_why { WHY_NOTHING, WHY_COMPONENT, WHY_SCOPE };

/* A hazard is in one of the first three. Inside the checker, texels have a space of their own: they lie in global
 * memory, but have their own fences. */
enum check_space { CHECK_NOWHERE, CHECK_LDS, CHECK_GLOBAL, CHECK_IMAGE };

/* One of the two places of a hazard: an access, a copy, or another call. */
struct check_side {
  const struct isa_program *program;
  uint32_t pc;
  uint32_t group[3];
  uint32_t item;    /* linear in its work-group */
  bool whole_group; /* a copy or another call of the whole work-group: `item` has no meaning */
};

struct check_hazard {
  enum isa_hazard_rule rule;
  uint32_t launch; /* of `here` in the first occurrence: its number in the job, from 0 */
  size_t number;   /* in the order of discovery */
  unsigned turn;   /* hazards of a lower one may cause those of a higher one; set by checker_hazards() */
  uint64_t count;
  struct check_side here, other; /* other.program is NULL when there is only one place */
  enum check_space space;
  uint64_t address;   /* of the first byte that both touch: global, or an offset in the work-group's LDS */
  uint32_t bytes;     /* that `here` touches from that address on, in one lane or one element */
  enum check_why why; /* of all occurrences of a race */
  char detail[160];   /* values, as in isa_hazard, or the reason of a race; may be empty */
};

struct checker;

struct checker *checker_new(void);
void checker_free(struct checker *checker);

struct run_watcher checker_watcher(struct checker *checker);

/* Call it after launch number `number` of the job: adds the hazards that the simulation itself found, and a
 * deadlock. */
void checker_take(struct checker *checker, uint32_t number, const struct isa_launch *launch,
                  const struct launch_result *result);

/* All hazards so far, sorted by turn, line of `here`, rule and line of `other`. Valid until the next call. */
const struct check_hazard *checker_hazards(struct checker *checker, size_t *count);

/* The amount of work, to show that something was checked. */
struct check_counts {
  uint64_t accesses; /* of lanes */
  uint64_t copies;
};
struct check_counts checker_counts(const struct checker *checker);

#endif
