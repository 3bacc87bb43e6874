/* What the files of the engine share; nobody else includes it, but tests/dma to look at limits.
 *
 *     accept.c    queue ──► copies, their parts, channels; fences; completion
 *     cut.c       geometry: normal form, places in the LDS, the request with which a channel goes on
 *     channels.c  who sends, and when; what channels do while they hold a part
 *     sides.c     data on their way through the engine
 *     tell.c      what a timeline hears
 *     dma.c       ports, step, counters that are kept lazily */
#ifndef DMA_WORK_H
#define DMA_WORK_H

#include "dma/dma.h"

enum { CHANNELS = 64, COPY_SLOTS = CHANNELS + 1, NOBODY = 64 };
enum { OWNERS = DMA_OWNERS };
enum { LDS_SPACE, GLOBAL_SPACE, SPACES };

/* A descriptor from the acceptance of its first part to its completion. */
struct copy {
  struct dma_descriptor descriptor; /* in normal form */
  uint64_t bytes;
  uint64_t parts, accepted; /* parts in all, and so far */
  uint32_t held;            /* parts in channels */
  uint64_t requests, asked; /* requests so far, and their bytes */
  uint64_t left;            /* posted: parts with all data on their way to memory */
  cycle_t left_at;          /* when the CU hears that all are; 0: not yet */
  uint64_t fence[SPACES];   /* may not touch the space before older copies of the owner than this have left it */
};

struct channel {
  struct dma_descriptor walk; /* the part: planes of lines */
  uint32_t copy;
  uint32_t lds_offset; /* of the part's first byte on the copy's LDS side, before padding */
  cycle_t accepted;
  uint64_t order;       /* of its copy's acceptance */
  uint64_t age;         /* of its own */
  uint32_t plane, line; /* being cut into requests */
  uint32_t sent;        /* bytes of that line in requests so far */
  uint32_t pack;        /* most lines of a request; 0: lines are not packed */
  uint32_t train;       /* most lines of a train; 0: each line makes requests of its own */
  bool bounded;         /* some of it lies outside of its buffer, and that matters */
  bool cut_short;       /* lines may end at more than granularity: limits, padding, alignment */
  bool crossing;        /* lines of a pack may cross a boundary of granularity */
  uint32_t burst;       /* bytes of packs in the burst so far */
  cycle_t ready;        /* its next request starts no earlier; when there is none, when it has finished */
  uint32_t under_way;   /* requests */
  uint32_t unread;      /* of these: their data are not yet in the engine */
  uint64_t requests;    /* sent so far */
  uint32_t unsent;      /* of outbound ones: their data are not yet on their way to memory */
};

struct request {
  struct dma_request covers;
  uint32_t channel;
  uint32_t passes; /* bytes that it counts on the side that faces memory */
  cycle_t sent;    /* its first address */
  cycle_t read;    /* its data came in; 0: not yet */
};

/* The request whose addresses are going out. */
struct sending {
  bool active, dropped;
  unsigned channel;
  uint32_t tag;
  struct dma_request covers;
  uint32_t addresses;
  cycle_t leaves; /* with its last address */
};

/* Requests whose data pass one side of the engine, in order. Entry: a request, and the cycle in which
 * its last byte passes and it moves on. */
struct side {
  struct rate rate;
  uint32_t *request;
  cycle_t *ready;
  uint32_t head, count;
  uint32_t buffered;    /* requests with data in the engine */
  cycle_t freed_at;     /* when data were last passed on to memory: their place is taken a cycle later at least */
  cycle_t blocked_from; /* since when a reply has waited for room, or NEVER */
};

struct dma_work {
  struct channel channel[CHANNELS];
  struct copy copy[COPY_SLOTS];
  uint64_t copies[2];                 /* those in use, a bit each */
  uint32_t splitting;                 /* the copy at the head of the queue that is partly accepted, or COPY_SLOTS */
  uint64_t fence[SPACES][OWNERS];     /* order of the owner's first copy after its latest fence */
  uint64_t held;                      /* channels with a part */
  uint64_t to_lds;                    /* of these: inbound */
  uint64_t pending;                   /* of these: with a request still to start */
  uint64_t fenced, at_quota;          /* of these: held back */
  uint64_t finished;                  /* all has landed (or will have at `ready`, when there was nothing to move) */
  uint64_t accepted_copies, accepted; /* copies, parts, ever */
  cycle_t last_acceptance;
  uint32_t waiting; /* descriptors in the queue, those on their way to it not counted */
  unsigned owner;   /* channel in the middle of a burst, or NOBODY */
  unsigned turn;    /* round robin: asked first */
  struct sending sending;
  struct request *request;
  uint32_t used;                 /* those that have ever been in use: the others are blank */
  uint32_t *unused;              /* stack of those of them that are not */
  uint32_t entries;              /* requests under way, a train being one, */
  uint32_t under_way;            /* and with each of its lines being one */
  uint64_t writes;               /* bytes of the outbound ones */
  uint32_t reading;              /* outbound ones whose data are not yet in the engine */
  struct side inbound, outbound; /* data on their way to the LDS, to memory */
  cycle_t path_free;             /* decoupling off: from when the one data path is idle; NEVER while nobody can know */
  cycle_t last_sent;             /* + 1: 0 is never */
  cycle_t held_from;             /* what channels have done before is counted */
  cycle_t full_from;             /* since when a request has been ready and all under way, or NEVER */
  cycle_t busy_from;             /* or NEVER */
};

