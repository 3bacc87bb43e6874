/* Unrolled loops of all kinds: what two lanes store stays the same for all bounds. */
#include "isa/ops.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"
#include "tests/ct.h"
#include "tests/opencl/lane.h"

#include <stdlib.h>
#include <string.h>

CT_FREES(struct ir, ir_free)

static const struct ir_place nowhere = {.line = 1};

/* for (i = first; i KIND bound; i += step), with `first` at argument 0, the bound at 4, and the step at 8 or constant.
 */
struct sort {
  enum kind kind;
  int32_t step;   /* 0: the size of the work-group, which is positive */
  bool blocks;    /* a branch in the body */
  bool barrier;   /* a barrier in the body */
  uint32_t asked; /* see struct ir_block */
  uint32_t known; /* number of iterations if constant, else 0 */
};

static ir_ref put(struct ir *ir, uint32_t block, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  const ir_ref operand[] = {a, b, c};
  const enum ir_width width = op == IR_PHI ? IR_W1 : ir_width_of((enum isa_op)op);
  const ir_ref ref = ir_make(ir, op, width, operand, c ? 3 : b ? 2 : a ? 1 : 0, imm, nowhere);
  ir_append(ir, block, ref);
  return ref;
}

static void put_store(struct ir *ir, uint32_t block, ir_ref address, ir_ref value) {
  const ir_ref operand[] = {address, 0, value};
  ir_append(ir, block, ir_make(ir, ISA_ST_LDS_32, IR_NOTHING, operand, 3, 0, nowhere));
}

static ir_ref number(struct ir *ir, uint32_t bits) { return ir_const(ir, IR_W1, bits); }

/* sum += i * 3; lds[i & 252] = sum; in some iterations also lds[256 + (i & 252)]; at the end, lds[512] = sum and
 * lds[516] = i. */
static struct ir *make_loop(const struct sort *sort) {
  struct ir *ir = ir_new("k");
  const uint32_t header = ir_block_new(ir), body = ir_block_new(ir), arm = ir_block_new(ir), latch = ir_block_new(ir),
                 after = ir_block_new(ir);
  const ir_ref first = sort->known ? number(ir, 0) : put(ir, 0, ISA_LD_ARG_32, 0, 0, 0, 0);
  const ir_ref bound =
      sort->known ? number(ir, sort->known * (uint32_t)sort->step) : put(ir, 0, ISA_LD_ARG_32, 0, 0, 0, 4);
  const ir_ref step = sort->step ? number(ir, (uint32_t)sort->step) : put(ir, 0, ISA_GET_LOCAL_SIZE, 0, 0, 0, 0);
  ir_goto(ir, 0, header, nowhere);
  const ir_ref i = put(ir, header, IR_PHI, 0, 0, 0, 0), sum = put(ir, header, IR_PHI, 0, 0, 0, 0);
  ir_if(ir, header, put(ir, header, kind_op(sort->kind, 32), i, bound, 0, 0), body, after, nowhere);
  ir->block[header].copies = sort->asked;
  const ir_ref more = put(ir, body, ISA_MAD_32, i, number(ir, 3), sum, 0);
  const ir_ref at = put(ir, body, ISA_AND_32, i, number(ir, 252), 0, 0);
  put_store(ir, body, at, more);
  if (sort->barrier)
    put(ir, body, ISA_BAR_LDS, 0, 0, 0, 0);
  if (sort->blocks)
    ir_if(ir, body,
          put(ir, body, ISA_SETP_EQ_U32, put(ir, body, ISA_AND_32, i, number(ir, 2), 0, 0), number(ir, 0), 0, 0), arm,
          latch, nowhere);
  else
    ir_goto(ir, body, latch, nowhere);
  put_store(ir, arm, put(ir, arm, ISA_ADD_32, at, number(ir, 256), 0, 0), put(ir, arm, ISA_NOT_32, more, 0, 0, 0));
  ir_goto(ir, arm, latch, nowhere);
  const ir_ref next = put(ir, latch, ISA_ADD_32, i, step, 0, 0);
  ir_goto(ir, latch, header, nowhere);
  ir_phi_add(ir, i, 0, first);
  ir_phi_add(ir, i, latch, next);
  ir_phi_add(ir, sum, 0, number(ir, 7));
  ir_phi_add(ir, sum, latch, more);
  put_store(ir, after, number(ir, 512), sum);
  put_store(ir, after, number(ir, 516), i);
  ir_exit(ir, after, nowhere);
  return ir;
}

static struct lane run(const struct ir *ir, int64_t first, int64_t bound) {
  struct lane lane;
  const int32_t args[] = {(int32_t)(uint32_t)first, (int32_t)(uint32_t)bound};
  lane_start(&lane, 5, 3);
  memcpy(lane.args, args, sizeof args);
  lane_run(&lane, ir);
  return lane;
}

static uint32_t count(const struct ir *ir, uint16_t op) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < ir->ordered; i++)
    for (uint32_t k = 0; k < ir->block[ir->order[i]].count; k++)
      found += ir->inst[ir->block[ir->order[i]].inst[k]].op == op;
  return found;
}

