#include "lds/memo.h"

#include <string.h>

/* What the schedule depends on, apart from mask and addresses. */
static uint32_t what_of(const struct lds_request *request) {
  return request->kind | (uint32_t)request->bytes << 8 | (uint32_t)request->lanes << 16 | (uint32_t)request->swap << 24;
}

/* The address bits that the schedule depends on. */
static uint32_t bits_of(const struct lds_params *params) {
  return params->hash == LDS_HASH_NONE ? params->banks * params->bank_bytes - 1 : UINT32_MAX;
}

static struct lds_remembered *place_of(struct lds_memo *memo, const struct lds_request *request, uint32_t bits) {
  const uint64_t *address = request->address;
  const uint64_t key = (address[0] & bits) + (address[1] - address[0]) * 5 + (address[2] - address[1]) * 11;
  return &memo->entry[(key ^ key >> 5 ^ request->bytes) % MEMO_ENTRIES];
}

/* All lanes have the remembered distances from lane 0, and lane 0 has the same place in a row. */
static bool alike(const struct lds_remembered *entry, const struct lds_request *request, uint32_t bits) {
  const uint64_t *address = request->address;
  const uint32_t first = (uint32_t)address[0];
  uint32_t difference = (first - entry->first) & bits;
  for (unsigned lane = 0; lane < request->lanes; lane++)
    difference |= ((uint32_t)address[lane] - first) ^ entry->behind[lane];
  return !difference;
}

static void remember(struct lds_remembered *entry, const struct lds_request *request,
                     const struct lds_schedule *schedule) {
  if (schedule->passes > MEMO_PASSES)
    return;
  entry->mask = request->mask;
  entry->what = what_of(request);
  entry->passes = (uint16_t)schedule->passes;
  entry->phases = (uint16_t)schedule->phases;
  entry->ways = (uint16_t)schedule->ways;
  entry->idle = (uint16_t)schedule->idle;
  entry->late = schedule->late;
  memcpy(entry->bank_mask, schedule->bank_mask, schedule->passes * sizeof *schedule->bank_mask);
  entry->first = (uint32_t)request->address[0];
  for (unsigned lane = 0; lane < request->lanes; lane++)
    entry->behind[lane] = (uint32_t)request->address[lane] - entry->first;
}

void lds_recall(struct lds_memo *memo, const struct lds_params *params, const struct lds_request *request,
                struct lds_schedule *schedule) {
  if (request->even && lds_plan_even(params, request, schedule))
    return;
  const uint32_t bits = bits_of(params);
  struct lds_remembered *entry = place_of(memo, request, bits);
  if (entry->mask != request->mask || entry->what != what_of(request) || !alike(entry, request, bits)) {
    lds_plan(params, request, schedule);
    remember(entry, request, schedule);
    return;
  }
  schedule->passes = entry->passes;
  schedule->phases = entry->phases;
  schedule->ways = entry->ways;
  schedule->idle = entry->idle;
  schedule->late = entry->late;
  for (uint32_t pass = 0; pass < entry->passes; pass++)
    schedule->bank_mask[pass] = entry->bank_mask[pass];
}
