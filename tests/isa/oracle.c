#include "tests/isa/oracle.h"
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/isa/oracle_math.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uwide;

/* ---- halves, exactly ---------------------------------------------------------------------------- */

static bool half_nan(uint64_t h) { return (h & 0x7fff) > 0x7c00; }
static bool half_inf(uint64_t h) { return (h & 0x7fff) == 0x7c00; }

/* A finite half as a multiple of 2^-24. */
static wide half_fixed(uint64_t h) {
  const unsigned exponent = h >> 10 & 31;
  const wide fraction = (wide)(h & 1023) + (exponent ? 1024 : 0);
  const wide size = fraction << (exponent ? exponent - 1 : 0);
  return h & 0x8000 ? -size : size;
}

static long double half_real(uint64_t h) {
  if (half_nan(h))
    return NAN;
  if (half_inf(h))
    return h & 0x8000 ? -INFINITY : INFINITY;
  const long double size = ldexpl((long double)half_fixed(h & 0x7fff), -24);
  return h & 0x8000 ? -size : size;
}

/* The half nearest to `value` * 2^-48, ties to even; `zero` is the result for an exact zero. */
static uint64_t half_from_fixed(wide value, uint64_t zero) {
  const uint64_t sign = value < 0 ? 0x8000 : 0;
  const uwide size = (uwide)(value < 0 ? -value : value);
  if (!size)
    return zero;
  uint64_t best = 0, beyond = 0x7c00; /* the largest half not above it, by bisection */
  while (beyond - best > 1) {
    const uint64_t middle = (best + beyond) / 2;
    if ((uwide)half_fixed(middle) << 24 <= size)
      best = middle;
    else
      beyond = middle;
  }
  const uwide below = (uwide)half_fixed(best) << 24;
  const uwide above = best == 0x7bff ? (uwide)1 << (16 + 48) : (uwide)half_fixed(best + 1) << 24;
  const uwide down = size - below, up = above - size;
  if (size >= above || up < down || (up == down && best & 1))
    best++;
  return sign | best;
}

static uint64_t half_from_real(long double value) {
  if (isnan(value))
    return 0x7e00;
  const uint64_t sign = signbit(value) ? 0x8000 : 0;
  const long double size = fabsl(value);
  if (size >= 65520)
    return sign | 0x7c00;
  int exponent = 0;
  frexpl(size, &exponent);
  const int quantum = exponent - 11 < -24 ? -24 : exponent - 11;
  const long double count = nearbyintl(ldexpl(size, -quantum));
  const uint64_t multiple = (uint64_t)ldexpl(count, quantum + 24); /* of 2^-24 */
  for (uint64_t low = 0, high = 0x7c00;;) {
    const uint64_t middle = (low + high) / 2;
    const wide at = half_fixed(middle);
    if (at == (wide)multiple)
      return sign | middle;
    if (high - low <= 1)
      return sign | 0x7c00;
    if (at < (wide)multiple)
      low = middle;
    else
      high = middle;
  }
}

/* a * b + c with a single rounding at the end. */
static uint64_t half_muladd(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t product_sign = (a ^ b) & 0x8000;
  if (half_nan(a) || half_nan(b) || half_nan(c))
    return 0x7e00;
  if (half_inf(a) || half_inf(b)) {
    const bool invalid = !(a & 0x7fff) || !(b & 0x7fff) || (half_inf(c) && (c & 0x8000) != product_sign);
    return invalid ? 0x7e00 : product_sign | 0x7c00;
  }
  if (half_inf(c))
    return c;
  const wide product = half_fixed(a) * half_fixed(b), sum = product + half_fixed(c) * (1 << 24);
  const bool both_zero = !product && !(c & 0x7fff);
  const uint64_t zero = both_zero && product_sign == (c & 0x8000) ? product_sign : 0;
  return half_from_fixed(sum, zero);
}

/* ---- values of any type ------------------------------------------------------------------------- */

struct value {
  wide i;
  long double f;
  uint64_t bits;
  enum isa_type type;
};

static bool is_float(enum isa_type type) { return type == TYPE_F16 || type == TYPE_F32 || type == TYPE_F64; }

