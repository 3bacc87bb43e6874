/* Library functions of class math that the C library lacks, or has otherwise than OpenCL C wants them. */
#ifndef ISA_MATH_H
#define ISA_MATH_H

#include <stdint.h>

double math_sinpi(double x);
double math_cospi(double x);
double math_tanpi(double x);

/* The C library's, but without its global sign. The sign is 1 or -1. */
double math_lgamma(double x);
int32_t math_lgamma_sign(double x);

/* Within a unit in the last place; glibc 2.36's cbrt() errs by 3.3 near 3.16, OpenCL C allows 2. */
double math_cbrt(double x);

/* Infinite beside any NaN; glibc's makes a difference between NaNs. */
double math_hypot(double x, double y);
double math_pown(double x, int32_t n);
double math_powr(double x, double y);
double math_rootn(double x, int32_t n);

/* By fmod(): exact, with the sign of x on a zero, whatever the C library. */
double math_remainder(double x, double y);

/* The low 7 bits of the size of x / y, rounded to the nearest whole number, with its sign. */
int32_t math_remquo(double x, double y);

double math_frexp(double x);
int32_t math_frexp_exponent(double x);
int32_t math_ilogb(double x);

#endif
