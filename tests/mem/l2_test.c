/* The L2 compared with its closed forms (docs/closed-forms.md), line by line and without the rest of the machine. */
#include "models/mem/l2.h"

#include <stdio.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

static const unsigned load = L2_READ, store = L2_WRITE, atomic = L2_READ | L2_WRITE, load_around = L2_READ | L2_PAST,
                      store_around = L2_WRITE | L2_PAST;

enum { ALL = 0xf }; /* the four sectors of a line */

struct bench {
  struct machine machine;
  struct mem_stats stats;
  struct l2 l2;
};

/* `settings` after a DRAM bus that transfers anything in one cycle: a fetch takes dram_latency, 200. */
static void build(struct bench *bench, const char *settings) {
  char all[256];
  snprintf(all, sizeof all, "mem.dram_width=65536 %s", settings);
  bench->stats = (struct mem_stats){0};
  EXPECT_TRUE(rig_machine(&bench->machine, all));
  l2_init(&bench->l2, &bench->machine.mem, &bench->stats);
}

static cycle_t one(struct bench *bench, cycle_t now, uint64_t line, uint32_t sectors, unsigned use) {
  struct mem_line lines = {.line = line, .sectors = sectors};
  return l2_access_line(&bench->l2, now, &lines, sector_count(sectors) * 32, use);
}

/* Sends `count` whole lines, `step` apart, in one message. */
static cycle_t many(struct bench *bench, cycle_t now, uint32_t count, uint32_t step, unsigned use) {
  struct mem_line lines[64];
  for (uint32_t i = 0; i < count; i++)
    lines[i] = (struct mem_line){.line = (uint64_t)i * step, .sectors = ALL};
  return l2_access(&bench->l2, now, lines, count, use);
}

TEST(l2, only_a_miss_goes_to_dram) {
  struct bench bench;
  build(&bench, "mem.dram_width=64 mem.l2_width=32");
  EXPECT_EQ(one(&bench, 10, 5, ALL, load), 10 + 4 - 1 + 200 + 2 - 1 + 60);
  EXPECT_EQ(one(&bench, 1000, 5, ALL, load), 1000 + 4 - 1 + 60);
  EXPECT_EQ(one(&bench, 2000, 5, 1, load), 2000 + 60);
  EXPECT_EQ(bench.stats.l2_misses, 1);
  EXPECT_EQ(bench.stats.l2_hits, 2);
  EXPECT_EQ(bench.stats.l2_merges, 0);
  l2_free(&bench.l2);
}

TEST(l2, a_line_takes_at_least_one_burst_of_the_width) {
  struct bench bench;
  build(&bench, "mem.l2_width=16 mem.l2_burst=64");
  one(&bench, 0, 0, ALL, load);
  one(&bench, 500, 0, 1, load);
  EXPECT_EQ(one(&bench, 1000, 0, 1, load), 1000 + 64 / 16 - 1 + 60);
  EXPECT_EQ(one(&bench, 1000, 0, 3, load), 1000 + 2 * 64 / 16 - 1 + 60);
  EXPECT_EQ(one(&bench, 1000, 0, 7, load), 1000 + (2 * 64 + 96) / 16 - 1 + 60);
  EXPECT_EQ(bench.stats.l2_bytes, 128 + 32 + 32 + 64 + 96); /* only what is moved counts */
  const struct mem_line two[] = {{.line = 0, .sectors = 1}, {.line = 1, .sectors = 1}};
  EXPECT_EQ(l2_access(&bench.l2, 2000, two, 2, store), 2000 + 2 * 64 / 16 - 1 + 60);
  l2_free(&bench.l2);
}

TEST(l2, a_read_fetches_whole_blocks_and_a_write_nothing) {
  struct bench bench;
  build(&bench, "mem.dram_fetch=64");
  EXPECT_EQ(one(&bench, 0, 5, 2, load), 260);
  EXPECT_EQ(one(&bench, 1000, 5, 1, load), 1060); /* fetched along with the other */
  EXPECT_EQ(one(&bench, 2000, 5, 4, load), 2260);
  EXPECT_EQ(bench.stats.dram_bytes, 2 * 64);
  one(&bench, 3000, 6, 4, store);
  EXPECT_EQ(one(&bench, 4000, 6, 8, load), 4260);
  EXPECT_EQ(bench.stats.dram_bytes, 2 * 64 + 32); /* the neighboring sector is present and dirty */
  l2_free(&bench.l2);
}

