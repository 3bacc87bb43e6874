/* Copy fences: chains of copies that are correct with the fence, and really wrong without it or with the other space's
 * fence, whether an engine or warps carry the copies out and in whatever order an engine serves its channels. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { START = 10, COPY = 4, WORDS = 1024 };

#define HEAD                                                                                                           \
  ".kernel k\n.arg src global\n.arg dst global\n.arg out global\n.lds t 8192\n.reg e, f, g, i, v\n.reg64 p, q, r, o\n" \
  " ld.arg.b64 p, src\n ld.arg.b64 q, dst\n ld.arg.b64 r, out\n get.local_id i, x\n shl.b32 i, i, 2\n"

/* 4 KiB of 7s in the LDS, by 256 work-items */
#define SEVENS                                                                                                         \
  " mov.b32 v, 7\n st.lds.b32 [t + i], v\n st.lds.b32 [t + i + 1024], v\n st.lds.b32 [t + i + 2048], v\n"              \
  " st.lds.b32 [t + i + 3072], v\n bar.lds\n"

#define SLOW_ENGINE "dma.read_width=4 dma.write_width=4 mem.l2_latency=20 mem.dram_latency=1 mem.link_latency=2"

enum chain { IN_OUT, OUT_IN_THROUGH_MEMORY, OUT_IN_OVER_THE_TILE, CHAINS };

/* What goes wrong without a fence, and with the other space's fence. */
struct lack {
  bool none, other;
};

static const struct {
  const char *what, *text; /* %s: the fence */
  const char *right, *other;
  const char *machine; /* a machine on which the later copy catches up */
  bool sevens;         /* what `out` must hold in the end: 7s, or words from 960 on of buffer 0 */
  uint32_t words;      /* of `out` */
  struct lack engine, lanes;
} chains[CHAINS] = {
    /* Data that were read enter the LDS before a later copy reads them there, so memory's fence is enough too. */
    [IN_OUT] = {"in, and out of the end of the same tile",
                HEAD " copy.to_lds e, [t], [p], 1024, size=4\n %s\n copy.to_global f, [r], [t + 3840], 64, size=4\n"
                     " wait e, f\n exit\n",
                "copy.fence.lds",
                "copy.fence.global",
                "mem.link_width=4",
                false,
                64,
                {true, false},
                {true, false}},
    /* Warps that have read the LDS send their stores before their loads, so the LDS fence is enough for them here. */
    [OUT_IN_THROUGH_MEMORY] = {"out, and in from the end of the same global range",
                               HEAD SEVENS
                               " mov.b64 o, 3840\n copy.to_global e, [q], [t], 1024, size=4\n add.i64 q, q, o\n %s\n"
                               " copy.to_lds f, [t + 4096], [q], 64, size=4\n wait e, f\n"
                               " copy.to_global g, [r], [t + 4096], 64, size=4\n wait g\n exit\n",
                               "copy.fence.global",
                               "copy.fence.lds",
                               SLOW_ENGINE,
                               true,
                               64,
                               {true, true},
                               {true, false}},
    /* Data that have arrived in global memory have left the LDS, so the other fence is enough too. Also, warps read the
     * LDS in the order in which they write it. */
    [OUT_IN_OVER_THE_TILE] = {"out, and in over the end of the same tile",
                              HEAD SEVENS " copy.to_global e, [r], [t], 1024, size=4\n %s\n"
                                          " copy.to_lds f, [t + 3840], [p], 64, size=4\n wait e, f\n exit\n",
                              "copy.fence.lds",
                              "copy.fence.global",
                              SLOW_ENGINE,
                              true,
                              1024,
                              {true, false},
                              {false, false}},
};

static const char *const engines[] = {
    "dma.arbitration=round_robin", "dma.arbitration=oldest",    "dma.arbitration=priority",
    "dma.arbitration=quota",       "dma.quota=8 dma.engines=2",
};
static const char *const lanes[] = {"dma.copy=lanes lds.latency=100",
                                    "dma.copy=lanes lds.latency=100 cu.schedulers=4 dma.lane_bytes=8"};
static const char *const blocking[] = {"dma.copy=blocking", "dma.copy=blocking cu.copy_unroll=16"};

/* Counts the wrong words of the result. */
static uint32_t wrong_words(enum chain chain, const char *fence, const char *settings) {
  char kernel[1024], with[160];
  ct_freed(rig_free) struct rig rig;
  uint32_t wrong = 0;
  snprintf(kernel, sizeof kernel, chains[chain].text, fence);
  snprintf(with, sizeof with, "%s %s", chains[chain].machine, settings);
  rig_run(&rig, with, 256, 256, kernel);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.hazard_count, 0);
  for (uint32_t i = 0; i < chains[chain].words; i++)
    wrong += rig_word(&rig, 2, i) != (chains[chain].sevens ? 7 : 960 + i);
  return wrong;
}

