/* Compute units, calculated by hand on the default machine: dispatch_latency 10, so the first warp can issue in cycle
 * 10; int latency 4; branch latency 4; constant latency 10; LDS latency 10; barrier, copy and wait latency 4. A launch
 * ends one cycle after its last warp's exit issues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/simulation_parts.h"
#include "tests/ct.h"
#include "tests/models/rig.h"

enum { START = 10 };

static uint64_t stall(const struct rig *rig, enum stall bucket) { return rig->result.stalls[bucket]; }

TEST(cu, an_empty_kernel_ends_one_cycle_after_its_exit) {
  EXPECT_EQ(rig_cycles("", 32, 32, ".kernel k\n exit\n"), START + 1);
}

TEST(cu, a_dependent_add_issues_int_latency_after_its_source) {
  const char *text = ".kernel k\n.reg a\n add.i32 a, a, 1\n add.i32 a, a, 1\n exit\n";
  EXPECT_EQ(rig_cycles("", 32, 32, text), START + 4 + 2);
  EXPECT_EQ(rig_cycles("cu.int_latency=9", 32, 32, text), START + 9 + 2);
}

TEST(cu, an_independent_add_issues_in_the_next_cycle) {
  const char *text = ".kernel k\n.reg a, b\n add.i32 a, a, 1\n add.i32 b, b, 1\n exit\n";
  EXPECT_EQ(rig_cycles("", 32, 32, text), START + 3);
}

TEST(cu, a_result_is_not_overwritten_before_it_is_written) {
  /* the second write of a waits for the first, which takes longer */
  const char *text = ".kernel k\n.reg a, b\n mul.i32 a, b, b\n mov.b32 a, 1\n exit\n";
  EXPECT_EQ(rig_cycles("cu.mul_latency=7", 32, 32, text), START + 7 + 2);
}

TEST(cu, predicates_are_scoreboarded_like_registers) {
  const char *text = ".kernel k\n.reg a\n.pred p\n setp.eq.u32 p, a, 0\n@p add.i32 a, a, 1\n exit\n";
  EXPECT_EQ(rig_cycles("", 32, 32, text), START + 4 + 2);
}

TEST(cu, an_execution_unit_accepts_one_instruction_per_interval) {
  const char *text = ".kernel k\n.reg a, b\n add.i32 a, a, 1\n add.i32 b, b, 1\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.int_interval=5", 32, 32, text);
  EXPECT_EQ(rig.result.cycles, START + 5 + 2);
  EXPECT_EQ(stall(&rig, STALL_UNIT), 4);
  EXPECT_EQ(stall(&rig, STALL_DEPENDENCY), 0);
}

TEST(cu, a_fixed_dependence_latency_replaces_the_scoreboard) {
  const char *independent = ".kernel k\n.reg a, b\n add.i32 a, a, 1\n mul.i32 b, b, b\n exit\n";
  const char *dependent = ".kernel k\n.reg a\n div.u32 a, a, a\n add.i32 a, a, 1\n exit\n";
  EXPECT_EQ(rig_cycles("cu.dependence=fixed cu.dependence_latency=6", 32, 32, independent), START + 2 * 6 + 1);
  EXPECT_EQ(rig_cycles("cu.dependence=fixed cu.dependence_latency=6", 32, 32, dependent), START + 2 * 6 + 1);
  EXPECT_EQ(rig_cycles("cu.dependence=scoreboard cu.dependence_latency=6", 32, 32, independent), START + 3);
}

TEST(cu, a_branch_delays_the_next_issue_by_its_latency) {
  const char *text = ".kernel k\n bra on\non: exit\n";
  EXPECT_EQ(rig_cycles("", 32, 32, text), START + 4 + 1);
  EXPECT_EQ(rig_cycles("cu.branch_latency=1", 32, 32, text), START + 1 + 1);
}

