/* Global memory compared with its closed forms, on the default machine: link_latency 20, link_width 64, l2_latency 60,
 * l2_width 256, dram_latency 200, dram_width 64, line 128, sector 32. */
#include "models/memory.h"

#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { START = 10 };

/* From the issue of a read of b bytes to the issue of its first use: docs/closed-forms.md. */
static uint64_t read_latency(const struct mem_params *mem, uint64_t b, bool hit) {
  uint64_t cycles = 1 + mem->link_latency + div_up(b, mem->l2_width) - 1 + mem->l2_latency +
                    div_up(b, mem->link_width) + mem->link_latency + mem->fill_latency;
  return hit ? cycles : cycles + mem->dram_latency + div_up(b, mem->dram_width) - 1;
}

/* p = src (10 cycles), load, use, load again, use, exit. */
static const char *const load_twice = ".kernel k\n.arg src global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, src\n"
                                      " get.local_id i, x\n mul.i32 i, i, %u\n ld.global.b32 v, [p + i]\n"
                                      " mov.b32 v, v\n ld.global.b32 v, [p + i]\n mov.b32 v, v\n exit\n";

TEST(memory, a_load_takes_the_calculated_cycles_for_a_miss_and_a_hit) {
  static const char *const settings[] = {
      "",
      "mem.link_latency=7",
      "mem.fill_latency=56",
      "mem.link_width=16",
      "mem.l2_latency=33",
      "mem.l2_width=32",
      "mem.dram_latency=500",
      "mem.dram_width=8",
      "mem.sector=128",
      "mem.line=256 mem.sector=64",
  };
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    for (uint32_t pitch = 0; pitch <= 256; pitch += pitch ? pitch : 4) {
      char kernel[512];
      ct_freed(rig_free) struct rig rig;
      ct_note("%s, lanes %u bytes apart", settings[i], pitch);
      snprintf(kernel, sizeof kernel, load_twice, pitch);
      rig_run(&rig, settings[i], 32, 32, kernel);
      const struct mem_params *mem = &rig.machine.mem;
      /* distinct sectors of 32 lanes that are `pitch` bytes apart */
      uint64_t sectors = !pitch ? 1 : pitch >= mem->sector ? 32 : 32 * pitch / mem->sector;
      uint64_t bytes = sectors * mem->sector;
      /* ld.arg issues at START and takes 10 cycles, longer than get and mul beside it. The second load waits for the
       * mov that uses the first one's result; then its own use and the exit follow. */
      uint64_t load = START + 10, use = load + read_latency(mem, bytes, false), again = use + 4;
      EXPECT_EQ(rig.result.cycles, again + read_latency(mem, bytes, true) + 2);
      EXPECT_EQ(rig_pc(&rig, "ld.global")->sectors, sectors);
      EXPECT_EQ(rig.result.mem.sectors, 2 * sectors);
      EXPECT_EQ(rig.result.mem.link_down_bytes, 2 * bytes);
      EXPECT_EQ(rig.result.mem.dram_bytes, bytes);
      EXPECT_EQ(rig.result.mem.loads, 2);
      EXPECT_GT(rig.result.mem.l2_hits, 0);
      EXPECT_EQ(rig.result.mem.l2_hits, rig.result.mem.l2_misses);
    }
}

TEST(memory, without_an_l2_every_access_goes_to_dram) {
  char kernel[512];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel, load_twice, 4u);
  rig_run(&rig, "mem.l2_size=0", 32, 32, kernel);
  EXPECT_EQ(rig.result.mem.dram_bytes, 256);
  EXPECT_EQ(rig.result.mem.l2_hits + rig.result.mem.l2_misses, 0);
}

TEST(memory, a_load_after_a_miss_to_the_same_line_waits_for_that_fill) {
  /* two warps load the same 128 bytes a cycle apart: one fill, and both get it at the same time except for the link */
  const char *text =
      ".kernel k\n.arg src global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, src\n get.lane i\n shl.b32 i, i, 2\n"
      " ld.global.b32 v, [p + i]\n mov.b32 v, v\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, text);
  EXPECT_EQ(rig.result.mem.dram_bytes, 128);
  EXPECT_EQ(rig.result.mem.l2_misses, 1);
  EXPECT_EQ(rig.result.mem.l2_hits, 1);
}