static struct value value_of(enum isa_type type, uint64_t bits) {
  struct value value = {.bits = bits, .type = type};
  float f;
  double d;
  const uint32_t low = (uint32_t)bits;
  memcpy(&f, &low, 4);
  memcpy(&d, &bits, 8);
  switch (type) {
  case TYPE_S32:
    value.i = (int32_t)low;
    break;
  case TYPE_S64:
    value.i = (int64_t)bits;
    break;
  case TYPE_F16:
    value.f = half_real(bits);
    break;
  case TYPE_F32:
    value.f = f;
    break;
  case TYPE_F64:
    value.f = d;
    break;
  default:
    value.i = bits;
    break;
  }
  return value;
}

static uint64_t bits_of_int(enum isa_type type, wide value) {
  return isa_types[type].registers == 2 ? (uint64_t)value : type == TYPE_PRED ? value != 0 : (uint32_t)value;
}

static uint64_t bits_of_real(enum isa_type type, long double value) {
  if (type == TYPE_F16)
    return half_from_real(value);
  if (type == TYPE_F32) {
    const float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return isnan(value) ? 0x7fc00000 : bits;
  }
  const double d = (double)value;
  uint64_t bits;
  memcpy(&bits, &d, 8);
  return isnan(value) ? UINT64_C(0x7ff8000000000000) : bits;
}

/* ---- integers ----------------------------------------------------------------------------------- */

static wide reversed(wide value, unsigned width) {
  wide result = 0;
  for (unsigned i = 0; i < width; i++)
    result |= (value >> i & 1) << (width - 1 - i);
  return result;
}

static wide count_bits(wide value, unsigned width, int how) {
  wide ones = 0, leading = width, trailing = width;
  for (unsigned i = 0; i < width; i++) {
    if (!(value >> i & 1))
      continue;
    ones++;
    leading = width - 1 - i;
    trailing = trailing == width ? i : trailing;
  }
  return how == 'p' ? ones : how == 'l' ? leading : trailing;
}

