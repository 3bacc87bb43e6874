/* The L1: what is in it, how long a hit takes, and what throws lines out. */
#include "models/mem/l1.h"

#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

#define HEAD ".kernel k\n.arg a global\n.arg b global\n.reg i, v, w\n.reg64 p, q\n.pred me\n"
#define SETTINGS "mem.l1_size=4096 mem.l1_ways=2 mem.l1_latency=33 mem.l1_width=128 "

/* Cycles of 32 lanes that load 4 bytes each, twice, and use them. */
static uint64_t twice(const char *settings, const char *second) {
  char text[512];
  snprintf(text, sizeof text,
           HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n %s\n"
                " mov.b32 v, v\n exit\n",
           second);
  return rig_cycles(settings, 32, 32, text);
}

/* From the issue of a load that hits in the L2 to the first use, on the default machine. */
static uint64_t l2_hit(uint64_t bytes) { return 1 + 20 + div_up(bytes, 256) - 1 + 60 + div_up(bytes, 64) + 20; }

TEST(l1, a_load_that_hits_takes_l1_latency) {
  uint64_t without = twice("", "ld.global.b32 v, [p + i]");
  for (unsigned latency = 1; latency < 100; latency += 7) {
    char settings[128];
    snprintf(settings, sizeof settings, "mem.l1_size=4096 mem.l1_latency=%u", latency);
    EXPECT_EQ(twice(settings, "ld.global.b32 v, [p + i]"), without - l2_hit(128) + latency);
  }
  EXPECT_EQ(twice("mem.l1_size=4096 mem.l1_latency=33 mem.l1_width=16", "ld.global.b32 v, [p + i]"),
            without - l2_hit(128) + 33 + 128 / 16 - 1);
}

TEST(l1, a_load_past_it_takes_as_long_as_without_one) {
  uint64_t without = twice("", "ld.global.b32 v, [p + i]");
  EXPECT_EQ(twice(SETTINGS, "ld.global.l2.b32 v, [p + i]"), without);
  EXPECT_EQ(twice("", "ld.global.l2.b32 v, [p + i]"), without);
}

TEST(l1, only_lines_that_are_missing_come_from_the_l2) {
  /* lanes 0 to 31 load words 0 to 31 of line 0, then words 16 to 47: sectors 2 and 3 of line 0, 0 and 1 of line 1 */
  struct rig rig;
  rig_run(&rig, SETTINGS, 32, 32,
          HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n"
               " ld.global.b32 w, [p + i + 64]\n ld.arg.b64 q, b\n st.global.b32 [q + i], w\n exit\n");
  EXPECT_EQ(rig.result.mem.link_down_bytes, 128 + 64);
  EXPECT_EQ(rig.result.cu.l1_misses, 2);
  EXPECT_EQ(rig.result.cu.l1_hits, 0);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), i + 16);
  rig_free(&rig);
}

/* Loads word `i` of `lines` lines again and again: how many of the last round hit. */
static uint64_t hits_of_lines(uint32_t lines) {
  char text[512];
  struct rig rig;
  snprintf(text, sizeof text,
           HEAD ".pred more\n ld.arg.b64 p, a\n mov.b32 w, 0\nagain: mov.b32 i, 0\nline: ld.global.b32 v, [p + i]\n"
                " mov.b32 v, v\n add.i32 i, i, 128\n setp.lt.u32 more, i, %u\n@more bra line\n add.i32 w, w, 1\n"
                " setp.lt.u32 more, w, 3\n@more bra again\n exit\n",
           lines * 128);
  rig_run(&rig, SETTINGS, 32, 32, text);
  uint64_t hits = rig.result.cu.l1_hits;
  EXPECT_EQ(hits + rig.result.cu.l1_misses, 3 * lines);
  rig_free(&rig);
  return hits;
}

