/* Passes on small kernels made by hand, and all of them on random ones: what a lane stores stays the same. */
#include "opencl/passes/passes.h"
#include "tests/ct.h"
#include "tests/opencl/lane.h"
#include "tests/opencl/program.h"

#include <stdlib.h>
#include <string.h>

/* ---- random kernels --------------------------------------------------------------------------------- */

/* A machine that has everything. */
static void everything(struct ir *ir) {
  ir->target = opencl_usual_target();
  ir->target.isa = (struct isa_features){
      .lop3 = 1, .add3 = 1, .shift_add = 1, .mad = 1, .wide = 0, .vector_bytes = 16}; /* in words */
}

static void fuse(struct ir *ir) {
  everything(ir);
  pass_fuse(ir);
}

static void split(struct ir *ir) {
  everything(ir);
  pass_split(ir);
}

static void all_levels(struct ir *ir) {
  everything(ir);
  ir->target.optimize = OPENCL_LEVELS - 1;
  opencl_passes(ir);
}

static const struct {
  const char *name;
  void (*run)(struct ir *);
} passes[] = {
    {"simplify", pass_simplify}, {"promote", pass_promote}, {"flatten", pass_flatten},
    {"narrow", pass_narrow},     {"unroll", pass_unroll},   {"spread", pass_spread},
    {"hoist", pass_hoist},       {"address", pass_address}, {"regroup", pass_regroup},
    {"loads", pass_loads},       {"latch", pass_latch},     {"thread", pass_thread},
    {"meet", pass_meet},         {"split", split},          {"fuse", fuse},
    {"widen", pass_widen},       {"chain", pass_chain},     {"ids", pass_ids},
    {"all", opencl_passes},      {"levels", all_levels},
};

/* Of these only what others may see stays the same, not each store. */
static bool joins_stores(size_t pass) {
  return passes[pass].run == pass_widen || passes[pass].run == opencl_passes || passes[pass].run == all_levels;
}

/* Runs a pass of the table, checks the form and that two lanes store what they did before. */
static bool agrees(struct ir *ir, size_t pass, uint64_t seed) {
  static struct lane before[2], after[2];
  for (uint32_t id = 0; id < 2; id++) {
    lane_start(&before[id], seed, 7 * id);
    lane_run(&before[id], ir);
  }
  for (uint32_t i = 0; i < ir->blocks; i++)
    ir->block[i].copies = UINT32_MAX;
  passes[pass].run(ir);
  ct_note("seed %llu, %s", (unsigned long long)seed, passes[pass].name);
  char room[IR_FAULT];
  const char *fault = ir_fault(ir, room);
  if (!EXPECT_STREQ(fault ? fault : "", ""))
    return false;
  for (uint32_t id = 0; id < 2; id++) {
    lane_start(&after[id], seed, 7 * id);
    lane_run(&after[id], ir);
    if (!EXPECT_EQ(after[id].failed, before[id].failed) || !EXPECT_EQ(after[id].seen, before[id].seen) ||
        (!joins_stores(pass) && !EXPECT_EQ(after[id].digest, before[id].digest)))
      return false;
  }
  return true;
}

TEST(passes, each_pass_alone_keeps_what_random_kernels_store) {
  for (uint64_t seed = 1; seed <= 60; seed++)
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
      struct ir *ir = program_random(seed, 20 + (uint32_t)seed);
      const bool good = agrees(ir, pass, seed);
      ir_free(ir);
      if (!good)
        return;
    }
}

TEST(passes, passes_in_any_order_keep_what_random_kernels_store) {
  for (uint64_t seed = 1000; seed < 1300; seed++) {
    uint64_t order = seed;
    struct ir *ir = program_random(seed, 10 + (uint32_t)(seed % 97));
    bool good = true;
    for (int i = 0; i < 8 && good; i++)
      good = agrees(ir, (ct_random(&order) >> 40) % (sizeof passes / sizeof *passes), seed);
    ir_free(ir);
    if (!good)
      return;
  }
}

/* ---- by hand ---------------------------------------------------------------------------------------- */

/* Makes instructions at the end of `block`. */
struct maker {
  struct ir *ir;
  uint32_t block;
};

static struct maker begin(void) { return (struct maker){ir_new("k"), 0}; }

static ir_ref make(struct maker *m, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  const ir_ref operand[] = {a, b, c};
  const enum ir_width width = op == IR_SLOT || op == IR_WORD ? IR_W1 : ir_width_of((enum isa_op)op);
  const ir_ref ref = ir_make(m->ir, op, width, operand, c ? 3 : b ? 2 : a ? 1 : 0, imm, (struct ir_place){.line = 1});
  ir_append(m->ir, m->block, ref);
  return ref;
}

static ir_ref word(struct maker *m, uint64_t bits) { return ir_const(m->ir, IR_W1, bits); }
static ir_ref pair(struct maker *m, uint64_t bits) { return ir_const(m->ir, IR_W2, bits); }
static ir_ref arg_word(struct maker *m, uint32_t offset) { return make(m, ISA_LD_ARG_32, 0, 0, 0, offset); }

static void store(struct maker *m, uint16_t op, ir_ref address, ir_ref value) {
  const ir_ref operand[] = {address, 0, value};
  ir_append(m->ir, m->block, ir_make(m->ir, op, IR_NOTHING, operand, 3, 0, (struct ir_place){.line = 1}));
}

static uint32_t new_block(struct maker *m) { return ir_block_new(m->ir); }
static void go(struct maker *m, uint32_t to) { ir_goto(m->ir, m->block, to, (struct ir_place){.line = 1}); }
static void branch(struct maker *m, ir_ref p, uint32_t yes, uint32_t no) {
  ir_if(m->ir, m->block, p, yes, no, (struct ir_place){.line = 1});
}

/* The text after some passes, without its first line; ends the kernel. */
static void expect_text(struct maker *m, void (*pass)(struct ir *), const char *expected) {
  ir_exit(m->ir, m->block, (struct ir_place){.line = 1});
  pass(m->ir);
  char room[IR_FAULT];
  const char *fault = ir_fault(m->ir, room);
  EXPECT_STREQ(fault ? fault : "", "");
  char *text = ir_text(m->ir);
  EXPECT_STREQ(strchr(text, '\n') + 1, expected);
  free(text);
  ir_free(m->ir);
}

TEST(passes, constants_are_what_the_executor_computes) {
  struct maker m = begin();
  const ir_ref product = make(&m, ISA_MUL_32, word(&m, 6), word(&m, 7), 0, 0);
  const ir_ref quotient = make(&m, ISA_DIV_U32, product, word(&m, 0), 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), quotient);
  expect_text(&m, pass_simplify, "block 0:\n  st.lds.b32 0 _ 0xffffffff\n  exit\n");
}

