/* calloc() that does not write fresh memory: WebAssembly's memory starts as zeros, and the browser provides only the
 * parts that are used. A small launch uses little of a large machine; clearing would write 0.2 GB for h200.
 *
 * Relies on Emscripten's malloc(), which never returns memory taken with sbrk(). */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *calloc(size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) {
    errno = ENOMEM;
    return NULL;
  }
  const uintptr_t end = (uintptr_t)sbrk(0); /* memory below this may have been used */
  const size_t bytes = count * size;
  char *memory = malloc(bytes);
  const uintptr_t begin = (uintptr_t)memory;
  if (memory && begin < end)
    memset(memory, 0, bytes < end - begin ? bytes : end - begin);
  return memory;
}
