/* Global memory: a link for each CU, and the L2 with DRAM behind it, simple enough at the defaults to work out by hand.
 *
 *    CU ────► mem_port ══ link_latency, link_up_width ══► cluster ══► L2 slices ── miss ──► DRAM
 *    DMA ──►           ◄═══ link_latency, link_width ════  port   ◄═══╯ l2.h               dram.h
 *
 * A message is a whole warp access, its sectors merged over the lanes, or a DMA request: a run of bytes or several at a
 * pitch, with sectors merged, too (sectors.h). Whole sectors move. Written sectors occupy the link to the L2, with
 * mem.write_mask for each line that a warp's store writes in part; read sectors occupy the link from the L2.
 *
 * A memory port passes one message a cycle, from the CU and the engines in turn. A warp's read of many lines occupies
 * the CU's side for cu.line_interval cycles each. Accesses of warps stay in order. With link_up_queue, a write that
 * finds the queue for the link full blocks those behind it, so warps notice a slow link when they issue.
 *
 * The L2 takes messages in order of arrival, any number a cycle, and in turn from the CUs in one cycle. l2.h says when
 * their data depart; that includes prefetches, stores, copies that bypass the L2, and atomic updates.
 *
 * With `clusters`, CUs share ports to the L2. What a CU reads passes its cluster's port and its link at the same time,
 * and arrives when both have passed it. What it writes passes the port, masks included. A port serves in order of
 * departure from the L2, or of arrival there. Commits do not wait for a port; only replies do, so a full port is
 * noticed through the limits on requests in flight.
 *
 * A reply is sent l2_latency before its data depart (with an L2): no message passes the L2 faster, so its turn on the
 * links is known by then. It still arrives in its cycle, but compute units may be simulated that much further ahead of
 * the memory: memory_lookahead().
 *
 * Invariant: bytes move when the L2 accepts a message, in the order of acceptance. So the L2 is the point of coherence,
 * and replies only carry the time. How they move, and when those of a load may move later: models/commit.h.
 *
 * An outside memory (sim/core/outside.h) can replace the L2 and DRAM: a message becomes transactions of at most a line,
 * and is done when they all are. Operations on pipes: models/pipes.h. Loads that hit in the CU's L1 (l1.h) do not come
 * here. docs/closed-forms.md has the cycles of reads and writes.
 *
 * Not modeled: address translation, and what l2.h and dram.h list. */
#ifndef MODELS_MEMORY_H
#define MODELS_MEMORY_H

#include "lds/lds.h"
#include "models/commit.h"
#include "models/mem/l1.h"
#include "models/mem/l2.h"
#include "models/mem/sectors.h"
#include "models/pipes.h"
#include "sim/core/outside.h"
#include "sim/core/rate.h"
#include "sim/core/timeline.h"
#include "sim/core/wheel.h"

struct dma;
struct machine;

enum { MEM_UP_QUEUE = 64 }; /* maximum of link_up_queue */

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
  uint32_t tag;    /* CU kinds: index of the access; DMA kinds: the engine's request */
  uint32_t count;  /* CU kinds: lines; DMA kinds: 0 */
  uint32_t passes; /* CU kinds: cycles in the memory port, at least 1 */
  uint8_t engine;  /* DMA kinds: index among the CU's engines */
  bool bypass;     /* DMA kinds: sectors that are not in the L2 bypass it */
  bool train;      /* DMA kinds: the runs follow each other, one a cycle */
  bool returns;    /* MEM_ATOMIC: the old values are wanted */
  bool past;       /* MEM_LOAD: the bytes bypass the registers, as an engine's do */
  bool pipe;       /* an operation on a pipe, of kind MEM_ATOMIC: models/pipes.h */
  union {
    struct {                        /* CU kinds */
      const struct mem_line *lines; /* valid until the reply */
      struct isa_access *access;    /* what to commit, or the lanes of a prefetch */
      const struct l1 *fills;       /* MEM_LOAD: the cache of the CU that stores the bytes, or NULL */
    };
    struct rect rect; /* DMA kinds: runs of bytes, the lines of one plane */
  };
  uint64_t moved; /* bytes of all its sectors, which links and the L2 move */
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
  cycle_t write_passed[MEM_UP_QUEUE]; /* when the last link_up_queue writes of the warps passed the link: a ring */
  uint32_t oldest_write;              /* index of the oldest of them */
  cycle_t cu_free;                    /* first cycle in which the CU is served again */
  cycle_t passed;                     /* when the latest message has passed the link */
  unsigned turn;                      /* input that is first in line */
  const struct mem_params *params;
  uint32_t probe_messages; /* messages passed so far, for waveforms */
  struct timeline_tap tap; /* PASSED */
};