TEST(passes, equal_instructions_become_one_and_unused_ones_none) {
  struct maker m = begin();
  const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
  const ir_ref one = make(&m, ISA_ADD_32, a, b, 0, 0), two = make(&m, ISA_ADD_32, b, a, 0, 0);
  make(&m, ISA_LD_LDS_32, a, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_XOR_32, one, two, 0, 0));
  expect_text(&m, pass_simplify, "block 0:\n  st.lds.b32 0 _ 0\n  exit\n");
}

TEST(passes, clocks_stay_where_they_are_and_as_many_as_they_are) {
  struct maker m = begin();
  const ir_ref start = make(&m, ISA_GET_CLOCK, 0, 0, 0, 0);
  make(&m, ISA_GET_CLOCK, 0, 0, 0, 0);
  const ir_ref a = make(&m, ISA_LD_LDS_32, arg_word(&m, 0), 0, 0, 0);
  const ir_ref end = make(&m, ISA_GET_CLOCK, 0, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), a);
  const ir_ref taken = make(&m, ISA_SUB_64, end, start, 0, 0);
  store(&m, ISA_ST_LDS_64, word(&m, 8), taken);
  expect_text(&m, opencl_passes,
              "block 0:\n  v1 = get.clock\n  v2 = get.clock\n  v3 = ld.arg.b32\n  v4 = ld.lds.b32 v3\n"
              "  v5 = get.clock\n  st.lds.b32 _ _ v4\n  v8 = sub.i64 v5 v1\n  st.lds.b64 _ _ v8 +8\n  exit\n");
}

TEST(passes, loads_are_not_taken_for_one_across_a_store) {
  struct maker m = begin();
  const ir_ref address = arg_word(&m, 0);
  const ir_ref before = make(&m, ISA_LD_LDS_32, address, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), word(&m, 5));
  const ir_ref after = make(&m, ISA_LD_LDS_32, address, 0, 0, 0);
  const ir_ref difference = make(&m, ISA_SUB_32, after, before, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 4), difference);
  expect_text(&m, opencl_passes,
              "block 0:\n  v1 = ld.arg.b32\n  v2 = ld.lds.b32 v1\n  st.lds.b32 _ _ 5\n  v6 = ld.lds.b32 v1\n"
              "  v7 = sub.i32 v6 v2\n  st.lds.b32 _ _ v7 +4\n  exit\n");
}

TEST(passes, a_variable_that_both_arms_set_becomes_a_phi) {
  struct maker m = begin();
  const uint32_t slot = ir_slot_new(m.ir, 4, 4), yes = new_block(&m), no = new_block(&m), join = new_block(&m);
  const ir_ref address = make(&m, IR_SLOT, 0, 0, 0, slot), a = arg_word(&m, 0);
  branch(&m, make(&m, ISA_SETP_LT_S32, a, word(&m, 3), 0, 0), yes, no);
  m.block = yes;
  store(&m, ISA_ST_PRIVATE_32, address, word(&m, 10));
  go(&m, join);
  m.block = no;
  store(&m, ISA_ST_PRIVATE_32, address, a);
  go(&m, join);
  m.block = join;
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_LD_PRIVATE_32, address, 0, 0, 0));
  expect_text(&m, pass_promote,
              "block 0:\n  v1 = slot\n  v2 = ld.arg.b32\n  v4 = setp.lt.s32 v2 3\n  if v4 1 else 2\n"
              "block 1:\n  goto 3\nblock 2:\n  goto 3\n"
              "block 3:\n  v11 = phi 1: 10 2: v2\n  st.lds.b32 0 _ v11\n  exit\n");
}

TEST(passes, a_variable_that_either_arm_alone_sets_becomes_a_phi) {
  for (unsigned second = 0; second < 2; second++) {
    struct maker m = begin();
    const uint32_t slot = ir_slot_new(m.ir, 4, 4), yes = new_block(&m), no = new_block(&m), join = new_block(&m);
    const ir_ref address = make(&m, IR_SLOT, 0, 0, 0, slot), a = arg_word(&m, 0);
    store(&m, ISA_ST_PRIVATE_32, address, word(&m, 20));
    branch(&m, make(&m, ISA_SETP_LT_S32, a, word(&m, 3), 0, 0), yes, no);
    m.block = yes;
    if (!second)
      store(&m, ISA_ST_PRIVATE_32, address, word(&m, 10));
    go(&m, join);
    m.block = no;
    if (second)
      store(&m, ISA_ST_PRIVATE_32, address, word(&m, 10));
    go(&m, join);
    m.block = join;
    store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_LD_PRIVATE_32, address, 0, 0, 0));
    ir_exit(m.ir, m.block, (struct ir_place){.line = 1});
    pass_promote(m.ir);
    char *text = ir_text(m.ir);
    EXPECT_CONTAINS(text, second ? "phi 1: 20 2: 10" : "phi 1: 10 2: 20");
    free(text);
    ir_free(m.ir);
  }
}

TEST(passes, a_variable_with_a_computed_index_stays_in_memory) {
  struct maker m = begin();
  const uint32_t slot = ir_slot_new(m.ir, 16, 4);
  const ir_ref address = make(&m, IR_SLOT, 0, 0, 0, slot);
  const ir_ref there = make(&m, ISA_ADD_32, address, arg_word(&m, 0), 0, 0);
  store(&m, ISA_ST_PRIVATE_32, address, word(&m, 1));
  const ir_ref loaded = make(&m, ISA_LD_PRIVATE_32, there, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), loaded);
  expect_text(&m, opencl_passes,
              "block 0:\n  v1 = slot\n  v2 = ld.arg.b32\n  v3 = add.i32 v1 v2\n  st.private.b32 v1 _ 1\n"
              "  v6 = ld.private.b32 v3\n  st.lds.b32 _ _ v6\n  exit\n");
}

TEST(passes, a_short_arm_becomes_a_select) {
  struct maker m = begin();
  const uint32_t arm = new_block(&m), join = new_block(&m);
  const ir_ref a = arg_word(&m, 0);
  branch(&m, make(&m, ISA_SETP_EQ_U32, a, word(&m, 9), 0, 0), arm, join);
  m.block = arm;
  const ir_ref sum = make(&m, ISA_ADD_32, a, word(&m, 5), 0, 0);
  go(&m, join);
  const ir_ref phi = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
  ir_phi_add(m.ir, phi, 0, a);
  ir_phi_add(m.ir, phi, arm, sum);
  m.block = join;
  ir_append(m.ir, join, phi);
  store(&m, ISA_ST_LDS_32, word(&m, 0), phi);
  expect_text(&m, opencl_passes,
              "block 0:\n  v1 = ld.arg.b32\n  v3 = setp.eq.u32 v1 9\n  v5 = add.i32 v1 5\n"
              "  v9 = sel.b32 v5 v1 v3\n  st.lds.b32 _ _ v9\n  exit\n");
}

