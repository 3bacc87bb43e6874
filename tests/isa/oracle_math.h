/* The expected results of operations of class math; oracle.c uses it. */
#ifndef TESTS_ISA_ORACLE_MATH_H
#define TESTS_ISA_ORACLE_MATH_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 wide;

/* Rows that return a float, with operands a, and b or n. False if the row is not one of them. `slack` as in
 * oracle_alu(). */
bool oracle_math(const char *mnemonic, bool is64, long double a, long double b, int32_t n, long double *result,
                 unsigned *slack);

/* Rows that return a whole number. */
bool oracle_math_integer(const char *mnemonic, long double a, long double b, wide *result);

#endif
