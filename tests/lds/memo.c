/* lds_recall() compared with lds_plan(), for accesses that repeat, moved or slightly changed. */
#include <stdlib.h>
#include <string.h>

#include "lds/memo.h"
#include "tests/ct.h"

enum { LANES = 32 };

static uint32_t draw(uint64_t *random, uint32_t below) {
  *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (uint32_t)(*random >> 33) % below;
}

static bool same(const struct lds_schedule *a, const struct lds_schedule *b) {
  return a->passes == b->passes && a->phases == b->phases && a->ways == b->ways && a->idle == b->idle &&
         a->late == b->late && memcmp(a->bank_mask, b->bank_mask, a->passes * sizeof a->bank_mask[0]) == 0;
}

/* One of few shapes at one of few places, sometimes with a lane elsewhere or inactive. */
static struct lds_request request_of(uint64_t *random, uint64_t address[LANES]) {
  static const uint8_t bytes[] = {4, 4, 4, 8, 16};
  const uint32_t stride = 4 * draw(random, 5), crossing = draw(random, 3), start = 64 * draw(random, 8);
  struct lds_request request = {.kind = (uint8_t)(draw(random, 5) / 2),
                                .bytes = bytes[draw(random, 5)],
                                .lanes = LANES,
                                .mask = draw(random, 4) ? UINT32_MAX : UINT32_C(0xffff0f01),
                                .address = address};
  for (uint32_t lane = 0; lane < LANES; lane++)
    address[lane] = start + (lane ^ crossing) * stride;
  if (!draw(random, 3))
    address[draw(random, LANES)] += 4 * draw(random, 4);
  request.swap = request.kind == LDS_ATOMIC && draw(random, 2);
  return request;
}

static bool is_even(const struct lds_request *request) {
  const uint64_t step = request->address[1] - request->address[0];
  bool even = request->mask == UINT32_MAX && (!step || step == request->bytes);
  for (uint32_t lane = 1; lane < LANES; lane++)
    even = even && request->address[lane] - request->address[lane - 1] == step;
  return even;
}

static void hold(const struct lds_params *params, uint64_t random) {
  ct_freed(ct_free) struct lds_memo *memo = calloc(1, sizeof *memo);
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t address[LANES];
    const struct lds_request request = request_of(&random, address);
    struct lds_schedule planned, recalled;
    struct lds_request known = request;
    known.even = is_even(&request);
    lds_plan(params, &request, &planned);
    lds_recall(memo, params, &known, &recalled);
    const bool good = same(&planned, &recalled);
    ct_note("access %u", i);
    EXPECT_TRUE(good);
    if (!good)
      break;
  }
}

static struct lds_params params_of(enum lds_hash hash) {
  return (struct lds_params){.banks = 32,
                             .bank_bytes = 4,
                             .ports = 1,
                             .swap_passes = 2,
                             .phase_latency = 3,
                             .atomic_latency = 7,
                             .hash = hash};
}

TEST(lds_memo, a_cached_schedule_equals_the_planned_one) {
  struct lds_params params = params_of(LDS_HASH_NONE);
  hold(&params, 1);
  params.merge = LDS_MERGE_PAIRS;
  hold(&params, 3);
}

/* 32 lanes, and 64 lanes whose upper half is inactive: with `empty = pass`, the phases of that half take passes. */
TEST(lds_memo, accesses_with_equal_active_lanes_differ_by_the_number_of_lanes) {
  struct lds_params params = params_of(LDS_HASH_NONE);
  params.empty = LDS_EMPTY_PASS;
  ct_freed(ct_free) struct lds_memo *memo = calloc(1, sizeof *memo);
  uint64_t address[LDS_LANES] = {0};
  for (unsigned lane = 0; lane < LANES; lane++)
    address[lane] = 4 * lane;
  for (unsigned lanes = LANES; lanes <= LDS_LANES; lanes *= 2) {
    const struct lds_request request = {
        .kind = LDS_READ, .bytes = 4, .lanes = (uint8_t)lanes, .mask = UINT32_MAX, .address = address};
    struct lds_schedule planned, recalled;
    lds_plan(&params, &request, &planned);
    lds_recall(memo, &params, &request, &recalled);
    ct_note("%u lanes", lanes);
    EXPECT_TRUE(same(&planned, &recalled));
  }
}

/* Lanes a row apart, in one bank: in every entry's place, for any position of the first lane. */
TEST(lds_memo, a_schedule_that_just_fits_an_entry_is_cached) {
  const struct lds_params params = params_of(LDS_HASH_NONE);
  ct_freed(ct_free) struct lds_memo *memo = calloc(1, sizeof *memo);
  for (unsigned start = 0; start < 2 * 128; start += 4) {
    uint64_t address[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
      address[lane] = start + 128 * lane;
    const struct lds_request request = {
        .kind = LDS_READ, .bytes = 4, .lanes = LANES, .mask = UINT32_MAX, .address = address};
    struct lds_schedule planned, recalled;
    lds_plan(&params, &request, &planned);
    lds_recall(memo, &params, &request, &recalled);
    EXPECT_EQ(planned.passes, MEMO_PASSES);
    EXPECT_TRUE(same(&planned, &recalled));
  }
}

TEST(lds_memo, a_hash_of_rows_distinguishes_accesses_with_equal_offsets) {
  const struct lds_params params = params_of(LDS_HASH_XOR);
  hold(&params, 2);
}