TEST(passes, one_store_under_a_condition_is_guarded) {
  struct maker m = begin();
  const uint32_t arm = new_block(&m), join = new_block(&m);
  const ir_ref a = arg_word(&m, 0);
  branch(&m, make(&m, ISA_SETP_EQ_U32, a, word(&m, 9), 0, 0), join, arm);
  m.block = arm;
  store(&m, ISA_ST_LDS_32, a, a);
  go(&m, join);
  m.block = join;
  expect_text(&m, opencl_passes,
              "block 0:\n  v1 = ld.arg.b32\n  v3 = setp.eq.u32 v1 9\n  @!v3 st.lds.b32 v1 _ v1\n  exit\n");
}

/* size_t i = get_global_id(0); out[i + 2] = in[i] */
TEST(passes, an_index_of_64_bits_is_one_multiply_add_an_array) {
  struct maker m = begin();
  const ir_ref in = make(&m, ISA_LD_ARG_64, 0, 0, 0, 0), out = make(&m, ISA_LD_ARG_64, 0, 0, 0, 8);
  const ir_ref i = make(&m, ISA_CVT_U64_U32, make(&m, ISA_GET_GLOBAL_ID, 0, 0, 0, 0), 0, 0, 0);
  const ir_ref from = make(&m, ISA_ADD_64, in, make(&m, ISA_MUL_64, i, pair(&m, 4), 0, 0), 0, 0);
  const ir_ref value = make(&m, ISA_LD_GLOBAL_32, from, 0, 0, 0);
  const ir_ref plus = make(&m, ISA_ADD_64, i, pair(&m, 2), 0, 0);
  const ir_ref to = make(&m, ISA_ADD_64, out, make(&m, ISA_MUL_64, plus, pair(&m, 4), 0, 0), 0, 0);
  store(&m, ISA_ST_GLOBAL_32, to, value);
  ir_exit(m.ir, 0, (struct ir_place){.line = 1});
  opencl_passes(m.ir);
  char *text = ir_text(m.ir);
  EXPECT_CONTAINS(text, "mad.wide.u32 v3 4 v1\n");
  EXPECT_CONTAINS(text, "mad.wide.u32 v3 4 v2\n");
  EXPECT_CONTAINS(text, "+8\n  exit");
  EXPECT_EQ(m.ir->block[0].count, 7); /* two arguments, id, two addresses, load, store */
  free(text);
  ir_free(m.ir);
}

/* for (size_t i = 0; i < n; i++) sum += lds[i], n a uint: all in 32 bits, the count of an iteration is known. */
TEST(passes, a_counted_loop_of_64_bits_runs_in_32) {
  struct maker m = begin();
  const uint32_t header = new_block(&m), body = new_block(&m), after = new_block(&m);
  const ir_ref n = make(&m, ISA_CVT_U64_U32, arg_word(&m, 0), 0, 0, 0);
  go(&m, header);
  m.block = header;
  const ir_ref i = ir_make(m.ir, IR_PHI, IR_W2, NULL, 0, 0, (struct ir_place){.line = 1});
  ir_append(m.ir, header, i);
  branch(&m, make(&m, ISA_SETP_LT_U64, i, n, 0, 0), body, after);
  m.block = body;
  const ir_ref low = make(&m, ISA_CVT_U32_U64, i, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, make(&m, ISA_SHL_32, low, word(&m, 2), 0, 0), low);
  const ir_ref next = make(&m, ISA_ADD_64, i, pair(&m, 1), 0, 0);
  go(&m, header);
  ir_phi_add(m.ir, i, 0, pair(&m, 0));
  ir_phi_add(m.ir, i, body, next);
  m.block = after;
  ir_exit(m.ir, after, (struct ir_place){.line = 1});
  opencl_passes(m.ir);
  for (uint32_t k = 0; k < m.ir->ordered; k++)
    for (uint32_t at = 0; at < m.ir->block[m.ir->order[k]].count; at++)
      EXPECT_NE(m.ir->inst[m.ir->block[m.ir->order[k]].inst[at]].width, IR_W2);
  EXPECT_EQ(m.ir->block[body].count, 3); /* shift, store, add */
  ir_free(m.ir);
}

TEST(passes, what_a_loop_does_not_change_is_computed_before_it) {
  struct maker m = begin();
  const uint32_t loop = new_block(&m), after = new_block(&m);
  const ir_ref a = arg_word(&m, 0);
  go(&m, loop);
  m.block = loop;
  const ir_ref product = make(&m, ISA_MUL_32, a, a, 0, 0);
  const ir_ref loaded = make(&m, ISA_LD_LDS_32, product, 0, 0, 0);
  branch(&m, make(&m, ISA_SETP_LT_U32, loaded, product, 0, 0), loop, after);
  m.block = after;
  expect_text(&m, pass_hoist,
              "block 0:\n  v1 = ld.arg.b32\n  v2 = mul.i32 v1 v1\n  goto 1\n"
              "block 1:\n  v3 = ld.lds.b32 v2\n  v4 = setp.lt.u32 v3 v2\n  if v4 1 else 2\nblock 2:\n  exit\n");
}

/* Ends the kernel; lanes with other arguments and memory store after a pass what they did before. Returns how many
 * blocks can be reached then. */
static uint32_t same_after(struct maker *m, void (*pass)(struct ir *)) {
  enum { LANES = 16 };
  static struct lane before[LANES], after;
  ir_exit(m->ir, m->block, (struct ir_place){.line = 1});
  for (uint32_t i = 0; i < LANES; i++) {
    lane_start(&before[i], i, i);
    lane_run(&before[i], m->ir);
  }
  pass(m->ir);
  char room[IR_FAULT];
  const char *fault = ir_fault(m->ir, room);
  EXPECT_STREQ(fault ? fault : "", "");
  for (uint32_t i = 0; i < LANES && !fault; i++) {
    ct_note("lane %u", i);
    lane_start(&after, i, i);
    lane_run(&after, m->ir);
    EXPECT_FALSE(before[i].failed);
    EXPECT_EQ(after.digest, before[i].digest);
  }
  const uint32_t blocks = m->ir->ordered;
  ir_free(m->ir);
  return blocks;
}