TEST(cu, every_class_has_the_latency_of_its_parameter) {
  static const struct {
    const char *name, *text;
  } rows[] = {
      {"int", ".kernel k\n.reg a\n add.i32 a, a, 1\n mov.b32 a, a\n exit\n"},
      {"mul", ".kernel k\n.reg a\n mul.i32 a, a, a\n mov.b32 a, a\n exit\n"},
      {"div", ".kernel k\n.reg a\n div.u32 a, a, a\n mov.b32 a, a\n exit\n"},
      {"long", ".kernel k\n.reg64 a\n add.i64 a, a, a\n mov.b64 a, a\n exit\n"},
      {"half", ".kernel k\n.reg a\n add.f16 a, a, a\n mov.b32 a, a\n exit\n"},
      {"float", ".kernel k\n.reg a\n add.f32 a, a, a\n mov.b32 a, a\n exit\n"},
      {"double", ".kernel k\n.reg64 a\n add.f64 a, a, a\n mov.b64 a, a\n exit\n"},
      {"convert", ".kernel k\n.reg a\n cvt.f32.s32 a, a\n mov.b32 a, a\n exit\n"},
      {"special", ".kernel k\n.reg a\n sqrt.f32 a, a\n mov.b32 a, a\n exit\n"},
      {"math", ".kernel k\n.reg a\n tan.f32 a, a\n mov.b32 a, a\n exit\n"},
      {"lane", ".kernel k\n.reg a\n shfl.xor.b32 a, a, 1\n mov.b32 a, a\n exit\n"},
      {"constant", ".const t u32 1\n.kernel k\n.reg a\n ld.const.b32 a, [t]\n mov.b32 a, a\n exit\n"},
      {"private", ".kernel k\n.private 16\n.reg a\n ld.private.b32 a, [0]\n mov.b32 a, a\n exit\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (uint32_t latency = 1; latency < 80; latency += 26) {
      char settings[128];
      ct_note("class %s, latency %u", rows[i].name, latency);
      snprintf(settings, sizeof settings, "cu.%s_latency=%u cu.int_latency=1", rows[i].name, latency);
      if (i == 0)
        snprintf(settings, sizeof settings, "cu.int_latency=%u", latency);
      EXPECT_EQ(rig_cycles(settings, 32, 32, rows[i].text), START + latency + 2);
      /* two warps on one scheduler are one interval apart if only the interval limits them */
      snprintf(settings, sizeof settings, "cu.%s_interval=%u cu.%s_latency=1 cu.int_latency=1", rows[i].name, latency,
               rows[i].name);
      if (i > 0) /* class int would also delay the mov after it */
        EXPECT_EQ(rig_cycles(settings, 64, 64, rows[i].text), START + latency + 3 + (latency == 1 ? 2 : 0));
    }
}

TEST(cu, a_function_with_several_slots_occupies_its_scheduler_and_finishes_later) {
  /* interval and latency of the slots after the first */
  const struct {
    const char *name, *reg;
    uint32_t slots, interval, latency;
  } rows[] = {{"sqrt.f32", ".reg", 4, 1, 3},  {"sin.f32", ".reg", 27, 1, 3},   {"sin.native.f32", ".reg", 2, 1, 3},
              {"asin.f32", ".reg", 25, 1, 3}, {"exp.f64", ".reg64", 48, 2, 5}, {"add.f32", ".reg", 1, 1, 3}};
  const char *const settings = "cu.functions=nvidia cu.float_latency=3 cu.double_latency=5 cu.double_interval=2 "
                               "cu.special_interval=1 cu.special_latency=3 cu.math_interval=1 cu.math_latency=3";
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char alone[256], apart[256], dependent[256], two[512];
    const uint32_t busy = rows[i].slots - 1;
    const char *const second = strcmp(rows[i].name, "add.f32") ? "" : ", a";
    ct_note("%s", rows[i].name);
    snprintf(alone, sizeof alone, ".kernel k\n%s a\n %s a, a%s\n exit\n", rows[i].reg, rows[i].name, second);
    snprintf(apart, sizeof apart, ".kernel k\n%s a\n.reg b\n %s a, a%s\n mov.b32 b, 1\n exit\n", rows[i].reg,
             rows[i].name, second);
    snprintf(dependent, sizeof dependent, ".kernel k\n%s a, b\n %s a, a%s\n mov.b%s b, a\n exit\n", rows[i].reg,
             rows[i].name, second, strlen(rows[i].reg) > 4 ? "64" : "32");
    snprintf(two, sizeof two, "%s cu.schedulers=2", settings);
    EXPECT_EQ(rig_cycles(settings, 32, 32, apart), START + rows[i].interval * busy + 3);
    EXPECT_EQ(rig_cycles(settings, 32, 32, dependent), START + 3 + rows[i].latency * busy + 2);
    /* two warps on one scheduler, then on two schedulers */
    EXPECT_EQ(rig_cycles(settings, 64, 64, alone), START + 2 * (rows[i].interval * busy + 1) + 2);
    EXPECT_EQ(rig_cycles(two, 64, 64, alone), START + rows[i].interval * busy + 2);
  }
  EXPECT_EQ(rig_cycles("cu.special_latency=3", 32, 32, ".kernel k\n.reg a\n sin.f32 a, a\n mov.b32 a, a\n exit\n"),
            START + 3 + 2);
}

static cycle_t longer(cycle_t a, cycle_t b) { return a > b ? a : b; }

/* Lane l reads word l % addresses: the first address costs a load 4 cycles, each further one 7, and each occupies the
 * path for 5. */
TEST(cu, constants_at_several_addresses_are_read_one_by_one) {
  const char *const settings =
      "cu.constant_latency=10 cu.constant_index_latency=4 cu.constant_address_latency=7 cu.constant_address_interval=5 "
      "cu.int_latency=1";
  for (uint32_t addresses = 1; addresses <= 32; addresses *= 4) {
    char one[512], two[512];
    const char *const head =
        ".const t u32 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
        "1, 1, 1, 1, 1\n.kernel k\n.reg a, b, c\n get.lane a\n";
    ct_note("%u addresses", addresses);
    snprintf(one, sizeof one, "%s and.b32 a, a, %u\n shl.b32 a, a, 2\n ld.const.b32 b, [a]\n mov.b32 b, b\n exit\n",
             head, addresses - 1);
    snprintf(
        two, sizeof two,
        "%s and.b32 a, a, %u\n shl.b32 a, a, 2\n ld.const.b32 b, [a]\n ld.const.b32 c, [a]\n mov.b32 c, c\n exit\n",
        head, addresses - 1);
    const cycle_t reads = 4 + 7 * (addresses - 1), path = 5 * addresses;
    EXPECT_EQ(rig_cycles(settings, 32, 32, one), START + 3 + 10 + longer(reads, path) + 2);
    EXPECT_EQ(rig_cycles(settings, 32, 32, two), START + 4 + 10 + longer(reads, 2 * path - 1) + 2);
    EXPECT_EQ(rig_cycles("cu.constant_latency=10 cu.int_latency=1", 32, 32, one), START + 3 + 10 + 2);
  }
  EXPECT_EQ(rig_cycles(settings, 32, 32,
                       ".const t u32 1\n.kernel k\n.reg a, b\n ld.const.b32 a, [t]\n ld.const.b32 b, [t]\n"
                       " mov.b32 b, b\n exit\n"),
            START + 1 + 10 + 2);
}

