/* Concurrent launches: each runs as if alone except for what they share. Also pipes between them, room in compute
 * units, the laws, and how they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { MOST = RESULT_TOGETHER, VALUES = 3 };

/* Kernels of one program on the machine and memory of a rig. */
struct bench {
  struct rig rig;
  size_t count;
  struct isa_launch launches[MOST];
  uint8_t args[MOST][64];
  struct launch_result results[MOST];
};

static bool bench_build(struct bench *bench, const char *settings, const char *text) {
  return rig_build(&bench->rig, settings, 1, 1, text);
}

/* Adds one more launch. Its pipes are those of the program's first kernel, in order; its buffers are 0, 1, ...; its
 * 32-bit values are `values`. */
static void bench_add(struct bench *bench, const char *kernel, uint32_t global, uint32_t local,
                      const uint32_t values[VALUES]) {
  struct isa_launch *launch = &bench->launches[bench->count];
  uint8_t *args = bench->args[bench->count++];
  unsigned pipe = 0, buffer = 0, value = 0;
  *launch = bench->rig.launch;
  launch->kernel = isa_find_kernel(bench->rig.program, kernel);
  launch->lds_bytes = launch->kernel->lds_bytes;
  launch->global[0] = global;
  launch->local[0] = local;
  launch->groups[0] = (global + local - 1) / local;
  launch->args = args;
  for (size_t i = 0; i < launch->kernel->arg_count; i++) {
    const struct isa_arg *arg = &launch->kernel->args[i];
    if (arg->kind == ISA_ARG_PIPE)
      memcpy(args + arg->offset, &bench->rig.pipes[pipe++].base, 8);
    else if (arg->kind == ISA_ARG_GLOBAL)
      memcpy(args + arg->offset, &bench->rig.buffers[buffer++].base, 8);
    else
      memcpy(args + arg->offset, &values[value++], 4);
  }
}

static void bench_run(struct bench *bench) {
  struct isa_launch *launches[MOST];
  for (size_t i = 0; i < bench->count; i++)
    launches[i] = &bench->launches[i];
  simulation_run_together(bench->rig.simulation, bench->rig.host, launches, bench->count, bench->rig.limit, NULL,
                          bench->results);
}

static void bench_free(struct bench *bench) {
  for (size_t i = 0; i < bench->count; i++)
    launch_result_free(&bench->results[i]);
  rig_free(&bench->rig);
}

static uint64_t hazards_of(const struct launch_result *result, enum isa_hazard_rule rule) {
  uint64_t count = 0;
  for (size_t i = 0; i < result->hazard_count; i++)
    count += result->hazards[i].first.rule == rule ? result->hazards[i].count : 0;
  return count;
}

/* ---- independent kernels ------------------------------------------------------------------------- */

/* sums: rounds of arithmetic, then one word per work-item. idle: nothing. */
static const char independent[] =
    ".kernel sums\n.arg out global\n.arg count u32\n.reg i, n, v\n.reg64 q\n.pred c\n ld.arg.b64 q, out\n"
    " ld.arg.b32 n, count\n get.global_id i, x\n bar\nagain: mad.i32 v, v, 5, i\n sub.i32 n, n, 1\n setp.ne.u32 c, n, "
    "0\n"
    "@c bra again\n shl.b32 n, i, 2\n st.global.b32 [q + n], v\n exit\n"
    ".kernel idle\n exit\n";

/* One launch of `sums` alone, on the given machine. */
static struct launch_result alone(struct bench *bench, const char *settings, uint32_t global, uint32_t rounds) {
  *bench = (struct bench){.rig.order = ORDER_ASCENDING};
  EXPECT_TRUE(bench_build(bench, settings, independent));
  bench_add(bench, "sums", global, 64, (uint32_t[VALUES]){rounds});
  bench_run(bench);
  return bench->results[0];
}

