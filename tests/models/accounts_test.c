/* Stall buckets: for each bucket, one kernel in which it is calculated by hand on the default machine (dispatch_latency
 * 10, int latency 4, constant latency 10, barrier latency 4, LDS latency 10, memory as in memory.h). In kernels that
 * give no cause for it, it must be zero. */
#include <stdio.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

/* Latency of a copy of 64 bytes that misses: docs/closed-forms.md.
 * 1 + setup 20, then R = 1 + 20 + 60 + 200 + 1 + 20, read side 1, one beat, completion 10. */
enum { COPY_64 = 1 + 20 + 302 + 1 + 1 + 10 };

#define LDS_HEAD ".kernel k\n.lds t 4096\n.reg a, b[4]\n get.local_id a, x\n shl.b32 a, a, 7\n"
#define COPY_HEAD ".kernel k\n.arg src global\n.lds t 1024\n.reg e, f, g\n.reg64 p\n ld.arg.b64 p, src\n"

#define PIPE_HEAD ".kernel k\n.arg fifo pipe\n.reg n\n.reg64 p, id\n ld.arg.b64 p, fifo\n"

#define IMAGE_HEAD ".kernel k\n.arg src image1d\n.reg v[4], s, x\n.reg64 p\n ld.arg.b64 p, src\n"

