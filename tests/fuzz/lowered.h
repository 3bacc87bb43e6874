/* What a fuzzer checks of a SPIR-V module: what lowers must have an encoding that decodes to the same program; a
 * refusal is one line that gives the reason. */
#ifndef TESTS_FUZZ_LOWERED_H
#define TESTS_FUZZ_LOWERED_H

#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

static inline void check(bool holds) {
  if (!holds)
    abort();
}

static inline void check_line(const struct isa_error *error) { check(error->text[0] && !strchr(error->text, '\n')); }

static inline void check_program(const struct isa_program *program) {
  struct isa_error error = {""};
  size_t size = 0;
  uint8_t *bytes = isa_encode(program, &size);
  check(program->kernel_count > 0);
  struct isa_program *again = isa_decode(bytes, size, "again.wwo", &error);
  check(again && again->count == program->count && again->kernel_count == program->kernel_count);
  check(!memcmp(again->code, program->code, program->count * sizeof *program->code));
  isa_program_free(again);
  free(bytes);
}

static inline void lower_and_check(const uint8_t *spirv, size_t size, const char *file) {
  const struct opencl_limits limits = {.target.registers = 32, .threads = 1}; /* so that a crash is reproducible */
  struct opencl_refusals refusals;
  struct isa_error error = {""};
  struct isa_program *program = opencl_lower_each(spirv, size, file, &limits, &refusals, &error);
  for (size_t i = 0; i < refusals.count; i++)
    check_line(&refusals.row[i].error);
  if (program)
    check_program(program);
  else
    check_line(&error);
  isa_program_free(program);
  opencl_refusals_free(&refusals);
}

#endif