TEST(together, an_idle_kernel_on_other_units_changes_nothing) {
  static const char *const settings[] = {"cu.count=2", "cu.count=2 cu.dispatch_latency=1 mem.link_latency=1",
                                         "cu.count=2 cu.schedulers=4 cu.policy=oldest"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    ct_freed(bench_free) struct bench one, two = {.rig.order = ORDER_ASCENDING};
    const struct launch_result expected = alone(&one, settings[i], 64, 50);
    ASSERT_TRUE(bench_build(&two, settings[i], independent));
    bench_add(&two, "sums", 64, 64, (uint32_t[VALUES]){50});
    bench_add(&two, "idle", 1, 1, NULL);
    bench_run(&two);
    ct_note("%s", settings[i]);
    EXPECT_EQ(two.results[0].cycles, expected.cycles);
    EXPECT_EQ(two.results[0].trace_hash, expected.trace_hash);
    EXPECT_EQ(memcmp(&two.results[0].cu, &expected.cu, sizeof expected.cu), 0);
    EXPECT_EQ(memcmp(two.results[0].stalls, expected.stalls, sizeof expected.stalls), 0);
    EXPECT_EQ(memcmp(&two.results[0].mem, &expected.mem, sizeof expected.mem), 0);
    EXPECT_EQ(two.results[0].together_cycles, expected.cycles);
    EXPECT_EQ(two.results[1].cu.warp_instructions, 1);
    EXPECT_EQ(two.results[1].cu.work_groups, 1);
    EXPECT_LT(two.results[1].cycles, expected.cycles);
  }
}

TEST(together, a_single_launch_has_no_partners) {
  ct_freed(bench_free) struct bench one;
  const struct launch_result result = alone(&one, "cu.count=3", 640, 20);
  EXPECT_EQ(result.together, 1);
  EXPECT_EQ(result.together_cycles, result.cycles);
  EXPECT_EQ(result.together_active, result.cu.active_cycles);
  EXPECT_EQ(result.never_started, 0);
}

TEST(together, a_later_launchs_time_starts_with_it) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, "", 32, 32, ".kernel k\n exit\n"));
  rig_start(&rig);
  const cycle_t first = rig.result.together_cycles;
  EXPECT_EQ(rig.result.start, 0);
  EXPECT_EQ(rig.result.cycles, first);
  launch_result_free(&rig.result);
  rig_start(&rig);
  EXPECT_GT(rig.result.start, first);
  EXPECT_EQ(rig.result.cycles, first);
  EXPECT_EQ(rig.result.together_cycles, first);
}

TEST(together, kernels_on_separate_units_take_as_long_as_the_longer_one) {
  ct_freed(bench_free) struct bench one, other, both = {.rig.order = ORDER_ASCENDING};
  const char *settings = "cu.count=2";
  const struct launch_result shorter = alone(&one, settings, 64, 30), longer = alone(&other, settings, 64, 300);
  ASSERT_TRUE(bench_build(&both, settings, independent));
  bench_add(&both, "sums", 64, 64, (uint32_t[VALUES]){30});
  bench_add(&both, "sums", 64, 64, (uint32_t[VALUES]){300});
  bench_run(&both);
  EXPECT_EQ(both.results[0].cycles, shorter.cycles);
  EXPECT_EQ(both.results[1].cycles, longer.cycles);
  EXPECT_EQ(both.results[0].together_cycles, longer.cycles);
  EXPECT_EQ(both.results[0].together_active, shorter.cu.active_cycles + longer.cu.active_cycles);
  EXPECT_EQ(both.results[0].cu.active_cycles, shorter.cu.active_cycles);
  EXPECT_EQ(both.results[1].cu.issue_cycles, longer.cu.issue_cycles);
  for (unsigned i = 0; i < 2; i++) {
    EXPECT_EQ(both.results[i].cu.barriers, 1);
    EXPECT_EQ(both.results[i].mem.stores, shorter.mem.stores + longer.mem.stores);
  }
}

