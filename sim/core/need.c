#include "sim/core/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DEFECT = 3 }; /* as the command line has it */

static void *present(void *memory) {
  if (memory)
    return memory;
  fputs("warpwait: out of memory\n", stderr);
  exit(EXIT_DEFECT);
}

void *need(size_t count, size_t size) { return present(calloc(count ? count : 1, size)); }

void *need_more(void *old, size_t count, size_t size) { return present(reallocarray(old, count, size)); }

char *need_copy(const char *text) { return present(strdup(text)); }
