/* A DMA engine: it moves work-group copies between global memory and the LDS while warps compute.
 *
 *   from_cu            channels                 to_memory / from_memory
 *  ┌───────┐ issue_gap ┌──────┐ an address      ┌───────────┐
 *  │ queue ├──────────►│ ch 0 ├─a cycle────────►│  link, L2 │
 *  └───────┘   setup   │ ...  │ requests of     └─────┬─────┘
 *   in parts of        └──────┘ `granularity`         │ data
 *  `dimensions`            fences, quota,             │
 *                          bursts             ┌───────▼──────┐
 *       to_cu  ◄── completion ◄── last landed │ sides,       │
 *                                   LDS port ◄┤ `buffer`     │
 *                                      beats  └──────────────┘
 *
 * A descriptor describes planes of lines of contiguous bytes, with a pitch on each side. The engine first brings it to
 * a normal form (cut.c), so that the cost of a copy depends on its shape and not on how it is written. A descriptor of
 * more than `dimensions` dimensions (1: a line, 2: lines, 3: planes) stays at the head of the queue while its parts are
 * accepted one by one. Each part has its own channel, issue_gap and setup.
 *
 * Channels send requests of at most `granularity` bytes: a piece of a line, or a pack of whole lines. An engine sends
 * one address a cycle, and a channel keeps its turn for a burst. Inbound data pass the read side, then enter the LDS in
 * beats. Outbound data pass the LDS, the write side and the way to memory. A channel is free when the last request of
 * its part has landed. A `posted` copy is complete when its data have left the engine. A copy behind a fence starts
 * when its owner's earlier copies are done with the fenced address spaces.
 *
 * docs/closed-forms.md has the rules with formulas: the cycles that a copy takes, where padding and swizzles put its
 * bytes, how `misaligned` lines are split, and what trains are.
 *
 * Invariant: every byte of a descriptor is in exactly one request or, if it is outside its buffer, zeroed or dropped. A
 * request lands exactly once. The event completes `completion` cycles after the last request has landed. The engine
 * holds no data: dma_covers() reports which bytes a request covers.
 *
 * Not modeled: address translation, bus errors, merging the addresses of lines in one window of `granularity`, one
 * buffer for two directions. The compute unit implements dma.copy other than `engine`, dma.full and dma.retry_gap. */
#ifndef DMA_DMA_H
#define DMA_DMA_H

#include "dma/params.h"
#include "dma/stats.h"
#include "dma/timeline.h"
#include "sim/core/component.h"
#include "sim/core/histogram.h"
#include "sim/core/port.h"
#include "sim/core/rate.h"
#include "sim/core/rect.h"
#include "sim/core/timeline.h"
#include "sim/core/transfer.h"

/* Work-groups whose copies an engine can hold at one time: 64 of each of 8 compute units. */
enum { DMA_OWNERS = 512, DMA_CU_OWNERS = 64 };

/* Address spaces of a copy fence, as a bit mask. */
enum { DMA_FENCE_LDS = 1, DMA_FENCE_GLOBAL = 2 };

/* A copy, from the CU to the engine: a rectangle on each side. Any count may be 0: then nothing moves, and the event
 * completes. */
struct dma_descriptor {
  uint64_t tag;    /* the sender's identifier, returned in dma_done */
  uint32_t origin; /* returned, too: the instruction to which the sender charges it */
  uint16_t launch; /* the instruction's launch, among those that run at once */
  uint64_t number; /* returned, too: the sender's number of the copy */
  uint32_t owner;  /* the work-group's number, below DMA_OWNERS; fences order the copies of one owner */
  uint8_t after;   /* DMA_FENCE_*: the owner's fences between its previous copy and this one */
  bool to_lds;
  bool fetch;              /* the engine must fetch the descriptor from memory */
  struct rect global, lds; /* the latter in the CU's LDS */
  uint32_t element_bytes;  /* lines consist of whole elements */
  uint64_t from, to;       /* the buffer in global memory is [from, to); bytes outside it do not exist */
  cycle_t issued;          /* cycle in which the last warp issued the copy */
};

