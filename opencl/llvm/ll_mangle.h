/* Names of C++'s ABI for Itanium, as clang gives them to OpenCL's overloaded built-ins:
 *
 *     _Z21async_work_group_copyPU3AS3Dv4_fPU3AS1KS_m9ocl_event
 *       length, name           pointer to local float4, pointer to global const float4, ulong, event_t */
#ifndef OPENCL_LLVM_LL_MANGLE_H
#define OPENCL_LLVM_LL_MANGLE_H

#include <stdbool.h>
#include <stdint.h>

enum { MANGLE_MOST_PARAMETERS = 16 };

/* A parameter's type. */
struct mangle_type {
  char letter;   /* of the scalar, or of what a pointer points to, as the ABI has it: f, d, i, j, ..., 'H' for half,
                    'N' for a named type */
  uint8_t count; /* components; 1: a scalar */
  bool pointer;
  bool is_volatile, atomic;
  uint8_t space; /* of a pointer */
  char name[32]; /* of a named type: "ocl_event" */
};

struct mangle {
  char name[96];
  unsigned count;
  struct mangle_type parameter[MANGLE_MOST_PARAMETERS];
};

/* False: the name is none of these. A list of parameters that cannot be read ends early. */
bool mangle_read(const char *text, struct mangle *mangle);

/* Of a scalar's letter. */
unsigned mangle_bits(char letter); /* 0: neither a number nor a boolean */
bool mangle_is_real(char letter);
bool mangle_is_signed(char letter); /* of integers */

#endif
