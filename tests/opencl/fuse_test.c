/* pass_fuse(): what trees of logic and sums become, for every truth table and every choice of signs, and that lanes
 * still store the same. passes_test.c runs random kernels through it. */
#include "isa/ops.h"
#include "opencl/passes/passes.h"
#include "tests/ct.h"
#include "tests/opencl/lane.h"

#include <stdlib.h>
#include <string.h>

CT_FREES(struct ir, ir_free)

static const struct ir_place place = {.line = 1};

static struct ir *begin(uint32_t lop3, uint32_t add3, uint32_t shift_add) {
  struct ir *ir = ir_new("k");
  ir->target = opencl_usual_target();
  ir->target.isa.lop3 = lop3;
  ir->target.isa.add3 = add3;
  ir->target.isa.shift_add = shift_add;
  return ir;
}

static ir_ref put(struct ir *ir, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  const ir_ref operand[] = {a, b, c};
  const ir_ref ref = ir_make(ir, op, ir_width_of((enum isa_op)op), operand, c ? 3 : b ? 2 : a ? 1 : 0, imm, place);
  ir_append(ir, 0, ref);
  return ref;
}

static ir_ref arg(struct ir *ir, uint32_t number) { return put(ir, ISA_LD_ARG_32, 0, 0, 0, 4 * number); }
static ir_ref word(struct ir *ir, uint32_t bits) { return ir_const(ir, IR_W1, bits); }

static void store(struct ir *ir, uint32_t address, ir_ref value) {
  const ir_ref operand[] = {word(ir, address), 0, value};
  ir_append(ir, 0, ir_make(ir, ISA_ST_LDS_32, IR_NOTHING, operand, 3, 0, place));
}

/* Runs the pass. Returns how many instructions remain, not counting arguments, stores and constants. */
static uint32_t fused(struct ir *ir) {
  uint32_t left = 0;
  ir_exit(ir, 0, place);
  lane_same_after(ir, pass_fuse);
  for (uint32_t i = 0; i < ir->block[0].count; i++) {
    const uint16_t op = ir->inst[ir->block[0].inst[i]].op;
    left += op != ISA_LD_ARG_32 && op != ISA_ST_LDS_32;
  }
  return left;
}

static uint16_t last_op(const struct ir *ir) {
  const ir_ref stored = ir_operand(ir, ir->block[0].inst[ir->block[0].count - 1], 2);
  return ir->inst[stored].op;
}

/* ---- logic ------------------------------------------------------------------------------------------- */

/* The table's sum of products, written naively. */
static ir_ref products(struct ir *ir, const ir_ref x[3], uint32_t table) {
  ir_ref sum = 0;
  for (uint32_t row = 0; row < 8; row++) {
    ir_ref product = 0;
    for (uint32_t i = 0; i < 3 && table >> row & 1; i++) {
      const ir_ref factor = row >> (2 - i) & 1 ? x[i] : put(ir, ISA_NOT_32, x[i], 0, 0, 0);
      product = product ? put(ir, ISA_AND_32, product, factor, 0, 0) : factor;
    }
    sum = sum && product ? put(ir, row & 1 ? ISA_OR_32 : ISA_XOR_32, sum, product, 0, 0) : product ? product : sum;
  }
  return sum;
}

TEST(fuse, each_of_the_256_functions_of_three_values_takes_at_most_one_instruction) {
  for (uint32_t table = 1; table < 256; table++) {
    ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
    const ir_ref x[] = {arg(ir, 0), arg(ir, 1), arg(ir, 2)};
    store(ir, 0, products(ir, x, table));
    ct_note("table %#x", table);
    EXPECT_LE(fused(ir), 1);
    if (last_op(ir) == ISA_LOP3) {
      const ir_ref lop3 = ir_operand(ir, ir->block[0].inst[ir->block[0].count - 1], 2);
      bool in_order = true;
      for (uint32_t i = 0; i < 3; i++)
        in_order &= ir_operand(ir, lop3, i) == x[i];
      if (in_order)
        EXPECT_EQ(ir->inst[lop3].imm, table);
    }
  }
}

