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
 * A descriptor is planes of lines of contiguous bytes, with pitches on either side. In normal form lines that follow
 * each other without a gap on both sides are one line, planes of one line are lines, and planes that go on where the
 * last one's lines ended are more lines: a copy costs what it is, however it is written. One of more than `dimensions`
 * (1 a line, 2 lines, 3 planes) stays at the head of the queue while its parts are accepted one after the other, each
 * with a channel, an issue_gap and a set-up of its own. With `lines` separate, lines are not joined. A copy whose
 * descriptor has to be fetched first (`fetch`) takes descriptor_fetch cycles more to set up.
 *
 * Channels send requests of at most `granularity` bytes: a piece of a line, or whole lines as a pack. An engine sends
 * one address a cycle; a burst keeps the turn. Inbound data pass the read side and then the LDS in beats, outbound data
 * the LDS, the write side and the way to memory. A channel is free when the last request of its part has landed. A
 * `posted` copy is complete when its data have left; a copy behind a fence starts when its owner's earlier copies have
 * done with the flagged spaces. A line shorter than `gather` counts as `gather` bytes on the side that faces memory.
 *
 * docs/closed-forms.md has the rules of all that, with the formulas for what a copy takes to the cycle, where padding
 * and swizzles put its bytes, how `misaligned` lines are split, and what trains are.
 *
 * Invariant: every byte of a descriptor is in exactly one request or, outside of its buffer, zeroed or dropped; a
 * request lands exactly once, and the event completes `completion` cycles after the last one has landed. The
 * engine holds no data: dma_covers() tells those who commit bytes what a request covers.
 *
 * Not modelled: address translation, bus errors, joining the addresses of lines that share a window of
 * `granularity`, two directions in one buffer. dma.copy other than `engine`, full and retry_gap are the compute
 * unit's. */
#ifndef DMA_DMA_H
#define DMA_DMA_H

#include "dma/timeline.h"
#include "sim/core/component.h"
#include "sim/core/histogram.h"
#include "sim/core/params.h"
#include "sim/core/port.h"
#include "sim/core/rate.h"
#include "sim/core/stats.h"
#include "sim/core/timeline.h"
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
enum dma_lines { DMA_JOINED, DMA_SEPARATE };
enum dma_cut { DMA_CUT_GLOBAL, DMA_CUT_BOTH };
enum dma_arbitration { DMA_ROUND_ROBIN, DMA_OLDEST, DMA_PRIORITY, DMA_QUOTA };
enum dma_full { DMA_STALL, DMA_RETRY };
enum dma_decoupling { DMA_DECOUPLED, DMA_COUPLED };
enum dma_misaligned { DMA_SHIFT, DMA_SPLIT, DMA_REFUSE };
enum dma_out_of_bounds { DMA_ERROR, DMA_ZERO, DMA_SKIP };
enum dma_swizzle { DMA_LINEAR, DMA_SWIZZLE_32, DMA_SWIZZLE_64, DMA_SWIZZLE_128 };
enum dma_l2 { DMA_ALLOCATE, DMA_BYPASS };
enum dma_copy { DMA_BY_ENGINE, DMA_BY_LANES, DMA_BLOCKING };

/* Work-groups whose copies an engine can have at a time: 64 of each of 8 compute units. */
enum { DMA_OWNERS = 512, DMA_CU_OWNERS = 64 };

/* Address spaces of a copy fence, as a mask. */
enum { DMA_FENCE_LDS = 1, DMA_FENCE_GLOBAL = 2 };

/* A copy, CU to engine: planes of lines of contiguous bytes. Any count of 0 is legal: nothing moves, the event
 * completes. */
struct dma_descriptor {
  uint64_t tag;    /* the sender's name for it, given back when it is done */
  uint32_t origin; /* likewise: the instruction, where the sender keeps its books of it */
  uint16_t launch; /* of those at once: the instruction's */
  uint64_t number; /* likewise: of the copy, among the sender's */
  uint32_t owner;  /* the work-group, below DMA_OWNERS: fences order the copies of one owner */
  uint8_t after;   /* DMA_FENCE_*: the owner's fences between its copy before this one and this one */
  bool to_lds;
  uint64_t global;        /* address of the first byte */
  uint32_t lds;           /* its offset in the CU's LDS */
  uint32_t element_bytes; /* lines consist of whole elements */
  uint32_t line_bytes, lines, planes;
  uint64_t global_pitch, global_plane; /* from line start to line start, from plane start to plane start */
  uint32_t lds_pitch, lds_plane;
  uint64_t global_from, global_to; /* the buffer: bytes outside of [from, to) do not exist */
  bool fetch;                      /* the engine has to fetch its descriptor from memory */
  cycle_t issued;                  /* the cycle in which the last warp issued the copy */
};