TEST(together, kernels_in_one_unit_share_its_issue_slots) {
  /* eight warps of each keep one scheduler busy: run concurrently they take as long as in sequence, less one start */
  ct_freed(bench_free) struct bench one, both = {.rig.order = ORDER_ASCENDING};
  const struct launch_result single = alone(&one, "", 256, 200);
  ASSERT_TRUE(bench_build(&both, "", independent));
  bench_add(&both, "sums", 256, 64, (uint32_t[VALUES]){200});
  bench_add(&both, "sums", 256, 64, (uint32_t[VALUES]){200});
  bench_run(&both);
  EXPECT_GT(10 * both.results[0].together_cycles, 19 * single.cycles);
  EXPECT_LT(both.results[0].together_cycles, 2 * single.cycles);
  EXPECT_EQ(both.results[0].cu.warp_instructions, single.cu.warp_instructions);
  EXPECT_EQ(both.results[1].cu.warp_instructions, single.cu.warp_instructions);
  for (unsigned i = 0; i < 2; i++) {
    uint64_t sum = 0;
    for (unsigned s = 0; s < STALLS; s++)
      sum += both.results[i].stalls[s];
    EXPECT_EQ(sum, both.results[i].resident_cycles);
  }
}

/* ---- room ------------------------------------------------------------------------------------------ */

/* Each group draws a ticket when it starts and then runs n rounds. */
#define TICKET                                                                                                         \
  ".arg all global\n.arg own u32\n.arg count u32\n.reg i, g, n, o, v\n.reg64 q\n.pred c\n ld.arg.b64 q, all\n"         \
  " ld.arg.b32 n, count\n ld.arg.b32 o, own\n get.local_id i, x\n get.group_id g, x\n setp.eq.u32 c, i, 0\n"           \
  "@!c bra stay\n add.i32 g, g, o\n shl.b32 g, g, 2\n mov.b32 v, 1\n atom.global.add.i32 v, [q], v\n st.global.b32 "   \
  "[q + g], v\n"                                                                                                       \
  "stay: sub.i32 n, n, 1\n setp.ne.u32 c, n, 0\n@c bra stay\n exit\n"

TEST(together, a_launch_whose_next_group_does_not_fit_blocks_no_other) {
  /* the dispatcher's worked example: A of one warp, B of three, a unit of four */
  ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
  ASSERT_TRUE(bench_build(&bench, "cu.warps=4", ".kernel k\n" TICKET));
  memset(bench.rig.buffers[0].data, 0, RIG_BUFFER);
  bench_add(&bench, "k", 5 * 32, 32, (uint32_t[VALUES]){16, 50});
  bench_add(&bench, "k", 2 * 96, 96, (uint32_t[VALUES]){32, 150});
  bench_run(&bench);
  EXPECT_EQ(rig_word(&bench.rig, 0, 0), 7);
  EXPECT_EQ(rig_word(&bench.rig, 0, 16), 0); /* A0 */
  EXPECT_EQ(rig_word(&bench.rig, 0, 32), 1); /* B0 */
  EXPECT_EQ(rig_word(&bench.rig, 0, 17), 2); /* A1, although B is next after it */
  EXPECT_EQ(rig_word(&bench.rig, 0, 18), 3); /* A2 */
  EXPECT_GT(rig_word(&bench.rig, 0, 33), 3); /* B1, once B0 has ended */
  EXPECT_EQ(bench.results[1].cu.work_groups, 2);
}

/* Each group fills its LDS with its own number, waits, and counts the words that differ. */
#define PATTERN(NAME, BYTES, WORDS)                                                                                    \
  ".kernel " NAME "\n.arg out global\n.arg own u32\n.arg count u32\n.lds t " BYTES                                     \
  "\n.reg i, g, n, o, v, a\n.reg64 q\n"                                                                                \
  ".pred c\n ld.arg.b64 q, out\n ld.arg.b32 n, count\n ld.arg.b32 o, own\n get.group_id g, x\n add.i32 o, o, g\n"      \
  " get.local_id i, x\n shl.b32 a, i, 2\nfill: st.lds.b32 [t + a], o\n add.i32 a, a, 128\n"                            \
  " setp.lt.u32 c, a, " BYTES "\n@c bra fill\n"                                                                        \
  "stay: sub.i32 n, n, 1\n setp.ne.u32 c, n, 0\n@c bra stay\n shl.b32 a, i, 2\n"                                       \
  "look: ld.lds.b32 v, [t + a]\n sub.i32 v, v, o\n add.i32 n, n, v\n add.i32 a, a, 128\n"                              \
  " setp.lt.u32 c, a, " BYTES "\n@c bra look\n shl.b32 a, o, 2\n add.i32 n, n, o\n st.global.b32 [q + a], n\n exit\n"

