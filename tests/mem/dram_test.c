/* DRAM compared with its closed forms: models/mem/dram.h, docs/closed-forms.md. */
#include "models/mem/dram.h"
#include "models/mem/sectors.h"

#include <stdio.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

struct bench {
  struct machine machine;
  struct mem_stats stats;
  struct dram dram;
};

static void build(struct bench *bench, const char *settings) {
  bench->stats = (struct mem_stats){0};
  EXPECT_TRUE(rig_machine(&bench->machine, settings));
  dram_init(&bench->dram, &bench->machine.mem, &bench->stats);
}

static cycle_t whole_line(struct bench *bench, cycle_t now, uint64_t line) {
  return dram_access(&bench->dram, now, line, bench->machine.mem.line, DRAM_READ);
}

/* ---- where lines are ----------------------------------------------------------------------- */

TEST(dram, the_rows_of_simple_dram_are_refreshed_at_different_times) {
  enum { INTERVAL = 1000, REFRESH = 200, ROWS = 64 };
  struct machine machine;
  struct mem_stats stats = {0};
  ct_freed(dram_free) struct dram dram;
  EXPECT_TRUE(rig_machine(&machine, "mem.dram_width=65536 mem.dram_latency=300 mem.dram_row=1024 mem.dram_refresh=1000 "
                                    "mem.dram_refresh_cycles=200"));
  dram_init(&dram, &machine.mem, &stats);
  for (uint64_t row = 0; row < ROWS; row++) {
    uint64_t waits = 0, longest = 0;
    for (cycle_t at = 0; at < INTERVAL; at++) {
      cycle_t now = row * 10000 + at, wait = dram_access(&dram, now, row * 8 + at % 8, 1, DRAM_READ) - now - 300;
      waits += wait > 0;
      longest = cycle_max(longest, wait);
      if (wait == REFRESH) /* its refresh begins: rows have different phases, from the hash of their number */
        EXPECT_EQ((now + ((uint64_t)mem_hash(row) * INTERVAL >> 32)) % INTERVAL, 0);
    }
    EXPECT_EQ(waits, REFRESH); /* in each of its cycles an access waits for the rest of it */
    EXPECT_EQ(longest, REFRESH);
  }
  EXPECT_EQ(stats.dram_refresh_stalls, ROWS * REFRESH * (REFRESH + 1) / 2);
}

TEST(dram, lines_lie_in_channels_then_columns_then_banks_then_rows) {
  static const struct {
    uint64_t line;
    struct dram_place place;
  } rows[] = {
      {0, {.channel = 0, .bank = 0, .row = 0, .column = 0}},
      {1, {.channel = 1, .bank = 0, .row = 0, .column = 0}},
      {5, {.channel = 2, .bank = 0, .row = 0, .column = 1}},
      {24, {.channel = 0, .bank = 1, .row = 0, .column = 0}},
      {24 * 4, {.channel = 0, .bank = 0, .row = 1, .column = 0}},
      {24 * 4 * 7 + 24 * 3 + 3 * 6 + 2, {.channel = 2, .bank = 3, .row = 7, .column = 6}},
  };
  struct machine machine; /* 3 channels, 8 columns, 4 banks */
  rig_machine(&machine, "mem.dram_channels=3 mem.dram_banks=4 mem.dram_row=1024");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct dram_place place = dram_locate(&machine.mem, rows[i].line);
    ct_note("line %llu", (unsigned long long)rows[i].line);
    EXPECT_EQ(place.channel, rows[i].place.channel);
    EXPECT_EQ(place.column, rows[i].place.column);
    EXPECT_EQ(place.bank, rows[i].place.bank);
    EXPECT_EQ(place.row, rows[i].place.row);
  }
}

