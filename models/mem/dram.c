#include "models/mem/dram.h"

#include <stdlib.h>
#include <string.h>

#include "models/mem/sectors.h"
#include "sim/base/need.h"

struct dram_place dram_locate(const struct mem_params *params, uint64_t line) {
  uint32_t columns = params->dram_row / params->line;
  struct dram_place place = {.channel = (uint32_t)(line % params->dram_channels)};
  line /= params->dram_channels;
  place.column = (uint32_t)(line % columns);
  line /= columns;
  place.bank = (uint32_t)(line % params->dram_banks);
  place.row = line / params->dram_banks;
  return place;
}

void dram_init(struct dram *dram, const struct mem_params *params, struct mem_stats *stats) {
  bool banked = params->dram == DRAM_BANKED;
  *dram = (struct dram){.params = params, .stats = stats, .channels = banked ? params->dram_channels : 1};
  dram->wires = need(dram->channels, sizeof *dram->wires);
  dram->banks = banked ? need((size_t)dram->channels * params->dram_banks, sizeof *dram->banks) : NULL;
  dram->bytes = need(dram->channels, sizeof *dram->bytes);
  for (uint32_t i = 0; i < dram->channels; i++)
    dram->wires[i].per_cycle = params->dram_width;
}

void dram_free(struct dram *dram) {
  free(dram->wires);
  free(dram->banks);
  free(dram->bytes);
  *dram = (struct dram){0};
}

void dram_launch(struct dram *dram) { memset(dram->bytes, 0, dram->channels * sizeof *dram->bytes); }

/* Waits for the end of a refresh, which also closes the bank's row. Returns when the access may start. */
static cycle_t refresh(struct dram *dram, struct dram_bank *bank, cycle_t start) {
  uint64_t interval = dram->params->dram_refresh, refreshes = start / interval;
  cycle_t over = refreshes * interval + dram->params->dram_refresh_cycles;
  if (refreshes != bank->refreshes)
    bank->row = 0;
  bank->refreshes = refreshes;
  if (!refreshes || start >= over)
    return start;
  dram->stats->dram_refresh_stalls += over - start;
  return over;
}

/* Opens `row`; returns the cycles from the access's start to its first data. */
static cycle_t open_row(struct dram *dram, struct dram_bank *bank, uint64_t row) {
  uint64_t open = bank->row;
  bank->row = row + 1;
  if (open == row + 1) {
    dram->stats->dram_row_hits++;
    return dram->params->dram_row_hit;
  }
  if (open) {
    dram->stats->dram_row_conflicts++;
    return dram->params->dram_row_conflict;
  }
  dram->stats->dram_row_misses++;
  return dram->params->dram_row_miss;
}

/* Passes an access over a channel's wires from `ready` on; returns the first cycle after it. */
static cycle_t pass_wires(struct dram *dram, struct rate *wires, cycle_t ready, uint64_t bytes) {
  cycle_t before = cycle_max(ready, wires->cycle + (wires->used > 0));
  cycle_t passed = rate_take(wires, ready, bytes * dram->channels);
  /* A cycle shared with the access before has already been counted. */
  dram->stats->dram_busy_cycles += passed > before ? passed - before : 0;
  return passed;
}

static void count_channel(struct dram *dram, uint32_t channel, uint64_t bytes) {
  dram->bytes[channel] += bytes;
  if (dram->bytes[channel] > dram->stats->dram_peak_channel_bytes)
    dram->stats->dram_peak_channel_bytes = dram->bytes[channel];
}

/* With simple DRAM: the rest of the row's refresh, or 0. */
static cycle_t refresh_of_row(struct dram *dram, cycle_t now, uint64_t line) {
  const struct mem_params *params = dram->params;
  uint64_t hash = mem_hash(line * params->line / params->dram_row);
  uint64_t phase = hash * params->dram_refresh >> 32, since = (now + phase) % params->dram_refresh;
  if (since >= params->dram_refresh_cycles)
    return 0;
  dram->stats->dram_refresh_stalls += params->dram_refresh_cycles - since;
  return params->dram_refresh_cycles - since;
}

/* With simple DRAM. */
static cycle_t access_wires(struct dram *dram, cycle_t now, uint64_t line, uint64_t bytes, enum dram_way way) {
  uint64_t taken = cycle_max(bytes, dram->params->dram_burst) + (way != dram->way ? dram->params->dram_turn : 0);
  dram->way = way;
  return rate_take(dram->wires, now, taken) - 1 + dram->params->dram_latency +
         (dram->params->dram_refresh ? refresh_of_row(dram, now, line) : 0);
}

cycle_t dram_access(struct dram *dram, cycle_t now, uint64_t line, uint64_t bytes, enum dram_way way) {
  dram->stats->dram_bytes += bytes;
  if (!dram->banks)
    return access_wires(dram, now, line, bytes, way);
  struct dram_place place = dram_locate(dram->params, line);
  struct dram_bank *bank = &dram->banks[place.channel * dram->params->dram_banks + place.bank];
  struct rate *wires = &dram->wires[place.channel];
  cycle_t start = cycle_max(now, bank->free);
  count_channel(dram, place.channel, bytes);
  if (dram->params->dram_refresh)
    start = refresh(dram, bank, start);
  cycle_t passed = pass_wires(dram, wires, start + open_row(dram, bank, place.row), bytes);
  bank->free = wires->cycle - dram->params->dram_row_hit;
  return passed - 1 + dram->params->dram_latency;
}

uint64_t dram_backlog(const struct dram *dram, cycle_t now) {
  uint64_t left = 0;
  for (uint32_t i = 0; i < dram->channels; i++) {
    const struct rate *wires = &dram->wires[i];
    if (wires->cycle >= now)
      left += (wires->cycle - now) * wires->per_cycle + wires->used;
  }
  return left / dram->channels;
}
