/* The addresses of a warp's lanes, and what they have in common: loops over all lanes, compiled as isa/lanes.h is, and
 * with the same bits from both.
 *
 * A head is a lane whose bytes are neither those of the lane before it nor right behind them; the first lane is one.
 * The lanes from one head to the next want bytes that lie side by side, so that a few heads tell all that an access
 * wants.
 *
 * `lanes` is a multiple of 16, at most ISA_LANES; all lanes count, whether they take part or not. */
#ifndef ISA_ADDRESSES_H
#define ISA_ADDRESSES_H

#include "isa/lanes.h"

/* `low_bits` are those set in any lane's address, `over` has its highest bit set if any lane lies beyond `most`. */
struct isa_common {
  uint64_t low_bits, over;
};

struct isa_addresses {
  /* (high, low) + imm + index, without index if that is NULL. */
  void (*global)(const uint32_t *low, const uint32_t *high, const uint32_t *index, uint64_t imm, uint32_t lanes,
                 uint64_t *address);
  /* base + (row + imm modulo 2^32); what they have in common is said of what is added to `base`. */
  struct isa_common (*offsets)(const uint32_t *row, uint32_t imm, uint64_t base, uint64_t most, uint32_t lanes,
                               uint64_t *address);
  /* Are the addresses within [base, base + most]? */
  struct isa_common (*within)(const uint64_t *address, uint64_t base, uint64_t most, uint32_t lanes);
  uint64_t (*heads)(const uint64_t *address, uint32_t bytes, uint32_t lanes);
};

extern const struct isa_addresses isa_addresses_base;
#ifdef __x86_64__
extern const struct isa_addresses isa_addresses_v3;
#endif

static inline const struct isa_addresses *isa_addresses(void) {
#ifdef __x86_64__
  if (isa_lanes_have_v3())
    return &isa_addresses_v3;
#endif
  return &isa_addresses_base;
}

#endif
