#include "models/mem/l2.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

struct l2_line {
  cycle_t ready;         /* end of the last fill in flight */
  uint32_t valid, dirty; /* sectors, including those on their way */
  uint32_t coming;       /* sectors on their way until `ready` */
  uint16_t mshr, merges; /* of the fill in flight */
};

/* A look-up: the entry that holds the line, or the one to replace. */
struct found {
  struct l2_line *entry;
  uint64_t *tag, *used;
  bool hit;
};

/* ---- slices, sets and ways ---------------------------------------------------------------- */

static uint32_t slice_of(const struct mem_params *params, unsigned bits, uint64_t line) {
  uint64_t slice = line;
  if (params->l2_hash == L2_XOR && bits) /* without bits, the loop would not end */
    for (uint64_t upper = line >> bits; upper; upper >>= bits)
      slice ^= upper;
  return (uint32_t)slice & (params->l2_slices - 1);
}

uint32_t l2_slice_of(const struct mem_params *params, uint64_t line) {
  return slice_of(params, (unsigned)__builtin_ctz(params->l2_slices), line);
}

static uint64_t sector_bytes(const struct l2 *l2, uint32_t sectors) {
  return (uint64_t)sector_count(sectors) * l2->params->sector;
}

/* 32-bit divisions are faster, and the lines of most machines have small numbers. */
static inline uint64_t quotient(uint64_t number, uint64_t by) {
  return number <= UINT32_MAX ? (uint32_t)number / (uint32_t)by : number / by;
}

/* The set of a line. With two partitions, lines of the same home are numbered without gaps and shifted by one set each
 * time that they wrap around, so that every other line and every other stripe still use all sets. */
static inline uint64_t set_of(const struct l2 *l2, uint64_t line) {
  uint64_t number = line >> l2->slice_bits, stripe = UINT64_C(1) << l2->stripe_log2 >> l2->slice_bits;
  if (l2->far && stripe)
    number = (number & ~(2 * stripe - 1)) / 2 + (number & (stripe - 1));
  uint64_t round = quotient(number, l2->sets), set = number - round * l2->sets + (l2->far ? round : 0);
  return set < l2->sets ? set : set - quotient(set, l2->sets) * l2->sets;
}

/* Empties a set when it is first used: a large L2 has far more sets than a short kernel uses. */
static void empty(struct l2 *l2, uint64_t set) {
  const uint32_t ways = l2->params->l2_ways;
  memset(l2->tags + set * ways, 0, ways * sizeof *l2->tags);
  memset(l2->used + set * ways, 0, ways * sizeof *l2->used);
  memset(l2->entries + set * ways, 0, ways * sizeof *l2->entries);
  l2->known[set / 64] |= UINT64_C(1) << set % 64;
}

/* Finds `line`, or else the way to replace: an empty one or the least recently used. */
static inline struct found look_up(struct l2 *l2, const struct l2_slice *slice, uint64_t line) {
  const uint64_t number = slice->first + set_of(l2, line), first = number * l2->params->l2_ways;
  if (!(l2->known[number / 64] >> number % 64 & 1))
    empty(l2, number);
  uint64_t *const tags = l2->tags + first, *const used = l2->used + first;
  struct l2_line *set = l2->entries + first;
  for (uint32_t way = 0; way < l2->params->l2_ways; way++)
    if (tags[way] == line + 1)
      return (struct found){&set[way], &tags[way], &used[way], true};
  uint32_t victim = 0;
  for (uint32_t way = 1; way < l2->params->l2_ways; way++)
    if (used[way] < used[victim])
      victim = way;
  return (struct found){&set[victim], &tags[victim], &used[victim], false};
}

static void replace(struct l2 *l2, const struct found *victim, uint64_t line, cycle_t now) {
  if (victim->entry->dirty) {
    dram_access(&l2->dram, now, *victim->tag - 1, sector_bytes(l2, victim->entry->dirty), DRAM_WRITE);
    l2->stats->l2_writebacks++;
  }
  *victim->entry = (struct l2_line){0};
  *victim->tag = line + 1;
}

/* Cycles from the slice to the departure. With l2_spread, regions of l2_region bytes have different distances, the same
 * for all CUs. */
