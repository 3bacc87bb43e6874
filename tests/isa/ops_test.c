/* Each arithmetic row compared with the oracle, and the two builds of the lane loops compared with each other. */
#include "isa/lanes.h"
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/isa/oracle.h"
#include "tests/isa/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 0, A = 4, B = 8, C = 12, PD = 0, PA = 1, PB = 2, PC = 3 };

static uint8_t field_of(enum isa_type type, uint8_t reg, uint8_t pred) {
  return type == TYPE_NONE ? ISA_NO_REGISTER : type == TYPE_PRED ? pred : reg;
}

static struct isa_inst plain(enum isa_op op) {
  const struct isa_row *row = &isa_rows[op];
  return (struct isa_inst){.op = (uint16_t)op,
                           .d = field_of(row->d, D, PD),
                           .a = field_of(row->a, A, PA),
                           .b = field_of(row->b, B, PB),
                           .c = field_of(row->c, C, PC)};
}

static void put(struct isa_warp *warp, uint32_t stride, enum isa_type type, uint8_t field, uint32_t lane,
                uint64_t bits) {
  if (type == TYPE_NONE)
    return;
  if (type == TYPE_PRED) {
    warp->pred[field] = (warp->pred[field] & ~(UINT64_C(1) << lane)) | bits << lane;
    return;
  }
  warp->reg[field * stride + lane] = (uint32_t)bits;
  if (isa_types[type].registers == 2)
    warp->reg[(field + 1u) * stride + lane] = (uint32_t)(bits >> 32);
}

static uint64_t get(const struct isa_warp *warp, uint32_t stride, enum isa_type type, uint8_t field, uint32_t lane) {
  if (type == TYPE_PRED)
    return warp->pred[field] >> lane & 1;
  const uint64_t high = isa_types[type].registers == 2 ? warp->reg[(field + 1u) * stride + lane] : 0;
  return high << 32 | warp->reg[field * stride + lane];
}

static bool is_nan(enum isa_type type, uint64_t bits) {
  return type == TYPE_F16   ? (bits & 0x7fff) > 0x7c00
         : type == TYPE_F32 ? (bits & 0x7fffffff) > 0x7f800000
         : type == TYPE_F64 ? (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000)
                            : false;
}

/* Floats of one sign have the same order as their bits. */
static bool near(uint64_t x, uint64_t y, unsigned slack) { return x == y || (x > y ? x - y : y - x) <= slack; }

static const char base_kernel[] = ".kernel k\n.registers 16\nexit\n";

static void check_op(struct rig *rig, enum isa_op op, uint64_t *seed) {
  enum { LANES = 32 };
  const struct isa_row *row = &isa_rows[op];
  struct isa_warp *warp = &rig->warp[0];
  uint64_t operand[3][LANES];
  const struct isa_inst inst = plain(op);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    const uint8_t types[] = {row->a, row->b, row->c}, fields[] = {inst.a, inst.b, inst.c};
    for (int i = 0; i < 3; i++) {
      operand[i][lane] = oracle_value(types[i], seed);
      put(warp, LANES, types[i], fields[i], lane, operand[i][lane]);
    }
  }
  isa_lanes_base[op](warp, &inst, UINT32_MAX, LANES);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    uint64_t expected = 0;
    unsigned slack = 0;
    const uint64_t a = operand[0][lane], b = operand[1][lane], c = operand[2][lane];
    ASSERT_TRUE(oracle_alu(row, a, b, c, &expected, &slack));
    const uint64_t found = get(warp, LANES, row->d, inst.d, lane);
    ct_note("%s of %#llx, %#llx, %#llx: expected %#llx", row->mnemonic, (unsigned long long)a, (unsigned long long)b,
            (unsigned long long)c, (unsigned long long)expected);
    if (is_nan(row->d, expected) || !slack)
      EXPECT_EQ(found, expected);
    else
      EXPECT_TRUE(near(found, expected, slack));
  }
}

TEST(ops, every_arithmetic_row_agrees_with_the_oracle) {
  ct_freed(rig_close) struct rig rig;
  uint64_t seed = 11;
  ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    ct_note("%s", isa_rows[op].mnemonic);
    if (isa_rows[op].format == FORMAT_ALU)
      for (int round = 0; round < 60; round++)
        check_op(&rig, op, &seed);
  }
}

