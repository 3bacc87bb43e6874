/* The L1: its contents, the time of a hit, and what evicts lines. */
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

/* From the issue of a load that hits in the L2 to its first use, on the default machine. */
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

TEST(l1, a_load_that_bypasses_it_takes_as_long_as_without_an_l1) {
  uint64_t without = twice("", "ld.global.b32 v, [p + i]");
  EXPECT_EQ(twice(SETTINGS, "ld.global.l2.b32 v, [p + i]"), without);
  EXPECT_EQ(twice("", "ld.global.l2.b32 v, [p + i]"), without);
}

TEST(l1, only_missing_lines_come_from_the_l2) {
  /* lanes 0 to 31 load words 0 to 31 of line 0, then words 16 to 47: sectors 2 and 3 of line 0, 0 and 1 of line 1 */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, SETTINGS, 32, 32,
          HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n"
               " ld.global.b32 w, [p + i + 64]\n ld.arg.b64 q, b\n st.global.b32 [q + i], w\n exit\n");
  EXPECT_EQ(rig.result.mem.link_down_bytes, 128 + 64);
  EXPECT_EQ(rig.result.cu.l1_misses, 4 + 2);
  EXPECT_EQ(rig.result.cu.l1_hits, 2);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), i + 16);
}

/* Loads word `i` of `lines` lines repeatedly; returns how many loads of the last round hit. */
static uint64_t hits_of_lines(uint32_t lines) {
  char text[512];
  ct_freed(rig_free) struct rig rig;
  snprintf(text, sizeof text,
           HEAD ".pred more\n ld.arg.b64 p, a\n mov.b32 w, 0\nagain: mov.b32 i, 0\nline: ld.global.b32 v, [p + i]\n"
                " mov.b32 v, v\n add.i32 i, i, 128\n setp.lt.u32 more, i, %u\n@more bra line\n add.i32 w, w, 1\n"
                " setp.lt.u32 more, w, 3\n@more bra again\n exit\n",
           lines * 128);
  rig_run(&rig, SETTINGS, 32, 32, text);
  uint64_t hits = rig.result.cu.l1_hits;
  EXPECT_EQ(hits + rig.result.cu.l1_misses, 3 * lines);
  return hits;
}

TEST(l1, lines_stay_up_to_its_size_and_overflowing_sets_evict) {
  EXPECT_EQ(hits_of_lines(32), 2 * 32); /* 4096 bytes: 16 sets of 2 ways */
  EXPECT_EQ(hits_of_lines(33), 2 * 30); /* one set has 3 lines, in turn, for 2 ways */
  EXPECT_EQ(hits_of_lines(48), 0);
}

/* Lane 0 loads word 0 of `a`, does something, loads it again and stores the result, which is 32 more than in `a` if the
 * second load reads memory's current contents. */
static uint32_t reload(const char *between, const char *settings) {
  char text[1024];
  ct_freed(rig_free) struct rig rig;
  snprintf(text, sizeof text,
           HEAD ".reg e\n.lds tile 128\n ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 2\n"
                " ld.global.b32 v, [p + i]\n add.i32 v, v, 32\n %s\n ld.global.b32 w, [p + i]\n"
                " st.global.b32 [q + i], w\n exit\n",
           between);
  rig_run(&rig, settings, 32, 32, text);
  uint32_t seen = rig_word(&rig, 1, 5);
  return seen;
}

