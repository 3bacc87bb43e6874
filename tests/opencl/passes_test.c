/* Passes on small handmade kernels, and all of them on random kernels: what a lane stores stays the same. */
#include "isa/ops.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/uniform.h"
#include "tests/ct.h"
#include "tests/opencl/lane.h"
#include "tests/opencl/maker.h"
#include "tests/opencl/program.h"

#include <stdlib.h>
#include <string.h>

CT_FREES(struct ir, ir_free)

/* ---- random kernels --------------------------------------------------------------------------------- */

/* A machine that has every operation. */
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
    {"simplify", pass_simplify}, {"promote", pass_promote}, {"flatten", pass_flatten}, {"compact", ir_compact},
    {"narrow", pass_narrow},     {"unroll", pass_unroll},   {"spread", pass_spread},   {"hoist", pass_hoist},
    {"address", pass_address},   {"regroup", pass_regroup}, {"loads", pass_loads},     {"latch", pass_latch},
    {"thread", pass_thread},     {"meet", pass_meet},       {"split", split},          {"fuse", fuse},
    {"widen", pass_widen},       {"chain", pass_chain},     {"ids", pass_ids},         {"all", opencl_passes},
    {"levels", all_levels},
};

/* These passes preserve what others can see, but not every store. */
static bool joins_stores(size_t pass) {
  return passes[pass].run == pass_widen || passes[pass].run == opencl_passes || passes[pass].run == all_levels;
}

/* Runs a pass of the table, checks the form, and checks that two lanes store the same as before. */
static bool agrees(struct ir *ir, size_t pass, uint64_t seed) {
  static struct lane before[2], after[2];
  for (uint32_t id = 0; id < 2; id++) {
    lane_start(&before[id], seed, 7 * id);
    before[id].is_watched = true;
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
    after[id].is_watched = true;
    lane_run(&after[id], ir);
    if (!EXPECT_EQ(after[id].failed, before[id].failed) || !EXPECT_EQ(after[id].seen, before[id].seen) ||
        (!joins_stores(pass) && !EXPECT_EQ(after[id].digest, before[id].digest)))
      return false;
  }
  return true;
}

TEST(passes, each_pass_alone_preserves_what_random_kernels_store) {
  for (uint64_t seed = 1; seed <= 60; seed++)
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
      ct_freed(ir_free_at) struct ir *ir = program_random(seed, 20 + (uint32_t)seed);
      const bool good = agrees(ir, pass, seed);
      if (!good)
        return;
    }
}

TEST(passes, passes_in_any_order_preserve_what_random_kernels_store) {
  for (uint64_t seed = 1000; seed < 1300; seed++) {
    uint64_t order = seed;
    ct_freed(ir_free_at) struct ir *ir = program_random(seed, 10 + (uint32_t)(seed % 97));
    bool good = true;
    for (int i = 0; i < 8 && good; i++)
      good = agrees(ir, (ct_random(&order) >> 40) % (sizeof passes / sizeof *passes), seed);
    if (!good)
      return;
  }
}

/* ---- handmade kernels -------------------------------------------------------------------------------- */

TEST(passes, constants_are_what_the_executor_computes) {
  struct maker m = begin();
  const ir_ref product = make(&m, ISA_MUL_32, word(&m, 6), word(&m, 7), 0, 0);
  const ir_ref quotient = make(&m, ISA_DIV_U32, product, word(&m, 0), 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), quotient);
  expect_text(&m, pass_simplify, "block 0:\n  st.lds.b32 0 _ 0xffffffff\n  exit\n");
}

TEST(passes, equal_instructions_are_merged_and_unused_ones_removed) {
  struct maker m = begin();
  const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
  const ir_ref one = make(&m, ISA_ADD_32, a, b, 0, 0), two = make(&m, ISA_ADD_32, b, a, 0, 0);
  make(&m, ISA_LD_LDS_32, a, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_XOR_32, one, two, 0, 0));
  expect_text(&m, pass_simplify, "block 0:\n  st.lds.b32 0 _ 0\n  exit\n");
}

