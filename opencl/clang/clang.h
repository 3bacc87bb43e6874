/* From OpenCL C to SPIR-V: clang and llvm-spirv, run as programs, their result kept in a cache.
 *
 * The key of the cache is the preprocessed text, what is asked for, and the two programs themselves, so a hit is what
 * a run would have made. Nothing here knows of SPIR-V's inside or of the ISA. */
#ifndef OPENCL_CLANG_CLANG_H
#define OPENCL_CLANG_CLANG_H

#include "isa/isa.h"

enum opencl_route {
  OPENCL_ROUTE_SSA, /* clang -O2 without LLVM passes, llvm-spirv --spirv-mem2reg: the default */
  OPENCL_ROUTE_O0,
  OPENCL_ROUTE_O2,
  OPENCL_ROUTES
};
extern const char *const opencl_route_names[OPENCL_ROUTES]; /* "ssa", "O0", "O2" */

/* What an error is of: the source and whatever else, or a part of struct opencl_build; WORDS is its defines or
 * options. */
enum opencl_part { OPENCL_SOURCE, OPENCL_STANDARD, OPENCL_EXTENSIONS, OPENCL_OPTIONS, OPENCL_WORDS };

/* Decides which files a program may be made of, and so learns which ones they are. False: the file is not to be read,
 * and why is at `text`. */
struct opencl_reads {
  bool (*allow)(void *self, const char *path, char *text, size_t size);
  void *self;
};

/* With what OpenCL C is compiled, and where. NULL: what the environment says. */
struct opencl_tools {
  const char *clang, *translator;
  const char *cache;     /* the folder of what is kept; "": nothing is */
  const char *temporary; /* the folder of files that are not to stay */
};

/* Text that #include finds by its name, a relative path. */
struct opencl_header {
  const char *name, *text;
  size_t size;
};

/* A translation unit that has been compiled and is to be linked: LLVM bitcode. Or SPIR-V that is to become one. */
struct opencl_unit {
  const void *data;
  size_t size;
};

/* How clang is to be called. Lists end with NULL; a NULL list is empty. */
struct opencl_build {
  const char *standard;          /* "CL2.0" if NULL */
  const char *const *defines;    /* "NAME" or "NAME=VALUE" */
  const char *const *includes;   /* folders */
  const char *const *extensions; /* "cl_khr_fp16": enabled, in addition to all that are on already */
  const char *const *options;    /* further words, "-cl-fast-relaxed-math", "-cl-std=CL3.0", "-DN=4" */
  enum opencl_route route;
  bool no_cache;
  const struct opencl_tools *tools; /* NULL: the environment's */
  const char *text;                 /* in place of the file's, as a try: say() hears nothing of it; NULL: the file's */
  bool in_memory;                   /* there is no file, but `text`; `path` is its name */
  const struct opencl_header *headers;
  size_t header_count;
  bool to_unit;                    /* what is made is a unit, not SPIR-V */
  const struct opencl_unit *spirv; /* which the unit is made of, not of text; NULL: it is made of text */
  const struct opencl_unit *units; /* SPIR-V is made of these, and of no text */
  size_t unit_count;
  enum opencl_part *blamed;         /* NULL, or where to note what an error is of */
  const struct opencl_reads *reads; /* NULL: all files may be read */
  bool (*cancelled)(void *self);    /* asked ten times a second; true ends the tools. NULL: never */
  void (*say)(void *self,
              const char *line); /* hears each of several errors of clang's, a line each; NULL: nobody does */
  void (*log)(void *self, const char *text); /* is given all that clang says; NULL: nobody wants it */
  void *self;
};

/* Room for the reason why an option is refused. */
enum { OPENCL_WHY = 300 };

/* Whether clang may be given an option of one of the kinds that there are, "-D" or "-I" say, with this value. */
bool opencl_option_good(const char *option, const char *value, char *text, size_t size);

/* Says each option of a list that ends with NULL as one word, its value joined to it; if one is refused, none, and
 * why is at `text`. */
bool opencl_options_each(const char *const *words, void (*say)(void *self, const char *word), void *self, char *text,
                         size_t size);

/* The file or folder that such a word names, and *option that names it: "inc" and "-I" of "-Iinc"; else NULL. */
const char *opencl_option_path(const char *word, const char **option);

/* Whether the local size must divide the global one: OpenCL C 1.x knows no smaller last work-groups, and
 * -cl-uniform-work-group-size promises that there are none. */
bool opencl_uniform_groups(const struct opencl_build *build);

/* Whether -cl-opt-disable is among the options. */
bool opencl_is_unoptimized(const struct opencl_build *build);

/* Runs clang and llvm-spirv on the file `path`, or finds the result in the cache. *spirv is the caller's to free.
 * False with *error filled: clang's own first error as it words it ("kernel.cl:3:5: error: ..."), or that a tool
 * is missing and which package has it. Of several errors of the file say() hears each, too, and all warnings that an
 * option asks for. */
bool opencl_compile(const char *path, const struct opencl_build *build, uint8_t **spirv, size_t *size,
                    struct isa_error *error);

#endif
