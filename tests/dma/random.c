/* Random copies on random machines compared with the slow reference: every byte once, in order, within limits, on
 * time. */
#include <stdlib.h>
#include <string.h>

#include "dma/work.h"
#include "tests/dma/reference.h"
#include "tests/dma/rig.h"

static void note_case(unsigned i, const struct dma_params *p, const struct flat_copy *c) {
  ct_note("case %u: to_lds %d, %u planes of %u lines of %u, global %u %u %u, lds %u %u %u, outstanding %u, quota %u, "
          "widths %u %u, outbound %u after %u, granularity %u, lines %u, cut %u, sector %u, gather %u, coupled %u, "
          "buffer %u, alignment %u, "
          "pad %u %u, line %u, burst %u",
          i, c->to_lds, c->planes, c->lines, c->line_bytes, (unsigned)c->global, (unsigned)c->global_pitch,
          (unsigned)c->global_plane, c->lds, c->lds_pitch, c->lds_plane, p->outstanding, p->quota, p->read_width,
          p->write_width, p->out_width, p->lds_latency, p->granularity, p->lines, p->cut, p->sector, p->gather,
          p->decoupling, p->buffer, p->alignment, p->pad_interval, p->pad, p->line_cycles, p->burst);
}

TEST(dma, any_copy_on_an_idle_engine_follows_the_recurrence) {
  uint64_t random = 3;
  for (unsigned i = 0; i < 4000; i++) {
    struct dma_params params = random_params(&random);
    struct flat_copy copy = random_copy(&random);
    cycle_t memory = 1 + MEMORY_LATENCY + ct_random(&random) % 80;
    params.dimensions = 5;
    if (i % 2) {
      params.out_of_bounds = DMA_SKIP;
      copy.global_from = copy.global + ct_random(&random) % 200;
      copy.global_to = copy.global_from + ct_random(&random) % 5000;
    }
    note_case(i, &params, &copy);
    if (!EXPECT_EQ(alone(params, copy, memory), slow_done(&params, copy, memory)))
      return;
  }
}

/* ---- bytes ---------------------------------------------------------------------------------------- */

/* Counts each byte where a copy must touch it; returns the bytes that move to or from the LDS. */
static uint64_t expect_copy(const struct dma_params *params, const struct flat_copy *copy, uint8_t *global,
                            uint8_t *lds, uint64_t *zero) {
  uint64_t moved = 0;
  for (uint32_t plane = 0; plane < copy->planes; plane++)
    for (uint32_t line = 0; line < copy->lines; line++)
      for (uint32_t i = 0; i < copy->line_bytes; i++) {
        uint64_t start = copy->global + plane * copy->global_plane + line * copy->global_pitch;
        uint32_t offset = plane * copy->lds_plane + line * copy->lds_pitch + i;
        uint32_t pads = params->pad_interval ? offset / params->pad_interval * params->pad : 0;
        bool inside = slow_inside(params, copy, start, i);
        bool filled = !inside && copy->to_lds && params->out_of_bounds == DMA_ZERO;
        global[start + i] += inside;
        if (inside || filled)
          lds[copy->lds + offset + pads]++;
        *zero += filled;
        moved += inside || filled;
      }
  return moved;
}

