#include "opencl/clang/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/environment.h"
#include "sim/base/text.h"

#define VERSION(n)                                                                                                     \
  { "clang-" #n, "llvm-spirv-" #n }

/* In order of preference. The last one is how distributions call the only version that they have. */
static const struct {
  const char *clang, *translator;
} versions[] = {VERSION(15), VERSION(23), VERSION(22), VERSION(21), VERSION(20),
                VERSION(19), VERSION(18), VERSION(17), VERSION(16), {"clang", "llvm-spirv"}};
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
    if (tool_path(versions[i].clang, path))
      return versions[i].clang;
  return versions[0].clang;
}

/* The one that belongs to this clang; to one with a name of its own, the usual one. */
static const char *translator_of(const char *clang) {
  const char *slash = strrchr(clang, '/'), *name = slash ? slash + 1 : clang;
  for (size_t i = 0; i < VERSIONS; i++)
    if (strcmp(versions[i].clang, name) == 0)
      return versions[i].translator;
  return versions[0].translator;
}

struct opencl_tools tools_find(const struct opencl_tools *said) {
  static const struct opencl_tools none;
  said = said ? said : &none;
  const char *clang = first_said(said->clang, ENVIRONMENT_WARPWAIT_CLANG);
  clang = clang ? clang : find_clang();
  const char *translator = first_said(said->translator, ENVIRONMENT_WARPWAIT_LLVM_SPIRV);
  return (struct opencl_tools){.clang = clang,
                               .translator = translator ? translator : translator_of(clang),
                               .cache = said->cache,
                               .temporary =
                                   said->temporary && *said->temporary ? said->temporary : environment_temporary()};
}

/* A translator that somebody has named is asked for, so that it is missing is their error. */
enum opencl_route tools_route(const struct opencl_tools *tools) {
  char path[PATH_MAX];
  const bool translated = strcmp(tools->translator, translator_of(tools->clang)) != 0 ||
                          tool_path(tools->translator, path) || !tool_path(tools->clang, path);
  return translated ? OPENCL_ROUTE_SSA : OPENCL_ROUTE_LLVM;
}

void opencl_describe_tools(char *text, size_t size) {
  const struct opencl_tools tools = tools_find(NULL);
  const enum opencl_route route = tools_route(&tools);
  char clang[PATH_MAX], translator[PATH_MAX];
  if (!tool_path(tools.clang, clang))
    snprintf(text, size, "%.100s, which is not installed", tools.clang);
  else if (route == OPENCL_ROUTE_LLVM)
    snprintf(text, size, "%.200s, route %s", clang, opencl_route_names[route]);
  else
    snprintf(text, size, "%.200s and %.200s, route %s", clang,
             tool_path(tools.translator, translator) ? translator : tools.translator, opencl_route_names[route]);
}
