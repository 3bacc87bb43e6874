#include "sim/base/need.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*failing)(size_t bytes);

void need_failing(void (*fail)(size_t bytes)) { failing = fail; }

static void *present(void *memory, size_t count, size_t size) {
  if (memory)
    return memory;
  if (failing)
    failing(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
  abort();
}

void *need(size_t count, size_t size) { return present(calloc(count ? count : 1, size), count, size); }

void *need_more(void *old, size_t count, size_t size) { return present(reallocarray(old, count, size), count, size); }

char *need_copy(const char *text) { return present(strdup(text), strlen(text) + 1, 1); }

char *need_print(const char *format, ...) {
  char *made = NULL;
  va_list list;
  va_start(list, format);
  const int length = vasprintf(&made, format, list);
  va_end(list);
  return length < 0 ? present(NULL, strlen(format) + 1, 1) : made;
}