static inline cycle_t latency_of(const struct l2 *l2, uint64_t line) {
  const struct mem_params *params = l2->params;
  if (!params->l2_spread)
    return params->l2_latency;
  uint64_t region = line << l2->line_log2 >> l2->region_log2;
  uint32_t fraction = (uint32_t)region * UINT32_C(0x9e3779b9); /* 2^32 times the fractional part of the golden ratio */
  return params->l2_latency + ((uint64_t)fraction * (params->l2_spread + 1) >> 32);
}

/* ---- a line ------------------------------------------------------------------------------- */

/* A line without an L2. What an atomic operation reads passes DRAM's wires first. */
static cycle_t access_dram(struct l2 *l2, cycle_t now, const struct mem_line *line, unsigned use) {
  uint64_t bytes = sector_bytes(l2, line->sectors);
  if (!(use & L2_READ))
    return dram_access(&l2->dram, now, line->line, bytes, DRAM_WRITE);
  cycle_t done = dram_access(&l2->dram, now, line->line, bytes, DRAM_READ);
  return use & L2_WRITE ? dram_access(&l2->dram, done, line->line, bytes, DRAM_WRITE) : done;
}

/* The partition that is the line's home. */
static inline unsigned home_of(const struct l2 *l2, uint64_t line) {
  if (!l2->far)
    return 0;
  return (unsigned)__builtin_parityll(line >> l2->stripe_log2);
}

static inline struct l2_slice *slice_in(const struct l2 *l2, unsigned partition, uint64_t line) {
  struct l2_slice *first = l2->slices + partition * l2->params->l2_slices;
  return l2->slice_bits ? &first[slice_of(l2->params, l2->slice_bits, line)] : first;
}

/* A line is written at home: removes the copy in the other partition. */
static void drop_copy(struct l2 *l2, unsigned home, uint64_t line) {
  struct found copy = look_up(l2, slice_in(l2, !home, line), line);
  if (!copy.hit)
    return;
  *copy.entry = (struct l2_line){0};
  *copy.tag = *copy.used = 0;
}

/* Fetches sectors from the other partition. Returns when they arrive, as if DRAM had delivered them. */
static cycle_t fetch_far(struct l2 *l2, cycle_t now, uint64_t line, uint32_t missing);

/* A line whose missing sectors bypass the L2. */
static cycle_t bypass(struct l2 *l2, cycle_t passed, const struct found *found, const struct mem_line *line,
                      bool write) {
  struct l2_line *entry = found->entry;
  uint32_t present = found->hit ? line->sectors & entry->valid : 0, absent = line->sectors & ~present;
  cycle_t latency = latency_of(l2, line->line), done = passed + latency;
  if (found->hit)
    *found->used = ++l2->uses;
  if (write)
    entry->dirty |= present;
  else if (present & entry->coming && entry->ready > passed)
    done = cycle_max(done, entry->ready);
  ++*(absent ? &l2->stats->l2_misses : &l2->stats->l2_hits);
  if (!absent)
    return done;
  l2->stats->l2_bypassed += sector_count(absent);
  cycle_t delivered =
      dram_access(&l2->dram, passed, line->line, sector_bytes(l2, absent), write ? DRAM_WRITE : DRAM_READ);
  return cycle_max(done, delivered + latency);
}

/* Whether the line is in an MSHR, so that a fetch for it needs no other one. */
static bool in_mshr(const struct l2_slice *slice, const struct l2_line *entry, uint64_t line, cycle_t now) {
  const struct mshr *held = &slice->mshrs.registers[entry->mshr];
  return entry->coming && held->line == line && held->free > now;
}

/* Fetches sectors from DRAM, from `now` on or from when an MSHR is free; returns when they are delivered. */
static cycle_t fetch(struct l2 *l2, struct l2_slice *slice, cycle_t now, struct l2_line *entry, uint64_t line,
                     uint32_t missing) {
  uint64_t bytes = sector_bytes(l2, missing);
  if (l2->far && home_of(l2, line) != slice->partition)
    return fetch_far(l2, now, line, missing);
  if (!l2->params->mshrs)
    return dram_access(&l2->dram, now, line, bytes, DRAM_READ);
  bool held = in_mshr(slice, entry, line, now);
  if (!held)
    entry->mshr = (uint16_t)mshrs_first(&slice->mshrs);
  const struct mshr *mshr = &slice->mshrs.registers[entry->mshr];
  /* A line that still waits for its register gets it at that time, for all of its sectors. */
  cycle_t from = held ? mshr->from : cycle_max(now, mshr->free), asked = cycle_max(now, from);
  l2->stats->l2_mshr_full_cycles += asked - now;
  cycle_t delivered = dram_access(&l2->dram, asked, line, bytes, DRAM_READ);
  mshrs_hold(&slice->mshrs, entry->mshr, line, from, delivered);
  return delivered;
}

