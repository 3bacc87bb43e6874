/* A kernel's arguments: their places in the argument block, their names, and their loads at the entry.
 *
 * clang's entry point calls the function that the programmer wrote, with the same parameters; the names are that
 * function's. SPIR-V's integers have no sign. They are declared unsigned, which accepts both. */
#include <stdio.h>
#include <string.h>

#include "isa/rows.h"
#include "opencl/lower/build_core.h"
#include "sim/base/need.h"

/* ---- names --------------------------------------------------------------------------------------- */

static bool is_taken(const struct build *b, const char *name) {
  for (size_t i = 0; i < b->ir->arg_count; i++)
    if (strcmp(b->ir->args[i].name, name) == 0)
      return true;
  return false;
}

/* The parameter's name in the function that receives it. */
static const char *callee_name(const struct build *b, const struct spirv_function *function, uint32_t parameter) {
  for (uint32_t i = 0; i < function->block[0].count; i++) {
    const struct spirv_inst *inst = &b->module->inst[function->block[0].first + i];
    const struct spirv_id *callee = inst->op == OpFunctionCall ? &b->module->id[inst->word[3]] : NULL;
    if (!callee || callee->kind != SPIRV_FUNCTION)
      continue;
    const struct spirv_function *to = &b->module->function[callee->index];
    for (uint32_t k = 0; k < to->parameters && k + 4 < inst->words; k++)
      if (inst->word[4 + k] == parameter)
        return b->module->id[to->parameter[k]].name;
  }
  return NULL;
}

static char *argument_name(const struct build *b, const struct spirv_function *function, uint32_t number) {
  const uint32_t parameter = function->parameter[number];
  const char *name = callee_name(b, function, parameter);
  char made[32];
  if (!name || !*name)
    name = b->module->id[parameter].name;
  if (name && isa_is_name(name, strlen(name)) && !is_taken(b, name))
    return need_copy(name);
  unsigned suffix = number;
  do
    snprintf(made, sizeof made, "arg%u", suffix++);
  while (is_taken(b, made));
  return need_copy(made);
}

/* ---- types --------------------------------------------------------------------------------------- */

static bool value_type(struct build *b, const struct spirv_type *type, char text[16]) {
  const struct spirv_type *scalar = build_scalar(b, type);
  snprintf(text, 16, "bytes");
  if (!scalar || scalar->kind == SPIRV_BOOL)
    return type->kind == SPIRV_STRUCT || type->kind == SPIRV_ARRAY || type->kind == SPIRV_BOOL;
  const char letter = scalar->kind == SPIRV_FLOAT ? 'f' : 'u';
  if (type->kind == SPIRV_VECTOR)
    snprintf(text, 16, "%c%ux%u", letter, (unsigned)scalar->bits, (unsigned)(type->count & 31));
  else
    snprintf(text, 16, "%c%u", letter, (unsigned)scalar->bits);
  return true;
}

/* Classifies a parameter. Returns the type whose bytes are in the argument block; NULL for pointers, pipes, images and
 * samplers. */
static const struct spirv_type *classify(struct build *b, uint32_t parameter, struct isa_arg *arg, char text[16]) {
  const struct spirv_type *type = build_type(b, parameter);
  arg->kind = ISA_ARG_VALUE;
  if (type->kind == SPIRV_POINTER && type->storage == SPIRV_FUNCTION_STORAGE &&
      b->module->id[parameter].decoration.by_value) {
    snprintf(text, 16, "bytes");
    return spirv_type(b->module, type->element);
  }
  if (type->kind == SPIRV_PIPE) {
    arg->kind = ISA_ARG_PIPE;
    snprintf(text, 16, "pipe");
    return NULL;
  }
  if (type->kind == SPIRV_IMAGE) {
    arg->kind = ISA_ARG_IMAGE;
    snprintf(text, 16, "image%.9s", isa_image_kinds[type->image].name);
    return NULL;
  }
  if (type->kind == SPIRV_SAMPLER) {
    arg->kind = ISA_ARG_SAMPLER;
    snprintf(text, 16, "sampler");
    return NULL;
  }
  if (type->kind != SPIRV_POINTER) {
    if (!value_type(b, type, text))
      build_fail(b, "%s as the type of a kernel's argument is not supported",
                 type->name ? type->name : "what there is");
    return type;
  }
  if (type->storage != SPIRV_WORKGROUP && type->storage != SPIRV_CROSS_WORKGROUP &&
      type->storage != SPIRV_UNIFORM_CONSTANT)
    build_fail(b, "a pointer to private memory cannot be a kernel's argument");
  arg->kind = type->storage == SPIRV_WORKGROUP ? ISA_ARG_LOCAL : ISA_ARG_GLOBAL;
  snprintf(text, 16, "%s", arg->kind == ISA_ARG_LOCAL ? "local" : "global");
  return NULL;
}

