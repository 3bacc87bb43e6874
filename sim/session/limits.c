#include "sim/session/limits.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "models/machine.h"
#include "sim/launch/machines.h"

/* clang-format off */
const struct lift_row lift_rows[LIMITS] = {
#define LIMIT(id, slug, name, cause, lifted, keys, look) {slug, name, CAUSE_##cause, lifted, keys, look},
#include "sim/session/limits.def"
#undef LIMIT
};
/* clang-format on */

const struct cause_row cause_rows[CAUSES] = {
    [CAUSE_LATENCY] = {"latency", "latencies"},
    [CAUSE_BANDWIDTH] = {"bandwidth", "bandwidths"},
    [CAUSE_ROOM] = {"room", "capacities"},
    [CAUSE_SHARING] = {"sharing", "conflicts and contention"},
    [CAUSE_SYNCHRONIZATION] = {"synchronization", "synchronization"},
    [CAUSE_COMPUTE] = {"compute", "limits of computing"},
};

static_assert(LIMITS < 64, "a set of limits has a bit for each");

limit_set limits_all(void) { return (UINT64_C(1) << LIMITS) - 1; }

limit_set limits_of(enum limit_cause cause) {
  limit_set set = 0;
  for (enum limit i = 0; i < LIMITS; i++)
    if (lift_rows[i].cause == cause)
      set |= limit_bit(i);
  return set;
}

limit_set limits_outside(void) { return limits_all() & ~limits_of(CAUSE_COMPUTE); }

/* Applies one "key=value" and returns the position of the next. */
static const char *set_one(const char *at, struct machine *machine) {
  char word[LIMIT_WORD];
  struct message message;
  const size_t length = strcspn(at, " "), key = strcspn(at, "=");
  assert(key < length && length < sizeof word && "a row's keys are key=value");
  memcpy(word, at, length);
  word[key] = word[length] = '\0';
  const bool good = machine_put(machine, word, word + key + 1, &message);
  assert(good && "a row's values are legal");
  (void)good;
  return at + length + strspn(at + length, " ");
}

bool limits_next(const char **keys, const struct machine *machine, char word[LIMIT_WORD]) {
  while (**keys) {
    struct machine lifted = *machine;
    snprintf(word, LIMIT_WORD, "%.*s", (int)strcspn(*keys, " "), *keys);
    *keys = set_one(*keys, &lifted);
    if (memcmp(&lifted, machine, sizeof lifted) != 0)
      return true;
  }
  return false;
}

bool limits_lift(limit_set set, struct machine *machine) {
  const struct machine before = *machine;
  for (enum limit i = 0; i < LIMITS; i++)
    for (const char *at = lift_rows[i].keys; (set & limit_bit(i)) && *at;)
      at = set_one(at, machine);
  return memcmp(&before, machine, sizeof before) != 0;
}
