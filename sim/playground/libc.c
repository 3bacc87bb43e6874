/* What glibc has and Emscripten's C library has not. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void *reallocarray(void *old, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, count * size);
}
