/* The parts of a cached result's name other than the options: tools and text. */
#ifndef OPENCL_CLANG_KEY_H
#define OPENCL_CLANG_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* Identifies a tool without running it: its location, size and modification time, which change with an upgrade. */
void key_tool(const char *name, char *text, size_t size);

/* Is the source text everything that clang will see, without includes, dates and times? May return false in doubtful
 * cases. `options` as clang gets them, `defines` without -D; NULL: none. */
bool key_is_whole(const char *text, size_t size, const char *const *options, const char *const *defines);

#endif