/* ---- two partitions: line 0 has its home in the first, line 32 (stripe 1) in the second ------ */

#define PARTITIONS "mem.l2_partitions=2 mem.l2_partition_latency=70 mem.l2_width=65536 mem.l2_stripe=4096 "
enum { FAR = 70, HIT = 60, DRAM = 200 };

TEST(l2, a_line_with_a_far_home_crosses_once) {
  for (unsigned home = 0; home < 2; home++)
    for (unsigned from = 0; from < 2; from++) {
      const uint64_t line = home ? 32 : 0;
      const cycle_t way = home != from ? FAR : 0;
      struct bench bench;
      ct_note("home %u, from %u", home, from);
      build(&bench, PARTITIONS);
      EXPECT_EQ(one(&bench, 0, line, ALL, load + from * L2_FROM), DRAM + HIT + way);
      EXPECT_EQ(one(&bench, 1000, line, ALL, load + from * L2_FROM), 1000 + HIT); /* a copy, if the home is far */
      EXPECT_EQ(one(&bench, 2000, line, ALL, load + (1 - from) * L2_FROM), 2000 + HIT + (home == from ? FAR : 0));
      EXPECT_EQ(one(&bench, 3000, line, ALL, load + (1 - from) * L2_FROM), 3000 + HIT);
      EXPECT_EQ(bench.stats.l2_misses, 1);
      EXPECT_EQ(bench.stats.l2_hits, 3);
      EXPECT_EQ(bench.stats.l2_far, 1);
      l2_free(&bench.l2);
    }
}

TEST(l2, only_sectors_that_a_copy_lacks_come_from_the_home) {
  struct bench bench;
  build(&bench, PARTITIONS);
  one(&bench, 0, 32, 1, load);
  EXPECT_EQ(one(&bench, 1000, 32, 1, load), 1000 + HIT);
  EXPECT_EQ(one(&bench, 2000, 32, 3, load), 2000 + DRAM + HIT + FAR);
  EXPECT_EQ(bench.stats.dram_bytes, 2 * 32);
  l2_free(&bench.l2);
}

TEST(l2, a_write_goes_to_the_home_and_invalidates_copies) {
  static const unsigned uses[] = {L2_WRITE, L2_READ | L2_WRITE, L2_WRITE | L2_PAST};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    for (unsigned from = 0; from < 2; from++) {
      struct bench bench;
      build(&bench, PARTITIONS);
      one(&bench, 0, 32, ALL, load); /* a copy in the first partition */
      EXPECT_EQ(one(&bench, 1000, 32, ALL, uses[i] + from * L2_FROM), 1000 + HIT + (from ? 0 : FAR));
      EXPECT_EQ(one(&bench, 2000, 32, ALL, load), 2000 + HIT + FAR);
      EXPECT_EQ(one(&bench, 3000, 32, ALL, load), 3000 + HIT);
      l2_free(&bench.l2);
    }
}

TEST(l2, a_prefetch_brings_a_line_only_to_its_home) {
  struct bench bench;
  build(&bench, PARTITIONS);
  l2_prefetch(&bench.l2, 0, 0, 8192);
  EXPECT_EQ(one(&bench, 1000, 0, ALL, load), 1000 + HIT);
  EXPECT_EQ(one(&bench, 1000, 32, ALL, load), 1000 + HIT + FAR);
  EXPECT_EQ(bench.stats.l2_misses, 64);
  l2_free(&bench.l2);
}

/* Cycles for the last of `lines` consecutive lines when all have been read in turn, twice. */
static cycle_t last_of(uint32_t lines, uint64_t first) {
  struct bench bench;
  cycle_t now = 0, latency = 0;
  build(&bench, PARTITIONS "mem.l2_size=64K mem.l2_ways=16");
  for (unsigned round = 0; round < 3; round++)
    for (uint32_t i = 0; i < lines; i++, now += 1000)
      latency = one(&bench, now, first + i, ALL, load) - now;
  l2_free(&bench.l2);
  return latency;
}