/* a, b, c and a constant in each place, with all operations of a tree of two. */
TEST(fuse, trees_of_two_operations_agree_in_all_their_forms) {
  static const uint16_t ops[] = {ISA_AND_32, ISA_OR_32, ISA_XOR_32, ISA_BITSEL};
  for (uint32_t inner = 0; inner < 4; inner++)
    for (uint32_t outer = 0; outer < 4; outer++)
      for (uint32_t constant = 0; constant < 4; constant++)
        for (uint32_t inverted = 0; inverted < 8; inverted++) {
          ct_freed(ir_free_at) struct ir *ir = begin(1, 0, 0);
          ir_ref x[4] = {arg(ir, 0), arg(ir, 1), arg(ir, 2), word(ir, 0x00ff1234)};
          const ir_ref low = x[constant], high = x[(constant + 1) % 4], third = x[(constant + 2) % 4];
          const ir_ref left = inverted & 1 ? put(ir, ISA_NOT_32, high, 0, 0, 0) : high;
          ir_ref node = put(ir, ops[inner], low, left, inner == 3 ? third : 0, 0);
          node = inverted & 2 ? put(ir, ISA_NOT_32, node, 0, 0, 0) : node;
          node = put(ir, ops[outer], third, node, outer == 3 ? low : 0, 0);
          store(ir, 0, inverted & 4 ? put(ir, ISA_NOT_32, node, 0, 0, 0) : node);
          ct_note("inner %u, outer %u, constant %u, inverted %u", inner, outer, constant, inverted);
          EXPECT_LE(fused(ir), 1);
        }
}

TEST(fuse, a_value_with_another_use_stays) {
  ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
  const ir_ref both = put(ir, ISA_AND_32, arg(ir, 0), arg(ir, 1), 0, 0);
  store(ir, 0, both);
  store(ir, 4, put(ir, ISA_XOR_32, both, arg(ir, 2), 0, 0));
  EXPECT_EQ(fused(ir), 2);
  EXPECT_EQ(last_op(ir), ISA_XOR_32);
}

TEST(fuse, a_complement_is_absorbed_by_all_its_users) {
  ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
  const ir_ref inverse = put(ir, ISA_NOT_32, arg(ir, 0), 0, 0, 0);
  store(ir, 0, put(ir, ISA_AND_32, inverse, arg(ir, 1), 0, 0));
  store(ir, 4, put(ir, ISA_OR_32, inverse, arg(ir, 2), 0, 0));
  EXPECT_EQ(fused(ir), 2);
  EXPECT_EQ(last_op(ir), ISA_LOP3);
}

TEST(fuse, four_values_take_two_instructions) {
  ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
  const ir_ref left = put(ir, ISA_XOR_32, arg(ir, 0), arg(ir, 1), 0, 0);
  store(ir, 0, put(ir, ISA_XOR_32, left, put(ir, ISA_XOR_32, arg(ir, 2), arg(ir, 3), 0, 0), 0, 0));
  EXPECT_EQ(fused(ir), 2);
}

/* ---- sums -------------------------------------------------------------------------------------------- */

/* x0 op1 (x1 op2 x2), in both orders, where one x may be a constant: one instruction, unless all three are subtracted.
 */
TEST(fuse, sums_of_three_agree_for_all_signs_and_places_of_a_constant) {
  for (uint32_t way = 0; way < 1 << 4; way++)
    for (uint32_t constant = 0; constant < 4; constant++) {
      ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
      ir_ref x[3];
      for (uint32_t i = 0; i < 3; i++)
        x[i] = i == constant ? word(ir, 1000) : arg(ir, i);
      ir_ref inner = put(ir, way & 1 ? ISA_SUB_32 : ISA_ADD_32, x[1], x[2], 0, 0);
      if (way & 2)
        inner = put(ir, ISA_NEG_32, inner, 0, 0, 0);
      const uint16_t op = way & 4 ? ISA_SUB_32 : ISA_ADD_32;
      store(ir, 0, way & 8 ? put(ir, op, inner, x[0], 0, 0) : put(ir, op, x[0], inner, 0, 0));
      const bool all_minus = way == 14; /* -(x1 + x2) - x0, for which there is no operation */
      ct_note("way %u, constant %u", way, constant);
      EXPECT_LE(fused(ir), all_minus && constant == 3 ? 3 : 1);
    }
}