TEST(l1, a_shared_l1_has_the_size_that_the_lds_of_all_resident_groups_leaves) {
  /* One group reads 2 KiB twice; 32 groups would fit by their warps. The LDS is allocated in steps of 1 KiB; L1 and LDS
   * have 36 KiB together. */
  static const char *const head = ".kernel k\n.arg a global\n.reg i, v, n\n.reg64 p\n.pred more\n%s"
                                  " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\nagain: ld.global.b32 v, [p + i]\n"
                                  " add.i32 i, i, 128\n and.b32 i, i, 2047\n add.i32 n, n, 1\n"
                                  " setp.lt.u32 more, n, 32\n@more bra again\n exit\n";
  static const struct {
    unsigned lds, step, reserved, hits, all;
  } rows[] = {
      {0, 1024, 0, 16, 36},   {1024, 1024, 0, 16, 36}, {1025, 1024, 0, 0, 36}, {2048, 1024, 0, 0, 36},
      {1088, 0, 0, 16, 36},   {0, 1024, 1024, 16, 36}, {0, 1024, 1152, 0, 36}, {0, 65536, 128, 0, 36},
      {1024, 1024, 0, 0, 33}, {1024, 1024, 0, 16, 34}, /* 1 KiB remains, half of what is read, or all of it */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512], lds[64] = "", settings[256];
    ct_freed(rig_free) struct rig rig;
    if (rows[i].lds)
      snprintf(lds, sizeof lds, ".lds t %u\n", rows[i].lds);
    snprintf(text, sizeof text, head, lds);
    snprintf(settings, sizeof settings,
             "cu.count=1 cu.warps=32 cu.groups=32 cu.lds_unit=128 lds.size=64K mem.l1_size=%uK mem.l1_ways=2 "
             "mem.l1_step=%u cu.lds_reserved=%u",
             rows[i].all, rows[i].step, rows[i].reserved);
    ct_note("%u bytes of LDS, steps of %u, %u reserved", rows[i].lds, rows[i].step, rows[i].reserved);
    rig_run(&rig, settings, 32, 32, text);
    EXPECT_EQ(rig.result.cu.l1_hits, 4 * rows[i].hits); /* sectors of lines */
  }
}

TEST(l1, a_compute_unit_sees_its_own_writes) {
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

TEST(l1, a_line_written_while_in_flight_is_not_kept) {
  /* the load is in flight when the store overtakes it */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, SETTINGS, 32, 32,
          HEAD " ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 2\n mov.b32 w, 7\n"
               " ld.global.b32 v, [p + i]\n st.global.b32 [p + i], w\n mov.b32 v, v\n ld.global.b32 v, [p + i]\n"
               " st.global.b32 [q + i], v\n exit\n");
  EXPECT_EQ(rig_word(&rig, 1, 5), 7);
  EXPECT_EQ(rig.result.cu.l1_hits, 0);
}

/* CU 1 writes long after CU 0 has loaded, and long before CU 0 loads again. */
static uint32_t other_writes(const char *fence, const char *load) {
  char text[1024];
  ct_freed(rig_free) struct rig rig;
  snprintf(text, sizeof text,
           HEAD " ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.group_id w, x\n setp.eq.u32 me, w, 1\n mov.b32 i, 0\n"
                "@me bra writer\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n mov.b32 w, 0\nspin: add.i32 w, w, 1\n"
                " setp.lt.u32 me, w, 400\n@me bra spin\n %s\n %s v, [p + i]\n st.global.b32 [q + i], v\n exit\n"
                "writer: mov.b32 w, 0\nlater: add.i32 w, w, 1\n setp.lt.u32 me, w, 100\n@me bra later\n"
                " mov.b32 v, 9\n st.global.b32 [p + i], v\n exit\n",
           fence, load);
  rig_run(&rig, SETTINGS "cu.count=2", 64, 32, text);
  uint32_t seen = rig_word(&rig, 1, 0);
  return seen;
}

TEST(l1, writes_of_others_are_seen_by_bypassing_or_after_a_fence) {
  EXPECT_EQ(other_writes("", "ld.global.b32"), 0); /* as it was when it arrived */
  EXPECT_EQ(other_writes("", "ld.global.l2.b32"), 9);
  EXPECT_EQ(other_writes("fence.global", "ld.global.b32"), 9);
  EXPECT_EQ(other_writes("fence.lds", "ld.global.b32"), 0);
}

TEST(l1, all_widths_read_what_memory_holds) {
  static const char *const widths[] = {"u8", "s8", "u16", "s16", "b32", "b64", "b128"};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (unsigned round = 0; round < 2; round++) {
      char text[512];
      ct_freed(rig_free) struct rig rig;
      ct_note("%s, %s", widths[i], round ? "hit" : "miss");
      snprintf(text, sizeof text,
               ".kernel k\n.arg a global\n.arg b global\n.reg i, v[4], u[4]\n.reg64 p, q\n ld.arg.b64 p, a\n"
               " ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 4\n%s ld.global.%s v, [p + i]\n"
               " st.global.b128 [q + i], v\n exit\n",
               round ? " ld.global.b128 u, [p + i]\n mov.b32 u, u\n" : "", widths[i]);
      rig_run(&rig, SETTINGS, 32, 32, text);
      EXPECT_EQ(rig.result.cu.l1_hits, round ? 16 : 0);
      unsigned words = i < 5 ? 1 : i == 5 ? 2 : 4;
      for (uint32_t word = 0; word < 4; word++)
        EXPECT_EQ(rig_word(&rig, 1, 4 * 9 + word), word < words ? 36 + word : 0);
    }
}

