/* Limits: what of a machine can be lifted, one at a time or several together.
 *
 * A limit is a set of parameters (limits.def) with the values that take it away. A run or a replay on the machine that
 * is left says what the limit costs: no more than what it takes away by itself, since what another limit hides shows
 * only when both are lifted.
 *
 * Invariant: lifting limits gives a legal machine, and lifting them twice gives the same one.
 *
 * Not modelled: what no parameter takes away, as warps that wait for each other's work at a barrier; more compute
 * units; more engines; a program that does the same otherwise. */
#ifndef SIM_SESSION_LIMITS_H
#define SIM_SESSION_LIMITS_H

#include "models/machine.h"

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
/* "latency", ...; "latencies" behind "all". */
struct cause_row {
  const char *name, *all;
};
extern const struct cause_row cause_rows[CAUSES];

struct lift_row {
  const char *slug, *name;
  enum limit_cause cause;
  const char *lifted; /* a sentence */
  const char *keys;   /* "key=value ..." */
  const char *look;   /* where to look in a kernel: reads behind a colon */
};
extern const struct lift_row lift_rows[LIMITS];

/* Limits, a bit each. */
typedef uint64_t limit_set;
static inline limit_set limit_bit(enum limit limit) { return UINT64_C(1) << limit; }

/* All of a cause; all of them; all but those of computing. */
limit_set limits_of(enum limit_cause cause);
limit_set limits_all(void);
limit_set limits_outside(void);

/* Lifts each of the set. False when the machine is as it was: it has none of them. */
bool limits_lift(limit_set set, struct machine *machine);

/* The next "key=value" of a row's keys that changes the machine. *keys begins as the row's; false: none is left. */
enum { LIMIT_WORD = 96 };
bool limits_next(const char **keys, const struct machine *machine, char word[LIMIT_WORD]);

#endif