/* The port that the CUs of a cluster share. */
struct mem_cluster {
  struct rate up, down;
};

/* What the memory knows about a CU. */
struct mem_client {
  struct port *link;                /* owned by its memory port */
  struct port to_cu;                /* struct mem_reply */
  struct port *to_dma[LDS_ENGINES]; /* struct transfer_reply */
  struct rate down;
  struct rate results;         /* results of atomic operations, with rate results times atomic_return */
  cycle_t last_reply;          /* to the CU; later replies do not overtake it */
  unsigned from;               /* L2_FROM or 0 */
  struct mem_cluster *cluster; /* NULL: it shares no port */
  struct timeline_tap tap;     /* SERVED */
};

/* Progress of a message with an outside memory. */
enum mem_phase { MEM_ACCEPTED, MEM_FETCHING, MEM_SENDING };

/* A message from its acceptance to its reply. */
struct mem_event {
  struct mem_message message;
  uint32_t client;
  cycle_t accepted;
  uint32_t results; /* with atomic_units: sum over its lines of updates or sectors, whichever are more */
  /* with an outside memory: */
  enum mem_phase phase;
  uint32_t pieces; /* transactions in flight */
  cycle_t latest;  /* latest arrival of a completion so far */
};

struct memory {
  struct component component;
  const struct mem_params *params;
  struct mem_stats stats;
  struct mem_client *clients;
  struct mem_cluster *clusters;
  cycle_t *arrivals; /* when the oldest message of each client's link arrives, or NEVER */
  uint32_t *due;     /* in this step: clients whose messages have arrived */
  uint32_t client_count;
  uint32_t turn;                   /* client that is served first in a cycle */
  struct rate *units;              /* units for atomic operations, with rate updates times atomic_interval */
  struct l2 l2;                    /* with DRAM */
  struct mem_event *events;        /* messages whose replies are not sent */
  uint32_t event_room, event_most; /* allocated, a power of two; the most that can be needed */
  uint32_t *unused, unused_count;  /* entries of events[] */
  struct wheel done;               /* when each reply is sent */
  struct outside *outside;         /* replaces the L2 and DRAM, or NULL: outside.c */
  struct mem_pipes pipes;
  struct commits commits;
  cycle_t ahead, ahead_until; /* cycles by which replies are ahead of data that depart before `ahead_until` */
  cycle_t last_arrival;       /* latest arrival of a reply: after it, none is in flight */
  uint32_t probe_events;      /* messages in flight, for waveforms */
};

void mem_port_init(struct mem_port *port, const struct machine *machine, struct component *cu, struct dma *dma,
                   unsigned engines, struct component *memory);
void mem_port_free(struct mem_port *port);

/* Bytes that a message occupies on the link to the L2. */
uint64_t mem_bytes_up(const struct mem_params *params, const struct mem_message *message);

/* Builds the memory of `machine->cu.count` CUs; memory_connect() must follow for each before its first message. */
void memory_init(struct memory *memory, const struct machine *machine);
void memory_connect(struct memory *memory, uint32_t client, struct mem_port *port, struct component *cu,
                    struct dma *dma, unsigned engines, const struct warp_source *source, const struct machine *machine);
void memory_free(struct memory *memory);

/* Starts a launch in cycle `start`, whose buffers are `mirror`: clears counters, keeps the L2's contents. Replies whose
 * data depart in `ahead_until` or later are not sent ahead. This is for callers that show every cycle or cut a run
 * short. */
void memory_launch(struct memory *memory, struct isa_memory *mirror, cycle_t start, cycle_t ahead_until);

/* The least number of cycles until a CU notices what the memory does, before `ahead_until`. With `copies`, replies may
 * also go to engines or bypass the registers, and these do not take fill_latency. */
cycle_t memory_lookahead(const struct memory *memory, bool copies);

/* Dismisses the autorun kernels in cycle `now`: models/pipes.h. */
void memory_dismiss(struct memory *memory, cycle_t now);

/* The counters of a launch that ended in cycle `end`. */
struct mem_stats memory_stats(const struct memory *memory, cycle_t end);

/* In cycle `now`, reports to the timeline the messages of a run that was cut short at `end`. */
void memory_emit_cut(const struct memory *memory, cycle_t end, cycle_t now);

/* Replaces the L2 and DRAM by `outside`. Call it before the first cycle. */
void memory_attach(struct memory *memory, struct outside *outside);

/* Starts the next transactions of a message in the outside memory; false if it is done. */
bool memory_start_outside(struct memory *memory, uint32_t event, cycle_t now);

#endif