TEST(l1, a_launch_starts_with_an_empty_l1) {
  /* one word of each of the 32 lines that fit */
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
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
}

/* ---- sets --------------------------------------------------------------------------------- */

static struct l1_geometry geometry_of(const struct machine *machine) {
  return (struct l1_geometry){.size = machine->mem.l1_size, .ways = machine->mem.l1_ways};
}

/* How many of `count` lines, `pitch` apart from line `from` on, stay in an L1 with 2-way sets. */
static uint32_t stay(uint32_t sets, const char *hash, uint64_t from, uint64_t pitch, uint32_t count) {
  struct machine machine;
  struct l1 l1;
  char settings[128];
  uint32_t found = 0, joined;
  snprintf(settings, sizeof settings, "mem.l1_size=%u mem.l1_ways=2 mem.l1_hash=%s", sets * 2 * 128, hash);
  rig_machine(&machine, settings);
  l1_init(&l1, &machine.mem, geometry_of(&machine), 1);
  for (uint32_t i = 0; i < count; i++) {
    struct mem_line line = {.line = from + i * pitch, .sectors = 0xf};
    l1_miss(&l1, &line, 1, &joined);
    l1_filled(&l1, &line, 1);
  }
  for (uint32_t i = 0; i < count; i++) {
    struct mem_line line = {.line = from + i * pitch, .sectors = 0xf};
    found += l1_hit(&l1, &line, 1);
  }
  l1_free(&l1);
  return found;
}

TEST(l1, with_the_hash_power_of_two_rows_stay) {
  static const uint32_t sets[] = {1, 16, 64, 28, 56, 7, 24};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (unsigned shift = 0; shift < 20; shift++) {
      const uint32_t odd = sets[i] >> __builtin_ctz(sets[i]), two = sets[i] / odd;
      ct_note("%u sets, lines %u apart", sets[i], 1u << shift);
      EXPECT_GE(stay(sets[i], "xor", 0, UINT64_C(1) << shift, sets[i]), odd == 1 ? sets[i] : sets[i] * 3 / 4);
      if (shift >= (unsigned)__builtin_ctz(two)) /* one in `two` sets is used */
        EXPECT_EQ(stay(sets[i], "none", 0, UINT64_C(1) << shift, sets[i]), two == 1 ? odd : 2 * odd);
    }
}

TEST(l1, the_hash_evicts_no_line_of_a_run) {
  static const uint32_t sets[] = {16, 28, 24, 7};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (uint64_t round = 0; round < 50; round++) {
      const uint64_t run = 1u << __builtin_ctz(sets[i]);
      ct_note("%u sets, from line %u on", sets[i], (unsigned)(round * run));
      EXPECT_EQ(stay(sets[i], "xor", round * run, 1, 2 * sets[i]), 2 * sets[i]);
    }
}

TEST(l1, each_line_of_a_hit_is_an_interval_of_the_tags) {
  /* 32 lanes, 4 bytes each, in `lines` lines: one pass per line, although their sectors are at most 1024 bytes */
  for (unsigned lines = 1; lines <= 32; lines *= 2) {
    uint64_t cycles[2];
    for (unsigned interval = 0; interval < 2; interval++) {
      char text[512], settings[128];
      snprintf(text, sizeof text,
               HEAD ".reg u\n ld.arg.b64 p, a\n get.lane i\n mul.i32 i, i, %u\n ld.global.b32 v, [p + i]\n"
                    " mov.b32 v, v\n ld.global.b32 v, [p + i]\n ld.global.b32 w, [p + i]\n ld.global.b32 u, [p + i]\n"
                    " mov.b32 v, v\n mov.b32 w, w\n mov.b32 u, u\n exit\n",
               4 * lines);
      snprintf(settings, sizeof settings, "mem.l1_size=65536 mem.l1_width=4096 cu.line_interval=%u", interval);
      cycles[interval] = rig_cycles(settings, 32, 32, text);
    }
    /* the miss also keeps the port; then three hits in a row, issued a cycle apart */
    EXPECT_EQ(cycles[1], cycles[0] + (lines - 1) + (lines > 1 ? 3 * lines - 3 : 0));
  }
}

