/* The warp source that executes: the functional state of one compute unit.
 *
 * It has the registers of the resident warps, the bytes of the LDS, and the bytes of DMA requests between the side that
 * was read and the side that will be written. Only the executor and isa/ write them.
 *
 * Invariant: an inbound request reads global memory when the L2 accepts it, and writes the LDS with its last beat; an
 * outbound request does the reverse. So a kernel that does not wait sees the old bytes, as in hardware. Between the two
 * sides, the lines of a pack are contiguous. The engine decides where padding and swizzle put bytes (dma_place()). An
 * access by which a warp carries out a copy holds the bytes from the commit of its load to the commit of its store.
 *
 * Not modeled: memory errors. */
#ifndef MODELS_EXECUTOR_H
#define MODELS_EXECUTOR_H

#include "lds/lds.h"
#include "models/warp_source.h"

struct dma;
struct dma_descriptor;
struct dma_params;

struct executor {
  struct warp_source source;
  const struct isa_launch *launches; /* the launches that run at once */
  struct isa_warp *warps;            /* per warp slot */
  uint32_t warp_count;               /* slots */
  struct isa_group *groups;          /* per group slot */
  uint32_t group_count;              /* slots */
  unsigned char *warp_storage;       /* of all warps, reused by later launches: isa_warp_start() clears it */
  size_t warp_bytes, warp_room;      /* bytes per warp, enough for any of the launches; allocated bytes per warp */
  void **large_storage; /* used instead of warp_storage if a warp has LARGE_WARP bytes or more: allocated per slot when
                           a warp starts */
  uint8_t *lds;         /* the first `lds_room` of `lds_size` bytes; */
  uint32_t lds_room, lds_size;    /* the rest is zeros */
  uint8_t **staging[LDS_ENGINES]; /* by tag: `staged` bytes of a request in flight; NULL: never used */
  uint32_t tags;                  /* per engine */
  const struct executor *owner;   /* owns the staging bytes: this one, or the first of the CUs that share engines */
  size_t staged;
  const struct dma *dma; /* the engines, which know what a request covers */
};

void executor_init(struct executor *executor, const struct machine *machine, const struct dma *dma,
                   const struct executor *owner);
void executor_free(struct executor *executor);

/* Carries out a whole copy at once, for callers in which nothing takes time. */
void executor_copy_now(struct executor *executor, const struct dma_params *params, const struct dma_descriptor *copy);

#endif