static wide quotient(wide a, wide b) { return b == 0 ? -1 : a / b; }
static wide remainder_of(wide a, wide b) { return b == 0 ? a : a % b; }

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool oracle_integer(const struct isa_row *row, struct value a, struct value b, struct value c, wide *r) {
  const char *m = row->mnemonic;
  const unsigned width = isa_types[row->a].registers == 2 ? 64 : 32;
  const unsigned by = (unsigned)b.bits & (width - 1);
  const uwide raw = a.bits, mask = ((uwide)1 << width) - 1;
  const struct {
    const char *name;
    wide result;
  } table[] = {
      {"add.i", a.i + b.i},
      {"add3.i", (wide)((uwide)a.i + (uwide)b.i + (uwide)c.i)},
      {"addsub.i", (wide)((uwide)a.i + (uwide)b.i - (uwide)c.i)},
      {"sub3.i", (wide)((uwide)a.i - (uwide)b.i - (uwide)c.i)},
      {"sub.i", a.i - b.i},
      {"mul.i", (wide)((uwide)a.i * (uwide)b.i)},
      {"mul.wide.", (wide)((uwide)a.i * (uwide)b.i)},
      {"mad.", (wide)((uwide)a.i * (uwide)b.i + (uwide)c.i)},
      {"mulhi.u", (wide)((uwide)a.i * (uwide)b.i >> width)},
      {"mulhi.s", row->a == TYPE_S32 || row->a == TYPE_S64 ? (a.i * b.i) >> width : 0},
      {"div.", quotient(a.i, b.i)},
      {"rem.", remainder_of(a.i, b.i)},
      {"min.", a.i < b.i ? a.i : b.i},
      {"max.", a.i > b.i ? a.i : b.i},
      {"abs.", a.i < 0 ? -a.i : a.i},
      {"neg.i", -a.i},
      {"not.b", ~a.i},
      {"and.b", a.i & b.i},
      {"or.b", a.i | b.i},
      {"xor.b", a.i ^ b.i},
      {"shl.", (wide)(raw << by)},
      {"shr.", a.i >> by},
      {"rotl.", (wide)((raw << by | (raw & mask) >> ((width - by) % width)) & mask)},
      {"rotr.", (wide)((raw >> by | raw << ((width - by) % width)) & mask)},
      {"popc.", count_bits(a.i, width, 'p')},
      {"clz.", count_bits(a.i, width, 'l')},
      {"ctz.", count_bits(a.i, width, 't')},
      {"brev.", reversed(a.i, width)},
      {"ext.s8", (wide)(a.bits & 127) - (wide)(a.bits & 128)},
      {"ext.u8", (wide)(a.bits & 255)},
      {"ext.s16", (wide)(a.bits & 32767) - (wide)(a.bits & 32768)},
      {"ext.u16", (wide)(a.bits & 65535)},
      {"cvt.s64.s32", a.i},
      {"cvt.u64.u32", a.i},
      {"cvt.u32.u64", a.i},
      {"cvt.u32.pred", a.i},
      {"mov.", a.i},
      {"sel.", c.i ? a.i : b.i},
      {"bitsel.", a.i ^ ((a.i ^ b.i) & c.i)},
      {"pack.b64", a.i + (wide)((uwide)b.i << 32)},
      {"not.pred", 1 - a.i},
      {"and.pred", a.i && b.i},
      {"andn.pred", a.i && !b.i},
      {"or.pred", a.i || b.i},
      {"xor.pred", a.i != b.i},
      {"setp.eq.", a.i == b.i},
      {"setp.ne.", a.i != b.i},
      {"setp.lt.", a.i < b.i},
      {"setp.le.", a.i <= b.i},
      {"setp.gt.", a.i > b.i},
      {"setp.ge.", a.i >= b.i},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (starts(m, table[i].name)) {
      *r = table[i].result;
      return true;
    }
  return false;
}

/* ---- floats -------------------------------------------------------------------------------------- */

static bool oracle_compare(const char *m, long double a, long double b, wide *r) {
  const bool nan = isnan(a) || isnan(b);
  const struct {
    const char *name;
    bool result;
  } table[] = {{"eq.", !nan && a == b}, {"ne.", !nan && a != b},
               {"lt.", !nan && a < b},  {"le.", !nan && a <= b},
               {"gt.", !nan && a > b},  {"ge.", !nan && a >= b},
               {"equ.", nan || a == b}, {"neu.", nan || a != b},
               {"ltu.", nan || a < b},  {"leu.", nan || a <= b},
               {"gtu.", nan || a > b},  {"geu.", nan || a >= b},
               {"num.", !nan},          {"nan.", nan}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (starts(m + strlen("setp."), table[i].name)) {
      *r = table[i].result;
      return true;
    }
  return false;
}

static long double smaller(long double a, long double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}

static wide saturated(const char *m, long double f) {
  static const struct {
    const char *name;
    wide low, high;
  } ranges[] = {{"cvt.s8.", -128, 127},
                {"cvt.u8.", 0, 255},
                {"cvt.s16.", -32768, 32767},
                {"cvt.u16.", 0, 65535},
                {"cvt.s32.", INT32_MIN, INT32_MAX},
                {"cvt.u32.", 0, UINT32_MAX},
                {"cvt.s64.", INT64_MIN, INT64_MAX},
                {"cvt.u64.", 0, UINT64_MAX}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (starts(m, ranges[i].name)) {
      if (isnan(f))
        return 0;
      const long double whole = truncl(f);
      return whole < (long double)ranges[i].low    ? ranges[i].low
             : whole > (long double)ranges[i].high ? ranges[i].high
                                                   : (wide)whole;
    }
  return 0;
}

/* ---- directed conversions ------------------------------------------------------------------------- */

/* The host's own rounding; volatile keeps the compiler from doing it. */
static long double host_directed(bool is64, long double value, int mode) {
  volatile long double from = value;
  volatile double wide_to = 0;
  volatile float to = 0;
  fesetround(mode);
  if (is64)
    wide_to = (double)from;
  else
    to = (float)from;
  fesetround(FE_TONEAREST);
  return is64 ? (long double)wide_to : (long double)to;
}

/* The largest half not above the magnitude, or the next one. */
static uint64_t half_from_directed(long double value, int mode) {
  if (isnan(value) || isinf(value))
    return half_from_real(value);
  const bool negative = signbit(value);
  const long double size = fabsl(value);
  uint64_t below = 0, beyond = 0x7c00;
  while (beyond - below > 1) {
    const uint64_t middle = (below + beyond) / 2;
    if (half_real(middle) <= size)
      below = middle;
    else
      beyond = middle;
  }
  const bool away = half_real(below) < size && (negative ? mode == FE_DOWNWARD : mode == FE_UPWARD);
  return (negative ? 0x8000u : 0) | (below + away);
}

static bool oracle_directed(const struct isa_row *row, struct value a, uint64_t *r) {
  static const struct {
    const char *suffix;
    int mode;
  } modes[] = {{".rz", FE_TOWARDZERO}, {".ru", FE_UPWARD}, {".rd", FE_DOWNWARD}};
  const long double value = is_float(a.type) ? a.f : (long double)a.i;
  for (size_t i = 0; i < 3; i++) {
    if (!starts(row->mnemonic, "cvt.f") || !strstr(row->mnemonic, modes[i].suffix))
      continue;
    *r = row->d == TYPE_F16 ? half_from_directed(value, modes[i].mode)
                            : bits_of_real(row->d, host_directed(row->d == TYPE_F64, value, modes[i].mode));
    return true;
  }
  return false;
}

/* One rounding of an exact or 64-bit result: correct for half and float, and for double where noted. */
static bool oracle_real(const struct isa_row *row, struct value a, struct value b, struct value c, uint64_t *r,
                        unsigned *slack) {
  const char *m = row->mnemonic;
  const bool is64 = row->d == TYPE_F64, is16 = row->d == TYPE_F16;
  const double x = (double)a.f, y = (double)b.f, z = (double)c.f; /* for doubles: the host's arithmetic */
  const uint64_t one16 = 0x3c00, zero16 = (a.bits ^ b.bits) & 0x8000;
  const struct {
    const char *name;
    long double result; /* for float; for double the host's result */
    uint64_t half;      /* 1 << 20: same as `result` */
    unsigned slack;
  } table[] = {
      {"add.", is64 ? x + y : a.f + b.f, half_muladd(a.bits, one16, b.bits), 0},
      {"sub.", is64 ? x - y : a.f - b.f, half_nan(b.bits) ? 0x7e00 : half_muladd(a.bits, one16, b.bits ^ 0x8000), 0},
      {"mul.", is64 ? x * y : a.f * b.f, half_muladd(a.bits, b.bits, zero16), 0},
      {"fma.", is64 ? fma(x, y, z) : (long double)fmaf((float)x, (float)y, (float)z),
       half_muladd(a.bits, b.bits, c.bits), 0},
      {"min.", smaller(a.f, b.f), 1 << 20, 0},
      {"max.", -smaller(-a.f, -b.f), 1 << 20, 0},
      {"abs.", fabsl(a.f), 1 << 20, 0},
      {"neg.", -a.f, 1 << 20, 0},
      {"floor.", floorl(a.f), 1 << 20, 0},
      {"ceil.", ceill(a.f), 1 << 20, 0},
      {"trunc.", truncl(a.f), 1 << 20, 0},
      {"rint.", nearbyintl(a.f), 1 << 20, 0},
      {"round.", roundl(a.f), 1 << 20, 0},
      {"div.", is64 ? x / y : a.f / b.f, 1 << 20, 0},
      {"rcp.", is64 ? 1 / x : 1 / a.f, 1 << 20, 0},
      {"sqrt.", is64 ? sqrt(x) : sqrtl(a.f), 1 << 20, 0},
      {"rsqrt.", 1 / sqrtl(a.f), 1 << 20, 2},
      {"rem.", fmodl(a.f, b.f), 1 << 20, 0},
      {"exp2.", exp2l(a.f), 1 << 20, 1},
      {"log2.", log2l(a.f), 1 << 20, 1},
      {"exp.", expl(a.f), 1 << 20, 1},
      {"log.", logl(a.f), 1 << 20, 1},
      {"sin.", sinl(a.f), 1 << 20, 1},
      {"cos.", cosl(a.f), 1 << 20, 1},
      {"pow.", isinf(a.f) ? pow(x, y) : powl(a.f, b.f), 1 << 20, 1}, /* glibc's powl is wrong at -inf */
      {"cvt.f16.", is_float(a.type) ? a.f : (long double)a.i, 1 << 20, 0},
      {"cvt.f32.", is_float(a.type) ? a.f : (long double)a.i, 1 << 20, 0},
      {"cvt.f64.", is_float(a.type) ? a.f : (long double)a.i, 1 << 20, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (starts(m, table[i].name)) {
      *r = is16 && table[i].half != 1 << 20 ? table[i].half : bits_of_real(row->d, table[i].result);
      *slack = table[i].slack;
      return true;
    }
  return false;
}

bool oracle_alu(const struct isa_row *row, uint64_t a_bits, uint64_t b_bits, uint64_t c_bits, uint64_t *result,
                unsigned *slack) {
  const struct value a = value_of(row->a, a_bits), b = value_of(row->b, b_bits), c = value_of(row->c, c_bits);
  wide integer = 0;
  long double real = 0;
  bool known = false;
  *slack = 0;
  if (oracle_directed(row, a, result))
    return true;
  if (is_float(row->d) && oracle_real(row, a, b, c, result, slack))
    return true;
  if (is_float(row->d)) {
    known = oracle_math(row->mnemonic, row->d == TYPE_F64, a.f, b.f, (int32_t)b.i, &real, slack);
    *result = bits_of_real(row->d, real);
    return known;
  }
  if (!is_float(row->a))
    known = oracle_integer(row, a, b, c, &integer);
  else if (row->d == TYPE_PRED)
    known = oracle_compare(row->mnemonic, a.f, b.f, &integer);
  else if (row->class_ == ISA_CLASS_MATH)
    known = oracle_math_integer(row->mnemonic, a.f, b.f, &integer);
  else {
    integer = saturated(row->mnemonic, a.f);
    known = starts(row->mnemonic, "cvt.");
  }
  *result = bits_of_int(row->d, integer);
  return known;
}

uint64_t oracle_named(const char *mnemonic, uint64_t a, uint64_t b) {
  uint64_t result = 0;
  unsigned slack = 0;
  for (enum isa_op op = 0; op < ISA_OPS; op++)
    if (strcmp(isa_rows[op].mnemonic, mnemonic) == 0) {
      EXPECT_TRUE(oracle_alu(&isa_rows[op], a, b, 0, &result, &slack));
      return result;
    }
  ct_note("%s", mnemonic);
  EXPECT_TRUE(false);
  return 0;
}

uint64_t oracle_value(enum isa_type type, uint64_t *seed) {
  static const uint64_t ints[] = {0,
                                  1,
                                  2,
                                  31,
                                  32,
                                  33,
                                  63,
                                  64,
                                  127,
                                  128,
                                  255,
                                  256,
                                  32767,
                                  32768,
                                  65535,
                                  65536,
                                  UINT64_C(0x7fffffff),
                                  UINT64_C(0x80000000),
                                  UINT32_MAX,
                                  UINT64_C(0x100000000),
                                  UINT64_C(0x7fffffffffffffff),
                                  UINT64_C(0x8000000000000000),
                                  UINT64_MAX};
  static const double reals[] = {0,
                                 1,
                                 0.5,
                                 1.5,
                                 2.5,
                                 3,
                                 -1,
                                 65504,
                                 65519,
                                 65520,
                                 1e-8,
                                 6e-8,
                                 0x1p-14,
                                 0x1p-24,
                                 0x1p-25,
                                 0x1.8p-25,
                                 127.9,
                                 -128.5,
                                 255.99,
                                 32767.5,
                                 2147483647.0,
                                 2147483648.0,
                                 4294967295.5,
                                 0x1p63,
                                 0x1.fffffffffffffp62,
                                 0x1p64,
                                 -0x1p63,
                                 1e30,
                                 0x1p127,
                                 0x1p-126,
                                 0x1p-149,
                                 1e300,
                                 0x1p-1022,
                                 0x1p-1074,
                                 INFINITY,
                                 NAN,
                                 0.1,
                                 3.14159265358979};
  const uint64_t random = ct_random(seed), bits = ct_random(seed);
  if (type == TYPE_PRED)
    return bits & 1;
  if (!is_float(type)) {
    const uint64_t value = random % 3 == 0   ? bits
                           : random % 3 == 1 ? bits >> bits % 64
                                             : ints[bits % (sizeof ints / 8)];
    const uint64_t number = random & 1024 ? 0 - value : value;
    return isa_types[type].registers == 2 ? number : (uint32_t)number;
  }
  if (random % 3 == 0) /* any bits */
    return type == TYPE_F16 ? bits & 0xffff : type == TYPE_F32 ? (uint32_t)bits : bits;
  long double value = reals[bits % (sizeof reals / sizeof reals[0])];
  if (random % 3 == 1)
    value = (long double)(int64_t)bits * 0x1p-63L * ldexpl(1, (int)(random >> 8 & 31) - 8);
  return bits_of_real(type, random & 1024 ? -value : value);
}