/* A load whose guard holds in no lane counts as an LDS access or as nothing, as cu.lds_off says. */
TEST(cu, an_access_without_active_lanes_uses_the_lds_if_the_machine_says_so) {
  const char *text = ".kernel k\n.lds t 256\n.reg a\n.pred p\n get.lane a\n setp.lt.u32 p, a, 0\n@p ld.lds.b32 a, [0]\n"
                     " mov.b32 a, a\n exit\n";
  const char *on = ".kernel k\n.lds t 256\n.reg a\n.pred p\n get.lane a\n setp.lt.u32 p, a, 64\n@p ld.lds.b32 a, [0]\n"
                   " mov.b32 a, a\n exit\n";
  const cycle_t loads = rig_cycles("lds.latency=30", 32, 32, on);
  EXPECT_EQ(rig_cycles("lds.latency=30 cu.lds_off=pass", 32, 32, text), loads);
  EXPECT_EQ(rig_cycles("lds.latency=30", 32, 32, text), loads - 30); /* the next cycle */
}

TEST(cu, buckets_of_a_barrier_match_hand_calculation) {
  /*  cycle   10    11    12 13 14   15    16
   *  warp 0  bar   -- waits --      exit
   *  warp 1  turn  bar   -- waits   turn  exit */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, ".kernel k\n bar\n exit\n");
  EXPECT_EQ(rig.result.cycles, 17);
  EXPECT_EQ(stall(&rig, STALL_ISSUED), 4);
  EXPECT_EQ(stall(&rig, STALL_BARRIER), 4 + 3);
  EXPECT_EQ(stall(&rig, STALL_NOT_SELECTED), 1 + 1);
  EXPECT_EQ(rig.result.resident_cycles, 6 + 7);
  EXPECT_EQ(rig.result.cu.barriers, 1);
  EXPECT_EQ(rig.result.cu.active_cycles, 7);
  EXPECT_EQ(rig.result.cu.issue_cycles, 4);
  EXPECT_EQ(rig.result.cu.work_groups, 1);
}

/* Cycles between two clocks of a kernel around `between`, on a machine with these settings. */
static uint32_t between_clocks(const char *settings, uint32_t local, const char *between) {
  char kernel[512];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel,
           ".kernel k\n.arg out global\n.lds t 256\n.reg v, w, e\n.reg64 o, s, f\n ld.arg.b64 o, out\n mov.b64 s, o\n"
           " get.clock s\n%s get.clock f\n sub.i64 f, f, s\n st.global.b64 [o], f\n exit\n",
           between);
  rig_run(&rig, settings, local, local, kernel);
  const uint32_t cycles = rig_word(&rig, 0, 0);
  EXPECT_EQ(rig_word(&rig, 0, 1), 0);
  return cycles;
}

TEST(cu, clock_differences_equal_the_issue_time_between_them) {
  EXPECT_EQ(between_clocks("", 32, ""), 1);
  EXPECT_EQ(between_clocks("cu.int_interval=2", 32, ""), 2);
  EXPECT_EQ(between_clocks("", 32, " add.f32 v, v, v\n"), 2);
  EXPECT_EQ(between_clocks("cu.float_latency=7", 32, " add.f32 v, v, v\n add.f32 v, v, v\n"), 1 + 7 + 1);
  EXPECT_EQ(between_clocks("cu.schedulers=1", 32, " ld.lds.b32 v, [0]\n add.f32 v, v, v\n"), 1 + 1 + 1 + 10);
}

TEST(cu, barriers_copies_and_waits_have_separate_release_latencies) {
  const char *settings = "cu.barrier_latency=7 cu.copy_latency=11 cu.wait_latency=13";
  EXPECT_EQ(between_clocks(settings, 32, " bar\n"), 1 + 7);
  EXPECT_EQ(between_clocks(settings, 32, " copy.fence.lds\n"), 1 + 11);
  EXPECT_EQ(between_clocks(settings, 32, " copy.to_lds e, [0], [o], 1, size=4\n"), 1 + 11);
  EXPECT_EQ(between_clocks(settings, 32, " mov.b32 e, 0\n wait e\n"), 1 + 4 + 13);
}