TEST(l2, a_compute_unit_uses_the_other_half_only_for_lines_whose_home_is_there) {
  /* a partition has 32 KB: stripes 4, 7, 8, 11, 13 and 14 have their home in the second, 5, 6, 9, 10, 12 and 15 in the
   * first */
  EXPECT_EQ(last_of(256, 128), HIT);                /* 8 stripes, 32 KB */
  EXPECT_EQ(last_of(12 * 32 - 32, 128), HIT + FAR); /* up to 14, far: 44 KB do not fit, 24 KB there do */
  EXPECT_EQ(last_of(12 * 32, 128), DRAM + HIT);     /* and 15, near: evicted by copies */
}

TEST(l2, regions_are_near_or_far_with_all_their_lines) {
  enum { REGIONS = 1000, SPREAD = 40 };
  struct bench bench;
  build(&bench, "mem.l2_spread=40 mem.l2_region=1024 mem.l2_width=65536 mem.l2_size=16M");
  cycle_t sum = 0, near = NEVER, far = 0;
  for (uint64_t region = 0; region < REGIONS; region++) {
    cycle_t at = region * 4000, latency = one(&bench, at, region * 8, ALL, load) - at - 200;
    uint64_t fraction = (uint32_t)region * UINT64_C(0x9e3779b9) % (UINT64_C(1) << 32);
    EXPECT_EQ(latency, 60 + fraction * (SPREAD + 1) / (UINT64_C(1) << 32));
    EXPECT_EQ(one(&bench, at + 1000, region * 8, ALL, load), at + 1000 + latency);      /* a hit */
    EXPECT_EQ(one(&bench, at + 2000, region * 8 + 7, ALL, store), at + 2000 + latency); /* another line of the region */
    EXPECT_EQ(one(&bench, at + 3000, region * 8 + 5, ALL, load_around), at + 3000 + 200 + latency);
    sum += latency;
    near = cycle_min(near, latency);
    far = cycle_max(far, latency);
  }
  EXPECT_EQ(near, 60);
  EXPECT_EQ(far, 60 + SPREAD);
  EXPECT_EQ((sum + REGIONS / 2) / REGIONS, 60 + SPREAD / 2);
  l2_free(&bench.l2);
}

TEST(l2, without_an_l2_lines_come_directly_from_dram) {
  struct bench bench;
  build(&bench, "mem.l2_size=0 mem.l2_slices=4 mem.mshrs=1 mem.atomic_interval=100");
  EXPECT_EQ(many(&bench, 10, 8, 1, load), 10 + 200);
  EXPECT_EQ(one(&bench, 500, 0, 1, atomic), 500 + 2 * 200);
  EXPECT_EQ(bench.stats.l2_hits + bench.stats.l2_misses + bench.stats.l2_bytes, 0);
  l2_free(&bench.l2);
}

/* ---- slices ------------------------------------------------------------------------------- */

TEST(l2, a_message_uses_its_slices_in_parallel) {
  static const struct {
    unsigned slices, step;
    uint64_t bytes; /* of 16 lines in the busiest slice */
  } rows[] = {{1, 1, 2048}, {1, 7, 2048}, {4, 1, 512},   {4, 2, 1024}, {4, 4, 2048},
              {4, 3, 512},  {16, 1, 128}, {16, 8, 1024}, {64, 1, 128}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bench bench;
    char settings[64];
    snprintf(settings, sizeof settings, "mem.l2_slices=%u mem.l2_width=256", rows[i].slices);
    ct_note("%s, lines %u apart", settings, rows[i].step);
    build(&bench, settings);
    uint64_t passing = div_up(rows[i].bytes * rows[i].slices, 256);
    EXPECT_EQ(many(&bench, 0, 16, rows[i].step, store), passing - 1 + 60);
    EXPECT_EQ(many(&bench, 1000, 16, rows[i].step, load), 1000 + passing - 1 + 60);
    EXPECT_EQ(bench.stats.l2_bytes, 2 * 2048);
    EXPECT_EQ(bench.stats.l2_peak_slice_bytes, 2 * rows[i].bytes);
    l2_launch(&bench.l2);
    bench.stats = (struct mem_stats){0};
    EXPECT_EQ(one(&bench, 2000, 0, 1, load), 2000 + div_up(32 * rows[i].slices, 256) - 1 + 60);
    EXPECT_EQ(bench.stats.l2_peak_slice_bytes, 32); /* the counts start again */
    l2_free(&bench.l2);
  }
}