static void expect_same(struct maker *m, void (*pass)(struct ir *)) { same_after(m, pass); }

TEST(passes, a_byte_of_a_half_that_was_stored_is_part_of_it) {
  for (uint32_t half = 0; half < 4; half += 2)
    for (uint32_t byte = half; byte < half + 2; byte++) {
      struct maker m = begin();
      const ir_ref variable = make(&m, IR_SLOT, 0, 0, 0, ir_slot_new(m.ir, 4, 4)), value = arg_word(&m, 0);
      store(&m, ISA_ST_PRIVATE_16, make(&m, ISA_ADD_32, variable, word(&m, half), 0, 0), value);
      const ir_ref part = make(&m, ISA_ADD_32, variable, word(&m, byte), 0, 0);
      store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_LD_PRIVATE_U8, part, 0, 0, 0));
      ct_note("byte %u of the half at %u", byte, half);
      expect_same(&m, pass_promote);
    }
}

static ir_ref phi_of_two(struct maker *m, uint32_t from, ir_ref value, uint32_t other_from, ir_ref other) {
  const ir_ref phi = ir_make(m->ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
  ir_append(m->ir, m->block, phi);
  ir_phi_add(m->ir, phi, from, value);
  ir_phi_add(m->ir, phi, other_from, other);
  return phi;
}

static ir_ref is_odd(struct maker *m, ir_ref value) {
  return make(m, ISA_SETP_NE_U32, make(m, ISA_AND_32, value, word(m, 1), 0, 0), word(m, 0), 0, 0);
}

/* 0 ? A : B, both to J: x = phi, phi(A: 1, B: 0) ? T : U, U to T, which stores x. */
TEST(passes, a_junction_stays_when_its_value_is_used_where_both_ways_lead) {
  struct maker m = begin();
  const uint32_t a = new_block(&m), b = new_block(&m), junction = new_block(&m), t = new_block(&m), u = new_block(&m);
  const ir_ref one = arg_word(&m, 0), two = arg_word(&m, 4);
  branch(&m, is_odd(&m, one), a, b);
  m.block = a;
  go(&m, junction);
  m.block = b;
  go(&m, junction);
  m.block = junction;
  const ir_ref x = phi_of_two(&m, a, one, b, two), flag = phi_of_two(&m, a, word(&m, 1), b, word(&m, 0));
  branch(&m, make(&m, ISA_SETP_NE_U32, flag, word(&m, 0), 0, 0), t, u);
  m.block = u;
  store(&m, ISA_ST_LDS_32, word(&m, 8), word(&m, 5));
  go(&m, t);
  m.block = t;
  store(&m, ISA_ST_LDS_32, word(&m, 0), x);
  expect_same(&m, pass_thread);
}

/* 0 ? A : B, A ? J : T, B to J: phi(A: 1, B: 0) ? T : U. A would lead to T both ways, with two values. */
TEST(passes, a_junction_stays_when_a_way_leads_to_its_side_already) {
  struct maker m = begin();
  const uint32_t a = new_block(&m), b = new_block(&m), junction = new_block(&m), t = new_block(&m), u = new_block(&m);
  const uint32_t end = new_block(&m);
  const ir_ref one = arg_word(&m, 0), two = arg_word(&m, 4);
  branch(&m, is_odd(&m, one), a, b);
  m.block = a;
  branch(&m, is_odd(&m, two), junction, t);
  m.block = b;
  go(&m, junction);
  m.block = junction;
  const ir_ref flag = phi_of_two(&m, a, word(&m, 1), b, word(&m, 0));
  branch(&m, make(&m, ISA_SETP_NE_U32, flag, word(&m, 0), 0, 0), t, u);
  m.block = u;
  store(&m, ISA_ST_LDS_32, word(&m, 0), word(&m, 30));
  go(&m, end);
  m.block = t;
  store(&m, ISA_ST_LDS_32, word(&m, 0), phi_of_two(&m, a, word(&m, 10), junction, word(&m, 20)));
  go(&m, end);
  m.block = end;
  expect_same(&m, pass_thread);
}

/* in[(uint)(x - 1)]: x may be 0, and the index 2^32 - 1. */
TEST(passes, a_difference_that_may_wrap_stays_in_an_index) {
  struct maker m = begin();
  const ir_ref in = make(&m, ISA_LD_ARG_64, 0, 0, 0, 0);
  const ir_ref x = arg_word(&m, 8), less = make(&m, ISA_ADD_32, x, word(&m, UINT32_MAX), 0, 0);
  const ir_ref at = make(&m, ISA_ADD_64, in, make(&m, ISA_CVT_U64_U32, less, 0, 0, 0), 0, 0);
  const ir_ref loaded = make(&m, ISA_LD_GLOBAL_U8, at, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), loaded);
  expect_text(&m, pass_spread,
              "block 0:\n  v1 = ld.arg.b64\n  v2 = ld.arg.b32 +8\n  v4 = add.i32 v2 0xffffffff\n"
              "  v5 = cvt.u64.u32 v4\n  v6 = add.i64 v1 v5\n  v7 = ld.global.u8 v6\n  st.lds.b32 0 _ v7\n  exit\n");
}

/* p ? A : J; J: phi(0: undef, A: v), used where p holds. v is not known in all of J. */
TEST(passes, a_phi_of_a_value_and_nothing_stays_where_the_value_may_be_missing) {
  struct maker m = begin();
  const uint32_t a = new_block(&m), join = new_block(&m), again = new_block(&m), end = new_block(&m);
  const ir_ref one = arg_word(&m, 0), odd = is_odd(&m, one);
  branch(&m, odd, a, join);
  m.block = a;
  const ir_ref value = make(&m, ISA_LD_LDS_32, word(&m, 16), 0, 0, 0);
  go(&m, join);
  m.block = join;
  const ir_ref phi = phi_of_two(&m, 0, ir_undef(m.ir, IR_W1), a, value);
  branch(&m, odd, again, end);
  m.block = again;
  store(&m, ISA_ST_LDS_32, word(&m, 0), phi);
  go(&m, end);
  m.block = end;
  expect_same(&m, pass_simplify);
}

