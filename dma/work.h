/* What the engine's files share. Only they include it, and tests/dma to check limits.
 *
 *     accept.c    queue ──► copies, their parts, channels; fences; completion
 *     cut.c       geometry: normal form, places in the LDS, a channel's next request
 *     channels.c  which channel sends, and when; accounts of a channel's cycles
 *     sides.c     data on their way through the engine
 *     emit.c      timeline events
 *     dma.c       ports, step, accounts that are kept lazily */
#ifndef DMA_WORK_H
#define DMA_WORK_H

#include "dma/dma.h"

enum { CHANNELS = 64, COPY_SLOTS = CHANNELS + 1, NOBODY = 64 };
enum { OWNERS = DMA_OWNERS };
enum { LDS_SPACE, GLOBAL_SPACE, SPACES };

/* A descriptor, from the acceptance of its first part to its completion. */
struct copy {
  struct dma_descriptor descriptor; /* in normal form */
  uint64_t bytes;
  uint64_t parts, accepted; /* all parts; those accepted so far */
  uint32_t held;            /* parts in channels */
  uint64_t requests, asked; /* so far, with their bytes */
  uint64_t left;            /* posted: parts whose data are all on their way to memory */
  cycle_t left_at;          /* when the CU receives DMA_LEFT; 0: not sent yet */
  uint64_t fence[SPACES];   /* copies of the owner below this order must leave the space before this copy may use it */
};

struct channel {
  struct dma_descriptor walk; /* the part, as planes of lines */
  uint32_t copy;
  uint32_t lds_offset; /* of the part's first byte, from the start of the copy's LDS side, before padding */
  cycle_t accepted;
  uint64_t order;       /* of its copy's acceptance, for fences */
  uint64_t age;         /* order of the part's acceptance */
  uint32_t plane, line; /* being cut into requests */
  uint32_t sent;        /* bytes of that line that are in requests */
  uint32_t pack;        /* most lines of a request; 0: lines are not packed */
  uint32_t train;       /* most lines of a train; 0: no trains */
  bool bounded;         /* some of it is outside its buffer, and dma.out_of_bounds is not error */
  bool cut_short;       /* lines may be cut at more places than granularity: buffer limits, padding, alignment */
  bool crossing;        /* lines of a pack may cross a multiple of granularity */
  uint32_t burst;       /* bytes of packs in the current burst */
  cycle_t ready;        /* first cycle of its next request; without one, the cycle in which it finished */
  uint32_t in_flight;   /* requests in flight */
  uint32_t unread;      /* of these: requests whose data have not reached the engine */
  uint64_t requests;    /* requests sent so far */
  uint32_t unsent;      /* outbound requests whose data are not on their way to memory yet */
};

struct request {
  struct dma_request covers;
  uint32_t channel;
  uint32_t passes; /* bytes that it counts on the side that faces memory */
  cycle_t sent;    /* cycle of its first address */
  cycle_t read;    /* cycle in which its data arrived in the engine; 0: not yet */
};

/* The request whose addresses are being sent. */
struct sending {
  bool active, dropped;
  unsigned channel;
  uint32_t tag;
  struct dma_request covers;
  uint32_t addresses;
  cycle_t leaves; /* with its last address */
};

/* Requests whose data pass one side of the engine, in order: of each, its tag and the cycle in which its last byte
 * passes and it moves on. */
struct side {
  struct rate rate;
  uint32_t *request;
  cycle_t *ready;
  uint32_t head, count;
  uint32_t buffered;    /* requests with data in the engine */
  cycle_t freed_at;     /* when data last left for memory: their place is free from the next cycle on */
  cycle_t blocked_from; /* from when on a reply has waited for room; NEVER: none does */
};

struct dma_work {
  struct channel channel[CHANNELS];
  struct copy copy[COPY_SLOTS];
  uint64_t copies[2];             /* copies in use, one bit each */
  uint32_t splitting;             /* copy at the head of the queue that is accepted in part; or COPY_SLOTS */
  uint64_t fence[SPACES][OWNERS]; /* order of the first copy of the owner after its latest fence */
  uint64_t held;                  /* channels with a part */
  uint64_t to_lds;                /* of these: inbound */
  uint64_t pending;               /* of `held`: with a request left to start */
  uint64_t fenced, at_quota;      /* of `held`: held back by a fence; by dma.quota */
  uint64_t finished; /* of `held`: all has landed, or there was nothing to move and it finishes at `ready` */
  uint64_t accepted_copies, accepted; /* copies, parts, since the start */
  cycle_t last_acceptance;
  uint32_t waiting; /* descriptors in the queue, without those on their way to it */
  unsigned owner;   /* channel in the middle of a burst; or NOBODY */
  unsigned turn;    /* round robin: the first in line */
  struct sending sending;
  struct request *request;
  uint32_t used;                 /* requests used at least once; the rest are blank */
  uint32_t *unused;              /* stack of used requests that are free now */
  uint32_t entries;              /* requests in flight; a train counts as one */
  uint32_t in_flight;            /* requests in flight; each line of a train counts */
  uint64_t writes;               /* bytes of outbound requests in flight */
  uint32_t reading;              /* outbound requests whose data have not reached the engine */
  struct side inbound, outbound; /* data on their way to the LDS; to memory */
  cycle_t path_free;             /* decoupling off: first cycle in which the data path is idle; NEVER: not known yet */
  cycle_t last_sent;             /* cycle plus 1, so that 0 means never */
  cycle_t held_from;             /* cycles of held channels before this one are counted */
  cycle_t full_from;             /* first cycle in which a request was ready and no more could be in flight; or NEVER */
  cycle_t busy_from;             /* or NEVER */
};

