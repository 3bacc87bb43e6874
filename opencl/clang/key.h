/* What the name of a kept result is made of, besides the options: which tools, and which text. */
#ifndef OPENCL_CLANG_KEY_H
#define OPENCL_CLANG_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* Which tool this is, without running it: where it lies, and what changes when a package is upgraded. */
void key_tool(const char *name, char *text, size_t size);

/* Whether a source text says all that clang will see of it: nothing is included, and no time of day is asked for. May
 * say no where a closer look would say yes. `options` as clang gets them, `defines` without -D; NULL: none. */
bool key_is_whole(const char *text, size_t size, const char *const *options, const char *const *defines);

#endif