TEST(dram, no_two_lines_share_a_place) {
  static const char *const settings[] = {
      "",
      "mem.dram_channels=1 mem.dram_banks=1",
      "mem.dram_channels=5 mem.dram_banks=3 mem.dram_row=256",
      "mem.line=256 mem.dram_row=256",
  };
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    struct machine machine;
    rig_machine(&machine, settings[i]);
    const struct mem_params *mem = &machine.mem;
    uint64_t random = 7 + i;
    for (unsigned n = 0; n < 1000; n++) {
      uint64_t line = ct_random(&random) >> (n % 60);
      struct dram_place place = dram_locate(mem, line);
      EXPECT_LT(place.channel, mem->dram_channels);
      EXPECT_LT(place.bank, mem->dram_banks);
      EXPECT_LT(place.column, mem->dram_row / mem->line);
      /* the digits give back the number */
      uint64_t back = place.row * mem->dram_banks + place.bank;
      back = back * (mem->dram_row / mem->line) + place.column;
      EXPECT_EQ((int64_t)(back * mem->dram_channels + place.channel), (int64_t)line);
    }
  }
}

/* ---- timing ------------------------------------------------------------------------------- */

TEST(dram, simple_is_a_width_and_a_latency) {
  struct bench bench;
  build(&bench, "mem.dram_latency=100 mem.dram_width=32");
  EXPECT_EQ(whole_line(&bench, 10, 0), 10 + 4 - 1 + 100);
  EXPECT_EQ(whole_line(&bench, 10, 8), 10 + 8 - 1 + 100);
  EXPECT_EQ(bench.stats.dram_bytes, 256);
  EXPECT_EQ(bench.stats.dram_row_hits + bench.stats.dram_row_misses + bench.stats.dram_row_conflicts, 0);
  EXPECT_EQ(bench.stats.dram_refresh_stalls + bench.stats.dram_busy_cycles, 0);
  dram_free(&bench.dram);
}

TEST(dram, switching_between_reads_and_writes_costs_bandwidth) {
  struct bench bench;
  build(&bench, "mem.dram_width=32 mem.dram_latency=100 mem.dram_turn=64");
  EXPECT_EQ(dram_access(&bench.dram, 10, 0, 128, DRAM_READ), 10 + 4 - 1 + 100);
  EXPECT_EQ(dram_access(&bench.dram, 10, 1, 128, DRAM_WRITE), 10 + 4 + 6 - 1 + 100);
  EXPECT_EQ(dram_access(&bench.dram, 10, 2, 128, DRAM_WRITE), 10 + 4 + 6 + 4 - 1 + 100);
  EXPECT_EQ(dram_access(&bench.dram, 10, 3, 128, DRAM_READ), 10 + 4 + 6 + 4 + 6 - 1 + 100);
  EXPECT_EQ(bench.stats.dram_bytes, 4 * 128);
  dram_free(&bench.dram);
}

/* A warp reads or writes 32 lines, through or around the L2. Returns the cycles that a dram_turn of 1024 bytes (64
 * cycles) adds. */
static uint64_t turns(const char *settings, const char *code) {
  uint64_t cycles[2];
  for (unsigned turn = 0; turn < 2; turn++) {
    char text[512], all[256];
    snprintf(text, sizeof text,
             ".kernel k\n.arg a global\n.reg i, v, w\n.reg64 p\n ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 7\n"
             "%s mov.b32 v, v\n exit\n",
             code);
    snprintf(all, sizeof all, "mem.dram_width=16 mem.dram_turn=%u %s", turn * 1024, settings);
    cycles[turn] = rig_cycles(all, 32, 32, text);
  }
  return (cycles[1] - cycles[0]) / 64;
}

TEST(dram, turnarounds_count_only_real_writes) {
  static const char *const load = " ld.global.b32 v, [p + i]\n", *const store =
                                                                     " st.global.b32 [p + i], v\n fence.global\n";
  char both[256];
  snprintf(both, sizeof both, "%s%s%s", load, store, load);
  EXPECT_EQ(turns("", load), 0);
  EXPECT_EQ(turns("mem.l2_size=0", store), 1);
  EXPECT_EQ(turns("mem.l2_write=around", store), 1);
  EXPECT_EQ(turns("mem.l2_size=0", both), 2);
  EXPECT_EQ(turns("", both), 0); /* the L2 keeps what was written */
  /* two turnarounds for each of 32 dirty lines that are evicted, except for the first */
  EXPECT_EQ(turns("mem.l2_size=4K mem.l2_ways=1", " ld.global.b32 v, [p + i + 4096]\n mov.b32 v, v\n"), 0);
  snprintf(both, sizeof both, "%s ld.global.b32 v, [p + i + 4096]\n", store);
  EXPECT_EQ(turns("mem.l2_size=4K mem.l2_ways=1", both), 2 * 32);
  EXPECT_EQ(turns("mem.l2_size=0", " atom.global.add.i32 v, [p + i], v\n"), 2 * 32 - 1);
}