TEST(passes, a_division_that_few_turns_need_stays_in_its_loop) {
  for (uint32_t always = 0; always < 2; always++) {
    struct maker m = begin();
    const uint32_t loop = new_block(&m), arm = new_block(&m), latch = new_block(&m), after = new_block(&m);
    const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
    go(&m, loop);
    m.block = loop;
    const ir_ref flag = make(&m, ISA_LD_LDS_32, a, 0, 0, 0);
    branch(&m, is_odd(&m, flag), arm, latch);
    m.block = always ? latch : arm;
    const ir_ref quotient = make(&m, ISA_DIV_U32, a, b, 0, 0);
    store(&m, ISA_ST_LDS_32, b, quotient);
    m.block = arm;
    go(&m, latch);
    m.block = latch;
    branch(&m, make(&m, ISA_SETP_LT_U32, flag, b, 0, 0), loop, after);
    ir_exit(m.ir, after, (struct ir_place){.line = 1});
    pass_hoist(m.ir);
    EXPECT_EQ(m.ir->inst[quotient].block, always ? 0 : arm);
    ir_free(m.ir);
  }
}

TEST(passes, loads_at_two_indices_are_two) {
  struct maker m = begin();
  const ir_ref in = make(&m, ISA_LD_ARG_64, 0, 0, 0, 0);
  const ir_ref one = make(&m, ISA_LD_GLOBAL_32, in, arg_word(&m, 8), 0, 0);
  const ir_ref two = make(&m, ISA_LD_GLOBAL_32, in, arg_word(&m, 12), 0, 0);
  const ir_ref both = make(&m, ISA_XOR_32, one, two, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), both);
  expect_text(&m, pass_loads,
              "block 0:\n  v1 = ld.arg.b64\n  v2 = ld.arg.b32 +8\n  v3 = ld.global.b32 v1 v2\n"
              "  v4 = ld.arg.b32 +12\n  v5 = ld.global.b32 v1 v4\n  v6 = xor.b32 v3 v5\n  st.lds.b32 0 _ v6\n  exit\n");
}

/* do { q = i == 5; if (q) lds[8] = i; n = i + 1; } while (!q): q is asked before n is there. */
TEST(passes, a_question_with_another_use_stays_in_front_of_it) {
  struct maker m = begin();
  const uint32_t loop = new_block(&m), after = new_block(&m);
  go(&m, loop);
  m.block = loop;
  const ir_ref i = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
  ir_append(m.ir, loop, i);
  const ir_ref question = make(&m, ISA_SETP_EQ_U32, i, word(&m, 5), 0, 0);
  const ir_ref flag = make(&m, ISA_CVT_U32_P, question, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 8), flag);
  const ir_ref next = make(&m, ISA_ADD_32, i, word(&m, 1), 0, 0);
  ir_phi_add(m.ir, i, 0, word(&m, 0));
  ir_phi_add(m.ir, i, loop, next);
  branch(&m, question, after, loop);
  m.block = after;
  expect_same(&m, pass_latch);
}

/* 2^31 is no signed factor of 32 bits. */
TEST(passes, a_signed_index_shifted_by_31_is_no_product_of_words) {
  for (uint32_t by = 30; by < 33; by++) {
    struct maker m = begin();
    const ir_ref index = make(&m, ISA_CVT_S64_S32, arg_word(&m, 0), 0, 0, 0);
    store(&m, ISA_ST_LDS_64, word(&m, 0), make(&m, ISA_SHL_64, index, word(&m, by), 0, 0));
    ct_note("shifted by %u", by);
    expect_same(&m, pass_address);
  }
}

/* Nothing is less than the least number: nobody comes to that block, and its ranges may be any that can be computed. */
TEST(passes, a_comparison_with_the_ends_of_a_type_has_ranges) {
  static const uint64_t ends[] = {UINT64_C(1) << 63, INT64_MAX, 0, UINT64_MAX};
  static const uint16_t ops[] = {ISA_SETP_LT_S64, ISA_SETP_GT_S64, ISA_SETP_LT_U64, ISA_SETP_GT_U64};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
      struct maker m = begin();
      const uint32_t yes = new_block(&m), no = new_block(&m);
      const ir_ref a = make(&m, ISA_LD_ARG_64, 0, 0, 0, 0);
      branch(&m, make(&m, ops[k], a, pair(&m, ends[i]), 0, 0), yes, no);
      m.block = yes;
      store(&m, ISA_ST_LDS_64, word(&m, 0), make(&m, ISA_ADD_64, a, pair(&m, 1), 0, 0));
      ir_exit(m.ir, yes, (struct ir_place){.line = 1});
      ir_exit(m.ir, no, (struct ir_place){.line = 1});
      pass_narrow(m.ir);
      char room[IR_FAULT];
      const char *fault = ir_fault(m.ir, room);
      EXPECT_STREQ(fault ? fault : "", "");
      ir_free(m.ir);
    }
}

TEST(passes, an_arm_that_sets_more_than_four_values_stays) {
  enum { SELECTS = 4 };
  for (uint32_t count = 1; count <= SELECTS + 2; count++) {
    struct maker m = begin();
    const uint32_t arm = new_block(&m), join = new_block(&m);
    const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
    branch(&m, make(&m, ISA_SETP_EQ_U32, a, word(&m, 9), 0, 0), arm, join);
    m.block = arm;
    const ir_ref sum = make(&m, ISA_ADD_32, a, b, 0, 0);
    go(&m, join);
    m.block = join;
    ir_ref phi[SELECTS + 2];
    for (uint32_t i = 0; i < count; i++) {
      phi[i] = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
      ir_phi_add(m.ir, phi[i], 0, i % 2 ? b : word(&m, i));
      ir_phi_add(m.ir, phi[i], arm, i % 2 ? word(&m, i) : sum);
      ir_append(m.ir, join, phi[i]);
    }
    for (uint32_t i = 0; i < count; i++)
      store(&m, ISA_ST_LDS_32, word(&m, 4 * i), phi[i]);
    ir_exit(m.ir, join, (struct ir_place){.line = 1});
    ir_analyse(m.ir);
    pass_flatten(m.ir);
    char *text = ir_text(m.ir);
    ct_note("%u values\n%s", count, text);
    EXPECT_EQ(strstr(text, "sel.b32") != NULL, count <= SELECTS);
    free(text);
    ir_free(m.ir);
  }
}

/* Block `yes` makes a + b, block `no` a - b; what `join`, where both lead and `m` goes on, gets of them. */
static ir_ref sum_or_difference(struct maker *m, uint32_t yes, uint32_t no, uint32_t join, ir_ref a, ir_ref b) {
  m->block = yes;
  const ir_ref sum = make(m, ISA_ADD_32, a, b, 0, 0);
  go(m, join);
  m->block = no;
  const ir_ref difference = make(m, ISA_SUB_32, a, b, 0, 0);
  go(m, join);
  m->block = join;
  return phi_of_two(m, yes, sum, no, difference);
}

