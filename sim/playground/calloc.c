/* calloc() that leaves memory alone which nobody has had before: WebAssembly's is zeros, and the browser gives it to
 * those parts that are used. Of a large machine a small launch uses little: 0.2 GB of h200's would be written else.
 *
 * It leans on Emscripten's malloc(), which never gives back what it took by sbrk(). */
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
  const uintptr_t end = (uintptr_t)sbrk(0); /* of what somebody may have had */
  const size_t bytes = count * size;
  char *memory = malloc(bytes);
  const uintptr_t begin = (uintptr_t)memory;
  if (memory && begin < end)
    memset(memory, 0, bytes < end - begin ? bytes : end - begin);
  return memory;
}