/* A read of a line on its way joins the fill, or waits for its end if mshr_merges reads have joined. Returns when it is
 * looked up. */
static cycle_t merge(struct l2 *l2, cycle_t passed, struct l2_line *entry) {
  if (l2->params->mshr_merges && entry->merges == l2->params->mshr_merges) {
    l2->stats->l2_merges_refused++;
    return entry->ready;
  }
  entry->merges++;
  l2->stats->l2_merges++;
  return passed;
}

/* A read of a line that now has an entry. `missing` sectors were not there; others may be on their way. Returns when
 * its data depart. */
static cycle_t read_line(struct l2 *l2, struct l2_slice *slice, cycle_t passed, struct l2_line *entry,
                         const struct mem_line *line, uint32_t missing) {
  cycle_t latency = latency_of(l2, line->line), at = passed;
  if (entry->coming)
    at = merge(l2, passed, entry);
  else
    entry->merges = 0;
  cycle_t done = at + latency;
  if (at == passed && line->sectors & entry->coming)
    done = cycle_max(done, entry->ready);
  if (missing) {
    cycle_t ready = fetch(l2, slice, at, entry, line->line, missing) + latency;
    entry->coming |= missing;
    entry->ready = cycle_max(entry->ready, ready);
    done = cycle_max(done, entry->ready);
  }
  return done;
}

/* The sectors of all blocks of dram_fetch that contain some of `sectors`. */
static uint32_t blocks_of(const struct l2 *l2, uint32_t sectors) {
  uint32_t all = (2u << (l2->params->line / l2->params->sector - 1)) - 1,
           count = l2->params->dram_fetch / l2->params->sector;
  uint32_t blocks = 0;
  for (uint32_t block = (2u << (count - 1)) - 1; block & all; block <<= count)
    blocks |= sectors & block ? block & all : 0;
  return blocks;
}

/* One line of a message that passed its slice in cycle `passed`; returns when its data depart. Always inlined: it is
 * short, and much of it depends on `use`. */
__attribute__((always_inline)) static inline cycle_t access_line(struct l2 *l2, struct l2_slice *slice, cycle_t passed,
                                                                 const struct mem_line *line, unsigned use) {
  struct found found = look_up(l2, slice, line->line);
  if (l2->far && use & L2_WRITE)
    drop_copy(l2, slice->partition, line->line);
  if (use & L2_PAST)
    return bypass(l2, passed, &found, line, use & L2_WRITE);
  if (!found.hit)
    replace(l2, &found, line->line, passed);
  struct l2_line *entry = found.entry;
  uint32_t missing = line->sectors & ~entry->valid;
  if (missing && use & L2_READ && l2->params->dram_fetch > l2->params->sector)
    missing = blocks_of(l2, missing) & ~entry->valid;
  if (entry->ready <= passed)
    entry->coming = 0;
  *found.used = ++l2->uses;
  entry->valid |= line->sectors | missing;
  entry->dirty |= use & L2_WRITE ? line->sectors : 0;
  bool far = l2->far && missing && home_of(l2, line->line) != slice->partition; /* counted at the home */
  *(missing ? &l2->stats->l2_misses : &l2->stats->l2_hits) += !far;
  if (use & L2_READ && (missing || line->sectors & entry->coming))
    return read_line(l2, slice, passed, entry, line, missing);
  return passed + latency_of(l2, line->line);
}

/* ---- a message ---------------------------------------------------------------------------- */

/* Updates of one word occupy a slice from `first` on. Returns the cycle of the last one, if it is later than the one in
 * which the bytes passed. */
static cycle_t update(struct l2 *l2, struct l2_slice *slice, cycle_t first, uint32_t updates, cycle_t passed) {
  cycle_t updated = first + (cycle_t)updates * l2->params->atomic_interval;
  if (updated <= passed + 1)
    return passed;
  l2->stats->l2_atomic_cycles += updated - passed - 1;
  slice->width.cycle = updated;
  slice->width.used = 0;
  return updated - 1;
}

