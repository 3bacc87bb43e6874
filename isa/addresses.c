#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* as in isa/lanes.c */
#endif

#include "isa/addresses.h"

#include <string.h>

#ifdef LANES_V3
#define ADDRESSES isa_addresses_v3
#else
#define ADDRESSES isa_addresses_base
#endif

enum { BLOCK = 16 };

static void global(const uint32_t *low, const uint32_t *high, const uint32_t *index, uint64_t imm, uint32_t lanes,
                   uint64_t *address) {
  if (index)
    for (uint32_t block = 0; block < lanes; block += BLOCK)
      for (uint32_t i = block; i < block + BLOCK; i++)
        address[i] = ((uint64_t)high[i] << 32 | low[i]) + imm + index[i];
  else
    for (uint32_t block = 0; block < lanes; block += BLOCK)
      for (uint32_t i = block; i < block + BLOCK; i++)
        address[i] = ((uint64_t)high[i] << 32 | low[i]) + imm;
}

static struct isa_common offsets(const uint32_t *row, uint32_t imm, uint64_t base, uint64_t most, uint32_t lanes,
                                 uint64_t *address) {
  struct isa_common common = {0, 0};
  for (uint32_t block = 0; block < lanes; block += BLOCK)
    for (uint32_t i = block; i < block + BLOCK; i++) {
      const uint32_t offset = row[i] + imm;
      address[i] = base + offset;
      common.low_bits |= offset;
      common.over |= most - offset;
    }
  return common;
}

static struct isa_common within(const uint64_t *address, uint64_t base, uint64_t most, uint32_t lanes) {
  struct isa_common common = {0, 0};
  for (uint32_t block = 0; block < lanes; block += BLOCK)
    for (uint32_t i = block; i < block + BLOCK; i++) {
      const uint64_t offset = address[i] - base;
      common.low_bits |= address[i];
      common.over |= offset | (most - offset); /* offsets from 2^63 on are above, too */
    }
  return common;
}

/* Packs eight bytes of 0 or 1 into bits. */
static uint64_t bits_of(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word * UINT64_C(0x0102040810204080) >> 56;
}

static uint64_t heads(const uint64_t *address, uint32_t bytes, uint32_t lanes) {
  uint8_t head[ISA_LANES + BLOCK];
  uint64_t bits = 0;
  /* From the second lane on. The last block overlaps the one before, because only whole blocks are fast. */
  for (uint32_t block = 1; block + BLOCK <= lanes; block += BLOCK)
    for (uint32_t i = block; i < block + BLOCK; i++) {
      const uint64_t step = address[i] - address[i - 1];
      head[i] = (uint8_t)((step != 0) & (step != bytes));
    }
  for (uint32_t i = lanes - BLOCK + 1; i < lanes; i++) {
    const uint64_t step = address[i] - address[i - 1];
    head[i] = (uint8_t)((step != 0) & (step != bytes));
  }
  head[0] = 1;
  for (uint32_t i = 0; i < lanes; i += 8)
    bits |= bits_of(head + i) << i;
  return bits;
}

const struct isa_addresses ADDRESSES = {global, offsets, within, heads};
