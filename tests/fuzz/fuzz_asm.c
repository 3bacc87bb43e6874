/* libFuzzer: any bytes as assembly. What assembles must disassemble, and then assemble to the same code. */
#include "isa/asm/asm.h"
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
  if (!holds)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct isa_error error = {""};
  struct isa_program *program = isa_assemble((const char *)data, size, "fuzz.wws", &error);
  if (!program) {
    check(error.text[0] && !strchr(error.text, '\n'));
    return 0;
  }
  char *text = isa_disassemble(program);
  struct isa_program *again = isa_assemble(text, strlen(text), "again.wws", &error);
  check(again && again->count == program->count && again->kernel_count == program->kernel_count);
  check(!memcmp(again->code, program->code, program->count * sizeof *program->code));
  check(again->constant_bytes == program->constant_bytes &&
        (!program->constant_bytes || !memcmp(again->constants, program->constants, program->constant_bytes)));
  check(again->variable_bytes == program->variable_bytes &&
        (!program->variable_bytes || !memcmp(again->variables, program->variables, program->variable_bytes)));
  check(again->stack_entries == program->stack_entries);
  for (size_t i = 0; i < program->kernel_count; i++) {
    const struct isa_kernel *one = &program->kernels[i], *two = &again->kernels[i];
    check(one->registers == two->registers && one->lds_bytes == two->lds_bytes && one->arg_bytes == two->arg_bytes &&
          one->private_bytes == two->private_bytes && one->spilled == two->spilled &&
          one->arg_count == two->arg_count && !strcmp(one->name, two->name));
  }
  free(text);
  isa_program_free(again);
  isa_program_free(program);
  return 0;
}
