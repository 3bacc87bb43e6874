/* Where pointers really point: a fixed point over one function, for its parameters in this call.
 *
 * A set of spaces, and whether null is among the values, flows from variables, parameters and null constants through
 * casts, chains, phis, selects and calls that return pointers. Sets only grow. A private variable that holds a pointer
 * and is only loaded and stored whole (every pointer variable in unoptimized code) is a cell with a set of its own. Any
 * other pointer from memory or an integer may point anywhere that its type allows. */
#include "opencl/lower/build_core.h"

enum {
  MOST_INFERRING = 8,    /* nested calls that are examined for what they return */
  MOST_LOOKED = 1 << 24, /* instructions per kernel; beyond that, results of calls are unknown */
};

static bool is_pointer_type(const struct spirv_type *type) { return type && type->kind == SPIRV_POINTER; }

/* For a variable of the module; infer() handles those of functions. */
static uint8_t of_variable(const struct spirv_type *type) {
  switch (type->storage) {
  case SPIRV_WORKGROUP:
    return IN_LOCAL;
  case SPIRV_UNIFORM_CONSTANT:
  case SPIRV_FUNCTION_STORAGE: /* see tables.c */
    return IN_TABLE;
  case SPIRV_CROSS_WORKGROUP:
    return IN_GLOBAL;
  default:
    return IN_PRIVATE;
  }
}

static uint8_t infer(struct build *b, const struct spirv_inst *inst);

uint8_t core_spaces(struct build *b, uint32_t id) {
  const struct spirv_id *row = &b->module->id[id];
  const struct spirv_type *type = build_type(b, id);
  if (!is_pointer_type(type))
    return 0;
  if (row->kind == SPIRV_VARIABLE)
    return of_variable(type);
  if (row->kind != SPIRV_CONSTANT)
    return b->core->ids.spaces[id];
  const struct spirv_inst *inst = &b->module->inst[row->index];
  if (inst->op != OpSpecConstantOp || inst->words < 5)
    return inst->op == OpConstantNull ? IN_NULL : 0;
  /* A constant cast or chain; its base is the first operand. */
  if (inst->word[3] == OpConvertUToPtr)
    return core_maybe_plain(type, 0).maybe;
  const unsigned base = spirv_chain_base((uint16_t)inst->word[3]) + 1u;
  return base < inst->words ? core_spaces(b, inst->word[base]) : 0;
}

/* ---- one instruction ----------------------------------------------------------------------------- */

static uint8_t plain(struct build *b, const struct spirv_inst *inst) {
  return core_maybe_plain(build_type(b, inst->word[2]), 0).maybe;
}

static uint8_t into(struct build *b, const struct spirv_inst *inst) {
  const uint8_t from = core_spaces(b, inst->word[3]) & (IN_NULL | IN_TABLE);
  return (uint8_t)((plain(b, inst) & ~IN_NULL) | from);
}

static uint8_t of_phi(struct build *b, const struct spirv_inst *inst) {
  uint8_t spaces = 0;
  for (unsigned i = 3; i + 1 < inst->words; i += 2)
    spaces |= core_spaces(b, inst->word[i]);
  return spaces;
}

/* What a called function returns for these arguments. The function is not active, so its rows in the tables are
 * free. */
static uint8_t of_call(struct build *b, const struct spirv_inst *inst) {
  struct build_core *core = b->core;
  const struct spirv_id *row = &b->module->id[inst->word[3]];
  const struct spirv_function *callee = row->kind == SPIRV_FUNCTION ? &b->module->function[row->index] : NULL;
  if (!callee || !callee->blocks || core->ids.plan[row->index].active || core->inferring >= MOST_INFERRING ||
      core->looked > MOST_LOOKED)
    return plain(b, inst);
  for (uint32_t i = 0; i < callee->parameters && i + 4 < inst->words; i++)
    core->ids.spaces[callee->parameter[i]] = core_spaces(b, inst->word[4 + i]);
  core->inferring++;
  core->ids.plan[row->index].active = true;
  core_infer(b, callee);
  core->ids.plan[row->index].active = false;
  core->inferring--;
  uint8_t spaces = 0;
  for (uint32_t i = 0; i < callee->blocks; i++) {
    const struct spirv_block *block = &callee->block[i];
    const struct spirv_inst *end = &b->module->inst[block->first + block->count - 1];
    if (end->op == OpReturnValue)
      spaces |= core_spaces(b, end->word[1]);
  }
  return spaces;
}