/* Compares the loop before and after the passes for these pairs of bounds. */
static void expect_same(const struct sort *sort, const int64_t (*bounds)[2], size_t pairs) {
  struct ir *plain = make_loop(sort), *unrolled = make_loop(sort);
  char room[IR_FAULT];
  unrolled->target.optimize = 2;
  pass_unroll(unrolled);
  const char *fault = ir_fault(unrolled, room);
  EXPECT_STREQ(fault ? fault : "", "");
  pass_simplify(unrolled);
  for (size_t i = 0; i < pairs; i++) {
    const struct lane before = run(plain, bounds[i][0], bounds[i][1]),
                      after = run(unrolled, bounds[i][0], bounds[i][1]);
    ct_note("kind %d, step %d, %lld to %lld", sort->kind, sort->step, (long long)bounds[i][0], (long long)bounds[i][1]);
    if (before.failed) /* it never ends */
      continue;
    EXPECT_FALSE(after.failed);
    EXPECT_EQ(after.digest, before.digest);
  }
  EXPECT_GT(count(unrolled, ISA_ST_LDS_32), count(plain, ISA_ST_LDS_32));
  ir_free(plain);
  ir_free(unrolled);
}

#define MOST INT32_MAX
#define LEAST INT32_MIN
static const int64_t up[][2] = {{0, 0},
                                {0, 1},
                                {0, 2},
                                {0, 3},
                                {0, 4},
                                {0, 5},
                                {0, 7},
                                {0, 8},
                                {0, 15},
                                {0, 16},
                                {0, 17},
                                {0, 31},
                                {0, 33},
                                {3, 20},
                                {5, 5},
                                {9, 2},
                                {-9, 4},
                                {-3, -1},
                                {-20, -2},
                                {MOST - 9, MOST - 1},
                                {1, 70},
                                {0, 100},
                                {-50, 0},
                                {2, 2},
                                {7, 64},
                                {LEAST, LEAST + 9},
                                {LEAST, LEAST},
                                {MOST - 3, MOST - 3},
                                {0, LEAST},
                                {LEAST + 1, LEAST + 40},
                                {MOST - 30, MOST - 8},
                                {0xfffffff0, 0xffffffff},
                                {0, 3000}};

TEST(unroll, a_loop_with_a_counter_runs_as_often_as_before) {
  static const enum kind kinds[] = {KIND_LT_S, KIND_LT_U, KIND_LE_S, KIND_LE_U, KIND_NE_U};
  static const int32_t steps[] = {1, 2, 3, 16, 0};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
      if (kinds[k] != KIND_NE_U || steps[s] == 1)
        expect_same(&(struct sort){.kind = kinds[k], .step = steps[s]}, up, sizeof up / sizeof *up);
}

TEST(unroll, a_loop_that_counts_down_runs_as_often_as_before) {
  static const int64_t down[][2] = {
      {0, 0},  {1, 0},   {5, 0},   {8, 0},       {16, 0},           {33, -7},
      {9, 9},  {2, 9},   {100, 3}, {-4, -30},    {MOST, MOST - 20}, {LEAST + 30, LEAST + 2},
      {40, 1}, {0, -64}, {17, 0},  {MOST, MOST}, {12, 11},          {0xffffffff, 0xffffffe0}};
  static const enum kind kinds[] = {KIND_GT_S, KIND_GT_U, KIND_GE_S, KIND_GE_U, KIND_NE_U};
  static const int32_t steps[] = {-1, -3, -16};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
      if (kinds[k] != KIND_NE_U || steps[s] == -1)
        expect_same(&(struct sort){.kind = kinds[k], .step = steps[s]}, down, sizeof down / sizeof *down);
}

TEST(unroll, bodies_of_several_blocks_and_with_barriers_are_copied) {
  for (unsigned way = 1; way < 4; way++)
    for (int32_t step = 0; step < 3; step++)
      expect_same(&(struct sort){.kind = KIND_LT_S, .step = step, .blocks = way & 1, .barrier = way & 2}, up,
                  sizeof up / sizeof *up);
}

TEST(unroll, known_iterations_become_copies_or_a_loop_of_several) {
  static const uint32_t turns[] = {2, 3, 7, 16, 40, 63, 64, 65, 127, 1000};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
    for (int32_t step = 1; step < 4; step++)
      for (unsigned blocks = 0; blocks < 2; blocks++)
        expect_same(&(struct sort){.kind = KIND_LT_S, .step = step, .blocks = blocks, .known = turns[i]}, up, 1);
}

TEST(unroll, there_are_as_many_copies_as_the_source_requests) {
  static const struct {
    uint32_t asked, known, stores;
  } cases[] = {{1, 0, 1},   {1, 9, 1}, {2, 0, 3}, {8, 0, 9}, {5, 1000, 5}, {3, 1000, 4}, {UINT32_MAX, 40, 40},
               {40, 40, 40}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ir *ir =
        make_loop(&(struct sort){.kind = KIND_NE_U, .step = 1, .asked = cases[i].asked, .known = cases[i].known});
    pass_unroll(ir);
    EXPECT_EQ(count(ir, ISA_ST_LDS_32), cases[i].stores + 2);
    ir_free(ir);
  }
}

TEST(unroll, below_level_2_only_requested_loops_are_unrolled) {
  for (unsigned level = 0; level < 2; level++) {
    ct_freed(ir_free_at) struct ir *ir = make_loop(&(struct sort){.kind = KIND_LT_S, .step = 1});
    ir->target.optimize = level;
    pass_unroll(ir);
    EXPECT_EQ(count(ir, ISA_ST_LDS_32), 3);
  }
}