/* ---- loads that join ---------------------------------------------------------------------- */

#define JOIN SETTINGS "mem.l1_join=on "

/* Warp w of two loads words starting at byte 4 * lane + w * `apart`, and stores what it got. */
static struct rig two_warps(const char *settings, unsigned apart) {
  char text[512];
  struct rig rig;
  snprintf(text, sizeof text,
           HEAD " ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.local_id w, x\n shl.b32 w, w, 2\n get.lane i\n"
                " shl.b32 i, i, 2\n sub.i32 v, w, i\n setp.ne.u32 me, v, 0\n@me add.i32 i, i, %u\n"
                " ld.global.b32 v, [p + i]\n st.global.b32 [q + w], v\n exit\n",
           apart);
  rig_run(&rig, settings, 64, 64, text);
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), i % 32 + i / 32 * apart / 4);
  return rig;
}

static void expect_loads(const char *settings, unsigned apart, uint64_t bytes, uint64_t hits, uint64_t misses) {
  ct_freed(rig_free) struct rig rig = two_warps(settings, apart);
  ct_note("%s, %u bytes apart", settings, apart);
  EXPECT_EQ(rig.result.mem.link_down_bytes, bytes);
  EXPECT_EQ(rig.result.cu.l1_hits, hits);
  EXPECT_EQ(rig.result.cu.l1_misses, misses);
}

TEST(l1, a_load_joins_a_fill_already_in_flight) {
  expect_loads(SETTINGS, 0, 256, 0, 8);
  expect_loads(JOIN, 0, 128, 4, 4);
  expect_loads(JOIN, 128, 256, 0, 8); /* the next line */
  expect_loads(JOIN, 64, 192, 2, 6);  /* half of the line, and half of the next one */
}

/* A load and another load of the same line, which a warp uses last; or only the first. */
static uint64_t last_use(const char *settings, bool both) {
  char all[256], text[512];
  snprintf(all, sizeof all, "%s mem.link_width=1024 mem.l2_width=65536 mem.dram_width=65536", settings);
  snprintf(text, sizeof text,
           HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\n ld.global.b32 v, [p + i]\n %s\n mov.b32 %s\n exit\n",
           both ? "ld.global.b32 w, [p + i]" : "mov.b32 w, i", both ? "w, w" : "v, v");
  return rig_cycles(all, 32, 32, text);
}

TEST(l1, a_load_that_joins_a_fill_ends_after_it_and_its_own_passes) {
  static const struct {
    const char *settings;
    unsigned cycles;
  } rows[] = {{JOIN, 128 / 128}, {JOIN "mem.l1_width=16", 128 / 16}, {JOIN "mem.l1_width=4096 cu.line_interval=5", 5}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    EXPECT_EQ(last_use(rows[i].settings, true), last_use(rows[i].settings, false) + rows[i].cycles);
}

TEST(l1, a_load_sees_the_fill_it_joined_even_if_the_line_is_removed) {
  /* Two loads of a line, then a store to it that overtakes them, then another load. */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, JOIN, 32, 32,
          HEAD ".reg u, x\n ld.arg.b64 p, a\n ld.arg.b64 q, b\n get.lane i\n shl.b32 i, i, 2\n mov.b32 x, 7\n"
               " ld.global.b32 v, [p + i]\n ld.global.b32 w, [p + i]\n st.global.b32 [p + i], x\n"
               " ld.global.b32 u, [p + i]\n st.global.b32 [q + i], v\n st.global.b32 [q + i + 128], w\n"
               " st.global.b32 [q + i + 256], u\n exit\n");
  EXPECT_EQ(rig_word(&rig, 1, 5), 5);
  EXPECT_EQ(rig_word(&rig, 1, 32 + 5), 5);
  EXPECT_EQ(rig_word(&rig, 1, 64 + 5), 7);
  EXPECT_EQ(rig.result.cu.l1_hits, 4);
  EXPECT_EQ(rig.result.cu.l1_misses, 8);
}