/* ---- cut.c */

void dma_normalize(const struct dma_params *params, struct dma_descriptor *copy);
uint32_t dma_dimensions(const struct rect *normal);
/* Finds what is the same for all requests of a channel's walk: packs, limits. */
void dma_prepare(const struct dma *dma, struct channel *channel);
/* Sets `sending` to the channel's next request: what it covers, its addresses. */
void dma_cut(const struct dma *dma, const struct channel *channel, struct sending *sending);
/* Moves the channel past request `sent`. True if that ends the burst. *more: the channel has another request. */
bool dma_advance(const struct dma *dma, struct channel *channel, const struct dma_request *sent, bool *more);

/* ---- accept.c */

cycle_t dma_next_arrival(const struct dma *dma);
void dma_count_waiting(struct dma *dma, cycle_t now);
bool dma_accept(struct dma *dma, cycle_t now);
cycle_t dma_next_acceptance(const struct dma *dma);
void dma_pass_fences(struct dma *dma, cycle_t now);
void dma_complete_finished(struct dma *dma, cycle_t now);
cycle_t dma_next_completion(const struct dma *dma);
/* Data of one request of the channel are on their way to memory; with dma.posted, the copy may be complete. */
void dma_leave(struct dma *dma, unsigned channel, cycle_t now);

/* ---- channels.c */

void dma_send_requests(struct dma *dma, cycle_t now);
cycle_t dma_next_request(struct dma *dma, cycle_t now);
void dma_count_full(struct dma *dma, cycle_t now);
void dma_note_full(struct dma *dma, cycle_t now);
/* The channel has no request left, neither to send nor in flight: it finishes at `at`. */
void dma_settle(struct dma *dma, unsigned channel, cycle_t at);
void dma_land(struct dma *dma, uint32_t tag, cycle_t now);

/* Counts what the channels did since the last step. */
void dma_count_held(struct dma *dma, cycle_t now);

/* ---- sides.c */

void dma_side_init(struct side *side, uint32_t entries, uint32_t width);
void dma_side_free(struct side *side);
void dma_move_data(struct dma *dma, cycle_t now);
cycle_t dma_next_data(const struct dma *dma, cycle_t now);
void dma_count_blocked(struct dma *dma, cycle_t now);
void dma_note_blocked(struct dma *dma, cycle_t now);
/* The message for one side of a request. */
struct transfer dma_transfer(const struct dma *dma, const struct dma_request *covers, uint32_t tag, bool lds);
/* From which cycle on a request to read the LDS can leave its channel; and a request for zeros. */
cycle_t dma_lds_free_at(const struct dma *dma);
cycle_t dma_zeros_free_at(const struct dma *dma, cycle_t now);
void dma_side_zeros(struct dma *dma, uint32_t tag, cycle_t now);

/* ---- emit.c: call these only with an open tap */

/* The oldest descriptor leaves the queue; a channel ends its part; a request has landed. */
void dma_emit_queued(const struct dma *dma, const struct dma_descriptor *descriptor, cycle_t from, cycle_t to,
                     cycle_t now);
void dma_emit_channel(const struct dma *dma, unsigned channel, cycle_t to, cycle_t now);
void dma_emit_request(const struct dma *dma, uint32_t tag, cycle_t to, cycle_t now);

/* Free slots of to_cu that an engine needs after each send: all channels may finish in one cycle, posted copies send
 * twice, and a credit takes a cycle. */
static inline uint32_t dma_notice_room(const struct dma_params *params) { return 2 * (params->channels + 4); }

static inline uint32_t dma_bytes(const struct dma_request *covers) {
  return (uint32_t)covers->global.bytes * covers->global.lines;
}

/* Requests that a message stands for: the lines of a train, or 1. */
static inline uint32_t dma_count(const struct dma_request *covers) { return covers->train ? covers->global.lines : 1; }

/* Cycles from the first of them to the last. */
static inline uint32_t dma_span(const struct dma_request *covers) { return dma_count(covers) - 1; }

/* The engine has as many requests in flight as dma.outstanding allows. */
static inline bool dma_is_full(const struct dma *dma) { return dma->work->in_flight >= dma->params->outstanding; }

static inline bool dma_coupled(const struct dma *dma) { return dma->params->decoupling == DMA_COUPLED; }

static inline uint64_t channel_bit(unsigned channel) { return UINT64_C(1) << channel; }

/* Channels that may start a request if there is room for it. */
static inline uint64_t dma_eligible(const struct dma_work *work) {
  return work->pending & ~work->fenced & ~work->at_quota;
}

#endif