/* p && q ? a + b : a - b. The way from the second question to the second arm goes with the second question. */
TEST(passes, both_arms_of_two_questions_in_a_row_become_selects) {
  struct maker m = begin();
  const uint32_t second = new_block(&m), yes = new_block(&m), no = new_block(&m), join = new_block(&m);
  const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
  branch(&m, is_odd(&m, a), second, no);
  m.block = second;
  branch(&m, is_odd(&m, b), yes, no);
  store(&m, ISA_ST_LDS_32, word(&m, 0), sum_or_difference(&m, yes, no, join, a, b));
  EXPECT_EQ(same_after(&m, pass_flatten), 2);
}

/* p && q ? exit : the difference; its operands are values, and no blocks as a phi's are. */
TEST(passes, what_two_questions_in_a_row_lead_to_keeps_its_operands) {
  struct maker m = begin();
  const uint32_t first = new_block(&m), second = new_block(&m), yes = new_block(&m), no = new_block(&m);
  const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
  EXPECT_EQ(a, first);
  EXPECT_EQ(b, second);
  go(&m, first);
  m.block = first;
  branch(&m, is_odd(&m, a), second, no);
  m.block = second;
  branch(&m, is_odd(&m, b), yes, no);
  ir_exit(m.ir, yes, (struct ir_place){.line = 1});
  m.block = no;
  const ir_ref one = make(&m, ISA_SUB_32, a, b, 0, 0), two = make(&m, ISA_SUB_32, b, a, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), one);
  store(&m, ISA_ST_LDS_32, word(&m, 4), two);
  expect_same(&m, pass_flatten);
}

/* One more than what fits, of words, pairs, quads and predicates. */
TEST(passes, thirty_two_words_and_four_predicates_leave_a_loop) {
  enum { WORDS = 32, PREDICATES = 4 };
  static const struct {
    uint16_t op;
    uint8_t width;
    uint32_t leave;
  } rows[] = {{ISA_XOR_32, IR_W1, WORDS},
              {ISA_MULW_U32, IR_W2, WORDS / 2},
              {IR_JOIN, IR_W4, WORDS / 4},
              {ISA_SETP_LT_U32, IR_PRED, PREDICATES}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    struct maker m = begin();
    const uint32_t loop = new_block(&m), after = new_block(&m);
    const ir_ref a = arg_word(&m, 0);
    go(&m, loop);
    m.block = loop;
    for (uint32_t i = 0; i <= rows[row].leave; i++) {
      const ir_ref operand[] = {a, word(&m, i), a, a};
      ir_append(m.ir, loop,
                ir_make(m.ir, rows[row].op, rows[row].width, operand, rows[row].width == IR_W4 ? 4 : 2, 0,
                        (struct ir_place){.line = 1}));
    }
    branch(&m, is_odd(&m, make(&m, ISA_LD_LDS_32, a, 0, 0, 0)), loop, after);
    ir_exit(m.ir, after, (struct ir_place){.line = 1});
    const uint32_t before = m.ir->block[0].count;
    pass_hoist(m.ir);
    ct_note("row %zu", row);
    EXPECT_EQ(m.ir->block[0].count - before, rows[row].leave);
    ir_free(m.ir);
  }
}

/* (float)(double)x and its like: the same where x is the result of an operation, whose NaN is the quiet one. */
TEST(passes, a_float_that_is_widened_and_narrowed_is_itself_unless_it_is_from_memory) {
  static const struct {
    uint16_t there, back, sum, load;
  } rows[] = {{ISA_CVT_F64_F32, ISA_CVT_F32_F64, ISA_FADD_F32, ISA_LD_LDS_32},
              {ISA_CVT_F32_F16, ISA_CVT_F16_F32, ISA_FADD_F16, ISA_LD_LDS_U16},
              {ISA_CVT_F64_F16, ISA_CVT_F16_F64, ISA_FADD_F16, ISA_LD_LDS_U16}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
    for (uint32_t add = 0; add < 2; add++) {
      struct maker m = begin();
      const ir_ref a = make(&m, rows[row].load, arg_word(&m, 0), 0, 0, 0);
      const ir_ref x = add ? make(&m, rows[row].sum, a, a, 0, 0) : a;
      store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, rows[row].back, make(&m, rows[row].there, x, 0, 0, 0), 0, 0, 0));
      ir_exit(m.ir, 0, (struct ir_place){.line = 1});
      pass_simplify(m.ir);
      char *text = ir_text(m.ir);
      ct_note("%s", text);
      EXPECT_EQ(strstr(text, "cvt") == NULL, add == 1);
      free(text);
      ir_free(m.ir);
    }
}

/* Two flags under a mask or an `or`. */
static struct maker begin_flags(uint16_t op) {
  struct maker m = begin();
  const ir_ref p = is_odd(&m, arg_word(&m, 0)), q = is_odd(&m, arg_word(&m, 4));
  const ir_ref one = make(&m, ISA_CVT_U32_P, p, 0, 0, 0), two = make(&m, ISA_CVT_U32_P, q, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, op, one, two, 0, 0));
  return m;
}

TEST(passes, flags_are_joined_as_predicates) {
  static const uint16_t ops[] = {ISA_AND_32, ISA_OR_32};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    struct maker m = begin_flags(ops[i]), again = begin_flags(ops[i]);
    ir_exit(m.ir, 0, (struct ir_place){.line = 1});
    pass_simplify(m.ir);
    uint32_t conversions = 0;
    for (uint32_t k = 0; k < m.ir->block[0].count; k++)
      conversions += m.ir->inst[m.ir->block[0].inst[k]].op == ISA_CVT_U32_P;
    EXPECT_EQ(conversions, 1);
    ir_free(m.ir);
    expect_same(&again, pass_simplify);
  }
}

TEST(passes, a_sum_less_one_of_its_parts_is_the_other) {
  for (uint32_t less = 0; less < 2; less++) {
    struct maker m = begin();
    const ir_ref part[] = {arg_word(&m, 0), arg_word(&m, 4)};
    const ir_ref sum = make(&m, ISA_ADD_32, part[0], part[1], 0, 0);
    store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_SUB_32, sum, part[less], 0, 0));
    expect_text(&m, pass_simplify,
                less ? "block 0:\n  v1 = ld.arg.b32\n  st.lds.b32 0 _ v1\n  exit\n"
                     : "block 0:\n  v2 = ld.arg.b32 +4\n  st.lds.b32 0 _ v2\n  exit\n");
  }
}

