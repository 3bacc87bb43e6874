#include "sim/launch/type.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/core/params.h"

static const char *const scalar_names[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                           "long", "ulong", "half",  "float",  "double"};
static const struct type scalars[] = {
    {TYPE_SIGNED, 1, 1},   {TYPE_UNSIGNED, 1, 1}, {TYPE_SIGNED, 2, 1},   {TYPE_UNSIGNED, 2, 1},
    {TYPE_SIGNED, 4, 1},   {TYPE_UNSIGNED, 4, 1}, {TYPE_SIGNED, 8, 1},   {TYPE_UNSIGNED, 8, 1},
    {TYPE_FLOATING, 2, 1}, {TYPE_FLOATING, 4, 1}, {TYPE_FLOATING, 8, 1},
};
enum { SCALARS = sizeof scalars / sizeof *scalars };

static size_t letters(const char *name) {
  size_t length = 0;
  while (isalpha((unsigned char)name[length]))
    length++;
  return length;
}

static unsigned components_of(const char *suffix) {
  static const char *const words[] = {"", "2", "3", "4", "8", "16"};
  static const unsigned counts[] = {1, 2, 3, 4, 8, 16};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (strcmp(suffix, words[i]) == 0)
      return counts[i];
  return 0;
}

bool type_find(const char *name, struct type *type) {
  size_t length = letters(name);
  unsigned components = components_of(name + length);
  for (size_t i = 0; components && i < SCALARS; i++)
    if (strlen(scalar_names[i]) == length && strncmp(name, scalar_names[i], length) == 0) {
      *type = scalars[i];
      type->components = components;
      return true;
    }
  return false;
}

void type_nearest(const char *name, char near[32]) {
  char scalar[16];
  size_t length = letters(name);
  snprintf(scalar, sizeof scalar, "%.*s", (int)(length < 15 ? length : 15), name);
  const char *word = nearest_word(scalar, scalar_names, SCALARS, sizeof *scalar_names);
  const char *suffix = name + length;
  snprintf(near, 32, "%s%s", word ? word : "", word && components_of(suffix) > 1 ? suffix : "");
}

bool type_refuse(const char *name, struct message *message) {
  char near[32], hint[MESSAGE_HINT];
  type_nearest(name, near);
  return message_fail(message, "no type '%.40s'%s; legal: " TYPE_LEGAL, name, message_hint(hint, near));
}

/* ---- half precision: C17 has no type for it -------------------------------------------------- */

static uint16_t half_from(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value))
    return (uint16_t)(sign | 0x7e00);
  if (size >= 65520) /* halfway from the largest half to the next power of two rounds to infinity */
    return (uint16_t)(sign | 0x7c00);
  int exponent = 0;
  frexp(size, &exponent);
  if (exponent < -13 || size <= 0)
    exponent = -13; /* subnormal: the spacing stays that of 2^-14 */
  /* nearbyint() rounds to nearest, ties to even. A carry into the exponent gives the right result. */
  long units = lrint(nearbyint(ldexp(size, 11 - exponent)));
  long biased = (long)(exponent + 13) << 10;
  return (uint16_t)(sign | (uint16_t)(biased + units));
}

