/* A warp source: where a compute unit's warps get their operations from.
 *
 * The compute unit decides when; the source knows what. It is asked for a warp's next instruction
 * only in the cycle in which the warp issues it, and told to commit an access in the cycle in which
 * the memory serves it, so that functional state changes in the order that timing gives it. A
 * source that replays a trace (sim/replay) has nothing to commit but what operations on pipes do to their headers.
 *
 * Sources can be wrapped: who wants to see or change a call begins with a copy of the source inside, takes that call
 * over with warp_source_take(), and calls the source inside in it. All other calls go straight there.
 *
 * Invariant: the compute unit keeps ids, masks and addresses; registers and bytes live behind this
 * interface. Slots are the compute unit's warp and group slots. */
#ifndef MODELS_WARP_SOURCE_H
#define MODELS_WARP_SOURCE_H

#include "isa/isa.h"
#include "sim/core/time.h"

struct machine;
struct executor;

/* A call, and whom it is for. */
#define WARP_CALL(result, ...)                                                                                         \
  struct {                                                                                                             \
    result (*call)(void *self, __VA_ARGS__);                                                                           \
    void *self;                                                                                                        \
  }

struct warp_source {
  /* Gets ready for `count` launches that run at once; they stay where they are until the next call of this. The first
   * compute unit's source hears of every launch, and before the others; one that is made later, of those from then on.
   * False when memory is out. */
  WARP_CALL(bool, const struct isa_launch *launches, size_t count) launch;
  /* Work-group number `linear` of launch number `launch` takes group slot `slot` and the LDS from `lds_base` on. Its
   * shape is kept at the source. */
  WARP_CALL(const struct isa_group *, uint32_t slot, uint32_t launch, uint32_t linear, uint32_t lds_base, cycle_t now)
  start_group;
  /* Warp `index` of the group takes warp slot `slot`; returns the pc of its first instruction. */
  WARP_CALL(uint32_t, uint32_t slot, uint32_t group_slot, uint32_t index) start_warp;
  /* The warp issues its instruction in cycle `now`; returns the pc of the one after it. */
  WARP_CALL(uint32_t, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) step;
  /* LDS or global memory serves the access. */
  WARP_CALL(void, struct isa_access *access) commit;
  /* The LDS has passed the last beat of an engine's request: in, or out of the LDS. */
  WARP_CALL(void, unsigned engine, uint32_t tag) commit_dma_lds;
  /* The L2 has accepted an engine's request. */
  WARP_CALL(void, unsigned engine, uint32_t tag) commit_dma_memory;
  /* The reply to an operation on a pipe is here. No call: the source does not want to know. */
  WARP_CALL(void, struct isa_access *access) replied;
};
#undef WARP_CALL

#define warp_source_take(source, name, function, whom) ((source)->name.call = (function), (source)->name.self = (whom))

/* Who gives the compute units their sources, if not each its executor: in the order of their numbers, as they are
 * built, which may be between two launches. */
struct source_maker {
  void *self;
  bool executes; /* wants executors, to put its own sources around them */
  /* The source of compute unit number `cu`, which lives as long as the simulation; `executor` is NULL unless wanted.
   * NULL when memory runs out. */
  const struct warp_source *(*make)(void *self, uint32_t cu, const struct machine *machine,
                                    const struct executor *executor);
};

#endif