/* ---- cut.c */

void dma_normalise(const struct dma_params *params, struct dma_descriptor *copy);
uint32_t dma_dimensions(const struct dma_descriptor *normal);
/* What of cutting a channel's walk can be said once: packs, limits. */
void dma_prepare(const struct dma *dma, struct channel *channel);
/* The request with which the channel goes on; says in `sending` what it covers and takes. */
void dma_cut(const struct dma *dma, const struct channel *channel, struct sending *sending);
/* Moves the channel past it; says whether the burst ends with it. `more`: whether there is another one. */
bool dma_advance(const struct dma *dma, struct channel *channel, const struct dma_request *sent, bool *more);

/* ---- accept.c */

cycle_t dma_next_arrival(const struct dma *dma);
void dma_count_waiting(struct dma *dma, cycle_t now);
bool dma_accept(struct dma *dma, cycle_t now);
cycle_t dma_next_acceptance(const struct dma *dma);
void dma_pass_fences(struct dma *dma, cycle_t now);
void dma_complete_finished(struct dma *dma, cycle_t now);
cycle_t dma_next_completion(const struct dma *dma);
/* Posted copies: a request of the channel's is on its way to memory. */
void dma_leave(struct dma *dma, unsigned channel, cycle_t now);

/* ---- channels.c */

void dma_send_requests(struct dma *dma, cycle_t now);
cycle_t dma_next_request(struct dma *dma, cycle_t now);
void dma_count_full(struct dma *dma, cycle_t now);
void dma_note_full(struct dma *dma, cycle_t now);
/* The channel has no request left that is not under way, and none that is: it has finished at `at`. */
void dma_settle(struct dma *dma, unsigned channel, cycle_t at);
void dma_land(struct dma *dma, uint32_t tag, cycle_t now);

/* What channels have done since the last step. */
void dma_count_held(struct dma *dma, cycle_t now);

/* ---- sides.c */

bool dma_side_init(struct side *side, uint32_t entries, uint32_t width);
void dma_side_free(struct side *side);
void dma_move_data(struct dma *dma, cycle_t now);
cycle_t dma_next_data(const struct dma *dma, cycle_t now);
void dma_count_blocked(struct dma *dma, cycle_t now);
void dma_note_blocked(struct dma *dma, cycle_t now);
/* The message for a request on one of its sides. */
struct transfer dma_transfer(const struct dma *dma, const struct dma_request *covers, uint32_t tag, bool lds);
/* From when a request to read the LDS, or one of zeros, can leave the channels. */
cycle_t dma_lds_free_at(const struct dma *dma);
cycle_t dma_zeros_free_at(const struct dma *dma, cycle_t now);
void dma_side_zeros(struct dma *dma, uint32_t tag, cycle_t now);

/* ---- tell.c; each with an open tap */

/* The oldest descriptor leaves the queue; a channel gives its part up; a request has landed. */
void dma_tell_queued(const struct dma *dma, const struct dma_descriptor *descriptor, cycle_t from, cycle_t to,
                     cycle_t now);
void dma_tell_channel(const struct dma *dma, unsigned channel, cycle_t to, cycle_t now);
void dma_tell_request(const struct dma *dma, uint32_t tag, cycle_t to, cycle_t now);

/* Slots of to_cu that are free whenever an engine has sent: all channels may finish in a cycle, posted copies say so
 * twice, and a credit is a cycle under way. */
static inline uint32_t dma_news_room(const struct dma_params *params) { return 2 * (params->channels + 4); }

/* Requests that a message stands for. */
static inline uint32_t dma_count(const struct dma_request *covers) { return covers->train ? covers->lines : 1; }

/* From the first of them to the last. */
static inline uint32_t dma_span(const struct dma_request *covers) { return dma_count(covers) - 1; }

/* As many requests are under way as may be. */
static inline bool dma_is_full(const struct dma *dma) { return dma->work->under_way >= dma->params.outstanding; }

static inline bool dma_coupled(const struct dma *dma) { return dma->params.decoupling == DMA_COUPLED; }

static inline uint64_t channel_bit(unsigned channel) { return UINT64_C(1) << channel; }

/* Channels that may start a request, were there room. */
static inline uint64_t dma_eligible(const struct dma_work *work) {
  return work->pending & ~work->fenced & ~work->at_quota;
}

#endif
