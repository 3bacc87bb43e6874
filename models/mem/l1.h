/* The L1: a compute unit's cache of global memory, for loads of warps.
 *
 *     load ──► tags ── all sectors there ──► bytes, l1_latency after the issue
 *                └──── else: the missing lines go on to the L2, their bytes come with the reply
 *
 * Lines of mem.line bytes with a valid bit a sector, l1_ways to a set, replaced least recently used; consecutive lines
 * lie in consecutive sets. Hits pass l1_width bytes a cycle. A load that misses takes ways for its lines at once and
 * fills them when its reply comes; until then these are `coming`: another load of them goes to the L2 by itself,
 * and a set all of whose ways are coming takes no further line.
 *
 * The L1 has bytes of its own, as they were when the L2 accepted the load that filled it. What other compute units
 * write afterwards is not seen here until the line leaves: as on hardware, and in the same order whatever order islands
 * run in. What the compute unit itself writes goes through and throws its line out. Everything is thrown out when a
 * launch begins, at a fence of global memory, at an operation on a pipe, and when a copy to global memory ends. Atomic
 * operations, `ld.global.l2` and volatile loads of OpenCL C go past it.
 *
 * Invariant: a line's bytes are written only while it is coming, and read only when it is not: the memory, whose island
 * may be at another cycle than this one, and the compute unit never use one at the same time.
 *
 * With l1_step the L1 and the LDS share their SRAM. A launch sets the border once: the LDS has what as many groups hold
 * as there is room for in a compute unit, whether there are so many or not, in steps; the L1 has the rest.
 *
 * Without an L1 (l1_size 0) none of this happens. Not modelled: banks of the L1, joining a fill under way, copies by
 * warps and by engines in it, private memory in it (class private always hits). */
#ifndef MODELS_MEM_L1_H
#define MODELS_MEM_L1_H

#include "models/mem/sectors.h"
#include "sim/core/rate.h"

struct l1_line {
  uint64_t line;           /* its number + 1; 0: empty */
  uint64_t used;           /* l1->uses of the last access */
  uint32_t valid;          /* sectors that may be read */
  uint32_t coming, filler; /* sectors on their way, none: 0, and for which access */
  bool thrown;             /* it is to be empty when they are there */
};

struct l1 {
  struct mem_params params;
  uint64_t sets;  /* of this launch; 0: there is no L1 */
  size_t entries; /* of all sets that there can be */
  struct l1_line *lines;
  uint8_t *bytes;
  struct rate width;
  uint64_t uses;
  bool taken;             /* some line, since all were thrown out */
  struct isa_cache cache; /* how an access that hits is committed */
};

/* False when memory runs out. */
bool l1_init(struct l1 *l1, const struct mem_params *params);
void l1_free(struct l1 *l1);

/* Between launches: throws out everything, and leaves it the size that it has where groups hold `lds` bytes. */
void l1_share(struct l1 *l1, uint64_t lds);

/* Throws out everything. */
void l1_clear(struct l1 *l1);

/* Whether all sectors of the lines can be read. */
bool l1_hit(struct l1 *l1, const struct mem_line *lines, uint32_t count);

/* Takes from a load's lines those that can be read, and ways for the others, as far as there are any. Returns how many
 * lines are left. */
uint32_t l1_miss(struct l1 *l1, struct mem_line *lines, uint32_t count, uint32_t access);

/* The L2 has accepted the load: takes the bytes of lines that are coming for it. */
void l1_capture(struct l1 *l1, struct isa_memory *memory, const struct mem_line *lines, uint32_t count,
                uint32_t access);

/* The load's reply is here. */
void l1_filled(struct l1 *l1, const struct mem_line *lines, uint32_t count, uint32_t access);

/* Throws out lines that are written. */
void l1_written(struct l1 *l1, const struct mem_line *lines, uint32_t count);

#endif