TEST(together, each_group_has_its_own_part_of_the_lds) {
  static const uint32_t stays[][2] = {{40, 90}, {90, 40}, {7, 400}, {100, 100}};
  for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) {
    ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
    ASSERT_TRUE(bench_build(&bench, "lds.size=8K cu.groups=8",
                            PATTERN("small", "1024", "256") PATTERN("large", "2560", "640")
                                PATTERN("none", "128", "32")));
    memset(bench.rig.buffers[0].data, 0, RIG_BUFFER);
    bench_add(&bench, "small", 32 * 20, 32, (uint32_t[VALUES]){0, stays[i][0]});
    bench_add(&bench, "large", 32 * 20, 32, (uint32_t[VALUES]){100, stays[i][1]});
    bench_add(&bench, "none", 32 * 20, 32, (uint32_t[VALUES]){200, 33});
    bench_run(&bench);
    for (uint32_t group = 0; group < 20; group++)
      for (uint32_t launch = 0; launch < 3; launch++)
        EXPECT_EQ(rig_word(&bench.rig, 0, 100 * launch + group), 100 * launch + group);
  }
}

/* ---- pipes between kernels ---------------------------------------------------------------------------- */

/* put: writes n packets, i + 0, i + n..., each after w rounds; take: reads n packets and stores them in out. Each
 * work-item has its own numbers. kind=packet is what write_pipe and read_pipe do. */
#define ARGS(OUT)                                                                                                      \
  ".arg fifo pipe\n" OUT ".arg count u32\n.arg work u32\n.reg i, k, n, v, w\n.reg64 p, q, id, at\n.pred c\n"           \
  " ld.arg.b64 p, fifo\n ld.arg.b32 n, count\n ld.arg.b32 w, work\n get.global_id i, x\n mul.i32 i, i, n\n add.i32 "   \
  "n, n, i\n"
#define STAY(LABEL) " mov.b32 k, w\n" LABEL ": sub.i32 k, k, 1\n setp.ne.u32 c, k, 0\n@c bra " LABEL "\n"
#define PUT(NAME, GET_ROOM)                                                                                            \
  ".kernel " NAME "\n" ARGS("") "again: " STAY("stay") GET_ROOM                                                        \
      " pipe.slot.write at, [p], id, 0, size=4\n st.global.b32 [at], i\n fence.global\n"                               \
      " pipe.commit.write [p], id, kind=packet\n add.i32 i, i, 1\n setp.ne.u32 c, i, n\n@c bra again\n exit\n"
#define TAKE(NAME, GET_PACKET)                                                                                         \
  ".kernel " NAME                                                                                                      \
  "\n" ARGS(".arg out global\n") " ld.arg.b64 q, out\n" GET_PACKET                                                     \
                                 " pipe.slot.read at, [p], id, 0, size=4\n ld.global.b32 v, [at]\n fence.global\n"     \
                                 " pipe.commit.read [p], id, kind=packet\n shl.b32 k, i, 2\n st.global.b32 [q + k], "  \
                                 "v\n" STAY("stay") " add.i32 i, i, 1\n setp.ne.u32 c, i, n\n@c bra again\n exit\n"

static const char pair[] = PUT("put", " pipe.reserve.write.wait id, [p], 1, kind=packet\n")
    TAKE("take", "again: pipe.reserve.read.wait id, [p], 1, kind=packet\n")
        PUT("put_spinning", "try: pipe.reserve.write id, [p], 1, kind=packet\n setp.eq.u64 c, id, 0\n@c bra try\n")
            TAKE("take_spinning",
                 "again: pipe.reserve.read id, [p], 1, kind=packet\n setp.eq.u64 c, id, 0\n@c bra again\n");

