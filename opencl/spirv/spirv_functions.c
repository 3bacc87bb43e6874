/* Functions: parameters, blocks and their instructions, without labels, lines, merges, lifetimes and debug information.
 * Blocks come in any order; spirv_uses.c checks operands afterwards. */
#include "opencl/spirv/spirv_reader.h"
#include "sim/base/vector.h"

struct body {
  uint32_t function;     /* its index */
  bool open;             /* inside a block */
  struct ir_place place; /* of the next instruction; line 0: unknown so far in this block */
};

static struct spirv_function *current(struct reader *r, const struct body *body) {
  return &r->module->function[body->function];
}

static bool define_value(struct reader *r, const struct body *body, uint32_t id, uint32_t type) {
  r->owner[id] = body->function + 1;
  return reader_define(r, id, SPIRV_VALUE, type, reader_keep(r, body->place));
}

/* ---- head ---------------------------------------------------------------------------------------- */

static bool read_head(struct reader *r, struct body *body) {
  struct spirv *module = r->module;
  const uint32_t id = reader_word(r, 2);
  const struct spirv_type *type = reader_type(r, 4);
  if (!type)
    return false;
  if (type->kind != SPIRV_FUNCTION_TYPE || type->element != reader_word(r, 1))
    return reader_fail(r, "id %u is not the type of a function with this result", reader_word(r, 4));
  body->function = module->functions;
  *vector_next(module->function, module->functions, module->function_room) =
      (struct spirv_function){.id = id,
                              .type = reader_word(r, 4),
                              .parameter = reader_numbers(r, type->count),
                              .name = module->id[id].name ? module->id[id].name : ""};
  return reader_define(r, id, SPIRV_FUNCTION, reader_word(r, 4), body->function);
}

