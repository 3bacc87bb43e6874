/* Every counter of the compute units and of memory on the default machine: one kernel in which it is calculated by
 * hand, and one in which it is zero. The counters of the LDS and the DMA engine have their own tests. */
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

#define LOAD_HEAD                                                                                                      \
  ".kernel k\n.arg src global\n.arg dst global\n.lds t 1024\n.reg e, i, v\n.reg64 p, q\n.pred c\n ld.arg.b64 p, src\n" \
  " ld.arg.b64 q, dst\n get.local_id i, x\n shl.b32 i, i, 2\n"

#define FORM_REGS ".reg l, k, at, z\n mov.b32 at, 0\n mov.b32 z, 4\n"
#define COPY_2D                                                                                                        \
  " mov.b32 i, 3\n mov.b32 v, 8\n copy.to_lds.2d e, [at], [p], i, size=z, lines=i, global_line=v, lds_line=v\n"        \
  " wait e\n exit\n"
#define COPY_3D                                                                                                        \
  " mov.b32 e, 0\n mov.b32 i, 3\n mov.b32 v, 8\n mov.b32 l, 2\n mov.b32 k, 16\n"                                       \
  " copy.to_lds.3d e, [at], [p], i, size=z, lines=l, global_line=v, lds_line=v, planes=l, global_plane=k, "            \
  "lds_plane=k\n"                                                                                                      \
  " wait e\n"
#define COPIES_OF_SECTORS                                                                                              \
  " add.i64 q, q, 16\n copy.to_lds e, [t], [p], 4, size=4\n copy.to_global e, [q], [t], 8, size=4\n wait e\n exit\n"

/* A refused reservation, twice: the second writes the same registers as the first, so it waits for it. */
#define PIPE_TWICE                                                                                                     \
  ".kernel k\n.arg fifo pipe\n.reg64 p, id\n ld.arg.b64 p, fifo\n pipe.reserve.write id, [p], 65, kind=item\n"         \
  " pipe.reserve.write id, [p], 1, kind=item\n pipe.reserve.write id, [p], 1, kind=item\n exit\n"

/* Each lane samples between four texels, starting at (lane + 1.5 to 2.5, 1.5 to 2.5). */
#define IMAGE_HEAD                                                                                                     \
  ".kernel k\n.arg src image2d\n.reg v[4], s, x, y\n.reg64 p, at\n ld.arg.b64 p, src\n mov.b32 s, 16\n"                \
  " get.lane x\n cvt.f32.u32 x, x\n add.f32 x, x, 2.0\n mov.b32 y, 0x40000000\n pack.b64 at, x, y\n"
#define IMAGE_LINEAR " image.sample.2d v, [p], s, at, as=float\n"

static const char *const nothing = ".kernel k\n exit\n";