TEST(passes, clock_reads_keep_their_places_and_number) {
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

TEST(passes, loads_are_not_merged_across_a_store) {
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

TEST(passes, a_variable_that_only_one_arm_sets_becomes_a_phi) {
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
    ct_freed(ct_free) char *text = ir_text(m.ir);
    EXPECT_CONTAINS(text, second ? "phi 1: 20 2: 10" : "phi 1: 10 2: 20");
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

/* for (size_t i = 0; i < n; i++) sum += lds[i], with uint n: all in 32 bits, and the size of an iteration is known. */
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

TEST(passes, loop_invariants_are_computed_before_the_loop) {
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

/* A loop of `turns` iterations, or as many as an argument says, whose body loads lds[0] and may store something. */
TEST(passes, a_load_leaves_a_loop_that_certainly_runs_and_does_not_change_it) {
  const struct {
    uint32_t turns;
    uint16_t store;
    bool leaves;
  } rows[] = {{8, 0, true},
              {0, 0, false},
              {UINT32_MAX, 0, false},
              {8, ISA_ST_LDS_32, false},
              {8, ISA_ST_PRIVATE_32, true},
              {8, ISA_BAR_LDS, false}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    struct maker m = begin();
    const uint32_t header = new_block(&m), body = new_block(&m), after = new_block(&m);
    const ir_ref zero = word(&m, 0);
    const ir_ref turns = rows[row].turns == UINT32_MAX ? arg_word(&m, 0) : word(&m, rows[row].turns);
    go(&m, header);
    m.block = header;
    const ir_ref i = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
    ir_append(m.ir, header, i);
    branch(&m, make(&m, ISA_SETP_LT_U32, i, turns, 0, 0), body, after);
    m.block = body;
    const ir_ref loaded = make(&m, ISA_LD_LDS_32, zero, 0, 0, 0);
    const ir_ref sum = make(&m, ISA_ADD_32, loaded, i, 0, 0);
    if (rows[row].store == ISA_BAR_LDS)
      make(&m, ISA_BAR_LDS, 0, 0, 0, 0);
    else if (rows[row].store)
      store(&m, rows[row].store, zero, sum);
    const ir_ref next = make(&m, ISA_ADD_32, i, word(&m, 1), 0, 0);
    go(&m, header);
    ir_phi_add(m.ir, i, 0, zero);
    ir_phi_add(m.ir, i, body, next);
    ir_exit(m.ir, after, (struct ir_place){.line = 1});
    m.ir->target.optimize = 2;
    pass_hoist(m.ir);
    ct_note("row %zu", row);
    EXPECT_EQ(m.ir->inst[loaded].block, rows[row].leaves ? 0 : body);
    ir_free(m.ir);
  }
}

/* A word or a part of it is stored, and loaded again from the same place or `apart` bytes behind a second store. */
TEST(passes, a_load_of_a_word_that_was_just_stored_is_that_word) {
  const struct {
    uint16_t store, load;
    uint64_t other; /* offset of a second store; 0: none */
    uint8_t level;
    bool checked, known;
  } rows[] = {{ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 0, 2, false, true},
              {ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 4, 2, false, true},
              {ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 3, 2, false, false},
              {ISA_ST_PRIVATE_32, ISA_LD_PRIVATE_32, 0, 2, false, true},
              {ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 0, 1, false, false},
              {ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 0, 2, true, false},
              {ISA_ST_LDS_32, ISA_LD_LDS_32, 0, 2, false, false},
              {ISA_ST_GLOBAL_16, ISA_LD_GLOBAL_U16, 0, 2, false, false},
              {ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_U16, 0, 2, false, false},
              {ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_L2_32, 0, 2, false, false}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    struct maker m = begin();
    const bool global = isa_rows[rows[row].load].space == ISA_SPACE_GLOBAL;
    const ir_ref at = global ? make(&m, ISA_LD_ARG_64, 0, 0, 0, 8) : word(&m, 0), value = arg_word(&m, 0);
    store(&m, rows[row].store, at, value);
    if (rows[row].other) {
      store(&m, rows[row].store, at, word(&m, 7));
      m.ir->inst[m.ir->block[0].inst[m.ir->block[0].count - 1]].imm = rows[row].other;
    }
    const ir_ref loaded = make(&m, rows[row].load, at, 0, 0, 0);
    store(&m, ISA_ST_LDS_32, word(&m, 64), loaded);
    ir_exit(m.ir, 0, (struct ir_place){.line = 1});
    m.ir->target.optimize = rows[row].level;
    m.ir->target.checked = rows[row].checked;
    pass_loads(m.ir);
    ct_note("row %zu", row);
    const struct ir_block *block = &m.ir->block[0];
    EXPECT_EQ(ir_operand(m.ir, block->inst[block->count - 1], 2), rows[row].known ? value : loaded);
    ir_free(m.ir);
  }
}

/* for (i = 0; i < turns; i++) *p += i, where p is an argument plus a constant: the sum stays in a register, and is
 * loaded in front of the loop by lanes that enter it. The stores stay. */
TEST(passes, what_an_iteration_stores_the_next_one_does_not_load) {
  const struct {
    uint32_t turns;
    uint16_t store, load, between;
    bool moves, by_counter, carried, guarded;
  } rows[] = {{8, ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 0, false, false, true, false},
              {UINT32_MAX, ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 0, false, false, true, true},
              {UINT32_MAX, ISA_ST_PRIVATE_32, ISA_LD_PRIVATE_32, 0, false, false, true, true},
              {UINT32_MAX, ISA_ST_LDS_32, ISA_LD_LDS_32, 0, false, false, false, false},
              {UINT32_MAX, ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, ISA_BAR_LDS, false, false, false, false},
              {UINT32_MAX, ISA_ST_GLOBAL_32, ISA_LD_GLOBAL_32, 0, true, false, false, false},
              {UINT32_MAX, ISA_ST_PRIVATE_32, ISA_LD_PRIVATE_32, 0, false, true, false, false}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    struct maker m = begin();
    const uint32_t header = new_block(&m), body = new_block(&m), after = new_block(&m);
    const bool global = isa_rows[rows[row].load].space == ISA_SPACE_GLOBAL;
    const ir_ref turns = rows[row].turns == UINT32_MAX ? arg_word(&m, 0) : word(&m, rows[row].turns);
    const ir_ref p = global ? make(&m, ISA_LD_ARG_64, 0, 0, 0, 8) : arg_word(&m, 8);
    go(&m, header);
    m.block = header;
    const ir_ref i = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
    ir_append(m.ir, header, i);
    branch(&m, make(&m, ISA_SETP_LT_U32, i, turns, 0, 0), body, after);
    m.block = body;
    const ir_ref at = rows[row].by_counter ? make(&m, ISA_SHL_32, i, word(&m, 2), 0, 0)
                      : global             ? make(&m, ISA_ADD_64, p, pair(&m, 16), 0, 0)
                                           : make(&m, ISA_ADD_32, p, word(&m, 16), 0, 0);
    const ir_ref loaded = make(&m, rows[row].load, at, 0, 0, 0);
    const ir_ref sum = make(&m, ISA_ADD_32, loaded, i, 0, 0);
    store(&m, rows[row].store, at, sum);
    if (rows[row].between)
      make(&m, rows[row].between, 0, 0, 0, 0);
    if (rows[row].moves) /* a second store, which may be to the same place */
      store(&m, rows[row].store, make(&m, ISA_LD_ARG_64, 0, 0, 0, 16), sum);
    const ir_ref next = make(&m, ISA_ADD_32, i, word(&m, 1), 0, 0);
    go(&m, header);
    ir_phi_add(m.ir, i, 0, word(&m, 0));
    ir_phi_add(m.ir, i, body, next);
    ir_exit(m.ir, after, (struct ir_place){.line = 1});
    m.ir->target.optimize = 2;
    pass_loads(m.ir);
    ct_note("row %zu", row);
    char why[IR_FAULT];
    EXPECT_EQ(ir_fault(m.ir, why), NULL);
    EXPECT_EQ(m.ir->inst[loaded].block, rows[row].carried ? IR_NOWHERE : body);
    const struct ir_block *entry = &m.ir->block[0];
    const ir_ref first = entry->inst[entry->count - 1];
    EXPECT_EQ(m.ir->inst[first].op == rows[row].load, rows[row].carried);
    EXPECT_EQ(m.ir->inst[first].guard != 0, rows[row].guarded);
    ir_free(m.ir);
  }
}

TEST(passes, a_byte_of_a_stored_half_is_part_of_it) {
  for (uint32_t half = 0; half < 4; half += 2)
    for (uint32_t byte = half; byte < half + 2; byte++) {
      struct maker m = begin();
      const ir_ref variable = make(&m, IR_SLOT, 0, 0, 0, ir_slot_new(m.ir, 4, 4)), value = arg_word(&m, 0);
      store(&m, ISA_ST_PRIVATE_16, make(&m, ISA_ADD_32, variable, word(&m, half), 0, 0), value);
      const ir_ref part = make(&m, ISA_ADD_32, variable, word(&m, byte), 0, 0);
      store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_LD_PRIVATE_U8, part, 0, 0, 0));
      ct_note("byte %u of the half at %u", byte, half);
      same_after(&m, pass_promote);
    }
}

TEST(passes, a_division_that_few_iterations_need_stays_in_its_loop) {
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

/* Nothing is less than the smallest number: the block is never reached, and its ranges may be any computable ones. */
TEST(passes, comparisons_with_the_ends_of_a_type_have_ranges) {
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

/* One more than fits, of words, pairs, quads and predicates. */
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

/* An arm of ten additions under a condition that is uniform, or different for each lane. */
TEST(passes, a_long_arm_always_runs_where_lanes_diverge) {
  for (uint32_t divergence = 0; divergence < 2; divergence++) {
    struct maker m = begin();
    const uint32_t arm = new_block(&m), after = new_block(&m);
    const ir_ref a = arg_word(&m, 0), lane = make(&m, ISA_GET_LANE, 0, 0, 0, 0);
    branch(&m, is_odd(&m, divergence ? lane : a), arm, after);
    m.block = arm;
    ir_ref sum = lane;
    for (uint32_t i = 0; i < 10; i++)
      sum = make(&m, ISA_ADD_32, sum, a, 0, 0);
    go(&m, after);
    m.block = after;
    const ir_ref phi = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
    ir_append(m.ir, after, phi);
    ir_phi_add(m.ir, phi, 0, lane);
    ir_phi_add(m.ir, phi, arm, sum);
    store(&m, ISA_ST_LDS_32, word(&m, 0), phi);
    ct_note("divergence %u", divergence);
    m.ir->target.optimize = 2;
    EXPECT_EQ(same_after(&m, pass_flatten), divergence ? 2 : 3);
  }
}

/* In a loop, a value that depends on itself and on uniform values is uniform, too. */
TEST(passes, values_that_all_lanes_share_are_uniform) {
  struct maker m = begin();
  const uint32_t loop = new_block(&m), after = new_block(&m);
  const ir_ref a = arg_word(&m, 0), group = make(&m, ISA_GET_GROUP_ID, 0, 0, 0, 0);
  const ir_ref id = make(&m, ISA_GET_LOCAL_ID, 0, 0, 0, 0);
  go(&m, loop);
  m.block = loop;
  const ir_ref shared = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
  const ir_ref own = ir_make(m.ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
  ir_append(m.ir, loop, shared);
  ir_append(m.ir, loop, own);
  const ir_ref next = make(&m, ISA_ADD_32, shared, group, 0, 0), step = make(&m, ISA_ADD_32, own, id, 0, 0);
  const ir_ref loaded = make(&m, ISA_LD_LDS_32, a, 0, 0, 0);
  branch(&m, make(&m, ISA_SETP_LT_U32, next, a, 0, 0), loop, after);
  ir_phi_add(m.ir, shared, 0, a);
  ir_phi_add(m.ir, shared, loop, next);
  ir_phi_add(m.ir, own, 0, a);
  ir_phi_add(m.ir, own, loop, step);
  ir_exit(m.ir, after, (struct ir_place){.line = 1});
  ir_analyze(m.ir);
  ct_freed(ct_free) bool *uniform = uniform_values(m.ir);
  EXPECT_TRUE(uniform[a] && uniform[group] && uniform[shared] && uniform[next]);
  EXPECT_FALSE(uniform[id] || uniform[own] || uniform[step] || uniform[loaded]);
  ir_free(m.ir);
}

/* (float)(double)x and similar: equal to x if x is an operation's result, because its NaN is the quiet one. */
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
      ct_freed(ct_free) char *text = ir_text(m.ir);
      ct_note("%s", text);
      EXPECT_EQ(strstr(text, "cvt") == NULL, add == 1);
      ir_free(m.ir);
    }
}

/* Two flags under an `and` or `or`. */
static struct maker begin_flags(uint16_t op) {
  struct maker m = begin();
  const ir_ref p = is_odd(&m, arg_word(&m, 0)), q = is_odd(&m, arg_word(&m, 4));
  const ir_ref one = make(&m, ISA_CVT_U32_P, p, 0, 0, 0), two = make(&m, ISA_CVT_U32_P, q, 0, 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, op, one, two, 0, 0));
  return m;
}

TEST(passes, flags_are_combined_as_predicates) {
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
    same_after(&again, pass_simplify);
  }
}

TEST(passes, a_sum_minus_one_of_its_parts_is_the_other_part) {
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

TEST(passes, bytes_that_are_only_used_as_bytes_become_separate_values) {
  struct maker m = begin();
  const ir_ref variable = make(&m, IR_SLOT, 0, 0, 0, ir_slot_new(m.ir, 4, 4));
  for (uint32_t i = 0; i < 4; i++) {
    const ir_ref byte = make(&m, ISA_LD_ARG_U8, 0, 0, 0, i);
    store(&m, ISA_ST_PRIVATE_8, make(&m, ISA_ADD_32, variable, word(&m, i), 0, 0), byte);
  }
  const ir_ref second = make(&m, ISA_ADD_32, variable, word(&m, 2), 0, 0);
  store(&m, ISA_ST_LDS_8, word(&m, 0), make(&m, ISA_LD_PRIVATE_U8, second, 0, 0, 0));
  expect_text(&m, opencl_passes, "block 0:\n  v3 = ld.arg.u8 +2\n  st.lds.b8 _ _ v3\n  exit\n");
}

/* Stored in one width and loaded in another, at each place of the narrower one. */
TEST(passes, parts_of_a_variable_are_parts_of_the_stored_value) {
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
        same_after(&m, pass_promote);
      }
}

/* Block 1, which leads to 3, is unreachable; block 2 is reachable, and so is what it stores. */
TEST(passes, unreachable_code_is_removed_and_the_rest_keeps_its_order) {
  struct maker m = begin();
  const uint32_t lost = new_block(&m), found = new_block(&m), more = new_block(&m);
  const ir_ref a = arg_word(&m, 0);
  go(&m, found);
  m.block = lost;
  store(&m, ISA_ST_LDS_32, word(&m, 0), arg_word(&m, 4));
  go(&m, more);
  m.block = more;
  go(&m, found);
  m.block = found;
  const ir_ref sum = make(&m, ISA_ADD_32, a, word(&m, 5), 0, 0);
  store(&m, ISA_ST_LDS_32, word(&m, 8), sum);
  ir_goto(m.ir, found, more, (struct ir_place){.line = 1}); /* replaced by the exit below, so not a path */
  ir_exit(m.ir, found, (struct ir_place){.line = 1});
  const uint32_t before = m.ir->count;
  ir_compact(m.ir);
  EXPECT_EQ(m.ir->blocks, 2);
  EXPECT_EQ(m.ir->block[1].to[0], 0);
  EXPECT_EQ(m.ir->count, before - 2); /* the load and the store of the lost block; constants stay */
  EXPECT_EQ(ir_const(m.ir, IR_W1, 8), ir_const(m.ir, IR_W1, 8));
  EXPECT_EQ(m.ir->count, before - 2);
  expect_text(&m, ir_compact,
              "block 0:\n  v1 = ld.arg.b32\n  goto 1\nblock 1:\n  v4 = add.i32 v1 5\n  st.lds.b32 8 _ v4\n  exit\n");
}
