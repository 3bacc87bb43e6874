/* Global memory: a link for each CU, and the L2 with DRAM behind it, simple enough at the defaults to work out by hand.
 *
 *    CU ────► mem_port ══ link_latency, link_up_width ══► cluster ══► L2 slices ── miss ──► DRAM
 *    DMA ──►           ◄═══ link_latency, link_width ════  port   ◄═══╯ l2.h               dram.h
 *
 * A message is a whole warp access (its sectors, merged over the lanes) or one request of a DMA
 * engine: a run of bytes, or several at a pitch, whose sectors are merged likewise (sectors.h). Either moves
 * whole sectors. A memory port passes one message a cycle, the CU and the engines in
 * turn, but a warp's read of many lines keeps the CU's side for cu.line_interval cycles each and goes on after the
 * last one. Written sectors occupy the link up, with a warp's stores mem.write_mask for each line that has sectors
 * written in part; read ones occupy the link down. The L2 takes messages in order of arrival, in one
 * cycle those of different CUs in turn, as many as come; its slices pass their bytes, and from there on l2.h says when
 * data depart: prefetches, stores, copies that bypass the L2 and atomic updates included.
 *
 * Accesses of warps are passed on in order. With link_up_queue, a write among them waits in the CU while so many others
 * have not passed the link, and keeps back what is behind it: the warps feel a slow link when they issue. With
 * link_up_place, a write counts once for each so many bytes of its lanes' data. With cu.store_room they feel all of the
 * way: a store is issued only while fewer bytes of earlier ones lack their reply.
 *
 * A train of a DMA engine's lines (dma/dma.h) passes the port and the L2's slices with its first line; its data depart
 * when those of all its lines, a cycle apart, are not early. An outside memory replies to it when all of it is there.
 *
 * A reply is sent l2_latency before its data depart, with an L2: since no message passes the L2 faster, its turn on the
 * links is known by then. It arrives when it would anyway, but compute units may be simulated so much further ahead of
 * the memory; memory_reach() says how far.
 *
 * docs/closed-forms.md has what a read or a write takes, to the cycle.
 *
 * With `clusters`, CUs share ports, which they are dealt to evenly, cluster_unit consecutive ones together: what a CU
 * reads passes its cluster's port, cluster_width wide, at the same time as its link, and arrives when both have passed
 * it; what it writes passes cluster_up_width, masks included. A port serves in order of departure from the L2, or of
 * arrival there. Commits do not wait for it, only replies do: a full port makes itself felt by the requests that may be
 * under way.
 *
 * Invariant: bytes change hands when the L2 accepts a message, in the order of acceptance, so the
 * L2 is the point of coherence; replies say only when. What a load brings may be moved later, when that cannot be told
 * from it: late_loads.h.
 *
 * An outside memory (sim/core/outside.h) takes the place of the L2 and DRAM when one is attached: a message
 * then becomes transactions of at most a line, and is done when all of them are.
 *
 * With atomic_units, an atomic operation is done when the unit of each of its stripes has taken its sectors, or as many
 * updates as lanes want its most wanted word, whichever is more; units take accesses in order of arrival. As many
 * results, if they are wanted, pass a way of their own on their way back to the CU.
 *
 * Operations on pipes are atomic operations on the pipe's header that may have to wait: models/pipes.h.
 *
 * Loads that find all of their data in the CU's L1 (l1.h) do not come here.
 *
 * Not modelled: address translation, and what l2.h and dram.h name. */
#ifndef MODELS_MEMORY_H
#define MODELS_MEMORY_H

#include "models/late_loads.h"
#include "models/machine.h"
#include "models/mem/l1.h"
#include "models/mem/l2.h"
#include "models/mem/sectors.h"
#include "models/pipes.h"
#include "models/warp_source.h"
#include "sim/core/outside.h"
#include "sim/core/rate.h"
#include "sim/core/timeline.h"
#include "sim/core/wheel.h"

