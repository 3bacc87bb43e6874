/* The kind of an operation, independent of its width (the tables of kinds.def), and constant folding by the executor.
 */
#ifndef OPENCL_PASSES_KINDS_H
#define OPENCL_PASSES_KINDS_H

#include "opencl/ir/ir.h"

enum kind {
  KIND_OTHER,
#define KIND(id, ...) KIND_##id,
#include "opencl/passes/kinds.def"
#undef KIND
  KINDS
};

/* KIND_OTHER for everything that kinds.def does not list, including the operations of ir.h. */
enum kind kind_of(uint16_t op);
unsigned kind_bits(uint16_t op); /* 32 or 64; 0 for KIND_OTHER */
uint16_t kind_op(enum kind kind, unsigned bits);
bool kind_is_low(enum kind kind);
bool kind_is_compare(enum kind kind);

/* May operands 0 and 1 be swapped? Also for floats and predicates. */
bool op_commutes(uint16_t op);

/* The comparison that holds exactly when this one does not, including for NaNs; ISA_OPS if `op` is no comparison. */
enum isa_op op_complement(uint16_t op);
/* The comparison that holds for (b, a) exactly when this one holds for (a, b); integers only. */
enum kind kind_swapped(enum kind kind);

static inline uint64_t kind_mask(unsigned bits) { return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }
static inline int64_t kind_signed(uint64_t value, unsigned bits) {
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}
static inline enum ir_width kind_width(unsigned bits) { return bits == 64 ? IR_W2 : IR_W1; }

/* Runs an ALU row on one lane of the executor; false if the row is not arithmetic. */
bool fold_alu(uint16_t op, const uint64_t operand[3], uint64_t *result);
/* Also for LOGIC and SHIFT rows, which have a number. */
bool fold_numbered(uint16_t op, uint64_t number, const uint64_t operand[3], uint64_t *result);

#endif