/* odd(a) ? A : B, both to J: phi(A: x, B: 1) == phi(A: y, B: 2) ? T : U. B leads to U, and A to T if x is y always. */
TEST(passes, a_way_to_a_junction_leads_on_if_either_value_of_its_selects_leads_there) {
  enum { P, Q, NUMBER };
  static const struct {
    struct {
      uint16_t op;
      uint8_t yes, no, third;
    } value[2];
    bool leads;
  } rows[] = {{{{ISA_SEL_32, 1, 0, P}, {ISA_SEL_32, 1, 0, P}}, true},
              {{{ISA_SEL_32, 1, 0, P}, {ISA_SEL_32, 1, 0, Q}}, false},
              {{{ISA_SEL_32, 1, 0, P}, {ISA_SEL_32, 1, 1, P}}, false},
              {{{ISA_SEL_32, 1, 1, P}, {IR_CONST, 1, 0, 0}}, true},
              {{{ISA_SEL_32, 1, 0, P}, {IR_CONST, 1, 0, 0}}, false},
              {{{ISA_MAD_32, 1, 1, NUMBER}, {IR_CONST, 1, 0, 0}}, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct maker m = begin();
    const uint32_t a = new_block(&m), b = new_block(&m), junction = new_block(&m), t = new_block(&m), u = new_block(&m);
    const ir_ref one = arg_word(&m, 0), two = arg_word(&m, 4);
    const ir_ref third[] = {is_odd(&m, two), is_odd(&m, arg_word(&m, 8)), make(&m, ISA_AND_32, two, word(&m, 1), 0, 0)};
    branch(&m, is_odd(&m, one), a, b);
    m.block = a;
    ir_ref value[2];
    for (size_t k = 0; k < 2; k++) {
      const ir_ref yes = word(&m, rows[i].value[k].yes), no = word(&m, rows[i].value[k].no);
      const uint16_t op = rows[i].value[k].op;
      value[k] = op == IR_CONST ? yes : make(&m, op, yes, no, third[rows[i].value[k].third], 0);
    }
    go(&m, junction);
    m.block = b;
    go(&m, junction);
    m.block = junction;
    const ir_ref x = phi_of_two(&m, a, value[0], b, word(&m, 1)), y = phi_of_two(&m, a, value[1], b, word(&m, 2));
    branch(&m, make(&m, ISA_SETP_EQ_U32, x, y, 0, 0), t, u);
    m.block = u;
    store(&m, ISA_ST_LDS_32, word(&m, 0), word(&m, 5));
    ir_exit(m.ir, u, (struct ir_place){.line = 1});
    m.block = t;
    store(&m, ISA_ST_LDS_32, word(&m, 0), word(&m, 6));
    ct_note("row %zu", i);
    EXPECT_EQ(same_after(&m, pass_thread), rows[i].leads ? 5 : 6);
  }
}

TEST(passes, bytes_that_are_only_used_as_bytes_are_values_of_their_own) {
  struct maker m = begin();
  const ir_ref variable = make(&m, IR_SLOT, 0, 0, 0, ir_slot_new(m.ir, 4, 4));
  for (uint32_t i = 0; i < 4; i++) {
    const ir_ref byte = make(&m, ISA_LD_ARG_U8, 0, 0, 0, i);
    store(&m, ISA_ST_PRIVATE_8, make(&m, ISA_ADD_32, variable, word(&m, i), 0, 0), byte);
  }
  const ir_ref second = make(&m, ISA_ADD_32, variable, word(&m, 2), 0, 0);
  store(&m, ISA_ST_LDS_8, word(&m, 0), make(&m, ISA_LD_PRIVATE_U8, second, 0, 0, 0));
  expect_text(&m, opencl_passes, "block 0:\n  v10 = ld.arg.u8 +2\n  st.lds.b8 _ _ v10\n  exit\n");
}

/* Stored in one width, loaded in another, at each place of the narrower one. */
TEST(passes, parts_of_a_variable_are_parts_of_what_was_stored) {
  static const struct {
    uint16_t load, store;
    uint8_t bytes;
  } ways[] = {{ISA_LD_PRIVATE_U8, ISA_ST_PRIVATE_8, 1},
              {ISA_LD_PRIVATE_U16, ISA_ST_PRIVATE_16, 2},
              {ISA_LD_PRIVATE_32, ISA_ST_PRIVATE_32, 4},
              {ISA_LD_PRIVATE_64, ISA_ST_PRIVATE_64, 8}};
  for (size_t in = 0; in < 4; in++)
    for (size_t out = 0; out < 4; out++)
      for (uint32_t at = 0; at < 8; at += ways[out].bytes) {
        struct maker m = begin();
        const ir_ref variable = make(&m, IR_SLOT, 0, 0, 0, ir_slot_new(m.ir, 8, 8));
        for (uint32_t i = 0; i < 8; i += ways[in].bytes) {
          const ir_ref value = make(&m, in == 3 ? ISA_LD_ARG_64 : ISA_LD_ARG_32, 0, 0, 0, 4 * i);
          store(&m, ways[in].store, make(&m, ISA_ADD_32, variable, word(&m, i), 0, 0), value);
        }
        const ir_ref part = make(&m, ISA_ADD_32, variable, word(&m, at), 0, 0);
        store(&m, out == 3 ? ISA_ST_LDS_64 : ISA_ST_LDS_32, word(&m, 0), make(&m, ways[out].load, part, 0, 0, 0));
        ct_note("stores of %u bytes, a load of %u at %u", ways[in].bytes, ways[out].bytes, at);
        expect_same(&m, pass_promote);
      }
}

/* p ? a + b : a - b, and behind it a difference of what has the arms' numbers. */
TEST(passes, what_stands_behind_a_phi_that_becomes_a_select_keeps_its_operands) {
  struct maker m = begin();
  const uint32_t yes = new_block(&m), no = new_block(&m), join = new_block(&m);
  const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
  EXPECT_EQ(a, yes);
  EXPECT_EQ(b, no);
  branch(&m, is_odd(&m, a), yes, no);
  const ir_ref phi = sum_or_difference(&m, yes, no, join, a, b), behind = make(&m, ISA_SUB_32, a, b, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), behind);
  store(&m, ISA_ST_LDS_32, word(&m, 4), phi);
  EXPECT_EQ(same_after(&m, pass_flatten), 2);
}