static void try_chain(enum chain chain, const char *settings, struct lack lack) {
  ct_note("%s, %s", chains[chain].what, settings);
  EXPECT_EQ(wrong_words(chain, chains[chain].right, settings), 0);
  EXPECT_EQ(wrong_words(chain, "copy.fence.all", settings), 0);
  EXPECT_EQ(wrong_words(chain, "", settings) > 0, lack.none);
  EXPECT_EQ(wrong_words(chain, chains[chain].other, settings) > 0, lack.other);
}

TEST(fence, chains_are_wrong_without_it_and_correct_with_it) {
  for (unsigned chain = 0; chain < CHAINS; chain++) {
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
      try_chain(chain, engines[i], chains[chain].engine);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
      try_chain(chain, lanes[i], chains[chain].lanes);
    for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++) /* each copy ends before the next begins */
      try_chain(chain, blocking[i], (struct lack){false, false});
  }
}

static uint64_t chain_cycles(enum chain chain, const char *fence, const char *settings) {
  char kernel[1024];
  snprintf(kernel, sizeof kernel, chains[chain].text, fence);
  return rig_cycles(settings, 256, 256, kernel);
}

TEST(fence, of_one_space_lets_the_next_copy_overtake_in_the_other) {
  static const char *const all[] = {"", "dma.copy=lanes"};
  for (unsigned mode = 0; mode < 2; mode++) {
    /* out: reading the LDS ends long before memory is written; in: reading memory ends before the LDS is written */
    ct_note("%s", all[mode]);
    uint64_t lds = chain_cycles(OUT_IN_THROUGH_MEMORY, "copy.fence.lds", all[mode]);
    EXPECT_LT(lds, chain_cycles(OUT_IN_THROUGH_MEMORY, "copy.fence.global", all[mode]));
    uint64_t global = chain_cycles(IN_OUT, "copy.fence.global", all[mode]);
    EXPECT_LT(global, chain_cycles(IN_OUT, "copy.fence.lds", all[mode]));
    EXPECT_GT(global, chain_cycles(IN_OUT, "", all[mode]));
  }
}

TEST(fence, accumulates_until_the_next_copy) {
  const char *both = "copy.fence.global\n copy.fence.lds\n copy.fence.global";
  EXPECT_EQ(wrong_words(IN_OUT, both, engines[0]), 0);
  EXPECT_EQ(wrong_words(IN_OUT, both, lanes[0]), 0);
}

TEST(fence, holds_every_later_copy_and_not_only_the_next) {
  /* the copy between them moves other bytes */
  const char *between = "copy.fence.lds\n copy.to_lds g, [t + 8188], [p], 1, size=4";
  const char *text = HEAD " copy.to_lds e, [t], [p], 1024, size=4\n %s\n copy.to_global f, [r], [t], 1024, size=4\n"
                          " wait e, f, g\n exit\n";
  static const char *const all[] = {"", "dma.copy=lanes", "dma.copy=blocking"};
  for (unsigned mode = 0; mode < 3; mode++) {
    char kernel[1024];
    ct_freed(rig_free) struct rig rig;
    snprintf(kernel, sizeof kernel, text, between);
    ct_note("%s", all[mode]);
    rig_run(&rig, all[mode], 256, 256, kernel);
    for (uint32_t i = 0; i < WORDS; i++)
      EXPECT_EQ(rig_word(&rig, 2, i), i);
  }
}

TEST(fence, costs_a_rendezvous_and_waits_for_nothing) {
  const char *text = HEAD " copy.to_lds e, [t], [p], 1024, size=4\n%s wait e\n exit\n";
  static const char *const all[] = {"", "dma.copy=lanes", "dma.copy=blocking"};
  for (unsigned mode = 0; mode < 3; mode++) {
    char with[512], without[512];
    snprintf(with, sizeof with, text, " copy.fence.all\n");
    snprintf(without, sizeof without, text, "");
    uint64_t cycles = rig_cycles(all[mode], 32, 32, without);
    /* hidden behind the copy, unless that has already ended */
    EXPECT_EQ(rig_cycles(all[mode], 32, 32, with), cycles + (mode == 2 ? COPY : 0));
  }
  /* without copies, and with a store in flight: the next instruction issues copy_latency later */
  EXPECT_EQ(rig_cycles("", 32, 32, ".kernel k\n copy.fence.all\n exit\n"), START + COPY + 1);
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, ".kernel k\n.lds t 64\n.reg v\n st.lds.b32 [t], v\n copy.fence.lds\n exit\n");
  EXPECT_EQ(rig.result.stalls[STALL_FENCE], 0);
}

TEST(fence, that_some_warps_never_reach_is_a_hazard) {
  struct rig rig;
  rig_run(&rig, "", 64, 64,
          ".kernel k\n.reg i\n.pred c\n get.local_id i, x\n setp.lt.u32 c, i, 32\n@c copy.fence.lds\n"
          " exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_N3), 1);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_COPY_JOIN);
  rig_free(&rig);
  rig_run(&rig, "", 32, 32,
          ".kernel k\n.reg i\n.pred c\n get.local_id i, x\n setp.lt.u32 c, i, 16\n@c copy.fence.lds\n"
          " exit\n");
  EXPECT_EQ(rig_hazards(&rig, HAZARD_N3), 1);
  rig_free(&rig);
}
