/* The branch stack: diverged lanes do what each would do alone, and meet again. */
#include "isa/asm/asm.h"
#include "isa/cfg.h"
#include "tests/ct.h"
#include "tests/isa/rig.h"
#include "tests/kernels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CT_FREES(struct isa_program, isa_program_free)

/* Runs `source` at 16, 32 and 64 lanes and compares register r0 of each lane with `expected`. */
static void expect_lanes(const char *source, uint32_t (*expected)(uint32_t lane)) {
  for (uint32_t lanes = 16; lanes <= 64; lanes *= 2) {
    ct_freed(rig_close) struct rig rig;
    ASSERT_TRUE(rig_open(&rig, source, lanes, lanes));
    ASSERT_TRUE(rig_run(&rig, 1000000));
    for (uint32_t lane = 0; lane < lanes; lane++) {
      ct_note("lane %u of %u", lane, lanes);
      EXPECT_EQ(rig_reg(&rig, 0, lane), expected(lane));
    }
  }
}

static uint32_t nested_result(uint32_t lane) { return (lane < 8 ? (lane & 1 ? 11 : 12) : 20) + 100; }

TEST(divergence, nested_if_else_takes_each_lane_through_its_own_arm) {
  expect_lanes(CT_KERNEL(nested_if_else_takes), nested_result);
}

static uint32_t trips_result(uint32_t lane) { return lane * (lane + 1) / 2 + 1; }

TEST(divergence, loops_run_as_often_as_each_lane_requires) {
  expect_lanes(CT_KERNEL(loops_run_as_often), trips_result);
}

/* for (i = 0; i < 40; i++) { if (i == lane) break; if (i & 1) continue; x += i; } x *= 2 */
static uint32_t break_result(uint32_t lane) {
  uint32_t x = 0;
  for (uint32_t i = 0; i < 40 && i != lane; i++)
    x += i & 1 ? 0 : i;
  return 2 * x;
}

TEST(divergence, break_and_continue_leave_no_lane_behind) {
  expect_lanes(CT_KERNEL(break_and_continue_leave), break_result);
}

static uint32_t early_result(uint32_t lane) { return lane % 3 == 0 ? 1 : lane % 3 == 1 ? 2 : 7; }

TEST(divergence, early_exits_do_not_prevent_reconvergence_of_the_others) {
  const char *source = CT_KERNEL(early_exits_do_not);
  expect_lanes(source, early_result);
}

static uint32_t private_result(uint32_t lane) { return 1000 + lane; }

TEST(divergence, waiting_sides_are_stored_next_to_private_memory) {
  expect_lanes(CT_KERNEL(waiting_sides_are_stored), private_result);
}

TEST(divergence, a_uniform_branch_does_not_touch_the_stack) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, CT_KERNEL(a_uniform_branch_does), 32, 32));
  EXPECT_TRUE(rig_run(&rig, 10));
  EXPECT_EQ(rig.steps, 4);
  EXPECT_EQ(rig.deepest, 0);
  EXPECT_EQ(rig_reg(&rig, 0, 0), 0);
}

TEST(divergence, a_divergent_branch_is_reported_and_the_lower_side_runs_first) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, CT_KERNEL(a_divergent_branch_is), 32, 32));
  for (int i = 0; i < 3; i++)
    rig_step(&rig, 0);
  EXPECT_TRUE(rig.last.diverged);
  EXPECT_EQ(rig.last.mask, 0xf);
  EXPECT_EQ(rig.warp[0].pc, 3);
  EXPECT_EQ(rig.warp[0].active, 0xfffffff0);
  EXPECT_EQ(rig.warp[0].depth, 2);
  rig_step(&rig, 0);
  rig_step(&rig, 0); /* bra done: this side ends */
  EXPECT_EQ(rig.warp[0].pc, 5);
  EXPECT_EQ(rig.warp[0].active, 0xf);
  rig_step(&rig, 0);
  EXPECT_EQ(rig.warp[0].pc, 6);
  EXPECT_EQ(rig.warp[0].active, UINT32_MAX);
  EXPECT_EQ(rig.warp[0].depth, 0);
  rig_step(&rig, 0);
  EXPECT_TRUE(rig.last.done);
}

/* Three nested exits from a loop, 10^5 iterations, lanes leaving in many places. */
TEST(divergence, the_stack_does_not_grow_with_loop_iterations) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, CT_KERNEL(the_stack_does_not), 64, 64));
  EXPECT_TRUE(rig_run(&rig, 100000000));
  EXPECT_GE(rig.steps, 500000);
  EXPECT_LE(rig.deepest, 8);
  EXPECT_LT(rig.deepest, rig.program->stack_entries);
}

