/* A warp source: where a compute unit's warps get their operations from.
 *
 * The compute unit decides when; the source knows what. It is asked for a warp's next instruction
 * only in the cycle in which the warp issues it, and told to commit an access in the cycle in which
 * the memory serves it, so that functional state changes in the order that timing gives it. A
 * source that replays a trace (sim/replay) has nothing to commit but what operations on pipes do to their headers.
 *
 * Invariant: the compute unit keeps ids, masks and addresses; registers and bytes live behind this
 * interface. Slots are the compute unit's warp and group slots. */
#ifndef MODELS_WARP_SOURCE_H
#define MODELS_WARP_SOURCE_H

#include "isa/isa.h"
#include "sim/core/time.h"

struct machine;
struct executor;

struct warp_source {
  void *self;
  /* Gets ready for `count` launches that run at once; they stay where they are until the next call of this. False when
   * memory is out. */
  bool (*launch)(void *self, const struct isa_launch *launches, size_t count);
  /* Work-group number `linear` of launch number `launch` takes group slot `slot` and the LDS from `lds_base` on. Its
   * shape is kept at the source. */
  const struct isa_group *(*start_group)(void *self, uint32_t slot, uint32_t launch, uint32_t linear, uint32_t lds_base,
                                         cycle_t now);
  /* Warp `index` of the group takes warp slot `slot`; returns the pc of its first instruction. */
  uint32_t (*start_warp)(void *self, uint32_t slot, uint32_t group_slot, uint32_t index);
  /* The warp issues its instruction in cycle `now`; returns the pc of the one after it. */
  uint32_t (*step)(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result);
  /* LDS or global memory serves the access. */
  void (*commit)(void *self, struct isa_access *access);
  /* The LDS has passed the last beat of an engine's request: in, or out of the LDS. */
  void (*commit_dma_lds)(void *self, unsigned engine, uint32_t tag);
  /* The L2 has accepted an engine's request. */
  void (*commit_dma_memory)(void *self, unsigned engine, uint32_t tag);
  /* The reply to an operation on a pipe is here. NULL: the source does not want to know. */
  void (*replied)(void *self, struct isa_access *access);
};

/* Who gives the compute units their sources, if not each its executor. */
struct source_maker {
  void *self;
  bool executes; /* wants executors, to put its own sources around them */
  /* The source of compute unit number `cu`, which lives as long as the simulation; `executor` is NULL unless wanted.
   * NULL when memory runs out. */
  const struct warp_source *(*make)(void *self, uint32_t cu, const struct machine *machine,
                                    const struct executor *executor);
};

#endif
