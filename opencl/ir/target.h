/* What a kernel is compiled for, and the passes that this chooses between. */
#ifndef OPENCL_IR_TARGET_H
#define OPENCL_IR_TARGET_H

#include "isa/features.h"

enum opencl_pass {
#define PASS(name, level, text) PASS_##name,
#include "opencl/ir/passes.def"
#undef PASS
  OPENCL_PASSES
};

extern const struct opencl_pass_row {
  const char *name;
  unsigned level; /* of optimization, from which on it runs */
  const char *text;
} opencl_pass[OPENCL_PASSES];

enum { OPENCL_LEVELS = 4, OPENCL_USUAL_LEVEL = 2 };

struct opencl_target {
  uint32_t registers;      /* per lane, 16 to 255; more are spilled to private memory */
  unsigned optimize;       /* level, 0 to 3 */
  uint64_t without;        /* passes that are left out, a bit each */
  bool checked;            /* hazards are looked for: what a work-group must reach in each turn of a loop stays in it,
                            * and so do accesses whose value nobody uses */
  struct isa_features isa; /* what the machine has */
};

/* The usual level, all registers that there are, and a machine that has no parameter set. */
struct opencl_target opencl_usual_target(void);
bool opencl_same_target(const struct opencl_target *a, const struct opencl_target *b);

/* A pass by its name; OPENCL_PASSES: there is none. */
enum opencl_pass opencl_find_pass(const char *name);

bool opencl_pass_runs(const struct opencl_target *target, enum opencl_pass pass);

#endif
