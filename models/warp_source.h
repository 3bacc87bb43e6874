/* A warp source: where a compute unit's warps get their operations.
 *
 * The compute unit decides when; the source knows what. The compute unit requests a warp's next instruction only in the
 * cycle in which the warp issues it, and has an access committed in the cycle in which the memory serves it. So
 * functional state changes in the order of the timing. A source that replays a trace (sim/replay) commits only what
 * operations on pipes do to the headers of pipes.
 *
 * Sources can be wrapped, to observe or change calls (models/source_filter.h).
 *
 * Invariant: the compute unit has indices, masks and addresses; registers and bytes are behind this interface. Slots
 * are the compute unit's warp and group slots. */
#ifndef MODELS_WARP_SOURCE_H
#define MODELS_WARP_SOURCE_H

#include "isa/isa.h"
#include "sim/core/time.h"

struct machine;
struct executor;

/* A call, with its context. */
#define WARP_CALL(result, ...)                                                                                         \
  struct {                                                                                                             \
    result (*call)(void *self, __VA_ARGS__);                                                                           \
    void *self;                                                                                                        \
  }

struct warp_source {
  /* Prepares for `count` launches that run at once; `launches` stays valid until the next call. The first compute
   * unit's source gets this call for every launch, before the others. A source that is made later gets it from then on.
   */
  WARP_CALL(void, const struct isa_launch *launches, size_t count) launch;
  /* Work-group number `linear` of launch number `launch` takes group slot `slot` and the LDS from `lds_base` on. The
   * source owns the shape that it returns. */
  WARP_CALL(const struct isa_group *, uint32_t slot, uint32_t launch, uint32_t linear, uint32_t lds_base, cycle_t now)
  start_group;
  /* Warp `index` of the group takes warp slot `slot`; returns the pc of its first instruction. */
  WARP_CALL(uint32_t, uint32_t slot, uint32_t group_slot, uint32_t index) start_warp;
  /* The warp issues its instruction in cycle `now`; returns the pc of the next one. */
  WARP_CALL(uint32_t, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) step;
  /* LDS or global memory serves the access. */
  WARP_CALL(void, struct isa_access *access) commit;
  /* The LDS has passed the last beat of an engine's request, in either direction. */
  WARP_CALL(void, unsigned engine, uint32_t tag) commit_dma_lds;
  /* The L2 has accepted an engine's request to read or write the lines of `side`, which has one plane. */
  WARP_CALL(void, unsigned engine, uint32_t tag, const struct rect *side, bool write) commit_dma_memory;
  /* The lanes of the warp that have not exited. Called only after the last step of launches that were cut short. */
  WARP_CALL(uint64_t, uint32_t slot) live;
  /* The reply to an operation on a pipe has arrived. May be NULL. */
  WARP_CALL(void, struct isa_access *access) replied;
};
#undef WARP_CALL

#define warp_source_call(source, name, ...) ((source)->name.call((source)->name.self, __VA_ARGS__))

/* A source that calls the functions of `calls`, with `self`, and the inner source where `calls` has none. */
void warp_source_wrap(struct warp_source *source, const struct warp_source *inner, const struct warp_source *calls,
                      void *self);

/* Makes the sources of compute units, instead of their executors. Called in the order of their numbers as they are
 * built, which may be between two launches. */
struct source_maker {
  void *self;
  bool executes; /* needs executors, to wrap them */
  /* The source of compute unit number `cu`; it must live as long as the simulation. `executor` is NULL unless
   * `executes`. */
  const struct warp_source *(*make)(void *self, uint32_t cu, const struct machine *machine,
                                    const struct executor *executor);
};

#endif
