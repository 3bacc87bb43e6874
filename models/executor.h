/* The warp source that executes: one compute unit's functional state.
 *
 * It holds the registers of the resident warps, the bytes of the LDS, and the bytes of DMA requests
 * between the side that was read and the side that will be written. Only it and isa/ write them.
 *
 * Invariant: an inbound request takes its bytes from global memory when the L2 accepts it and puts
 * them into the LDS with its last beat; an outbound one the other way round. A kernel that does
 * not wait therefore sees the bytes of before, as on hardware. The lines of a pack lie one behind the other in
 * between. Where padding and swizzle put the bytes is the engine's to say (dma_place()). The accesses by
 * which warps carry a copy out themselves hold its bytes from the commit of their load to that of their store.
 *
 * Not modelled: errors of the memory itself. */
#ifndef MODELS_EXECUTOR_H
#define MODELS_EXECUTOR_H

#include "models/machine.h"
#include "models/warp_source.h"

struct executor {
  struct warp_source source;
  const struct isa_launch *launches; /* that run at once */
  struct isa_warp *warps;            /* per warp slot */
  uint32_t warp_count;               /* of these slots */
  struct isa_group *groups;          /* per group slot */
  uint32_t group_count;              /* of these slots */
  unsigned char *warp_storage;       /* of all warps, kept from launch to launch: isa_warp_start() clears it */
  size_t warp_bytes, warp_room;      /* of one of them, enough for any of the launches; what there is room for */
  void **large_storage; /* instead, if a warp has LARGE_WARP bytes or more: each slot's own, taken as its warp starts */
  uint8_t *lds;         /* as far as it is used: the first `lds_room` bytes of */
  uint32_t lds_room, lds_size;    /* `lds_size`; zeros lie beyond */
  uint8_t **staging[LDS_ENGINES]; /* by tag: bytes of a request under way, `staged`; NULL: never used so far */
  uint32_t tags;                  /* of each engine */
  const struct executor *keeper;  /* whose staging its engines use: its own, or that of the first CU that shares them */
  size_t staged;
  const struct dma *dma; /* the engines, asked what a request covers */
};

bool executor_init(struct executor *executor, const struct machine *machine, const struct dma *dma,
                   const struct executor *keeper);
void executor_free(struct executor *executor);

/* Carries a copy out at once, as an engine does piece by piece: for whoever has no time between its two sides. */
void executor_carry(struct executor *executor, const struct dma_params *params, const struct dma_descriptor *copy);

#endif
