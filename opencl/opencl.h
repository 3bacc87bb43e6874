/* OpenCL C and SPIR-V into programs of the ISA.
 *
 *     kernel.cl ──clang──► LLVM bitcode ──llvm-spirv──► SPIR-V ──this folder──► isa_program
 *
 * The first two steps are Debian's packages, run as programs, their result cached (clang.h). The rest is ours:
 * spirv.h reads a module, build.h makes an ir.h of each kernel with all calls inlined, the passes (passes.h) work
 * on it, emit.h gives registers and instructions. docs/opencl.md says how each construct of the source is lowered.
 *
 * Not supported: device-side enqueue, recursion, variable-length arrays. They are refused by name, with the source
 * line. */
#ifndef OPENCL_OPENCL_H
#define OPENCL_OPENCL_H

#include "isa/isa.h"
#include "opencl/clang/clang.h"
#include "opencl/ir/log.h"

/* What becomes of asynchronous copies: an instruction, which the machine carries out in its way, or loops of loads and
 * stores, as the compilers of vendors make them who have nothing else. */
enum opencl_copies { OPENCL_COPIES_MACHINE, OPENCL_COPIES_LOOP, OPENCL_COPIES };
extern const char *const opencl_copies_names[OPENCL_COPIES];

/* What passes did to each kernel that could be lowered. The caller frees it. */
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
  const struct opencl_reads *reads;       /* who decides whether a source may be read; NULL: all may */
  const char *text;                       /* the source that `file` names, which is no file; NULL: it is one */
  struct opencl_explanation *explanation; /* is filled; NULL: nobody wants it */
  unsigned threads; /* that lower kernels in parallel; 0: one for each processor. The program is the same */
};

/* A program of all kernels of a SPIR-V module (any byte order). NULL on bad input, with *error filled:
 * "kernel.cl:12: ...", or "file.spv: ..." where no line is known. `file` names the program in messages and
 * reports; source text for reports is read from the files that the module's debug lines name, when they exist and are
 * named as sources are (clang/source_name.h). */
struct isa_program *opencl_lower(const uint8_t *spirv, size_t size, const char *file,
                                 const struct opencl_limits *limits, struct isa_error *error);

/* A kernel of the module that the program does not have, and why: "kernel.cl:12: ...". */
struct opencl_refusal {
  char *kernel;
  struct isa_error error;
  bool autorun; /* it would run along with the others, so that nobody asks for it */
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

/* A specialization constant of a SPIR-V module by its SpecId: the bytes of its value, of a boolean one; 0: there is no
 * such constant. Its value in the module is changed to that at `value`, if there is one. */
size_t opencl_constant_bytes(const uint8_t *spirv, size_t size, uint32_t id);
void opencl_specialize(uint8_t *spirv, size_t size, uint32_t id, const void *value);

#endif