TEST(memory, bandwidth_is_the_narrowest_of_link_l2_and_dram) {
  /* 16 warps, each 32 independent loads of 128 bytes, all different: 64 KiB */
  const char *text =
      ".kernel k\n.arg src global\n.reg i, v[8], n\n.reg64 p\n.pred more\n ld.arg.b64 p, src\n get.global_id i, x\n"
      " shl.b32 i, i, 2\nagain: ld.global.b32 v[0], [p + i]\n ld.global.b32 v[1], [p + i + 2048]\n"
      " ld.global.b32 v[2], [p + i + 4096]\n ld.global.b32 v[3], [p + i + 6144]\n"
      " ld.global.b32 v[4], [p + i + 8192]\n ld.global.b32 v[5], [p + i + 10240]\n"
      " ld.global.b32 v[6], [p + i + 12288]\n ld.global.b32 v[7], [p + i + 14336]\n"
      " add.i32 i, i, 16384\n add.i32 n, n, 1\n setp.lt.u32 more, n, 4\n@more bra again\n exit\n";
  static const struct {
    const char *settings;
    uint64_t bytes_per_cycle;
  } rows[] = {
      {"cu.accesses=512 mem.link_width=16 mem.l2_width=1024 mem.dram_width=1024", 16},
      {"cu.accesses=512 mem.link_width=1024 mem.l2_width=16 mem.dram_width=1024", 16},
      {"cu.accesses=512 mem.link_width=1024 mem.l2_width=1024 mem.dram_width=16", 16},
      {"cu.accesses=512 mem.link_width=1024 mem.l2_width=1024 mem.dram_width=1024 mem.clusters=1 mem.cluster_width=16",
       16},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i].settings);
    uint64_t cycles = rig_cycles(rows[i].settings, 512, 512, text), steady = 65536 / rows[i].bytes_per_cycle;
    EXPECT_GE(cycles, steady);
    EXPECT_LE(cycles, steady + 500); /* the first and the last load's latency, and the warps' start */
  }
}

TEST(memory, compute_units_of_a_cluster_share_its_port_in_each_direction) {
  /* 4 work-groups, one per CU: 16 accesses of 128 bytes by each of 8 warps */
  static const char *const head = ".kernel k\n.arg buffer global\n.reg i, n, v[16]\n.reg64 p\n.pred more\n"
                                  " ld.arg.b64 p, buffer\n get.global_id i, x\n shl.b32 i, i, 2\nagain: %s\n"
                                  " add.i32 i, i, 4096\n add.i32 n, n, 1\n setp.lt.u32 more, n, 16\n"
                                  "@more bra again\n exit\n";
  enum { CUS = 4, BYTES = CUS * 8 * 16 * 128, WIDTH = 8 };
  for (int store = 0; store < 2; store++)
    for (uint32_t clusters = 0; clusters <= CUS; clusters++) {
      char text[512], settings[256];
      snprintf(text, sizeof text, head, store ? "st.global.b32 [p + i], v" : "ld.global.b32 v, [p + i]");
      snprintf(settings, sizeof settings,
               "cu.count=4 mem.link_width=64 mem.clusters=%u mem.cluster_width=%u mem.cluster_up_width=%u", clusters,
               store ? 4096 : WIDTH, store ? WIDTH : 4096);
      ct_note("%s, %u clusters", store ? "store" : "load", clusters);
      uint64_t cycles = rig_cycles(settings, CUS * 256, 256, text);
      /* 3 clusters of 4 CUs have 2, 1 and 1 */
      uint64_t port = clusters ? div_up(CUS, clusters) * BYTES / CUS / WIDTH : 0;
      EXPECT_GE(cycles, port);
      EXPECT_LE(cycles, port + 16 * 350); /* each access's latency, one after the other */
    }
}

TEST(memory, compute_units_are_assigned_to_clusters_in_units) {
  /* 6 work-groups, one per CU: 16 accesses of 128 bytes by each of 8 warps */
  static const char *const text = ".kernel k\n.arg buffer global\n.reg i, n, v[16]\n.reg64 p\n.pred more\n"
                                  " ld.arg.b64 p, buffer\n get.global_id i, x\n shl.b32 i, i, 2\nagain: "
                                  "ld.global.b32 v, [p + i]\n add.i32 i, i, 8192\n add.i32 n, n, 1\n"
                                  " setp.lt.u32 more, n, 16\n@more bra again\n exit\n";
  enum { CUS = 6, BYTES = 8 * 16 * 128, WIDTH = 8, CLUSTERS = 2 };
  for (uint32_t unit = 1; unit <= 4; unit++) {
    char settings[256];
    snprintf(settings, sizeof settings,
             "cu.count=6 mem.link_width=64 mem.clusters=2 mem.cluster_unit=%u mem.cluster_width=8", unit);
    uint32_t largest = (uint32_t)div_up(div_up(CUS, unit), CLUSTERS) * unit; /* 3, 4, 3 and 4 of 6 */
    uint64_t cycles = rig_cycles(settings, CUS * 256, 256, text);
    EXPECT_GE(cycles, largest * BYTES / WIDTH);
    EXPECT_LE(cycles, largest * BYTES / WIDTH + 16 * 350); /* each access's latency, one after the other */
  }
}

