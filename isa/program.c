#include "isa/rows.h"

#include <stdlib.h>
#include <string.h>

struct isa_program *isa_program_new(const char *file) {
  struct isa_program *program = calloc(1, sizeof *program);
  if (!program)
    return NULL;
  program->file = strdup(file);
  if (program->file)
    return program;
  free(program);
  return NULL;
}

void isa_program_free(struct isa_program *program) {
  if (!program)
    return;
  for (size_t i = 0; i < program->kernel_count; i++) {
    struct isa_kernel *kernel = &program->kernels[i];
    for (size_t j = 0; j < kernel->arg_count; j++) {
      free(kernel->args[j].name);
      free(kernel->args[j].type);
    }
    free(kernel->args);
    free(kernel->name);
  }
  for (uint32_t i = 0; program->source && i < program->source_lines; i++)
    free(program->source[i]);
  free(program->source);
  free(program->kernels);
  free(program->constants);
  free(program->code);
  free(program->info);
  free(program->line);
  free(program->file);
  free(program);
}

const struct isa_kernel *isa_find_kernel(const struct isa_program *program, const char *name) {
  for (size_t i = 0; i < program->kernel_count; i++)
    if (strcmp(program->kernels[i].name, name) == 0)
      return &program->kernels[i];
  return NULL;
}
