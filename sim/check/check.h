/* The checker: a warp source around each executor, which holds what every work-item and every copy touches against what
 * the others have touched, and names what OpenCL leaves undefined.
 *
 *     compute unit ──step──► checker ──step──► executor
 *                               │ accesses, copies, waits, fences, barriers
 *                               ▼
 *                             shadow (shadow.h): who touched each byte last, from which instruction
 *
 * What is held against what. Two accesses to a byte, of which at least one writes, are a hazard unless something orders
 * them: the program order of one work-item (of a texel that is stored and then read an image fence), a barrier that
 * fences their memory, a wait or a copy fence between a copy and what follows it, or an atomic operation that hands
 * over (release and acquire by fences). Which of two came first in this run, and whether their cycles overlapped, does
 * not matter: a race is found whether or not the machine's timing shows it, and on any machine the hazards are the
 * same, as long as the kernel goes the same way.
 *
 * Invariant: checking changes nothing of the run. What is kept grows with the bytes that are touched and the copies
 * that are in flight, not with the length of the run.
 *
 * Each hazard is kept once per rule and pair of places in the source, with its first occurrence and a count.
 *
 * Not modelled: values. A work-item that writes what is there already races all the same. */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "models/result.h"
#include "models/warp_source.h"
#include "sim/session/run.h"

/* A hazard is of one of the first three; inside the checker texels, which lie in global memory, have fences of their
 * own. */
enum check_space { CHECK_NOWHERE, CHECK_LDS, CHECK_GLOBAL, CHECK_IMAGE };

/* One of the two sides of a hazard: an access, a copy, or another call. */
struct check_side {
  const struct isa_program *program;
  uint32_t pc;
  uint32_t group[3];
  uint32_t item;    /* linear in its work-group */
  bool whole_group; /* a copy or another call of the whole work-group: `item` says nothing */
};

struct check_hazard {
  enum isa_hazard_rule rule;
  uint32_t launch; /* number in the job, from 0, of the first occurrence's `here` */
  size_t number;   /* in the order in which they were found */
  uint64_t count;
  struct check_side here, other; /* other.program is NULL when there is one place only */
  enum check_space space;
  uint64_t address; /* of the first byte that both touch: global, or the offset in the work-group's LDS */
  uint32_t bytes;   /* that `here` touches from there on, in one lane or one element */
  char detail[160]; /* values, as in isa_hazard; may be empty */
};

struct checker;

struct checker *checker_new(void);
void checker_free(struct checker *checker);

/* For simulation_new_with(), and for a run. */
struct source_maker checker_sources(struct checker *checker);
struct run_watcher checker_watcher(struct checker *checker);

/* Launch number `number` of the job is over: takes over what the simulation itself has found, and a deadlock. */
void checker_take(struct checker *checker, uint32_t number, const struct isa_launch *launch,
                  const struct launch_result *result);

/* Those of a lower turn may be the cause of those of a higher one. */
unsigned check_turn(enum isa_hazard_rule rule);

/* All hazards so far, sorted by turn, line of `here`, rule and line of `other`; valid until the next call of these. */
const struct check_hazard *checker_hazards(struct checker *checker, size_t *count);

/* What has been looked at, for whoever wants to know that something was. */
struct check_counts {
  uint64_t accesses; /* of lanes */
  uint64_t copies;
  uint64_t shadow_bytes; /* host bytes of the shadow */
  bool scopes;           /* work-groups may hand over by fences and atomics, whose scopes nobody looks at */
};
struct check_counts checker_counts(const struct checker *checker);

#endif
