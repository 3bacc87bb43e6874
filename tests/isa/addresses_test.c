/* isa/addresses.h compared with the plain words of its header, in both builds. */
#include "isa/addresses.h"
#include "tests/ct.h"

static uint64_t random_state = 29;

/* Lanes whose addresses are adjacent, equal, or random. */
static void draw(uint64_t *address, uint32_t bytes, uint32_t lanes) {
  address[0] = 0x4000 + ct_random(&random_state) % 4096 * bytes;
  const uint64_t jumps = ct_random(&random_state) % 4;
  for (uint32_t lane = 1; lane < lanes; lane++) {
    const uint64_t way = ct_random(&random_state) % 16;
    const uint64_t jump = (ct_random(&random_state) % 512 - 256) * bytes;
    address[lane] = address[lane - 1] + (way < jumps ? jump : way < 3 * jumps ? 0 : bytes);
  }
}

static void hold_heads(const struct isa_addresses *addresses, const uint64_t *address, uint32_t bytes, uint32_t lanes) {
  uint64_t expected = 1;
  for (uint32_t lane = 1; lane < lanes; lane++)
    if (address[lane] != address[lane - 1] && address[lane] != address[lane - 1] + bytes)
      expected |= UINT64_C(1) << lane;
  EXPECT_EQ(addresses->heads(address, bytes, lanes), expected);
}

static void hold_within(const struct isa_addresses *addresses, const uint64_t *address, uint32_t lanes) {
  const uint64_t base = 0x4100, most = 0x3000;
  uint64_t low_bits = 0;
  bool within = true;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    low_bits |= address[lane];
    within = within && address[lane] >= base && address[lane] <= base + most;
  }
  const struct isa_common common = addresses->within(address, base, most, lanes);
  EXPECT_EQ(common.low_bits, low_bits);
  EXPECT_EQ(!(common.over >> 63), within);
}

static void hold_sums(const struct isa_addresses *addresses, uint32_t lanes) {
  uint32_t low[ISA_LANES], high[ISA_LANES], index[ISA_LANES];
  uint64_t address[ISA_LANES], sum[ISA_LANES], low_bits = 0;
  const uint64_t imm = ct_random(&random_state), base = ct_random(&random_state) >> 8;
  const uint32_t most = UINT32_MAX / 2;
  bool within = true;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    low[lane] = (uint32_t)ct_random(&random_state) >> ct_random(&random_state) % 8;
    high[lane] = (uint32_t)ct_random(&random_state);
    index[lane] = (uint32_t)ct_random(&random_state);
    sum[lane] = ((uint64_t)high[lane] << 32) + low[lane] + imm;
    low_bits |= (uint32_t)(low[lane] + (uint32_t)imm);
    within = within && (uint32_t)(low[lane] + (uint32_t)imm) <= most;
  }
  addresses->global(low, high, NULL, imm, lanes, address);
  for (uint32_t lane = 0; lane < lanes; lane++)
    EXPECT_EQ(address[lane], sum[lane]);
  addresses->global(low, high, index, imm, lanes, address);
  for (uint32_t lane = 0; lane < lanes; lane++)
    EXPECT_EQ(address[lane], sum[lane] + index[lane]);
  const struct isa_common common = addresses->offsets(low, (uint32_t)imm, base, most, lanes, address);
  for (uint32_t lane = 0; lane < lanes; lane++)
    EXPECT_EQ(address[lane], base + (uint32_t)(low[lane] + (uint32_t)imm));
  EXPECT_EQ(common.low_bits, low_bits);
  EXPECT_EQ(!(common.over >> 63), within);
}

static void hold(const struct isa_addresses *addresses) {
  for (unsigned i = 0; i < 3000; i++) {
    const uint32_t lanes = 16u << i % 3, bytes = 1u << i % 5;
    uint64_t address[ISA_LANES];
    draw(address, bytes, lanes);
    ct_note("round %u: %u lanes of %u bytes", i, lanes, bytes);
    hold_heads(addresses, address, bytes, lanes);
    hold_within(addresses, address, lanes);
    hold_sums(addresses, lanes);
  }
}

TEST(addresses, lanes_decoded_together_equal_lanes_decoded_one_by_one) {
  hold(&isa_addresses_base);
#ifdef __x86_64__
  if (isa_lanes_have_v3())
    hold(&isa_addresses_v3);
#endif
}
