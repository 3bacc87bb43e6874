/* Loads that the memory has accepted and whose bytes their compute unit moves.
 *
 *     memory, accepts    load a   load b   store c, to a line of a           load d
 *                          │        │        └─ first carries out a and b
 *     compute unit         └────────┴── would have in its next step           └──► carries out d in its next step
 *
 * A load returns what memory held when it was accepted. As long as nothing is written there, the bytes can be read
 * later: by the compute unit, in the thread that steps it, which also brings its registers into the host's caches.
 *
 * Invariant: no write is carried out while an earlier accepted load that touches one of its lines waits. A table of
 * stamps, indexed by a hash of the line, gives these lines and the compute unit of their loads: a stamp is valid in its
 * *round*, which ends when no load waits. Before a write, the memory carries out what waits in that compute unit's
 * queue, or in all queues. Two lines with one stamp only cost time.
 *
 * Compute units carry out their loads in windows in which the memory does not run. */
#ifndef MODELS_LATE_LOADS_H
#define MODELS_LATE_LOADS_H

#include "models/mem/sectors.h"

struct warp_source;
struct l1;

/* A load that waits. */
struct late_load {
  struct isa_access *access;
  const struct mem_line *lines;
  uint32_t count;         /* number of lines */
  const struct l1 *fills; /* the cache that stores the bytes; NULL: none */
};

/* The loads of a compute unit, in order. */
struct late_queue {
  struct late_load *load;
  size_t count, room;
};

enum { LATE_STAMPS = 1 << 17, LATE_NOBODY = UINT16_MAX, LATE_SEVERAL = UINT16_MAX - 1 };

struct late_stamp {
  uint16_t round, whose;
};

struct late_loads {
  bool wanted;              /* used in this launch; otherwise the memory carries out all loads */
  struct late_queue *queue; /* per compute unit */
  uint32_t queues;
  uint16_t round;
  struct late_stamp *stamp;
};

void late_init(struct late_loads *late, uint32_t compute_units);
void late_free(struct late_loads *late);

/* Adds a load of a compute unit. */
void late_add(struct late_loads *late, uint32_t compute_unit, const struct late_load *load);

/* Ends the round if no load waits. */
void late_end_round(struct late_loads *late);

/* The compute unit whose waiting loads may touch a line; LATE_SEVERAL; LATE_NOBODY. */
uint32_t late_toucher(const struct late_loads *late, const struct mem_line *line);

/* Carries out all loads of a queue. */
void late_take(struct late_queue *queue, const struct warp_source *source, struct isa_memory *memory);

#endif