static const struct {
  const struct stat_group *group;
  const char *name;
  uint64_t expected;
  const char *settings;
  const char *text;
} rows[] = {
    {&cu_stat_group, "warp_instructions", 2, "", ".kernel k\n.reg a\n add.i32 a, a, 1\n exit\n"},
    {&cu_stat_group, "lane_instructions", 64, "", ".kernel k\n.reg a\n add.i32 a, a, 1\n exit\n"},
    {&cu_stat_group, "divergent_branches", 1, "",
     LOAD_HEAD " setp.lt.u32 c, i, 64\n@c bra on\n mov.b32 v, 1\non: exit\n"},
    {&cu_stat_group, "barriers", 2, "", ".kernel k\n bar\n bar\n exit\n"},
    {&cu_stat_group, "copies", 1, "", LOAD_HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "copies_plain", 1, "", LOAD_HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "copies_strided", 1, "",
     LOAD_HEAD " mov.b32 i, 4\n mov.b32 v, 3\n copy.to_lds.strided e, [t], [p], i, v, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "copies_2d", 1, "dma.copy=lanes", LOAD_HEAD FORM_REGS COPY_2D},
    {&cu_stat_group, "copies_3d", 2, "", LOAD_HEAD FORM_REGS COPY_3D COPY_3D " exit\n"},
    /* 2 planes of 2 lines of 3 elements of 4 bytes */
    {&cu_stat_group, "copy_bytes", 48, "", LOAD_HEAD FORM_REGS COPY_3D " exit\n"},
    {&cu_stat_group, "copy_fences", 2, "", ".kernel k\n copy.fence.lds\n copy.fence.all\n exit\n"},
    /* accounts_test.c: the third copy finds room at its 20th retry */
    {&cu_stat_group, "copy_retries", 20, "dma.queue=1 dma.channels=1 dma.full=retry",
     LOAD_HEAD " copy.to_lds e, [t], [p], 16, size=4\n copy.to_lds v, [t], [p], 16, size=4\n"
               " copy.to_lds i, [t], [p], 16, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "warp_copies", 1, "dma.copy=lanes",
     LOAD_HEAD " copy.to_lds e, [t], [p], 256, size=4\n wait e\n exit\n"},
    /* 1024 bytes, 32 x 16 per access: two accesses, and one slot each for addresses */
    {&cu_stat_group, "copy_accesses", 2, "dma.copy=lanes",
     LOAD_HEAD " copy.to_lds e, [t], [p], 256, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "copy_slots", 4, "dma.copy=lanes",
     LOAD_HEAD " copy.to_lds e, [t], [p], 256, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "function_slots", 7 + 3 + 9 + 26 + 26, "cu.functions=nvidia",
     ".kernel k\n.reg v\n get.lane v\n div.f32 v, v, v\n sqrt.f32 v, v\n exp.f32 v, v\n log.f32 v, v\n sin.f32 v, v\n "
     "exit\n"},
    {&cu_stat_group, "l1_hits", 4, "mem.l1_size=4K",
     LOAD_HEAD " ld.global.b32 v, [p + i]\n mov.b32 v, v\n ld.global.b32 v, [p + i]\n exit\n"},
    /* the second load issues before the first one's bytes arrive */
    {&cu_stat_group, "l1_misses", 8, "mem.l1_size=4K",
     LOAD_HEAD " ld.global.b32 v, [p + i]\n ld.global.b32 e, [p + i]\n exit\n"},
    /* 32 lanes, each with 4 texels of its own, whose rows are in the same banks */
    {&cu_stat_group, "texture_quads", 8, "", IMAGE_HEAD IMAGE_LINEAR " exit\n"},
    {&cu_stat_group, "texture_texels", 32 * 4, "", IMAGE_HEAD IMAGE_LINEAR " exit\n"},
    {&cu_stat_group, "texture_turns", 32 * 2, "texture.filter_words=4", IMAGE_HEAD IMAGE_LINEAR " exit\n"},
    {&cu_stat_group, "texture_busy", 32 * 250, "texture.filter_words=4 texture.group_turns=250",
     IMAGE_HEAD IMAGE_LINEAR " exit\n"},
    /* texels 1 to 33 of two rows of 4 bytes: sectors 0 to 4 of each */
    {&cu_stat_group, "texture_misses", 2 * 5, "", IMAGE_HEAD IMAGE_LINEAR " exit\n"},
    {&cu_stat_group, "texture_hits", 2 * 5, "", IMAGE_HEAD IMAGE_LINEAR " mov.b32 y, v[0]\n" IMAGE_LINEAR " exit\n"},
    {&cu_stat_group, "pipe_retries", 1, "", PIPE_TWICE},
    /* the header's line comes from DRAM: one issue plus STALL_PIPE_FULL of accounts_test.c; the third is no retry */
    {&cu_stat_group, "pipe_retry_cycles", 1 + 302, "", PIPE_TWICE},
    {&cu_stat_group, "waits", 1, "", LOAD_HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "work_groups", 1, "", ".kernel k\n exit\n"},
    {&cu_stat_group, "active_cycles", 6, "",
     ".kernel k\n.reg a, b\n add.i32 a, a, 1\n mov.b32 b, 1\n mov.b32 a, a\n exit\n"},
    {&cu_stat_group, "issue_cycles", 4, "",
     ".kernel k\n.reg a, b\n add.i32 a, a, 1\n mov.b32 b, 1\n mov.b32 a, a\n exit\n"},
    /* 1 + setup 20, R = 1 + 20 + 60 + 200 + 1 + 20, 1 + 1, completion 10: accounts_test.c */
    {&cu_stat_group, "copy_cycles", 335, "", LOAD_HEAD " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n"},
    {&cu_stat_group, "exposed_cycles", 335 - 4, "", LOAD_HEAD " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n"},
    {&mem_stat_group, "loads", 1, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
    {&mem_stat_group, "stores", 1, "", LOAD_HEAD " st.global.b32 [q + i], v\n exit\n"},
    {&mem_stat_group, "atomics", 1, "", LOAD_HEAD " atom.global.add.i32 _, [q], i\n exit\n"},
    {&mem_stat_group, "prefetches", 1, "", LOAD_HEAD " prefetch [p], 4\n exit\n"},
    {&mem_stat_group, "sectors", 4, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
    {&mem_stat_group, "dma_reads", 2, "", LOAD_HEAD " copy.to_lds e, [t], [p], 32, size=4\n wait e\n exit\n"},
    {&mem_stat_group, "dma_writes", 2, "", LOAD_HEAD " copy.to_global e, [q], [t], 32, size=4\n wait e\n exit\n"},
    /* 16 bytes of one sector, and 16 of each of two sectors */
    {&mem_stat_group, "dma_bytes", 16 + 32, "", LOAD_HEAD COPIES_OF_SECTORS},
    {&mem_stat_group, "dma_sector_bytes", 3 * 32, "", LOAD_HEAD COPIES_OF_SECTORS},
    {&mem_stat_group, "link_up_bytes", 128, "", LOAD_HEAD " st.global.b32 [q + i], v\n exit\n"},
    {&mem_stat_group, "link_down_bytes", 128, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
    {&mem_stat_group, "l2_hits", 1, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n ld.global.b32 v, [p + i]\n exit\n"},
    {&mem_stat_group, "l2_misses", 1, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
    /* the buffer's first stripe has its home in the second partition; CU 0 is near the first */
    {&mem_stat_group, "l2_far", 1, "mem.l2_partitions=2", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
    /* two lines of one set of one way: the second store evicts the first line */
    {&mem_stat_group, "l2_writebacks", 1, "mem.l2_size=4K mem.l2_ways=1",
     LOAD_HEAD " st.global.b32 [q + i], v\n st.global.b32 [q + i + 4096], v\n exit\n"},
    {&mem_stat_group, "l2_bytes", 128, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
    /* lines 0 and 2 of the buffer are in slice 0 */
    {&mem_stat_group, "l2_peak_slice_bytes", 64, "mem.l2_slices=2",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 v, [p + 128]\n ld.global.b32 v, [p + 256]\n exit\n"},
    {&mem_stat_group, "l2_merges", 1, "", LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 e, [p]\n exit\n"},
    {&mem_stat_group, "l2_merges_refused", 1, "mem.mshr_merges=1",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 e, [p]\n ld.global.b32 i, [p]\n exit\n"},
    /* the second load of a sector passes the L2 a cycle later and waits 200 cycles for the end of the first */
    {&mem_stat_group, "l2_mshr_full_cycles", 199, "mem.mshrs=1",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 e, [p + 128]\n exit\n"},
    {&mem_stat_group, "l2_prefetches_dropped", 3, "mem.mshrs=1 mem.mshr_prefetch=drop",
     LOAD_HEAD " prefetch [p], 512\n exit\n"},
    {&mem_stat_group, "l2_bypassed", 4, "mem.l2_write=around", LOAD_HEAD " st.global.b32 [q + i], v\n exit\n"},
    /* 32 lanes update one word, 3 cycles each; a sector passes in one cycle */
    {&mem_stat_group, "l2_atomic_cycles", 32 * 3 - 1, "mem.atomic_interval=3",
     LOAD_HEAD " atom.global.add.i32 _, [q], i\n exit\n"},
    {&mem_stat_group, "dram_row_hits", 1, "mem.dram=banked mem.dram_channels=1",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 v, [p + 128]\n exit\n"},
    {&mem_stat_group, "dram_row_misses", 2, "mem.dram=banked mem.dram_channels=2",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 v, [p + 128]\n exit\n"},
    {&mem_stat_group, "dram_row_conflicts", 1, "mem.dram=banked mem.dram_channels=1 mem.dram_banks=1",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 v, [p + 1024]\n exit\n"},
    /* arrives at the L2 in cycle 41: issued at 10 + 10, port 1, link 20; so 9 cycles before the refresh of 40 to 50
     * ends */
    {&mem_stat_group, "dram_refresh_stalls", 9, "mem.dram=banked mem.dram_refresh=40 mem.dram_refresh_cycles=10",
     ".kernel k\n.arg src global\n.reg v\n.reg64 p\n ld.arg.b64 p, src\n ld.global.b32 v, [p]\n exit\n"},
    /* a sector of 32 bytes at 64 / 8 bytes a cycle */
    {&mem_stat_group, "dram_busy_cycles", 4, "mem.dram=banked", LOAD_HEAD " ld.global.b32 v, [p]\n exit\n"},
    /* lines 0 and 2 of the buffer are in channel 0 */
    {&mem_stat_group, "dram_peak_channel_bytes", 64, "mem.dram=banked mem.dram_channels=2",
     LOAD_HEAD " ld.global.b32 v, [p]\n ld.global.b32 v, [p + 128]\n ld.global.b32 v, [p + 256]\n exit\n"},
    {&mem_stat_group, "dram_bytes", 128, "", LOAD_HEAD " ld.global.b32 v, [p + i]\n exit\n"},
};

static uint64_t counter(const struct rig *rig, const struct stat_group *group, const char *name) {
  const void *stats = group == &cu_stat_group ? (const void *)&rig->result.cu : (const void *)&rig->result.mem;
  for (size_t i = 0; i < group->count; i++)
    if (strcmp(group->rows[i].name, name) == 0)
      return stat_value(&group->rows[i], stats);
  EXPECT_STREQ(name, "a row of the group");
  return 0;
}

TEST(counters, each_matches_hand_calculation) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(rig_free) struct rig rig;
    ct_note("%s", rows[i].name);
    rig_run(&rig, rows[i].settings, 32, 32, rows[i].text);
    EXPECT_EQ(counter(&rig, rows[i].group, rows[i].name), rows[i].expected);
  }
}

/* Every launch has at least one warp that exits, so these counters are zero only before it. */
static bool moves_always(const char *name) {
  static const char *const always[] = {"warp_instructions", "lane_instructions", "work_groups", "active_cycles",
                                       "issue_cycles"};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (strcmp(always[i], name) == 0)
      return true;
  return false;
}

TEST(counters, each_is_zero_when_its_event_never_happens) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, nothing);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i].name);
    if (!moves_always(rows[i].name))
      EXPECT_EQ(counter(&rig, rows[i].group, rows[i].name), 0);
  }
}

/* ---- execution units --------------------------------------------------------------------------- */

/* Two warps: each instruction occupies its unit for its class's interval; a prefetch uses global memory's unit. */
TEST(counters, a_unit_is_busy_for_one_interval_per_instruction) {
  static const char text[] = LOAD_HEAD ".reg64 d\n add.f64 d, d, d\n add.f64 d, d, d\n mul.i32 v, v, 3\n"
                                       " prefetch [p], 4\n ld.global.b32 v, [p + i]\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.double_interval=7 cu.mul_interval=3 cu.global_interval=5 cu.branch_interval=2", 64, 64, text);
  EXPECT_EQ(rig.result.unit_cycles[ISA_CLASS_DOUBLE], 2 * 2 * 7);
  EXPECT_EQ(rig.result.unit_cycles[ISA_CLASS_MUL], 2 * 3);
  EXPECT_EQ(rig.result.unit_cycles[ISA_CLASS_GLOBAL], 2 * 2 * 5);
  EXPECT_EQ(rig.result.unit_cycles[ISA_CLASS_BRANCH], 2 * 2); /* exit */
  EXPECT_EQ(rig.result.unit_cycles[ISA_CLASS_PREFETCH], 0);
  EXPECT_EQ(rig.result.unit_cycles[ISA_CLASS_HALF], 0);
  EXPECT_TRUE(rig.result.unit_holds[ISA_CLASS_DOUBLE]);
  EXPECT_FALSE(rig.result.unit_holds[ISA_CLASS_INT]);
  EXPECT_FALSE(rig.result.unit_holds[ISA_CLASS_HALF]);
}

/* ---- DRAM ------------------------------------------------------------------------------------ */

/* The second of two stores to one set of one way evicts 128 bytes in the cycle in which it passes the L2. Its reply
 * arrives l2_latency + link_latency later, and the warp ends in that cycle. The next launch starts after two trips each
 * through the dispatcher and the link. At 1 byte a cycle: */
TEST(counters, dram_finishes_unawaited_writes_after_a_launch) {
  static const char text[] = LOAD_HEAD " st.global.b32 [q + i], v\n st.global.b32 [q + i + 4096], v\n exit\n";
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, "mem.l2_size=4K mem.l2_ways=1 mem.dram_width=1 mem.link_latency=5 cu.dispatch_latency=5",
                        32, 32, text));
  const struct machine *machine = &rig.machine;
  rig_start(&rig);
  cycle_t reply = machine->mem.l2_latency + machine->mem.link_latency;
  cycle_t between = 2 * (machine->cu.dispatch_latency + machine->mem.link_latency);
  uint64_t late = 128 - reply;
  EXPECT_EQ(rig.result.mem.dram_bytes, 128);
  EXPECT_EQ(rig.result.mem.dram_late_bytes, late);
  EXPECT_EQ(rig.result.mem.dram_early_bytes, 0);
  launch_result_free(&rig.result);
  rig_start(&rig);
  EXPECT_EQ(rig.result.mem.dram_early_bytes, late - between);
}

TEST(counters, all_rows_are_in_the_table) {
  const struct stat_group *groups[] = {&cu_stat_group, &mem_stat_group};
  for (size_t g = 0; g < 2; g++)
    for (size_t r = 0; r < groups[g]->count; r++) {
      const char *name = groups[g]->rows[r].name;
      bool found = strncmp(name, "outside_", 8) == 0; /* tests/models/outside_test.c */
      found |= strcmp(name, "dram_early_bytes") == 0 || strcmp(name, "dram_late_bytes") == 0; /* above */
      for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        found |= rows[i].group == groups[g] && strcmp(rows[i].name, name) == 0;
      ct_note("%s", name);
      EXPECT_TRUE(found);
    }
}
