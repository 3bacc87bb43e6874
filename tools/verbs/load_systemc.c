#include "bindings/systemc/systemc.h"

#include <dlfcn.h>
#include <stdio.h>

#include "sim/cli/console.h"

/* Where the library is, relative to the program: in a build folder, or installed. */
static const char *const places[] = {"warpwait-systemc.so", "../libexec/warpwait/warpwait-systemc.so"};

typedef struct host *(*maker)(struct island **islands, size_t count, uint32_t clock_mhz, const char **message);

struct host *load_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message) {
  char folder[CONSOLE_PATH], path[CONSOLE_PATH + 64];
  void *library = NULL;
  maker make = NULL;
  console_own_folder(folder);
  for (size_t i = 0; *folder && !library && i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s%s", folder, places[i]);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (library)
    make = (maker)(uintptr_t)dlsym(library, "host_systemc");
  if (make)
    return make(islands, count, clock_mhz, message);
  *message = "warpwait-systemc.so is missing, or needs a library that is";
  return NULL;
}
