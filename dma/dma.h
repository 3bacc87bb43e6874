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
 * A descriptor is planes of lines of contiguous bytes, with pitches on either side. It is brought into normal
 * form first: lines that follow each other without a gap on both sides are one line, planes of one line are
 * lines, planes that go on where the last one's lines ended are more lines. So a copy costs what it is, however
 * it is written: a 2D copy of one line is a plain one, a strided copy is a 2D one of 1-element lines. Its
 * dimensions are 1 (a line), 2 (lines) or 3 (planes). One of more than `dimensions` stays at the head of the
 * queue while its parts (lines, or planes) are accepted one after the other, each with a channel, an issue_gap
 * and a set-up of its own. With `lines` separate, lines are joined neither to longer ones nor to packs. A copy
 * whose descriptor has to be fetched first (`fetch`) takes descriptor_fetch cycles more to set up.
 *
 * A request is at most `granularity` bytes of data. A line is cut at multiples of `granularity` of the global
 * address. When two lines or more fit into `granularity` bytes, they are not cut: a request is then a *pack*, as
 * many whole lines of one plane as fit. One address a cycle leaves an engine: one for a piece of a line, one for
 * each line of a pack, two for a line of a pack that lies across a multiple of `granularity`. A request is sent
 * with its last address. It is under way from its first address until it has landed, and `outstanding` bounds
 * how many are; `quota` those of a channel. Inbound (global to LDS): the request goes to memory, its data pass
 * the read side (`read_width`), then the LDS (`write_width` a beat). Outbound: the LDS is read (`read_width` a
 * beat, or `out_width` if that is not 0) and, lds_latency cycles later, the data pass the write side (`write_width`)
 * and go to memory; landed means acknowledged by memory. On the side that faces memory a line shorter than `gather`
 * counts as `gather` bytes.
 *
 * With `cut` both, pieces of a line also end at multiples of `granularity` of the LDS address. With a `sector`, those
 * of an inbound line end where what is left of them covers no whole sector, and where they begin to cover whole ones.
 * An outbound piece counts whole sectors on the write side, and one more for the byte mask if it covers any in part.
 *
 *     granularity = 128, sector = 32, cut = both: 48 bytes from 0 to 240 are       0-15 | 16-31 | 32-47     inbound
 *                                                                                  0-15 | 16-47             outbound
 *     and the outbound ones count 32 + 32 and 64 + 32 bytes
 *
 *     granularity = 64: 10 bytes of every 32, from 0 on, lines 0 1 2 ...       line 1 lies at 32 .. 41
 *     pack 0 = lines 0 .. 5 (60 bytes), 6 addresses      pack 1 = lines 6 .. 11, 6 addresses      ...
 *     of every 30: lines 2 and 4 lie at 60 .. 69 and 120 .. 129, so that pack 0 has 8 addresses
 *
 * With `train`, lines that are kept apart and inbound travel as *trains* of up to so many, for speed: a message has the
 * place of its first line, the others are a cycle apart behind it. Each line still has its address, its bytes, its
 * beat, and counts as a request. Trains are made of lines that are one request each wherever they lie, at multiples of
 * a power of two that holds them, and where nothing bounds or spaces single requests (`quota`, `line_cycles`, one data
 * path, limits of the buffer, padding); of no more than outstanding / 64 or buffer / 16 lines. A train on an idle way
 * takes the cycles that its lines would take; where lines would mix with others', or the L2 answer them out of turn, it
 * keeps them together, and a copy ends some cycles sooner or later.
 *
 * Invariant: every byte of a descriptor is in exactly one request or, outside of its buffer, zeroed or dropped; a
 * request lands exactly once, and the event completes `completion` cycles after the last one has landed. The
 * engine holds no data: dma_covers() tells those who commit bytes what a request covers.
 *
 * A channel is free again when the last request of its part has landed; the news of completion takes
 * `completion` cycles (0 counts as 1: a link takes a cycle) and holds nobody up. The lowest-numbered free channel
 * takes the oldest descriptor, one a cycle at most and while fewer than `walkers` have requests still to send. A
 * burst's first request starts only if its port (memory's for inbound, the LDS's for outbound copies) has room; within
 * a burst the channel keeps the turn and waits. A burst ends at multiples of `burst` bytes of the global address, at
 * the end of a line that is not packed, after `burst` bytes of data in packs, and when the channel has reached its
 * quota.
 *
 * The engine's sides. With `decoupling` on they work in the same cycle, and each direction has a buffer of
 * `buffer` requests: inbound ones are in it from the reply that brings their data to the last beat, outbound ones
 * from the LDS's reply to the cycle after their last byte went to memory. When it is full, replies wait in the
 * port. (A buffer for each, since one that inbound data fill could hold up the replies that empty it.) With
 * `decoupling` off there is one data path: one request at a time, from its reply to its last beat, or from its
 * first beat to its last byte. Data from memory go before a new request to the LDS.
 *
 * Posted. With `posted` an outbound copy is complete when the last of its data are on their way to memory, `completion`
 * cycles after that; another message tells when memory has acknowledged them, and the work-group ends no earlier. So
 * that they do not run away from memory, no outbound request starts while those under way are of `posted` bytes or
 * more. What the work-group does to memory after such an event follows the copy's data on the link to memory; a fence
 * waits for the acknowledgement.
 * With `lds_reads` no outbound request starts while so many are at the LDS, and one that can start goes before inbound
 * ones: a copy out and one in then share the LDS's beats, and neither waits for the other's end.
 *
 *     outbound, posted:      t0 + 1 + setup + B + lds_latency + ⌈b/write_width⌉ + completion
 *
 * Fences. A copy behind a fence is accepted and set up, but starts no request before all earlier copies of its
 * owner have done with the flagged spaces: with the LDS, inbound ones have landed and outbound ones are read; with
 * global memory, inbound data have arrived and outbound ones are acknowledged. It goes on in the cycle after. A
 * fence orders all copies before it and all after it, not just its neighbours. Descriptors are accepted in order,
 * so that one waits only for older ones that are accepted, too: the oldest always goes on.
 *
 * Alignment. With `misaligned` split the engine has no shifter: A is the largest power of two, up to `alignment`,
 * that divides the difference of a line's two addresses. If A is `alignment`, a line's head up to a multiple of
 * it and its tail from the last one on are requests of their own; if it is less, requests are of A bytes at most.
 * What is refused does not get here (dma_aligned()).
 *
 *     alignment = 16    from 4 to 20, 120 bytes: 4-15 | 16-63 | 64-111 | 112-123       from 0 to 8: 8 bytes each
 *
 * Limits of the buffer. With `out_of_bounds` zero or skip, elements that are not wholly inside are not asked of
 * memory: inbound zeros are with the data a cycle after their turn, others are dropped. Their addresses take
 * their cycles all the same. No request lies on both sides of a limit.
 *
 * Places in the LDS. Byte i of the LDS side of a copy (pitches included) that starts at `lds` lies at
 *
 *     a = lds + i + ⌊i / pad_interval⌋ · pad         and that, in a swizzle's rows of S = 32, 64 or 128 bytes, at
 *     ⌊a / S⌋ · S + (p XOR (⌊a / S⌋ mod S/16)) · 16 + a mod 16     with p = ⌊a / 16⌋ mod S/16, the piece of its row
 *
 *     S = 64, a = 210: row 3, piece 1, byte 2 of it, at 192 + (1 XOR 3) · 16 + 2 = 226
 *
 * Requests end, and packs end, where padding leaves bytes out. A swizzle cuts nothing: beats are those of the
 * addresses before it, an approximation that is exact when a beat is whole rows.
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
 *     outbound   t0 + 1 + setup + B + lds_latency + ⌈b/write_width⌉ + W + completion
 *
 * In general request i (from 0; k_i lines, a_i addresses, B_i beats, n_i bytes as memory's side counts them) starts
 * at f_i, is sent at s_i and lands at l_i, where l_i and g_i of i < 0 are 0:
 *
 *     f_0 = t0 + 1 + setup      f_i = max(s_(i-1) + 1 [+ line_cycles before a line] [+ plane_cycles before a plane],
 *                                         l_(i-outstanding), l_(i-quota))
 *                                         outbound: b_(i-4) + 1, the port's places)    b: the first beat's cycle
 *                                         [lds_reads: e_(i-lds_reads) + 1]
 *                                         [posted: and when fewer than `posted` bytes are under way]
 *     s_i = f_i + a_i - 1 + (k_i - 1) · line_cycles
 *     inbound    P_i = max(P_(i-1), max(s_i + R, l_(i-buffer)) · read_width) + n_i   bytes through the read side
 *                e_i = max(e_(i-1), ⌈P_i / read_width⌉ - 1) + B_i    its last beat
 *                l_i = e_i + 1
 *     outbound   e_i = max(e_(i-1), s_i) + B_i                       its last beat
 *                P_i = max(P_(i-1), max(e_i + 1 + lds_latency, g_(i-buffer)) · write_width) + n_i
 *                                                               bytes through the write side
 *                g_i = ⌈P_i / write_width⌉                           its place in the buffer is free
 *                l_i = g_i - 1 + W
 *     done       max(l) + completion
 *
 * For n equal, aligned requests of g bytes, a side of the engine and the LDS being r and w cycles a
 * request (whole numbers; w = ⌈g/width⌉, its width at most a word of every bank), with trip T = r + R + w:
 *
 *     outstanding · max(1, r, w) ≥ T   t0 + 1 + setup + (n-1) · max(1, r, w) + T + completion
 *     otherwise                        t0 + 1 + setup + ⌊(n-1)/outstanding⌋ · T
 *                                         + ((n-1) mod outstanding) · max(1, r, w) + T + completion
 *     one data path, and outstanding · (r + w) ≥ T
 *                                      t0 + 1 + setup + (n-1) · (r + w) + T + completion
 *
 * So a long copy moves the least of granularity (one request a cycle), read_width, write_width and
 * outstanding · granularity / T bytes a cycle; one of short lines at most a line a cycle. tests/dma holds all of
 * this to the cycle.
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
  struct timeline_tap
      tap;         /* QUEUE, CHANNEL, REQUEST; of several compute units that share the engine it is the first's */
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
 * alone. See "Places in the LDS" above. */
uint32_t dma_place(const struct dma_params *params, uint32_t lds, uint32_t offset);
uint32_t dma_swizzled(const struct dma_params *params, uint32_t address);

/* Whether an engine whose `misaligned` is `refuse` takes the copy. */
bool dma_aligned(const struct dma_params *params, const struct dma_descriptor *copy);

/* Whose copy request `tag` belongs to. Valid as long as dma_covers() is. */
uint32_t dma_owner(const struct dma *dma, uint32_t tag);

/* What request `tag` covers. Valid from its sending until it has landed. */
struct dma_request dma_covers(const struct dma *dma, uint32_t tag);

#endif
