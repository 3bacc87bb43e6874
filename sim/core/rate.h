/* A rate: a wire or a port that passes `per_cycle` bytes a cycle, in order.
 *
 * Invariant: over any span of busy cycles it has passed exactly per_cycle bytes a cycle; time
 * is kept in units of one byte's share of a cycle, so nothing is lost to rounding and several
 * small transfers share a cycle.
 *
 *     per_cycle = 32      cycle   0    1    2
 *     rate_take(48 B)             ████ ██         done at 2 (busy during 0 and 1)
 *     rate_take(16 B)                    ██       done at 2
 */
#ifndef SIM_CORE_RATE_H
#define SIM_CORE_RATE_H

#include "sim/core/time.h"

struct rate {
  uint64_t per_cycle;
  uint64_t free; /* when it is next free, in cycles x per_cycle */
};

/* Passes `bytes` as soon as possible from `now` on; returns the first cycle at which all have passed. */
static inline cycle_t rate_take(struct rate *rate, cycle_t now, uint64_t bytes) {
  uint64_t start = now * rate->per_cycle;
  if (start < rate->free)
    start = rate->free;
  rate->free = start + bytes;
  return div_up(rate->free, rate->per_cycle);
}

/* The cycle in which the next byte can pass. */
static inline cycle_t rate_free_at(const struct rate *rate) { return rate->free / rate->per_cycle; }

#endif