static void fill_random(struct rig *rig, uint64_t *seed) {
  struct isa_warp *warp = &rig->warp[0];
  const enum isa_type types[] = {TYPE_U32, TYPE_F32, TYPE_F16, TYPE_S32};
  for (uint32_t i = 0; i < rig->launch.kernel->registers * rig->launch.warp_size; i++)
    warp->reg[i] = (uint32_t)oracle_value(types[ct_random(seed) % 4], seed);
  for (int p = 0; p < ISA_PREDICATES; p++)
    warp->pred[p] = ct_random(seed);
}

/* Runs one instruction from the same state with two tables of functions. */
static void compare_tables(struct rig *rig, const struct isa_inst *inst, uint64_t mask, uint64_t *seed,
                           isa_lanes_function one, isa_lanes_function two) {
  enum { MOST = 16 * ISA_LANES };
  struct isa_warp *warp = &rig->warp[0];
  uint32_t before[MOST], after[MOST];
  uint64_t pred_before[ISA_PREDICATES], pred_after[ISA_PREDICATES];
  const size_t bytes = rig->launch.kernel->registers * rig->launch.warp_size * sizeof(uint32_t);
  fill_random(rig, seed);
  memcpy(before, warp->reg, bytes);
  memcpy(pred_before, warp->pred, sizeof pred_before);
  one(warp, inst, mask, rig->launch.warp_size);
  memcpy(after, warp->reg, bytes);
  memcpy(pred_after, warp->pred, sizeof pred_after);
  memcpy(warp->reg, before, bytes);
  memcpy(warp->pred, pred_before, sizeof pred_before);
  two(warp, inst, mask, rig->launch.warp_size);
  EXPECT_EQ(memcmp(warp->reg, after, bytes), 0);
  EXPECT_EQ(memcmp(warp->pred, pred_after, sizeof pred_after), 0);
}

#ifdef __x86_64__
TEST(ops, both_builds_of_the_lane_loops_give_the_same_bits) {
  if (!isa_lanes_have_v3())
    return;
  uint64_t seed = 12;
  for (uint32_t warp_size = 16; warp_size <= 64; warp_size *= 2) {
    ct_freed(rig_close) struct rig rig;
    const uint64_t all = warp_size == 64 ? UINT64_MAX : (UINT64_C(1) << warp_size) - 1;
    ASSERT_TRUE(rig_open(&rig, base_kernel, warp_size, warp_size));
    for (enum isa_op op = 0; op < ISA_OPS; op++) {
      EXPECT_EQ(isa_lanes_base[op] == NULL, isa_lanes_v3[op] == NULL);
      if (!isa_lanes_base[op])
        continue;
      ct_note("%s, %u lanes", isa_rows[op].mnemonic, warp_size);
      for (int round = 0; round < 12; round++) {
        struct isa_inst inst = plain(op);
        if (isa_rows[op].d != TYPE_PRED && inst.a != ISA_NO_REGISTER && round % 4 == 3)
          inst.d = (uint8_t)(isa_rows[op].a == TYPE_PRED ? D : A + round / 4 % 2); /* in place, and half overlapping */
        const uint64_t mask = round % 2 ? (ct_random(&seed) & all) | 1 : all;
        compare_tables(&rig, &inst, mask, &seed, isa_lanes_base[op], isa_lanes_v3[op]);
      }
    }
  }
}
#endif

/* One number for the results of all rows except the transcendental ones, which the C library computes: gcc and clang,
 * any level of optimization and any machine must produce it. */
