/* Builds a kernel from its entry point: the arguments, the function and everything it calls, and a final check of the
 * result. */
#include <stdlib.h>
#include <string.h>

#include "opencl/lower/build_core.h"
#include "sim/base/need.h"

/* ---- properties of the module -------------------------------------------------------------------- */

/* Whether a pointer's number is used other than in a difference of pointers, which does not show null. */
static bool uses_numbers(const struct spirv *module) {
  bool *is_number = need(module->bound, sizeof *is_number), found = false;
  for (uint32_t i = 0; i < module->insts; i++)
    if (module->inst[i].op == OpConvertPtrToU)
      is_number[module->inst[i].word[2]] = true;
  for (uint32_t i = 0; i < module->insts && !found; i++) {
    const struct spirv_inst *inst = &module->inst[i];
    const bool may_use = inst->op != OpISub && inst->op != OpConvertPtrToU && inst->op != OpConstant;
    for (unsigned k = 1; k < inst->words && may_use; k++)
      found |= inst->word[k] < module->bound && is_number[inst->word[k]];
  }
  free(is_number);
  return found;
}

/* Whether there are null pointers, pointers made from integers, or integers made from pointers, which may have been
 * zeroed with the memory around them. Then no object may be at offset 0 of its space. */
static bool has_nulls(const struct spirv *module) {
  for (uint32_t i = 0; i < module->insts; i++) {
    const struct spirv_inst *inst = &module->inst[i];
    if (inst->op == OpGenericCastToPtrExplicit || inst->op == OpConvertUToPtr)
      return true;
    if (inst->op != OpConstantNull)
      continue;
    const struct spirv_type *type = spirv_type(module, inst->word[1]);
    if (type && type->kind == SPIRV_POINTER && type->storage != SPIRV_CROSS_WORKGROUP &&
        type->storage != SPIRV_UNIFORM_CONSTANT)
      return true;
  }
  return uses_numbers(module);
}

/* Where a generic pointer about which nothing is known may point, in any kernel. */
static uint8_t spaces_of(const struct spirv *module) {
  uint8_t spaces = IN_GLOBAL;
  for (uint32_t id = 1; id < module->bound; id++) {
    const struct spirv_type *type = module->id[id].kind == SPIRV_VARIABLE ? spirv_type_of(module, id) : NULL;
    if (type && type->kind == SPIRV_POINTER && type->storage == SPIRV_WORKGROUP)
      spaces |= IN_LOCAL;
  }
  for (uint32_t i = 0; i < module->insts; i++)
    if (module->inst[i].op == OpVariable || module->inst[i].op == OpFunctionCall)
      spaces |= IN_PRIVATE; /* a call may copy a struct */
  return spaces;
}

void core_look(const struct spirv *module, struct build_tables *tables) {
  tables->has_nulls = has_nulls(module);
  tables->spaces = spaces_of(module);
}

/* The additional spaces that this kernel's arguments point to. */
static uint8_t argument_spaces(const struct spirv *module, const struct spirv_function *function) {
  uint8_t spaces = 0;
  for (uint32_t i = 0; i < function->parameters; i++) {
    const struct spirv_type *type = spirv_type_of(module, function->parameter[i]);
    if (type && type->kind == SPIRV_POINTER)
      spaces |= type->storage == SPIRV_WORKGROUP ? IN_LOCAL : type->storage == SPIRV_FUNCTION_STORAGE ? IN_PRIVATE : 0;
  }
  return spaces;
}

/* ---- the kernel ---------------------------------------------------------------------------------- */

void core_open(const struct spirv *module, struct build_tables *tables) {
  struct core_ids *ids = tables->ids = need(1, sizeof *ids);
  ids->part = need(module->bound, sizeof *ids->part);
  ids->spaces = need(module->bound, sizeof *ids->spaces);
  ids->cell = need(module->bound, sizeof *ids->cell);
  ids->is_cell = need(module->bound, sizeof *ids->is_cell);
  ids->block_of = need(module->bound, sizeof *ids->block_of);
  ids->lds = need(module->bound, sizeof *ids->lds);
  ids->is_listed = need(module->bound, sizeof *ids->is_listed);
  ids->listed = need(module->bound, sizeof *ids->listed);
  ids->plan = need(module->functions + 1, sizeof *ids->plan);
  ids->plans = module->functions;
}

void core_close(struct build_tables *tables) {
  struct core_ids *ids = tables->ids;
  for (uint32_t i = 0; i < ids->plans; i++)
    free(ids->plan[i].order);
  free(ids->part);
  free(ids->spaces);
  free(ids->cell);
  free(ids->is_cell);
  free(ids->block_of);
  free(ids->lds);
  free(ids->is_listed);
  free(ids->listed);
  free(ids->plan);
  free(ids);
}

/* Resets the tables for the next kernel. */
static void forget_kernel(struct core_ids *ids) {
  for (uint32_t i = 0; i < ids->count; i++) {
    const uint32_t id = ids->listed[i];
    ids->part[id] = NULL;
    ids->lds[id] = 0;
    ids->is_listed[id] = false;
  }
}

/* Finds what the reader did not check: values used where they are not defined, types that do not fit. */
static bool check(struct build *b) {
  if (b->core->has_nulls && b->ir->lds_bytes < CORE_NULL_ROOM && b->core->exists & IN_LOCAL)
    b->ir->lds_bytes = CORE_NULL_ROOM; /* local arguments begin behind it */
  b->place = (struct ir_place){0};
  char text[IR_FAULT];
  const char *fault = ir_fault(b->ir, text);
  return !fault || build_fail(b, "kernel '%.60s' breaks the rules of SPIR-V (%s)", b->ir->name, fault);
}

static bool build_entry(struct build *b, const struct spirv_entry *entry, const struct spirv_function *function) {
  memcpy(b->ir->required_local, entry->required_local, sizeof entry->required_local);
  b->ir->null_room = b->core->has_nulls ? CORE_NULL_ROOM : 0;
  if (!channel_autorun(b, entry))
    return false;
  if (!function->blocks)
    return build_fail(b, "kernel '%.60s' has no body", entry->name);
  return core_arguments(b, function) && core_inline(b, function, NULL) && check(b);
}

struct ir *build_kernel(const struct spirv *module, uint32_t entry, struct build_tables *tables,
                        const struct opencl_target *target, bool copy_loops, struct isa_error *error) {
  const struct spirv_function *function = &module->function[module->entry[entry].function];
  struct build_core core = {.entry = &module->entry[entry],
                            .ids = *tables->ids,
                            .has_nulls = tables->has_nulls,
                            .exists = tables->spaces | argument_spaces(module, function)};
  struct build b = {.module = module,
                    .tables = tables,
                    .ir = ir_new(core.entry->name),
                    .error = error,
                    .core = &core,
                    .copy_loops = copy_loops};
  b.ir->target = *target;
  const bool good = build_entry(&b, core.entry, function);
  core_room_free(&b);
  free(core.spare);
  forget_kernel(&core.ids);
  if (good && !b.failed)
    return b.ir;
  ir_free(b.ir);
  return NULL;
}
