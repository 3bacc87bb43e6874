/* What steers a program: which instructions compute, load or move values that decide what warps do.
 *
 * A value steers if it reaches a guard (of a branch or any other instruction), an address, an operand of a copy, a
 * wait, a prefetch or an operation on a pipe, or a printf: anything visible outside registers and memory. The
 * analysis follows it backwards through each kernel's control flow, through registers, predicates and memory. Each
 * memory space is one unit: if one load from the LDS steers, everything stored in the LDS does.
 *
 * Invariant: an instruction that is not found cannot change what timing sees of the program, whatever its value is.
 * Not modeled: which bytes a load reads, values that cancel out, unreachable instructions. */
#ifndef ISA_STEERING_H
#define ISA_STEERING_H

#include "isa/isa.h"

struct isa_steering {
  bool *steers; /* per instruction: what it writes to registers, or moves from memory to memory, steers */
  bool lds;     /* the contents of the LDS steer */
  bool global;  /* the contents of global memory steer some kernel */
};

/* The caller frees `steers`. */
void isa_steering_find(const struct isa_program *program, struct isa_steering *steering);

#endif
