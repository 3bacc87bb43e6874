/* Functions: entering one, lowering its blocks in order, leaving it. A call is replaced by the callee's blocks: the
 * first one continues the caller's block, and the caller continues after the only return. Several returns meet in a new
 * block, with a phi for each part of the result. */
#include <stdlib.h>
#include <string.h>

#include "opencl/lower/build_core.h"
#include "sim/base/need.h"

/* Clears what the function's ids held when it was last inlined. */
static void forget(struct build *b, const struct spirv_function *function) {
  for (uint32_t i = 0; i < function->blocks; i++)
    for (uint32_t k = 0; k < function->block[i].count; k++) {
      const struct spirv_inst *inst = &b->module->inst[function->block[i].first + k];
      const uint32_t id = inst->words > 2 ? inst->word[2] : 0;
      if (id && id < b->module->bound && b->module->id[id].kind == SPIRV_VALUE &&
          &b->module->inst[b->module->id[id].index] == inst)
        b->core->ids.part[id] = NULL;
    }
}

static bool lower_block(struct build *b, const struct spirv_block *block) {
  build_enter(b, core_target(b, block->label));
  if (block->copies)
    b->ir->block[b->block].copies = block->copies;
  b->core->frame->label = block->label;
  if (!core_phis(b, block))
    return false;
  for (uint32_t i = 0; i < block->count; i++) {
    const struct spirv_inst *inst = &b->module->inst[block->first + i];
    if (inst->place.line || inst->op != OpReturn)
      b->place = inst->place;
    if (++b->core->work > CORE_MOST_WORK)
      return build_fail(b, "kernel '%.60s' is larger than %d instructions with its calls inlined", b->ir->name,
                        CORE_MOST_WORK);
    if (inst->op != OpPhi && !core_lower(b, inst))
      return false;
  }
  return true;
}

static bool lower_blocks(struct build *b, const struct spirv_function *function) {
  uint32_t count = 0;
  const uint32_t *order = core_order(b, function, &count);
  if (b->core->frame->call)
    b->core->frame->start[order[0]] = b->block;
  else
    build_goto(b, core_target(b, function->block[0].label));
  for (uint32_t i = 0; i < count; i++)
    if (!lower_block(b, &function->block[order[i]]))
      return false;
  return core_fill_phis(b);
}

/* ---- results ------------------------------------------------------------------------------------- */

static ir_ref join_returns(struct build *b, const struct core_frame *frame, uint32_t part) {
  const enum ir_width width = (enum ir_width)b->ir->inst[frame->back[0].part[part]].width;
  const ir_ref phi = ir_make(b->ir, IR_PHI, width, NULL, 0, 0, b->place);
  ir_append(b->ir, b->block, phi);
  for (uint32_t i = 0; i < frame->backs; i++)
    ir_phi_add(b->ir, phi, frame->back[i].block, frame->back[i].part[part]);
  return phi;
}

/* Continues where all returns lead. */
static void meet(struct build *b, const struct core_frame *frame) {
  if (frame->backs == 1) {
    build_enter(b, frame->back[0].block);
    return;
  }
  const uint32_t after = build_block(b);
  for (uint32_t i = 0; i < frame->backs; i++)
    ir_goto(b->ir, frame->back[i].block, after, frame->back[i].place);
  build_enter(b, after);
}

static bool take_result(struct build *b, const struct core_frame *frame) {
  const struct spirv_type *type = build_type(b, frame->call->word[2]);
  if (!type || type->kind == SPIRV_VOID)
    return true;
  ir_ref *result = build_define(b, frame->call->word[2]);
  bool values = frame->backs > 0;
  for (uint32_t i = 0; i < frame->backs; i++)
    values &= frame->back[i].part != NULL;
  if (b->failed)
    return false;
  if (!values)
    return core_undefined(b, type, result);
  for (uint32_t i = 0; i < type->parts; i++)
    result[i] = frame->backs == 1 ? frame->back[0].part[i] : join_returns(b, frame, i);
  return true;
}

/* ---- inlining ------------------------------------------------------------------------------------ */

static void free_slots(struct build_core *core) {
  for (uint32_t i = 0; i < core->spares; i++)
    if (core->spare[i].depth == core->depth)
      core->spare[i].depth = 0;
}

