/* Operands that only copies, waits and operations on pipes have: named ones, and those packed into imm. */
#include "isa/asm/operands.h"

#include <stdio.h>

/* ---- copies and waits ---------------------------------------------------------------------------- */

bool take_stride(struct assembler *as, struct isa_inst *inst) {
  uint8_t reg = 0;
  if (!take_packed(as, "the stride as a number", COPY_MOST_STRIDE, COPY_STRIDE_SHIFT, ISA_FLAG_IMM_STRIDE, &reg, inst))
    return false;
  inst->imm |= (uint64_t)reg << COPY_STRIDE_SHIFT;
  return true;
}

bool take_copy_count(struct assembler *as, struct isa_inst *inst) {
  return take_packed(as, "the element count as a number", COPY_MOST_COUNT, COPY_COUNT_SHIFT, ISA_FLAG_IMM_C, &inst->c,
                     inst);
}

bool take_copy_size(struct assembler *as, struct isa_inst *inst) {
  const struct token word = lexer_take(&as->lexer);
  if (!token_is(word, "size"))
    return fail(as, word, "bytes of an element", "expected size=N instead of");
  if (!expect_sign(as, '='))
    return false;
  const struct token at = as->lexer.next;
  uint64_t bytes = 0;
  if (!take_count(as, "the size of an element", 128, &bytes))
    return false;
  if (!bytes || bytes & (bytes - 1))
    return fail(as, at, "1, 2, 4, 8, 16, 32, 64 or 128 bytes", "the size of an element cannot be");
  inst->imm |= (uint64_t)__builtin_ctzll(bytes);
  return true;
}

bool take_lds_side(struct assembler *as, struct isa_inst *inst) {
  return expect_sign(as, '[') &&
         take_packed(as, "the LDS offset", COPY_MOST_LDS, COPY_LDS_SHIFT, ISA_FLAG_IMM_A, &inst->a, inst) &&
         expect_sign(as, ']');
}

static const char *copy_names(unsigned count) {
  return count == COPY_NAMED_2D ? "size=, lines=, global_line= and lds_line="
                                : "size=, lines=, global_line=, lds_line=, planes=, global_plane= and lds_plane=";
}

/* Which named operand of a copy comes next. */
static bool take_copy_field(struct assembler *as, unsigned count, unsigned taken, unsigned *field) {
  const struct token word = lexer_take(&as->lexer);
  for (*field = 0; *field < count; (*field)++)
    if (token_is(word, isa_copy_operands[*field].name))
      break;
  if (*field == count)
    return fail(as, word, copy_names(count), "expected a named operand of the copy instead of");
  if (taken >> *field & 1)
    return fail(as, word, NULL, "the copy already has");
  return expect_sign(as, '=');
}

bool take_copy_fields(struct assembler *as, unsigned count, struct isa_inst *inst) {
  inst->imm = UINT64_MAX;
  for (unsigned taken = 0; taken != (1u << count) - 1;) {
    unsigned field = 0;
    uint8_t reg = 0;
    if (taken && !lexer_take_sign(&as->lexer, ','))
      return fail(as, as->lexer.next, copy_names(count),
                  "expected ',' and another named operand of the copy instead of");
    if (!take_copy_field(as, count, taken, &field) || !take_register_of(as, TYPE_U32, &reg))
      return false;
    inst->imm &= ~((uint64_t)(uint8_t)~reg << 8 * field);
    taken |= 1u << field;
  }
  return true;
}

bool take_events(struct assembler *as, struct isa_inst *inst) {
  inst->imm = UINT64_MAX;
  unsigned count = 0;
  do {
    uint8_t reg = 0;
    if (count == ISA_WAIT_EVENTS)
      return fail(as, as->lexer.next, "write another wait", "a wait names at most %d events; no room for",
                  ISA_WAIT_EVENTS);
    if (!take_register_of(as, TYPE_U32, &reg))
      return false;
    inst->imm &= ~((uint64_t)(uint8_t)~reg << 8 * count++);
  } while (lexer_take_sign(&as->lexer, ','));
  return true;
}

/* ---- pipes --------------------------------------------------------------------------------------- */

bool take_word(struct assembler *as, const char *name, const char *const words[], unsigned count,
               struct isa_inst *inst) {
  char legal[160];
  size_t length = 0;
  for (unsigned i = 0; i < count; i++)
    length += (size_t)snprintf(legal + length, sizeof legal - length, "%s%s", i ? i + 1 < count ? ", " : " or " : "",
                               words[i]);
  const struct token at = lexer_take(&as->lexer);
  if (!token_is(at, name))
    return fail(as, at, legal, "expected %s=... instead of", name);
  if (!expect_sign(as, '='))
    return false;
  const struct token word = lexer_take(&as->lexer);
  for (uint64_t i = 0; i < count; i++)
    if (token_is(word, words[i])) {
      inst->imm |= i << 32;
      return true;
    }
  return fail(as, word, legal, "no such %s:", name);
}

bool take_packet_size(struct assembler *as, struct isa_inst *inst) {
  const struct token word = lexer_take(&as->lexer);
  if (!token_is(word, "size"))
    return fail(as, word, "bytes of a packet", "expected size=N instead of");
  if (!expect_sign(as, '='))
    return false;
  const struct token at = as->lexer.next;
  uint64_t bytes = 0;
  if (!take_count(as, "the size of a packet", UINT32_MAX, &bytes))
    return false;
  inst->imm |= bytes << 32;
  return bytes || fail(as, at, "at least 1 byte", "the size of a packet cannot be");
}

/* ---- numbers of arithmetic ------------------------------------------------------------------------- */

bool take_high(struct assembler *as, const char *name, uint64_t most, struct isa_inst *inst) {
  const struct token word = lexer_take(&as->lexer);
  uint64_t number = 0;
  if (!token_is(word, name))
    return fail(as, word, NULL, "expected %s=N instead of", name);
  if (!expect_sign(as, '=') || !take_count(as, name, most, &number))
    return false;
  inst->imm |= number << 32;
  return true;
}
