/* Records which blocks of the code a test executes. The compiler calls __sanitizer_cov_trace_pc() at the start of each
 * block (-fsanitize-coverage=trace-pc). When the process ends, the places of these calls are appended to the file
 * REACHED, as offsets into the library with which this file is linked, after its mark. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MARK
#define MARK ""
#endif

enum { LIBRARY_BYTES = 1 << 25 };

extern const char __ehdr_start __attribute__((visibility("hidden"))); /* by the linker: where the library begins */

static unsigned char reached[LIBRARY_BYTES];

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  const uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__ehdr_start;
  if (at < LIBRARY_BYTES)
    reached[at] = 1;
}

__attribute__((destructor)) static void save(void) {
  const char *const path = getenv("REACHED");
  FILE *const file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  for (unsigned at = 0; at < LIBRARY_BYTES; at++) {
    if (reached[at])
      fprintf(file, MARK "%x\n", at);
  }
  fclose(file);
}
