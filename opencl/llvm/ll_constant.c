/* Constants and global variables. A constant expression becomes an OpSpecConstantOp, which SPIR-V's reader folds. A
 * global variable is read when something first names it, or at the end, because initializers name later ones. */
#include "opencl/llvm/ll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/numbers.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { MOST_DEPTH = 64 };

/* ---- numbers ------------------------------------------------------------------------------------- */

/* A composite of these parts. */
static uint32_t composite(struct ll *ll, uint32_t type, const uint32_t *part, size_t count) {
  const uint32_t id = ll_spirv_type(ll, type);
  ll_begin(ll, LL_DEFINITIONS, OpConstantComposite);
  ll_put(ll, id);
  ll_put(ll, 0);
  for (size_t i = 0; i < count; i++)
    ll_put(ll, part[i]);
  return ll_finish_once(ll, 2);
}

uint32_t ll_splat(struct ll *ll, uint32_t type, uint32_t scalar) {
  const struct ll_type *t = ll_type(ll, type);
  if (t->kind != LL_VECTOR || t->count == 1)
    return scalar;
  const uint64_t count = t->count;
  uint32_t part[64]; /* a vector has no more components */
  for (uint64_t i = 0; i < count; i++)
    part[i] = scalar;
  return composite(ll, type, part, count);
}

/* A scalar of a type of `bits` bits. */
static uint32_t literal(struct ll *ll, uint32_t type, unsigned bits, uint64_t value) {
  const uint32_t id = ll_spirv_type(ll, type);
  ll_begin(ll, LL_DEFINITIONS, OpConstant);
  ll_put(ll, id);
  ll_put(ll, 0);
  ll_put(ll, (uint32_t)value);
  if (bits == 64)
    ll_put(ll, (uint32_t)(value >> 32));
  return ll_finish_once(ll, 2);
}

static uint32_t plain(struct ll *ll, uint16_t op, uint32_t type) {
  const uint32_t id = ll_spirv_type(ll, type);
  ll_begin(ll, LL_DEFINITIONS, op);
  ll_put(ll, id);
  ll_put(ll, 0);
  return ll_finish_once(ll, 2);
}

uint32_t ll_integer(struct ll *ll, uint32_t type, uint64_t value) {
  const uint32_t scalar = ll_type(ll, type)->kind == LL_VECTOR ? ll_type(ll, type)->element : type;
  const unsigned bits = ll_type(ll, scalar)->bits;
  if (bits == 1)
    return ll_splat(ll, type, plain(ll, value & 1 ? OpConstantTrue : OpConstantFalse, scalar));
  if (!ll_width(bits))
    return ll_null(ll, type); /* of a type that is refused */
  if (bits < 64)
    value &= (UINT64_C(1) << bits) - 1;
  return ll_splat(ll, type, literal(ll, scalar, ll_width(bits), value));
}

uint32_t ll_word(struct ll *ll, uint32_t value) { return ll_integer(ll, ll_int_type(ll, 32), value); }

/* Rounded to a float first. */
static uint32_t bfloat_bits(double value) {
  enum { BELOW_HALF = 0x7fff, QUIET = 0x40 };
  const uint32_t bits = float_raw((float)value);
  return value != value ? bits >> 16 | QUIET : (bits + BELOW_HALF + (bits >> 16 & 1)) >> 16;
}

uint32_t ll_real(struct ll *ll, uint32_t type, double value) {
  const uint32_t scalar = ll_type(ll, type)->kind == LL_VECTOR ? ll_type(ll, type)->element : type;
  const unsigned bits = ll_type(ll, scalar)->bits;
  const uint64_t image = bits == 64                 ? double_raw(value) /* with the bits of a NaN */
                         : bits == 32               ? float_raw((float)value)
                         : ll_is_bfloat(ll, scalar) ? bfloat_bits(value)
                                                    : half_bits(value);
  return ll_splat(ll, type, literal(ll, scalar, bits, image));
}