/* An L1 of one set with two ways, and loads of single sectors of its lines by accesses 0 to 7. */
static void begin(struct l1 *l1) {
  static struct machine machine;
  rig_machine(&machine, "mem.l1_size=256 mem.l1_ways=2 mem.l1_join=on");
  l1_init(l1, &machine.mem, geometry_of(&machine), 8);
}

static uint32_t miss(struct l1 *l1, struct mem_line *lines, uint32_t count) {
  uint32_t joined;
  uint32_t left = l1_miss(l1, lines, count, &joined);
  return left << 8 | joined;
}

TEST(l1, a_line_stays_while_a_load_waits_for_it_or_its_other_lines) {
  struct l1 l1;
  struct mem_line a[2] = {{.line = 1, .sectors = 1}}, b[2] = {{.line = 2, .sectors = 1}};
  struct mem_line both[4] = {{.line = 1, .sectors = 1}, {.line = 2, .sectors = 1}}, c[2] = {{.line = 3, .sectors = 1}};
  begin(&l1);
  EXPECT_EQ(miss(&l1, a, 1), 1 << 8);
  EXPECT_EQ(miss(&l1, b, 1), 1 << 8);
  EXPECT_EQ(miss(&l1, both, 2), 2);
  EXPECT_TRUE(l1_wait(&l1, both, 2, 2));
  EXPECT_EQ(l1_filled(&l1, a, 1), 3);    /* access 2 waited for line 1 */
  EXPECT_TRUE(l1_wait(&l1, both, 2, 2)); /* and now waits for line 2 */
  EXPECT_EQ(miss(&l1, c, 1), 1 << 8);    /* line 1 is present but must stay: line 3 gets no way */
  EXPECT_EQ(l1_filled(&l1, c, 1), 0);
  EXPECT_FALSE(l1_hit(&l1, c, 1));
  EXPECT_TRUE(l1_hit(&l1, a, 1));
  l1_written(&l1, a, 1);
  EXPECT_FALSE(l1_hit(&l1, a, 1)); /* a later load may not use it */
  EXPECT_EQ(l1_filled(&l1, b, 1), 3);
  EXPECT_FALSE(l1_wait(&l1, both, 2, 2));
  l1_release(&l1, both, 2);
  EXPECT_EQ(miss(&l1, c, 1), 1 << 8); /* line 1 has left */
  l1_filled(&l1, c, 1);
  EXPECT_TRUE(l1_hit(&l1, c, 1));
  EXPECT_TRUE(l1_hit(&l1, b, 1));
  l1_free(&l1);
}

TEST(l1, loads_that_wait_for_a_line_continue_in_order) {
  struct l1 l1;
  struct mem_line line[2] = {{.line = 1, .sectors = 1}}, same[4][2];
  begin(&l1);
  miss(&l1, line, 1);
  for (uint32_t i = 0; i < 4; i++) {
    same[i][0] = line[0];
    EXPECT_EQ(miss(&l1, same[i], 1), 1);
    EXPECT_TRUE(l1_wait(&l1, same[i], 1, 1 + i));
  }
  uint32_t waiting = l1_filled(&l1, line, 1);
  for (uint32_t i = 0; i < 4; i++, waiting = l1.next[waiting - 1])
    EXPECT_EQ(waiting, 2 + i);
  EXPECT_EQ(waiting, 0);
  l1_free(&l1);
}

TEST(l1, a_fill_leaves_other_sectors_of_its_line_unchanged) {
  struct l1 l1;
  uint8_t bytes[128] = {1};
  struct isa_buffer buffer = {.base = 128, .bytes = 128, .data = bytes};
  struct isa_memory memory = {.buffers = &buffer, .count = 1};
  struct mem_line first[2] = {{.line = 1, .sectors = 1}}, second[2] = {{.line = 1, .sectors = 3}};
  begin(&l1);
  miss(&l1, first, 1);
  l1_capture(&l1, &memory, first, 1);
  l1_filled(&l1, first, 1);
  bytes[0] = 2;
  EXPECT_EQ(miss(&l1, second, 1), 1 << 8);
  EXPECT_EQ(second[0].sectors, 2);
  l1_capture(&l1, &memory, second, 1);
  EXPECT_EQ(*l1.cache.at(&l1, 128), 1);
  l1_filled(&l1, second, 1);
  l1_free(&l1);
}