/* Share of the width that a line's bytes take. */
static inline uint64_t burst(const struct l2 *l2, uint64_t bytes) {
  return bytes < l2->params->l2_burst ? l2->params->l2_burst : bytes;
}

/* Passes bytes, which take `taken` of the width, through a slice. Returns the cycle of the last byte, or of the last
 * update. */
static inline cycle_t pass_slice(struct l2 *l2, struct l2_slice *slice, cycle_t now, uint64_t bytes, uint64_t taken,
                                 uint32_t updates) {
  cycle_t first = cycle_max(now, slice->width.cycle);
  cycle_t passed = rate_take(&slice->width, now, taken << (l2->slice_bits + l2->far)) - 1;
  slice->bytes += bytes;
  l2->stats->l2_bytes += bytes;
  if (l2->stats->l2_peak_slice_bytes < slice->bytes)
    l2->stats->l2_peak_slice_bytes = slice->bytes;
  return updates ? update(l2, slice, first, updates, passed) : passed;
}

/* Not inlined, so that the common case above can be. */
__attribute__((noinline)) static cycle_t fetch_far(struct l2 *l2, cycle_t now, uint64_t line, uint32_t missing) {
  struct l2_slice *slice = slice_in(l2, home_of(l2, line), line);
  const struct mem_line part = {.line = line, .sectors = missing};
  const uint64_t bytes = sector_bytes(l2, missing);
  cycle_t passed = pass_slice(l2, slice, now, bytes, burst(l2, bytes), 0);
  cycle_t done = access_line(l2, slice, passed, &part, L2_READ);
  l2->stats->l2_far++;
  return done - latency_of(l2, line) + l2->params->l2_partition_latency;
}

/* The slice in which a line is looked up: near the CU for reads, at the home for the rest. */
static inline struct l2_slice *slice_for(const struct l2 *l2, const struct mem_line *line, unsigned use) {
  bool read = (use & (L2_WRITE | L2_PAST)) == 0;
  return slice_in(l2, read ? use / L2_FROM : home_of(l2, line->line), line->line);
}

/* Cycles added for a partition that is not near the CU. */
static inline cycle_t partition_penalty(const struct l2 *l2, const struct l2_slice *slice, unsigned use) {
  if (!l2->far || slice->partition == use / L2_FROM)
    return 0;
  l2->stats->l2_far++;
  return l2->params->l2_partition_latency;
}

void l2_fetch(const struct l2 *l2, const struct mem_line *lines, uint32_t count, unsigned use) {
  enum { HOST_LINE = 64, MOST = 8 };
  for (uint32_t i = 0; l2->sets && i < count && i < MOST; i++) {
    const struct l2_slice *slice = slice_for(l2, &lines[i], use);
    const uint64_t first = (slice->first + set_of(l2, lines[i].line)) * l2->params->l2_ways;
    for (uint32_t way = 0; way < l2->params->l2_ways; way += HOST_LINE / sizeof *l2->tags) {
      __builtin_prefetch(l2->tags + first + way);
      __builtin_prefetch(l2->used + first + way);
    }
  }
}

/* Adds up the lines of each slice. */
static void share_out(struct l2 *l2, const struct mem_line *lines, uint32_t count, unsigned use) {
  for (uint32_t i = 0; i < count; i++) {
    struct l2_slice *slice = slice_for(l2, &lines[i], use);
    const uint64_t bytes = sector_bytes(l2, lines[i].sectors);
    slice->share += bytes;
    slice->taken += burst(l2, bytes);
    if (slice->updates < lines[i].updates)
      slice->updates = lines[i].updates;
  }
}

/* The first line in a slice takes all bytes of the message in this slice through it. */
static cycle_t access_lines(struct l2 *l2, cycle_t now, const struct mem_line *lines, uint32_t count, unsigned use) {
  cycle_t done = now;
  share_out(l2, lines, count, use);
  for (uint32_t i = 0; i < count; i++) {
    struct l2_slice *slice = slice_for(l2, &lines[i], use);
    if (slice->share)
      slice->passed = pass_slice(l2, slice, now, slice->share, slice->taken, slice->updates);
    slice->share = slice->taken = 0;
    slice->updates = 0;
    done = cycle_max(done, access_line(l2, slice, slice->passed, &lines[i], use) + partition_penalty(l2, slice, use));
  }
  return done;
}

