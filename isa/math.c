/* Edge cases follow OpenCL C (7.5.1, "Additional requirements beyond C99 TC2"). Unlike its caller lanes.c, this file is
 * compiled only once, so that there is only one answer. */
#include "isa/math.h"

#include <limits.h>
#include <math.h>

/* ---- circular functions of multiples of pi ------------------------------------------------------ */

/* |x| = quarter / 2 + rest modulo 2, with |rest| at most 1/4. Returns rest. It is exact: fmod() is, and so is a
 * subtraction of numbers this close. `quarter` is 0 to 3. */
static double quarters(double x, int *quarter) {
  const double turn = fmod(fabs(x), 2), count = rint(2 * turn);
  *quarter = (int)count & 3;
  return turn - count / 2;
}

double math_sinpi(double x) {
  int quarter = 0;
  if (!isfinite(x))
    return NAN;
  const double rest = M_PI * quarters(x, &quarter);
  double result = quarter & 1 ? cos(rest) : sin(rest);
  result = quarter & 2 ? 0 - result : result + 0; /* a zero must be +0 here; the next line gives it the sign of x */
  return signbit(x) ? -result : result;
}

double math_cospi(double x) {
  int quarter = 0;
  if (!isfinite(x))
    return NAN;
  const double rest = M_PI * quarters(x, &quarter);
  const double result = quarter & 1 ? sin(rest) : cos(rest);
  return quarter == 1 || quarter == 2 ? 0 - result : result + 0;
}

/* A zero at integers, an infinity at halves. Both are positive in the first half turn after an even integer. */
double math_tanpi(double x) {
  int quarter = 0;
  if (!isfinite(x))
    return NAN;
  const double rest = M_PI * quarters(x, &quarter);
  double result = quarter & 1 ? -1 / tan(rest) : tan(rest);
  if (rest == 0)
    result = copysign(quarter & 1 ? INFINITY : 0, quarter & 2 ? -1 : 1);
  return signbit(x) ? -result : result;
}

/* ---- gamma -------------------------------------------------------------------------------------- */

double math_lgamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

int32_t math_lgamma_sign(double x) {
  int sign = 1;
  lgamma_r(x, &sign);
  return sign < 0 ? -1 : 1;
}

/* ---- powers ------------------------------------------------------------------------------------- */

/* One Newton step from the C library's root. The residue includes the rounding errors of the cube. A multiple of three
 * is split off the exponent first, so that no intermediate value is subnormal. */
double math_cbrt(double x) {
  int exponent = 0;
  if (x == 0 || !isfinite(x))
    return x;
  const double fraction = frexp(x, &exponent), part = ldexp(fraction, exponent % 3), root = cbrt(part);
  const double square = root * root, square_rest = fma(root, root, -square);
  const double cube = square * root, cube_rest = fma(square, root, -cube) + square_rest * root;
  const double residue = (cube - part) + cube_rest;
  return ldexp(root - residue / (3 * square), exponent / 3);
}

double math_hypot(double x, double y) { return isinf(x) || isinf(y) ? INFINITY : hypot(x, y); }

double math_pown(double x, int32_t n) { return n ? pow(x, n) : 1; }

double math_powr(double x, double y) {
  if (x < 0 || isnan(x) || isnan(y))
    return NAN;
  if (y == 0 && (x == 0 || isinf(x)))
    return NAN;
  if (x == 1 && isinf(y))
    return NAN;
  return pow(fabs(x), y);
}

/* 1 / n is rounded, and pow() would magnify that error by the logarithm of x. So most of the exponent is divided by n
 * separately, and pow() gets a number between 2^-n and 2^n. */
double math_rootn(double x, int32_t n) {
  const double size = fabs(x);
  if (!n || isnan(x) || (x < 0 && !(n & 1)))
    return NAN;
  if (size == 0 || isinf(size)) {
    const double root = (size == 0) == (n > 0) ? 0 : INFINITY;
    return n & 1 ? copysign(root, x) : root;
  }
  int exponent = 0;
  const double fraction = frexp(size, &exponent);
  const double part = n == 1 ? ldexp(fraction, exponent % n) : pow(ldexp(fraction, exponent % n), 1.0 / n);
  return copysign(ldexp(part, exponent / n), x);
}

/* ---- remainders --------------------------------------------------------------------------------- */

/* First modulo 2 * y, which keeps the last bit of the quotient for ties. The subtractions are exact, because their
 * operands are within a factor of 2. If doubling overflows, the comparison with y is still right. */
double math_remainder(double x, double y) {
  const double by = fabs(y);
  if (!isfinite(x) || isnan(y) || by == 0)
    return NAN;
  if (isinf(by))
    return x;
  double rest = isinf(2 * by) ? fabs(x) : fmod(fabs(x), 2 * by);
  if (2 * rest > by) {
    rest -= by;
    if (2 * rest >= by)
      rest -= by;
  }
  return signbit(x) ? -rest : rest;
}

int32_t math_remquo(double x, double y) {
  double rest = fabs(x), by = fabs(y);
  if (!isfinite(x) || isnan(y) || by == 0 || isinf(by))
    return 0;
  if (by > 0x1p1000) { /* keeps 128 * by finite; what `rest` loses is far below half of `by` */
    rest *= 0x1p-64;
    by *= 0x1p-64;
  }
  int32_t quotient = 0;
  rest = fmod(rest, 128 * by);
  for (int bit = 64; bit; bit /= 2)
    if (rest >= bit * by) {
      rest -= bit * by;
      quotient += bit;
    }
  const double twice = 2 * rest;
  quotient += twice > by || (twice == by && quotient & 1);
  quotient &= 127;
  return !signbit(x) == !signbit(y) ? quotient : -quotient;
}

/* ---- parts of a number -------------------------------------------------------------------------- */

double math_frexp(double x) {
  int exponent = 0;
  return frexp(x, &exponent);
}

int32_t math_frexp_exponent(double x) {
  int exponent = 0;
  if (!isfinite(x))
    return 0;
  frexp(x, &exponent);
  return exponent;
}

/* OpenCL's FP_ILOGB0 and FP_ILOGBNAN, which differ from the C library's. */
int32_t math_ilogb(double x) {
  if (x == 0)
    return INT_MIN;
  return isfinite(x) ? ilogb(x) : INT_MAX;
}
