/* The user's own options for clang: which are let through. */
#ifndef OPENCL_CLANG_CLANG_OPTIONS_H
#define OPENCL_CLANG_CLANG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct clang_options {
  bool standard; /* there is a -cl-std */
  bool warnings; /* there is a -W: its warnings are shown */
};

/* Looks at each word of a NULL-ended list (NULL: empty). False with the reason at `text`. */
bool clang_options_check(const char *const *words, struct clang_options *options, char *text, size_t size);

#endif
