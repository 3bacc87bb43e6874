/* libFuzzer: any bytes as an object file. What decodes must run for a while without harm: two warps of a group, a small
 * memory, every access committed. The first byte chooses the warp size. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads all of the printed text. */
static void take_text(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length) {
  uint64_t *sum = context;
  if (item >= group->items)
    abort();
  for (size_t i = 0; i < length; i++)
    *sum += (uint8_t)text[i];
}

static void run_kernel(const struct isa_program *program, const struct isa_kernel *kernel, uint32_t warp_size) {
  enum { BYTES = 256, STEPS = 2000, ITEMS = 40, PRIVATE = 1 << 16 /* bytes; more would exhaust the fuzzer's memory */ };
  if (kernel->private_bytes > PRIVATE)
    return;
  struct isa_buffer buffers[] = {{"a", ISA_GLOBAL_BASE, BYTES, calloc(BYTES, 1)},
                                 {"variables", ISA_VARIABLE_BASE, program->variable_bytes, NULL}};
  uint64_t sum = 0;
  buffers[1].data = malloc(program->variable_bytes + 1);
  if (program->variable_bytes)
    memcpy(buffers[1].data, program->variables, program->variable_bytes);
  struct isa_memory memory = {.buffers = buffers, .count = program->variable_bytes ? 2 : 1};
  uint8_t *args = calloc(kernel->arg_bytes + 1u, 1), *lds = calloc(BYTES, 1);
  if (kernel->arg_bytes >= 8)
    memcpy(args, &buffers[0].base, 8);
  const struct isa_launch launch = {.program = program,
                                    .kernel = kernel,
                                    .dimensions = 1,
                                    .global = {ITEMS, 1, 1},
                                    .local = {ITEMS, 1, 1},
                                    .groups = {1, 1, 1},
                                    .warp_size = warp_size,
                                    .args = args,
                                    .memory = &memory,
                                    .lds_bytes = BYTES,
                                    .print = take_text,
                                    .print_context = &sum};
  struct isa_group group = {.lds = lds, .lds_base = 512};
  isa_group_place(&group, &launch, 0);
  void *storage = aligned_alloc(64, isa_warp_bytes(&launch));
  for (uint32_t index = 0; storage && index < group.warps && index < 2; index++) {
    struct isa_warp warp;
    static struct isa_access_lanes lanes;
    struct isa_access access = isa_access_with(&lanes);
    static struct isa_result result;
    isa_warp_place(&warp, &launch, storage);
    isa_warp_start(&warp, &group, index);
    for (int step = 0; step < STEPS && warp.live; step++) {
      isa_step(&warp, &access, &result);
      const uint8_t class_ = program->info[result.pc].class_;
      if ((class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_GLOBAL) && access.mask)
        isa_access_commit(&access);
    }
  }
  free(storage);
  free(args);
  free(lds);
  free(buffers[0].data);
  free(buffers[1].data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  struct isa_error error = {""};
  struct isa_program *program = isa_decode(data + 1, size - 1, "fuzz.wwo", &error);
  if (!program)
    return 0;
  for (size_t i = 0; i < program->kernel_count && i < 4; i++)
    run_kernel(program, &program->kernels[i], 16u << data[0] % 3);
  size_t again = 0;
  uint8_t *bytes = isa_encode(program, &again);
  const bool old = data[4] == 2; /* is written in the current version */
  if (!old && (again != size - 1 || memcmp(bytes, data + 1, again) != 0))
    abort(); /* a program has one encoding */
  free(bytes);
  isa_program_free(program);
  return 0;
}