TEST(l2, the_worked_example_in_the_header_is_correct) {
  struct bench bench;
  build(&bench, "mem.l2_slices=4 mem.mshrs=1 mem.dram_width=128");
  struct mem_line lines[] = {{.line = 0, .sectors = ALL}, {.line = 1, .sectors = ALL}, {.line = 4, .sectors = ALL}};
  EXPECT_EQ(l2_access(&bench.l2, 0, lines, 3, load), 463);
  EXPECT_EQ(bench.l2.slices[0].passed, 3);
  EXPECT_EQ(bench.l2.slices[1].passed, 1);
  EXPECT_EQ(bench.stats.l2_mshr_full_cycles, 200);
  l2_free(&bench.l2);
}

TEST(l2, the_hash_spreads_power_of_two_strides_over_all_slices) {
  for (unsigned slices = 2; slices <= 16; slices *= 2)
    for (unsigned shift = 0; shift < 20; shift++) {
      struct machine machine;
      unsigned lines[16] = {0}, modulo[16] = {0};
      rig_machine(&machine, "");
      machine.mem.l2_slices = slices;
      ct_note("%u slices, lines %u apart", slices, 1u << shift);
      for (uint64_t i = 0; i < 4 * slices; i++) {
        machine.mem.l2_hash = L2_XOR;
        lines[l2_slice_of(&machine.mem, i << shift)]++;
        machine.mem.l2_hash = L2_MODULO;
        modulo[l2_slice_of(&machine.mem, i << shift)]++;
      }
      for (unsigned slice = 0; slice < slices; slice++)
        EXPECT_GT(lines[slice], 0);
      EXPECT_EQ(modulo[0], shift >= (unsigned)__builtin_ctz(slices) ? 4 * slices : modulo[0]);
    }
}

TEST(l2, the_hash_loses_no_line) {
  /* 32 KiB hold exactly 256 lines if each set gets its ways: 64 consecutive slices' worth of lines all stay */
  struct bench bench;
  build(&bench, "mem.l2_size=32K mem.l2_ways=4 mem.l2_slices=4 mem.l2_hash=xor");
  for (uint64_t line = 0; line < 256; line++)
    one(&bench, 0, line, ALL, load);
  for (uint64_t line = 0; line < 256; line++)
    one(&bench, 10000, line, ALL, load);
  EXPECT_EQ(bench.stats.l2_misses, 256);
  EXPECT_EQ(bench.stats.l2_hits, 256);
  l2_free(&bench.l2);
}

/* ---- contents ----------------------------------------------------------------------------- */

TEST(l2, the_least_recently_used_line_is_evicted_and_only_dirty_sectors_are_written) {
  struct bench bench;
  build(&bench, "mem.l2_size=1K mem.l2_ways=2"); /* 4 sets */
  one(&bench, 0, 0, 0x5, store);
  one(&bench, 1, 4, ALL, load);
  one(&bench, 2, 0, 0x8, load); /* line 4 is now the older one */
  one(&bench, 3, 8, ALL, load);
  EXPECT_EQ(bench.stats.l2_writebacks, 0);
  one(&bench, 4, 0, 0x1, load);
  EXPECT_EQ(bench.stats.l2_hits, 1);
  one(&bench, 5, 4, ALL, load);
  one(&bench, 6, 8, ALL, load); /* evicts line 0, in which sectors 0 and 2 are dirty */
  EXPECT_EQ(bench.stats.l2_writebacks, 1);
  EXPECT_EQ(bench.stats.dram_bytes, 128 + 32 + 128 + 128 + 128 + 64);
  l2_free(&bench.l2);
}

/* ---- MSHRs -------------------------------------------------------------------------------- */

TEST(l2, a_miss_without_a_free_mshr_waits_for_the_first_one) {
  static const unsigned counts[] = {1, 2, 3, 5, 8, 64};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    struct bench bench;
    char settings[64];
    uint64_t n = counts[c], waits = 0;
    snprintf(settings, sizeof settings, "mem.mshrs=%u mem.l2_width=65536", counts[c]);
    ct_note("%s", settings);
    build(&bench, settings);
    for (uint64_t i = 0; i < 20; i++) {
      EXPECT_EQ(one(&bench, 0, i, 1, load), 200 * (i / n + 1) + 60);
      waits += 200 * (i / n);
    }
    EXPECT_EQ(bench.stats.l2_mshr_full_cycles, waits);
    l2_free(&bench.l2);
  }
}

