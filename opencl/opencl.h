/* OpenCL C and SPIR-V into programs of the ISA.
 *
 *     kernel.cl ──clang──► LLVM bitcode ──llvm-spirv──► SPIR-V ──this folder──► isa_program
 *
 * The first two steps are Debian's packages, run as programs, their result cached (clang.h). The rest is ours:
 * spirv.h reads a module, build.h makes an ir.h of each kernel with all calls inlined, the passes (passes.h) work
 * on it, emit.h gives registers and instructions. docs/opencl.md says how each construct of the source is lowered.
 *
 * Not supported: images and samplers, device-side enqueue, pipes, recursion, variable-length arrays. They are
 * refused by name, with the source line. */
#ifndef OPENCL_OPENCL_H
#define OPENCL_OPENCL_H

#include "isa/isa.h"

/* What the machine and the user allow. */
struct opencl_limits {
  uint32_t registers; /* per lane, 16 to 255; more are spilled to private memory */
};

/* A program of all kernels of a SPIR-V module (any byte order). NULL on bad input, with *error filled:
 * "kernel.cl:12: ...", or "file.spv: ..." where no line is known. `file` names the program in messages and
 * reports; source text for reports is read from the files that the module's debug lines name, when they exist. */
struct isa_program *opencl_lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct isa_error *error);

/* A kernel of the module that the program does not have, and why: "kernel.cl:12: ...". */
struct opencl_refusal {
  char *kernel;
  struct isa_error error;
};

struct opencl_refusals {
  struct opencl_refusal *row;
  size_t count;
};

/* The same, but a kernel that cannot be lowered is no reason not to run the others of its file: it is left out, and
 * why is kept for whoever asks for it by name. NULL only when the module is bad or no kernel of it can be lowered;
 * *error is the first refusal then. The caller frees *refusals in any case. */
struct isa_program *opencl_lower_each(const uint8_t *spirv, size_t size, const char *file,
                                      const struct opencl_limits *limits, struct opencl_refusals *refusals,
                                      struct isa_error *error);
/* Why there is no kernel of this name; NULL if it was not refused. */
const struct isa_error *opencl_refused(const struct opencl_refusals *refusals, const char *kernel);
void opencl_refusals_free(struct opencl_refusals *refusals);

enum opencl_route {
  OPENCL_ROUTE_SSA, /* clang -O1 without LLVM passes, llvm-spirv --spirv-mem2reg: the default */
  OPENCL_ROUTE_O0,
  OPENCL_ROUTE_O2,
  OPENCL_ROUTES
};
extern const char *const opencl_route_names[OPENCL_ROUTES]; /* "ssa", "O0", "O2" */

/* How clang is to be called. Lists end with NULL; a NULL list is empty. */
struct opencl_build {
  const char *standard;          /* "CL2.0" if NULL */
  const char *const *defines;    /* "NAME" or "NAME=VALUE" */
  const char *const *includes;   /* folders */
  const char *const *extensions; /* "cl_khr_fp16": enabled, in addition to all that are on already */
  const char *const *options;    /* further words, "-cl-fast-relaxed-math", "-cl-std=CL3.0", "-DN=4" */
  enum opencl_route route;
  bool no_cache;
};

/* Runs clang and llvm-spirv on the file `path`, or finds the result in the cache. *spirv is the caller's to free.
 * False with *error filled: clang's own first error as it words it ("kernel.cl:3:5: error: ..."), or that a tool
 * is missing and which package has it. */
bool opencl_compile(const char *path, const struct opencl_build *build, uint8_t **spirv, size_t *size,
                    struct isa_error *error);

#endif
