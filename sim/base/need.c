#include "sim/base/need.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *present(void *memory, size_t count, size_t size) {
  if (!memory)
    heap_out(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
  return memory;
}

void *need(size_t count, size_t size) { return present(calloc(count ? count : 1, size), count, size); }

void *need_more(void *old, size_t count, size_t size) {
  return present(reallocarray(old, count ? count : 1, size), count, size);
}

char *need_copy(const char *text) { return present(strdup(text), strlen(text) + 1, 1); }

char *need_bytes(const char *text, size_t length) {
  char *copy = need(length + 1, 1);
  if (length)
    memcpy(copy, text, length);
  return copy;
}

char *need_print(const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  const int length = vsnprintf(NULL, 0, format, list);
  char *made = need(length < 0 ? 1 : (size_t)length + 1, 1);
  if (length >= 0)
    vsnprintf(made, (size_t)length + 1, format, again);
  va_end(again);
  va_end(list);
  return made;
}

static void *json_memory(size_t size) { return heap_guarded() ? need_more(NULL, size, 1) : malloc(size); }

#undef malloc
#undef free
void need_json(void) {
  json_malloc_t allocates = NULL;
  json_free_t frees = NULL;
  json_get_alloc_funcs(&allocates, &frees);
  if (allocates == malloc && frees == free)
    json_set_alloc_funcs(json_memory, heap_free);
}
