/* The shape of a SPIR-V file: header, byte order, and instructions that lie inside the file with the operands that
 * spirv_ops.def lists. The other spirv_*.c files read their meaning, in the order that read_module() gives. */
#include "opencl/spirv/spirv_reader.h"
#include "sim/base/need.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct spirv_op_row op_rows[] = {
#define SPIRV_OP(name, number, operands) [number] = {"Op" #name, operands},
#include "opencl/spirv/spirv_ops.def"
#undef SPIRV_OP
};

const struct spirv_op_row *spirv_op_row(uint32_t op) {
  return op < sizeof op_rows / sizeof *op_rows && op_rows[op].name ? &op_rows[op] : NULL;
}

const char *spirv_op_name(uint32_t op, char room[32]) {
  const struct spirv_op_row *row = spirv_op_row(op);
  if (row)
    return row->name;
  snprintf(room, 32, "instruction %u", op);
  return room;
}

uint32_t spirv_alignment(const struct spirv_inst *inst, unsigned position) {
  if (position + 1u >= inst->words || !(inst->word[position] & MemoryAccessAligned))
    return 0;
  const uint32_t align = inst->word[position + 1];
  return align & (align - 1) ? 0 : align;
}

bool reader_fail(struct reader *r, const char *format, ...) {
  char what[256], room[32];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  snprintf(r->error->text, sizeof r->error->text, "%.200s: word %u (%s): %s", r->module->file, r->at,
           spirv_op_name(reader_op(r), room), what);
  return false;
}

/* Reports an error about the file as a whole. */
static bool fail_file(struct reader *r, const char *what) {
  snprintf(r->error->text, sizeof r->error->text, "%.200s: %s", r->module->file, what);
  return false;
}

const char *reader_string(struct reader *r, uint32_t position) {
  char *const text = r->module->text + r->text_used, *to = text;
  for (const uint32_t *word = r->module->words + r->at + position;; word++)
    for (unsigned byte = 0; byte < 4; byte++) { /* the first character is in the lowest byte, in either byte order */
      const unsigned char c = (unsigned char)(*word >> 8 * byte);
      *to++ = (char)(c && (c < ' ' || c == 0x7f) ? '?' : c);
      if (!c) {
        r->text_used += (size_t)(to - text);
        return text;
      }
    }
}

uint32_t *reader_numbers(struct reader *r, uint32_t count) {
  uint32_t *numbers = r->module->numbers + r->numbers_used;
  r->numbers_used += count;
  return numbers;
}

bool reader_define(struct reader *r, uint32_t id, enum spirv_kind kind, uint32_t type, uint32_t index) {
  struct spirv_id *row = &r->module->id[id];
  if (row->kind != SPIRV_NOTHING)
    return reader_fail(r, "id %u is already defined", id);
  row->kind = (uint8_t)kind;
  row->type = type;
  row->index = index;
  return true;
}

uint32_t reader_keep(struct reader *r, struct ir_place place) {
  struct spirv *module = r->module;
  module->inst[module->insts] = (struct spirv_inst){
      .word = module->words + r->at, .op = reader_op(r), .words = (uint16_t)reader_words(r), .place = place};
  return module->insts++;
}

/* ---- operands ------------------------------------------------------------------------------------ */

/* The length in words of the string at `position`; 0: it does not end inside the instruction. */
static uint32_t string_words(const struct reader *r, uint32_t position) {
  for (uint32_t i = position; i < reader_words(r); i++)
    for (unsigned byte = 0; byte < 4; byte++)
      if (!(reader_word(r, i) >> 8 * byte & 0xff))
        return i - position + 1;
  return 0;
}

static bool check_id(struct reader *r, uint32_t position) {
  const uint32_t id = reader_word(r, position);
  return (id && id < r->module->bound) || reader_fail(r, "id %u is outside [1, %u]", id, r->module->bound - 1);
}

