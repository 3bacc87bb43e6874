/* Functions of glibc's <stdlib.h> that Emscripten 3.1 lacks. */
#ifndef SIM_PLAYGROUND_LIBC_STDLIB_H
#define SIM_PLAYGROUND_LIBC_STDLIB_H

#include_next <stdlib.h>

void *reallocarray(void *old, size_t count, size_t size);

#endif