TEST(cu, arrivals_at_barriers_are_processed_one_at_a_time) {
  enum { LATENCY = 5, INTERVAL = 3 };
  const char *settings = "cu.schedulers=8 cu.barrier_latency=5 cu.barrier_interval=3";
  for (uint32_t warps = 1; warps <= 8; warps++) { /* which arrive in the same cycle */
    ct_note("%u warps", warps);
    EXPECT_EQ(between_clocks(settings, 32 * warps, " bar\n bar\n"), 1 + 2 * (INTERVAL * warps + LATENCY));
  }
  /* warp 0 is 5 cycles late, so only its own arrival remains to be processed */
  const char *late = ".kernel k\n.reg w\n.pred p\n get.warp w\n setp.eq.u32 p, w, 0\n@!p bra meet\n add.i32 w, w, 1\n"
                     " add.i32 w, w, 1\nmeet: bar\n exit\n";
  EXPECT_EQ(rig_cycles(settings, 64, 64, late), START + 4 + 4 + 4 + 5 + INTERVAL + LATENCY + 1);
}

TEST(cu, a_result_is_forwarded_to_another_unit_later_than_within_its_own) {
  const char *settings = "cu.forward_latency=3 cu.special_latency=6";
  EXPECT_EQ(between_clocks(settings, 32, " mul.f32 v, v, v\n add.f32 v, v, v\n"), 1 + 4 + 1);
  EXPECT_EQ(between_clocks(settings, 32, " mul.f32 v, v, v\n sqrt.f32 v, v\n add.f32 v, v, v\n"),
            1 + 4 + 3 + 6 + 3 + 1);
  /* data from replies and values that are long complete are not forwarded; nor is anything forwarded to the LDS */
  EXPECT_EQ(between_clocks(settings, 32, " ld.lds.b32 v, [0]\n add.f32 v, v, v\n"), 1 + 1 + 1 + 10);
  EXPECT_EQ(between_clocks(settings, 32, " mov.b32 v, 4\n ld.lds.b32 w, [v]\n"), 1 + 4 + 1);
}

TEST(cu, a_predicate_reaches_a_branch_after_guard_latency) {
  const char *text = " setp.eq.u32 p0, v, 1\n@p0 bra over\n mov.b32 w, w\nover: mov.b32 v, v\n";
  const char *early =
      " setp.eq.u32 p0, v, 1\n sqrt.f32 w, w\n sqrt.f32 w, w\n@p0 bra over\n mov.b32 w, w\nover: mov.b32 v, v\n";
  EXPECT_EQ(between_clocks("cu.guard_latency=6", 32, text), between_clocks("", 32, text) + 6);
  EXPECT_EQ(between_clocks("cu.guard_latency=6 cu.forward_latency=2", 32, text), between_clocks("", 32, text) + 6);
  EXPECT_EQ(between_clocks("cu.forward_latency=2", 32, text), between_clocks("", 32, text) + 2);
  EXPECT_EQ(between_clocks("cu.guard_latency=6", 32, early), between_clocks("", 32, early));
}

TEST(cu, subclasses_inherit_the_values_of_their_class) {
  static const char add[] = " add.i32 v, v, v\n", count[] = " popc.b32 v, v\n", vote[] = " ballot.b64 f, p0\n",
                    whole[] = " xor.b32 v, v, v\n", lane[] = " shfl.xor.b32 w, w, 1\n";
  static const struct {
    const char *first, *second, *settings;
    uint32_t cycles;
  } rows[] = {
      {add, whole, "cu.int_latency=7", 1 + 7 + 1},
      {add, whole, "cu.int_latency=7 cu.add_latency=9", 1 + 9 + 1},
      {add, "", "cu.int_interval=5", 5 + 5},
      {add, "", "cu.int_interval=5 cu.add_interval=3", 5}, /* between two clocks */
      {add, add, "cu.int_latency=1 cu.add_interval=3", 1 + 3 + 1},
      {count, whole, "cu.int_latency=7", 1 + 7 + 1},
      {count, whole, "cu.int_latency=7 cu.count_latency=9", 1 + 9 + 1},
      {count, "", "cu.int_interval=5", 5 + 5},
      {count, "", "cu.int_interval=5 cu.count_interval=3", 5},
      {vote, "", "cu.lane_latency=7", 1 + 7}, /* the clock is written where the vote is */
      {vote, "", "cu.lane_latency=7 cu.vote_latency=9", 1 + 9},
      {vote, lane, "cu.lane_latency=1 cu.lane_interval=6", 1 + 6 + 1},
      {vote, lane, "cu.lane_latency=1 cu.lane_interval=6 cu.vote_interval=3", 1 + 1 + 2},
      {vote, "", "cu.vote_latency=1 cu.vote_interval=3", 1 + 3}, /* in int's unit, like the clock */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[128];
    ct_note("row %zu", i);
    snprintf(text, sizeof text, "%s%s", rows[i].first, rows[i].second);
    EXPECT_EQ(between_clocks(rows[i].settings, 32, text), rows[i].cycles);
  }
}

/* Cycles from the end of warp 0 to the end of warp 2. Both start together and share one scheduler for their chains. */
static uint32_t lag(const char *settings, const char *chain) {
  char kernel[512];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel,
           ".kernel k\n.arg out global\n.reg w, v, u\n.reg64 o, f\n ld.arg.b64 o, out\n get.warp w\n shl.b32 w, w, 3\n"
           " bar\n%s get.clock f\n st.global.b64 [o + w], f\n exit\n",
           chain);
  rig_run(&rig, settings, 96, 96, kernel);
  return rig_word(&rig, 0, 4) - rig_word(&rig, 0, 0);
}

