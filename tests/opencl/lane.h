/* One lane that runs the compiler's form directly, for tests: what it stores is what passes must not change. */
#ifndef TESTS_OPENCL_LANE_H
#define TESTS_OPENCL_LANE_H

#include "opencl/ir/ir.h"

enum { LANE_GLOBAL = 4096, LANE_LDS = 1024, LANE_PRIVATE = 1024, LANE_ARGS = 64 };

struct lane {
  uint8_t global[LANE_GLOBAL], lds[LANE_LDS], private_memory[LANE_PRIVATE], args[LANE_ARGS];
  uint32_t id;     /* local, group and global ids follow from it */
  uint64_t digest; /* of all stores and barriers, in order */
  uint64_t seen;   /* of what memory holds at each barrier and at the end: all that others may see */
  uint64_t steps;  /* instructions that ran */
  bool failed;     /* outside memory, too long, or something that a lane of this kind cannot do */
};

/* Fills memory and arguments from a seed. */
void lane_start(struct lane *lane, uint64_t seed, uint32_t id);
void lane_run(struct lane *lane, const struct ir *ir);

/* Runs a pass on an ended kernel: the form holds, and lanes with other arguments and memory store what they did. */
void lane_same_after(struct ir *ir, void (*pass)(struct ir *));

#endif
