/* What steers a program: which instructions make, load or move values that decide what warps do.
 *
 * A value steers when it reaches a guard (of a branch or of anything else), an address, an operand of a copy, a wait, a
 * prefetch or an operation on a pipe, or something that is printed: whatever shows outside of registers and bytes. It
 * is followed backwards over each kernel's flow, through registers, predicates, and memory; memory as a whole, a space
 * each: when one load from the LDS steers, all that is stored there does.
 *
 * Invariant: what is not found here cannot change anything that timing sees of the program, whatever its value is.
 * Not modelled: which bytes a load reads, values that cancel out, instructions that are never reached. */
#ifndef ISA_STEERING_H
#define ISA_STEERING_H

#include "isa/isa.h"

struct isa_steering {
  bool *steers; /* per instruction: what it writes into registers, or moves from memory to memory, steers */
  bool lds;     /* what is in the LDS does, */
  bool global;  /* and what is in global memory: of any kernel */
};

/* The caller frees `steers`. False when memory is out. */
bool isa_steering_find(const struct isa_program *program, struct isa_steering *steering);

#endif