TEST(cu, the_fair_policy_keeps_a_warp_only_while_it_issues_every_cycle) {
#define CHAIN " add.i32 v, v, v\n add.i32 v, v, v\n add.i32 v, v, v\n add.i32 v, v, v\n"
#define RUN " add.i32 v, v, v\n add.i32 u, u, u\n"
  /* one link every 2 cycles: two warps fill the slots, and under the oldest-first policies the third waits for their
   * end */
  EXPECT_EQ(lag("cu.int_latency=2 cu.policy=greedy_fair", CHAIN), 4); /* the last link and the clock in a row */
  EXPECT_EQ(lag("cu.int_latency=2 cu.policy=round_robin", CHAIN), 2);
  EXPECT_GT(lag("cu.int_latency=2 cu.policy=greedy_oldest", CHAIN), 4);
  /* independent instructions: 3 of each warp in turn */
  EXPECT_EQ(lag("cu.policy=greedy_fair", RUN), 6);
  EXPECT_EQ(lag("cu.policy=round_robin", RUN), 2);
#undef CHAIN
#undef RUN
}

TEST(cu, an_lds_result_takes_one_port_cycle_plus_passes_plus_latency) {
  const char *text = ".kernel k\n.lds t 4096\n.reg a, b\n get.local_id a, x\n shl.b32 a, a, %d\n"
                     " ld.lds.b32 b, [t + a]\n mov.b32 b, b\n exit\n";
  for (int shift = 2; shift <= 7; shift++) { /* strides of 1 to 32 words give 1 to 32 passes */
    char kernel[256];
    uint32_t passes = 1u << (shift - 2);
    ct_freed(rig_free) struct rig rig;
    ct_note("stride %u words", passes);
    snprintf(kernel, sizeof kernel, text, shift);
    rig_run(&rig, "", 32, 32, kernel);
    uint64_t issued = START + 4 + 4; /* get, shl, then the load */
    EXPECT_EQ(rig.result.cycles, issued + passes + 10 + 2);
    EXPECT_EQ(rig_pc(&rig, "ld.lds")->lds_passes, passes);
    EXPECT_EQ(rig_pc(&rig, "ld.lds")->lds_max_ways, passes);
    EXPECT_EQ(stall(&rig, STALL_LDS_CONFLICT), passes - 1);
    EXPECT_EQ(stall(&rig, STALL_LDS), 10);
    EXPECT_EQ(stall(&rig, STALL_LDS_CONTENTION), 0);
  }
}

TEST(cu, a_full_lds_queue_blocks_warps) {
  /* eight independent loads of 32 passes each through a queue of one */
  const char *text = ".kernel k\n.lds t 4096\n.reg a, b[4]\n get.local_id a, x\n shl.b32 a, a, 7\n"
                     " ld.lds.b32 b[0], [t + a]\n ld.lds.b32 b[1], [t + a]\n ld.lds.b32 b[2], [t + a]\n exit\n";
  ct_freed(rig_free) struct rig full, roomy;
  rig_run(&full, "lds.queue=1", 32, 32, text);
  rig_run(&roomy, "lds.queue=8", 32, 32, text);
  EXPECT_GT(stall(&full, STALL_LDS_QUEUE), 0);
  EXPECT_EQ(stall(&roomy, STALL_LDS_QUEUE), 0);
  EXPECT_GT(stall(&roomy, STALL_DRAIN), stall(&full, STALL_DRAIN));
}

TEST(cu, no_two_accesses_in_flight_share_a_number) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, "", 32, 32, ".kernel k\n exit\n"));
  simulation_build(rig.simulation);
  const struct cu *cu = &rig.simulation->nodes[0]->cu;
  const struct cu_pool *const pools[] = {&cu->lsu.lds_pool, &cu->lsu.global_pool};
  const uint32_t all = pools[0]->count + pools[1]->count;
  ct_freed(ct_free) bool *taken = calloc(all, sizeof *taken);
  for (unsigned i = 0; i < 2; i++)
    for (uint32_t at = 0; at < pools[i]->count; at++) {
      const uint32_t number = pools[i]->unused[at];
      EXPECT_TRUE(number < all && !taken[number]);
      if (number < all)
        taken[number] = true;
    }
}

TEST(cu, a_fence_waits_for_the_accesses_of_its_space) {
  const char *text = ".kernel k\n.lds t 128\n.reg a\n st.lds.b32 [t], a\n %s\n exit\n";
  char kernel[256];
  struct rig rig;
  snprintf(kernel, sizeof kernel, text, "fence.lds");
  rig_run(&rig, "", 32, 32, kernel);
  /* store at 10, performed (its reply) at 10 + 1 + 10; the fence issues then, and the exit follows */
  EXPECT_EQ(rig.result.cycles, START + 11 + 2);
  EXPECT_EQ(stall(&rig, STALL_FENCE), 10);
  rig_free(&rig);
  snprintf(kernel, sizeof kernel, text, "fence.global");
  rig_run(&rig, "", 32, 32, kernel);
  EXPECT_EQ(stall(&rig, STALL_FENCE), 0);
  EXPECT_EQ(stall(&rig, STALL_DRAIN), 8); /* exit at 12; the store is performed at 21 */
  rig_free(&rig);
}

