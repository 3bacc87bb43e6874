/* Kernels in ir.h's form without a source: emitted, validated and run, and interpreted lane by lane for comparison. */
#ifndef TESTS_OPENCL_EMIT_RIG_H
#define TESTS_OPENCL_EMIT_RIG_H

#include "opencl/ir/ir.h"

enum { EMIT_LANES = 32, EMIT_BYTES = 1 << 16 };

/* Argument 0 is the address of `memory`; then come eight numbers. */
struct emit_rig {
  struct isa_program *program;
  uint8_t memory[EMIT_BYTES];
  uint8_t args[8 + 8 * 4];
  uint64_t steps; /* warp-instructions run */
  unsigned hazards;
};

/* The kernel every test begins with: its argument rows and an empty entry block. */
struct ir *emit_kernel_new(void);

/* Emits with at most `registers`; notes a failure. The caller closes. */
bool emit_rig_open(struct emit_rig *rig, struct ir *ir, uint32_t registers);

/* Runs one warp to its end; memory holds a pattern of its own before. Notes a failure after many steps. */
bool emit_rig_run(struct emit_rig *rig);
void emit_rig_close(struct emit_rig *rig);

/* How often an operation stands in the code. */
uint32_t emit_rig_count(const struct emit_rig *rig, enum isa_op op);

/* The same by interpretation of the form, into rig->memory. Knows the operations that the tests use. */
bool emit_rig_interpret(struct emit_rig *rig, const struct ir *ir);

/* A kernel made by chance, with up to `live` values that live to its end. */
struct ir *emit_random(uint64_t seed, uint32_t live);

#endif
