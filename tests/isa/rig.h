/* A work-group without a machine: assembles a kernel and runs its warps. Every access commits at once, every barrier is
 * a rendezvous of the warps, and copies are performed at once. */
#ifndef TESTS_ISA_RIG_H
#define TESTS_ISA_RIG_H

#include "isa/isa.h"

enum { RIG_BYTES = 1 << 16, RIG_LDS = 1 << 12, RIG_ARGS = 64, RIG_WARPS = 16, RIG_HAZARDS = 64 };

struct rig {
  struct isa_program *program;
  struct isa_launch launch;
  struct isa_group group;
  struct isa_warp warp[RIG_WARPS];
  void *storage[RIG_WARPS];
  struct isa_memory memory;
  struct isa_buffer buffers[2]; /* "a" at ISA_GLOBAL_BASE, "b" a gap later */
  uint8_t *lds;
  uint8_t args[RIG_ARGS];
  struct isa_hazard hazard[RIG_HAZARDS];
  unsigned hazards;
  uint64_t steps;
  struct isa_result last; /* of the last step */
  struct isa_access access;
  struct isa_access_lanes lanes; /* the lanes of `access` */
  uint32_t deepest;              /* largest branch stack seen */
};

/* Assembles `source`; a failure is printed and is a test failure. Then starts a group of `items` by 1 by 1 with warps
 * of `warp_size` lanes. */
bool rig_open(struct rig *rig, const char *source, uint32_t items, uint32_t warp_size);

/* The same for group number `linear` of an NDRange. */
bool rig_open_range(struct rig *rig, const char *source, uint32_t dimensions, const uint32_t global[3],
                    const uint32_t local[3], const uint32_t offset[3], uint32_t linear, uint32_t warp_size);

/* Executes one step of a warp and commits its access. */
void rig_step(struct rig *rig, uint32_t warp);

/* Runs all warps to their end. False if they take more than `most` steps. */
bool rig_run(struct rig *rig, uint64_t most);

void rig_close(struct rig *rig);

static inline uint32_t rig_reg(const struct rig *rig, uint32_t reg, uint32_t lane) {
  return rig->warp[lane / rig->launch.warp_size].reg[reg * rig->launch.warp_size + lane % rig->launch.warp_size];
}

static inline uint64_t rig_pair(const struct rig *rig, uint32_t reg, uint32_t lane) {
  return (uint64_t)rig_reg(rig, reg + 1, lane) << 32 | rig_reg(rig, reg, lane);
}

static inline bool rig_pred(const struct rig *rig, uint32_t pred, uint32_t lane) {
  return rig->warp[lane / rig->launch.warp_size].pred[pred] >> lane % rig->launch.warp_size & 1;
}

/* A view of buffer 0 as u32 words. */
static inline uint32_t *rig_words(struct rig *rig) { return (uint32_t *)(void *)rig->buffers[0].data; }

#endif