TEST(ops, results_are_bit_identical_with_every_compiler) {
  ct_freed(rig_close) struct rig rig;
  uint64_t seed = 15, digest = 0, unused;
  ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    unsigned slack = 0;
    if (row->format != FORMAT_ALU || !oracle_alu(row, 0, 0, 0, &unused, &slack) || slack)
      continue;
    const struct isa_inst inst = plain(op);
    for (int round = 0; round < 40; round++) {
      for (uint32_t lane = 0; lane < 32; lane++) {
        put(&rig.warp[0], 32, row->a, inst.a, lane, oracle_value(row->a, &seed));
        put(&rig.warp[0], 32, row->b, inst.b, lane, oracle_value(row->b, &seed));
        put(&rig.warp[0], 32, row->c, inst.c, lane, oracle_value(row->c, &seed));
      }
      isa_lanes()[op](&rig.warp[0], &inst, UINT32_MAX, 32);
      for (uint32_t lane = 0; lane < 32; lane++)
        digest = (digest ^ get(&rig.warp[0], 32, row->d, inst.d, lane)) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 29);
    }
  }
  EXPECT_EQ(digest, (uint64_t)INT64_C(-809595144040211729));
}

/* A partial mask uses the bit loop, a full one the vector loop: they agree lane by lane, and inactive lanes keep their
 * values. */
TEST(ops, masked_lanes_keep_their_value_and_the_others_do_not_depend_on_the_mask) {
  ct_freed(rig_close) struct rig rig;
  uint64_t seed = 13;
  ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
  struct isa_warp *warp = &rig.warp[0];
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    if (row->format != FORMAT_ALU)
      continue;
    const struct isa_inst inst = plain(op);
    uint32_t before[16 * 32];
    uint64_t pred_before[ISA_PREDICATES], whole[32];
    fill_random(&rig, &seed);
    memcpy(before, warp->reg, sizeof before);
    memcpy(pred_before, warp->pred, sizeof pred_before);
    isa_lanes()[op](warp, &inst, UINT32_MAX, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
      whole[lane] = get(warp, 32, row->d, inst.d, lane);
    memcpy(warp->reg, before, sizeof before);
    memcpy(warp->pred, pred_before, sizeof pred_before);
    const uint64_t mask = ct_random(&seed) & UINT32_MAX;
    isa_lanes()[op](warp, &inst, mask | 1, 32);
    ct_note("%s, mask %#llx", row->mnemonic, (unsigned long long)mask);
    for (uint32_t lane = 1; lane < 32; lane++) {
      const uint64_t found = get(warp, 32, row->d, inst.d, lane);
      if (mask >> lane & 1) {
        EXPECT_EQ(found, whole[lane]);
        continue;
      }
      const uint64_t old = row->d == TYPE_PRED ? pred_before[PD] >> lane & 1
                           : isa_types[row->d].registers == 2
                               ? (uint64_t)before[(D + 1) * 32 + lane] << 32 | before[D * 32 + lane]
                               : before[D * 32 + lane];
      EXPECT_EQ(found, old);
    }
  }
}

/* The same through isa_step, with the immediate in each place. */
TEST(ops, an_immediate_acts_like_a_register_that_holds_it) {
  uint64_t seed = 14;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    if (row->format != FORMAT_ALU)
      continue;
    const uint8_t types[] = {row->a, row->b, row->c};
    for (int i = 0; i < 3 && types[i] != TYPE_NONE; i++) {
      ct_freed(rig_close) struct rig rig;
      ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
      struct isa_warp *warp = &rig.warp[0];
      struct isa_inst inst = plain(op);
      fill_random(&rig, &seed);
      const uint64_t value = oracle_value(types[i], &seed);
      const uint8_t field = i == 0 ? inst.a : i == 1 ? inst.b : inst.c;
      for (uint32_t lane = 0; lane < 32; lane++)
        put(warp, 32, types[i], field, lane, value);
      isa_lanes()[op](warp, &inst, UINT32_MAX, 32);
      uint64_t expected[32];
      for (uint32_t lane = 0; lane < 32; lane++)
        expected[lane] = get(warp, 32, row->d, inst.d, lane);
      *(i == 0 ? &inst.a : i == 1 ? &inst.b : &inst.c) = ISA_NO_REGISTER;
      inst.flags = (uint8_t)(1 << i);
      inst.imm = value;
      isa_lanes()[op](warp, &inst, UINT32_MAX, 32);
      ct_note("%s, operand %d is %#llx", row->mnemonic, i, (unsigned long long)value);
      for (uint32_t lane = 0; lane < 32; lane++)
        EXPECT_EQ(get(warp, 32, row->d, inst.d, lane), expected[lane]);
    }
  }
}