TEST(cu, with_order_a_barrier_does_not_wait_for_lds_accesses) {
  /* warp 1 stores twice, 32 passes each, and warp 0 loads what warp 1 stored, after the barrier */
  const char *text =
      ".kernel k\n.lds t 8192\n.arg a global\n.arg b global\n.reg i, l, v\n.reg64 q\n.pred one, zero\n"
      " get.local_id i, x\n get.lane l\n shl.b32 v, l, 7\n setp.ge.u32 one, i, 32\n setp.lt.u32 zero, i, 32\n"
      "@one st.lds.b32 [v + 4096], i\n@one st.lds.b32 [v], i\n bar.lds\n@zero ld.lds.b32 v, [v]\n"
      " shl.b32 l, l, 2\n ld.arg.b64 q, b\n@zero st.global.b32 [q + l], v\n exit\n";
  static const struct {
    const char *settings;
    bool waits;
  } rows[] = {{"cu.local_fence=wait lds.interleave=2", true},
              {"cu.local_fence=order lds.interleave=2", false},
              {"cu.local_fence=order", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(rig_free) struct rig rig;
    ct_note("%s", rows[i].settings);
    rig_run(&rig, rows[i].settings, 64, 64, text);
    EXPECT_EQ(stall(&rig, STALL_FENCE) > 0, rows[i].waits);
    for (uint32_t lane = 0; lane < 32; lane++)
      EXPECT_EQ(rig_word(&rig, 1, lane), 32 + lane);
  }
}

TEST(cu, with_order_a_program_with_copies_waits_at_barriers) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.local_fence=order", 32, 32,
          ".kernel k\n.lds t 256\n.arg a global\n.reg i, e\n.reg64 p\n ld.arg.b64 p, a\n st.lds.b32 [t], i\n bar.lds\n"
          " copy.to_lds e, [t], [p], 16, size=4\n wait e\n exit\n");
  EXPECT_LT(0, stall(&rig, STALL_FENCE));
}

static const char *const alu_kernel = ".kernel k\n.reg a, b, c, d\n"
                                      " add.i32 a, a, 1\n add.i32 b, b, 1\n add.i32 c, c, 1\n add.i32 d, d, 1\n exit\n";

/* Warp-cycles that three ready warps of one scheduler lose to each other. */
static uint64_t turns_lost(const char *settings) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, settings, 96, 96, alu_kernel);
  EXPECT_EQ(rig.result.cycles, START + 15);
  uint64_t lost = stall(&rig, STALL_NOT_SELECTED);
  return lost;
}

TEST(cu, round_robin_alternates_and_oldest_first_runs_a_warp_to_its_end) {
  /* Three warps, five independent instructions each, one scheduler: 15 issues in any order. In turn, 012012...: each
   * warp waits two cycles between issues, and warp i waits i cycles at first: 3*(4*2) + 0+1+2 = 27. Oldest first (and
   * greedy), 00000 11111 22222: warp 1 waits 5 and warp 2 waits 10. */
  EXPECT_EQ(turns_lost("cu.policy=round_robin"), 27);
  EXPECT_EQ(turns_lost("cu.policy=oldest"), 15);
  EXPECT_EQ(turns_lost("cu.policy=greedy_oldest"), 15);
}

TEST(cu, greedy_stays_with_its_warp_when_oldest_first_switches_back) {
  /* warp 0 issues, stalls 4 cycles on its own result, then is ready again while warp 1 still has work */
  const char *text = ".kernel k\n.reg a, b, c\n add.i32 a, a, 1\n add.i32 a, a, 1\n add.i32 b, b, 1\n add.i32 c, c, 1\n"
                     " exit\n";
  uint64_t greedy = rig_cycles("cu.policy=greedy_oldest", 64, 64, text);
  uint64_t oldest = rig_cycles("cu.policy=oldest", 64, 64, text);
  EXPECT_LE(oldest, greedy);
}

TEST(cu, schedulers_issue_in_parallel) {
  uint64_t one = rig_cycles("cu.schedulers=1", 128, 128, alu_kernel);
  uint64_t four = rig_cycles("cu.schedulers=4", 128, 128, alu_kernel);
  EXPECT_EQ(one, START + 4 * 5);
  EXPECT_EQ(four, START + 5);
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.schedulers=4", 128, 128, alu_kernel);
  EXPECT_EQ(rig.result.cu.warp_instructions, 20);
  EXPECT_EQ(rig.result.cu.issue_cycles, 5);
}

TEST(cu, every_limit_on_occupancy_can_be_the_binding_one) {
  static const struct {
    const char *settings;
    enum occupancy_limit limit;
    uint32_t groups;
  } rows[] = {
      {"cu.warps=8 cu.groups=32 lds.size=1M", LIMIT_WARPS, 4},
      {"cu.warps=64 cu.groups=3 lds.size=1M", LIMIT_GROUPS, 3},
      {"cu.warps=64 cu.groups=32 cu.registers=2560 lds.size=1M", LIMIT_REGISTERS, 5},
      {"cu.warps=64 cu.groups=32 lds.size=6K", LIMIT_LDS, 6},
      {"cu.warps=64 cu.groups=32 lds.size=1M cu.count=16", LIMIT_WORK, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(rig_free) struct rig rig;
    ct_note("%s", rows[i].settings);
    rig_run(&rig, rows[i].settings, 64 * 32, 64, ".kernel k\n.lds t 1024\n exit\n");
    EXPECT_EQ(rig.result.occupancy.limit, rows[i].limit);
    EXPECT_EQ(rig.result.occupancy.groups_per_cu, rows[i].groups);
    EXPECT_EQ(rig.result.cu.work_groups, 32);
  }
}

TEST(cu, a_group_that_does_not_fit_has_no_occupancy) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, "lds.size=1K", 64, 64, ".kernel k\n.lds t 2048\n exit\n"));
  EXPECT_EQ(simulation_occupancy(&rig.machine, &rig.launch).groups_per_cu, 0);
}

