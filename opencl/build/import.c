/* Calls of functions that nobody has defined. Extended asynchronous copies arrive in this way, and whatever the
 * compiler declared and the translator did not know. They are refused by the name that the user wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/build/build.h"

/* The compiler's prelude renames these: the translator takes every name that begins with async_work_group_copy for the
 * plain copy. */
static const struct {
  const char *name, *written;
} renamed[] = {
    {"__ocl_ext_copy_2D2D", "async_work_group_copy_2D2D"},
    {"__ocl_ext_copy_3D3D", "async_work_group_copy_3D3D"},
    {"__ocl_ext_copy_fence", "async_work_group_copy_fence"},
};

/* `_Z<length><name><parameters>` as its name; any other as it is. */
static void demangle(const char *name, char *text, size_t size) {
  char *start;
  const unsigned long length = strncmp(name, "_Z", 2) == 0 ? strtoul(name + 2, &start, 10) : 0;
  if (length && length <= strlen(start))
    snprintf(text, size, "%.*s", (int)length, start);
  else
    snprintf(text, size, "%s", name);
}

bool build_import(struct build *b, const struct spirv_inst *inst, const char *name) {
  char text[128];
  (void)inst;
  demangle(name, text, sizeof text);
  for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
    if (strcmp(renamed[i].name, text) == 0)
      return build_fail(b, "%s is not supported yet", renamed[i].written);
  return build_fail(b, "function %s is declared but not defined, and is no built-in function that is supported", text);
}
