/* What an operation of the ISA is, apart from its width: kinds.def as tables; and constants folded by the executor. */
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

/* KIND_OTHER for all that kinds.def does not name, operations of ir.h too. */
enum kind kind_of(uint16_t op);
unsigned kind_bits(uint16_t op); /* 32 or 64; 0 for KIND_OTHER */
uint16_t kind_op(enum kind kind, unsigned bits);
bool kind_is_low(enum kind kind);
bool kind_is_compare(enum kind kind);

/* Operands 0 and 1 may change places; floats and predicates too. */
bool op_commutes(uint16_t op);

/* The comparison that holds where this one does not; ISA_OPS if `op` is none. With NaNs, too. */
enum isa_op op_complement(uint16_t op);
/* The comparison of b with a that holds where this one of a with b does; integers only. */
enum kind kind_swapped(enum kind kind);

static inline uint64_t kind_mask(unsigned bits) { return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }
static inline int64_t kind_signed(uint64_t value, unsigned bits) {
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}
static inline enum ir_width kind_width(unsigned bits) { return bits == 64 ? IR_W2 : IR_W1; }

/* Runs an ALU row in the executor on one lane; false if the row is not arithmetic. */
bool fold_alu(uint16_t op, const uint64_t operand[3], uint64_t *result);
/* The same for rows with a number, too, of LOGIC and SHIFT. */
bool fold_numbered(uint16_t op, uint64_t number, const uint64_t operand[3], uint64_t *result);

#endif
