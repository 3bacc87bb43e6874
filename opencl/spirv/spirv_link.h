/* Links modules: one module with the kernels, functions and variables of all.
 *
 *     unit 0: ids 1 .. m-1 ──► 1 .. m-1            sections in the order that SPIR-V prescribes, in each
 *     unit 1: ids 1 .. n-1 ──► m .. m+n-2          the units one after another
 *
 * What a unit imports (LinkageAttributes Import) is replaced by what another exports under this name (Export or
 * LinkOnceODR), wherever it is used. Of several LinkOnceODR, any is used. Types and constants of different units stay
 * apart even if they are equal. An import that no unit exports stays one: it may be a built-in function, and lowering
 * refuses kernels that call another. Debug information other than lines is dropped. */
#ifndef OPENCL_SPIRV_SPIRV_LINK_H
#define OPENCL_SPIRV_SPIRV_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

struct spirv_unit {
  const void *data; /* a module, in any byte order */
  size_t size;
};

/* The caller frees *spirv. False, with *error filled, if a unit is bad ("units[1]: ..."), two export one name, or there
 * are too many ids. */
bool spirv_link(const struct spirv_unit *units, size_t count, uint8_t **spirv, size_t *size, struct isa_error *error);

#endif
