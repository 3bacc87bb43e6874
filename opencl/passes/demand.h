/* Which bits of each value are used. */
#ifndef OPENCL_PASSES_DEMAND_H
#define OPENCL_PASSES_DEMAND_H

#include "opencl/passes/rewrite.h"

struct demands {
  uint64_t *of;   /* by ref: bits that change what the kernel does; 1 for a predicate */
  bool *extended; /* by ref: some user sign-extends the low 8 or 16 bits */
  uint32_t refs;
};

void demands_find(struct demands *demands, const struct ir *ir);
void demands_free(struct demands *demands);

#endif
