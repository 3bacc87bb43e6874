/* Simulated time.
 *
 * Time is an integer count of cycles of one clock, on which everything in the machine runs. A model gets the time as
 * `now` and never reads a clock, so the same model runs under any host. NEVER means "wake me only when something
 * arrives". */
#ifndef SIM_CORE_TIME_H
#define SIM_CORE_TIME_H

#include <stdint.h>

typedef uint64_t cycle_t;

#define NEVER UINT64_MAX

static inline cycle_t cycle_min(cycle_t a, cycle_t b) { return a < b ? a : b; }
static inline cycle_t cycle_max(cycle_t a, cycle_t b) { return a > b ? a : b; }

/* Rounded-up quotient: how many beats of `unit` bytes carry `amount` bytes. */
static inline uint64_t div_up(uint64_t amount, uint64_t unit) { return (amount + unit - 1) / unit; }

#endif