static void expect_bytes(const struct rig *rig) {
  static uint8_t global[GLOBAL_BYTES], lds[LDS_BYTES];
  const struct dma_stats *stats = &rig->dma.stats;
  memset(global, 0, sizeof global);
  memset(lds, 0, sizeof lds);
  uint64_t bytes = 0, moved = 0, zero = 0;
  for (unsigned c = 0; c < rig->planned; c++) {
    const struct flat_copy *copy = &rig->copy[c];
    bytes += (uint64_t)copy->line_bytes * copy->lines * copy->planes;
    moved += expect_copy(rig->dma.params, copy, global, lds, &zero);
  }
  EXPECT_EQ(memcmp(global, rig->touched_global, sizeof global), 0);
  EXPECT_EQ(memcmp(lds, rig->touched_lds, sizeof lds), 0);
  EXPECT_EQ(stats->bytes, bytes);
  EXPECT_EQ(stats->zero_bytes, zero);
  EXPECT_EQ(stats->skipped_bytes, bytes - moved);
  EXPECT_EQ(stats->descriptors, rig->planned);
  EXPECT_EQ(stats->requests, rig->read_requests + rig->write_requests);
  EXPECT_LE(stats->requests, stats->addresses);
  EXPECT_LE(stats->addresses, stats->busy_cycles); /* one a cycle */
  EXPECT_LE(stats->packs, stats->requests);
  EXPECT_LE(rig->largest, rig->dma.params->granularity);
  EXPECT_EQ(rig->lds.stats.dma_bytes, moved);
}

TEST(dma, every_byte_is_in_exactly_one_request) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t bytes = 1; bytes <= 65536; bytes += 1 + bytes / 2)
      for (uint64_t start = 0; start < 70; start += 23) {
        struct rig *rig = make_rig(usual_dma());
        plan_plain(rig, 0, to_lds, 1000 + start, 3 * (uint32_t)start, bytes);
        run(rig);
        ct_note("to_lds %u, %u bytes from %u", to_lds, bytes, (unsigned)start);
        expect_bytes(rig);
        EXPECT_EQ(rig->dma.stats.requests, (1000 + start + bytes - 1) / 64 - (1000 + start) / 64 + 1);
        free_rig(rig);
      }
}

/* ---- many copies at once --------------------------------------------------------------------------- */

enum { CROWD = 40 };

static struct rig *soak(uint64_t seed) {
  uint64_t random = seed * 31 + 5;
  struct rig *rig = make_rig(random_params(&random));
  rig->read = 1 + MEMORY_LATENCY + ct_random(&random) % 100;
  rig->write = 1 + MEMORY_LATENCY + ct_random(&random) % 100;
  rig->gap = ct_random(&random) % 4;
  cycle_t at = 0;
  for (unsigned i = 0; i < CROWD; i++) {
    at += ct_random(&random) % 3 ? 0 : ct_random(&random) % 400;
    struct flat_copy copy = random_copy(&random);
    copy.line_bytes %= 3000;
    copy.element_bytes = 1;
    copy.owner = (uint32_t)(ct_random(&random) % 3);
    copy.after = ct_random(&random) % 3 ? 0 : (uint8_t)(ct_random(&random) % 4);
    if (ct_random(&random) % 2) {
      copy.global_from = copy.global + ct_random(&random) % 100;
      copy.global_to = copy.global_from + 1 + ct_random(&random) % 8000;
    }
    plan(rig, at, copy);
  }
  return rig;
}

/* Flags of the fences between two copies of one owner. */
static unsigned fences_between(const struct rig *rig, unsigned from, unsigned to) {
  unsigned flags = 0;
  for (unsigned copy = from + 1; copy <= to; copy++)
    if (rig->copy[copy].owner == rig->copy[to].owner)
      flags |= rig->copy[copy].after;
  return flags;
}

static void expect_fences(const struct rig *rig) {
  for (unsigned b = 0; b < rig->planned; b++)
    for (unsigned a = 0; a < b; a++)
      for (unsigned space = 0; space < 2; space++) {
        bool fenced = rig->copy[a].owner == rig->copy[b].owner && fences_between(rig, a, b) >> space & 1;
        if (fenced && rig->diary[a].first[space] && rig->diary[b].first[space])
          EXPECT_LT(rig->diary[a].last[space], rig->diary[b].first[space]);
      }
}