/* As above, but only the last work-group loads: its cluster's port has a width, too. */
TEST(memory, each_cluster_has_a_port) {
  static const char *const text = ".kernel k\n.arg buffer global\n.reg i, n, v[16]\n.reg64 p\n.pred more\n"
                                  " get.group_id i, x\n setp.lt.u32 more, i, %u\n@more exit\n"
                                  " ld.arg.b64 p, buffer\n get.local_id i, x\n shl.b32 i, i, 2\nagain: "
                                  "ld.global.b32 v, [p + i]\n add.i32 i, i, 8192\n add.i32 n, n, 1\n"
                                  " setp.lt.u32 more, n, 16\n@more bra again\n exit\n";
  enum { CUS = 4, BYTES = 8 * 16 * 128, WIDTH = 8 };
  for (uint32_t clusters = 1; clusters <= CUS; clusters++) {
    char settings[256], kernel[512];
    snprintf(kernel, sizeof kernel, text, CUS - 1);
    snprintf(settings, sizeof settings, "cu.count=4 mem.link_width=64 mem.clusters=%u mem.cluster_width=8", clusters);
    ct_note("%u clusters", clusters);
    EXPECT_GE(rig_cycles(settings, CUS * 256, 256, kernel), BYTES / WIDTH);
  }
}

TEST(memory, an_uplink_with_its_own_width_carries_writes) {
  static const char *const text = ".kernel k\n.arg a global\n.reg i\n.reg64 p\n ld.arg.b64 p, a\n get.lane i\n"
                                  " shl.b32 i, i, 2\n %s\n mov.b32 i, i\n exit\n";
  for (int store = 0; store < 2; store++) {
    char kernel[256];
    snprintf(kernel, sizeof kernel, text, store ? "st.global.b32 [p + i], i" : "ld.global.b32 i, [p + i]");
    uint64_t wide = rig_cycles("mem.link_width=64", 32, 32, kernel);
    uint64_t narrow = rig_cycles("mem.link_width=64 mem.link_up_width=8", 32, 32, kernel);
    EXPECT_EQ(narrow - wide, store ? 128 / 8 - 128 / 64 : 0);
  }
}

TEST(memory, a_queue_for_the_uplink_limits_warps_to_its_rate) {
  /* `count` stores of 128 bytes with no wait between them; cycles from before the first to after the last */
  static const char *const head =
      ".kernel k\n.arg out global\n.reg i, n\n.reg64 p, t0, t1\n.pred more\n"
      " ld.arg.b64 p, out\n get.lane i\n shl.b32 i, i, 2\n get.clock t0\n"
      "again: st.global.b32 [p + i], n\n add.i32 n, n, 1\n setp.lt.u32 more, n, %u\n"
      "@more bra again\n get.clock t1\n sub.i64 t1, t1, t0\n st.global.b64 [p], t1\n exit\n";
  enum { WIDTH = 2, EACH = 128 / WIDTH, FEW = 20, MANY = 50 };
  uint64_t cycles[3][2];
  static const unsigned queues[] = {0, 4, 8};
  for (int q = 0; q < 3; q++)
    for (int many = 0; many < 2; many++) {
      char text[512], settings[128];
      ct_freed(rig_free) struct rig rig;
      snprintf(text, sizeof text, head, many ? MANY : FEW);
      snprintf(settings, sizeof settings, "cu.accesses=512 mem.link_up_width=%u mem.link_up_queue=%u", WIDTH,
               queues[q]);
      rig_run(&rig, settings, 32, 32, text);
      cycles[q][many] = rig_word(&rig, 0, 0);
    }
  EXPECT_LT(cycles[0][1] - cycles[0][0], (MANY - FEW) * EACH / 2);
  EXPECT_EQ(cycles[1][1] - cycles[1][0], (MANY - FEW) * EACH);
  EXPECT_EQ(cycles[2][1] - cycles[2][0], (MANY - FEW) * EACH);
  EXPECT_EQ(cycles[1][0] - cycles[2][0], 4 * EACH); /* four more stores are ahead in the longer queue */
}

/* Cycles of `warps` warps that update words `pitch` bytes apart once and, if `wanted`, use the old values. */
static uint64_t updates(const char *settings, uint32_t warps, uint32_t pitch, bool wanted) {
  char text[512], all[256];
  snprintf(text, sizeof text,
           ".kernel k\n.arg a global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, a\n get.lane i\n mul.i32 i, i, %u\n"
           " atom.global.add.i32 %s, [p + i], i\n mov.b32 v, v\n exit\n",
           pitch, wanted ? "v" : "_");
  snprintf(all, sizeof all, "mem.l2_width=65536 mem.link_width=1024 mem.dram_width=65536 %s", settings);
  return rig_cycles(all, 32 * warps, 32 * warps, text);
}