/* Lanes that leave a loop at its end wait in one shared entry. */
TEST(divergence, lanes_that_leave_a_loop_at_its_end_share_one_entry) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, CT_KERNEL(lanes_that_leave_a), 64, 64));
  EXPECT_TRUE(rig_run(&rig, 1000));
  EXPECT_EQ(rig.deepest, 1);
  EXPECT_EQ(rig_reg(&rig, 0, 63), 64);
}

/* One more lane leaves the loop in each iteration, to a tail before the join: at most one entry per lane. */
TEST(divergence, there_is_at_most_one_waiting_side_per_lane) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, CT_KERNEL(there_is_at_most), 64, 64));
  EXPECT_TRUE(rig_run(&rig, 1000000));
  for (uint32_t lane = 1; lane < 64; lane++)
    EXPECT_EQ(rig_reg(&rig, 0, lane), lane + 5000);
  EXPECT_EQ(rig_reg(&rig, 0, 0), 1000);
  EXPECT_GE(rig.deepest, 60);
  EXPECT_LE(rig.deepest, rig.program->stack_entries);
}

/* ---- joins --------------------------------------------------------------------------------------- */

/* The join of the instruction in `line`, as a line number; 0: they never join. */
static uint32_t join_line(const char *source, uint32_t line) {
  struct isa_error error = {""};
  uint32_t result = UINT32_MAX;
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "cfg", &error);
  EXPECT_STREQ(error.text, "");
  for (uint32_t pc = 0; program && pc < program->count; pc++)
    if (program->line[pc] == line) {
      const uint32_t join = isa_branch_join(&program->code[pc]);
      result = join == ISA_NEVER ? 0 : program->line[join];
    }
  return result;
}

TEST(divergence, joins_are_immediate_post_dominators) {
  const char *if_else = ".kernel k\n@p0 bra b\nmov.b32 r0, 1\nbra c\nb: mov.b32 r0, 2\nc: exit\n";
  EXPECT_EQ(join_line(if_else, 2), 6);
  const char *loop = ".kernel k\na: mov.b32 r0, 1\n@p0 bra a\nexit\n";
  EXPECT_EQ(join_line(loop, 3), 4);
  const char *break_out = ".kernel k\na: @p1 bra out\n@p0 bra a\nmov.b32 r0, 1\nout: exit\n";
  EXPECT_EQ(join_line(break_out, 2), 5);
  EXPECT_EQ(join_line(break_out, 3), 5);
}

TEST(divergence, an_arm_that_ends_in_exit_does_not_move_the_join) {
  const char *early = ".kernel k\n@p0 bra b\nexit\nb: @p1 bra d\nmov.b32 r0, 1\nd: exit\n";
  EXPECT_EQ(join_line(early, 2), 4);
  EXPECT_EQ(join_line(early, 4), 6);
  const char *guarded = ".kernel k\n@p0 bra b\n@p1 exit\nb: exit\n";
  EXPECT_EQ(join_line(guarded, 2), 4);
  /* within an arm that ends by itself, sides meet as anywhere else */
  const char *inner = ".kernel k\n@p0 bra z\n@p1 bra b\nmov.b32 r0, 1\nb: mov.b32 r0, 2\nexit\nz: exit\n";
  EXPECT_EQ(join_line(inner, 2), 7);
  EXPECT_EQ(join_line(inner, 3), 5);
}

/* Each lane runs the first loop as often as its number says; all must have met before the second. */
static uint32_t met_result(uint32_t lane) {
  (void)lane;
  return 1;
}

TEST(divergence, a_guarded_exit_is_the_end_if_there_is_no_other) {
  expect_lanes(CT_KERNEL(a_guarded_exit_is), met_result);
}

TEST(divergence, branches_in_an_infinite_loop_never_join) {
  const char *endless = ".kernel k\na: @p0 bra b\nmov.b32 r0, 1\nb: bra a\n";
  EXPECT_EQ(join_line(endless, 2), 0);
  const char *one_arm = ".kernel k\n@p0 bra b\na: bra a\nb: exit\n";
  EXPECT_EQ(join_line(one_arm, 2), 4);
}

/* ---- random structured programs ------------------------------------------------------------------- */

struct source {
  char text[1 << 16];
  size_t length;
  unsigned labels, statements, depth;
  uint64_t seed;
};