TEST(fuse, two_constants_become_one_addend) {
  ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
  const ir_ref a = put(ir, ISA_ADD_32, arg(ir, 0), word(ir, 5), 0, 0),
               b = put(ir, ISA_SUB_32, arg(ir, 1), word(ir, 7), 0, 0);
  store(ir, 0, put(ir, ISA_SUB_32, a, b, 0, 0));
  EXPECT_EQ(fused(ir), 1);
  EXPECT_EQ(last_op(ir), ISA_ADDSUB);
}

/* ---- shift and add ----------------------------------------------------------------------------------- */

TEST(fuse, a_shift_is_added_in_one_instruction_at_any_distance) {
  for (uint32_t by = 0; by < 40; by++)
    for (uint32_t constant = 0; constant < 3; constant++) {
      ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
      const ir_ref x = constant == 1 ? word(ir, 3) : arg(ir, 0), y = constant == 2 ? word(ir, 9) : arg(ir, 1);
      store(ir, 0, put(ir, ISA_ADD_32, y, put(ir, ISA_SHL_32, x, word(ir, by), 0, 0), 0, 0));
      ct_note("by %u, constant %u", by, constant);
      EXPECT_EQ(fused(ir), 1);
      EXPECT_EQ(last_op(ir), ISA_LEA);
    }
}

TEST(fuse, a_shift_minus_a_value_is_one_instruction_and_a_value_minus_a_shift_is_not) {
  for (uint32_t by = 1; by < 32; by++) {
    struct ir *ir = begin(0, 0, 1);
    store(ir, 0, put(ir, ISA_SUB_32, put(ir, ISA_SHL_32, arg(ir, 0), word(ir, by), 0, 0), arg(ir, 1), 0, 0));
    EXPECT_EQ(fused(ir), 1);
    EXPECT_EQ(last_op(ir), ISA_LEASUB);
    ir_free(ir);
    ir = begin(0, 0, 1);
    store(ir, 0, put(ir, ISA_SUB_32, arg(ir, 1), put(ir, ISA_SHL_32, arg(ir, 0), word(ir, by), 0, 0), 0, 0));
    EXPECT_EQ(fused(ir), 2);
    ir_free(ir);
  }
}

TEST(fuse, a_product_with_a_power_of_two_is_a_shift) {
  for (uint32_t by = 1; by < 32; by++) {
    ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
    store(ir, 0, put(ir, ISA_MAD_32, arg(ir, 0), word(ir, 1u << by), arg(ir, 1), 0));
    EXPECT_EQ(fused(ir), 1);
    EXPECT_EQ(last_op(ir), ISA_LEA);
  }
}

/* ---- machines ------------------------------------------------------------------------------------------ */

TEST(fuse, a_machine_gets_only_operations_that_it_has) {
  for (uint32_t has = 0; has < 8; has++) {
    ct_freed(ir_free_at) struct ir *ir = begin(has & 1, has >> 1 & 1, has >> 2 & 1);
    const ir_ref x[] = {arg(ir, 0), arg(ir, 1), arg(ir, 2)};
    store(ir, 0, put(ir, ISA_AND_32, put(ir, ISA_OR_32, x[0], x[1], 0, 0), x[2], 0, 0));
    store(ir, 4, put(ir, ISA_ADD_32, put(ir, ISA_SUB_32, x[0], x[1], 0, 0), x[2], 0, 0));
    store(ir, 8, put(ir, ISA_ADD_32, put(ir, ISA_SHL_32, x[0], word(ir, 2), 0, 0), x[2], 0, 0));
    ct_note("has %u", has);
    EXPECT_EQ(fused(ir), 6 - (uint32_t)__builtin_popcount(has));
  }
}

/* ---- 64-bit operations ---------------------------------------------------------------------------------- */

static ir_ref wide_arg(struct ir *ir, uint32_t number) { return put(ir, ISA_LD_ARG_64, 0, 0, 0, 8 * number); }

static void store_wide(struct ir *ir, ir_ref value) {
  const ir_ref operand[] = {word(ir, 0), 0, value};
  ir_append(ir, 0, ir_make(ir, ISA_ST_LDS_64, IR_NOTHING, operand, 3, 0, place));
}

