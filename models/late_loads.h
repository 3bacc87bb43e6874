/* Loads that the memory has accepted and whose bytes their compute unit moves.
 *
 *     memory, accepts    load a   load b   store c: to a line of a's        load d
 *                          │        │        └─ first carries out a and b
 *     compute unit         └────────┴── would have in its next step           └──► carries out d in its next step
 *
 * What a load brings is what memory held when it was accepted. But it may as well be read later, as long as nobody has
 * written there: then the compute unit does it, in the thread that steps it, and with its registers in the host's
 * caches for what follows.
 *
 * Invariant: no write is carried out while a load that was accepted before it waits and touches one of its lines. A
 * table of stamps, by a hash of the line, says which lines that may be, and whose loads: those with the stamp of this
 * *round*; a round ends when no load waits. The memory carries out what waits in that compute unit's queue first, or in
 * all. Two lines with one stamp cost time and nothing else.
 *
 * Compute units take what waits in windows in which the memory does not run. */
#ifndef MODELS_LATE_LOADS_H
#define MODELS_LATE_LOADS_H

#include "models/mem/sectors.h"

struct warp_source;
struct l1;

/* One that waits. */
struct late_load {
  struct isa_access *access;
  const struct mem_line *lines;
  uint32_t count;         /* of them */
  const struct l1 *fills; /* whose lines take the bytes; NULL: none */
};

/* Those of a compute unit, in order. */
struct late_queue {
  struct late_load *load;
  uint32_t count, room;
};

enum { LATE_STAMPS = 1 << 17, LATE_NOBODY = UINT16_MAX, LATE_SEVERAL = UINT16_MAX - 1 };

struct late_stamp {
  uint16_t round, whose;
};

struct late_loads {
  bool wanted;              /* in this launch; else the memory carries out all itself */
  struct late_queue *queue; /* of each compute unit */
  uint32_t queues;
  uint16_t round;
  struct late_stamp *stamp;
};

bool late_init(struct late_loads *late, uint32_t compute_units);
void late_free(struct late_loads *late);

/* A load of a compute unit waits. */
void late_add(struct late_loads *late, uint32_t compute_unit, const struct late_load *load);

/* Ends the round, if no load waits any more. */
void late_end_round(struct late_loads *late);

/* The compute unit whose loads that wait may touch a line, LATE_SEVERAL, or LATE_NOBODY. */
uint32_t late_toucher(const struct late_loads *late, const struct mem_line *line);

/* Carries out all that wait in a queue. */
void late_take(struct late_queue *queue, const struct warp_source *source, struct isa_memory *memory);

#endif
