/* From OpenCL C to SPIR-V by running clang, with a cache of results, and reading the LLVM IR that it writes.
 *
 * The cache key is the preprocessed text, the options and clang itself, so a hit is what a run would have produced.
 * Nothing here depends on the ISA, or on the contents of SPIR-V. */
#ifndef OPENCL_CLANG_CLANG_H
#define OPENCL_CLANG_CLANG_H

#include "isa/isa.h"

/* The part of a build that causes an error: the source or anything not listed, or a member of struct opencl_build.
 * WORDS are its defines or options. */
enum opencl_part { OPENCL_SOURCE, OPENCL_STANDARD, OPENCL_EXTENSIONS, OPENCL_OPTIONS, OPENCL_WORDS };

/* Decides which files a program may read, and so learns which files it reads. Returns false if the file may not be
 * read, with the reason in `text`. */
struct opencl_reads {
  bool (*allow)(void *self, const char *path, char *text, size_t size);
  void *self;
};

/* The compiler of OpenCL C, and its folders. NULL: from the environment. */
struct opencl_tools {
  const char *clang;
  const char *cache;     /* the cache folder; "": no cache */
  const char *temporary; /* the folder for temporary files */
};

/* Text that #include finds by this name, a relative path. */
struct opencl_header {
  const char *name, *text;
  size_t size;
};

struct opencl_bitcode {
  const void *data;
  size_t size;
};

/* How to run clang. Lists end with NULL; a NULL list is empty. */
struct opencl_build {
  const char *standard;          /* "CL2.0" if NULL */
  const char *const *defines;    /* "NAME" or "NAME=VALUE" */
  const char *const *includes;   /* folders */
  const char *const *extensions; /* "cl_khr_fp16": enabled in addition to those that are on by default */
  const char *const *options;    /* other options: "-cl-fast-relaxed-math", "-cl-std=CL3.0", "-DN=4" */
  bool no_cache;
  const struct opencl_tools *tools; /* NULL: from the environment */
  const char *text; /* replaces the file's text on trial, so say() is not called; NULL: the file's text */
  bool in_memory;   /* there is no file, only `text`; `path` is its name */
  const struct opencl_header *headers;
  size_t header_count;
  const struct opencl_bitcode *bitcode;      /* the program, instead of text: LLVM bitcode for any target; NULL: text */
  enum opencl_part *blamed;                  /* receives the part that an error is about; may be NULL */
  const struct opencl_reads *reads;          /* NULL: all files may be read */
  bool (*cancelled)(void *self);             /* called ten times a second; true stops clang. NULL: never */
  void (*say)(void *self, const char *line); /* called with each line when clang reports several errors; may be NULL */
  void (*log)(void *self, const char *text); /* called with everything that clang prints; may be NULL */
  void *self;
};

/* Size of the text that says why an option is refused. */
enum { OPENCL_WHY = 300 };

/* Which program compiles OpenCL C: "/usr/bin/clang-15". */
void opencl_describe_tools(char *text, size_t size);

/* May clang be given this option, such as "-D" or "-I", with this value? If not, `text` says why. */
bool opencl_option_good(const char *option, const char *value, char *text, size_t size);

/* Calls say() with each option of a NULL-terminated list as one word, its value joined to it. If one is refused, calls
 * it for none and puts the reason in `text`. */
bool opencl_options_each(const char *const *words, void (*say)(void *self, const char *word), void *self, char *text,
                         size_t size);

/* The file or folder in such a word, and in *option its option: "inc" and "-I" for "-Iinc"; NULL if it has none. */
const char *opencl_option_path(const char *word, const char **option);

/* Must the local size divide the global size? Yes in OpenCL C 1.x, which has no smaller last work-groups, and with
 * -cl-uniform-work-group-size, which promises that there are none. */
bool opencl_uniform_groups(const struct opencl_build *build);

/* Is -cl-opt-disable among the options? */
bool opencl_is_unoptimized(const struct opencl_build *build);

/* Runs clang on the file `path`, or finds the result in the cache, and translates it. Functions that the program only
 * declares are imports of the module. The caller frees *spirv. Returns
 * false and fills *error on failure: with clang's first error in its words ("kernel.cl:3:5: error: ..."), or with the
 * missing tool and its package. say() is called with each error if there are several, with each variable that is not
 * initialized, and with all warnings that an option requests. */
bool opencl_compile(const char *path, const struct opencl_build *build, uint8_t **spirv, size_t *size,
                    struct isa_error *error);

#endif