enum { MEM_UP_QUEUE = 64 }; /* most of link_up_queue */

enum mem_kind { MEM_LOAD, MEM_STORE, MEM_ATOMIC, MEM_PREFETCH, MEM_DMA_READ, MEM_DMA_WRITE };

static inline bool mem_reads(enum mem_kind kind) {
  return kind == MEM_LOAD || kind == MEM_ATOMIC || kind == MEM_DMA_READ;
}
static inline bool mem_writes(enum mem_kind kind) {
  return kind == MEM_STORE || kind == MEM_ATOMIC || kind == MEM_DMA_WRITE;
}
static inline bool mem_is_dma(enum mem_kind kind) { return kind == MEM_DMA_READ || kind == MEM_DMA_WRITE; }

struct mem_message {
  enum mem_kind kind;
  uint32_t tag;           /* CU kinds: the access; DMA kinds: the engine's request */
  uint32_t count;         /* CU kinds: lines; DMA kinds: 0 */
  uint32_t passes;        /* CU kinds: cycles in the memory port, at least 1 */
  uint8_t engine;         /* DMA kinds: which of the CU's engines */
  bool bypass;            /* DMA kinds: what is not in the L2 goes past it */
  bool train;             /* DMA kinds: its runs follow each other, one a cycle */
  bool returns;           /* MEM_ATOMIC: the old values are wanted */
  bool past;              /* MEM_LOAD: the bytes go past the registers, as an engine's do */
  const struct l1 *fills; /* MEM_LOAD: the cache of the CU whose lines take the bytes, or NULL */
  bool pipe;              /* an operation on a pipe, of kind MEM_ATOMIC: models/pipes.h */
  union {
    struct {                        /* CU kinds */
      const struct mem_line *lines; /* valid until the reply */
      struct isa_access *access;    /* what to commit, or the lanes of a prefetch */
    };
    struct mem_runs runs; /* DMA kinds: what it moves */
  };
  uint64_t moved; /* bytes of all its sectors: what links and the L2 pass */
};

/* To the CU: the access is performed, and loaded registers may be used. */
struct mem_reply {
  uint32_t tag;
};

/* A CU's way out to memory. */
struct mem_port {
  struct component component;
  struct port from_cu; /* struct mem_message */
  struct port *from_dma[LDS_ENGINES];
  unsigned engines;
  struct port link; /* struct mem_message, to the memory */
  struct rate up;
  cycle_t write_passed[MEM_UP_QUEUE]; /* when the link has passed the last link_up_queue writes of the warps: a ring, */
  uint32_t oldest_write;              /* and its oldest */
  cycle_t cu_free;                    /* from when on the CU is served again */
  cycle_t passed;                     /* when the latest message has passed */
  unsigned turn;                      /* input that is asked first */
  struct mem_params params;
  uint32_t probe_messages; /* passed on so far, for waveforms */
  struct timeline_tap tap; /* PASSED */
};

/* The port that the CUs of a cluster share. */
struct mem_cluster {
  struct rate up, down;
};

/* What the memory needs to know of a CU. */
struct mem_client {
  struct port *link;                /* from its memory port */
  struct port to_cu;                /* struct mem_reply */
  struct port *to_dma[LDS_ENGINES]; /* struct transfer_reply */
  const struct warp_source *source;
  struct rate down;
  struct rate results;         /* of atomic operations: it passes results times atomic_return */
  cycle_t last_reply;          /* to the CU: later ones do not overtake it */
  unsigned from;               /* L2_FROM or 0 */
  struct mem_cluster *cluster; /* NULL: it shares no port */
  struct timeline_tap tap;     /* SERVED */
};

/* What an outside memory has done for a message so far. */
enum mem_phase { MEM_ACCEPTED, MEM_FETCHING, MEM_SENDING };

