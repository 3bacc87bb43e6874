/* The user's own options for clang: which ones it may be given. */
#ifndef OPENCL_CLANG_CLANG_OPTIONS_H
#define OPENCL_CLANG_CLANG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "opencl/clang/words.h"

/* What is known of a list of options that are all accepted. */
struct clang_options {
  struct words words; /* one word each, "-DN=4" and never "-D" "N=4": clang cannot take one for another's value */
  bool standard;      /* one says -cl-std, */
  bool is_1;          /* and the last of them OpenCL C 1.x */
  bool uniform;       /* one says that all work-groups have one size */
  bool unoptimized;   /* one says that nothing is to be optimized */
  bool warnings;      /* one asks for warnings, which are then shown */
};

/* "CL1.2", and "CL", which clang takes for 1.0. */
bool clang_options_is_1(const char *standard);

/* The folder or file of an option of that kind ("inc" of "-Iinc"), else NULL; *kind is then "-I". */
const char *clang_options_path(const char *word, const char **kind);

/* Reads a list that ends with NULL. False: the option that is refused, and why, is at `text`. clang_options_free() it
 * in either case. */
bool clang_options_read(const char *const *words, struct clang_options *options, char *text, size_t size);
void clang_options_free(struct clang_options *options);

#endif
