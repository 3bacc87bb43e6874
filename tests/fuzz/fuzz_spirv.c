/* libFuzzer: any bytes as SPIR-V. What lowers must have an encoding that decodes to the same; what does not gets one
 * line that says why. The seeds are real modules: tests/fuzz/spirv_seeds makes them. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
  if (!holds)
    abort();
}

static void check_line(const struct isa_error *error) { check(error->text[0] && !strchr(error->text, '\n')); }

static void check_program(const struct isa_program *program) {
  struct isa_error error = {""};
  uint8_t *bytes = NULL;
  size_t size = 0;
  check(program->kernel_count > 0 && isa_encode(program, &bytes, &size));
  struct isa_program *again = isa_decode(bytes, size, "again.wwo", &error);
  check(again && again->count == program->count && again->kernel_count == program->kernel_count);
  check(!memcmp(again->code, program->code, program->count * sizeof *program->code));
  isa_program_free(again);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct opencl_limits limits = {.registers = 32};
  struct opencl_refusals refusals;
  struct isa_error error = {""};
  struct isa_program *program = opencl_lower_each(data, size, "fuzz.spv", &limits, &refusals, &error);
  for (size_t i = 0; i < refusals.count; i++)
    check_line(&refusals.row[i].error);
  if (program)
    check_program(program);
  else
    check_line(&error);
  isa_program_free(program);
  opencl_refusals_free(&refusals);
  return 0;
}
