/* A DMA engine: it moves work-group copies between global memory and the LDS while warps compute.
 *
 *   from_cu            channels                 to_memory / from_memory
 *  ┌───────┐ issue_gap ┌──────┐ requests of     ┌───────────┐
 *  │ queue ├──────────►│ ch 0 ├─granularity────►│  link, L2 │
 *  └───────┘   setup   │ ...  │ bursts of       └─────┬─────┘
 *                      └──────┘ `burst` bytes         │ data
 *       to_cu  ◄── completion ◄── last landed ◄── LDS port, beats
 *
 * A descriptor is lines of contiguous bytes with a pitch on either side: a plain copy is one line, a
 * strided copy one line an element. A line is cut at multiples of `granularity` of the global address
 * into requests; at most one request a cycle leaves an engine, and at most `outstanding` are under way
 * from the cycle they are sent to the cycle they have landed. Inbound (global to LDS): the request goes
 * to memory, its data pass the read side (`read_width`), then the LDS (`write_width` a beat). Outbound:
 * the LDS is read (`read_width` a beat), the data pass the write side (`write_width`) and go to memory;
 * landed means acknowledged by memory.
 *
 * Invariant: every byte of a descriptor is in exactly one request, a request lands exactly once, and the
 * event completes `completion` cycles after the last one has landed. The engine holds no data:
 * dma_covers() tells those who commit bytes what a request covers.
 *
 * A channel is free again when the last request of its descriptor has landed; the news of completion
 * takes `completion` cycles (0 counts as 1: a link takes a cycle) and holds nobody up. The lowest-numbered
 * free channel takes the oldest descriptor, one a cycle at most. A burst's first request leaves only if its
 * port (memory's for inbound, the LDS's for outbound copies) has room; within a burst the channel keeps the
 * turn and waits.
 *
 * Timing of a copy of one request of b bytes, sent to an idle engine at t0; memory's reply arrives R (W)
 * cycles after the read (write) request was sent; B = the beats in which the LDS moves b bytes:
 *
 *     b = 128, read_width = 64, write_width = 32, setup = 2, R = 5, completion = 3
 *
 *     cycle       0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17       t0 = 0
 *     from_cu     d
 *     channel        a  .  .  .  .  .  .  .  .  .  .  .  .  f                accepted 1, free 14
 *     to_memory            r                                                 sent 1 + setup
 *     read side                           =  =                               from 3 + R on
 *     LDS beats                                 #  #  #  #                   the last in 13
 *     to_cu                                                  .  .  .  e      landed 14, complete 17
 *
 *     outbound: LDS beats (read_width) from the cycle after the request, write side (write_width) from the
 *     cycle after the last beat, memory W from the cycle in which the last byte passes, then completion.
 *
 *     inbound    t0 + 1 + setup + R + ⌈b/read_width⌉ + B + completion
 *     outbound   t0 + 1 + setup + B + ⌈b/write_width⌉ + W + completion
 *
 * In general request i (from 0; bytes b_i, B_i beats) leaves at s_i and lands at l_i, where l_i of i < 0 is 0:
 *
 *     s_0 = t0 + 1 + setup      s_i = max(s_(i-1) + 1 [+ line_cycles before a line], l_(i-outstanding))
 *     inbound    P_i = max(P_(i-1), (s_i + R) · read_width) + b_i    bytes through the read side
 *                e_i = max(e_(i-1), ⌈P_i / read_width⌉ - 1) + B_i    its last beat
 *                l_i = e_i + 1
 *     outbound   e_i = max(e_(i-1), s_i) + B_i                       its last beat
 *                P_i = max(P_(i-1), (e_i + 1) · write_width) + b_i   bytes through the write side
 *                l_i = ⌈P_i / write_width⌉ - 1 + W
 *     done       max(l) + completion
 *
 * For n equal, aligned requests of g bytes, a side of the engine and the LDS being r and w cycles a
 * request (whole numbers; w = ⌈g/width⌉, its width at most a word of every bank), with trip T = r + R + w:
 *
 *     outstanding · max(1, r, w) ≥ T   t0 + 1 + setup + (n-1) · max(1, r, w) + T + completion
 *     otherwise                        t0 + 1 + setup + ⌊(n-1)/outstanding⌋ · T
 *                                         + ((n-1) mod outstanding) · max(1, r, w) + T + completion
 *
 * So a long copy moves the least of granularity (one request a cycle), read_width, write_width and
 * outstanding · granularity / T bytes a cycle. tests/dma holds all of this to the cycle.
 *
 * Not modelled: address translation, more than lines (planes), bus errors. */
