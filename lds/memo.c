#include "lds/memo.h"

#include <string.h>

/* What the schedule depends on besides mask and addresses. */
static uint32_t what_of(const struct lds_request *request) {
  return request->kind | (uint32_t)request->bytes << 8 | (uint32_t)request->lanes << 16 | (uint32_t)request->swap << 24;
}

/* Addresses that differ by a multiple of it lie alike. */
static uint64_t period_of(const struct lds_params *params) {
  return params->hash == LDS_HASH_NONE ? (uint64_t)params->banks * params->bank_bytes : UINT64_C(1) << 63;
}

static struct lds_remembered *place_of(struct lds_memo *memo, const struct lds_request *request, uint64_t period) {
  const uint64_t *address = request->address;
  uint64_t key = (address[0] & (period - 1)) + (address[1] - address[0]) * 5 + (address[2] - address[1]) * 11;
  return &memo->entry[(key ^ key >> 5 ^ request->bytes) % MEMO_ENTRIES];
}

/* All lanes lie as the remembered ones do, the same number of periods further. */
static bool alike(const struct lds_remembered *entry, const struct lds_request *request, uint64_t period) {
  const uint64_t *address = request->address, *before = entry->address;
  const uint64_t shift = address[0] - before[0];
  uint64_t difference = shift & (period - 1);
  for (unsigned lane = 0; lane < request->lanes; lane++)
    difference |= (address[lane] - before[lane]) ^ shift;
  return !difference;
}

static void remember(struct lds_remembered *entry, const struct lds_request *request,
                     const struct lds_schedule *schedule) {
  if (schedule->passes > MEMO_PASSES)
    return;
  entry->mask = request->mask;
  entry->what = what_of(request);
  entry->passes = schedule->passes;
  entry->phases = schedule->phases;
  entry->ways = schedule->ways;
  entry->idle = schedule->idle;
  entry->late = schedule->late;
  memcpy(entry->bank_mask, schedule->bank_mask, schedule->passes * sizeof *schedule->bank_mask);
  memcpy(entry->address, request->address, request->lanes * sizeof *request->address);
}

void lds_recall(struct lds_memo *memo, const struct lds_params *params, const struct lds_request *request,
                struct lds_schedule *schedule) {
  if (request->even && lds_plan_even(params, request, schedule))
    return;
  const uint64_t period = period_of(params);
  struct lds_remembered *entry = place_of(memo, request, period);
  if (entry->mask != request->mask || entry->what != what_of(request) || !alike(entry, request, period)) {
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
