/* Miss-status holding registers: how many lines a slice of the L2 can be fetching at once.
 *
 * A register is held from the cycle in which a miss asks DRAM to the one in which DRAM has delivered. When none is
 * free a miss asks in the cycle in which the first becomes free, first come, first served; what comes after it and
 * needs no register does not wait for it.
 *
 *     2 registers, DRAM 10 cycles        cycle   0         5         10        15        20
 *     register 0                                 a ───────────────── c ───────────────── free
 *     register 1                                      b ───────────────── free
 *     c, passed in cycle 6                                  . . . . . c asks in 10: 4 cycles full
 *
 * Invariant: at any cycle no more lines are being fetched than there are registers. The registers are leaves of
 * a tree whose nodes name the register below them that is free first, so both calls take logarithmic time. */
#ifndef MODELS_MSHR_H
#define MODELS_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/time.h"

struct mshrs {
  struct mshr {
    cycle_t from, free; /* last held from, and free from */
    uint64_t line;      /* that it was last held for */
  } * registers;        /* `leaves` of them; those beyond the number asked for are never free */
  uint32_t leaves;      /* a power of two */
  uint32_t *first;      /* first[1] is the root; children of k are 2 k and 2 k + 1, registers from `leaves` on */
};

/* False when memory runs out. */
bool mshrs_init(struct mshrs *mshrs, uint32_t count);
void mshrs_free(struct mshrs *mshrs);

/* The register that is free first, the lowest-numbered of these. */
static inline uint32_t mshrs_first(const struct mshrs *mshrs) { return mshrs->first[1]; }

/* Register `index` is held for `line` from `from`, until `until` or longer if it is so already. */
void mshrs_hold(struct mshrs *mshrs, uint32_t index, uint64_t line, cycle_t from, cycle_t until);

#endif