TEST(l2, an_mshr_is_free_in_the_cycle_in_which_dram_has_delivered) {
  for (cycle_t now = 198; now <= 202; now++) {
    struct bench bench;
    build(&bench, "mem.mshrs=1");
    EXPECT_EQ(one(&bench, 0, 0, 1, load), 260);
    cycle_t asks = now < 200 ? 200 : now;
    EXPECT_EQ(one(&bench, now, 1, 1, load), asks + 260);
    EXPECT_EQ(bench.stats.l2_mshr_full_cycles, asks - now);
    l2_free(&bench.l2);
  }
}

TEST(l2, hits_and_stores_overtake_a_waiting_miss) {
  struct bench bench;
  build(&bench, "mem.mshrs=1");
  one(&bench, 0, 7, 1, store);
  one(&bench, 10, 0, 1, load);
  EXPECT_EQ(one(&bench, 11, 1, 1, load), 10 + 200 + 200 + 60);
  EXPECT_EQ(one(&bench, 12, 7, 1, load), 12 + 60);
  EXPECT_EQ(one(&bench, 13, 8, 1, store), 13 + 60);
  l2_free(&bench.l2);
}

TEST(l2, each_slice_has_its_own_mshrs) {
  struct bench bench;
  build(&bench, "mem.mshrs=1 mem.l2_slices=2 mem.l2_width=65536");
  EXPECT_EQ(one(&bench, 0, 0, 1, load), 260);
  EXPECT_EQ(one(&bench, 0, 1, 1, load), 260);
  EXPECT_EQ(one(&bench, 0, 2, 1, load), 460);
  l2_free(&bench.l2);
}

TEST(l2, each_partition_has_its_own_mshrs) {
  struct bench bench;
  build(&bench, PARTITIONS "mem.mshrs=1");
  for (unsigned home = 0; home < 2; home++)
    EXPECT_EQ(one(&bench, 0, 32 * home, 1, load + home * L2_FROM), DRAM + HIT);
  for (unsigned home = 0; home < 2; home++)
    EXPECT_EQ(one(&bench, 0, 32 * home + 1, 1, load + home * L2_FROM), 2 * DRAM + HIT);
  l2_free(&bench.l2);
}

TEST(l2, reads_of_a_line_in_flight_merge) {
  struct bench bench;
  build(&bench, "mem.mshrs=1");
  EXPECT_EQ(one(&bench, 0, 0, 1, load), 260);
  EXPECT_EQ(one(&bench, 5, 0, 1, load), 260);             /* leaves with the first */
  EXPECT_EQ(one(&bench, 20, 0, 2, load), 20 + 260);       /* another sector, fetched with the same MSHR */
  EXPECT_EQ(one(&bench, 30, 1, 1, load), 220 + 200 + 60); /* which is held until that sector arrives */
  EXPECT_EQ(bench.stats.l2_merges, 2);
  EXPECT_EQ(bench.stats.l2_misses, 3);
  EXPECT_EQ(bench.stats.l2_hits, 1);
  /* a sector of a line that itself waits for the MSHR is requested no earlier than the line */
  EXPECT_EQ(one(&bench, 40, 1, 2, load), 220 + 200 + 60);
  EXPECT_EQ(bench.stats.l2_merges, 3);
  EXPECT_EQ(bench.stats.dram_bytes, 4 * 32);
  l2_free(&bench.l2);
}

TEST(l2, reads_beyond_the_merge_limit_wait_for_the_end_of_the_fill) {
  struct bench bench;
  build(&bench, "mem.mshr_merges=2");
  EXPECT_EQ(one(&bench, 0, 0, 1, load), 260);
  EXPECT_EQ(one(&bench, 1, 0, 1, load), 260);
  EXPECT_EQ(one(&bench, 2, 0, 1, load), 260);
  EXPECT_EQ(one(&bench, 3, 0, 1, load), 260 + 60);
  EXPECT_EQ(one(&bench, 4, 0, 2, load), 260 + 260); /* and the missing sector is fetched then */
  EXPECT_EQ(bench.stats.l2_merges, 2);
  EXPECT_EQ(bench.stats.l2_merges_refused, 2);
  /* a line's merges start again with its next fill */
  EXPECT_EQ(one(&bench, 1000, 0, 4, load), 1260);
  EXPECT_EQ(one(&bench, 1001, 0, 4, load), 1260);
  EXPECT_EQ(bench.stats.l2_merges, 3);
  l2_free(&bench.l2);
}

