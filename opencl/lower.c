/* The whole way from SPIR-V to a program: the module is read once, its variables laid out once, and then each kernel
 * is built, worked on and emitted by itself. A kernel that cannot be lowered leaves no trace in the program. */
#include "isa/rows.h"
#include "opencl/emit/emit.h"
#include "opencl/lower/build.h"
#include "opencl/opencl.h"
#include "opencl/passes/passes.h"
#include "opencl/sources.h"
#include "sim/base/need.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const opencl_copies_names[OPENCL_COPIES] = {"machine", "loop"};

struct lowering {
  const struct spirv *module;
  struct build_tables tables;
  struct isa_program *program;
  struct opencl_limits limits;
};

/* Takes away what a kernel that failed half-way has left. */
static void roll_back(struct isa_program *program, size_t kernels, uint32_t count) {
  while (program->kernel_count > kernels)
    isa_kernel_free(&program->kernels[--program->kernel_count]);
  program->count = count;
}

static bool check_name(const struct spirv *module, const char *name, struct isa_error *error) {
  const size_t length = strlen(name);
  if (length <= ISA_LONGEST_NAME && isa_is_name(name, length))
    return true;
  snprintf(error->text, sizeof error->text,
           "%.200s: '%.100s' cannot be a kernel's name: that is a word of up to %u letters, digits and _, and no "
           "register's (r0, p0)",
           module->file, name, ISA_LONGEST_NAME);
  return false;
}

static void explain(struct opencl_explanation *explanation, const char *kernel, const struct ir_log *log) {
  explanation->row = need_more(explanation->row, explanation->count + 1, sizeof *explanation->row);
  explanation->row[explanation->count++] = (struct opencl_explained){need_copy(kernel), *log};
}

static bool lower_kernel(struct lowering *lowering, uint32_t entry, struct isa_error *error) {
  if (!check_name(lowering->module, lowering->module->entry[entry].name, error))
    return false;
  struct ir *ir =
      build_kernel(lowering->module, entry, &lowering->tables, lowering->limits.copies == OPENCL_COPIES_LOOP, error);
  if (!ir)
    return false;
  struct ir_log log = {0};
  ir->target = lowering->limits.target;
  ir->log = lowering->limits.explanation ? &log : NULL;
  opencl_passes(ir);
  const size_t kernels = lowering->program->kernel_count;
  const uint32_t count = lowering->program->count;
  const bool emitted = emit_kernel(ir, lowering->program, error);
  if (!emitted)
    roll_back(lowering->program, kernels, count);
  if (emitted && ir->log)
    explain(lowering->limits.explanation, ir->name, &log);
  else
    ir_log_free(&log);
  ir_free(ir);
  return emitted;
}

static void refuse(struct opencl_refusals *refusals, const char *kernel, const struct isa_error *error, bool autorun) {
  refusals->row = need_more(refusals->row, refusals->count + 1, sizeof *refusals->row);
  refusals->row[refusals->count++] = (struct opencl_refusal){need_copy(kernel), *error, autorun};
}

/* All kernels; without `refusals` the first that fails ends it. */
static bool lower_kernels(struct lowering *lowering, struct opencl_refusals *refusals, struct isa_error *error) {
  const struct spirv *module = lowering->module;
  struct isa_error first = {""};
  for (uint32_t i = 0; i < module->entries; i++) {
    struct isa_error why = {""};
    if (lower_kernel(lowering, i, &why))
      continue;
    assert(why.text[0] && "whoever refuses a kernel says why");
    if (!first.text[0])
      first = why;
    if (!refusals)
      break;
    refuse(refusals, module->entry[i].name, &why, build_is_autorun(module, i));
  }
  if (!first.text[0] || (refusals && lowering->program->kernel_count))
    return true;
  *error = first;
  return false;
}

/* Gives the program what is common to its kernels, and has it checked. */
static bool complete(struct lowering *lowering, struct isa_error *error) {
  struct isa_program *program = lowering->program;
  struct build_tables *tables = &lowering->tables;
  program->constants = tables->constants;
  program->constant_bytes = tables->constant_bytes;
  program->variables = tables->variables;
  program->variable_bytes = tables->variable_bytes;
  program->channels = tables->channels;
  program->channel_count = tables->channel_count;
  tables->constants = tables->variables = NULL;
  tables->channels = NULL;
  tables->channel_count = 0;
  program->info = need_more(program->info, (size_t)program->count + 1, sizeof *program->info);
  sources_fill(lowering->module, lowering->limits.reads, lowering->limits.text, program);
  return isa_validate(program, error);
}

static struct isa_program *lower_module(const struct spirv *module, const struct opencl_limits *limits,
                                        struct opencl_refusals *refusals, struct isa_error *error) {
  if (!module->entries) {
    snprintf(error->text, sizeof error->text, "%.200s: there is no kernel in it", module->file);
    return NULL;
  }
  struct lowering lowering = {.module = module, .limits = *limits};
  if (!build_tables(module, &lowering.tables, error))
    return NULL;
  lowering.program = isa_program_new(module->file);
  bool good = lowering.program != NULL;
  if (!good)
    snprintf(error->text, sizeof error->text, "%.200s: out of memory", module->file);
  good = good && lower_kernels(&lowering, refusals, error) && complete(&lowering, error);
  build_tables_free(&lowering.tables);
  if (good)
    return lowering.program;
  isa_program_free(lowering.program);
  return NULL;
}

static struct isa_program *lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct opencl_refusals *refusals,
                                 struct isa_error *error) {
  struct spirv *module = spirv_read(spirv, size, file, error);
  struct isa_program *program = module ? lower_module(module, limits, refusals, error) : NULL;
  spirv_free(module);
  return program;
}

struct isa_program *opencl_lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct isa_error *error) {
  return lower(spirv, size, file, limits, NULL, error);
}

struct isa_program *opencl_lower_each(const uint8_t *spirv, size_t size, const char *file,
                                      const struct opencl_limits *limits, struct opencl_refusals *refusals,
                                      struct isa_error *error) {
  *refusals = (struct opencl_refusals){0};
  return lower(spirv, size, file, limits, refusals, error);
}

const struct isa_error *opencl_refused(const struct opencl_refusals *refusals, const char *kernel) {
  for (size_t i = 0; i < refusals->count; i++)
    if (!strcmp(refusals->row[i].kernel, kernel))
      return &refusals->row[i].error;
  return NULL;
}

void opencl_explanation_free(struct opencl_explanation *explanation) {
  for (size_t i = 0; i < explanation->count; i++) {
    free(explanation->row[i].kernel);
    ir_log_free(&explanation->row[i].log);
  }
  free(explanation->row);
  *explanation = (struct opencl_explanation){0};
}

void opencl_refusals_free(struct opencl_refusals *refusals) {
  for (size_t i = 0; i < refusals->count; i++)
    free(refusals->row[i].kernel);
  free(refusals->row);
  *refusals = (struct opencl_refusals){0};
}
