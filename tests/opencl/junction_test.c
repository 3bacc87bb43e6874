/* Arms, junctions and conditions: branches that become selects and guards, blocks that are bypassed, and what must
 * stay. */
#include "isa/ops.h"
#include "tests/opencl/maker.h"

#include <stdlib.h>
#include <string.h>

TEST(junctions, a_short_arm_becomes_a_select) {
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
              "  v8 = sel.b32 v5 v1 v3\n  st.lds.b32 _ _ v8\n  exit\n");
}

TEST(junctions, one_conditional_store_is_guarded) {
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

static ir_ref phi_of_two(struct maker *m, uint32_t from, ir_ref value, uint32_t other_from, ir_ref other) {
  const ir_ref phi = ir_make(m->ir, IR_PHI, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
  ir_append(m->ir, m->block, phi);
  ir_phi_add(m->ir, phi, from, value);
  ir_phi_add(m->ir, phi, other_from, other);
  return phi;
}

/* 0 ? A : B, both to J: x = phi, phi(A: 1, B: 0) ? T : U, U to T, which stores x. */
TEST(junctions, a_junction_stays_if_its_value_is_used_where_both_edges_lead) {
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
  same_after(&m, pass_thread);
}

/* 0 ? A : B, A ? J : T, B to J: phi(A: 1, B: 0) ? T : U. Both edges of A would lead to T, with two values. */
TEST(junctions, a_junction_stays_if_a_predecessor_already_leads_to_its_successor) {
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
  same_after(&m, pass_thread);
}

/* p ? A : J; J: phi(0: undef, A: v), used where p holds. v is not available everywhere in J. */
TEST(junctions, a_phi_of_a_value_and_undef_stays_where_the_value_may_be_missing) {
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
  same_after(&m, pass_simplify);
}

/* do { q = i == 5; if (q) lds[8] = i; n = i + 1; } while (!q): q is used before n is computed. */
TEST(junctions, a_condition_with_another_use_stays_in_front_of_it) {
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
  same_after(&m, pass_latch);
}

TEST(junctions, an_arm_that_sets_more_than_four_values_stays) {
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
    ir_analyze(m.ir);
    pass_flatten(m.ir);
    ct_freed(ct_free) char *text = ir_text(m.ir);
    ct_note("%u values\n%s", count, text);
    EXPECT_EQ(strstr(text, "sel.b32") != NULL, count <= SELECTS);
    ir_free(m.ir);
  }
}

/* Block `yes` computes a + b, block `no` a - b, and both lead to `join`, where `m` continues. Returns the phi of the
 * two. */
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

/* p && q ? a + b : a - b. The edge from the second condition to the second arm disappears with that condition. */
TEST(junctions, both_arms_of_two_successive_conditions_become_selects) {
  struct maker m = begin();
  const uint32_t second = new_block(&m), yes = new_block(&m), no = new_block(&m), join = new_block(&m);
  const ir_ref a = arg_word(&m, 0), b = arg_word(&m, 4);
  branch(&m, is_odd(&m, a), second, no);
  m.block = second;
  branch(&m, is_odd(&m, b), yes, no);
  store(&m, ISA_ST_LDS_32, word(&m, 0), sum_or_difference(&m, yes, no, join, a, b));
  EXPECT_EQ(same_after(&m, pass_flatten), 2);
}

/* p && q ? exit : the difference; its operands are values, unlike a phi's, which include blocks. */
TEST(junctions, the_target_of_two_successive_conditions_keeps_its_operands) {
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
  same_after(&m, pass_flatten);
}

/* odd(a) ? A : B, both to J: phi(A: x, B: 1) == phi(A: y, B: 2) ? T : U. B leads to U; A leads to T if x always equals
 * y. */
TEST(junctions, a_junctions_predecessor_is_redirected_if_both_values_of_its_selects_lead_there) {
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

/* p ? a + b : a - b, followed by a difference of values that have the same numbers as the arms. */
TEST(junctions, instructions_after_a_phi_that_becomes_a_select_keep_their_operands) {
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

/* A conditional store, then a condition on line 7. */
TEST(junctions, a_condition_that_moves_up_keeps_its_line) {
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
