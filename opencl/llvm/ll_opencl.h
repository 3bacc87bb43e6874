/* Shared by the files that translate OpenCL's built-ins: ll_opencl.c (work-items, numbers, memory, synchronization,
 * copies), ll_opencl_group.c (work-groups and sub-groups), ll_opencl_atomic.c, ll_opencl_image.c (images and pipes). */
#ifndef OPENCL_LLVM_LL_OPENCL_H
#define OPENCL_LLVM_LL_OPENCL_H

#include "opencl/llvm/ll.h"
#include "opencl/llvm/ll_mangle.h"

struct opencl {
  struct ll *ll;
  const struct ll_call *call;
  struct mangle name; /* without parameters if the function's name is not mangled */
};

/* Each: whether it knows the function; *id is then the result, 0 for none. */
bool opencl_group(const struct opencl *o, uint32_t *id);
bool opencl_atomic(const struct opencl *o, uint32_t *id);
bool opencl_image(const struct opencl *o, uint32_t *id);
bool opencl_pipe(const struct opencl *o, uint32_t *id);

/* An argument's id; 0 if the call has fewer. */
static inline uint32_t opencl_argument(const struct opencl *o, unsigned i) {
  return i < o->call->count ? o->call->argument[i].id : 0;
}

/* The letter of a parameter's scalar; 0: unknown. */
static inline char opencl_letter(const struct opencl *o, unsigned i) {
  return i < o->name.count ? o->name.parameter[i].letter : 0;
}

/* The id of the call's result type. */
static inline uint32_t opencl_result(const struct opencl *o) { return ll_spirv_type(o->ll, o->call->result); }

bool opencl_begins(const char *name, const char *begin, const char **rest);
/* The type number of a parameter, or of what it points to. */
uint32_t opencl_type(const struct opencl *o, const struct mangle_type *type);
/* A pointer argument as a pointer to this type. */
uint32_t opencl_pointer(const struct opencl *o, unsigned i, uint32_t element);
/* Memory semantics and scopes of SPIR-V for the numbers that OpenCL C has for them. */
uint32_t opencl_semantics(const struct opencl *o, unsigned i);
uint32_t opencl_scope(const struct opencl *o, unsigned i);

#endif
