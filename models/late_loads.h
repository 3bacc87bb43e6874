/* The loads that models/commit.h leaves to their compute units, and who may touch which line.
 *
 * A table of stamps, indexed by a hash of the line, gives the lines of these loads and their compute unit: a stamp is
 * valid in its *round*, which ends when no load waits. Two lines with one stamp only cost time. */
#ifndef MODELS_LATE_LOADS_H
#define MODELS_LATE_LOADS_H

#include "models/mem/sectors.h"

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
uint32_t late_reader(const struct late_loads *late, const struct mem_line *line);

#endif
