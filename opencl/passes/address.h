/* What the passes on addresses share. */
#ifndef OPENCL_PASSES_ADDRESS_H
#define OPENCL_PASSES_ADDRESS_H

#include "opencl/passes/identity.h"

enum space_form {
  FORM_NONE,
  FORM_GLOBAL, /* [pair + index + imm] */
  FORM_CAS,    /* [pair + imm] */
  FORM_INDEX,  /* [pair + index] */
  FORM_OFFSET, /* [register + imm], modulo 2^32 */
};

/* How an instruction addresses memory through its operand 0. */
enum space_form address_form(const struct ir *ir, ir_ref ref);

/* Flags values that only lead to an address: sums, shifts and products on the way to an operand 0. The array has
 * ir->count entries; the caller frees it. */
bool *address_values(const struct ir *ir);

#endif