__attribute__((format(printf, 2, 3))) static void emit(struct source *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  s->length += (size_t)vsnprintf(s->text + s->length, sizeof s->text - s->length, format, arguments);
  va_end(arguments);
}

/* p holds in the lanes whose next random number has certain bits clear. */
static void emit_condition(struct source *s, unsigned pred) {
  static const char *const masks[] = {"0x10000", "0x30000", "0x70000", "0x8000"};
  emit(s, "mad.i32 rnd, rnd, 1103515245, step\nand.b32 t, rnd, %s\nsetp.eq.u32 q%u, t, 0\n",
       masks[ct_random(&s->seed) % 4], pred);
}

#define LOOP_NONE UINT32_MAX
enum { DEEPEST = 5 };

static void emit_block(struct source *s, unsigned loop);

static void emit_if(struct source *s, unsigned loop) {
  const unsigned label = s->labels++;
  const bool has_else = ct_random(&s->seed) & 1;
  emit_condition(s, 0);
  emit(s, "@!q0 bra else%u\n", label);
  emit_block(s, loop);
  if (has_else)
    emit(s, "bra fi%u\nelse%u:\n", label, label);
  if (has_else)
    emit_block(s, loop);
  else
    emit(s, "else%u:\n", label);
  emit(s, "fi%u:\n", label);
}

/* A loop of up to 6 iterations; each lane has its own count. */
static void emit_loop(struct source *s) {
  const unsigned label = s->labels++, counter = s->depth;
  emit(s,
       "shr.u32 t, rnd, 13\nrem.u32 n[%u], t, 6\nloop%u:\nsetp.eq.u32 q0, n[%u], 0\n@q0 bra out%u\n"
       "sub.i32 n[%u], n[%u], 1\n",
       counter, label, counter, label, counter, counter);
  emit_block(s, label);
  emit(s, "bra loop%u\nout%u:\n", label, label);
}

static void emit_statement(struct source *s, unsigned loop) {
  const uint64_t kind = ct_random(&s->seed) % 10;
  const unsigned number = ++s->statements;
  emit(s, "mad.i32 h, h, 31, rnd\nadd.i32 h, h, %u\n", number);
  if (s->depth < DEEPEST && s->statements < 60 && kind < 3)
    emit_if(s, loop);
  else if (s->depth < DEEPEST && s->statements < 60 && kind < 5)
    emit_loop(s);
  else if (loop != LOOP_NONE && kind < 7) {
    emit_condition(s, 0);
    emit(s, "@q0 bra %s%u\n", kind < 6 ? "out" : "loop", loop);
  } else if (kind == 7 && ct_random(&s->seed) % 4 == 0) {
    emit_condition(s, 0);
    emit(s, "and.b32 t, rnd, 0x700000\nsetp.eq.u32 q1, t, 0\nand.pred q0, q0, q1\n@q0 exit\n");
  } else if (kind == 8 && ct_random(&s->seed) % 4 == 0) {
    emit_condition(s, 0);
    emit(s, "@!q0 bra stay%u\nadd.i32 h, h, 1000\nexit\nstay%u:\n", s->labels, s->labels);
    s->labels++;
  }
}

static void emit_block(struct source *s, unsigned loop) {
  s->depth++;
  for (uint64_t i = 1 + ct_random(&s->seed) % 3; i--;)
    emit_statement(s, loop);
  s->depth--;
}

/* A bar is placed where all live lanes should be together. */
static void generate(struct source *s, uint64_t seed) {
  *s = (struct source){.seed = seed};
  emit(s, ".kernel k\n.reg h, rnd, t, step, n[8]\n.pred q0, q1\n"
          "get.local_id rnd, x\nmad.i32 rnd, rnd, 7919, h\nmov.b32 step, 12345\n");
  for (int i = 0; i < 6; i++) {
    emit_block(s, LOOP_NONE);
    emit(s, "bar\n");
  }
  emit(s, "exit\n");
}

/* The value of h when `lane` runs alone, so that nothing can diverge. */
static uint32_t alone(const char *source, uint32_t lane, uint32_t lanes) {
  ct_freed(rig_close) struct rig rig;
  if (!rig_open(&rig, source, lanes, lanes))
    return 0;
  rig.warp[0].all = rig.warp[0].live = rig.warp[0].active = UINT64_C(1) << lane;
  EXPECT_TRUE(rig_run(&rig, 1000000));
  EXPECT_EQ(rig.deepest, 0);
  return rig_reg(&rig, 0, lane);
}