TEST(memory, an_atomic_unit_takes_sectors_or_updates_of_one_word_in_turn) {
  /* 3 cycles for 2 updates */
  static const char *const units = "mem.atomic_units=4 mem.atomic_interval=3 mem.atomic_updates=2";
  uint64_t same = updates("", 1, 0, false), line = updates("", 1, 4, false), two = updates("", 2, 0, false);
  EXPECT_EQ(updates(units, 1, 0, false), same + 32 * 3 / 2 - 1);    /* all lanes update one word */
  EXPECT_EQ(updates(units, 1, 4, false), line + 4 * 3 / 2 - 1);     /* four sectors of separate words */
  EXPECT_EQ(updates(units, 2, 0, false), two + 2 * 32 * 3 / 2 - 2); /* the second warp's updates come a cycle later */
}

TEST(memory, stripes_of_an_atomic_access_go_to_separate_units) {
  /* 32 sectors in 32 lines; 4 lines are a stripe: all in one unit, or each stripe in its own */
  uint64_t without = updates("", 1, 128, false);
  EXPECT_EQ(updates("mem.atomic_units=1 mem.atomic_interval=10", 1, 128, false), without + 320 - 1);
  /* eight stripes: with eight units or more, one each; with 4, two each */
  for (unsigned units = 4; units <= 1024; units *= 2) {
    char settings[64];
    snprintf(settings, sizeof settings, "mem.atomic_units=%u mem.atomic_interval=10", units);
    EXPECT_EQ(updates(settings, 1, 128, false), without + (units == 4 ? 80 : 40) - 1);
  }
}

TEST(memory, requested_old_values_travel_back) {
  static const char *const units = "mem.atomic_units=4 mem.atomic_interval=3 mem.atomic_updates=2 mem.atomic_return=5";
  for (int wanted = 0; wanted < 2; wanted++) {
    uint64_t before = updates("mem.atomic_units=4 mem.atomic_interval=3 mem.atomic_updates=2", 1, 0, wanted);
    EXPECT_EQ(updates(units, 1, 0, wanted), before + (wanted ? 32 * 5 / 2 - 1 : 0));
  }
}

TEST(memory, stores_reach_memory_and_are_counted) {
  const char *text =
      ".kernel k\n.arg a global\n.arg b global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, b\n get.global_id i, x\n"
      " add.i32 v, i, 7\n shl.b32 i, i, 2\n st.global.b32 [p + i], v\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.count=2", 256, 64, text);
  for (uint32_t i = 0; i < 256; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), i + 7);
  EXPECT_EQ(rig.result.mem.stores, 8);
  EXPECT_EQ(rig.result.mem.link_up_bytes, 1024);
  EXPECT_EQ(rig.result.mem.link_down_bytes, 0);
  EXPECT_EQ(rig.result.mem.dram_bytes, 0); /* the L2 keeps what was written */
  EXPECT_EQ(rig.result.mem.atomics + rig.result.mem.prefetches + rig.result.mem.l2_writebacks, 0);
}

TEST(memory, dirty_lines_that_do_not_fit_the_l2_are_written_back) {
  const char *text =
      ".kernel k\n.arg a global\n.arg b global\n.reg i, v\n.reg64 p\n ld.arg.b64 p, b\n get.global_id i, x\n"
      " shl.b32 i, i, 2\n st.global.b32 [p + i], i\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "mem.l2_size=4K mem.l2_ways=4", 8192, 256, text); /* 32 KiB through 4 KiB */
  EXPECT_EQ(rig.result.mem.l2_writebacks, (32768 - 4096) / 128);
  EXPECT_EQ(rig.result.mem.dram_bytes, 32768 - 4096);
}

TEST(memory, atomics_of_all_groups_add_up) {
  const char *text = ".kernel k\n.arg a global\n.arg b global\n.reg one\n.reg64 p\n ld.arg.b64 p, b\n mov.b32 one, 1\n"
                     " atom.global.add.i32 _, [p], one\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.count=4", 4096, 128, text);
  EXPECT_EQ(rig_word(&rig, 1, 0), 4096);
  EXPECT_EQ(rig.result.mem.atomics, 128);
}

TEST(memory, a_prefetch_makes_a_later_load_as_fast_as_a_hit) {
  /* the spin of 400 dependent cycles covers the fill */
  const char *text =
      ".kernel k\n.arg src global\n.reg i, v, n\n.reg64 p\n.pred more\n ld.arg.b64 p, src\n get.local_id i, x\n"
      " shl.b32 i, i, 2\n %s\nspin: add.i32 n, n, 1\n setp.lt.u32 more, n, 40\n@more bra spin\n"
      " ld.global.b32 v, [p + i]\n mov.b32 v, v\n exit\n";
  char kernel[512];
  ct_freed(rig_free) struct rig with, without;
  snprintf(kernel, sizeof kernel, text, "prefetch [p + i], 4");
  rig_run(&with, "", 32, 32, kernel);
  snprintf(kernel, sizeof kernel, text, "mov.b64 p, p");
  rig_run(&without, "", 32, 32, kernel);
  const struct mem_params *mem = &with.machine.mem;
  EXPECT_EQ(without.result.cycles - with.result.cycles, read_latency(mem, 128, false) - read_latency(mem, 128, true));
  EXPECT_EQ(with.result.mem.prefetches, 1);
  EXPECT_EQ(with.result.mem.dram_bytes, 128);
}