TEST(cu, divergent_branches_are_counted_and_run_both_sides) {
  const char *text = ".kernel k\n.reg a, b\n.pred p\n get.local_id a, x\n setp.lt.u32 p, a, %u\n@p bra then\n"
                     " add.i32 b, b, 2\n bra end\nthen: add.i32 b, b, 1\nend: exit\n";
  char kernel[256];
  struct rig rig;
  snprintf(kernel, sizeof kernel, text, 16u);
  rig_run(&rig, "", 32, 32, kernel);
  EXPECT_EQ(rig.result.cu.divergent_branches, 1);
  EXPECT_EQ(rig_pc(&rig, "add.i32")->lanes, 16);
  rig_free(&rig);
  snprintf(kernel, sizeof kernel, text, 32u);
  rig_run(&rig, "", 32, 32, kernel);
  EXPECT_EQ(rig.result.cu.divergent_branches, 0);
  EXPECT_EQ(rig_pc(&rig, "add.i32")->lanes, 0);
  rig_free(&rig);
}

TEST(cu, a_barrier_that_blocks_accesses_lets_a_warp_compute_until_release) {
  const char *settings = "cu.barrier_blocks=accesses cu.barrier_latency=20";
  EXPECT_EQ(between_clocks(settings, 32, " bar\n"), 2);
  EXPECT_EQ(between_clocks(settings, 32, " bar\n mov.b32 v, v\n mov.b32 v, v\n"), 1 + 1 + 4 + 1);
  EXPECT_EQ(between_clocks(settings, 32, " bar\n ld.lds.b32 v, [0]\n"), 1 + 20 + 1);
  EXPECT_EQ(between_clocks(settings, 32, " bar\n mov.b32 v, v\n mov.b32 v, v\n bar\n ld.lds.b32 v, [0]\n"),
            1 + 20 + 20 + 1);
  EXPECT_EQ(rig_cycles(settings, 32, 32, ".kernel k\n bar\n exit\n"), START + 20 + 1);
  /* a load from before the barrier returns after it */
  EXPECT_EQ(between_clocks(settings, 32, " ld.lds.b32 v, [0]\n bar\n mov.b32 v, v\n"), 1 + 1 + 10 + 1);
}

TEST(cu, barriers_that_block_accesses_still_order_lds_reads_after_writes) {
  static const char text[] =
      ".kernel k\n.arg out global\n.lds t 2048\n.reg i, j, v, n\n.reg64 o\n.pred p\n ld.arg.b64 o, out\n get.local_id "
      "i, x\n"
      " shl.b32 i, i, 2\n mov.b32 n, 0\nagain: add.i32 v, i, n\n st.lds.b32 [t + i], v\n bar.lds\n xor.b32 j, i, 1020\n"
      " ld.lds.b32 v, [t + j]\n bar.lds\n add.i32 n, n, 1\n setp.lt.u32 p, n, 9\n@p bra again\n st.global.b32 [o + i], "
      "v\n"
      " exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.barrier_blocks=accesses cu.barrier_interval=2 cu.barrier_latency=9", 256, 256, text);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.cu.barriers, 18);
  for (uint32_t i = 0; i < 256; i++)
    EXPECT_EQ(rig_word(&rig, 0, i), ((4 * i) ^ 1020) + 8);
}

TEST(cu, an_unreached_barrier_is_reported_even_if_it_blocks_only_accesses) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.barrier_blocks=accesses", 64, 64,
          ".kernel k\n.reg i\n.pred c\n get.local_id i, x\n setp.lt.u32 c, i, 32\n@c bar\n mov.b32 i, i\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_BARRIER);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_M8), 1);
}

TEST(cu, a_divergent_branch_costs_divergence_latency_more) {
  const char *text = " mov.b32 w, 5\n setp.lt.u32 p0, w, 9\n@p0 bra over\n add.f32 v, v, v\nover: mov.b32 w, w\n";
  const char *divergence = " get.lane w\n setp.lt.u32 p0, w, 9\n@p0 bra over\n add.f32 v, v, v\nover: mov.b32 w, w\n";
  EXPECT_EQ(between_clocks("cu.divergence_latency=23", 32, text), between_clocks("", 32, text));
  EXPECT_EQ(between_clocks("cu.divergence_latency=23", 32, divergence), between_clocks("", 32, divergence) + 23);
}

TEST(cu, the_dispatcher_stays_within_its_rate) {
  static const struct {
    uint32_t rate, groups, last; /* when the last group is sent */
  } rows[] = {{0, 8, 0},  {800, 8, 0}, {100, 8, 7}, {50, 8, 14}, {84, 6, 5},
              {84, 7, 7}, {250, 3, 0}, {250, 4, 1}, {1, 2, 100}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char settings[64];
    ct_note("rate %u", rows[i].rate);
    snprintf(settings, sizeof settings, "cu.count=8 cu.dispatch_rate=%u", rows[i].rate);
    EXPECT_EQ(rig_cycles(settings, 32 * rows[i].groups, 32, ".kernel k\n exit\n"), rows[i].last + START + 1);
  }
}

