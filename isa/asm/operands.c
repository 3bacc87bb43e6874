/* Operands of an instruction: registers, predicates, numbers, addresses, labels. The letters of formats.def say which
 * operands to expect; print.c writes by the same letters. */
#include "isa/asm/operands.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vector.h"

/* ---- registers ---------------------------------------------------------------------------------- */

/* A register as written, and how many registers from it on may be used with it. */
struct reg {
  struct token token;
  uint32_t first, room;
  uint32_t width; /* registers per element of what was named; 0 for a bare register, which fits any width */
};

/* Whether a register comes next, not a number or the name of one. */
static bool at_register(struct assembler *as) {
  const struct token next = as->lexer.next;
  if (next.kind != TOKEN_WORD)
    return false;
  const char *dot = memchr(next.text, '.', next.length);
  const size_t length = dot ? (size_t)(dot - next.text) : next.length;
  const struct symbol *symbol = find_name(as, next.text, length);
  return symbol ? symbol->kind != SYMBOL_NUMBER : true;
}

static bool unknown_name(struct assembler *as, struct token token, enum symbol_kind kind) {
  const char *what = kind == SYMBOL_PREDICATE ? "predicate" : "register";
  char name[64];
  snprintf(name, sizeof name, "%.*s", token.length < 60 ? (int)token.length : 60, token.text);
  const char *nearest = symbols_nearest(&as->symbols, as->scope, true, 1u << kind, name);
  if (nearest)
    return fail_nearest(as, token, nearest, "unknown %s", what);
  return fail(as, token, "declare it with .reg, .reg64 or .pred", "unknown %s", what);
}

static bool take_bare(struct assembler *as, struct token token, int number, struct reg *reg) {
  if (as->registers)
    return fail(as, token, "name all registers of a kernel, or none", "bare register beside named ones:");
  *reg = (struct reg){token, (uint32_t)number, ISA_REGISTERS - (uint32_t)number, 0};
  return true;
}

/* Takes the [i] of an array and the .lo or .hi of a pair. */
static bool take_element(struct assembler *as, const struct symbol *symbol, struct reg *reg) {
  uint64_t i = 0;
  if (lexer_take_sign(&as->lexer, '[')) {
    if (!take_count(as, "an index into this array", symbol->elements - 1, &i) || !expect_sign(as, ']'))
      return false;
  }
  reg->first = symbol->value + (uint32_t)i * symbol->width;
  reg->room = (symbol->elements - (uint32_t)i) * symbol->width;
  reg->width = symbol->width;
  return true;
}

static bool take_half(struct assembler *as, struct token half, struct reg *reg) {
  const bool high = token_is(half, ".hi");
  if (!high && !token_is(half, ".lo"))
    return fail(as, half, "the halves of a pair are .lo and .hi", "no such half:");
  if (reg->width != 2)
    return fail(as, reg->token, "declare it with .reg64", "only a pair has halves, not");
  reg->first += high;
  reg->room = reg->width = 1;
  return true;
}

static bool take_register(struct assembler *as, struct reg *reg) {
  struct token token = lexer_take(&as->lexer);
  if (token.kind != TOKEN_WORD)
    return fail(as, token, NULL, "expected a register instead of");
  const int bare = isa_bare_register(token.text, token.length);
  if (bare >= 0)
    return take_bare(as, token, bare, reg);
  struct token half = {.kind = TOKEN_END};
  const char *dot = memchr(token.text, '.', token.length);
  if (dot) {
    const size_t length = (size_t)(dot - token.text);
    half = (struct token){TOKEN_WORD, dot, token.length - length, token.line, token.column + (uint32_t)length};
    token.length = length;
  }
  *reg = (struct reg){.token = token};
  const struct symbol *symbol = find_name(as, token.text, token.length);
  if (!symbol)
    return unknown_name(as, token, SYMBOL_REGISTER);
  if (symbol->kind != SYMBOL_REGISTER)
    return fail(as, token, NULL, "expected a register instead of");
  const struct symbol copy = *symbol;
  if (!take_element(as, &copy, reg))
    return false;
  const struct token next = as->lexer.next;
  if (half.kind == TOKEN_END && next.kind == TOKEN_WORD && next.text[0] == '.')
    half = lexer_take(&as->lexer);
  return half.kind == TOKEN_END || take_half(as, half, reg);
}

/* Uses `count` registers from `reg` on, if they all exist. */
static bool use_register(struct assembler *as, const struct reg *reg, uint32_t count, uint8_t *field) {
  if (count == 1 && reg->width == 2)
    return fail(as, reg->token, "take .lo or .hi of it", "expected a single register instead of the pair");
  if (reg->room < count)
    return fail(as, reg->token, count == 2 ? "declare it with .reg64" : "declare it with .reg NAME[4]",
                "expected %u registers instead of", count);
  if (!reg->width && reg->first + count > as->bare_registers)
    as->bare_registers = reg->first + count;
  *field = (uint8_t)reg->first;
  return true;
}