TEST(memory, a_limit_on_accesses_in_flight_blocks_warps) {
  const char *text = ".kernel k\n.arg src global\n.reg a, b, c\n.reg64 p\n ld.arg.b64 p, src\n ld.global.b32 a, [p]\n"
                     " ld.global.b32 b, [p + 4096]\n ld.global.b32 c, [p + 8192]\n exit\n";
  ct_freed(rig_free) struct rig one, three;
  rig_run(&one, "cu.accesses=1", 32, 32, text);
  rig_run(&three, "cu.accesses=3", 32, 32, text);
  EXPECT_GT(one.result.stalls[STALL_MEMORY_QUEUE], 0);
  EXPECT_EQ(three.result.stalls[STALL_MEMORY_QUEUE], 0);
  EXPECT_GT(one.result.cycles, three.result.cycles);
}

TEST(memory, a_load_before_a_store_by_the_same_lane_reads_the_old_value) {
  /* the load misses, and the store to the same word does not wait for it: memory commits in order of arrival */
  const char *text =
      ".kernel k\n.arg src global\n.arg dst global\n.reg i, v, w\n.reg64 p, q\n ld.arg.b64 p, src\n ld.arg.b64 q, dst\n"
      " get.local_id i, x\n shl.b32 i, i, 2\n mov.b32 w, 99\n ld.global.b32 v, [p + i]\n"
      " st.global.b32 [p + i], w\n st.global.b32 [q + i], v\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, text);
  for (uint32_t i = 0; i < 32; i++) {
    EXPECT_EQ(rig_word(&rig, 1, i), i);
    EXPECT_EQ(rig_word(&rig, 0, i), 99);
  }
}

TEST(memory, a_hit_does_not_wait_for_another_sectors_fill) {
  /* the second load hits the sector that the first one fetched, while a third sector of the line is in flight */
  const char *text = ".kernel k\n.arg src global\n.reg v, w, x\n.reg64 p\n ld.arg.b64 p, src\n ld.global.b32 v, [p]\n"
                     " mov.b32 v, v\n %s\n ld.global.b32 x, [p]\n mov.b32 x, x\n exit\n";
  char kernel[512];
  snprintf(kernel, sizeof kernel, text, "ld.global.b32 w, [p + 32]");
  ct_freed(rig_free) struct rig between, alone;
  rig_run(&between, "mem.dram_latency=5000", 32, 32, kernel);
  snprintf(kernel, sizeof kernel, text, "mov.b32 w, 0");
  rig_run(&alone, "mem.dram_latency=5000", 32, 32, kernel);
  /* the launch ends when the slow load has returned, but the warp's last use issues as early as without it */
  EXPECT_EQ(between.result.stalls[STALL_MEMORY], alone.result.stalls[STALL_MEMORY]);
}

TEST(memory, copies_and_loads_move_whole_sectors) {
  const char *strided = ".kernel k\n.arg src global\n.lds t 1024\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
                        " copy.to_lds.strided e, [t], [p], 64, 16, size=4\n wait e\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, strided);
  EXPECT_EQ(rig.result.mem.link_down_bytes, 64 * 32);
  EXPECT_EQ(rig.result.mem.l2_bytes, 64 * 32);
  EXPECT_EQ(rig.result.mem.dram_bytes, 64 * 32);
  EXPECT_EQ(rig.result.dma.bytes, 64 * 4);
  EXPECT_EQ(rig.result.mem.dma_reads, 4); /* packs of 16 elements */
  EXPECT_EQ(rig.result.mem.dma_writes, 0);
}

TEST(memory, an_atomic_looks_up_its_line_once) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32,
          ".kernel k\n.arg a global\n.reg one\n.reg64 p\n ld.arg.b64 p, a\n atom.global.add.i32 _, [p], one\n exit\n");
  EXPECT_EQ(rig.result.mem.l2_misses, 1);
  EXPECT_EQ(rig.result.mem.l2_hits, 0);
}

TEST(memory, without_an_l2_none_of_its_costs_apply) {
  char kernel[512];
  snprintf(kernel, sizeof kernel, load_twice, 4u);
  EXPECT_EQ(rig_cycles("mem.l2_size=0", 32, 32, kernel),
            rig_cycles("mem.l2_size=0 mem.l2_latency=999 mem.l2_width=1", 32, 32, kernel));
}

#define PREFETCH_HEAD                                                                                                  \
  ".kernel k\n.arg src global\n.reg i\n.reg64 p\n ld.arg.b64 p, src\n get.local_id i, x\n shl.b32 i, i, 7\n"

