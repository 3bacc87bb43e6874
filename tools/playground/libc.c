/* Functions of glibc that Emscripten's C library lacks. */
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