TEST(l1, lines_stay_up_to_its_size_and_sets_that_overflow_lose_theirs) {
  EXPECT_EQ(hits_of_lines(32), 2 * 32); /* 4096 bytes: 16 sets of 2 ways */
  EXPECT_EQ(hits_of_lines(33), 2 * 30); /* one set has 3 lines, in turn, for 2 ways */
  EXPECT_EQ(hits_of_lines(48), 0);
}

/* Lane 0 loads word 0 of `a`, does something, loads it again and stores what it got: 32 more than in `a`, if the
 * second load is to see what lies there by then. */
static uint32_t reload(const char *between, const char *settings) {
  char text[1024];
  struct rig rig;
  snprintf(text, sizeof text,
           HEAD ".reg e\n.lds tile 128\n ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 2\n"
                " ld.global.b32 v, [p + i]\n add.i32 v, v, 32\n %s\n ld.global.b32 w, [p + i]\n"
                " st.global.b32 [q + i], w\n exit\n",
           between);
  rig_run(&rig, settings, 32, 32, text);
  uint32_t seen = rig_word(&rig, 1, 5);
  rig_free(&rig);
  return seen;
}

TEST(l1, a_shared_one_is_as_large_as_the_lds_of_all_groups_that_fit_leaves_it) {
  /* 2 KiB read twice by one group, of 32 that fit by their warps; LDS in steps of 1 KiB, L1 and LDS together 36 */
  static const char *const head = ".kernel k\n.arg a global\n.reg i, v, n\n.reg64 p\n.pred more\n%s"
                                  " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\nagain: ld.global.b32 v, [p + i]\n"
                                  " add.i32 i, i, 128\n and.b32 i, i, 2047\n add.i32 n, n, 1\n"
                                  " setp.lt.u32 more, n, 32\n@more bra again\n exit\n";
  static const struct {
    unsigned lds, step, reserved, hits, all;
  } rows[] = {
      {0, 1024, 0, 16, 36},   {1024, 1024, 0, 16, 36}, {1025, 1024, 0, 0, 36}, {2048, 1024, 0, 0, 36},
      {1088, 0, 0, 16, 36},   {0, 1024, 1024, 16, 36}, {0, 1024, 1152, 0, 36}, {0, 65536, 128, 0, 36},
      {1024, 1024, 0, 0, 33}, {1024, 1024, 0, 16, 34}, /* 1 KiB is left, half of what is read, or all of it */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512], lds[64] = "", settings[256];
    struct rig rig;
    if (rows[i].lds)
      snprintf(lds, sizeof lds, ".lds t %u\n", rows[i].lds);
    snprintf(text, sizeof text, head, lds);
    snprintf(settings, sizeof settings,
             "cu.count=1 cu.warps=32 cu.groups=32 cu.lds_unit=128 lds.size=64K mem.l1_size=%uK mem.l1_ways=2 "
             "mem.l1_step=%u cu.lds_reserved=%u",
             rows[i].all, rows[i].step, rows[i].reserved);
    ct_note("%u bytes of LDS, steps of %u, %u reserved", rows[i].lds, rows[i].step, rows[i].reserved);
    rig_run(&rig, settings, 32, 32, text);
    EXPECT_EQ(rig.result.cu.l1_hits, rows[i].hits);
    rig_free(&rig);
  }
}

TEST(l1, a_compute_unit_sees_what_it_wrote_itself) {
  static const char *const ways[] = {
      "st.global.b32 [p + i], v",
      "mov.b32 w, 32\n atom.global.add.i32 w, [p + i], w",
      "st.lds.b32 [i], v\n bar.lds\n copy.to_global e, [p], [0], 32, size=4\n wait e",
  };
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    ct_note("%s", ways[i]);
    EXPECT_EQ(reload(ways[i], SETTINGS), 5 + 32);
    EXPECT_EQ(reload(ways[i], SETTINGS "dma.copy=lanes"), 5 + 32);
    EXPECT_EQ(reload(ways[i], SETTINGS "dma.copy=blocking"), 5 + 32);
  }
}