static const struct {
  enum stall bucket;
  uint64_t cycles;
  uint32_t items;
  const char *settings, *text;
} rows[] = {
    {STALL_ISSUED, 1, 32, "", ".kernel k\n exit\n"},
    {STALL_DEPENDENCY, 3, 32, "", ".kernel k\n.reg a\n add.i32 a, a, 1\n add.i32 a, a, 1\n exit\n"},
    {STALL_UNIT, 4, 32, "cu.int_interval=5", ".kernel k\n.reg a, b\n add.i32 a, a, 1\n add.i32 b, b, 1\n exit\n"},
    /* warp 1 waits for warp 0 to arrive at the barrier, and to exit */
    {STALL_NOT_SELECTED, 2, 64, "", ".kernel k\n bar\n exit\n"},
    {STALL_LDS, 10, 32, "", LDS_HEAD " ld.lds.b32 b[0], [t]\n mov.b32 a, b[0]\n exit\n"},
    /* 32 passes, 31 of them because all lanes access one bank */
    {STALL_LDS_CONFLICT, 31, 32, "", LDS_HEAD " ld.lds.b32 b[0], [t + a]\n mov.b32 a, b[0]\n exit\n"},
    /* Two warps of such loads: the second also waits for the first one's passes, except for the cycle between them. */
    {STALL_LDS_CONFLICT, 31 + 31 + 31, 64, "",
     LDS_HEAD " and.b32 a, a, 3968\n ld.lds.b32 b[0], [t + a]\n mov.b32 a, b[0]\n exit\n"},
    /* Loads A, B and C of 32 passes each, through a queue of one. A is sent at t. Its slot is free when its first pass
     * has begun (t + 1) and one cycle later as a credit, so B waits 1 cycle. B's first pass is at t + 33: C waits from
     * t + 3 to t + 33. */
    {STALL_LDS_QUEUE, 1 + 31, 32, "lds.queue=1",
     LDS_HEAD " ld.lds.b32 b[0], [t + a]\n ld.lds.b32 b[1], [t + a]\n ld.lds.b32 b[2], [t + a]\n exit\n"},
    /* Three warps, one such load each, 3 cycles apart. The first is sent at t, the second at t + 3; the second's first
     * pass is at t + 33. The third waits for the unit until t + 5, then for the queue. */
    {STALL_LDS_QUEUE, 28, 96, "lds.queue=1 cu.lds_interval=3",
     LDS_HEAD " and.b32 a, a, 3968\n ld.lds.b32 b[0], [t + a]\n exit\n"},
    /* one sector from DRAM: 302 cycles until its use */
    {STALL_MEMORY, 301, 32, "",
     ".kernel k\n.arg src global\n.reg v\n.reg64 p\n ld.arg.b64 p, src\n ld.global.b32 v, [p]\n mov.b32 v, v\n exit\n"},
    /* one texel: 8 quads pass the unit, and the last one requests the line as above; a 1D image adds nothing after the
     * reply */
    {STALL_TEXTURE, 7 + 301, 32, "", IMAGE_HEAD " image.load.1d v, [p], s, x, as=float\n mov.b32 x, v[0]\n exit\n"},
    /* the second load waits for the first one's reply */
    {STALL_MEMORY_QUEUE, 301, 32, "cu.accesses=1",
     ".kernel k\n.arg src global\n.reg v, w\n.reg64 p\n ld.arg.b64 p, src\n ld.global.b32 v, [p]\n ld.global.b32 w, [p "
     "+ 4096]\n"
     " exit\n"},
    {STALL_FENCE, 10, 32, "", LDS_HEAD " st.lds.b32 [t], a\n fence.lds\n exit\n"},
    /* warp 0 waits 4 cycles; warp 1 arrives a cycle later and waits 3 */
    {STALL_BARRIER, 7, 64, "", ".kernel k\n bar\n exit\n"},
    {STALL_COPY_JOIN, 7, 64, "", COPY_HEAD " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n"},
    /* Copies at c, c + 4 and c + 8, one channel, a queue of one. The first lands at c + COPY_64 - 10. The second is
     * accepted then, and its queue slot is free a cycle later. */
    {STALL_DMA_QUEUE, COPY_64 - 10 + 1 - 9, 32, "dma.queue=1 dma.channels=1",
     COPY_HEAD " copy.to_lds e, [t], [p], 16, size=4\n copy.to_lds f, [t], [p], 16, size=4\n"
               " copy.to_lds g, [t], [p], 16, size=4\n wait e, f, g\n exit\n"},
    /* The same, but the copy tries again every 16 cycles from c + 8 on. Each attempt issues; the 20th is the first with
     * room. */
    {STALL_DMA_QUEUE, 20 * 15, 32, "dma.queue=1 dma.channels=1 dma.full=retry",
     COPY_HEAD " copy.to_lds e, [t], [p], 16, size=4\n copy.to_lds f, [t], [p], 16, size=4\n"
               " copy.to_lds g, [t], [p], 16, size=4\n wait e, f, g\n exit\n"},
    /* one access of 4 lanes: it loads at c + 5, the data are used 302 cycles later, and the store's reply comes 11
     * after that */
    {STALL_COPY_DATA, 301 + 10, 32, "dma.copy=blocking",
     COPY_HEAD " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n"},
    /* copy at c, wait at c + 4, event at c + COPY_64 */
    {STALL_COPY_WAIT, COPY_64 - 5, 32, "", COPY_HEAD " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n"},
    {STALL_WAIT_JOIN, 4, 32, "", COPY_HEAD " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n"},
    /* Like an atomic operation, the header's sector goes up for a cycle, is fetched from DRAM, and comes back. */
    {STALL_PIPE, 302, 32, "", PIPE_HEAD " pipe.num n, [p]\n mov.b32 n, n\n exit\n"},
    /* no packet to read, and room for one packet less than requested */
    {STALL_PIPE_EMPTY, 302, 32, "", PIPE_HEAD " pipe.reserve.read id, [p], 1, kind=item\n mov.b64 id, id\n exit\n"},
    {STALL_PIPE_FULL, 302, 32, "", PIPE_HEAD " pipe.reserve.write id, [p], 65, kind=item\n mov.b64 id, id\n exit\n"},
    /* store at t, exit at t + 1, reply at t + 11 */
    {STALL_DRAIN, 9, 32, "", LDS_HEAD " st.lds.b32 [t], a\n exit\n"},
};

static const char *const quiet = ".kernel k\n exit\n";

TEST(accounts, every_bucket_matches_hand_calculation_and_is_zero_without_a_cause) {
  bool seen[STALLS] = {[STALL_LDS_CONTENTION] = true}; /* below */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig rig;
    ct_note("bucket %s", stall_rows[rows[i].bucket].name);
    rig_run(&rig, rows[i].settings, rows[i].items, rows[i].items, rows[i].text);
    EXPECT_EQ(rig.result.stalls[rows[i].bucket], rows[i].cycles);
    rig_free(&rig);
    rig_run(&rig, "", 32, 32, quiet);
    if (rows[i].bucket != STALL_ISSUED) /* at least one warp exits */
      EXPECT_EQ(rig.result.stalls[rows[i].bucket], 0);
    rig_free(&rig);
    seen[rows[i].bucket] = true;
  }
  for (unsigned bucket = 0; bucket < STALLS; bucket++) {
    ct_note("bucket %s", stall_rows[bucket].name);
    EXPECT_TRUE(seen[bucket]);
  }
}