static void run_pair(struct bench *bench, const char *settings, bool spins, uint32_t items, uint32_t packets,
                     uint32_t put_work, uint32_t take_work) {
  if (!bench_build(bench, settings, pair))
    return;
  bench_add(bench, spins ? "put_spinning" : "put", items, 1, (uint32_t[VALUES]){packets, put_work});
  bench_add(bench, spins ? "take_spinning" : "take", items, 1, (uint32_t[VALUES]){packets, take_work});
  bench_run(bench);
}

TEST(together, one_writer_and_one_reader_see_a_fifo_at_any_rate) {
  static const struct {
    uint32_t put, take; /* rounds of work per packet, 13 cycles each: a packet costs some 200 cycles without them */
  } rates[] = {{1, 1}, {30, 30}, {30, 120}, {120, 30}};
  enum { PACKETS = 300 };
  for (size_t i = 0; i < 2 * sizeof rates / sizeof *rates; i++) {
    ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
    const uint32_t put = rates[i / 2].put, take = rates[i / 2].take;
    run_pair(&bench, "", i % 2, 1, PACKETS, put, take);
    ct_note("%u to %u, %s", put, take, i % 2 ? "spinning" : "waiting");
    EXPECT_EQ(bench.results[0].end, END_FINISHED);
    EXPECT_EQ(bench.results[1].end, END_FINISHED);
    for (uint32_t packet = 0; packet < PACKETS; packet++)
      EXPECT_EQ(rig_word(&bench.rig, 0, packet), packet);
    const struct isa_pipe_stats *stats = &bench.results[0].pipes[0].stats;
    const double mean = (double)stats->packet_cycles / (double)bench.results[0].together_cycles;
    EXPECT_EQ(stats->written, PACKETS);
    EXPECT_EQ(stats->read, PACKETS);
    EXPECT_LE(bench.results[0].cycles, bench.results[1].cycles);
    EXPECT_EQ(bench.results[1].cycles, bench.results[0].together_cycles);
    if (put <
        take) { /* the writer waits: the pipe fills during the first 64 / (1 - 1/4) packets, and drains at the end */
      EXPECT_EQ(stats->most, RIG_PACKETS);
      EXPECT_GT(mean, 0.6 * RIG_PACKETS);
      EXPECT_GT(bench.results[0].stalls[STALL_PIPE_FULL], 0);
      EXPECT_EQ(bench.results[0].stalls[STALL_PIPE_EMPTY], 0);
    } else {
      EXPECT_LT(mean, put > take ? 2 : 4);
      EXPECT_EQ(bench.results[0].stalls[STALL_PIPE_FULL], 0);
      EXPECT_GT(bench.results[1].stalls[STALL_PIPE_EMPTY], 0);
    }
  }
}

/* Cycles per packet of a writer or a reader that nothing delays: over 40 more packets. */
static double period_alone(const char *kernel, uint32_t work) {
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
    const uint32_t packets = 20 + 40 * i;
    run_pair(&bench, "", false, 1, packets, work, work);
    cycles[i] = bench.results[strcmp(kernel, "put") != 0].cycles;
  }
  return (double)(cycles[1] - cycles[0]) / 40;
}

/* A queue with steady rates and room for K: it fills at the difference of the rates, stays full while there is more to
 * write, and empties at the reader's rate. */
static double fluid_mean(double put, double take, double packets, double room) {
  const double whole = packets * take, fill = room / (1 / put - 1 / take), full = (packets - room) * take - fill;
  return (room * fill / 2 + room * full + room * room * take / 2) / whole;
}

