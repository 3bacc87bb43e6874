/* libFuzzer: the playground's own readers. Any text as a machine file gives the keys that inih finds; any bytes after
 * the text of a precompiled kernel are recognized as SPIR-V or refused in one line. */
#include "tests/fuzz/folder.h"
#include "tests/playground/told.h"

#define opencl_options_good playground_options_good
#define opencl_compile playground_compile
#include "tools/playground/ahead.c"

enum { TEXT = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- machine files ------------------------------------------------------------------------------- */

static void read_machine(const uint8_t *data, size_t size) {
  static struct told theirs, ours;
  static char text[TEXT];
  if (size >= TEXT)
    return;
  memcpy(text, data, size);
  text[size] = '\0';
  if (!told_the_same(text, &ours, &theirs))
    abort();
}

/* ---- kernels ------------------------------------------------------------------------------------- */

static void read_ahead(const uint8_t *data, size_t size) {
  static const uint8_t head[] = {'W', 'W', 'A', 'H', 'E', 'A', 'D', '2', 1, 0, 0, 0, 0, 0, 0, 0, 'k'};
  static const char *const defines[] = {"A=1", "B", "A=2", NULL}, *const none[] = {NULL};
  uint8_t *file = malloc(sizeof head + size), *spirv = NULL;
  memcpy(file, head, sizeof head);
  memcpy(file + sizeof head, data, size);
  fuzz_file_put("input.ahead", file, sizeof head + size);
  const char *path = fuzz_file_put("input", "k", 1);
  for (int i = 0; i < 2; i++) {
    const struct opencl_build build = {.defines = i ? defines : none};
    struct isa_error error = {""};
    size_t bytes = 0;
    if (playground_compile(path, &build, &spirv, &bytes, &error) ? bytes > size : !error.text[0])
      abort();
    free(spirv);
    spirv = NULL;
  }
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size)
    (data[0] & 1 ? read_machine : read_ahead)(data + 1, size - 1);
  return 0;
}
