/* printf: the arguments go into a private variable, each at a multiple of 8 bytes. One instruction prints them
 * according to a descriptor in the program's constants: the argument types, a zero, the format, a zero (isa/printf.c
 * lists the letters). OpenCL C requires that the format is known at compile time.
 *
 * Equal descriptors are shared, so a printf in an inlined function uses constants only once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/lower/group.h"
#include "sim/base/need.h"
#include "sim/base/text.h"

enum { STEP = 8, MOST_ARGUMENTS = 256, FIRST_ARGUMENT = 6 };

/* The value of a constant address; sums appear as build leaves them. */
static bool number_of(const struct ir *ir, ir_ref ref, uint64_t *value) {
  const struct ir_inst *inst = &ir->inst[ref];
  uint64_t a, x;
  if (inst->op == IR_CONST) {
    *value = inst->imm;
    return true;
  }
  if (inst->op != ISA_ADD_64 || !number_of(ir, ir_operand(ir, ref, 0), &a) ||
      !number_of(ir, ir_operand(ir, ref, 1), &x))
    return false;
  *value = a + x;
  return true;
}

/* The string in the constant table that an id points to; NULL: it points elsewhere or is not known. */
static const char *constant_string(struct build *b, uint32_t id) {
  const struct build_pointer pointer = build_pointer(b, id);
  uint64_t address;
  if (b->failed || !number_of(b->ir, pointer.address, &address) || address < ISA_CONSTANT_APERTURE)
    return NULL;
  const uint64_t offset = address - ISA_CONSTANT_APERTURE;
  const struct build_tables *tables = b->tables;
  if (offset >= tables->constant_bytes ||
      !memchr(tables->constants + offset, 0, (size_t)(tables->constant_bytes - offset)))
    return NULL;
  return (const char *)tables->constants + offset;
}

/* The letter of conversion number `index` of a format: 'd', 's', ...; 0: none. */
static char conversion(const char *format, uint32_t index) {
  for (; *format; format++) {
    if (*format != '%')
      continue;
    format++;
    format += strspn(format, "-+ #0123456789.vhlLjzt");
    if (!*format)
      return 0;
    if (*format != '%' && index-- == 0)
      return *format;
  }
  return 0;
}

static char letter_of(const struct spirv_type *scalar) {
  return scalar->bits == 8 ? 'b' : scalar->bits == 16 ? 'h' : scalar->bits == 32 ? 'w' : 'd';
}

/* Stores an argument at `to` and appends its type to `types`. Returns the number of bytes used. */
static uint64_t put_argument(struct build *b, uint32_t id, char converted, struct build_pointer to,
                             struct text *types) {
  const struct spirv_type *type = build_type(b, id);
  if (type && type->kind == SPIRV_POINTER) {
    static const struct spirv_type address = {.kind = SPIRV_INT, .bits = 64, .size = 8, .align = 8, .parts = 1};
    const ir_ref value = build_generic(b, build_pointer(b, id));
    build_store(b, to, &address, STEP, &value);
    text_print(types, "%c", converted == 's' ? 's' : 'd');
    return STEP;
  }
  const struct spirv_type *scalar = type ? build_scalar(b, type) : NULL;
  const ir_ref *part = build_parts(b, id);
  if (!scalar || (scalar->kind != SPIRV_INT && scalar->kind != SPIRV_FLOAT) || !part) {
    build_fail(b, "printf prints only numbers, vectors and pointers, not this argument");
    return 0;
  }
  if (type->kind == SPIRV_VECTOR)
    text_print(types, "%" PRIu32, type->count);
  text_print(types, "%c", letter_of(scalar));
  build_store(b, to, type, STEP, part);
  return (build_components(type) * scalar->bits / 8 + STEP - 1) / STEP * STEP;
}

/* Bytes for the arguments in private memory; a vector of 3 has the size of 4. */
static uint64_t room_for(struct build *b, const struct spirv_inst *inst) {
  uint64_t bytes = 0;
  for (uint32_t i = FIRST_ARGUMENT; i < inst->words; i++) {
    const struct spirv_type *type = build_type(b, inst->word[i]);
    bytes += type ? (type->size + STEP - 1) / STEP * STEP : 0;
  }
  return bytes;
}

static struct build_pointer new_slot(struct build *b, uint64_t bytes) {
  const uint32_t slot = ir_slot_new(b->ir, (uint32_t)bytes, STEP);
  const ir_ref address = ir_make(b->ir, IR_SLOT, IR_W1, NULL, 0, slot, b->place);
  ir_append(b->ir, b->block, address);
  return (struct build_pointer){.space = SPACE_PRIVATE, .address = address};
}

/* The offset of these bytes in the constant table; adds them if they are missing. */
static uint32_t add_constant(struct build_tables *tables, const char *bytes, size_t size) {
  const uint8_t *found = tables->constant_bytes ? memmem(tables->constants, tables->constant_bytes, bytes, size) : NULL;
  if (found)
    return (uint32_t)(found - tables->constants);
  const size_t offset = tables->constant_bytes;
  tables->constants = need_more(tables->constants, offset + size, 1);
  memcpy(tables->constants + offset, bytes, size);
  tables->constant_bytes += size;
  return (uint32_t)offset;
}

/* Types, zero, format, zero; the caller frees the text. */
static struct text descriptor(struct build *b, const struct spirv_inst *inst, const char *format,
                              struct build_pointer to) {
  struct text text = {0};
  uint64_t offset = 0;
  for (uint32_t i = FIRST_ARGUMENT; i < inst->words && !b->failed; i++) {
    const struct build_pointer at = build_offset(b, to, offset);
    offset += put_argument(b, inst->word[i], conversion(format, i - FIRST_ARGUMENT), at, &text);
  }
  text_add(&text, "", 1);
  text_add(&text, format, strlen(format) + 1);
  return text;
}

/* type result set printf format arguments... */
bool build_printf(struct build *b, const struct spirv_inst *inst) {
  const char *format = constant_string(b, inst->word[5]);
  if (b->failed || !format)
    return build_fail(b, "the format of printf must be a string literal");
  if (inst->words - FIRST_ARGUMENT > MOST_ARGUMENTS)
    return build_fail(b, "printf takes at most %d arguments", MOST_ARGUMENTS);
  const uint64_t bytes = room_for(b, inst);
  const struct build_pointer to = bytes ? new_slot(b, bytes) : (struct build_pointer){.space = SPACE_PRIVATE};
  struct text text = descriptor(b, inst, format, to);
  ir_ref *result = build_same_parts(b, inst->word[2], 0) ? build_define(b, inst->word[2]) : NULL;
  if (result && !b->failed) {
    const ir_ref what = build_32(b, add_constant(b->tables, text.data, text.length));
    const ir_ref operand[] = {bytes ? to.address : what, what}; /* without arguments nothing is read */
    ir_append(b->ir, b->block, ir_make(b->ir, ISA_PRINTF, IR_NOTHING, operand, 2, 0, b->place));
    result[0] = build_32(b, 0);
  }
  free(text.data);
  return !b->failed;
}
