/* The work in each lane of operations that do not access memory: one function per row of ops.def, generated in lanes.c.
 * That file is compiled twice, for any x86-64 and for those with AVX2 and FMA. Both give the same bits, which a test
 * checks. */
#ifndef ISA_LANES_H
#define ISA_LANES_H

#include "isa/isa.h"

/* Applies `inst` to the lanes of `mask`, which must not be empty. `stride` is the launch's warp size. */
typedef void (*isa_lanes_function)(struct isa_warp *warp, const struct isa_inst *inst, uint64_t mask, uint32_t stride);

/* By operation; NULL for branches, memory accesses, barriers and copies. */
extern const isa_lanes_function isa_lanes_base[];
#ifdef __x86_64__
extern const isa_lanes_function isa_lanes_v3[];

static inline bool isa_lanes_have_v3(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
#endif

/* The fastest table that this host can run. */
static inline const isa_lanes_function *isa_lanes(void) {
#ifdef __x86_64__
  if (isa_lanes_have_v3())
    return isa_lanes_v3;
#endif
  return isa_lanes_base;
}

#endif