/* Engine to CU: in the cycle in which it arrives the copy has landed and its event is complete; or, of a posted copy,
 * first its data have left for memory, which completes the event, and later they have landed. */
enum dma_news { DMA_DONE, DMA_LEFT, DMA_LANDED };
struct dma_done {
  uint64_t tag;
  enum dma_news news;
  uint32_t origin;
  cycle_t latency;   /* from `issued` to this arrival */
  uint64_t requests; /* of the copy, sent to memory or to the LDS */
  uint64_t bytes;    /* that these asked for */
  uint64_t number;   /* the descriptor's */
};

/* What one request covers, while it is under way: one run of bytes, or several whole lines of a plane. LDS
 * addresses are those before the swizzle. */
struct dma_request {
  uint64_t tag; /* the copy's */
  bool to_lds;
  bool zero;  /* no bytes of memory: zeros go to the LDS */
  bool train; /* its lines follow each other, one a cycle */
  uint64_t global, global_pitch;
  uint32_t lds, lds_pitch;
  uint32_t bytes, lines; /* of a line, at least one */
};

struct dma {
  struct component component;
  struct dma_params params;
  struct dma_stats stats;
  struct histogram *latency; /* cycles from `issued` to the arrival of dma_done; set by whoever builds the engine */
  uint32_t queue_peak;       /* most descriptors that waited at once */
  uint64_t out_bytes;        /* of stats.bytes, those of outbound copies */
  struct dma_timeline timeline;
  struct port from_cu;     /* struct dma_descriptor; capacity params.queue: this is the queue */
  struct port to_cu;       /* struct dma_done */
  struct port to_memory;   /* struct transfer, its tag a request of this engine */
  struct port from_memory; /* struct transfer_reply: data are here, or the write is performed */
  struct port *to_lds;     /* struct transfer; the port that the LDS keeps for this engine */
  struct port *from_lds;   /* struct transfer_reply */
  uint32_t probe_queue, probe_channels, probe_outstanding; /* for waveforms */
  /* QUEUE, CHANNEL, REQUEST; of several compute units that share the engine it is the first's. */
  struct timeline_tap tap;
  uint32_t number; /* of the engine, for the timeline */
  struct dma_work *work;
};

/* Builds an engine between `cu`, the memory port `memory` (whose replies take at least
 * `memory_latency` cycles) and the LDS. False when memory runs out. */
bool dma_init(struct dma *dma, const struct dma_params *params, struct component *cu, struct component *memory,
              cycle_t memory_latency, struct port *to_lds, struct port *from_lds);
void dma_free(struct dma *dma);

/* Closes the counters of what a deadlock or a cycle limit has left unfinished, at cycle `end`. */
void dma_abandon(struct dma *dma, cycle_t end);

/* Tells the timeline in cycle `now` what a run that was cut short at `end` has left unfinished. */
void dma_tell_cut(const struct dma *dma, cycle_t end, cycle_t now);

/* Where in the LDS byte `offset` of a copy's LDS side lies, the copy starting at `lds`; and of that the swizzle
 * alone: docs/closed-forms.md, places in the LDS. */
uint32_t dma_place(const struct dma_params *params, uint32_t lds, uint32_t offset);
uint32_t dma_swizzled(const struct dma_params *params, uint32_t address);

/* Whether an engine whose `misaligned` is `refuse` takes the copy. */
bool dma_aligned(const struct dma_params *params, const struct dma_descriptor *copy);

/* Whole elements of a line of the copy, at `global`, that lie inside its buffer are the line's bytes from *from to
 * before *to. */
void dma_inside(const struct dma_descriptor *copy, uint64_t global, uint32_t *from, uint32_t *to);

/* Whose copy request `tag` belongs to. Valid as long as dma_covers() is. */
uint32_t dma_owner(const struct dma *dma, uint32_t tag);

/* What request `tag` covers. Valid from its sending until it has landed. */
struct dma_request dma_covers(const struct dma *dma, uint32_t tag);

#endif