/* Notices about a copy, from the engine to the CU. DMA_DONE: it has landed, and its event completes in the cycle of
 * arrival. A posted copy sends DMA_LEFT when its data have left for memory, which completes the event, and DMA_LANDED
 * later. */
enum dma_notice { DMA_DONE, DMA_LEFT, DMA_LANDED };
struct dma_done {
  uint64_t tag;
  enum dma_notice notice;
  uint32_t origin;
  cycle_t latency;   /* from `issued` to this arrival */
  uint64_t requests; /* requests of the copy to memory or to the LDS */
  uint64_t bytes;    /* bytes of these requests */
  uint64_t number;   /* from the descriptor */
};

/* What a request in flight covers on both sides: one run of bytes, or several whole lines of a plane. LDS addresses are
 * those before the swizzle. */
struct dma_request {
  uint64_t tag; /* the copy's */
  bool to_lds;
  bool zero;  /* nothing is read: zeros go to the LDS */
  bool train; /* its lines follow each other, one a cycle */
  struct rect global, lds;
};

struct dma {
  struct component component;
  const struct dma_params *params;
  struct dma_stats stats;
  struct histogram *latency; /* from `issued` to the arrival of dma_done; the engine's builder sets it */
  uint32_t queue_peak;       /* most descriptors that waited at once */
  uint64_t out_bytes;        /* bytes of outbound copies, among stats.bytes */
  struct dma_timeline timeline;
  struct port from_cu;     /* struct dma_descriptor; capacity params.queue: this is the queue */
  struct port to_cu;       /* struct dma_done */
  struct port to_memory;   /* struct transfer, whose tag is a request of this engine */
  struct port from_memory; /* struct transfer_reply: data have arrived, or a write is performed */
  struct port *to_lds;     /* struct transfer; owned by the LDS */
  struct port *from_lds;   /* struct transfer_reply */
  uint32_t probe_queue, probe_channels, probe_outstanding; /* for waveforms */
  /* QUEUE, CHANNEL, REQUEST. The compute unit is the first of those that share the engine. */
  struct timeline_tap tap;
  uint32_t number; /* the engine's number in the timeline */
  struct dma_work *work;
};

/* Builds an engine between `cu`, the memory port `memory` (whose replies take at least `memory_latency` cycles) and the
 * LDS. */
void dma_init(struct dma *dma, const struct dma_params *params, struct component *cu, struct component *memory,
              cycle_t memory_latency, struct port *to_lds, struct port *from_lds);
void dma_free(struct dma *dma);

/* Ends the accounts of unfinished work at cycle `end`, after a deadlock or at a cycle limit. */
void dma_abandon(struct dma *dma, cycle_t end);

/* In cycle `now`, reports to the timeline what is unfinished in a run that was cut short at `end`. */
void dma_emit_cut(const struct dma *dma, cycle_t end, cycle_t now);

/* The place in the LDS of byte `offset` of the LDS side of a copy that starts at `lds`; and the effect of the swizzle
 * on an address. See "Places in the LDS" in docs/closed-forms.md. */
uint32_t dma_place(const struct dma_params *params, uint32_t lds, uint32_t offset);
uint32_t dma_swizzled(const struct dma_params *params, uint32_t address);

/* Whether an engine with dma.misaligned `refuse` takes the copy. */
bool dma_aligned(const struct dma_params *params, const struct rect *global, const struct rect *lds);

/* The whole elements of a line at `global` that are inside the copy's buffer: bytes *from to before *to of the line. */
void dma_inside(const struct dma_descriptor *copy, uint64_t global, uint32_t *from, uint32_t *to);

/* The owner of the copy of request `tag`. Valid as long as dma_covers(). */
uint32_t dma_owner(const struct dma *dma, uint32_t tag);

/* What request `tag` covers. Valid from its sending until it lands. */
const struct dma_request *dma_covers(const struct dma *dma, uint32_t tag);

#endif