bool take_predicate(struct assembler *as, uint8_t *predicate) {
  const struct token token = lexer_take(&as->lexer);
  if (token.kind != TOKEN_WORD)
    return fail(as, token, NULL, "expected a predicate instead of");
  const int bare = isa_bare_predicate(token.text, token.length);
  if (bare >= 0 && as->predicates)
    return fail(as, token, "name all predicates of a kernel, or none", "bare predicate beside named ones:");
  if (bare >= 0) {
    *predicate = (uint8_t)bare;
    as->bare_predicates = 1;
    return true;
  }
  const struct symbol *symbol = find_name(as, token.text, token.length);
  if (!symbol)
    return unknown_name(as, token, SYMBOL_PREDICATE);
  if (symbol->kind != SYMBOL_PREDICATE)
    return fail(as, token, "declare it with .pred", "expected a predicate instead of");
  *predicate = (uint8_t)symbol->value;
  return true;
}

bool take_register_of(struct assembler *as, enum isa_type type, uint8_t *field) {
  struct reg reg;
  if (type == TYPE_PRED)
    return take_predicate(as, field);
  return take_register(as, &reg) && use_register(as, &reg, isa_types[type].registers, field);
}

/* Takes a source: a register, or the one immediate that an instruction has room for. */
static bool take_source(struct assembler *as, enum isa_type type, unsigned flag, uint8_t *field,
                        struct isa_inst *inst) {
  const struct token at = as->lexer.next;
  if (at_register(as))
    return take_register_of(as, type, field);
  if (inst->flags)
    return fail(as, at, "put one into a register with mov", "a second number:");
  inst->flags |= (uint8_t)flag;
  return take_number(as, type, &inst->imm);
}

/* ---- addresses ---------------------------------------------------------------------------------- */

/* [pair + index + number]. All parts but the pair are optional; the flags say which are allowed. */
struct address_shape {
  bool pair, index, number;
};

static bool address_register(struct assembler *as, struct address_shape *shape, struct isa_inst *inst) {
  struct reg reg;
  const struct token at = as->lexer.next;
  if (!take_register(as, &reg))
    return false;
  if (shape->pair) {
    shape->pair = false;
    return use_register(as, &reg, 2, &inst->a);
  }
  if (!shape->index)
    return fail(as, at, "add them first", "one register too many in an address:");
  shape->index = false;
  return use_register(as, &reg, 1, inst->a == ISA_NO_REGISTER ? &inst->a : &inst->b);
}

static bool address_term(struct assembler *as, bool minus, struct address_shape *shape, struct isa_inst *inst) {
  const struct token at = as->lexer.next;
  if (at_register(as)) {
    if (minus)
      return fail(as, at, "add a negative number, or subtract first", "an address cannot subtract a register:");
    return address_register(as, shape, inst);
  }
  uint64_t term = 0;
  if (!shape->number)
    return fail(as, at, "add it first", "this address takes no number:");
  if (!integer_term(as, &term))
    return false;
  inst->imm += minus ? 0 - term : term;
  return true;
}

static bool take_address(struct assembler *as, struct address_shape shape, struct isa_inst *inst) {
  const bool wants_pair = shape.pair;
  if (!expect_sign(as, '['))
    return false;
  bool minus = lexer_take_sign(&as->lexer, '-');
  do {
    if (!address_term(as, minus, &shape, inst))
      return false;
    minus = token_is_sign(as->lexer.next, '-');
  } while (lexer_take_sign(&as->lexer, '+') || lexer_take_sign(&as->lexer, '-'));
  if (wants_pair && shape.pair)
    return fail(as, as->lexer.next, "write [pair + index + number]", "expected a pair in the global address before");
  return expect_sign(as, ']');
}

static bool take_pair_address(struct assembler *as, bool index, bool number, struct isa_inst *inst) {
  return take_address(as, (struct address_shape){.pair = true, .index = index, .number = number}, inst);
}

/* A 32-bit address. Sums wrap, but each number must fit. */
static bool take_offset(struct assembler *as, struct isa_inst *inst) {
  const struct token at = as->lexer.next;
  if (!take_address(as, (struct address_shape){.index = true, .number = true}, inst))
    return false;
  const int64_t offset = (int64_t)inst->imm;
  inst->imm = (uint32_t)inst->imm;
  return (offset >= INT32_MIN && offset <= (int64_t)UINT32_MAX) ||
         fail(as, at, NULL, "a number of more than 32 bits in the address that starts at");
}