uint32_t ll_null(struct ll *ll, uint32_t type) { return plain(ll, OpConstantNull, type); }

uint32_t ll_undef(struct ll *ll, uint32_t type) { return plain(ll, OpUndef, type); }

bool ll_peek_integer(const struct ll *ll, int64_t *value) {
  uint64_t number = 0;
  const bool minus = *ll->token.at == '-';
  if (ll->token.kind != LL_INTEGER || ll->token.length > 20)
    return false;
  for (size_t i = minus; i < ll->token.length; i++)
    number = number * 10 + (uint64_t)(ll->token.at[i] - '0');
  *value = (int64_t)(minus ? 0 - number : number);
  return true;
}

static uint32_t read_integer(struct ll *ll, uint32_t type) {
  int64_t value;
  if (!ll_peek_integer(ll, &value)) {
    ll_fail(ll, "an integer of more than 64 bits");
    return 1;
  }
  const unsigned bits = ll_type(ll, type)->bits;
  ll_advance(ll);
  if (ll_type(ll, type)->kind == LL_REAL)
    return ll_real(ll, type, (double)value);
  if (!ll_width(bits))
    return ll_unsupported(ll, type, "an integer of %u bits", bits);
  return ll_integer(ll, type, (uint64_t)value);
}

/* 0x3FF0000000000000 is a double, also for floats; 0xH3C00 a half; 0xR3F80 a bfloat. */
static uint32_t read_real(struct ll *ll, uint32_t type) {
  const struct ll_token token = ll->token;
  const struct ll_type *real = ll_type(ll, type);
  char room[80];
  if ((real->kind != LL_REAL && real->kind != LL_BFLOAT) || token.length >= sizeof room) {
    ll_fail(ll, "a number of another type");
    return 1;
  }
  memcpy(room, token.at, token.length);
  room[token.length] = '\0';
  ll_advance(ll);
  if (!strncmp(room, "0xH", 3) || !strncmp(room, "0xR", 3))
    return literal(ll, type, 16, strtoull(room + 3, NULL, 16));
  if (!strncmp(room, "0x", 2)) {
    const double value = double_of(strtoull(room + 2, NULL, 16));
    return ll_real(ll, type, value);
  }
  return ll_real(ll, type, strtod(room, NULL));
}

/* ---- composites ---------------------------------------------------------------------------------- */

/* Parts up to `close`, each with its type. */
static uint32_t read_parts(struct ll *ll, uint32_t type, const char *close) {
  const uint64_t wanted = ll_type(ll, type)->count;
  uint32_t *part = NULL;
  size_t count = 0, room = 0;
  while (!ll_is(ll, close) && ll->token.kind != LL_END) {
    const struct ll_value value = ll_read_operand(ll);
    *vector_next(part, count, room) = value.id;
    if (!ll_take(ll, ","))
      break;
  }
  ll_expect(ll, close);
  uint32_t id = 1;
  if (count != wanted) {
    ll_fail(ll, "%zu parts, but the type has %llu", count, (unsigned long long)wanted);
  } else if (ll_type(ll, type)->kind == LL_VECTOR && count == 1) {
    id = part[0];
  } else if (count == 0) {
    id = ll_null(ll, type);
  } else {
    id = composite(ll, type, part, count);
  }
  free(part);
  return id;
}

/* c"text", an array of bytes. */
static uint32_t read_bytes(struct ll *ll, uint32_t type) {
  char *bytes = need(ll->token.length + 1, 1);
  const size_t length = ll_unescape(&ll->token, bytes);
  const struct ll_type *array = ll_type(ll, type);
  if (array->kind != LL_ARRAY || array->count != length || ll_type(ll, array->element)->bits != 8) {
    ll_fail(ll, "a text of %zu bytes for another type", length);
    free(bytes);
    return 1;
  }
  uint32_t *part = need(length + 1, sizeof *part);
  const uint32_t element = array->element;
  for (size_t i = 0; i < length; i++)
    part[i] = ll_integer(ll, element, (unsigned char)bytes[i]);
  const uint32_t id = composite(ll, type, part, length);
  free(part);
  free(bytes);
  ll_advance(ll);
  return id;
}