TEST(memory, a_prefetch_outside_every_buffer_fetches_nothing) {
  struct rig rig;
  rig_run(&rig, "", 32, 32, PREFETCH_HEAD " mov.b64 p, 0x7f0000000000\n prefetch [p], 65536\n exit\n");
  EXPECT_EQ(rig.result.mem.prefetches, 1);
  EXPECT_EQ(rig.result.mem.l2_misses + rig.result.mem.dram_bytes, 0);
  EXPECT_EQ(rig.result.hazard_count, 0);
  rig_free(&rig);
  /* a prefetch past the end of a buffer fetches only the part inside */
  rig_run(&rig, "", 32, 32, PREFETCH_HEAD " mov.b32 i, 262080\n prefetch [p + i], 4096\n exit\n");
  EXPECT_EQ(rig.result.mem.dram_bytes, 64);
  rig_free(&rig);
}

TEST(memory, lanes_that_prefetch_the_same_bytes_are_one_prefetch) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, PREFETCH_HEAD " prefetch [p], 1024\n exit\n");
  EXPECT_EQ(rig.result.mem.l2_misses, 8);
  EXPECT_EQ(rig.result.mem.l2_hits, 0);
}

TEST(memory, nothing_waits_for_a_prefetch) {
  ct_freed(rig_free) struct rig with, without;
  rig_run(&with, "", 32, 32, PREFETCH_HEAD " prefetch [p + i], 128\n bar.global\n exit\n");
  rig_run(&without, "", 32, 32, PREFETCH_HEAD " mov.b64 p, p\n bar.global\n exit\n");
  EXPECT_EQ(with.result.cycles, without.result.cycles);
  EXPECT_EQ(with.result.stalls[STALL_FENCE] + with.result.stalls[STALL_DRAIN], 0);
}

TEST(memory, loads_and_prefetches_share_an_interval) {
  const char *text = ".kernel k\n.arg src global\n.reg v, w\n.reg64 p\n ld.arg.b64 p, src\n ld.global.b32 v, [p]\n"
                     " prefetch [p], 4\n ld.global.b32 w, [p]\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.global_interval=500", 32, 32, text);
  EXPECT_EQ(rig.result.stalls[STALL_UNIT], 2 * 499);
}

TEST(memory, a_prefetch_that_outlives_its_launch_ends_before_the_next_launch) {
  /* The L2 answers the prefetch long after the launch has ended, and nothing waits for it. Without an L2 to hold data,
   * loads are answered at once. The second launch is like the first. */
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, "mem.l2_size=0 mem.dram_latency=1 mem.l2_latency=9000", 32, 32,
                        PREFETCH_HEAD " ld.global.b32 i, [p]\n mov.b32 i, i\n prefetch [p], 64\n exit\n"));
  rig_start(&rig);
  cycle_t first = rig.result.cycles;
  EXPECT_LT(first, 100);
  launch_result_free(&rig.result);
  rig_start(&rig);
  EXPECT_EQ(rig.result.cycles, first);
}

/* When the launch after a prefetch-only launch starts. */
static cycle_t next_start(const char *settings) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, settings, 32, 32, PREFETCH_HEAD " prefetch [p], 64\n exit\n");
  EXPECT_LT(rig.result.cycles, 100);
  return simulation_start(rig.simulation);
}

TEST(memory, the_next_launch_starts_after_the_last_reply_has_arrived) {
  const cycle_t start = next_start("mem.l2_latency=1000");
  EXPECT_GT(start, 1000);
  EXPECT_EQ(next_start("mem.l2_latency=1234"), start + 234);
  EXPECT_EQ(next_start("mem.l2_latency=1000 mem.fill_latency=300"), start + 300);
}

/* ---- requests of DMA engines ----------------------------------------------------------------- */

/* A memory port and the memory; this test takes the place of the CU and of an engine. */
struct pack {
  struct machine machine;
  struct dma dma; /* only its ports */
  struct mem_port port;
  struct memory memory;
  struct component here;
  struct warp_source source;
  unsigned commits;
};

static cycle_t sleep_on(void *self, cycle_t now) {
  (void)self;
  (void)now;
  return NEVER;
}

static void count_commit(void *self, unsigned engine, uint32_t tag, const struct rect *side, bool write) {
  struct pack *pack = self;
  (void)engine;
  (void)tag;
  (void)side;
  (void)write;
  pack->commits++;
}

static void pack_build(struct pack *pack, const char *settings) {
  memset(pack, 0, sizeof *pack);
  rig_machine(&pack->machine, settings);
  pack->here = (struct component){.name = "here", .step = sleep_on};
  pack->source = (struct warp_source){.commit_dma_memory = {count_commit, pack}};
  port_init(&pack->dma.to_memory, sizeof(struct transfer), 4, 1, &pack->here, &pack->port.component);
  port_init(&pack->dma.from_memory, sizeof(struct transfer_reply), 4, 1, &pack->memory.component, &pack->here);
  memory_init(&pack->memory, &pack->machine);
  mem_port_init(&pack->port, &pack->machine, &pack->here, &pack->dma, 1, &pack->memory.component);
  memory_connect(&pack->memory, 0, &pack->port, &pack->here, &pack->dma, 1, &pack->source, &pack->machine);
}