TEST(divergence, random_programs_in_lockstep_match_single_lanes_and_meet_at_every_barrier) {
  static struct source s;
  uint64_t diverged = 0, exited = 0;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    const uint32_t lanes = 16u << seed % 3;
    ct_freed(rig_close) struct rig rig;
    generate(&s, seed * 77777);
    ct_note("seed %llu, %u lanes", (unsigned long long)seed, lanes);
    ASSERT_TRUE(rig_open(&rig, s.text, lanes, lanes));
    while (rig.warp[0].live && rig.steps < 1000000) {
      const uint64_t live = rig.warp[0].live;
      rig_step(&rig, 0);
      diverged += rig.last.diverged;
      if (rig.program->info[rig.last.pc].class_ == ISA_CLASS_BARRIER)
        EXPECT_EQ(rig.last.mask, live);
      exited += live != rig.warp[0].live && rig.warp[0].live;
    }
    EXPECT_EQ(rig.warp[0].live, 0);
    EXPECT_LE(rig.deepest, rig.program->stack_entries);
    for (uint32_t lane = 0; lane < lanes; lane += 5)
      EXPECT_EQ(rig_reg(&rig, 0, lane), alone(s.text, lane, lanes));
  }
  EXPECT_GE(diverged, 2000); /* the generator makes programs that diverge */
  EXPECT_GE(exited, 100);
}

/* Arbitrary branches, including jumps into loops: no structure, but the same law. */
TEST(divergence, random_jumps_in_lockstep_match_single_lanes) {
  static struct source s;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    s = (struct source){.seed = seed * 991};
    emit(&s, ".kernel k\n.reg h, rnd, t, step, fuel\n.pred p\nget.local_id rnd, x\nmov.b32 step, 12345\n"
             "mov.b32 fuel, 60\n");
    enum { BLOCKS = 12 };
    for (unsigned block = 0; block < BLOCKS; block++) {
      const unsigned to = (unsigned)(ct_random(&s.seed) % BLOCKS), bit = 12 + (unsigned)(ct_random(&s.seed) % 8);
      emit(&s,
           "b%u:\nmad.i32 h, h, 31, rnd\nadd.i32 h, h, %u\nmad.i32 rnd, rnd, 1103515245, step\n"
           "sub.i32 fuel, fuel, 1\nsetp.le.s32 p, fuel, 0\n@p exit\n"
           "and.b32 t, rnd, 0x%x\nsetp.eq.u32 p, t, 0\n@p bra b%u\n",
           block, block, 1u << bit, to);
      if (ct_random(&s.seed) % 4 == 0)
        emit(&s, "bra b%u\n", (unsigned)(ct_random(&s.seed) % BLOCKS));
    }
    emit(&s, "exit\n");
    ct_freed(rig_close) struct rig rig;
    ct_note("seed %llu", (unsigned long long)seed);
    ASSERT_TRUE(rig_open(&rig, s.text, 32, 32));
    EXPECT_TRUE(rig_run(&rig, 1000000));
    EXPECT_LE(rig.deepest, rig.program->stack_entries);
    for (uint32_t lane = 0; lane < 32; lane += 3)
      EXPECT_EQ(rig_reg(&rig, 0, lane), alone(s.text, lane, 32));
  }
}

/* Each nested branch may leave an entry for its join. */
TEST(divergence, each_nested_branch_adds_one_stack_entry) {
  enum { BRANCHES = 6 };
  uint32_t entries[BRANCHES + 1];
  for (unsigned depth = 0; depth <= BRANCHES; depth++) {
    char source[2000] = ".kernel k\n.reg lane\n.pred p\n get.lane lane\n";
    struct isa_error error = {""};
    size_t at = strlen(source);
    for (unsigned i = 0; i < depth; i++)
      at += (size_t)snprintf(source + at, sizeof source - at, " setp.lt.u32 p, lane, %u\n@p bra out%u\n", i, i);
    for (unsigned i = depth; i-- > 0;)
      at += (size_t)snprintf(source + at, sizeof source - at, " add.i32 lane, lane, 1\nout%u:\n", i);
    snprintf(source + at, sizeof source - at, " exit\n");
    ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "k.wws", &error);
    EXPECT_STREQ(error.text, "");
    entries[depth] = program ? program->stack_entries : 0;
  }
  for (unsigned depth = 1; depth <= BRANCHES; depth++) {
    ct_note("%u branches", depth);
    EXPECT_EQ(entries[depth], entries[depth - 1] + 1);
  }
}
