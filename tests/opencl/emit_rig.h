/* Kernels in ir.h's form without source text: emitted, validated and run, and interpreted lane by lane for comparison.
 */
#ifndef TESTS_OPENCL_EMIT_RIG_H
#define TESTS_OPENCL_EMIT_RIG_H

#include "isa/ops.h"
#include "opencl/ir/ir.h"

enum { EMIT_LANES = 32, EMIT_BYTES = 1 << 16 };

/* Argument 0 is the address of `memory`; eight numbers follow. */
struct emit_rig {
  struct isa_program *program;
  uint8_t memory[EMIT_BYTES];
  uint8_t args[8 + 8 * 4];
  uint64_t steps; /* instructions executed by the warp */
  unsigned hazards;
};

/* The start of every test's kernel: its argument rows and an empty entry block. */
struct ir *emit_kernel_new(void);

/* Emits with at most `registers`; reports a failure to the test. The caller closes. */
bool emit_rig_open(struct emit_rig *rig, struct ir *ir, uint32_t registers);

/* Runs one warp to its end; memory starts with a fixed pattern. Reports a failure to the test if it takes too many
 * steps. */
bool emit_rig_run(struct emit_rig *rig);
void emit_rig_close(struct emit_rig *rig);

/* How often an operation occurs in the code. */
uint32_t emit_rig_count(const struct emit_rig *rig, enum isa_op op);

/* Interprets the form instead, into rig->memory. Supports the operations that the tests use. */
bool emit_rig_interpret(struct emit_rig *rig, const struct ir *ir);

/* A random kernel with up to `live` values that are live to its end. */
struct ir *emit_random(uint64_t seed, uint32_t live);

#endif
