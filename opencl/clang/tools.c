#include "opencl/clang/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/environment.h"
#include "sim/base/text.h"

/* In order of preference. The last one is how distributions call the only version that they have. */
static const char *const versions[] = {"clang-15", "clang-23", "clang-22", "clang-21", "clang-20",
                                       "clang-19", "clang-18", "clang-17", "clang-16", "clang"};
enum { VERSIONS = sizeof versions / sizeof *versions };

bool tool_path(const char *name, char found[PATH_MAX]) {
  const char *path = environment(ENVIRONMENT_PATH);
  for (const char *at = strchr(name, '/') ? "" : path; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
    const int folder = *name != '/' && *at ? (int)strcspn(at, ":") : 0;
    const int length = snprintf(found, PATH_MAX, "%.*s%s%s", folder, at, folder ? "/" : "", name);
    if (length < PATH_MAX && access(found, X_OK) == 0)
      return true;
  }
  return false;
}

static const char *first_said(const char *said, enum environment variable) {
  const char *value = said && *said ? said : environment(variable);
  return value && *value ? value : NULL;
}

static const char *find_clang(void) {
  char path[PATH_MAX];
  for (size_t i = 0; i < VERSIONS; i++)
    if (tool_path(versions[i], path))
      return versions[i];
  return versions[0];
}

struct opencl_tools tools_find(const struct opencl_tools *said) {
  static const struct opencl_tools none;
  said = said ? said : &none;
  const char *clang = first_said(said->clang, ENVIRONMENT_WARPWAIT_CLANG);
  return (struct opencl_tools){.clang = clang ? clang : find_clang(),
                               .cache = said->cache,
                               .temporary =
                                   said->temporary && *said->temporary ? said->temporary : environment_temporary()};
}

void opencl_describe_tools(char *text, size_t size) {
  const struct opencl_tools tools = tools_find(NULL);
  char clang[PATH_MAX];
  if (tool_path(tools.clang, clang))
    snprintf(text, size, "%.200s", clang);
  else
    snprintf(text, size, "%.100s, which is not installed", tools.clang);
}