/* ---- branches, copies, waits --------------------------------------------------------------------- */

static bool take_join(struct assembler *as, const struct isa_inst *inst, struct token *join) {
  if (!lexer_take_sign(&as->lexer, ','))
    return true;
  const struct token word = lexer_take(&as->lexer);
  if (!token_is(word, "join"))
    return fail(as, word, NULL, "expected join=LABEL instead of");
  if (!inst->guard)
    return fail(as, word, "only a guarded branch has two sides", "this branch has no");
  if (!expect_sign(as, '='))
    return false;
  *join = lexer_take(&as->lexer);
  return join->kind == TOKEN_WORD || fail(as, *join, NULL, "expected a label instead of");
}

static bool take_target(struct assembler *as, uint32_t pc, const struct isa_inst *inst) {
  struct fixup fixup = {.pc = pc, .target = lexer_take(&as->lexer)};
  if (fixup.target.kind != TOKEN_WORD)
    return fail(as, fixup.target, NULL, "expected a label instead of");
  if (!take_join(as, inst, &fixup.join))
    return false;
  *vector_next(as->fixups, as->fixup_count, as->fixup_room) = fixup;
  return true;
}

/* A copy's number, packed into imm, or a register. */
bool take_packed(struct assembler *as, const char *what, uint32_t most, unsigned shift, unsigned flag, uint8_t *field,
                 struct isa_inst *inst) {
  if (at_register(as))
    return take_register_of(as, TYPE_U32, field);
  uint64_t value = 0;
  if (!take_count(as, what, most, &value))
    return false;
  inst->flags |= (uint8_t)flag;
  inst->imm |= value << shift;
  return true;
}

/* ---- by letter ----------------------------------------------------------------------------------- */

static bool take_axis(struct assembler *as, struct isa_inst *inst) {
  const struct token token = lexer_take(&as->lexer);
  inst->imm = token_is(token, "x") ? 0 : token_is(token, "y") ? 1 : 2;
  return inst->imm < 2 || token_is(token, "z") || fail(as, token, "x, y or z", "unknown axis");
}

static bool take_argument(struct assembler *as, const struct isa_row *row, struct isa_inst *inst) {
  const struct token at = lexer_signed(&as->lexer);
  bool negative = false;
  if (!take_integer(as, &inst->imm, &negative))
    return false;
  const uint32_t room = current_kernel(as)->arg_bytes, bytes = isa_types[row->a].bytes;
  return (!negative && inst->imm <= room && inst->imm + bytes <= room) ||
         fail(as, at, "declare arguments before their use", "%u bytes are outside the arguments at", bytes);
}

static bool take_print(struct assembler *as, struct isa_inst *inst) {
  const struct token at = as->lexer.next;
  struct isa_printf print;
  uint64_t offset = 0;
  if (!take_count(as, "the descriptor's offset", UINT32_MAX, &offset))
    return false;
  inst->imm |= offset << 32;
  return isa_find_printf(as->program, (uint32_t)offset, &print) ||
         fail(as, at, "two strings in .const above: the arguments' types, the format", "no descriptor of a printf at");
}

/* A result, or `_` if it is not wanted. */
static bool take_wanted(struct assembler *as, enum isa_type type, uint8_t *field) {
  if (!token_is(as->lexer.next, "_"))
    return take_register_of(as, type, field);
  lexer_take(&as->lexer);
  return true;
}

/* A register that contains an address: [register]. */
static bool take_pointer(struct assembler *as, enum isa_type type, uint8_t *field) {
  return expect_sign(as, '[') && take_register_of(as, type, field) && expect_sign(as, ']');
}

static bool take_operand(struct assembler *as, char letter, const struct isa_row *row, uint32_t pc,
                         struct isa_inst *inst) {
  switch (letter) {
#define OPERAND(letter, shape, role, registers, number, take, put, check)                                              \
  case letter:                                                                                                         \
    return take;
#include "isa/operands.def"
#undef OPERAND
  default:
    return fail(as, as->lexer.next, NULL, "a format for an operand that does not exist, at");
  }
}

bool take_operands(struct assembler *as, const struct isa_row *row, uint32_t pc, struct isa_inst *inst) {
  bool first = true;
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++) {
    if (!isa_has_operand(row, *letter))
      continue;
    if (!first && !lexer_take_sign(&as->lexer, ','))
      return fail(as, as->lexer.next, NULL, "%s: expected ',' and another operand instead of", row->mnemonic);
    if (!take_operand(as, *letter, row, pc, inst))
      return false;
    first = false;
  }
  return true;
}