static bool read_parameter(struct reader *r, struct body *body) {
  struct spirv_function *function = current(r, body);
  const struct spirv_type *type = spirv_type(r->module, function->type);
  const uint32_t number = function->parameters;
  if (function->blocks)
    return reader_fail(r, "a parameter after the first block");
  if (number == type->count || type->member[number] != reader_word(r, 1))
    return reader_fail(r, "parameter %u does not fit the function's type", number);
  function->parameter[function->parameters++] = reader_word(r, 2);
  return define_value(r, body, reader_word(r, 2), reader_word(r, 1));
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static struct spirv_block *last_block(struct reader *r, const struct body *body) {
  return &r->module->block[current(r, body)->first_block + current(r, body)->blocks - 1];
}

static bool read_label(struct reader *r, struct body *body) {
  struct spirv *module = r->module;
  if (body->open)
    return reader_fail(r, "the block before does not end");
  body->open = true;
  body->place = (struct ir_place){0};
  if (!define_value(r, body, reader_word(r, 1), 0))
    return false;
  const uint32_t number = current(r, body)->first_block + current(r, body)->blocks++;
  module->block = vector_room(module->block, &module->block_room, (size_t)number + 1, sizeof *module->block);
  module->block[number] = (struct spirv_block){.label = reader_word(r, 1), .first = module->insts};
  return true;
}

static bool is_terminator(uint16_t op) {
  switch (op) {
  case OpBranch:
  case OpBranchConditional:
  case OpSwitch:
  case OpKill:
  case OpReturn:
  case OpReturnValue:
  case OpUnreachable:
  case OpTerminateInvocation:
    return true;
  default:
    return false;
  }
}

/* Whether the instruction has no effect on what a kernel computes. */
static bool is_idle(const struct reader *r) {
  switch (reader_op(r)) {
  case OpNop:
  case OpLoopMerge:
  case OpLoopControlINTEL:
  case OpSelectionMerge:
  case OpLifetimeStart:
  case OpLifetimeStop:
  case OpAssumeTrueKHR:
    return true;
  case OpExtInst:
    return reader_skips_extended(r);
  default:
    return false;
  }
}

/* The literals of control bits below PartialCount come before PartialCount's own. */
static uint32_t copies_asked(struct reader *r) {
  enum { UNROLL = 0x1, DONT_UNROLL = 0x2, LITERALS = 0xf8, PARTIAL_COUNT = 0x100 };
  const uint32_t control = reader_word(r, 3), at = 4 + (uint32_t)__builtin_popcount(control & LITERALS);
  if (control & PARTIAL_COUNT && at < reader_words(r))
    return reader_word(r, at);
  return control & UNROLL ? UINT32_MAX : control & DONT_UNROLL ? 1 : 0;
}

static bool read_idle(struct reader *r, struct body *body) {
  if (reader_op(r) == OpLoopMerge && body->open)
    last_block(r, body)->copies = copies_asked(r);
  return true;
}

static bool read_instruction(struct reader *r, struct body *body) {
  const uint16_t op = reader_op(r);
  const char *operands = spirv_op_row(op)->operands;
  if (!body->open)
    return reader_fail(r, "an instruction outside a block");
  if (operands[0] == 't') {
    if (!reader_type(r, 1) || !define_value(r, body, reader_word(r, 2), reader_word(r, 1)))
      return false;
  } else if (operands[0] == 'r') {
    return reader_fail(r, "is inside a function");
  } else {
    reader_keep(r, body->place);
  }
  last_block(r, body)->count++;
  body->open = !is_terminator(op);
  return true;
}

/* Translators give code that they generate line 0. It keeps the previous line of its block. */
static bool read_line(struct reader *r, struct body *body) {
  struct ir_place place = {0};
  if (!reader_line(r, &place))
    return false;
  struct spirv_function *function = current(r, body);
  if (place.line)
    body->place = place;
  if (!function->place.line)
    function->place = place;
  return true;
}

static bool read_one(struct reader *r, struct body *body) {
  switch (reader_op(r)) {
  case OpLine:
    return read_line(r, body);
  case OpNoLine:
    return true;
  case OpFunctionParameter:
    return read_parameter(r, body);
  case OpLabel:
    return read_label(r, body);
  case OpFunction:
    return reader_fail(r, "the function before does not end");
  default:
    return is_idle(r) ? read_idle(r, body) : read_instruction(r, body);
  }
}

/* Gives instructions without a line the function's first line. */
static void fill_places(struct reader *r, const struct body *body, uint32_t first) {
  for (uint32_t i = first; i < r->module->insts; i++)
    if (!r->module->inst[i].place.line)
      r->module->inst[i].place = current(r, body)->place;
}

bool reader_read_function(struct reader *r) {
  struct spirv *module = r->module;
  struct body body = {0};
  const uint32_t start = r->at, first = module->insts, before = module->functions;
  if (!read_head(r, &body))
    return false;
  if (before)
    current(r, &body)->first_block = module->function[before - 1].first_block + module->function[before - 1].blocks;
  for (r->at += reader_words(r); r->at < module->word_count && reader_op(r) != OpFunctionEnd; r->at += reader_words(r))
    if (!read_one(r, &body))
      return false;
  if (r->at == module->word_count) {
    r->at = start;
    return reader_fail(r, "has no OpFunctionEnd");
  }
  if (body.open)
    return reader_fail(r, "the last block does not end");
  if (current(r, &body)->parameters != spirv_type(module, current(r, &body)->type)->count)
    return reader_fail(r, "parameters are missing");
  fill_places(r, &body, first);
  r->at += reader_words(r);
  return true;
}

static const struct spirv_function *find_called(const struct spirv *module, const struct spirv_function *function) {
  const struct spirv_block *block = function->block;
  for (uint32_t i = block ? block->first : 0; block && i < block->first + block->count; i++) {
    const struct spirv_inst *inst = &module->inst[i];
    if (inst->op == OpFunctionCall && module->id[inst->word[3]].kind == SPIRV_FUNCTION)
      return &module->function[module->id[inst->word[3]].index];
  }
  return NULL;
}

static struct spirv_inst *last_of(struct spirv *module, const struct spirv_block *block) {
  return &module->inst[block->first + block->count - 1];
}

/* Translators put the return of a function's last line last, apart from unreachable blocks. */
static struct ir_place last_return(struct spirv *module, const struct spirv_function *function) {
  for (uint32_t i = function->blocks; i-- > 0;)
    if (last_of(module, &function->block[i])->op == OpReturn)
      return last_of(module, &function->block[i])->place;
  return function->place;
}

/* Translators wrap kernels in functions without lines. A wrapper gets the lines of the function that it calls: its
 * place and that of its last return. */
static void place_wrapper(struct spirv *module, struct spirv_function *function) {
  const struct spirv_function *called = find_called(module, function);
  if (!called)
    return;
  function->place = called->place;
  for (uint32_t i = 0; i < function->blocks; i++)
    if (!last_of(module, &function->block[i])->place.line)
      last_of(module, &function->block[i])->place = last_return(module, called);
}

/* Blocks have their final addresses only now. */
void reader_functions_done(struct reader *r) {
  struct spirv *module = r->module;
  for (uint32_t i = 0; i < module->functions; i++)
    module->function[i].block = module->function[i].blocks ? module->block + module->function[i].first_block : NULL;
  for (uint32_t i = 0; i < module->functions; i++)
    if (!module->function[i].place.line)
      place_wrapper(module, &module->function[i]);
}
