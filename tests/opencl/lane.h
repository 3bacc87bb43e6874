/* One lane that runs the compiler's form directly, for tests: passes must not change what it stores. */
#ifndef TESTS_OPENCL_LANE_H
#define TESTS_OPENCL_LANE_H

#include "opencl/ir/ir.h"

enum { LANE_GLOBAL = 4096, LANE_LDS = 1024, LANE_PRIVATE = 1024, LANE_ARGS = 64 };

struct lane {
  uint8_t global[LANE_GLOBAL], lds[LANE_LDS], private_memory[LANE_PRIVATE], args[LANE_ARGS];
  uint32_t id;     /* local, group and global IDs follow from it */
  uint64_t digest; /* of all stores and barriers, in order */
  uint64_t seen;   /* of memory at each barrier and at the end, if is_watched: everything that others can see */
  uint64_t steps;  /* instructions that ran */
  bool is_watched; /* not by default: it takes most of the time */
  bool failed;     /* access outside memory, too many steps, or an unsupported operation */
};

/* Fills memory and arguments from a seed. */
void lane_start(struct lane *lane, uint64_t seed, uint32_t id);
void lane_run(struct lane *lane, const struct ir *ir);

/* Runs a pass on a finished kernel. Checks the form, and that lanes with different arguments and memory store the same
 * as before. */
void lane_same_after(struct ir *ir, void (*pass)(struct ir *));

#endif