static double half_to(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double size = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                : exponent == 0 ? ldexp(fraction, -24)
                                : ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

/* ---- values ---------------------------------------------------------------------------------- */

void type_store(struct type type, double value, uint8_t *to) {
  float single = (float)value;
  uint16_t half = half_from(value);
  if (type.bytes == 8)
    memcpy(to, &value, sizeof value);
  else if (type.bytes == 4)
    memcpy(to, &single, sizeof single);
  else
    memcpy(to, &half, sizeof half);
}

static bool parse_floating(struct type type, const char *text, uint8_t *to, struct message *message) {
  char *end = NULL;
  double value = strtod(text, &end);
  if (end == text || *end || isspace((unsigned char)*text))
    return message_fail(message, "'%.60s' is not a number", text);
  /* strtof() rounds once where strtod() and a conversion would round twice. */
  type_store(type, type.bytes == 4 ? (double)strtof(text, NULL) : value, to);
  return true;
}

static bool parse_integer(struct type type, const char *text, uint8_t *to, struct message *message) {
  unsigned bits = 8 * type.bytes;
  bool negative = text[0] == '-';
  const char *digits = text + negative;
  char *end = NULL;
  errno = 0;
  int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10; /* no octal surprises */
  uint64_t size = isdigit((unsigned char)*digits) ? strtoull(digits, &end, base) : 0;
  uint64_t most = type.kind == TYPE_UNSIGNED ? UINT64_MAX >> (64 - bits) : UINT64_MAX >> (65 - bits);
  uint64_t least = type.kind == TYPE_UNSIGNED ? 0 : most + 1;
  bool whole = end && !*end;
  if (!whole || errno || size > (negative ? least : most))
    return message_fail(message, "'%.60s' is not a whole number in [%s%" PRIu64 ", %" PRIu64 "]", text,
                        least ? "-" : "", least, most);
  uint64_t value = negative ? 0 - size : size;
  memcpy(to, &value, type.bytes); /* little-endian, as everywhere */
  return true;
}

bool type_parse(struct type type, const char *text, uint8_t *to, struct message *message) {
  return type.kind == TYPE_FLOATING ? parse_floating(type, text, to, message) : parse_integer(type, text, to, message);
}

bool type_read(struct type type, const char *name, const char *text, uint8_t *to, struct message *message) {
  char *const words = need_copy(text);
  unsigned count = 0;
  bool good = true;
  for (char *at = words, *next; good && at; at = next, count++) {
    next = strchr(at, ',');
    if (next)
      *next++ = '\0';
    good = count >= type.components || type_parse(type, at, to + count * type.bytes, message);
  }
  free(words);
  return good && (count == type.components || message_fail(message, "%u component%s, not the %u of %s", count,
                                                           count == 1 ? "" : "s", type.components, name));
}

static unsigned digit(char c) {
  return (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

uint8_t *type_bytes(const char *hex, size_t *count) {
  size_t length = strlen(hex);
  if (!length || length % 2 || strspn(hex, "0123456789abcdefABCDEF") != length)
    return NULL;
  *count = length / 2;
  uint8_t *bytes = need(*count, 1);
  for (size_t i = 0; i < *count; i++)
    bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return bytes;
}

static uint64_t raw(struct type type, const uint8_t *from) {
  uint64_t value = 0;
  memcpy(&value, from, type.bytes);
  return value;
}

static int64_t raw_signed(struct type type, const uint8_t *from) {
  unsigned unused = 64 - 8 * type.bytes;
  return (int64_t)(raw(type, from) << unused) >> unused;
}

double type_number(struct type type, const uint8_t *from) {
  float single = 0;
  double value = 0;
  if (type.kind == TYPE_SIGNED)
    return (double)raw_signed(type, from);
  if (type.kind == TYPE_UNSIGNED)
    return (double)raw(type, from);
  if (type.bytes == 2)
    return half_to((uint16_t)raw(type, from));
  if (type.bytes == 8) {
    memcpy(&value, from, sizeof value);
    return value;
  }
  memcpy(&single, from, sizeof single);
  return (double)single;
}

int64_t type_ordinal(struct type type, const uint8_t *from) {
  int64_t value = raw_signed(type, from);
  int64_t lowest = (int64_t)(UINT64_MAX << (8 * type.bytes - 1));
  return value < 0 ? lowest - value : value; /* -0 and +0 are both 0 */
}

void type_print(struct type type, const uint8_t *from, char text[40]) {
  static const int digits[] = {[2] = 5, [4] = 9, [8] = 17};
  if (type.kind == TYPE_SIGNED)
    snprintf(text, 40, "%" PRId64, raw_signed(type, from));
  else if (type.kind == TYPE_UNSIGNED)
    snprintf(text, 40, "%" PRIu64, raw(type, from));
  else
    snprintf(text, 40, "%.*g", digits[type.bytes], type_number(type, from));
}