TEST(dram, less_than_a_burst_takes_as_long_as_a_burst) {
  struct bench bench;
  build(&bench, "mem.dram_width=32 mem.dram_latency=100 mem.dram_burst=96");
  EXPECT_EQ(dram_access(&bench.dram, 10, 0, 32, DRAM_READ), 10 + 3 - 1 + 100);
  EXPECT_EQ(dram_access(&bench.dram, 10, 1, 96, DRAM_READ), 10 + 6 - 1 + 100);
  EXPECT_EQ(whole_line(&bench, 10, 2), 10 + 10 - 1 + 100);
  EXPECT_EQ(bench.stats.dram_bytes, 32 + 96 + 128);
  dram_free(&bench.dram);
}

TEST(dram, banked_with_one_channel_and_free_rows_equals_simple) {
  struct bench simple, banked;
  build(&simple, "mem.dram_width=24");
  build(&banked, "mem.dram_width=24 mem.dram=banked mem.dram_channels=1 mem.dram_row_hit=0 mem.dram_row_miss=0 "
                 "mem.dram_row_conflict=0");
  uint64_t random = 3;
  cycle_t now = 0;
  for (unsigned i = 0; i < 2000; i++) {
    uint64_t line = ct_random(&random) >> 48, bytes = 32 + 32 * (ct_random(&random) >> 62);
    now += ct_random(&random) >> 61;
    EXPECT_EQ(dram_access(&simple.dram, now, line, bytes, DRAM_READ),
              dram_access(&banked.dram, now, line, bytes, DRAM_READ));
  }
  EXPECT_EQ(simple.stats.dram_bytes, banked.stats.dram_bytes);
  dram_free(&simple.dram);
  dram_free(&banked.dram);
}

TEST(dram, the_worked_example_in_the_header_is_correct) {
  struct bench bench;
  build(&bench, "mem.dram=banked mem.dram_channels=1 mem.dram_banks=1 mem.dram_width=32 mem.dram_latency=100");
  EXPECT_EQ(whole_line(&bench, 0, 0), 143);
  EXPECT_EQ(whole_line(&bench, 0, 1), 147);
  EXPECT_EQ(whole_line(&bench, 0, 8), 191);
  EXPECT_EQ(bench.stats.dram_row_misses, 1);
  EXPECT_EQ(bench.stats.dram_row_hits, 1);
  EXPECT_EQ(bench.stats.dram_row_conflicts, 1);
  EXPECT_EQ(bench.stats.dram_busy_cycles, 3 * 4);
  dram_free(&bench.dram);
}

TEST(dram, row_hits_follow_each_other_without_a_gap_even_in_fractions_of_a_cycle) {
  struct bench bench;
  build(&bench, "mem.dram=banked mem.dram_channels=1 mem.dram_width=64 mem.dram_latency=100");
  /* 32 accesses of half a cycle each, in one row of 8 lines */
  for (uint64_t i = 0; i < 32; i++)
    EXPECT_EQ(dram_access(&bench.dram, 0, i / 4, 32, DRAM_READ), 40 + i / 2 + 100);
  EXPECT_EQ(bench.stats.dram_row_hits, 31);
  EXPECT_EQ(bench.stats.dram_busy_cycles, 16);
  dram_free(&bench.dram);
}