/* Checks one operand at *position and moves *position behind it. */
static bool check_operand(struct reader *r, char letter, uint32_t *position) {
  switch (letter) {
  case 't':
  case 'r':
  case 'i':
    return check_id(r, (*position)++);
  case 'p':
    if (*position + 2 > reader_words(r))
      return reader_fail(r, "the last operand is half a pair");
    *position += 2;
    return check_id(r, *position - 2) && check_id(r, *position - 1);
  case 's': {
    const uint32_t words = string_words(r, *position);
    *position += words;
    return words || reader_fail(r, "a string does not end");
  }
  case 'c': /* one or two words, depending on the type: see spirv_constants.c */
  case 'x':
    *position = reader_words(r);
    return true;
  default:
    (*position)++;
    return true;
  }
}

static bool check_operands(struct reader *r, const struct spirv_op_row *row) {
  uint32_t position = 1;
  for (const char *letter = row->operands; *letter; letter++) {
    const bool repeated = letter[1] == '*', optional = letter[1] == '?';
    if (position >= reader_words(r) && !repeated && !optional)
      return reader_fail(r, "operands are missing: %u words are too few", reader_words(r));
    const uint32_t most = repeated ? reader_words(r) : 1;
    for (uint32_t i = 0; i < most && position < reader_words(r); i++)
      if (!check_operand(r, *letter, &position))
        return false;
    letter += repeated || optional;
  }
  return position == reader_words(r) || reader_fail(r, "%u words too many", reader_words(r) - position);
}

