/* Numbers in assembly: integers in any base, named constants, and correctly rounded floats. */
#include "isa/asm/operands.h"
#include "isa/numbers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- whole numbers ------------------------------------------------------------------------------ */

bool integer_term(struct assembler *as, uint64_t *value) {
  const struct token token = lexer_take(&as->lexer);
  if (token_integer(token, value))
    return true;
  if (token.kind == TOKEN_NUMBER)
    return fail(as, token, "decimal, 0x1f or 0b101, below 2^64", "not a whole number:");
  if (token.kind != TOKEN_WORD)
    return fail(as, token, NULL, "expected a number instead of");
  const struct symbol *symbol = find_name(as, token.text, token.length);
  if (symbol && symbol->kind == SYMBOL_NUMBER) {
    *value = symbol->value;
    return true;
  }
  if (symbol)
    return fail(as, token, NULL, "expected a number instead of the register");
  char name[64];
  snprintf(name, sizeof name, "%.*s", token.length < 60 ? (int)token.length : 60, token.text);
  return fail_nearest(as, token, symbols_nearest(&as->symbols, as->scope, true, UINT_MAX, name), "unknown name");
}

/* Integers, symbols, + and -, modulo 2^64; sets *negative if the sum is below 0. The sum is kept as sign and magnitude,
 * so that overflow of 64 bits can be reported. */
bool take_integer(struct assembler *as, uint64_t *value, bool *negative) {
  int128 sum = 0;
  const struct token at = lexer_signed(&as->lexer);
  bool minus = lexer_take_sign(&as->lexer, '-');
  do {
    uint64_t term = 0;
    if (!integer_term(as, &term))
      return false;
    sum += minus ? -(int128)term : (int128)term;
    if (sum > (int128)UINT64_MAX || sum < (int128)INT64_MIN)
      return fail(as, at, NULL, "number does not fit into 64 bits:");
    minus = token_is_sign(as->lexer.next, '-');
  } while (lexer_take_sign(&as->lexer, '+') || lexer_take_sign(&as->lexer, '-'));
  *value = (uint64_t)sum;
  *negative = sum < 0;
  return true;
}

bool take_count(struct assembler *as, const char *what, uint64_t most, uint64_t *value) {
  const struct token at = lexer_signed(&as->lexer);
  bool negative = false;
  if (!take_integer(as, value, &negative))
    return false;
  if (!negative && *value <= most)
    return true;
  char legal[48];
  snprintf(legal, sizeof legal, "0 to %llu", (unsigned long long)most);
  return fail(as, at, legal, "%s cannot be", what);
}

static bool take_integer_of(struct assembler *as, enum isa_type type, uint64_t *bits) {
  const struct token at = lexer_signed(&as->lexer);
  bool negative = false;
  if (!take_integer(as, bits, &negative))
    return false;
  if (isa_types[type].registers == 2)
    return true;
  const bool fits = negative ? *bits >= (uint64_t)INT32_MIN : *bits <= UINT32_MAX;
  *bits = (uint32_t)*bits;
  return fits || fail(as, at, "put it into a .reg64 with mov.b64", "number does not fit into 32 bits:");
}

/* ---- floats ------------------------------------------------------------------------------------- */

static bool is_float(enum isa_type type) { return type == TYPE_F16 || type == TYPE_F32 || type == TYPE_F64; }

static uint64_t real_bits(enum isa_type type, double value) {
  if (type == TYPE_F16)
    return half_bits(value);
  return isa_types[type].registers == 2 ? double_bits(value) : float_bits((float)value);
}

/* strtod followed by a cast would round a float twice; strtof rounds once. */
static bool decimal_bits(struct token token, enum isa_type type, bool minus, uint64_t *bits) {
  double value = 0;
  if (!token_real(token, &value))
    return false;
  if (type != TYPE_F16 && isa_types[type].registers == 1) {
    char text[64];
    memcpy(text, token.text, token.length);
    text[token.length] = '\0';
    value = strtof(text, NULL);
  }
  *bits = real_bits(type, minus ? -value : value);
  return true;
}

/* Takes a real number for an operand of `type`. For B32 and B64 only the width matters. */
static bool take_real(struct assembler *as, enum isa_type type, uint64_t *bits) {
  const bool minus = lexer_take_sign(&as->lexer, '-');
  const struct token token = lexer_take(&as->lexer);
  const char own = type == TYPE_F16 ? 'h' : isa_types[type].registers == 2 ? 'd' : 'f';
  char letter = 0;
  if (token_bits(token, &letter, bits)) {
    const bool fits = letter == own || (letter == 'h' && type == TYPE_B32);
    return (fits && !minus) || fail(as, token, "0h, 0f, 0d are a half's, float's, double's bits", "wrong bits here:");
  }
  if (decimal_bits(token, type, minus, bits))
    return true;
  return fail(as, token, "write 1.5, 2e-3, or bits as 0h3C00, 0f3F800000, 0d3FF0000000000000", "not a float:");
}

bool take_number(struct assembler *as, enum isa_type type, uint64_t *bits) {
  struct lexer ahead = as->lexer;
  lexer_take_sign(&ahead, '-');
  const bool real = token_looks_real(ahead.next);
  if (is_float(type) || (real && (type == TYPE_B32 || type == TYPE_B64)))
    return take_real(as, type, bits);
  if (real)
    return fail(as, ahead.next, "cvt makes one from a float", "expected %s instead of the float", isa_types[type].text);
  if (type != TYPE_PRED)
    return take_integer_of(as, type, bits);
  return take_count(as, "a predicate", 1, bits);
}
