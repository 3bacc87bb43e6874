/* Miss-status holding registers: they limit how many lines a slice of the L2 can fetch at once.
 *
 * A miss holds a register from the cycle in which it requests DRAM to the one in which DRAM has delivered. If none is
 * free, it makes its request in the cycle in which the first becomes free, first come, first served. Later accesses
 * that need no register do not wait for it.
 *
 *     2 registers, DRAM 10 cycles        cycle   0         5         10        15        20
 *     register 0                                 a ───────────────── c ───────────────── free
 *     register 1                                      b ───────────────── free
 *     c, passed in cycle 6                                  . . . . . c requests in 10: 4 cycles full
 *
 * Invariant: in any cycle, no more lines are being fetched than there are registers. The registers are the leaves of a
 * tree. Each node holds the register below it that is free first, so both calls take logarithmic time. */
#ifndef MODELS_MSHR_H
#define MODELS_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/time.h"

struct mshrs {
  struct mshr {
    cycle_t from, free; /* of its last use */
    uint64_t line;      /* of its last use */
  } * registers;        /* `leaves` of them; registers beyond `count` are never free */
  uint32_t leaves;      /* a power of two */
  uint32_t *first;      /* first[1] is the root; node k has children 2 k and 2 k + 1; leaves follow from `leaves` on */
};

void mshrs_init(struct mshrs *mshrs, uint32_t count);
void mshrs_free(struct mshrs *mshrs);

/* The register that is free first, and the lowest number among equals. */
static inline uint32_t mshrs_first(const struct mshrs *mshrs) { return mshrs->first[1]; }

/* Holds register `index` for `line` from `from` until `until`, or until the end of its current use if that is later. */
void mshrs_hold(struct mshrs *mshrs, uint32_t index, uint64_t line, cycle_t from, cycle_t until);

#endif