/* splat (i32 7) */
static uint32_t read_splat(struct ll *ll, uint32_t type) {
  ll_expect(ll, "(");
  const struct ll_value scalar = ll_read_operand(ll);
  ll_expect(ll, ")");
  return ll_splat(ll, type, scalar.id);
}

/* ---- any value ----------------------------------------------------------------------------------- */

static uint32_t read_constant(struct ll *ll, uint32_t type) {
  char room[80];
  const struct ll_token token = ll->token;
  const uint8_t kind = ll_type(ll, type)->kind;
  if (kind == LL_OTHER) {
    ll_skip_brackets(ll);
    return ll_unsupported(ll, type, "a value of type %s", ll_type(ll, type)->name);
  }
  if (ll_take(ll, "{"))
    return read_parts(ll, type, "}");
  if (ll_take(ll, "["))
    return read_parts(ll, type, "]");
  if (ll_take(ll, "<")) {
    const bool packed = ll_take(ll, "{");
    const uint32_t id = read_parts(ll, type, packed ? "}" : ">");
    if (packed)
      ll_expect(ll, ">");
    return id;
  }
  if (token.kind != LL_WORD) {
    ll_fail(ll, "a value is expected, not '%s'", ll_text(&token, room));
    return 1;
  }
  ll_advance(ll);
  if (ll_token_is(&token, "true") || ll_token_is(&token, "false"))
    return ll_integer(ll, type, ll_token_is(&token, "true"));
  if (ll_token_is(&token, "null") || ll_token_is(&token, "zeroinitializer") || ll_token_is(&token, "none"))
    return ll_null(ll, type);
  if (ll_token_is(&token, "undef") || ll_token_is(&token, "poison"))
    return ll_undef(ll, type);
  if (ll_token_is(&token, "splat"))
    return read_splat(ll, type);
  return ll_read_expression(ll, &token, type);
}

uint32_t ll_read_value(struct ll *ll, uint32_t type) {
  const uint8_t kind = ll_type(ll, type)->kind;
  const struct ll_token token = ll->token;
  uint32_t id = 1;
  if (++ll->depth > MOST_DEPTH)
    ll_fail(ll, "constants nest deeper than %d", MOST_DEPTH);
  switch (token.kind) {
  case LL_LOCAL:
    ll_advance(ll);
    id = ll_local(ll, &token, type);
    break;
  case LL_GLOBAL:
    ll_advance(ll);
    id = ll_global_id(ll, &token);
    break;
  case LL_INTEGER:
    if (kind == LL_INT || kind == LL_REAL)
      id = read_integer(ll, type);
    else
      ll_fail(ll, "a number of another type");
    break;
  case LL_FLOAT:
    id = read_real(ll, type);
    break;
  case LL_BYTES:
    id = read_bytes(ll, type);
    break;
  default:
    id = read_constant(ll, type);
    break;
  }
  ll->depth--;
  return id;
}

struct ll_value ll_read_operand(struct ll *ll) {
  const uint32_t type = ll_read_type(ll), align = ll_skip_attributes(ll);
  return (struct ll_value){.id = ll_read_value(ll, type), .type = type, .align = align};
}

void ll_read_operands(struct ll *ll, struct ll_value *operand, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (i)
      ll_expect(ll, ",");
    operand[i] = ll_read_operand(ll);
  }
}

/* ---- global variables ---------------------------------------------------------------------------- */

struct ll_global *ll_find_global(struct ll *ll, const char *at, size_t length) {
  const uint64_t hash = hash_bytes(at, length);
  for (size_t step = 0, i; map_next(&ll->global_map, hash, &step, &i);)
    if (ll->global[i].token.length == length && !memcmp(ll->global[i].token.at, at, length))
      return &ll->global[i];
  return NULL;
}