/* A store under a condition, and then a question of line 7. */
TEST(passes, a_question_that_moves_up_keeps_its_line) {
  struct maker m = begin();
  const uint32_t arm = new_block(&m), join = new_block(&m), yes = new_block(&m), no = new_block(&m);
  const ir_ref a = arg_word(&m, 0);
  branch(&m, is_odd(&m, a), arm, join);
  m.block = arm;
  store(&m, ISA_ST_LDS_32, word(&m, 0), a);
  go(&m, join);
  m.block = join;
  ir_if(m.ir, join, make(&m, ISA_SETP_LT_U32, a, word(&m, 3), 0, 0), yes, no, (struct ir_place){.line = 7});
  ir_exit(m.ir, yes, (struct ir_place){.line = 8});
  ir_exit(m.ir, no, (struct ir_place){.line = 9});
  pass_flatten(m.ir);
  EXPECT_EQ(m.ir->block[0].end, IR_END_IF);
  EXPECT_EQ(m.ir->block[0].place.line, 7);
  ir_free(m.ir);
}

/* Rows of a matrix, each a row further than the one before: (c + k) * v + r, none of which wraps. */
TEST(passes, addresses_a_row_apart_are_computed_from_one_another) {
  struct maker m = begin();
  const ir_ref base = make(&m, ISA_LD_ARG_64, 0, 0, 0, 8), c = arg_word(&m, 16), v = arg_word(&m, 20),
               r = arg_word(&m, 24);
  for (uint32_t k = 1; k < 4; k++) {
    const ir_ref row = make(&m, ISA_ADD_32, c, word(&m, k), 0, 0), product = make(&m, ISA_MUL_32, row, v, 0, 0);
    const ir_ref index = make(&m, ISA_ADD_32, product, r, 0, 0);
    m.ir->inst[row].no_wrap = m.ir->inst[product].no_wrap = m.ir->inst[index].no_wrap = IR_NO_WRAP_SIGNED;
    const ir_ref offset = make(&m, ISA_SHL_64, make(&m, ISA_CVT_S64_S32, index, 0, 0, 0), word(&m, 2), 0, 0);
    store(&m, ISA_ST_GLOBAL_32, make(&m, ISA_ADD_64, base, offset, 0, 0), r);
  }
  expect_text(&m, opencl_passes,
              "block 0:\n"
              "  v1 = ld.arg.b64 +8\n"
              "  v2 = ld.arg.b32 +16\n"
              "  v3 = ld.arg.b32 +20\n"
              "  v4 = ld.arg.b32 +24\n"
              "  v6 = add.i32 v2 1\n"
              "  v35 = mad.i32 v3 v6 v4\n"
              "  v38 = mad.wide.s32 v35 4 v1\n"
              "  st.global.b32 v38 _ v4\n"
              "  v40 = mad.wide.s32 v3 4 v38\n"
              "  st.global.b32 v40 _ v4\n"
              "  v41 = mad.wide.s32 v3 4 v40\n"
              "  st.global.b32 v41 _ v4\n"
              "  exit\n");
}

static void widen_to_16(struct ir *ir) {
  ir->target.isa.vector_bytes = 16;
  pass_widen(ir);
}

/* lds[16 * id], its three neighbours and the pair behind them, stored in another place in pairs. */
TEST(passes, neighbouring_words_are_loaded_and_stored_together_where_that_is_aligned) {
  struct maker m = begin();
  const ir_ref at = make(&m, ISA_SHL_32, make(&m, ISA_GET_LOCAL_ID, 0, 0, 0, 0), word(&m, 4), 0, 0);
  ir_ref loaded[6];
  for (uint32_t k = 0; k < 6; k++)
    loaded[k] = make(&m, ISA_LD_LDS_32, at, 0, 0, 4 * k);
  for (uint32_t k = 0; k < 6; k++) {
    const ir_ref operand[] = {at, 0, loaded[k]};
    ir_append(m.ir, 0, ir_make(m.ir, ISA_ST_LDS_32, IR_NOTHING, operand, 3, 520 + 4 * k, (struct ir_place){.line = 1}));
  }
  expect_text(&m, widen_to_16,
              "block 0:\n"
              "  v2 = get.local_id\n"
              "  v3 = shl.b32 v2 4\n"
              "  v16 = ld.lds.b128 v3\n"
              "  v17 = word v16\n"
              "  v18 = word v16 +1\n"
              "  v19 = word v16 +2\n"
              "  v20 = word v16 +3\n"
              "  v23 = ld.lds.b64 v3 +16\n"
              "  v24 = word v23\n"
              "  v25 = word v23 +1\n"
              "  v26 = join v17 v18\n"
              "  st.lds.b64 v3 _ v26 +520\n"
              "  v21 = join v19 v20 v24 v25\n"
              "  st.lds.b128 v3 _ v21 +528\n"
              "  exit\n");
}

/* A store in between may touch the second word, and a base of which nothing is known may lie anywhere. */
TEST(passes, neighbouring_words_stay_apart_where_they_must) {
  for (unsigned unknown = 0; unknown < 2; unknown++) {
    struct maker m = begin();
    const ir_ref id = make(&m, ISA_GET_LOCAL_ID, 0, 0, 0, 0),
                 at = unknown ? id : make(&m, ISA_SHL_32, id, word(&m, 4), 0, 0);
    const ir_ref a = make(&m, ISA_LD_LDS_32, at, 0, 0, 0);
    if (!unknown)
      store(&m, ISA_ST_LDS_32, id, a);
    const ir_ref b = make(&m, ISA_LD_LDS_32, at, 0, 0, 4);
    store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_XOR_32, a, b, 0, 0));
    m.ir->target.isa.vector_bytes = 16;
    ir_exit(m.ir, 0, (struct ir_place){.line = 1});
    pass_widen(m.ir);
    for (uint32_t k = 0; k < m.ir->block[0].count; k++)
      EXPECT_NE(m.ir->inst[m.ir->block[0].inst[k]].op, ISA_LD_LDS_64);
    ir_free(m.ir);
  }
}

static void ids_of_no_machine(struct ir *ir) {
  ir->target.isa = (struct isa_features){.mad = 1, .vector_bytes = 4};
  pass_ids(ir);
}

TEST(passes, an_index_in_the_ndrange_is_computed_where_the_machine_does_not_tell_it) {
  struct maker m = begin();
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_GET_GLOBAL_ID, 0, 0, 0, 1));
  expect_text(&m, ids_of_no_machine,
              "block 0:\n"
              "  v4 = get.global_offset +1\n"
              "  v5 = get.local_id +1\n"
              "  v6 = add.i32 v5 v4\n"
              "  v7 = get.group_id +1\n"
              "  v8 = get.enqueued_local_size +1\n"
              "  v9 = mad.i32 v7 v8 v6\n"
              "  st.lds.b32 0 _ v9\n"
              "  exit\n");
}