cycle_t l2_access_line(struct l2 *l2, cycle_t now, const struct mem_line *line, uint64_t bytes, unsigned use) {
  if (!l2->sets)
    return access_dram(l2, now, line, use);
  struct l2_slice *slice = slice_for(l2, line, use);
  return access_line(l2, slice, pass_slice(l2, slice, now, bytes, burst(l2, bytes), line->updates), line, use) +
         partition_penalty(l2, slice, use);
}

cycle_t l2_access(struct l2 *l2, cycle_t now, const struct mem_line *lines, uint32_t count, unsigned use) {
  cycle_t done = now;
  if (l2->sets)
    return access_lines(l2, now, lines, count, use);
  for (uint32_t i = 0; i < count; i++)
    done = cycle_max(done, access_dram(l2, now, &lines[i], use));
  return done;
}

/* Whether a prefetch of these sectors would wait for an MSHR. */
static bool must_wait(struct l2 *l2, struct l2_slice *slice, cycle_t now, const struct mem_line *line) {
  struct found found = look_up(l2, slice, line->line);
  if (found.hit && (!(line->sectors & ~found.entry->valid) || in_mshr(slice, found.entry, line->line, now)))
    return false;
  return slice->mshrs.registers[mshrs_first(&slice->mshrs)].free > now;
}

void l2_prefetch(struct l2 *l2, cycle_t now, uint64_t from, uint64_t to) {
  if (!l2->sets || from >= to)
    return;
  uint64_t bytes = to - from < l2->params->l2_size ? to - from : l2->params->l2_size;
  struct mem_cursor cursor = {.left = {.base = from, .bytes = bytes, .lines = 1}};
  bool drop = l2->params->mshrs && l2->params->mshr_prefetch == MSHR_DROP;
  for (struct mem_line line; mem_gather(l2->params, &cursor, &line, 1);) {
    struct l2_slice *slice = slice_in(l2, home_of(l2, line.line), line.line);
    if (drop && must_wait(l2, slice, now, &line))
      l2->stats->l2_prefetches_dropped++;
    else
      access_line(l2, slice, now, &line, L2_READ);
  }
}

/* ---- construction ------------------------------------------------------------------------- */

void l2_init(struct l2 *l2, const struct mem_params *params, struct mem_stats *stats) {
  *l2 = (struct l2){
      .params = params,
      .stats = stats,
      .slice_bits = (unsigned)__builtin_ctz(params->l2_slices),
      .far = params->l2_partitions - 1,
      .line_log2 = (unsigned)__builtin_ctz(params->line),
      .stripe_log2 = (unsigned)__builtin_ctz(params->l2_stripe / params->line),
      .region_log2 = (unsigned)__builtin_ctz(params->l2_region),
  };
  uint32_t slices = params->l2_slices * params->l2_partitions;
  l2->sets = params->l2_size / ((uint64_t)params->line * params->l2_ways) / slices;
  const uint64_t sets = slices * l2->sets, entries = sets * params->l2_ways;
  dram_init(&l2->dram, params, stats);
  l2->slices = need(slices, sizeof *l2->slices);
  l2->known = need(need_size(sets / 64 + 1), sizeof *l2->known);
  l2->tags = need_more(NULL, need_size(entries), sizeof *l2->tags);
  l2->used = need_more(NULL, need_size(entries), sizeof *l2->used);
  l2->entries = need_more(NULL, need_size(entries), sizeof *l2->entries);
  for (uint32_t i = 0; i < slices; i++) {
    l2->slices[i].width.per_cycle = params->l2_width;
    l2->slices[i].first = i * l2->sets;
    l2->slices[i].partition = i / params->l2_slices;
    if (params->mshrs)
      mshrs_init(&l2->slices[i].mshrs, params->mshrs);
  }
}

void l2_free(struct l2 *l2) {
  for (uint32_t i = 0; l2->slices && i < l2->params->l2_slices * l2->params->l2_partitions; i++)
    mshrs_free(&l2->slices[i].mshrs);
  free(l2->slices);
  free(l2->known);
  free(l2->tags);
  free(l2->used);
  free(l2->entries);
  dram_free(&l2->dram);
  *l2 = (struct l2){0};
}

void l2_launch(struct l2 *l2) {
  dram_launch(&l2->dram);
  for (uint32_t i = 0; i < l2->params->l2_slices * l2->params->l2_partitions; i++)
    l2->slices[i].bytes = 0;
}
