/* Helpers that create instructions; all lowering code uses them. They simplify only what costs nothing (words of pairs
 * just made, constants extended); pass_simplify() does the rest. */
#include <stdarg.h>
#include <stdio.h>

#include "opencl/lower/build_core.h"

bool build_fail(struct build *b, const char *format, ...) {
  if (b->failed)
    return false;
  b->failed = true;
  va_list arguments;
  const struct spirv *module = b->module;
  const char *file = b->place.source < module->sources ? module->source[b->place.source] : module->file;
  char *text = b->error->text;
  const size_t size = sizeof b->error->text;
  int used = b->place.line ? snprintf(text, size, "%.200s:%u: ", file, b->place.line)
                           : snprintf(text, size, "%.200s: ", module->file);
  va_start(arguments, format);
  vsnprintf(text + used, size - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

ir_ref build_32(struct build *b, uint32_t value) { return ir_const(b->ir, IR_W1, value); }
ir_ref build_64(struct build *b, uint64_t value) { return ir_const(b->ir, IR_W2, value); }
ir_ref build_pred(struct build *b, bool value) { return ir_const(b->ir, IR_PRED, value); }

static ir_ref make(struct build *b, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count,
                   uint64_t imm) {
  const ir_ref ref = ir_make(b->ir, op, width, operand, count, imm, b->place);
  ir_append(b->ir, b->block, ref);
  if (b->ir->count > CORE_MOST_WORK)
    build_fail(b, "kernel '%.60s' is larger than %d instructions with its calls inlined", b->ir->name, CORE_MOST_WORK);
  return ref;
}

ir_ref build_op(struct build *b, enum isa_op op, ir_ref a, ir_ref x, ir_ref c) {
  const ir_ref operand[] = {a, x, c};
  return make(b, (uint16_t)op, ir_width_of(op), operand, c ? 3 : x ? 2 : a ? 1 : 0, 0);
}

ir_ref build_query(struct build *b, enum isa_op op, unsigned axis) {
  return make(b, (uint16_t)op, ir_width_of(op), NULL, 0, axis);
}

/* The word of a pair that was made from words; 0: it was not. */
static ir_ref known_word(struct build *b, ir_ref pair, unsigned word) {
  const struct ir_inst *inst = &b->ir->inst[pair];
  if (inst->op == IR_CONST)
    return build_32(b, (uint32_t)(inst->imm >> 32 * word));
  if (inst->op == IR_UNDEF)
    return ir_undef(b->ir, IR_W1);
  if (inst->op == IR_JOIN)
    return ir_operand(b->ir, pair, word);
  if (word == 0 && (inst->op == ISA_CVT_S64_S32 || inst->op == ISA_CVT_U64_U32))
    return ir_operand(b->ir, pair, 0);
  return word == 1 && inst->op == ISA_CVT_U64_U32 ? build_32(b, 0) : 0;
}

ir_ref build_word(struct build *b, ir_ref pair, unsigned word) {
  const ir_ref known = pair ? known_word(b, pair, word) : 0;
  return known ? known : make(b, IR_WORD, IR_W1, &pair, 1, word);
}

ir_ref build_pair(struct build *b, ir_ref low, ir_ref high) {
  const ir_ref operand[] = {low, high};
  if (ir_is_const(b->ir, low) && ir_is_const(b->ir, high))
    return build_64(b, b->ir->inst[high].imm << 32 | b->ir->inst[low].imm);
  return make(b, IR_JOIN, IR_W2, operand, 2, 0);
}

static ir_ref select_predicate(struct build *b, ir_ref predicate, ir_ref yes, ir_ref no) {
  const ir_ref both = build_op(b, ISA_AND_P, predicate, yes, 0);
  return build_op(b, ISA_OR_P, both, build_op(b, ISA_ANDN_P, no, predicate, 0), 0);
}

ir_ref build_select(struct build *b, ir_ref predicate, ir_ref yes, ir_ref no) {
  if (yes == no)
    return yes;
  switch (b->ir->inst[yes].width) {
  case IR_PRED:
    return select_predicate(b, predicate, yes, no);
  case IR_W2:
    return build_op(b, ISA_SEL_64, yes, no, predicate);
  default:
    return build_op(b, ISA_SEL_32, yes, no, predicate);
  }
}

/* ---- control flow -------------------------------------------------------------------------------- */

uint32_t build_block(struct build *b) { return ir_block_new(b->ir); }
void build_goto(struct build *b, uint32_t to) { ir_goto(b->ir, b->block, to, b->place); }
void build_if(struct build *b, ir_ref predicate, uint32_t yes, uint32_t no) {
  ir_if(b->ir, b->block, predicate, yes, no, b->place);
}
void build_enter(struct build *b, uint32_t block) { b->block = block; }

/* A slot of a word, a pair or a quad; a predicate is stored as 0 or 1. */
static uint32_t bytes_of(enum ir_width width) { return width == IR_W4 ? 16 : width == IR_W2 ? 8 : 4; }

uint32_t build_variable(struct build *b, enum ir_width width) {
  return ir_slot_new(b->ir, bytes_of(width), bytes_of(width));
}

static ir_ref slot_address(struct build *b, uint32_t slot) { return make(b, IR_SLOT, IR_W1, NULL, 0, slot); }

ir_ref build_get(struct build *b, uint32_t slot, enum ir_width width) {
  const ir_ref value = build_op(b, isa_load(ISA_SPACE_PRIVATE, bytes_of(width)), slot_address(b, slot), 0, 0);
  return width == IR_PRED ? build_op(b, ISA_SETP_NE_U32, value, build_32(b, 0), 0) : value;
}

void build_set(struct build *b, uint32_t slot, ir_ref value) {
  if (b->ir->inst[value].width == IR_PRED)
    value = build_op(b, ISA_CVT_U32_P, value, 0, 0);
  build_op(b, isa_store(ISA_SPACE_PRIVATE, bytes_of(b->ir->inst[value].width)), slot_address(b, slot), 0, value);
}

/* ---- narrow integers ----------------------------------------------------------------------------- */

ir_ref build_extended(struct build *b, ir_ref value, unsigned bits, bool is_signed) {
  if (bits >= 32 || !value)
    return value;
  if (ir_is_const(b->ir, value)) {
    const uint32_t clean = (uint32_t)b->ir->inst[value].imm & ((1u << bits) - 1);
    const bool negative = is_signed && clean >> (bits - 1);
    return build_32(b, negative ? clean | ~((1u << bits) - 1) : clean);
  }
  const enum isa_op op = bits == 8 ? is_signed ? ISA_EXT_S8 : ISA_EXT_U8 : is_signed ? ISA_EXT_S16 : ISA_EXT_U16;
  return build_op(b, op, value, 0, 0);
}

static ir_ref shifted(struct build *b, ir_ref value, enum isa_op op, unsigned by) {
  return by ? build_op(b, op, value, build_32(b, by), 0) : value;
}

/* One word from the parts that share it. */
static ir_ref packed_word(struct build *b, const ir_ref *part, uint32_t count, unsigned bits) {
  ir_ref word = 0;
  for (uint32_t i = 0; i < count; i++) {
    const bool top = (i + 1) * bits == 32; /* the shift drops its upper bits */
    const ir_ref clean = top ? part[i] : build_extended(b, part[i], bits, false);
    const ir_ref moved = shifted(b, clean, ISA_SHL_32, i * bits);
    word = word ? build_op(b, ISA_OR_32, word, moved, 0) : moved;
  }
  return word;
}

void build_to_words(struct build *b, const ir_ref *part, uint32_t count, unsigned bits, ir_ref *word) {
  const uint32_t each = bits < 32 ? 32 / bits : 1;
  for (uint32_t i = 0; i < count; i += each)
    if (bits == 64) {
      *word++ = build_word(b, part[i], 0);
      *word++ = build_word(b, part[i], 1);
    } else
      *word++ = bits == 32 ? part[i] : packed_word(b, part + i, count - i < each ? count - i : each, bits);
}

void build_from_words(struct build *b, const ir_ref *word, uint32_t count, unsigned bits, bool half, ir_ref *part) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = i * bits;
    if (bits == 64)
      part[i] = build_pair(b, word[2 * i], word[2 * i + 1]);
    else
      part[i] = shifted(b, word[at / 32], ISA_SHR_U32, at % 32);
    if (half && at % 32 == 0)
      part[i] = build_extended(b, part[i], 16, false);
  }
}