TEST(together, a_pipe_fills_like_a_queue_with_the_rates_of_writer_and_reader) {
  static const uint32_t take_work[] = {60, 120, 240};
  enum { PACKETS = 600, PUT_WORK = 30 };
  const double put = period_alone("put", PUT_WORK);
  for (size_t i = 0; i < sizeof take_work / sizeof *take_work; i++) {
    ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
    const double take = period_alone("take", take_work[i]);
    run_pair(&bench, "", false, 1, PACKETS, PUT_WORK, take_work[i]);
    const double whole = (double)bench.results[0].together_cycles;
    const double mean = (double)bench.results[0].pipes[0].stats.packet_cycles / whole;
    const double expected = fluid_mean(put, take, PACKETS, RIG_PACKETS);
    ct_note("work %u: a packet takes %.1f and %.1f cycles; mean %.2f packets, expected %.2f; %.0f cycles", take_work[i],
            put, take, mean, expected, whole);
    EXPECT_LT(mean, 1.03 * expected);
    EXPECT_GT(mean, 0.97 * expected);
    EXPECT_LT(whole, 1.02 * PACKETS * take); /* only the slower one decides how long it takes */
    EXPECT_GT(whole, 0.98 * PACKETS * take);
  }
}

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

TEST(together, many_writers_and_readers_lose_and_duplicate_nothing) {
  enum { ITEMS = 6, PACKETS = 40 };
  static const char *const settings[] = {"cu.count=4", "", "cu.count=2 cu.accesses=9 mem.link_latency=2"};
  for (size_t i = 0; i < 2 * sizeof settings / sizeof *settings; i++) {
    ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
    run_pair(&bench, settings[i / 2], i % 2, ITEMS, PACKETS, 3, 5);
    ct_note("%s, %s", settings[i / 2], i % 2 ? "spinning" : "waiting");
    qsort(bench.rig.buffers[0].data, ITEMS * PACKETS, 4, ascending);
    for (uint32_t packet = 0; packet < ITEMS * PACKETS; packet++)
      EXPECT_EQ(rig_word(&bench.rig, 0, packet), packet);
    EXPECT_EQ(bench.results[0].pipes[0].left, 0);
  }
}

/* ---- laws ------------------------------------------------------------------------------------------ */

TEST(together, concurrent_launches_do_not_depend_on_the_order_of_evaluation) {
  static const char *const settings[] = {"cu.count=3 mem.link_latency=3",
                                         "cu.count=2 cu.groups=7 cu.dispatch_latency=1",
                                         "cu.count=5 mem.l2_size=0 mem.link_latency=1 cu.schedulers=2"};
  static const enum host_order orders[] = {ORDER_ASCENDING, ORDER_DESCENDING, ORDER_SHUFFLED};
  for (size_t m = 0; m < 2 * sizeof settings / sizeof *settings; m++) {
    struct bench bench[3];
    for (size_t i = 0; i < 3; i++) {
      bench[i] = (struct bench){.rig.order = orders[i]};
      run_pair(&bench[i], settings[m / 2], m % 2, 6, 30, 2, 4);
      ct_note("%s, order %zu", settings[m / 2], i);
      for (size_t k = 0; k < 2; k++) {
        const struct launch_result *got = &bench[i].results[k], *expected = &bench[0].results[k];
        EXPECT_EQ(got->end, END_FINISHED);
        EXPECT_EQ(got->cycles, expected->cycles);
        EXPECT_EQ(got->trace_hash, expected->trace_hash);
        EXPECT_EQ(memcmp(&got->cu, &expected->cu, sizeof got->cu), 0);
        EXPECT_EQ(memcmp(&got->mem, &expected->mem, sizeof got->mem), 0);
        EXPECT_EQ(memcmp(got->stalls, expected->stalls, sizeof got->stalls), 0);
        EXPECT_EQ(memcmp(&got->pipes[0].stats, &expected->pipes[0].stats, sizeof got->pipes[0].stats), 0);
      }
      EXPECT_EQ(memcmp(bench[i].rig.buffers[0].data, bench[0].rig.buffers[0].data, RIG_BUFFER), 0);
    }
    for (size_t i = 0; i < 3; i++)
      bench_free(&bench[i]);
  }
}

/* ---- ends ------------------------------------------------------------------------------------------- */

