/* Tables from kinds.def, complements of comparisons, and constant folding by the executor: one lane of a warp runs one
 * instruction. So a folded result is always the one that the machine would have computed. */
#include "opencl/passes/kinds.h"
#include "isa/lanes.h"

#include <string.h>

enum { WHOLE = 0, COMMUTES = 1, LOW = 2 };

static const struct {
  uint16_t op32, op64;
  uint8_t how;
} kinds[KINDS] = {
#define KIND(id, op32, op64, how) [KIND_##id] = {ISA_##op32, ISA_##op64, how},
#include "opencl/passes/kinds.def"
#undef KIND
};

static const uint8_t kind_of_op[ISA_OPS] = {
#define KIND(id, op32, op64, how) [ISA_##op32] = KIND_##id, [ISA_##op64] = KIND_##id,
#include "opencl/passes/kinds.def"
#undef KIND
};

enum kind kind_of(uint16_t op) { return op < ISA_OPS ? (enum kind)kind_of_op[op] : KIND_OTHER; }

unsigned kind_bits(uint16_t op) {
  const enum kind kind = kind_of(op);
  return kind == KIND_OTHER ? 0 : kinds[kind].op32 == op ? 32 : 64;
}

uint16_t kind_op(enum kind kind, unsigned bits) { return bits == 64 ? kinds[kind].op64 : kinds[kind].op32; }

bool kind_is_low(enum kind kind) { return kinds[kind].how & LOW; }
bool kind_is_compare(enum kind kind) { return isa_rows[kinds[kind].op32].d == TYPE_PRED; }

static const bool other_commutes[ISA_OPS] = {
    [ISA_AND_P] = true,        [ISA_OR_P] = true,         [ISA_XOR_P] = true,        [ISA_MULW_S32] = true,
    [ISA_MULW_U32] = true,     [ISA_MADW_S32] = true,     [ISA_MADW_U32] = true,     [ISA_FADD_F16] = true,
    [ISA_FADD_F32] = true,     [ISA_FADD_F64] = true,     [ISA_FMUL_F16] = true,     [ISA_FMUL_F32] = true,
    [ISA_FMUL_F64] = true,     [ISA_FMA_F16] = true,      [ISA_FMA_F32] = true,      [ISA_FMA_F64] = true,
    [ISA_SETP_FEQ_F16] = true, [ISA_SETP_FEQ_F32] = true, [ISA_SETP_FEQ_F64] = true, [ISA_SETP_NEU_F16] = true,
    [ISA_SETP_NEU_F32] = true, [ISA_SETP_NEU_F64] = true,
};

bool op_commutes(uint16_t op) { return op < ISA_OPS && ((kinds[kind_of_op[op]].how & COMMUTES) || other_commutes[op]); }

static const uint16_t complements[][2] = {
#define PAIR(one, two, type)                                                                                           \
  { ISA_SETP_##one##_##type, ISA_SETP_##two##_##type }
#define INTEGER_PAIRS(type) PAIR(EQ, NE, type), PAIR(LT, GE, type), PAIR(LE, GT, type)
#define FLOAT_PAIRS(type)                                                                                              \
  PAIR(FEQ, NEU, type), PAIR(FNE, EQU, type), PAIR(FLT, GEU, type), PAIR(FLE, GTU, type), PAIR(FGT, LEU, type),        \
      PAIR(FGE, LTU, type), PAIR(NUM, NAN, type)
    INTEGER_PAIRS(S32), INTEGER_PAIRS(U32), INTEGER_PAIRS(S64), INTEGER_PAIRS(U64),
    FLOAT_PAIRS(F16),   FLOAT_PAIRS(F32),   FLOAT_PAIRS(F64),
#undef PAIR
#undef INTEGER_PAIRS
#undef FLOAT_PAIRS
};

enum isa_op op_complement(uint16_t op) {
  for (size_t i = 0; i < sizeof complements / sizeof *complements; i++)
    for (int side = 0; side < 2; side++)
      if (complements[i][side] == op)
        return (enum isa_op)complements[i][!side];
  return ISA_OPS;
}

enum kind kind_swapped(enum kind kind) {
  static const uint8_t swapped[KINDS] = {
      [KIND_LT_S] = KIND_GT_S, [KIND_LT_U] = KIND_GT_U, [KIND_LE_S] = KIND_GE_S, [KIND_LE_U] = KIND_GE_U,
      [KIND_GT_S] = KIND_LT_S, [KIND_GT_U] = KIND_LT_U, [KIND_GE_S] = KIND_LE_S, [KIND_GE_U] = KIND_LE_U,
  };
  return swapped[kind] ? (enum kind)swapped[kind] : kind;
}

/* ---- the executor --------------------------------------------------------------------------------- */

enum { STRIDE = 16, REGISTERS = 16, D = 0 };

static void put(struct isa_warp *warp, uint8_t type, uint8_t field, uint64_t bits) {
  if (type == TYPE_PRED) {
    warp->pred[field] = bits & 1;
    return;
  }
  warp->reg[field * STRIDE] = (uint32_t)bits;
  warp->reg[(field + 1u) * STRIDE] = (uint32_t)(bits >> 32);
}

bool fold_alu(uint16_t op, const uint64_t operand[3], uint64_t *result) {
  return op < ISA_OPS && isa_rows[op].format == FORMAT_ALU && fold_numbered(op, 0, operand, result);
}

bool fold_numbered(uint16_t op, uint64_t number, const uint64_t operand[3], uint64_t *result) {
  const uint8_t format = op < ISA_OPS ? isa_rows[op].format : (uint8_t)FORMAT_EXIT;
  if (format != FORMAT_ALU && format != FORMAT_LOGIC && format != FORMAT_SHIFT)
    return false;
  const struct isa_row *row = &isa_rows[op];
  uint32_t registers[REGISTERS * STRIDE] = {0};
  struct isa_warp warp = {.reg = registers};
  const struct isa_inst inst = {.op = op, .d = D, .a = 4, .b = 8, .c = 12, .imm = number << 32};
  put(&warp, row->a, inst.a, operand[0]);
  put(&warp, row->b, inst.b, operand[1]);
  put(&warp, row->c, inst.c, operand[2]);
  isa_lanes()[op](&warp, &inst, 1, STRIDE);
  const uint64_t high = isa_types[row->d].registers == 2 ? registers[(D + 1) * STRIDE] : 0;
  *result = row->d == TYPE_PRED ? warp.pred[D] & 1 : high << 32 | registers[D * STRIDE];
  return true;
}