/* A message between its acceptance and its reply. */
struct mem_event {
  struct mem_message message;
  uint32_t client;
  cycle_t accepted;
  uint32_t results; /* with atomic_units: updates, or sectors */
  /* with an outside memory */
  enum mem_phase phase;
  uint32_t pieces; /* transactions under way */
  cycle_t latest;  /* arrival of the latest completion so far */
};

struct memory {
  struct component component;
  struct mem_params params;
  struct mem_stats stats;
  struct mem_client *clients;
  struct mem_cluster *clusters;
  cycle_t *arrivals; /* of the oldest message of each client's link, or NEVER */
  uint32_t *due;     /* clients whose messages have arrived, of the step under way */
  uint32_t client_count;
  uint32_t turn;                   /* client that is served first in a cycle */
  struct rate *units;              /* for atomic operations: they pass updates times atomic_interval */
  struct l2 l2;                    /* with DRAM */
  struct mem_event *events;        /* messages accepted, their data not yet ready: */
  uint32_t event_room, event_most; /* as many as have ever been at once, a power of two; as can be */
  uint32_t *unused, unused_count;  /* entries of events[] */
  struct wheel done;               /* when the reply to each is sent */
  struct outside *outside;         /* instead of the L2 and DRAM, or NULL: outside.c */
  struct isa_memory *mirror;       /* the launch's memory, for the outside one's bytes */
  struct mem_pipes pipes;
  struct late_loads late;
  cycle_t ahead, ahead_until; /* how long before its data depart a reply is sent; of those that depart earlier */
  cycle_t looked_at;          /* when it was last asked whether any of these still waits */
  cycle_t last_arrival;       /* of a reply: nothing of ours is under way after it */
  uint32_t probe_events;      /* messages under way, for waveforms */
};

bool mem_port_init(struct mem_port *port, const struct machine *machine, struct component *cu, struct dma *dma,
                   unsigned engines, struct component *memory);
void mem_port_free(struct mem_port *port);

/* What a message takes of the link up. */
uint64_t mem_bytes_up(const struct mem_params *params, const struct mem_message *message);

/* Builds the memory of `machine->cu.count` CUs; memory_connect() must follow for each before its first message. */
bool memory_init(struct memory *memory, const struct machine *machine);
bool memory_connect(struct memory *memory, uint32_t client, struct mem_port *port, struct component *cu,
                    struct dma *dma, unsigned engines, const struct warp_source *source, const struct machine *machine);
void memory_free(struct memory *memory);

/* A launch begins in cycle `start` whose buffers are `mirror`: counters are cleared, the contents of the L2 stay.
 * Replies whose data depart in `ahead_until` or later are not sent ahead: for whoever wants to see, or to cut short,
 * what the memory does in a cycle. */
void memory_launch(struct memory *memory, struct isa_memory *mirror, cycle_t start, cycle_t ahead_until);

/* The least number of cycles until a CU feels what the memory does, before `ahead_until`. With `copies`, replies may
 * also go to engines, or past the registers: those take no fill_latency. */
cycle_t memory_reach(const struct memory *memory, bool copies);

/* Dismisses the autorun kernels in cycle `now`, see models/pipes.h. */
void memory_dismiss(struct memory *memory, cycle_t now);

/* The counters of a launch that has ended in cycle `end`. */
struct mem_stats memory_stats(const struct memory *memory, cycle_t end);

/* Tells the timeline in cycle `now` which messages it had when a run was cut short at `end`. */
void memory_tell_cut(const struct memory *memory, cycle_t end, cycle_t now);

/* Lets `outside` take the place of the L2 and DRAM. Call it before the first cycle. */
void memory_attach(struct memory *memory, struct outside *outside);

/* Starts what a message needs of the outside memory; false when there is nothing left for it to do. */
bool memory_start_outside(struct memory *memory, uint32_t event, cycle_t now);

/* Carries out a warp's access or a DMA request on the bytes of the launch's memory. */
void memory_commit(const struct memory *memory, const struct mem_event *event);

#endif
