/* Random kernels in the compiler's form, for tests. They end, stay inside a lane's memory, and read only what they have
 * written or what was there at the start. */
#ifndef TESTS_OPENCL_PROGRAM_H
#define TESTS_OPENCL_PROGRAM_H

#include "opencl/ir/ir.h"

/* `size` is about the number of statements. */
struct ir *program_random(uint64_t seed, uint32_t size);

#endif