/* Sends a request at `now`; returns how long its reply takes. */
static cycle_t pack_send(struct pack *pack, cycle_t now, struct transfer transfer) {
  cycle_t at = now;
  port_send(&pack->dma.to_memory, &transfer, now);
  while (!port_peek(&pack->dma.from_memory, at)) {
    pack->port.component.step(&pack->port, at);
    pack->memory.component.step(&pack->memory, at);
    at++;
  }
  port_take(&pack->dma.from_memory, at);
  return at - now;
}

static void pack_free(struct pack *pack) {
  port_free(&pack->dma.to_memory);
  port_free(&pack->dma.from_memory);
  mem_port_free(&pack->port);
  memory_free(&pack->memory);
}

TEST(memory, lines_of_one_request_move_each_sector_once) {
  static const struct {
    uint32_t bytes, lines;
    uint64_t address, pitch, sectors, l2_lines;
  } rows[] = {
      {64, 1, 0, 0, 2, 1},        {4, 8, 0, 4, 1, 1},     {4, 8, 0, 16, 4, 1},     {4, 8, 0, 32, 8, 2},
      {4, 8, 0, 128, 8, 8},       {4, 8, 30, 128, 16, 8}, {128, 3, 0, 256, 12, 3}, {100, 3, 100, 100, 10, 4},
      {4, 200, 0, 256, 200, 200}, /* more than are looked up at once */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pack pack;
    pack_build(&pack, "");
    ct_note("row %zu", i);
    const struct transfer read = {.rect = {.base = ISA_GLOBAL_BASE + rows[i].address,
                                           .pitch = rows[i].pitch,
                                           .bytes = rows[i].bytes,
                                           .lines = rows[i].lines}};
    struct transfer write = read;
    write.write = true;
    const struct mem_params *mem = &pack.machine.mem;
    uint64_t moved = rows[i].sectors * mem->sector;
    cycle_t hit = 1 + mem->link_latency + div_up(moved, mem->l2_width) - 1 + mem->l2_latency +
                  div_up(moved, mem->link_width) + mem->link_latency;
    cycle_t cold = pack_send(&pack, 100, read);
    if (rows[i].l2_lines <=
        MEM_ACCESS_LINES) /* with more lines, DRAM starts to transfer before the last lines have passed the L2 */
      EXPECT_EQ(cold, hit + mem->dram_latency + div_up(moved, mem->dram_width) - 1);
    EXPECT_EQ(pack_send(&pack, 5000, read), hit);
    EXPECT_EQ(pack_send(&pack, 9000, write), 1 + div_up(moved, mem->link_width) + mem->link_latency +
                                                 div_up(moved, mem->l2_width) - 1 + mem->l2_latency +
                                                 mem->link_latency);
    EXPECT_EQ(pack.memory.stats.link_down_bytes, 2 * moved);
    EXPECT_EQ(pack.memory.stats.link_up_bytes, moved);
    EXPECT_EQ(pack.memory.stats.l2_bytes, 3 * moved);
    EXPECT_EQ(pack.memory.stats.dram_bytes, moved);
    EXPECT_EQ(pack.memory.stats.l2_misses, rows[i].l2_lines);
    EXPECT_EQ(pack.memory.stats.l2_hits, 2 * rows[i].l2_lines);
    EXPECT_EQ(pack.memory.stats.dma_reads, 2);
    EXPECT_EQ(pack.memory.stats.dma_writes, 1);
    EXPECT_EQ(pack.commits, 3);
    pack_free(&pack);
  }
}

TEST(memory, requests_that_bypass_leave_nothing_in_the_l2) {
  struct pack pack;
  pack_build(&pack, "");
  struct transfer read = {.rect = {.base = ISA_GLOBAL_BASE, .bytes = 128, .lines = 1}, .bypass = true}, kept = read;
  kept.bypass = false;
  cycle_t miss = pack_send(&pack, 100, read);
  EXPECT_EQ(pack_send(&pack, 1000, read), miss);
  EXPECT_EQ(pack_send(&pack, 2000, kept), miss);
  const struct mem_params *mem = &pack.machine.mem;
  EXPECT_EQ(pack_send(&pack, 3000, read), miss - mem->dram_latency - (128 / mem->dram_width - 1));
  EXPECT_EQ(pack.memory.stats.l2_bypassed, 8);
  pack_free(&pack);
}

/* An outside memory that answers at once and records its requests. */
struct noting {
  struct outside outside;
  unsigned count;
  uint64_t addresses[16];
  uint64_t bytes[16];
};

static void note(struct outside *outside, cycle_t now, const struct transfer *transfer, uint8_t *data) {
  struct noting *noting = (struct noting *)(void *)outside;
  (void)data;
  noting->addresses[noting->count] = transfer->rect.base;
  noting->bytes[noting->count++] = transfer->rect.bytes;
  outside->done(outside->context, transfer->tag, now, true);
}