/* Bit by bit, with full and partial masks, with registers and with the immediate in each place. */
TEST(ops, three_input_logic_follows_each_of_its_256_tables) {
  static const uint32_t bits[3] = {0xf0, 0xcc, 0xaa}; /* bit i of these is bit 2, 1 and 0 of i */
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
  struct isa_warp *warp = &rig.warp[0];
  for (uint32_t table = 0; table < 256; table++)
    for (int immediate = -1; immediate < 3; immediate++) {
      struct isa_inst inst = plain(ISA_LOP3);
      uint8_t *const field[] = {&inst.a, &inst.b, &inst.c};
      inst.imm = (uint64_t)table << 32;
      for (uint32_t lane = 0; lane < 32; lane++) {
        put(warp, 32, TYPE_U32, D, lane, 1234);
        for (int i = 0; i < 3; i++)
          put(warp, 32, TYPE_U32, *field[i], lane, bits[i] | (lane & 1 ? bits[i] << 24 : 0));
      }
      if (immediate >= 0) {
        *field[immediate] = ISA_NO_REGISTER;
        inst.flags = (uint8_t)(1 << immediate);
        inst.imm |= bits[immediate];
      }
      const uint64_t mask = table & 1 ? UINT32_MAX : 0x00ff5555;
      isa_lanes()[ISA_LOP3](warp, &inst, mask, 32);
      ct_note("table %#x, immediate %d", table, immediate);
      for (uint32_t lane = 0; lane < 32; lane += 2) {
        EXPECT_EQ(get(warp, 32, TYPE_U32, D, lane) & 0xff, mask >> lane & 1 ? table : 1234 & 0xff);
        if (immediate < 0 && mask >> (lane + 1) & 1)
          EXPECT_EQ(get(warp, 32, TYPE_U32, D, lane + 1), table | table << 24 | (table & 1 ? 0x00ffff00 : 0));
      }
    }
}

TEST(ops, a_shift_and_add_shifts_by_its_immediate) {
  ct_freed(rig_close) struct rig rig;
  uint64_t seed = 16;
  ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
  for (uint32_t shift = 0; shift < 32; shift++) {
    struct isa_inst inst = plain(ISA_LEA);
    uint32_t a[32], b[32];
    inst.imm = (uint64_t)shift << 32;
    for (uint32_t lane = 0; lane < 32; lane++) {
      put(&rig.warp[0], 32, TYPE_U32, inst.a, lane, a[lane] = (uint32_t)oracle_value(TYPE_U32, &seed));
      put(&rig.warp[0], 32, TYPE_U32, inst.b, lane, b[lane] = (uint32_t)oracle_value(TYPE_U32, &seed));
    }
    isa_lanes()[ISA_LEA](&rig.warp[0], &inst, UINT32_MAX, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
      EXPECT_EQ(get(&rig.warp[0], 32, TYPE_U32, D, lane), (uint32_t)((uint64_t)a[lane] << shift) + b[lane]);
  }
}

TEST(ops, a_funnel_shift_reads_a_32_bit_window_of_a_pair) {
  ct_freed(rig_close) struct rig rig;
  uint64_t seed = 17;
  ASSERT_TRUE(rig_open(&rig, base_kernel, 32, 32));
  for (uint32_t shift = 0; shift < 32; shift++) {
    struct isa_inst inst = plain(ISA_SHF_R);
    uint64_t pair[32];
    inst.imm = (uint64_t)shift << 32;
    for (uint32_t lane = 0; lane < 32; lane++) {
      pair[lane] = ct_random(&seed);
      put(&rig.warp[0], 32, TYPE_U32, inst.a, lane, (uint32_t)pair[lane]);
      put(&rig.warp[0], 32, TYPE_U32, inst.b, lane, pair[lane] >> 32);
    }
    isa_lanes()[ISA_SHF_R](&rig.warp[0], &inst, UINT32_MAX, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
      EXPECT_EQ(get(&rig.warp[0], 32, TYPE_U32, D, lane), (uint32_t)(pair[lane] >> shift));
  }
}
