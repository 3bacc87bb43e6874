/* libFuzzer: OpenCL C as `explain` changes it. The first byte selects the change; lines keep their numbers. */
#include <stdlib.h>
#include <string.h>

#include "tools/explain/edits.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

static void hold(const char *before, char *after) {
  if (after && lines_of(before) != lines_of(after))
    abort();
  free(after);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  if (!size)
    return 0;
  char *text = strndup((const char *)data + 1, size - 1);
  const char *at = text;
  struct opencl_define define;
  hold(text, opencl_edit(text, (enum opencl_edit)(*data % OPENCL_EDIT_COUNT)));
  while (opencl_define_next(&at, &define))
    hold(text, opencl_define_set(text, define.name, define.value + 1));
  free(text);
  return 0;
}
