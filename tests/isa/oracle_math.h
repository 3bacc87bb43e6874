/* What operations of class math should give; oracle.c asks it. */
#ifndef TESTS_ISA_ORACLE_MATH_H
#define TESTS_ISA_ORACLE_MATH_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 wide;

/* Rows that give a float: of operands a, and b or n. False if the row is none of them. `slack` as oracle_alu() has it.
 */
bool oracle_math(const char *mnemonic, bool is64, long double a, long double b, int32_t n, long double *result,
                 unsigned *slack);

/* Rows that give a whole number. */
bool oracle_math_integer(const char *mnemonic, long double a, long double b, wide *result);

#endif