static bool place(struct build *b, struct isa_arg *arg, uint64_t bytes, uint32_t align) {
  const uint64_t offset = ((uint64_t)b->ir->arg_bytes + align - 1) / align * align;
  if (bytes == 0 || bytes > ISA_MOST_ARG_BYTES || offset + bytes > ISA_MOST_ARG_BYTES)
    return build_fail(b, "the arguments of kernel '%.60s' take no bytes or more than %d", b->ir->name,
                      ISA_MOST_ARG_BYTES);
  arg->offset = (uint32_t)offset;
  arg->bytes = (uint32_t)bytes;
  b->ir->arg_bytes = (uint32_t)(offset + bytes);
  return true;
}

/* ---- loads --------------------------------------------------------------------------------------- */

static struct core_access in_block(const struct isa_arg *arg) {
  return (struct core_access){.offset = arg->offset, .align = 16};
}

static void load_pointer(struct build *b, uint32_t parameter, const struct isa_arg *arg) {
  const struct core_access access = in_block(arg);
  if (arg->kind == ISA_ARG_LOCAL || arg->kind == ISA_ARG_GLOBAL)
    b->core->ids.spaces[parameter] = arg->kind == ISA_ARG_LOCAL ? IN_LOCAL : IN_GLOBAL | IN_NULL;
  *build_define(b, parameter) = core_load_bytes(b, &access, 0, arg->bytes);
}

/* The parameter points to a struct. The struct gets a private copy, which the promote pass splits into values. */
static void load_struct(struct build *b, uint32_t parameter, const struct spirv_type *type, const struct isa_arg *arg) {
  const struct core_access from = in_block(arg);
  const struct build_pointer slot = core_slot(b, type->size, type->align);
  const struct core_access to = core_access(b, slot, type->align);
  b->core->ids.spaces[parameter] = IN_PRIVATE;
  *build_define(b, parameter) = slot.address;
  core_copy_access(b, &to, &from, type->size);
}

static bool add(struct build *b, const struct spirv_function *function, uint32_t number) {
  const uint32_t parameter = function->parameter[number];
  struct isa_arg *arg = &b->ir->args[number];
  char text[16];
  char *name = argument_name(b, function, number);
  const struct spirv_type *type = classify(b, parameter, arg, text);
  arg->name = name;
  arg->type = need_copy(text);
  b->ir->arg_count = number + 1;
  const uint32_t pointer = arg->kind == ISA_ARG_LOCAL || arg->kind == ISA_ARG_SAMPLER ? 4 : 8;
  if (b->failed || !place(b, arg, type ? type->size : pointer, type && type->align ? type->align : type ? 1 : pointer))
    return false;
  if (!type)
    load_pointer(b, parameter, arg);
  else if (type == build_type(b, parameter)) {
    const struct core_access access = in_block(arg);
    core_load(b, &access, type, build_define(b, parameter));
  } else
    load_struct(b, parameter, type, arg);
  return !b->failed;
}

bool core_arguments(struct build *b, const struct spirv_function *function) {
  b->place = function->place;
  if (function->parameters > ISA_MOST_ARGS)
    return build_fail(b, "kernel '%.60s' has more than %d arguments", b->ir->name, ISA_MOST_ARGS);
  b->ir->args = need(function->parameters + 1, sizeof *b->ir->args);
  for (uint32_t i = 0; i < function->parameters; i++)
    if (!add(b, function, i))
      return false;
  return true;
}
