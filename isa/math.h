/* Functions of class MATH that the C library lacks, or that OpenCL C defines differently. */
#ifndef ISA_MATH_H
#define ISA_MATH_H

#include <stdint.h>

double math_sinpi(double x);
double math_cospi(double x);
double math_tanpi(double x);

/* Like the C library's, but without its global sign. The sign is 1 or -1. */
double math_lgamma(double x);
int32_t math_lgamma_sign(double x);

/* Within 1 ulp. glibc 2.36's cbrt() is off by 3.3 ulp near 3.16; OpenCL C allows 2. */
double math_cbrt(double x);

/* An infinity wins over any NaN; glibc treats some NaNs differently. */
double math_hypot(double x, double y);
double math_pown(double x, int32_t n);
double math_powr(double x, double y);
double math_rootn(double x, int32_t n);

/* Based on fmod(), so that it is exact with any C library. A zero has the sign of x. */
double math_remainder(double x, double y);

/* The low 7 bits of |x / y|, rounded to the nearest whole number, with the sign of the quotient. */
int32_t math_remquo(double x, double y);

double math_frexp(double x);
int32_t math_frexp_exponent(double x);
int32_t math_ilogb(double x);

#endif