TEST(together, only_the_launch_that_waits_for_missing_packets_is_deadlocked) {
  for (unsigned spins = 0; spins < 2; spins++) {
    ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
    ASSERT_TRUE(bench_build(&bench, "", pair));
    bench_add(&bench, spins ? "put_spinning" : "put", 1, 1, (uint32_t[VALUES]){5, 1});
    bench_add(&bench, spins ? "take_spinning" : "take", 1, 1, (uint32_t[VALUES]){6, 1});
    bench_run(&bench);
    EXPECT_EQ(bench.results[0].end, END_FINISHED);
    EXPECT_EQ(bench.results[0].stuck_count, 0);
    EXPECT_LT(bench.results[0].cycles, bench.results[1].cycles);
    EXPECT_EQ(bench.results[1].end, END_DEADLOCK);
    ASSERT_EQ(bench.results[1].stuck_count, 1);
    EXPECT_EQ(bench.results[1].stuck[0].stall, STALL_PIPE_EMPTY);
    EXPECT_TRUE(bench.results[1].stuck[0].pipe == &bench.rig.pipes[0]);
    EXPECT_EQ(bench.results[1].stuck[0].spins, spins);
    EXPECT_EQ(bench.results[1].never_started, 0);
  }
}

TEST(together, waiting_groups_that_fill_the_machine_lock_out_their_writers) {
  struct bench bench = {.rig.order = ORDER_ASCENDING};
  ASSERT_TRUE(bench_build(&bench, "cu.warps=4 cu.groups=4", pair));
  bench_add(&bench, "take", 4, 1, (uint32_t[VALUES]){2, 1});
  bench_add(&bench, "put", 4, 1, (uint32_t[VALUES]){2, 1});
  bench_run(&bench); /* in turn: there is room for two of each, and two are enough for the others */
  EXPECT_EQ(bench.results[0].end, END_FINISHED);
  EXPECT_EQ(bench.results[1].end, END_FINISHED);
  bench_free(&bench);
  bench = (struct bench){.rig.order = ORDER_ASCENDING};
  ASSERT_TRUE(bench_build(&bench, "cu.warps=1", pair));
  bench_add(&bench, "take", 1, 1, (uint32_t[VALUES]){2, 1});
  bench_add(&bench, "put", 4, 1, (uint32_t[VALUES]){2, 1});
  bench_run(&bench);
  EXPECT_EQ(bench.results[0].end, END_DEADLOCK);
  EXPECT_EQ(bench.results[0].never_started, 0);
  EXPECT_EQ(bench.results[1].end, END_DEADLOCK);
  EXPECT_EQ(bench.results[1].stuck_count, 0);
  EXPECT_EQ(bench.results[1].never_started, 4);
  bench_free(&bench);
}

TEST(together, the_limit_cuts_only_unfinished_launches_short) {
  ct_freed(bench_free) struct bench bench = {.rig = {.order = ORDER_ASCENDING, .limit = 2000}};
  ASSERT_TRUE(bench_build(&bench, "cu.count=2", independent));
  bench_add(&bench, "sums", 64, 64, (uint32_t[VALUES]){10});
  bench_add(&bench, "sums", 64, 64, (uint32_t[VALUES]){10000});
  bench_run(&bench);
  EXPECT_EQ(bench.results[0].end, END_FINISHED);
  EXPECT_LT(bench.results[0].cycles, 1000);
  EXPECT_EQ(bench.results[1].end, END_CYCLE_LIMIT);
  EXPECT_EQ(bench.results[1].cycles, 2000);
  EXPECT_EQ(bench.results[0].together_cycles, 2000);
}

TEST(together, an_open_reservation_is_attributed_to_its_kernel) {
  static const char text[] = ".kernel good\n.arg fifo pipe\n exit\n"
                             ".kernel leaves\n.arg fifo pipe\n.reg64 p, id\n ld.arg.b64 p, fifo\n"
                             " pipe.reserve.write id, [p], 3, kind=item\n mov.b64 id, id\n exit\n";
  ct_freed(bench_free) struct bench bench = {.rig.order = ORDER_ASCENDING};
  ASSERT_TRUE(bench_build(&bench, "", text));
  bench_add(&bench, "good", 1, 1, NULL);
  bench_add(&bench, "leaves", 1, 1, NULL);
  bench_run(&bench);
  EXPECT_EQ(bench.results[0].hazard_count, 0);
  EXPECT_EQ(hazards_of(&bench.results[1], HAZARD_R6), 1);
}