static uint32_t to_generic(struct ll *ll, uint32_t id) {
  const uint32_t type = ll_spirv_type(ll, ll_pointer_type(ll, SPIRV_GENERIC));
  ll_begin(ll, LL_DEFINITIONS, OpSpecConstantOp);
  ll_put(ll, type);
  ll_put(ll, 0);
  ll_put(ll, OpPtrCastToGeneric);
  ll_put(ll, id);
  return ll_finish_once(ll, 2);
}

/* "= internal addrspace(3) global [64 x float] undef, align 4", behind the name. */
static uint32_t read_variable(struct ll *ll, const struct ll_token *name) {
  uint64_t space = 0, align = 0;
  uint32_t linkage = LinkageTypeExport;
  ll_expect(ll, "=");
  while (ll->token.kind != LL_END && !ll_is(ll, "global") && !ll_is(ll, "constant") && !ll_is(ll, "alias") &&
         !ll_is(ll, "ifunc")) {
    linkage = ll_linkage(ll, linkage);
    if (ll_take(ll, "addrspace")) {
      ll_expect(ll, "(");
      ll_take_number(ll, &space);
      ll_expect(ll, ")");
    } else {
      ll_advance(ll);
      if (ll_is(ll, "("))
        ll_skip_brackets(ll);
    }
  }
  if (ll_take(ll, "alias")) {
    ll_read_type(ll);
    ll_expect(ll, ",");
    return ll_read_operand(ll).id;
  }
  ll_advance(ll); /* global or constant */
  const uint32_t type = ll_read_type(ll);
  enum spirv_storage storage = ll_storage(ll, space);
  const bool generic = storage == SPIRV_GENERIC;
  storage = generic ? SPIRV_CROSS_WORKGROUP : storage;
  const uint32_t pointer = ll_typed_pointer(ll, storage, ll_spirv_type(ll, type));
  const bool external = linkage == LinkageTypeImport;
  uint32_t initial = 0;
  if (!external && storage == SPIRV_WORKGROUP)
    ll_read_value(ll, type); /* the LDS starts with anything */
  else if (!external)
    initial = ll_read_value(ll, type);
  while (ll_take(ll, ",")) { /* align 4, section "text", ... */
    const bool aligned = ll_take(ll, "align");
    if (aligned)
      ll_take_number(ll, &align);
    while (!aligned && ll->token.kind != LL_END && ll->token.line == name->line && !ll_is(ll, ","))
      ll_advance(ll);
  }
  const uint32_t id = ll_id(ll);
  ll_begin(ll, LL_DEFINITIONS, OpVariable);
  ll_put(ll, pointer);
  ll_put(ll, id);
  ll_put(ll, storage);
  if (initial)
    ll_put(ll, initial);
  ll_finish(ll);
  ll_write_name(ll, id, name);
  if (align)
    ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationAlignment, (uint32_t)align);
  if (storage != SPIRV_WORKGROUP)
    ll_write_linkage(ll, id, name, linkage);
  return generic ? to_generic(ll, id) : id;
}

uint32_t ll_global_id(struct ll *ll, const struct ll_token *name) {
  char room[80];
  struct ll_global *global = ll_find_global(ll, name->at, name->length);
  if (!global) {
    ll_fail_at(ll, name->line, "'@%s' is defined nowhere", ll_text(name, room));
    return 1;
  }
  if (global->is_function)
    return ll_unsupported(ll, ll_pointer_type(ll, SPIRV_GENERIC), "a pointer to function '%s'", ll_text(name, room));
  if (global->state == LL_READING) {
    ll_fail_at(ll, name->line, "'@%s' contains itself", ll_text(name, room));
    return 1;
  }
  if (global->state == LL_READ)
    return global->id;
  const struct ll_token found = global->token;
  const size_t number = (size_t)(global - ll->global);
  global->state = LL_READING;
  const struct ll_mark mark = ll_go(ll, ll_behind(&found), found.line);
  const uint32_t id = read_variable(ll, &found);
  ll_return(ll, mark);
  ll->global[number].state = LL_READ;
  ll->global[number].id = id;
  return id;
}
