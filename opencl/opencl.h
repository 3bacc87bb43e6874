/* Compiles OpenCL C and SPIR-V to programs of the ISA.
 *
 *      kernel.cl ──clang──► LLVM IR ──llvm.h──► SPIR-V ──spirv.h──► module ──lower, passes, emit──► isa_program
 *
 * The first step runs clang as a program and caches its results (clang.h). The rest is ours: llvm.h translates what
 * clang writes, spirv.h reads a module, build.h turns each kernel into IR (ir.h) with all calls inlined, the passes
 * (passes.h) optimize it, and emit.h assigns registers and emits instructions. docs/opencl.md says how each source
 * construct is lowered.
 *
 * Not supported: device-side enqueue, recursion, variable-length arrays. Each is refused by name, with the source
 * line. */
#ifndef OPENCL_OPENCL_H
#define OPENCL_OPENCL_H

#include "isa/isa.h"
#include "opencl/clang/clang.h"
#include "opencl/ir/log.h"
#include "opencl/ir/target.h"
#include "opencl/llvm/llvm.h"
#include "opencl/spirv/spirv_link.h"

/* How asynchronous copies are lowered: to one instruction that the machine executes, or to loops of loads and stores,
 * as vendors' compilers do when the hardware has no copy unit. */
enum opencl_copies { OPENCL_COPIES_MACHINE, OPENCL_COPIES_LOOP, OPENCL_COPIES };
extern const char *const opencl_copies_names[OPENCL_COPIES];

/* What the passes did to each kernel that was lowered. The caller frees it. */
struct opencl_explanation {
  struct opencl_explained {
    char *kernel;
    struct ir_log log;
  } * row;
  size_t count;
};
void opencl_explanation_free(struct opencl_explanation *explanation);

/* What the machine and the user allow. */
struct opencl_limits {
  struct opencl_target target;
  enum opencl_copies copies;
  const struct opencl_reads *reads;       /* decides whether a source may be read; NULL: all may */
  const char *text;                       /* the source text, if `file` names no file on disk; NULL: read `file` */
  struct opencl_explanation *explanation; /* filled in; NULL: not wanted */
  unsigned threads; /* that lower kernels in parallel; 0: one per processor. Does not change the program */
};

/* Lowers all kernels of a SPIR-V module (any byte order) to one program. Returns NULL on bad input and fills *error
 * with "kernel.cl:12: ...", or "file.spv: ..." if the line is unknown. `file` names the program in messages and
 * reports. Source text for reports is read from the files that the module's debug lines name, if these exist and have a
 * source file's name (clang/source_name.h). */
struct isa_program *opencl_lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct isa_error *error);

/* A kernel of the module that is missing from the program, and why: "kernel.cl:12: ...". */
struct opencl_refusal {
  char *kernel;
  struct isa_error error;
  bool autorun; /* it would start with every launch, so nobody requests it by name */
};

struct opencl_refusals {
  struct opencl_refusal *row;
  size_t count;
};

/* Like opencl_lower(), but a kernel that cannot be lowered is left out and the others of its file remain usable.
 * *refusals keeps the reason, for a caller that requests the kernel by name. Returns NULL only if the module is bad or
 * none of its kernels can be lowered; *error is then the first refusal. The caller frees *refusals in any case. */
struct isa_program *opencl_lower_each(const uint8_t *spirv, size_t size, const char *file,
                                      const struct opencl_limits *limits, struct opencl_refusals *refusals,
                                      struct isa_error *error);
/* Why the kernel was refused; NULL if it was not. */
const struct isa_error *opencl_refused(const struct opencl_refusals *refusals, const char *kernel);
void opencl_refusals_free(struct opencl_refusals *refusals);

/* Specialization constants, by SpecId. opencl_constant_bytes() returns the size of the constant's value: 1 for a
 * boolean, 0 if the module has no such constant. opencl_specialize() sets the constant in the module to the number at
 * `value`; it does nothing if there is no such constant. */
size_t opencl_constant_bytes(const uint8_t *spirv, size_t size, uint32_t id);
void opencl_specialize(uint8_t *spirv, size_t size, uint32_t id, const void *value);

#endif