/* ---- prefetches --------------------------------------------------------------------------- */

TEST(l2, a_prefetch_waits_for_mshrs_or_is_dropped) {
  struct bench wait, drop;
  build(&wait, "mem.mshrs=2");
  build(&drop, "mem.mshrs=2 mem.mshr_prefetch=drop");
  l2_prefetch(&wait.l2, 0, 0, 5 * 128);
  l2_prefetch(&drop.l2, 0, 0, 5 * 128);
  for (uint64_t line = 0; line < 5; line++) { /* two at a time, 200 cycles each; or only the first two */
    EXPECT_EQ(one(&wait, 150, line, ALL, load), 200 * (line / 2 + 1) + 60);
    EXPECT_EQ(one(&drop, 150, line, ALL, load), line < 2 ? 260 : 200 * (line / 2 + 1) + 60);
  }
  EXPECT_EQ(wait.stats.l2_prefetches_dropped, 0);
  EXPECT_EQ(drop.stats.l2_prefetches_dropped, 3);
  EXPECT_EQ(wait.stats.l2_mshr_full_cycles, 200 + 200 + 400);
  l2_free(&wait.l2);
  l2_free(&drop.l2);
}

TEST(l2, a_prefetch_of_a_present_or_arriving_line_is_not_dropped) {
  struct bench bench;
  build(&bench, "mem.mshrs=1 mem.mshr_prefetch=drop");
  l2_prefetch(&bench.l2, 0, 0, 32);
  l2_prefetch(&bench.l2, 1, 0, 128); /* the other sectors, with the same MSHR */
  EXPECT_EQ(bench.stats.l2_prefetches_dropped, 0);
  EXPECT_EQ(one(&bench, 500, 0, ALL, load), 560);
  EXPECT_EQ(bench.stats.dram_bytes, 128);
  EXPECT_EQ(bench.stats.l2_bytes, 128); /* of the load: a prefetch takes no bandwidth */
  l2_free(&bench.l2);
}

/* ---- bypassing the L2 --------------------------------------------------------------------- */

TEST(l2, a_bypass_allocates_no_line) {
  struct bench bench;
  build(&bench, "");
  EXPECT_EQ(one(&bench, 0, 0, ALL, load_around), 260);
  EXPECT_EQ(one(&bench, 1000, 0, ALL, load_around), 1260);
  EXPECT_EQ(one(&bench, 2000, 0, ALL, store_around), 2260); /* done when DRAM has the data */
  EXPECT_EQ(one(&bench, 3000, 0, ALL, load), 3260);
  EXPECT_EQ(bench.stats.l2_misses, 4);
  EXPECT_EQ(bench.stats.l2_hits + bench.stats.l2_writebacks, 0);
  EXPECT_EQ(bench.stats.l2_bypassed, 12);
  EXPECT_EQ(bench.stats.dram_bytes, 4 * 128);
  l2_free(&bench.l2);
}

TEST(l2, a_bypass_hits_and_updates_present_lines) {
  struct bench bench;
  build(&bench, "mem.l2_size=512 mem.l2_ways=1"); /* 4 sets */
  one(&bench, 0, 0, 0x3, load);
  EXPECT_EQ(one(&bench, 10, 0, 0x1, load_around), 260); /* in flight */
  EXPECT_EQ(one(&bench, 1000, 0, 0x3, load_around), 1060);
  EXPECT_EQ(bench.stats.l2_bypassed, 0);
  EXPECT_EQ(one(&bench, 2000, 0, 0x6, store_around), 2260); /* sector 1 is changed in the L2, 2 in DRAM */
  EXPECT_EQ(bench.stats.l2_bypassed, 1);
  EXPECT_EQ(bench.stats.dram_bytes, 64 + 32);
  one(&bench, 3000, 4, 0x1, load); /* evicts line 0 with sector 1 */
  EXPECT_EQ(bench.stats.l2_writebacks, 1);
  EXPECT_EQ(bench.stats.dram_bytes, 64 + 32 + 32 + 32);
  l2_free(&bench.l2);
}

