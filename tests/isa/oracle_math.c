/* Rows of class math, computed with the C library's long double functions. They are other code than isa/ calls, and 11
 * bits more precise than double. */
#include "tests/isa/oracle_math.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const long double pi = 3.14159265358979323846264338327950288L;

static bool odd(long double whole) { return fmodl(fabsl(whole), 2) == 1; }

/* sin(pi * x), with x reduced exactly to [-1/2, 1/2]. */
static long double half_turn_sine(long double x) {
  if (!isfinite(x))
    return NAN;
  long double turn = x - 2 * rintl(x / 2);
  if (fabsl(turn) > 0.5L)
    turn = copysignl(1, turn) - turn;
  return turn == 0 ? copysignl(0, x) : fabsl(turn) == 0.5L ? copysignl(1, turn) : sinl(pi * turn);
}

static long double half_turn_cosine(long double x) {
  if (!isfinite(x))
    return NAN;
  const long double from = 0.5L - fabsl(x - 2 * rintl(x / 2));
  return from == 0 ? 0 : fabsl(from) == 0.5L ? copysignl(1, from) : sinl(pi * from);
}

static long double half_turn_tangent(long double x) {
  if (!isfinite(x))
    return NAN;
  if (x == truncl(x))
    return copysignl(0, odd(x) ? -x : x);
  if (2 * x == truncl(2 * x))
    return odd(x - 0.5L) ? -INFINITY : INFINITY;
  return half_turn_sine(x) / half_turn_cosine(x);
}

static long double lgamma_of(long double x, wide *sign) {
  int signed_ = 1;
  const long double result = lgammal_r(x, &signed_);
  *sign = signed_ < 0 ? -1 : 1;
  return result;
}

/* exp(y * log(x)), or a NaN where that has no value. */
static long double powr_of(long double x, long double y) {
  if (isnan(x) || isnan(y) || x < 0)
    return NAN;
  if ((x == 1 && isinf(y)) || (y == 0 && (x == 0 || isinf(x))))
    return NAN;
  return powl(fabsl(x), y);
}

/* The C library's powl() is wrong at -inf. */
static long double pown_of(long double x, int32_t n) { return isinf(x) ? pow((double)x, n) : powl(x, n); }

static long double rootn_of(long double x, int32_t n) {
  if (!n || isnan(x) || (x < 0 && n % 2 == 0))
    return NAN;
  if (x == 0)
    return n % 2 == 0 ? (n > 0 ? 0 : INFINITY) : copysignl(n > 0 ? 0 : INFINITY, x);
  return copysignl(powl(fabsl(x), 1.0L / n), x);
}

static long double fraction_of(long double x) {
  int exponent = 0;
  return frexpl(x, &exponent);
}

static wide exponent_of(long double x) {
  int exponent = 0;
  frexpl(x, &exponent);
  return isfinite(x) ? exponent : 0;
}

static wide quotient_of(long double x, long double y) {
  if (!isfinite(x) || isnan(y) || isinf(y) || y == 0)
    return 0;
  const wide size = (wide)nearbyintl(fmodl(fabsl(x), 128 * fabsl(y)) / fabsl(y)) % 128;
  return signbit(x) == signbit(y) ? size : -size;
}

static bool is(const char *mnemonic, const char *name) {
  const size_t length = strlen(name);
  return strncmp(mnemonic, name, length) == 0 && mnemonic[length] == '.';
}

bool oracle_math(const char *m, bool is64, long double a, long double b, int32_t n, long double *result,
                 unsigned *slack) {
  enum { FEW = 4, MORE = 16 }; /* units in a double's last place: what OpenCL C allows, or less */
  wide unused;
  const struct {
    const char *name;
    long double result;
    unsigned slack;
  } table[] = {
      {"tan", tanl(a), FEW},
      {"asin", asinl(a), FEW},
      {"acos", acosl(a), FEW},
      {"atan", atanl(a), FEW},
      {"atan2", atan2l(a, b), FEW},
      {"sinh", sinhl(a), FEW},
      {"cosh", coshl(a), FEW},
      {"tanh", tanhl(a), FEW},
      {"asinh", asinhl(a), FEW},
      {"acosh", acoshl(a), FEW},
      {"atanh", atanhl(a), FEW},
      {"sinpi", half_turn_sine(a), FEW},
      {"cospi", half_turn_cosine(a), FEW},
      {"tanpi", half_turn_tangent(a), FEW},
      {"asinpi", asinl(a) / pi, FEW},
      {"acospi", acosl(a) / pi, FEW},
      {"atanpi", atanl(a) / pi, FEW},
      {"atan2pi", atan2l(a, b) / pi, FEW},
      {"cbrt", cbrtl(a), 1},
      {"exp10", powl(10, a), 3},
      {"expm1", expm1l(a), 3},
      {"log10", log10l(a), 3},
      {"log1p", log1pl(a), 2},
      {"erf", erfl(a), MORE},
      {"erfc", erfcl(a), MORE},
      {"tgamma", tgammal(a), MORE},
      {"lgamma", lgamma_of(a, &unused), MORE},
      {"hypot", hypotl(a, b), FEW},
      {"powr", powr_of(a, b), MORE},
      {"pown", pown_of(a, n), MORE},
      {"rootn", rootn_of(a, n), MORE},
      {"remainder", remainderl(a, b), 0},
      {"ldexp", ldexpl(a, n), 0},
      {"frexp", fraction_of(a), 0},
      {"logb", logbl(a), 0},
      {"nextafter", is64 ? nexttoward((double)a, b) : nexttowardf((float)a, b), 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (is(m, table[i].name)) {
      *result = table[i].result;
      *slack = is64 ? table[i].slack : table[i].slack > 0; /* rounded to float from double, or from a wider type */
      return true;
    }
  return false;
}

bool oracle_math_integer(const char *m, long double a, long double b, wide *result) {
  if (is(m, "ilogb")) {
    *result = a == 0 ? INT_MIN : isfinite(a) ? exponent_of(a) - 1 : INT_MAX;
    return true;
  }
  if (is(m, "frexp.exp")) {
    *result = exponent_of(a);
    return true;
  }
  if (is(m, "remquo")) {
    *result = quotient_of(a, b);
    return true;
  }
  if (is(m, "lgamma.sign")) {
    lgamma_of(a, result);
    return true;
  }
  return false;
}