TEST(l1, each_sector_of_a_line_is_filled_when_it_arrives) {
  struct l1 l1;
  uint8_t bytes[128];
  struct isa_buffer buffer = {.base = 128, .bytes = 128, .data = bytes};
  struct isa_memory memory = {.buffers = &buffer, .count = 1};
  struct mem_line first[2] = {{.line = 1, .sectors = 1}}, second[2] = {{.line = 1, .sectors = 6}};
  const struct mem_line low = {.line = 1, .sectors = 1}, high = {.line = 1, .sectors = 6};
  begin(&l1);
  miss(&l1, first, 1);
  EXPECT_EQ(miss(&l1, second, 1), 1 << 8);
  memset(bytes, 1, sizeof bytes);
  l1_capture(&l1, &memory, second, 1);
  l1_filled(&l1, second, 1);
  EXPECT_TRUE(l1_hit(&l1, &high, 1));
  EXPECT_FALSE(l1_hit(&l1, &low, 1));
  memset(bytes, 2, sizeof bytes);
  l1_capture(&l1, &memory, first, 1);
  EXPECT_EQ(*l1.cache.at(&l1, 128), 2);
  EXPECT_EQ(l1.cache.at(&l1, 128)[32], 1);
  l1_filled(&l1, first, 1);
  EXPECT_TRUE(l1_hit(&l1, &low, 1));
  l1_free(&l1);
}

TEST(l1, an_invalidated_line_leaves_when_its_last_fill_arrives) {
  struct l1 l1;
  struct mem_line first[2] = {{.line = 1, .sectors = 1}}, second[2] = {{.line = 1, .sectors = 2}};
  struct mem_line again[2] = {{.line = 1, .sectors = 2}};
  begin(&l1);
  miss(&l1, first, 1);
  miss(&l1, second, 1);
  l1_written(&l1, first, 1);
  l1_filled(&l1, first, 1);
  EXPECT_EQ(miss(&l1, again, 1), 1 << 8); /* bypasses the L1 and allocates nothing */
  EXPECT_EQ(again[0].fills, 0);
  l1_filled(&l1, second, 1);
  EXPECT_FALSE(l1_hit(&l1, again, 1));
  EXPECT_EQ(miss(&l1, again, 1), 1 << 8);
  EXPECT_EQ(again[0].fills, 2);
  l1_free(&l1);
}

/* ---- the data path ------------------------------------------------------------------------ */

/* Cycles of three loads in a row that hit: lane l loads word `word` * l, modulo 128, of line l / `lanes`. */
static uint64_t three_hits(const char *settings, uint32_t lanes, uint32_t word) {
  char text[700];
  snprintf(text, sizeof text,
           HEAD ".reg u\n ld.arg.b64 p, a\n get.lane i\n mul.i32 v, i, %u\n and.b32 v, v, 31\n shl.b32 v, v, 2\n"
                " shr.u32 i, i, %u\n mad.i32 i, i, 128, v\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n"
                " ld.global.b32 v, [p + i]\n ld.global.b32 w, [p + i]\n ld.global.b32 u, [p + i]\n mov.b32 v, v\n"
                " mov.b32 w, w\n mov.b32 u, u\n exit\n",
           word, (uint32_t)__builtin_ctz(lanes));
  return rig_cycles(settings, 32, 32, text);
}

TEST(l1, words_in_one_bank_take_one_pass_each_and_lines_one_tag_each) {
#define BANKS "mem.l1_size=64K mem.l1_width=128 cu.line_interval=1 "
  const uint64_t one = three_hits(BANKS "mem.l1_banks=lds mem.l1_tags=32", 32, 1);
  static const struct {
    uint32_t lanes, word, tags, passes; /* passes: cycles of each load */
  } rows[] = {
      {1, 1, 32, 1}, {1, 0, 32, 32}, {2, 0, 32, 16}, {4, 0, 32, 8}, {1, 2, 32, 2}, {1, 1, 4, 8},
      {1, 1, 16, 2}, {1, 0, 4, 32},  {4, 1, 4, 2},   {8, 1, 4, 1},  {1, 1, 3, 11},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char settings[128];
    ct_note("%u lanes a line, words %u apart, %u tags", rows[i].lanes, rows[i].word, rows[i].tags);
    snprintf(settings, sizeof settings, BANKS "mem.l1_banks=lds mem.l1_tags=%u", rows[i].tags);
    const uint64_t missing = 32 / rows[i].lanes - 1; /* further lines of the first load in the memory port */
    const uint64_t first = three_hits(settings, rows[i].lanes, rows[i].word) - missing;
    const uint64_t sectors = three_hits("mem.l1_size=64K mem.l1_width=4096", rows[i].lanes, rows[i].word) -
                             three_hits("mem.l1_size=64K mem.l1_width=4096", 32, 1); /* the time for their bytes */
    EXPECT_EQ(first - sectors, one + 3 * (rows[i].passes - 1));
  }
}