/* Checks lengths and operands of all instructions, and counts the instructions. */
static bool check_shape(struct reader *r, uint32_t *count) {
  struct spirv *module = r->module;
  for (r->at = READER_HEADER_WORDS; r->at < module->word_count; r->at += reader_words(r), ++*count) {
    const struct spirv_op_row *row = spirv_op_row(reader_op(r));
    if (!reader_words(r) || reader_words(r) > module->word_count - r->at)
      return reader_fail(r, "a length of %u words, where the file has %u left", reader_words(r),
                         module->word_count - r->at);
    if (!row)
      return reader_fail(r, "unknown instruction");
    if (!check_operands(r, row))
      return false;
  }
  return true;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static uint32_t word_at(const uint8_t *bytes, bool big) {
  return big ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]
             : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static bool read_words(struct reader *r, const uint8_t *bytes, size_t size) {
  if (size > READER_MOST_BYTES)
    return fail_file(r, "larger than 64 MiB");
  if (size < 4 || (word_at(bytes, false) != SPIRV_MAGIC && word_at(bytes, true) != SPIRV_MAGIC))
    return fail_file(r, "not a SPIR-V file, which begins with the number 0x07230203");
  if (size % 4 || size < 4 * READER_HEADER_WORDS)
    return fail_file(r, "cut off: SPIR-V has a whole number of 4-byte words, at least five");
  struct spirv *module = r->module;
  const bool big = word_at(bytes, true) == SPIRV_MAGIC;
  module->word_count = (uint32_t)(size / 4);
  module->words = need(module->word_count, sizeof *module->words);
  for (uint32_t i = 0; i < module->word_count; i++)
    module->words[i] = word_at(bytes + 4 * i, big);
  return true;
}

/* Tools that remove instructions leave gaps between ids, but not many. Without this limit, a small file could allocate
 * much memory. */
static bool check_bound(struct reader *r) {
  struct spirv *module = r->module;
  module->bound = module->words[3];
  if (module->bound && module->bound <= READER_MOST_BOUND && module->bound / 64 <= module->word_count + 1024)
    return true;
  return fail_file(r, "the bound of ids in the header (word 3) does not fit the file");
}

static void make_room(struct reader *r, uint32_t insts) {
  struct spirv *module = r->module;
  module->inst = need(insts, sizeof *module->inst);
  module->numbers = need(2 * (size_t)module->word_count, sizeof *module->numbers);
  module->text = need(module->word_count, 4);
}

static void make_ids(struct reader *r) {
  struct spirv *module = r->module;
  module->id = need(module->bound, sizeof *module->id);
  for (uint32_t i = 0; i < module->bound; i++)
    module->id[i].decoration.builtin = module->id[i].decoration.rounding = -1;
  r->owner = need(module->bound, sizeof *r->owner);
  r->work = need(module->bound, sizeof *r->work);
  r->local_size = need(module->bound, sizeof *r->local_size);
  r->size_hint = need(module->bound, sizeof *r->size_hint);
  r->decorated = need(module->bound, sizeof *r->decorated);
}

static bool read_names(struct reader *r) {
  for (r->at = READER_HEADER_WORDS; r->at < r->module->word_count; r->at += reader_words(r)) {
    if (reader_op(r) == OpFunction)
      break;
    if (!reader_name(r))
      return false;
  }
  if (r->module->address_bits != 64)
    return fail_file(r, r->module->address_bits
                            ? "made for 32-bit addresses; compile it for spir64"
                            : "not for OpenCL: OpMemoryModel with physical addresses, as in spir64, is missing");
  return true;
}

/* Reads an instruction at module scope that reader_name() did not consume. */
static bool read_definition(struct reader *r) {
  const uint16_t op = reader_op(r);
  if (reader_is_type(op))
    return reader_read_type(r);
  if (reader_is_constant(op))
    return reader_read_constant(r);
  if (op == OpVariable)
    return reader_read_variable(r);
  if (op == OpExtInst && !reader_skips_extended(r))
    return reader_fail(r, "only debug information is allowed outside functions");
  return true; /* names, modes, lines: read_names() has read what matters */
}

static bool read_definitions(struct reader *r) {
  r->at = READER_HEADER_WORDS;
  while (r->at < r->module->word_count) {
    if (reader_op(r) == OpFunction) {
      if (!reader_read_function(r))
        return false;
    } else {
      if (!read_definition(r))
        return false;
      r->at += reader_words(r);
    }
  }
  reader_sources_done(r);
  reader_functions_done(r);
  return reader_types_done(r);
}

static bool read_module(struct reader *r, const uint8_t *bytes, size_t size) {
  uint32_t insts = 0;
  if (!read_words(r, bytes, size) || !check_bound(r) || !check_shape(r, &insts))
    return false;
  make_room(r, insts);
  make_ids(r);
  return read_names(r) && read_definitions(r) && reader_check_decorations(r) && reader_entries(r) &&
         reader_check_values(r) && reader_check_flow(r);
}

struct spirv *spirv_read(const uint8_t *bytes, size_t size, const char *file, struct isa_error *error) {
  struct spirv *module = need(1, sizeof *module);
  module->file = file;
  struct reader reader = {.module = module, .error = error};
  const bool read = read_module(&reader, bytes, size);
  free(reader.owner);
  free(reader.work);
  free(reader.local_size);
  free(reader.size_hint);
  free(reader.decorated);
  if (read)
    return module;
  spirv_free(module);
  return NULL;
}

void spirv_free(struct spirv *module) {
  if (!module)
    return;
  free(module->words);
  free(module->id);
  free(module->type);
  free(module->inst);
  free(module->function);
  free(module->entry);
  free(module->source);
  free(module->path);
  free(module->text);
  free(module->numbers);
  free(module->block);
  free(module);
}

const struct spirv_type *spirv_type(const struct spirv *module, uint32_t type_id) {
  return type_id < module->bound && module->id[type_id].kind == SPIRV_TYPE ? &module->type[module->id[type_id].index]
                                                                           : NULL;
}

const struct spirv_type *spirv_type_of(const struct spirv *module, uint32_t id) {
  if (id >= module->bound)
    return NULL;
  return spirv_type(module, module->id[id].kind == SPIRV_TYPE ? id : module->id[id].type);
}