/* A call without a line is that of clang's entry point, which ends where the original function ends. */
static struct ir_place after_call(const struct core_frame *frame) {
  const struct ir_place place = frame->call->place;
  return place.line || !frame->backs ? place : frame->back[frame->backs - 1].place;
}

static bool run_frame(struct build *b, struct core_frame *frame) {
  const struct spirv_function *function = frame->function;
  for (uint32_t i = 0; i < function->blocks; i++)
    frame->start[i] = IR_NOWHERE;
  forget(b, function);
  core_infer(b, function);
  if (!lower_blocks(b, function))
    return false;
  if (!frame->call)
    return true;
  b->place = after_call(frame);
  meet(b, frame);
  return take_result(b, frame);
}

/* The caller has set the parameters' parts and spaces. `call` is NULL for the entry point, which never returns. */
bool core_inline(struct build *b, const struct spirv_function *function, const struct spirv_inst *call) {
  struct build_core *core = b->core;
  struct core_plan *plan = &core->ids.plan[function - b->module->function];
  struct core_frame frame = {.function = function, .caller = core->frame, .call = call};
  frame.start = need(function->blocks, sizeof *frame.start);
  plan->active = true;
  core->depth++;
  core->frame = &frame;
  const bool good = run_frame(b, &frame);
  free_slots(core);
  core->frame = (struct core_frame *)frame.caller;
  core->depth--;
  plan->active = false;
  free(frame.start);
  free(frame.edge);
  free(frame.back);
  return good;
}

/* ---- the call ------------------------------------------------------------------------------------ */

/* clang's entry point only calls the original kernel function. Nothing else uses its copies of structs, so the callee
 * need not copy them again. */
static bool is_wrapper_call(const struct build *b) {
  const struct core_frame *frame = b->core->frame;
  return !frame->caller && frame->function->blocks == 1 && frame->function->block[0].count == 2;
}

static bool bind_copy(struct build *b, uint32_t parameter, struct build_pointer from) {
  const struct spirv_type *type = spirv_type(b->module, build_type(b, parameter)->element);
  const uint32_t said = b->module->id[parameter].decoration.alignment;
  const struct build_pointer copy = core_slot(b, type->size, said > type->align ? said : type->align);
  core_copy(b, copy, from, type->size, said ? said : type->align);
  b->core->ids.spaces[parameter] = IN_PRIVATE;
  *build_define(b, parameter) = copy.address;
  return !b->failed;
}

static bool bind(struct build *b, uint32_t parameter, uint32_t argument) {
  const struct spirv_type *type = build_type(b, parameter);
  const ir_ref *part = build_parts(b, argument);
  if (!part || !core_same_shape(type, build_type(b, argument)))
    return part ? build_fail(b, "a call's arguments do not fit its function") : false;
  if (type->kind != SPIRV_POINTER) {
    core_set(b, parameter, (ir_ref *)part);
    return true;
  }
  if (b->module->id[parameter].decoration.by_value && type->storage == SPIRV_FUNCTION_STORAGE && !is_wrapper_call(b))
    return bind_copy(b, parameter, build_pointer(b, argument));
  b->core->ids.spaces[parameter] = core_spaces(b, argument);
  return core_define_pointer(b, parameter, build_pointer(b, argument));
}

static bool may_call(struct build *b, const struct spirv_inst *inst, const struct spirv_function *callee) {
  if (b->core->ids.plan[callee - b->module->function].active)
    return build_fail(b, "'%.100s' calls itself; recursion is not supported", callee->name);
  if (b->core->depth >= CORE_MOST_DEPTH)
    return build_fail(b, "calls nest deeper than %d", CORE_MOST_DEPTH);
  return callee->parameters == inst->words - 4u || core_misfit(b, inst);
}

bool lower_call(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_id *row = &b->module->id[inst->word[3]];
  if (row->kind != SPIRV_FUNCTION)
    return core_misfit(b, inst);
  const struct spirv_function *callee = &b->module->function[row->index];
  if (!callee->blocks)
    return build_import(b, inst, callee->name);
  if (!may_call(b, inst, callee))
    return false;
  for (uint32_t i = 0; i < callee->parameters; i++)
    if (!bind(b, callee->parameter[i], inst->word[4 + i]))
      return false;
  return core_inline(b, callee, inst);
}
