#include "sim/cli/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/message.h"

static void *present(void *memory) {
  if (memory)
    return memory;
  fputs("warpwait: out of memory\n", stderr);
  exit(CLI_DEFECT);
}

void *need(size_t count, size_t size) { return present(calloc(count ? count : 1, size)); }

void *need_more(void *old, size_t count, size_t size) { return present(reallocarray(old, count, size)); }

char *need_copy(const char *text) { return present(strdup(text)); }
