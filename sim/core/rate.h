/* A rate: a wire or a port that passes `per_cycle` bytes per cycle, in order.
 *
 * Invariant: over any span of busy cycles, exactly per_cycle bytes per cycle have passed. Nothing is lost to rounding,
 * and several small transfers share a cycle.
 *
 *     per_cycle = 32      cycle   0    1    2
 *     rate_take(48 B)             ████ ██         done at 2 (busy during 0 and 1)
 *     rate_take(16 B)                    ██       done at 2 */
#ifndef SIM_CORE_RATE_H
#define SIM_CORE_RATE_H

#include "sim/core/time.h"

struct rate {
  uint64_t per_cycle;
  cycle_t cycle; /* in which the next byte can pass */
  uint64_t used; /* bytes already passed in it, fewer than per_cycle */
};

/* Passes `bytes` as soon as possible from `now` on. Returns the first cycle at which all have passed. */
static inline cycle_t rate_take(struct rate *rate, cycle_t now, uint64_t bytes) {
  if (now > rate->cycle) {
    rate->cycle = now;
    rate->used = 0;
  }
  rate->used += bytes;
  if (rate->used >= rate->per_cycle) { /* mostly false, so the branch saves a division */
    rate->cycle += rate->used / rate->per_cycle;
    rate->used %= rate->per_cycle;
  }
  return rate->cycle + (rate->used > 0);
}

#endif
