/* What each arithmetic operation should give, worked out in another way than isa/ does it: integers in
 * 128 bits, halves as exact multiples of 2^-48, floats in long double. */
#ifndef TESTS_ISA_ORACLE_H
#define TESTS_ISA_ORACLE_H

#include "isa/rows.h"

/* The result of ALU row `row` on raw operand bits, in *result. False if the oracle does not know it. `slack`
 * gets how many units in the last place the result may be off: 0 but for transcendental functions. */
bool oracle_alu(const struct isa_row *row, uint64_t a, uint64_t b, uint64_t c, uint64_t *result, unsigned *slack);

/* The result of the ALU row called `mnemonic` on two operands: what reductions and atomics of that name do. */
uint64_t oracle_named(const char *mnemonic, uint64_t a, uint64_t b);

/* A value to try: corners of the type more often than not. */
uint64_t oracle_value(enum isa_type type, uint64_t *seed);

#endif
