#include "opencl/clang/source_name.h"

#include <stdlib.h>
#include <string.h>

static bool is_listed(const char *extension) {
  static const char names[] = SOURCE_NAMES;
  const size_t length = strlen(extension);
  for (const char *at = names; (at = strstr(at, extension)); at += length)
    if (!at[length] || at[length] == ',')
      return length > 1;
  return false;
}

bool source_is_named(const char *path) {
  char *real = realpath(path, NULL);
  const char *whole = real ? real : path, *slash = strrchr(whole, '/');
  const char *base = slash ? slash + 1 : whole, *dot = strrchr(base, '.');
  const bool listed = dot && dot != base && is_listed(dot);
  free(real);
  return listed;
}
