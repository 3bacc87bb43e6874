/* OpenCL C without a machine: compiles a source, lowers it, and runs all work-groups of a launch, one after the other.
 * Every access takes effect at once. Warps of a group take turns at barriers, copies and waits; the last warp to arrive
 * carries out a copy. */
#ifndef TESTS_OPENCL_GROUP_RIG_H
#define TESTS_OPENCL_GROUP_RIG_H

#include "isa/ops.h"
#include "isa/pipe.h"
#include "opencl/opencl.h"

#include <stdio.h>

enum { GROUP_RIG_MEETINGS = 64, GROUP_RIG_BUFFERS = 6, GROUP_RIG_BYTES = 1 << 16, GROUP_RIG_WARPS = 64 };

struct group_rig {
  struct isa_program *program;
  uint32_t dimensions, global[3], local[3], offset[3], warp_size;
  struct isa_buffer buffers[GROUP_RIG_BUFFERS + 1]; /* the arguments, and the program's variables */
  char *printed;                                    /* all that was printed */
  size_t printed_size;
  FILE *print;
  struct isa_pipe pipes[GROUP_RIG_BUFFERS];
  unsigned pipe_count;
  unsigned hazards;
  struct isa_hazard hazard; /* the last one */
  /* Barriers, copies, waits and fences between copies, in the order in which the last warp reached them. */
  unsigned meetings;
  struct isa_result met[GROUP_RIG_MEETINGS];
  bool moves_nothing; /* copies are recorded but not carried out */
  uint64_t clock;     /* what the next clock read returns; each executed instruction adds one */
};

/* Compiles with -cl-std=`standard`; false with *error filled. */
bool group_rig_compile(struct group_rig *rig, const char *source, const char *standard, struct isa_error *error);

/* Like group_rig_compile(), from LLVM IR as clang writes it at a level of its own, "-O0" or "-O2", without our header.
 */
bool group_rig_clang(struct group_rig *rig, const char *source, const char *standard, const char *level,
                     struct isa_error *error);

/* Returns the compiler's output; the caller frees it. */
bool group_rig_spirv(const char *source, const char *standard, uint8_t **spirv, size_t *size, struct isa_error *error);

/* Like group_rig_compile(), from a module. */
bool group_rig_lower(struct group_rig *rig, const uint8_t *spirv, size_t size, struct isa_error *error);

/* Like group_rig_compile() with CL3.0, for another target or another way of copying; registers are not limited. */
bool group_rig_limits(struct group_rig *rig, const char *source, struct opencl_limits limits, struct isa_error *error);

/* Like group_rig_compile(); a failure fails the test. By default, one dimension and one group of 64. */
bool group_rig_open(struct group_rig *rig, const char *source);
void group_rig_range(struct group_rig *rig, uint32_t items, uint32_t local, uint32_t warp_size);

/* Makes the next pipe, with buffer `argument`, for a pipe argument. */
struct isa_pipe *group_rig_pipe(struct group_rig *rig, unsigned argument, uint32_t packet_size, uint32_t max_packets);

/* Runs the program's first kernel with buffers 0, 1, ... as arguments. False if it does not end. */
bool group_rig_run(struct group_rig *rig);
void group_rig_close(struct group_rig *rig);

static inline uint32_t *group_rig_words(struct group_rig *rig, unsigned buffer) {
  return (uint32_t *)(void *)rig->buffers[buffer].data;
}

/* The operation of meeting number `i`; ISA_OPS if there were fewer. */
enum isa_op group_rig_met(const struct group_rig *rig, unsigned i);

/* How often the operation occurs in the program. */
unsigned group_rig_count(const struct group_rig *rig, enum isa_op op);

#endif