TEST(accounts, contention_is_the_time_that_a_separate_engine_port_would_save) {
  /* A copy's beats cover all banks while loads run, each followed by its use. The warp is alone, so each cycle that a
   * pass loses to a beat lengthens the launch by a cycle. */
  const char *text = COPY_HEAD " copy.to_lds e, [t], [p], 1024, size=1\nagain: ld.lds.b32 f, [t]\n mov.b32 f, f\n"
                               " add.i32 g, g, 1\n setp.lt.u32 q, g, 40\n@q bra again\n wait e\n exit\n";
  char kernel[1024];
  ct_freed(rig_free) struct rig shared, separate;
  snprintf(kernel, sizeof kernel, "%.*s.pred q\n%s", 10, text, text + 10);
  rig_run(&shared, "dma.write_width=128 dma.granularity=128 lds.priority=dma", 32, 32, kernel);
  rig_run(&separate, "dma.write_width=128 dma.granularity=128 lds.dma_port=separate", 32, 32, kernel);
  EXPECT_GT(shared.result.stalls[STALL_LDS_CONTENTION], 0);
  EXPECT_EQ(shared.result.stalls[STALL_LDS_CONTENTION], shared.result.lds.contention_cycles);
  EXPECT_EQ(shared.result.cycles - separate.result.cycles, shared.result.stalls[STALL_LDS_CONTENTION]);
  EXPECT_EQ(separate.result.stalls[STALL_LDS_CONTENTION], 0);
}

TEST(accounts, buckets_sum_to_residency_in_total_and_per_instruction) {
  static const char *const kernels[] = {
      COPY_HEAD
      " copy.to_lds e, [t], [p], 200, size=4\n ld.lds.b32 f, [t]\n add.i32 f, f, f\n bar.lds\n wait e\n exit\n",
      LDS_HEAD " ld.lds.b32 b[0], [t + a]\n st.lds.b32 [t + a], b[0]\n bar.all\n ld.lds.b32 b[1], [t]\n exit\n",
  };
  static const char *const modes[] = {"",
                                      "dma.full=retry",
                                      "dma.copy=lanes",
                                      "dma.copy=blocking cu.accesses=3",
                                      "cu.forward_latency=100 cu.guard_latency=90 cu.dispatch_latency=1",
                                      "cu.barrier_blocks=accesses cu.barrier_latency=20"};
  for (size_t k = 0; k < 2 * sizeof modes / sizeof *modes; k++) {
    ct_freed(rig_free) struct rig rig;
    uint64_t total = 0, by_pc = 0;
    char settings[128];
    snprintf(settings, sizeof settings, "cu.count=2 cu.schedulers=2 lds.queue=1 dma.queue=1 %s", modes[k / 2]);
    ct_note("%s", settings);
    rig_run(&rig, settings, 64 * 20, 64, kernels[k % 2]);
    for (uint32_t pc = 0; pc < rig.program->count; pc++) /* an instruction pays for its own slots */
      EXPECT_GE(rig.result.by_pc[pc].stalls[STALL_ISSUED], rig.result.by_pc[pc].issues);
    for (unsigned i = 0; i < STALLS; i++) {
      total += rig.result.stalls[i];
      for (uint32_t pc = 0; pc < rig.program->count; pc++)
        by_pc += rig.result.by_pc[pc].stalls[i];
    }
    EXPECT_EQ(total, rig.result.resident_cycles);
    EXPECT_EQ(by_pc, rig.result.resident_cycles);
    const struct cu_stats *cu = &rig.result.cu;
    EXPECT_EQ(rig.result.stalls[STALL_ISSUED], cu->warp_instructions + cu->copy_retries + cu->copy_slots);
  }
}

TEST(accounts, initial_register_values_are_not_forwarded) {
  /* The value used to count as produced in cycle 0 by the integer unit, and waiting for it counted as issuing. */
  const char *text = ".kernel k\n.reg v\n add.f32 v, v, v\n exit\n";
  ct_freed(rig_free) struct rig early;
  rig_run(&early, "cu.forward_latency=100 cu.dispatch_latency=1", 64, 64, text);
  EXPECT_EQ(early.result.cycles, rig_cycles("cu.dispatch_latency=1", 64, 64, text));
  EXPECT_EQ(early.result.stalls[STALL_ISSUED], early.result.cu.warp_instructions);
  EXPECT_EQ(early.result.cu.warp_instructions, 4);
}
