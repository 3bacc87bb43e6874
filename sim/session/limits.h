/* Limits: constraints of a machine that can be lifted, one at a time or several together.
 *
 * A limit is a set of parameters (limits.def) with the values that remove it. A run or a replay on the resulting
 * machine shows what the limit costs by itself. What another limit hides shows only when both are lifted.
 *
 * Invariant: lifting limits gives a legal machine, and lifting the same limits twice gives the same machine.
 *
 * Not modeled: limits that no parameter removes, such as warps that wait at a barrier for each other's work; more
 * compute units; more engines; a program that computes the same in another way. */
#ifndef SIM_SESSION_LIMITS_H
#define SIM_SESSION_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

enum limit {
#define LIMIT(id, ...) LIFT_##id,
#include "sim/session/limits.def"
#undef LIMIT
  LIMITS
};

enum limit_cause {
  CAUSE_LATENCY,
  CAUSE_BANDWIDTH,
  CAUSE_ROOM,
  CAUSE_SHARING,
  CAUSE_SYNCHRONIZATION,
  CAUSE_COMPUTE,
  CAUSES
};
/* "latency", and "latencies" for use after "all". */
struct cause_row {
  const char *name, *all;
};
extern const struct cause_row cause_rows[CAUSES];

struct lift_row {
  const char *slug, *name;
  enum limit_cause cause;
  const char *lifted; /* a sentence */
  const char *keys;   /* "key=value ..." */
  const char *look;   /* advice on what to examine in the kernel; follows a colon */
};
extern const struct lift_row lift_rows[LIMITS];

/* A set of limits, a bit each. */
typedef uint64_t limit_set;
static inline limit_set limit_bit(enum limit limit) { return UINT64_C(1) << limit; }

/* All limits of a cause; all limits; all except those of computing. */
limit_set limits_of(enum limit_cause cause);
limit_set limits_all(void);
limit_set limits_outside(void);

/* Lifts each limit of the set. False if that changes nothing: the machine has none of them. */
bool limits_lift(limit_set set, struct machine *machine);

/* The next "key=value" of a row's keys that changes the machine. Start with *keys as the row's; false when none is
 * left. */
enum { LIMIT_WORD = 96 };
bool limits_next(const char **keys, const struct machine *machine, char word[LIMIT_WORD]);

#endif
