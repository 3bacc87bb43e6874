/* Indices and addresses: how they are computed, also from one another, and accesses to neighboring words. */
#include "isa/ops.h"
#include "sim/base/need.h"
#include "tests/opencl/maker.h"

#include <stdlib.h>
#include <string.h>

/* size_t i = get_global_id(0); out[i + 2] = in[i] */
TEST(addresses, a_64_bit_index_costs_one_multiply_add_per_array) {
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
  ct_freed(ct_free) char *text = ir_text(m.ir);
  EXPECT_CONTAINS(text, "mad.wide.u32 v3 4 v1\n");
  EXPECT_CONTAINS(text, "mad.wide.u32 v3 4 v2\n");
  EXPECT_CONTAINS(text, "+8\n  exit");
  EXPECT_EQ(m.ir->block[0].count, 7); /* two arguments, id, two addresses, load, store */
  ir_free(m.ir);
}

/* in[(uint)(x - 1)]: x may be 0, and the index 2^32 - 1. */
TEST(addresses, a_difference_that_may_wrap_stays_in_the_index) {
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

TEST(addresses, loads_at_two_indices_stay_two) {
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

/* 2^31 is not a signed 32-bit factor. */
TEST(addresses, a_signed_index_shifted_by_31_is_not_a_product_of_words) {
  for (uint32_t by = 30; by < 33; by++) {
    struct maker m = begin();
    const ir_ref index = make(&m, ISA_CVT_S64_S32, arg_word(&m, 0), 0, 0, 0);
    store(&m, ISA_ST_LDS_64, word(&m, 0), make(&m, ISA_SHL_64, index, word(&m, by), 0, 0));
    ct_note("shifted by %u", by);
    same_after(&m, pass_address);
  }
}

/* Rows of a matrix, each one row after the one before: (c + k) * v + r, none of which wraps. */
TEST(addresses, addresses_one_row_apart_are_computed_from_each_other) {
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

/* lds[16 * id], its three neighbors and the pair after them, stored elsewhere in pairs. */
TEST(addresses, neighboring_words_are_loaded_and_stored_together_if_aligned) {
  struct maker m = begin();
  const ir_ref four = word(&m, 4), id = make(&m, ISA_GET_LOCAL_ID, 0, 0, 0, 0);
  const ir_ref at = make(&m, ISA_SHL_32, id, four, 0, 0);
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

/* Two words at byte 16 of a local array that starts at 256; another array starts at 0. */
static bool becomes_wide(unsigned local_alignment, uint32_t declared, uint32_t other) {
  struct maker m = begin();
  const ir_ref at = make(&m, ISA_SHL_32, make(&m, ISA_GET_LOCAL_ID, 0, 0, 0, 0), word(&m, 4), 0, 0);
  m.ir->lds = need(2, sizeof *m.ir->lds);
  m.ir->lds_align = need(2, sizeof *m.ir->lds_align);
  m.ir->lds_count = 2;
  m.ir->lds[0] = (struct isa_lds_variable){need_copy("other"), 0, 256};
  m.ir->lds[1] = (struct isa_lds_variable){need_copy("array"), 256, 1024};
  m.ir->lds_align[0] = other;
  m.ir->lds_align[1] = declared;
  const ir_ref a = make(&m, ISA_LD_LDS_32, at, 0, 0, 272), b = make(&m, ISA_LD_LDS_32, at, 0, 0, 276);
  store(&m, ISA_ST_LDS_32, word(&m, 0), make(&m, ISA_XOR_32, a, b, 0, 0));
  m.ir->target.isa.vector_bytes = 16;
  m.ir->target.isa.local_alignment = local_alignment;
  ir_exit(m.ir, 0, (struct ir_place){.line = 1});
  pass_widen(m.ir);
  bool wide = false;
  for (uint32_t k = 0; k < m.ir->block[0].count; k++)
    wide |= m.ir->inst[m.ir->block[0].inst[k]].op == ISA_LD_LDS_64;
  ir_free(m.ir);
  return wide;
}

TEST(addresses, words_of_a_local_array_are_joined_if_the_source_or_its_place_aligns_them) {
  EXPECT_TRUE(becomes_wide(ISA_PLACED, 4, 4));
  EXPECT_FALSE(becomes_wide(ISA_DECLARED, 4, 16));
  EXPECT_TRUE(becomes_wide(ISA_DECLARED, 8, 4));
}

/* A store in between may touch the second word, and an unknown base may point anywhere. */
TEST(addresses, neighboring_words_stay_separate_where_they_must) {
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

TEST(addresses, the_global_id_is_computed_if_the_machine_does_not_provide_it) {
  struct maker m = begin();
  const ir_ref id = make(&m, ISA_GET_GLOBAL_ID, 0, 0, 0, 1);
  store(&m, ISA_ST_LDS_32, word(&m, 0), id);
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
