#include "sim/base/environment.h"

#include <stdlib.h>

static const char *const names[] = {
#define ROW(name, ...) #name,
    ENVIRONMENT(ROW)
#undef ROW
};

const char *environment_name(enum environment variable) { return names[variable]; }

const char *environment(enum environment variable) { return getenv(names[variable]); }

const char *environment_temporary(void) {
  const char *folder = environment(ENVIRONMENT_TMPDIR);
  return folder && *folder ? folder : "/tmp";
}