#ifndef DMA_DMA_H
#define DMA_DMA_H

#include "sim/core/component.h"
#include "sim/core/histogram.h"
#include "sim/core/params.h"
#include "sim/core/port.h"
#include "sim/core/rate.h"
#include "sim/core/stats.h"
#include "sim/core/transfer.h"

struct dma_params {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#include "dma/dma.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};

struct dma_stats {
#define STAT STAT_FIELD
#include "dma/dma.stats.def"
#undef STAT
};

extern const struct param_row dma_param_rows[];
extern const size_t dma_param_count;
extern const struct stat_group dma_stat_group;

/* The order of the words in the ENUM rows. */
enum dma_arbitration { DMA_ROUND_ROBIN, DMA_OLDEST, DMA_PRIORITY, DMA_QUOTA };
enum dma_full { DMA_STALL, DMA_RETRY };
enum dma_decoupling { DMA_DECOUPLED, DMA_COUPLED };
enum dma_misaligned { DMA_SHIFT, DMA_SPLIT, DMA_REFUSE };
enum dma_out_of_bounds { DMA_ERROR, DMA_ZERO, DMA_SKIP };
enum dma_swizzle { DMA_LINEAR, DMA_SWIZZLE_32, DMA_SWIZZLE_64, DMA_SWIZZLE_128 };
enum dma_l2 { DMA_ALLOCATE, DMA_BYPASS };
enum dma_copy { DMA_BY_ENGINE, DMA_BY_LANES, DMA_BLOCKING };

/* Address spaces of a copy fence, as a mask. */
enum { DMA_FENCE_LDS = 1, DMA_FENCE_GLOBAL = 2 };

/* A copy, CU to engine: planes of lines of contiguous bytes. Any count of 0 is legal: nothing moves, the event
 * completes. */
struct dma_descriptor {
  uint64_t tag;    /* the sender's name for it, given back when it is done */
  uint32_t origin; /* likewise: where the sender keeps its books of it */
  uint32_t owner;  /* the work-group: fences order the copies of one owner */
  uint8_t after;   /* DMA_FENCE_*: the owner's fences between its copy before this one and this one */
  bool to_lds;
  uint64_t global;        /* address of the first byte */
  uint32_t lds;           /* its offset in the CU's LDS */
  uint32_t element_bytes; /* lines consist of whole elements */
  uint32_t line_bytes, lines, planes;
  uint64_t global_pitch, global_plane; /* from line start to line start, from plane start to plane start */
  uint32_t lds_pitch, lds_plane;
  uint64_t global_from, global_to; /* the buffer: bytes outside of [from, to) do not exist */
  cycle_t issued;                  /* the cycle in which the last warp issued the copy */
};

/* Engine to CU: the event of the copy is complete in the cycle in which this arrives. */
struct dma_done {
  uint64_t tag;
  uint32_t origin;
  cycle_t latency; /* from `issued` to this arrival */
};

/* What one request covers, while it is under way. */
struct dma_request {
  bool to_lds;
  uint64_t global;
  uint32_t lds, bytes;
};

struct dma {
  struct component component;
  struct dma_params params;
  struct dma_stats stats;
  struct histogram latency; /* cycles from `issued` to the arrival of dma_done */
  uint32_t queue_peak;      /* most descriptors that waited at once */
  struct port from_cu;      /* struct dma_descriptor; capacity params.queue: this is the queue */
  struct port to_cu;        /* struct dma_done */
  struct port to_memory;    /* struct transfer, its tag a request of this engine */
  struct port from_memory;  /* struct transfer_reply: data are here, or the write is performed */
  struct port *to_lds;      /* struct transfer; the port that the LDS keeps for this engine */
  struct port *from_lds;    /* struct transfer_reply */
  uint32_t probe_queue, probe_channels, probe_outstanding; /* for waveforms */
  struct dma_work *work;
};

/* Builds an engine between `cu`, the memory port `memory` (whose replies take at least
 * `memory_latency` cycles) and the LDS. False when memory runs out. */
bool dma_init(struct dma *dma, const struct dma_params *params, struct component *cu, struct component *memory,
              cycle_t memory_latency, struct port *to_lds, struct port *from_lds);
void dma_free(struct dma *dma);

/* Closes the counters of what a deadlock or a cycle limit has left unfinished, at cycle `end`. */
void dma_abandon(struct dma *dma, cycle_t end);

/* What request `tag` covers. Valid from its sending until it has landed. */
struct dma_request dma_covers(const struct dma *dma, uint32_t tag);

#endif