TEST(cu, groups_of_a_launch_reach_all_compute_units) {
  struct rig rig;
  rig_run(&rig, "cu.count=4 cu.groups=2", 32 * 64, 32, alu_kernel);
  EXPECT_EQ(rig.result.cu.work_groups, 64);
  EXPECT_EQ(rig.result.cu.warp_instructions, 64 * 5);
  EXPECT_EQ(rig.result.cu.lane_instructions, 64 * 5 * 32);
  rig_free(&rig);
  /* the smaller last group of a non-uniform range has fewer lanes */
  rig_run(&rig, "cu.count=4", 32 * 64 - 8, 32, alu_kernel);
  EXPECT_EQ(rig.result.cu.lane_instructions, (64 * 32 - 8) * 5);
  rig_free(&rig);
}

TEST(cu, every_groups_lds_starts_at_bank_0) {
  /* 4095 bytes would let the next group's words straddle banks */
  const char *text =
      ".kernel k\n.lds t 4095\n.reg i\n get.local_id i, x\n shl.b32 i, i, 2\n st.lds.b32 [t + i], i\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.lds_unit=16", 32 * 8, 32, text);
  EXPECT_EQ(rig.result.lds.conflict_cycles, 0);
  EXPECT_EQ(rig.result.occupancy.lds_per_group, 4096);
}

TEST(cu, registers_are_allocated_in_units) {
  struct rig rig;
  rig_run(&rig, "cu.register_unit=1024", 32, 32, ".kernel k\n.registers 33\n exit\n");
  EXPECT_EQ(rig.result.occupancy.registers_per_warp, 2048); /* 33 x 32 = 1056 */
  rig_free(&rig);
  rig_run(&rig, "cu.register_unit=1", 32, 32, ".kernel k\n.registers 33\n exit\n");
  EXPECT_EQ(rig.result.occupancy.registers_per_warp, 1056);
  rig_free(&rig);
}

TEST(cu, lds_instructions_of_a_warp_keep_a_spacing_and_others_issue_between) {
  const char *text =
      ".kernel k\n.lds t 64\n.reg a, b, c\n ld.lds.b32 a, [t]\n mov.b32 c, 1\n ld.lds.b32 b, [t]\n exit\n";
  ct_freed(rig_free) struct rig plain, spaced, less;
  rig_run(&plain, "", 32, 32, text);
  rig_run(&spaced, "cu.lds_spacing=7", 32, 32, text);
  rig_run(&less, "cu.lds_spacing=2", 32, 32, text); /* the move takes the same time */
  EXPECT_EQ(stall(&plain, STALL_UNIT), 0);
  EXPECT_EQ(stall(&spaced, STALL_UNIT), 5);
  EXPECT_EQ(spaced.result.cycles, plain.result.cycles + 5);
  EXPECT_EQ(less.result.cycles, plain.result.cycles);
  /* so are accesses whose lanes are all off */
  const char *off = ".kernel k\n.lds t 64\n.reg a, b\n.pred p\n@p ld.lds.b32 a, [t]\n@p ld.lds.b32 b, [t]\n exit\n";
  EXPECT_EQ(rig_cycles("cu.lds_spacing=7", 32, 32, off), rig_cycles("", 32, 32, off) + 6);
}

/* The registers that move along: a store's data, an atomic's operands. */
TEST(cu, an_lds_instruction_occupies_its_unit_while_its_data_move) {
  static const struct {
    const char *text;
    uint32_t sent;
  } rows[] = {{"ld.lds.b128 v, [t]", 0},         {"st.lds.b8 [t], v", 1},
              {"st.lds.b32 [t], v", 1},          {"st.lds.b64 [t], v", 2},
              {"st.lds.b128 [t], v", 4},         {"atom.lds.add.i32 v, [t], w", 1},
              {"atom.lds.add.i32 _, [t], w", 1}, {"atom.lds.cas.b32 v, [t], w, x", 2}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256];
    ct_freed(rig_free) struct rig plain, slow;
    snprintf(text, sizeof text,
             ".kernel k\n.lds t 64\n.reg v[4], w, x, y\n %s\n ld.lds.b32 y, [t]\n mov.b32 y, y\n exit\n", rows[i].text);
    rig_run(&plain, "", 32, 32, text);
    rig_run(&slow, "cu.lds_data_interval=3", 32, 32, text);
    ct_note("%s", rows[i].text);
    EXPECT_EQ(stall(&slow, STALL_UNIT), 3 * rows[i].sent);
    EXPECT_EQ(slow.result.cycles, plain.result.cycles + (uint64_t)(3 * rows[i].sent));
  }
}

TEST(cu, lds_instructions_are_one_interval_apart) {
  const char *text = ".kernel k\n.lds t 64\n.reg a, b\n ld.lds.b32 a, [t]\n ld.lds.b32 b, [t]\n exit\n";
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.lds_interval=6", 32, 32, text);
  EXPECT_EQ(stall(&rig, STALL_UNIT), 5);
}
