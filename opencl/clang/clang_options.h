/* Which of the user's options clang may be given. */
#ifndef OPENCL_CLANG_CLANG_OPTIONS_H
#define OPENCL_CLANG_CLANG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/words.h"

/* A list of accepted options and facts about them. */
struct clang_options {
  /* One word per option, "-DN=4" and never "-D" "N=4", so that clang cannot take one for another's value. */
  struct words words;
  bool standard;    /* there is a -cl-std, */
  bool is_1;        /* and the last one is OpenCL C 1.x */
  bool uniform;     /* -cl-uniform-work-group-size */
  bool unoptimized; /* -cl-opt-disable */
  bool warnings;    /* some option requests warnings, which are then shown, */
  bool wants_all;   /* among them -Wuninitialized, which -Werror may then make an error */
};

/* "CL1.2" and similar, and "CL", which clang reads as 1.0. */
bool clang_options_is_1(const char *standard);

/* The folder or file in an option ("inc" in "-Iinc") and in *kind the option ("-I"); NULL if it has none. */
const char *clang_options_path(const char *word, const char **kind);

/* Reads a NULL-terminated list. Returns false if an option is refused, with the reason in `text`. Call
 * clang_options_free() in either case. */
bool clang_options_read(const char *const *words, struct clang_options *options, char *text, size_t size);
void clang_options_free(struct clang_options *options);

#endif