/* ---- atomic updates ----------------------------------------------------------------------- */

static cycle_t update(struct bench *bench, cycle_t now, uint64_t line, uint32_t updates) {
  struct mem_line lines = {.line = line, .sectors = 1, .updates = (uint8_t)updates};
  return l2_access(&bench->l2, now, &lines, 1, atomic);
}

TEST(l2, updates_of_one_word_occupy_their_slice) {
  for (uint32_t interval = 1; interval <= 5; interval += 2)
    for (uint32_t updates = 1; updates <= 64; updates *= 2) {
      struct bench bench;
      char settings[96];
      snprintf(settings, sizeof settings, "mem.l2_slices=2 mem.l2_width=64 mem.atomic_interval=%u", interval);
      ct_note("%s, %u lanes", settings, updates);
      build(&bench, settings);
      one(&bench, 0, 0, ALL, store);
      one(&bench, 0, 1, ALL, store);
      cycle_t kept = (cycle_t)interval * updates;
      EXPECT_EQ(update(&bench, 1000, 0, updates), 1000 + kept - 1 + 60);
      EXPECT_EQ(update(&bench, 1000, 2, updates), 1000 + 2 * kept - 1 + 200 + 60); /* after it, and a miss */
      EXPECT_EQ(one(&bench, 1000, 1, 1, load), 1000 + 60);                         /* the other slice */
      EXPECT_EQ(one(&bench, 1000, 0, 1, load), 1000 + 2 * kept + 60);
      EXPECT_EQ(bench.stats.l2_atomic_cycles, 2 * (kept - 1));
      l2_free(&bench.l2);
    }
}

/* The next update can use the rest of the slice's cycle. */
TEST(l2, two_one_cycle_updates_share_a_cycle_if_the_unit_is_wide_enough) {
  struct bench bench;
  build(&bench, "mem.l2_slices=1 mem.l2_width=256 mem.atomic_interval=1");
  one(&bench, 0, 0, ALL, store);
  one(&bench, 0, 2, ALL, store);
  EXPECT_EQ(update(&bench, 1000, 0, 1), 1000 + 60);
  EXPECT_EQ(update(&bench, 1000, 2, 1), 1000 + 60);
  EXPECT_EQ(bench.stats.l2_atomic_cycles, 0);
  l2_free(&bench.l2);
}

TEST(l2, updates_take_the_time_of_their_bytes_if_that_is_longer) {
  struct bench bench;
  build(&bench, "mem.l2_width=1 mem.atomic_interval=2");
  one(&bench, 0, 0, 1, store);
  EXPECT_EQ(update(&bench, 1000, 0, 16), 1000 + 32 - 1 + 60);
  EXPECT_EQ(bench.stats.l2_atomic_cycles, 0);
  EXPECT_EQ(update(&bench, 2000, 0, 17), 2000 + 34 - 1 + 60);
  EXPECT_EQ(bench.stats.l2_atomic_cycles, 2);
  l2_free(&bench.l2);
}

/* Lines of two groups, on the first two of four CUs, that go to or come from the other half. */
static uint64_t far_lines(const char *settings) {
  char all[256];
  ct_freed(rig_free) struct rig rig;
  snprintf(all, sizeof all, "cu.count=4 mem.l2_partitions=2 %s", settings);
  rig_run(&rig, all, 64, 32,
          ".kernel k\n.arg a global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, a\n get.global_id i, x\n shl.b32 i, i, 2\n"
          " ld.global.b32 v, [p + i]\n exit\n");
  uint64_t lines = rig.result.mem.l2_far;
  return lines;
}

TEST(l2, consecutive_cus_alternate_between_halves) {
  uint64_t both = far_lines(""); /* near the same half: all their lines are in one stripe, either near or far */
  EXPECT_TRUE(both == 0 || both == 2);
  EXPECT_EQ(far_lines("mem.l2_partition_cus=1"), 1);
  EXPECT_EQ(far_lines("mem.l2_partition_cus=2"), both);
  EXPECT_EQ(far_lines("mem.l2_partitions=1 mem.l2_partition_cus=1"), 0);
}