TEST(l1, a_line_that_is_written_on_its_way_is_not_kept) {
  /* the load is under way when the store passes it */
  struct rig rig;
  rig_run(&rig, SETTINGS, 32, 32,
          HEAD " ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 2\n mov.b32 w, 7\n"
               " ld.global.b32 v, [p + i]\n st.global.b32 [p + i], w\n mov.b32 v, v\n ld.global.b32 v, [p + i]\n"
               " st.global.b32 [q + i], v\n exit\n");
  EXPECT_EQ(rig_word(&rig, 1, 5), 7);
  EXPECT_EQ(rig.result.cu.l1_hits, 0);
  rig_free(&rig);
}

/* CU 1 writes long after CU 0 has loaded, and long before it loads again. */
static uint32_t other_writes(const char *fence, const char *load) {
  char text[1024];
  struct rig rig;
  snprintf(text, sizeof text,
           HEAD " ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.group_id w, x\n setp.eq.u32 me, w, 1\n mov.b32 i, 0\n"
                "@me bra writer\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n mov.b32 w, 0\nspin: add.i32 w, w, 1\n"
                " setp.lt.u32 me, w, 400\n@me bra spin\n %s\n %s v, [p + i]\n st.global.b32 [q + i], v\n exit\n"
                "writer: mov.b32 w, 0\nlater: add.i32 w, w, 1\n setp.lt.u32 me, w, 100\n@me bra later\n"
                " mov.b32 v, 9\n st.global.b32 [p + i], v\n exit\n",
           fence, load);
  rig_run(&rig, SETTINGS "cu.count=2", 64, 32, text);
  uint32_t seen = rig_word(&rig, 1, 0);
  rig_free(&rig);
  return seen;
}

TEST(l1, what_others_write_is_seen_past_it_or_after_a_fence) {
  EXPECT_EQ(other_writes("", "ld.global.b32"), 0); /* as it was when it came */
  EXPECT_EQ(other_writes("", "ld.global.l2.b32"), 9);
  EXPECT_EQ(other_writes("fence.global", "ld.global.b32"), 9);
  EXPECT_EQ(other_writes("fence.lds", "ld.global.b32"), 0);
}

TEST(l1, all_widths_read_what_memory_holds) {
  static const char *const widths[] = {"u8", "s8", "u16", "s16", "b32", "b64", "b128"};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (unsigned round = 0; round < 2; round++) {
      char text[512];
      struct rig rig;
      ct_note("%s, %s", widths[i], round ? "hit" : "miss");
      snprintf(text, sizeof text,
               ".kernel k\n.arg a global\n.arg b global\n.reg i, v[4], u[4]\n.reg64 p, q\n ld.arg.b64 p, a\n"
               " ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 4\n%s ld.global.%s v, [p + i]\n"
               " st.global.b128 [q + i], v\n exit\n",
               round ? " ld.global.b128 u, [p + i]\n mov.b32 u, u\n" : "", widths[i]);
      rig_run(&rig, SETTINGS, 32, 32, text);
      EXPECT_EQ(rig.result.cu.l1_hits, round ? 4 : 0);
      unsigned words = i < 5 ? 1 : i == 5 ? 2 : 4;
      for (uint32_t word = 0; word < 4; word++)
        EXPECT_EQ(rig_word(&rig, 1, 4 * 9 + word), word < words ? 36 + word : 0);
      rig_free(&rig);
    }
}

TEST(l1, a_launch_finds_nothing_of_the_one_before) {
  /* a word of each of the 32 lines that have room */
  struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, SETTINGS, 32, 32,
                        HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 7\n ld.global.b32 v, [p + i]\n"
                             " mov.b32 v, v\n exit\n"));
  for (unsigned launch = 0; launch < 2; launch++) {
    rig_start(&rig);
    ct_note("launch %u", launch);
    EXPECT_EQ(rig.result.cu.l1_misses, 32);
    EXPECT_EQ(rig.result.cu.l1_hits, 0);
    if (!launch)
      launch_result_free(&rig.result);
  }
  rig_free(&rig);
}