TEST(dma, random_copies_keep_counters_and_fences_consistent) {
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct rig *rig = soak(seed);
    ct_note("seed %u", (unsigned)seed);
    run(rig);
    expect_bytes(rig);
    expect_fences(rig);
    const struct dma_stats *stats = &rig->dma.stats;
    uint64_t latency = 0, queue = 0;
    cycle_t last = 0;
    for (unsigned i = 0; i < rig->planned; i++) {
      latency += rig->done[i] - rig->at[i];
      queue += rig->sent[i] - rig->at[i];
      last = cycle_max(last, rig->done[i]);
    }
    EXPECT_EQ(rig->dma.latency->sum, latency);
    EXPECT_EQ(rig->dma.latency->count, rig->planned);
    EXPECT_LE(rig->dma.queue_peak, rig->dma.params->queue);
    if (!stats->parts)
      EXPECT_LE(stats->channel_cycles + stats->queue_cycles + queue, latency);
    EXPECT_LE(stats->channel_cycles, rig->dma.params->channels * stats->busy_cycles);
    EXPECT_EQ(stats->setup_cycles + stats->sending_cycles + stats->turn_cycles + stats->room_cycles +
                  stats->data_cycles + stats->quota_cycles + stats->fence_cycles,
              stats->channel_cycles);
    EXPECT_LE(stats->outstanding_cycles, rig->dma.params->outstanding * stats->busy_cycles);
    EXPECT_LE(stats->outstanding_full_cycles, stats->busy_cycles);
    EXPECT_LE(stats->busy_cycles, last);
    EXPECT_LE(stats->bursts, stats->busy_cycles);
    free_rig(rig);
  }
}

/* What waited (or was held) over time must add up to the counter. */
static void expect_whole(const uint64_t interval[TIMELINE], uint64_t whole) {
  for (unsigned i = 0; i < TIMELINE; i++)
    whole -= interval[i];
  EXPECT_EQ(whole, 0);
}

static void expect_same(const struct rig *a, const struct rig *b) {
  EXPECT_EQ(memcmp(a->done, b->done, sizeof a->done), 0);
  EXPECT_EQ(memcmp(a->sent, b->sent, sizeof a->sent), 0);
  EXPECT_EQ(memcmp(a->order, b->order, sizeof a->order), 0);
  EXPECT_EQ(a->hash, b->hash);
  EXPECT_EQ(memcmp(&a->dma.stats, &b->dma.stats, sizeof a->dma.stats), 0);
  EXPECT_EQ(memcmp(a->dma.latency, b->dma.latency, sizeof *a->dma.latency), 0);
  EXPECT_EQ(memcmp(&a->lds.stats, &b->lds.stats, sizeof a->lds.stats), 0);
  EXPECT_EQ(a->dma.queue_peak, b->dma.queue_peak);
  EXPECT_EQ(memcmp(&a->dma.timeline, &b->dma.timeline, sizeof a->dma.timeline), 0);
  expect_whole(a->dma.timeline.waiting, a->dma.stats.queue_cycles);
  expect_whole(a->dma.timeline.held, a->dma.stats.channel_cycles);
}

TEST(dma, the_order_of_steps_changes_nothing) {
  static const size_t orders[][4] = {{3, 2, 1, 0}, {1, 0, 2, 3}, {2, 0, 3, 1}, {1, 3, 0, 2}, {3, 0, 1, 2}};
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *straight = soak(seed);
    run(straight);
    for (unsigned o = 0; o < 5; o++) {
      struct rig *other = soak(seed);
      island_order(&other->island, orders[o]);
      run(other);
      ct_note("seed %u, order %u", (unsigned)seed, o);
      expect_same(straight, other);
      free_rig(other);
    }
    free_rig(straight);
  }
}

/* Steps every component twice in every cycle: the lazily updated counters must be the same. */
TEST(dma, steps_that_are_not_due_change_nothing) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *straight = soak(seed), *eager = soak(seed);
    run(straight);
    for (cycle_t now = 0; eager->completed < eager->planned && now < 10000000; now++)
      for (unsigned i = 0; i < 8; i++) {
        struct component *part = eager->island.part[i % 4];
        ASSERT_TRUE(now < part->step(part->self, now));
      }
    ct_note("seed %u", (unsigned)seed);
    expect_same(straight, eager);
    free_rig(straight);
    free_rig(eager);
  }
}