TEST(l1, a_load_that_misses_returns_after_those_that_hit) {
  /* 32 lines that are present, one tag each; then a missing line, whose reply comes later by the same amount */
  uint64_t cycles[2];
  for (unsigned lines = 0; lines < 2; lines++) {
    char text[700];
    snprintf(text, sizeof text,
             HEAD ".reg u\n ld.arg.b64 p, a\n get.lane i\n shl.b32 v, i, 2\n mul.i32 u, i, %u\n mov.b32 i, v\n"
                  " ld.global.b32 w, [p + u]\n mov.b32 w, w\n ld.global.b32 w, [p + u]\n"
                  " ld.global.b32 v, [p + i + 8192]\n mov.b32 v, v\n exit\n",
             lines ? 128u : 4u);
    cycles[lines] = rig_cycles("mem.l1_size=64K mem.l1_width=4096 cu.line_interval=1", 32, 32, text);
  }
  const uint64_t first = rig_cycles("mem.l1_size=64K mem.l1_width=4096 cu.line_interval=1", 32, 32,
                                    HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 7\n ld.global.b32 w, [p + i]\n"
                                         " mov.b32 w, w\n exit\n") -
                         rig_cycles("mem.l1_size=64K mem.l1_width=4096 cu.line_interval=1", 32, 32,
                                    HEAD " ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 2\n ld.global.b32 w, [p + i]\n"
                                         " mov.b32 w, w\n exit\n");
  EXPECT_EQ(cycles[1], cycles[0] + first + 31);
}

/* An access to global memory with one line per lane, then one of 32 passes to the LDS: the cycles that the second
 * waits. */
static uint64_t waited(const char *settings, const char *access) {
  char text[512], all[256];
  ct_freed(rig_free) struct rig rig;
  snprintf(text, sizeof text,
           HEAD ".lds tile 4096\n ld.arg.b64 p, a\n get.lane i\n shl.b32 i, i, 7\n ld.global.b32 w, [p + i]\n"
                " mov.b32 w, w\n %s\n ld.lds.b32 v, [i]\n mov.b32 v, v\n exit\n",
           access);
  snprintf(all, sizeof all, "cu.line_interval=1 %s", settings);
  rig_run(&rig, all, 32, 32, text);
  uint64_t cycles = rig.result.lds.contention_cycles;
  return cycles;
}

TEST(l1, accesses_to_global_memory_take_cycles_from_lds_passes) {
  /* one line each; the first passes before the LDS could have a pass */
  EXPECT_EQ(waited("lds.global_port=shared mem.l1_size=64K", "ld.global.b32 w, [p + i]"), 32 - 1); /* hits */
  EXPECT_EQ(waited("lds.global_port=shared", "ld.global.b32 w, [p + i]"), 32 - 1);                 /* goes to the L2 */
  EXPECT_EQ(waited("lds.global_port=shared", "ld.global.b32 w, [p]"), 1 - 1);
  EXPECT_EQ(waited("lds.global_port=shared", "mov.b32 w, w"), 0);
  EXPECT_EQ(waited("mem.l1_size=64K", "ld.global.b32 w, [p + i]"), 0);
  /* a joining load passes when its line arrives; the use of v, for 4 cycles, comes before the LDS access */
  EXPECT_EQ(waited("lds.global_port=shared mem.l1_size=64K mem.l1_join=on",
                   "ld.global.b32 v, [p + i + 64]\n ld.global.b32 w, [p + i + 64]\n mov.b32 v, v"),
            32 - 4);
}
