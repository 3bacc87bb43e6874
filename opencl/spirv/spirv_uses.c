/* Checks what instructions inside functions name: values of the same function, constants, variables, functions. Blocks
 * come in any order, so this does not check that a definition dominates its uses; build does when it reads values. */
#include "opencl/spirv/spirv_reader.h"

#include <string.h>

/* vloadn, vload_halfn, vstore_half_r, vstore_halfn_r, vloada_halfn, vstorea_halfn_r. */
bool spirv_ends_in_number(uint32_t instruction) {
  static const uint8_t rows[] = {171, 174, 176, 178, 179, 181};
  for (size_t i = 0; i < sizeof rows; i++)
    if (rows[i] == instruction)
      return true;
  return false;
}

/* Checks the id at `position` as an operand: it must have a value. */
static bool check_value(struct reader *r, uint32_t function, uint32_t position) {
  const uint32_t id = reader_word(r, position);
  if (!id || id >= r->module->bound)
    return reader_fail(r, "id %u is outside [1, %u]", id, r->module->bound - 1);
  switch (r->module->id[id].kind) {
  case SPIRV_CONSTANT:
  case SPIRV_VARIABLE:
  case SPIRV_FUNCTION:
    return true;
  case SPIRV_VALUE:
    if (r->owner[id] != function + 1)
      return reader_fail(r, "id %u belongs to another function", id);
    return r->module->id[id].type || reader_fail(r, "id %u has no value", id);
  default:
    return reader_fail(r, "id %u is not a value", id);
  }
}

static bool check_label(struct reader *r, uint32_t function, uint32_t position) {
  const uint32_t id = reader_word(r, position);
  return (id < r->module->bound && reader_is_label(r, id, function)) ||
         reader_fail(r, "id %u is not a label of this function", id);
}

static bool check_extended(struct reader *r, uint32_t function) {
  if (r->module->id[reader_word(r, 3)].kind != SPIRV_IMPORT)
    return reader_fail(r, "id %u is not an instruction set", reader_word(r, 3));
  const char *set = r->module->id[reader_word(r, 3)].name;
  if (strcmp(set, "OpenCL.std"))
    return reader_fail(r, "instruction set '%.80s' is unknown", set);
  r->module->words[r->at + 3] = r->module->opencl_std; /* linkers leave several imports of the set */
  const uint32_t end = reader_words(r) - spirv_ends_in_number(reader_word(r, 4));
  for (uint32_t i = 5; i < end; i++)
    if (!check_value(r, function, i))
      return false;
  return true;
}

/* Checks the selector, the default, and pairs of a literal as wide as the selector and a label. */
static bool check_switch(struct reader *r, uint32_t function) {
  if (!check_value(r, function, 1) || !check_label(r, function, 2))
    return false;
  const struct spirv_type *type = spirv_type_of(r->module, reader_word(r, 1));
  if (type->kind != SPIRV_INT)
    return reader_fail(r, "the selector is not an integer");
  const uint32_t step = type->bits == 64 ? 3 : 2;
  if ((reader_words(r) - 3) % step)
    return reader_fail(r, "the last case is cut off");
  for (uint32_t i = 3; i < reader_words(r); i += step)
    if (!check_label(r, function, i + step - 1))
      return false;
  return true;
}

static bool check_phi(struct reader *r, uint32_t function) {
  for (uint32_t i = 3; i < reader_words(r); i += 2)
    if (!check_value(r, function, i) || !check_label(r, function, i + 1))
      return false;
  return true;
}

/* Checks operands as spirv_ops.def lists them, except those with the letter `x`. */
static bool check_listed(struct reader *r, uint32_t function) {
  uint32_t position = 1;
  for (const char *letter = spirv_op_row(reader_op(r))->operands; *letter && position < reader_words(r); letter++) {
    const bool repeated = letter[1] == '*';
    if (*letter == 's') /* only the ids of inline assembly follow strings */
      return true;
    for (; *letter == 'i' && repeated && position < reader_words(r); position++)
      if (!check_value(r, function, position))
        return false;
    if (*letter == 'i' && !repeated && !check_value(r, function, position))
      return false;
    position += !repeated;
    letter += repeated || letter[1] == '?';
  }
  return true;
}

static bool check_uses(struct reader *r, uint32_t function) {
  switch (reader_op(r)) {
  case OpLabel:
  case OpFunctionParameter:
    return true;
  case OpExtInst:
    return check_extended(r, function);
  case OpBranch:
    return check_label(r, function, 1);
  case OpBranchConditional:
    return check_value(r, function, 1) && check_label(r, function, 2) && check_label(r, function, 3);
  case OpSwitch:
    return check_switch(r, function);
  case OpPhi:
    return check_phi(r, function);
  default:
    return check_listed(r, function);
  }
}

bool reader_check_values(struct reader *r) {
  const struct spirv *module = r->module;
  for (uint32_t i = 0; i < module->functions; i++) {
    const struct spirv_function *function = &module->function[i];
    for (uint32_t j = 0; j < function->blocks; j++)
      for (uint32_t k = 0; k < function->block[j].count; k++) {
        r->at = (uint32_t)(module->inst[function->block[j].first + k].word - module->words);
        if (!check_uses(r, i))
          return false;
      }
  }
  return true;
}
