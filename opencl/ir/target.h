/* What a kernel is compiled for, and the passes that this selects. */
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
  unsigned level; /* lowest optimization level at which it runs */
  const char *text;
} opencl_pass[OPENCL_PASSES];

enum { OPENCL_LEVELS = 4, OPENCL_USUAL_LEVEL = 2 };

struct opencl_target {
  uint32_t registers; /* per lane, 16 to 255; values beyond that are spilled to private memory */
  unsigned optimize;  /* level, 0 to 3 */
  uint64_t without;   /* disabled passes, one bit each */
  bool checked; /* hazards are checked: loops with barriers, copies or waits are not unrolled, and accesses whose values
                   are unused stay */
  struct isa_features isa; /* what the machine provides */
};

/* The default level, all registers, and a machine with default parameters. */
struct opencl_target opencl_usual_target(void);
bool opencl_same_target(const struct opencl_target *a, const struct opencl_target *b);

/* Finds a pass by name; OPENCL_PASSES: none. */
enum opencl_pass opencl_find_pass(const char *name);

bool opencl_pass_runs(const struct opencl_target *target, enum opencl_pass pass);

#endif
