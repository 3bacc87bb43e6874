/* The addresses of a warp's lanes and what they have in common: loops over all lanes, compiled twice like isa/lanes.h,
 * with the same bits from both.
 *
 * A head is a lane whose bytes neither equal those of the lane before nor directly follow them. The first lane is a
 * head. The lanes from one head to the next access contiguous bytes, so a few heads describe the whole access.
 *
 * `lanes` is a multiple of 16, at most ISA_LANES. All lanes count, also those that do not take part. */
#ifndef ISA_ADDRESSES_H
#define ISA_ADDRESSES_H

#include "isa/lanes.h"

/* `low_bits`: the bits that are set in any lane's address. `over`: its highest bit is set if any lane is above
 * `most`. */
struct isa_common {
  uint64_t low_bits, over;
};

struct isa_addresses {
  /* (high, low) + imm + index. Without index if that is NULL. */
  void (*global)(const uint32_t *low, const uint32_t *high, const uint32_t *index, uint64_t imm, uint32_t lanes,
                 uint64_t *address);
  /* base + (row + imm modulo 2^32). The result describes the offsets without `base`. */
  struct isa_common (*offsets)(const uint32_t *row, uint32_t imm, uint64_t base, uint64_t most, uint32_t lanes,
                               uint64_t *address);
  /* Whether the addresses are within [base, base + most], in `over`. `low_bits` are those of the addresses themselves.
   */
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