TEST(memory, with_an_external_memory_lines_of_a_request_are_separate_transactions) {
  struct noting noting = {.outside.start = note};
  static uint8_t data[1024];
  struct isa_buffer buffer = {.base = ISA_GLOBAL_BASE, .bytes = sizeof data, .data = data};
  struct isa_memory mirror = {.buffers = &buffer, .count = 1};
  struct pack pack;
  pack_build(&pack, "");
  memory_attach(&pack.memory, &noting.outside);
  memory_launch(&pack.memory, &mirror, 0, NEVER);
  pack_send(&pack, 10, (struct transfer){.rect = {.base = ISA_GLOBAL_BASE, .pitch = 100, .bytes = 40, .lines = 3}});
  /* the second line, at 100, crosses a cache line boundary */
  static const uint64_t at[] = {0, 100, 128, 200};
  static const uint32_t bytes[] = {40, 28, 12, 40};
  ASSERT_EQ(noting.count, 4);
  for (unsigned i = 0; i < 4; i++) {
    EXPECT_EQ(noting.addresses[i], ISA_GLOBAL_BASE + at[i]);
    EXPECT_EQ(noting.bytes[i], bytes[i]);
  }
  EXPECT_EQ(pack.commits, 1);
  pack_free(&pack);
}

/* ---- the whole path ------------------------------------------------------------------------- */

TEST(memory, a_prefetch_makes_a_later_copy_as_fast_as_a_hit) {
  const char *text = ".kernel k\n.arg src global\n.lds t 1024\n.reg e, n\n.reg64 p\n.pred more\n ld.arg.b64 p, src\n"
                     " %s\nspin: add.i32 n, n, 1\n setp.lt.u32 more, n, 40\n@more bra spin\n"
                     " copy.to_lds e, [t], [p], 128, size=1\n wait e\n exit\n";
  char kernel[512];
  ct_freed(rig_free) struct rig with, without;
  snprintf(kernel, sizeof kernel, text, "prefetch [p], 128");
  rig_run(&with, "", 32, 32, kernel);
  snprintf(kernel, sizeof kernel, text, "mov.b64 p, p");
  rig_run(&without, "", 32, 32, kernel);
  /* two requests of 64 bytes a cycle apart, which DRAM delivers a cycle apart */
  const struct mem_params *mem = &with.machine.mem;
  EXPECT_EQ(without.result.cycles - with.result.cycles, mem->dram_latency + div_up(64, mem->dram_width) - 1);
  EXPECT_EQ(with.result.mem.dram_bytes, 128);
}

TEST(memory, with_slices_mshrs_and_banks_the_order_of_steps_changes_nothing) {
  const char *text = ".kernel k\n.arg a global\n.arg b global\n.reg i, v, w\n.reg64 p, q\n ld.arg.b64 p, a\n"
                     " ld.arg.b64 q, b\n get.global_id i, x\n mul.i32 i, i, 52\n prefetch [p + i], 512\n"
                     " ld.global.b32 v, [p + i]\n and.b32 w, v, 124\n atom.global.add.i32 _, [q + w], v\n"
                     " st.global.b32 [q + i], v\n ld.global.b32 v, [q + w]\n st.global.b32 [p + i], v\n exit\n";
  static const char *const machines[] = {
      "cu.count=4 mem.l2_slices=4 mem.mshrs=2 mem.dram=banked mem.dram_channels=3 mem.dram_refresh=500 "
      "mem.dram_refresh_cycles=90 mem.atomic_interval=2 mem.l2_size=16K mem.l2_ways=2",
      "cu.count=3 mem.l2_slices=8 mem.l2_hash=xor mem.mshrs=1 mem.mshr_merges=1 mem.mshr_prefetch=drop "
      "mem.l2_write=around mem.dram=banked mem.dram_banks=2",
  };
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
    ct_freed(rig_free) struct rig first = {.order = ORDER_ASCENDING};
    ASSERT_TRUE(rig_build(&first, machines[m], 1024, 64, text));
    rig_start(&first);
    EXPECT_GT(first.result.mem.l2_mshr_full_cycles, 0);
    EXPECT_GT(first.result.mem.dram_row_conflicts, 0);
    for (unsigned order = ORDER_DESCENDING; order <= ORDER_SHUFFLED; order++) {
      ct_freed(rig_free) struct rig other = {.order = (enum host_order)order};
      ASSERT_TRUE(rig_build(&other, machines[m], 1024, 64, text));
      rig_start(&other);
      EXPECT_EQ(other.result.cycles, first.result.cycles);
      EXPECT_EQ(memcmp(&other.result.mem, &first.result.mem, sizeof first.result.mem), 0);
      EXPECT_EQ(memcmp(other.buffers[1].data, first.buffers[1].data, RIG_BUFFER), 0);
    }
  }
}