/* ---- every cycle ---------------------------------------------------------------------------------- */

struct sums {
  uint64_t queue, channels, outstanding, busy, full, quota, fence, blocked;
};

/* Counts the channels of `held` whose next request could have started by now. */
static uint64_t ready_by(const struct dma_work *work, uint64_t held, cycle_t now) {
  uint64_t ready = 0;
  for (unsigned channel = 0; channel < CHANNELS; channel++)
    if (held >> channel & 1 && work->channel[channel].ready <= now)
      ready |= channel_bit(channel);
  return ready;
}

static void look(const struct rig *rig, cycle_t now, struct sums *sums) {
  const struct dma *dma = &rig->dma;
  const struct dma_work *work = dma->work;
  uint64_t sends = work->sending.active ? channel_bit(work->sending.channel) : 0;
  sums->queue += dma->probe_queue;
  sums->channels += dma->probe_channels;
  sums->outstanding += dma->probe_outstanding;
  sums->busy += dma->probe_queue || dma->probe_channels;
  sums->full += !sends && work->in_flight == dma->params->outstanding && now >= work->last_sent &&
                ready_by(work, dma_eligible(work), now);
  sums->quota += (uint64_t)__builtin_popcountll(ready_by(work, work->at_quota & work->pending & ~sends, now));
  sums->fence += (uint64_t)__builtin_popcountll(ready_by(work, work->fenced, now));
  sums->blocked += port_peek(&dma->from_memory, now) != NULL;
  sums->blocked += port_peek(dma->from_lds, now) != NULL;
}

static void expect_limits(const struct rig *rig) {
  const struct dma_params *params = rig->dma.params;
  const struct dma_work *work = rig->dma.work;
  EXPECT_LE(work->in_flight, params->outstanding);
  EXPECT_EQ(work->held >> (params->channels - 1) >> 1, 0);
  for (unsigned channel = 0; params->quota && channel < params->channels; channel++)
    if (work->held >> channel & 1)
      EXPECT_LE(work->channel[channel].in_flight, params->quota);
  if (params->decoupling == DMA_COUPLED)
    EXPECT_LE(work->inbound.buffered + work->outbound.buffered, 1);
  EXPECT_LE(cycle_max(work->inbound.buffered, work->outbound.buffered), params->buffer);
}

TEST(dma, limits_hold_and_lazy_integrals_equal_sums_over_cycles) {
  struct sums all = {0};
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *rig = soak(seed);
    struct sums sums = {0};
    ct_note("seed %u", (unsigned)seed);
    for (cycle_t now = 0; island_run(&rig->island, now + 1) != NEVER; now++) {
      look(rig, now, &sums);
      expect_limits(rig);
    }
    EXPECT_EQ(rig->dma.stats.queue_cycles, sums.queue);
    EXPECT_EQ(rig->dma.stats.channel_cycles, sums.channels);
    EXPECT_EQ(rig->dma.stats.outstanding_cycles, sums.outstanding);
    EXPECT_EQ(rig->dma.stats.busy_cycles, sums.busy);
    EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, sums.full);
    EXPECT_EQ(rig->dma.stats.quota_cycles, sums.quota);
    EXPECT_EQ(rig->dma.stats.fence_cycles, sums.fence);
    EXPECT_EQ(rig->dma.stats.buffer_full_cycles, sums.blocked);
    all = (struct sums){.quota = all.quota + sums.quota,
                        .fence = all.fence + sums.fence,
                        .blocked = all.blocked + sums.blocked,
                        .full = all.full + sums.full};
    free_rig(rig);
  }
  EXPECT_TRUE(all.quota && all.fence && all.blocked && all.full); /* the random copies exercise every limit */
}
