/* Which clang runs: the one that the caller or the environment names; otherwise clang 15, with which most is tested, or
 * else the newest clang on the path. */
#ifndef OPENCL_CLANG_TOOLS_H
#define OPENCL_CLANG_TOOLS_H

#include <limits.h>
#include <stdbool.h>

#include "opencl/clang/clang.h"

/* `said` may be NULL. If no clang is found, the result names the usual one. */
struct opencl_tools tools_find(const struct opencl_tools *said);

/* Where the program is, found as execvp() does; false if there is none. */
bool tool_path(const char *name, char found[PATH_MAX]);

#endif