TEST(dram, conflicts_in_one_bank_queue_and_in_two_banks_overlap) {
  struct bench one, two;
  build(&one, "mem.dram=banked mem.dram_channels=1 mem.dram_banks=1 mem.dram_width=128 mem.dram_latency=100");
  build(&two, "mem.dram=banked mem.dram_channels=1 mem.dram_banks=2 mem.dram_width=128 mem.dram_latency=100");
  /* Lines 8 i are in different rows, of one bank or of two alternately. In one bank, each conflict starts hit = 20
   * cycles before the data bus has finished the previous line, whose transfer takes one cycle. */
  uint64_t hit = 20, miss = 40, conflict = 60;
  for (uint64_t i = 0; i < 10; i++) {
    EXPECT_EQ(whole_line(&one, 0, 8 * i), miss + i * (1 - hit + conflict) + 100);
    /* bank 1 opens its row at the same time, but the bus transfers one line per cycle: bank 1 is one cycle later */
    uint64_t row = i / 2, bank = i % 2;
    EXPECT_EQ(whole_line(&two, 0, 8 * i), miss + bank + row * (1 - hit + conflict) + 100);
  }
  EXPECT_EQ(one.stats.dram_row_conflicts, 9);
  EXPECT_EQ(two.stats.dram_row_conflicts, 8);
  dram_free(&one.dram);
  dram_free(&two.dram);
}

TEST(dram, a_channel_has_its_exact_share_of_the_width) {
  static const unsigned channels[] = {1, 2, 3, 7, 24};
  for (size_t c = 0; c < sizeof channels / sizeof *channels; c++) {
    struct bench bench;
    char settings[128];
    snprintf(settings, sizeof settings, "mem.dram=banked mem.dram_channels=%u mem.dram_width=64 mem.dram_row=65536",
             channels[c]);
    build(&bench, settings);
    ct_note("%u channels", channels[c]);
    /* 100 lines of one row of the last channel, then 100 of the first: in parallel */
    for (unsigned which = 0; which < 2; which++) {
      cycle_t last = 0;
      for (uint64_t i = 0; i < 100; i++)
        last = whole_line(&bench, 0, i * channels[c] + (which ? 0 : channels[c] - 1));
      if (!which || channels[c] > 1)
        EXPECT_EQ(last, 40 + div_up(100ull * 128 * channels[c], 64) - 1 + 200);
    }
    dram_free(&bench.dram);
  }
}

TEST(dram, a_refresh_delays_requests_that_arrive_during_it_and_closes_rows) {
  struct bench bench;
  build(&bench, "mem.dram=banked mem.dram_channels=1 mem.dram_banks=1 mem.dram_width=128 mem.dram_latency=100 "
                "mem.dram_refresh=1000 mem.dram_refresh_cycles=50");
  EXPECT_EQ(whole_line(&bench, 0, 0), 40 + 100); /* the simulation starts without a refresh */
  EXPECT_EQ(whole_line(&bench, 999, 1), 999 + 20 + 100);
  EXPECT_EQ(bench.stats.dram_refresh_stalls, 0);
  EXPECT_EQ(whole_line(&bench, 1000, 2), 1050 + 40 + 100);
  EXPECT_EQ(bench.stats.dram_refresh_stalls, 50);
  EXPECT_EQ(whole_line(&bench, 2049, 3), 2050 + 40 + 100);
  EXPECT_EQ(bench.stats.dram_refresh_stalls, 51);
  EXPECT_EQ(whole_line(&bench, 3050, 4), 3050 + 40 + 100);
  EXPECT_EQ(bench.stats.dram_refresh_stalls, 51);
  EXPECT_EQ(bench.stats.dram_row_misses, 4);
  EXPECT_EQ(bench.stats.dram_row_hits, 1);
  dram_free(&bench.dram);
}

TEST(dram, a_streams_bandwidth_is_the_width_times_the_time_without_refresh) {
  struct bench bench;
  build(&bench, "mem.dram=banked mem.dram_width=1024 mem.dram_refresh=1000 mem.dram_refresh_cycles=200 "
                "mem.dram_latency=1");
  /* 8 channels of one line per cycle: 80000 lines are 10000 cycles of data, of which 800 fit between two refreshes. The
   * rest is for opening rows: 40 - 20 for each row after a refresh, and the same for a bank's new row. */
  cycle_t last = 0;
  for (uint64_t line = 0; line < 80000; line++)
    last = cycle_max(last, whole_line(&bench, 0, line));
  EXPECT_GE(last, 10000 + 12 * 200);
  EXPECT_EQ(bench.stats.dram_busy_cycles, 80000);
  EXPECT_GT(bench.stats.dram_refresh_stalls, 0);
  dram_free(&bench.dram);
}