/* Splits. Checks that lanes store the same, and returns whether a 64-bit operation other than a full product remains.
 */
static bool split_leaves(struct ir *ir) {
  bool left = false;
  ir_exit(ir, 0, place);
  ir->target.isa.wide = 0;
  lane_same_after(ir, pass_split);
  for (uint32_t i = 0; i < ir->block[0].count; i++) {
    const uint16_t op = ir->inst[ir->block[0].inst[i]].op;
    left |= op < ISA_OPS && isa_rows[op].class_ == ISA_CLASS_LONG;
  }
  return left;
}

TEST(split, shifts_by_each_constant_work_on_words) {
  static const uint16_t ops[] = {ISA_SHL_64, ISA_SHR_U64, ISA_SHR_S64};
  for (uint32_t by = 0; by < 64; by++)
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
      ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
      store_wide(ir, put(ir, ops[i], wide_arg(ir, 0), word(ir, by), 0, 0));
      ct_note("%s by %u", isa_op_name(ops[i]), by);
      const bool left = split_leaves(ir);
      EXPECT_EQ(left, by == 0 || by > 31); /* pass_simplify() handles those */
    }
}

TEST(split, logic_and_products_of_all_kinds_of_words_work_on_words) {
  static const uint16_t ops[] = {ISA_AND_64, ISA_OR_64, ISA_XOR_64, ISA_MUL_64};
  static const uint64_t constants[] = {
      0, 1, UINT32_MAX, UINT64_C(0x2545f4914f6cdd1d), UINT64_MAX, UINT64_C(0xffffffff00000000)};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    for (size_t k = 0; k < sizeof constants / sizeof *constants + 1; k++) {
      ct_freed(ir_free_at) struct ir *ir = begin(1, 1, 1);
      const ir_ref a = wide_arg(ir, 0);
      const ir_ref b = k < sizeof constants / sizeof *constants ? ir_const(ir, IR_W2, constants[k]) : wide_arg(ir, 1);
      store_wide(ir, put(ir, ISA_NOT_64, put(ir, ops[i], a, b, 0, 0), 0, 0, 0));
      ct_note("%s, %zu", isa_op_name(ops[i]), k);
      EXPECT_FALSE(split_leaves(ir));
    }
}

TEST(split, sums_stay_whole_and_so_does_everything_on_a_wide_machine) {
  struct ir *ir = begin(1, 1, 1);
  store_wide(ir, put(ir, ISA_ADD_64, wide_arg(ir, 0), wide_arg(ir, 1), 0, 0));
  EXPECT_TRUE(split_leaves(ir));
  ir_free(ir);
  ir = begin(1, 1, 1);
  store_wide(ir, put(ir, ISA_XOR_64, wide_arg(ir, 0), wide_arg(ir, 1), 0, 0));
  const uint32_t count = ir->block[0].count;
  pass_split(ir);
  EXPECT_EQ(ir->block[0].count, count);
  ir_free(ir);
}

TEST(fuse, a_machine_without_multiply_adds_gets_products_and_sums) {
  static const uint16_t ops[] = {ISA_MAD_32, ISA_MAD_64, ISA_MADW_S32, ISA_MADW_U32};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    ct_freed(ir_free_at) struct ir *ir = begin(0, 0, 0);
    ir->target.isa.mad = 0;
    const bool wide = isa_rows[ops[i]].a == TYPE_U64, sum = isa_rows[ops[i]].c == TYPE_U64;
    const ir_ref a = wide ? wide_arg(ir, 0) : arg(ir, 0), b = wide ? wide_arg(ir, 1) : arg(ir, 1);
    const ir_ref made = put(ir, ops[i], a, b, sum ? wide_arg(ir, 2) : arg(ir, 2), 0);
    if (sum)
      store_wide(ir, made);
    else
      store(ir, 0, made);
    ct_note("%s", isa_op_name(ops[i]));
    fused(ir);
    for (uint32_t k = 0; k < ir->block[0].count; k++)
      EXPECT_TRUE(ir->inst[ir->block[0].inst[k]].op != ops[i]);
  }
}
