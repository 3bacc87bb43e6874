/* The expected result of each arithmetic operation, computed in another way than isa/ does: integers in 128 bits,
 * halves as exact multiples of 2^-48, floats in long double. */
#ifndef TESTS_ISA_ORACLE_H
#define TESTS_ISA_ORACLE_H

#include "isa/rows.h"

/* The result of ALU row `row` on raw operand bits, in *result. False if the oracle does not know the row. `slack` gets
 * the allowed error in units in the last place: 0 except for transcendental functions. */
bool oracle_alu(const struct isa_row *row, uint64_t a, uint64_t b, uint64_t c, uint64_t *result, unsigned *slack);

/* The result of the ALU row named `mnemonic` on two operands, as reductions and atomics of that name compute it. */
uint64_t oracle_named(const char *mnemonic, uint64_t a, uint64_t b);

/* A test value; more often than not a corner case of the type. */
uint64_t oracle_value(enum isa_type type, uint64_t *seed);

#endif