bool core_stays_in(uint32_t opcode) {
  switch (opcode) {
  case OpBitcast:
  case OpAccessChain:
  case OpInBoundsAccessChain:
  case OpPtrAccessChain:
  case OpInBoundsPtrAccessChain:
  case OpUntypedAccessChainKHR:
  case OpUntypedInBoundsAccessChainKHR:
  case OpUntypedPtrAccessChainKHR:
  case OpUntypedInBoundsPtrAccessChainKHR:
  case OpCopyObject:
  case OpPtrCastToGeneric:
    return true;
  default:
    return false;
  }
}

static uint8_t infer(struct build *b, const struct spirv_inst *inst) {
  const unsigned base = spirv_chain_base(inst->op);
  if (core_stays_in(inst->op))
    return core_is_pointer(b, inst->word[base]) ? core_spaces(b, inst->word[base]) : plain(b, inst);
  switch (inst->op) {
  case OpVariable:
    return IN_PRIVATE;
  case OpGenericCastToPtr:
    return into(b, inst);
  case OpPhi:
    return of_phi(b, inst);
  case OpSelect:
    return core_spaces(b, inst->word[4]) | core_spaces(b, inst->word[5]);
  case OpLoad:
    return b->core->ids.is_cell[inst->word[3]] ? b->core->ids.cell[inst->word[3]] : plain(b, inst);
  case OpFunctionCall:
    return of_call(b, inst);
  case OpUndef:
    return 0;
  default:
    return plain(b, inst);
  }
}

/* ---- cells --------------------------------------------------------------------------------------- */

/* A cell whose address is used in any other way is none. A literal may equal a cell's id. In loads, stores and
 * variables, which are most of unoptimized code, only ids count, so that such coincidences are rare. */
static void forget_cells(struct build *b, const struct spirv_inst *inst) {
  unsigned first = 1, end = inst->words;
  switch (inst->op) {
  case OpLoad:
    return;
  case OpStore: /* the pointer is kept, the value must not be a cell's address */
    first = 2, end = 3;
    break;
  case OpVariable: /* the initializer */
    first = 4;
    break;
  default:
    break;
  }
  for (unsigned i = first; i < end; i++)
    if (inst->word[i] < b->module->bound)
      b->core->ids.is_cell[inst->word[i]] = false;
}

static bool may_be_cell(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  return inst->op == OpVariable && is_pointer_type(type) && is_pointer_type(spirv_type(b->module, type->element));
}

static void find_cells(struct build *b, const struct spirv_function *function) {
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < function->blocks; i++)
      for (uint32_t k = 0; k < function->block[i].count; k++) {
        const struct spirv_inst *inst = &b->module->inst[function->block[i].first + k];
        if (pass == 1)
          forget_cells(b, inst);
        else if (inst->op == OpVariable && inst->words > 3) {
          b->core->ids.is_cell[inst->word[2]] = may_be_cell(b, inst);
          b->core->ids.cell[inst->word[2]] = inst->words > 4 ? core_spaces(b, inst->word[4]) : 0;
        }
      }
}

static bool grow(uint8_t *set, uint8_t more) {
  const uint8_t old = *set;
  *set |= more;
  return *set != old;
}

/* ---- the function -------------------------------------------------------------------------------- */

static bool has_pointer_result(struct build *b, const struct spirv_inst *inst) {
  if (inst->words < 3 || inst->op == OpStore || inst->word[2] >= b->module->bound)
    return false;
  const struct spirv_id *row = &b->module->id[inst->word[2]];
  return row->kind == SPIRV_VALUE && row->type == inst->word[1] && is_pointer_type(build_type(b, inst->word[2])) &&
         &b->module->inst[row->index] == inst;
}

static bool update_spaces(struct build *b, const struct spirv_inst *inst) {
  if (inst->op == OpStore && inst->words > 2 && b->core->ids.is_cell[inst->word[1]])
    return grow(&b->core->ids.cell[inst->word[1]], core_spaces(b, inst->word[2]));
  return has_pointer_result(b, inst) && grow(&b->core->ids.spaces[inst->word[2]], infer(b, inst));
}

static void clear(struct build *b, const struct spirv_function *function) {
  for (uint32_t i = 0; i < function->blocks; i++)
    for (uint32_t k = 0; k < function->block[i].count; k++) {
      const struct spirv_inst *inst = &b->module->inst[function->block[i].first + k];
      if (has_pointer_result(b, inst))
        b->core->ids.spaces[inst->word[2]] = 0;
    }
}

void core_infer(struct build *b, const struct spirv_function *function) {
  uint32_t count = 0;
  const uint32_t *order = core_order(b, function, &count);
  clear(b, function);
  find_cells(b, function);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < count; i++) {
      const struct spirv_block *block = &function->block[order[i]];
      b->core->looked += block->count;
      for (uint32_t k = 0; k < block->count; k++)
        again |= update_spaces(b, &b->module->inst[block->first + k]);
    }
  }
}
