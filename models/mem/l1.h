/* The L1: a compute unit's cache of global memory, for loads of warps.
 *
 *     load ──► tags ── all sectors there ──► bytes, l1_latency after the issue
 *                └──── else: the missing lines go on to the L2, their bytes come with the reply
 *
 * Lines of mem.line bytes with a valid bit a sector, l1_ways to a set, replaced least recently used; consecutive lines
 * lie in consecutive sets, with l1_hash xor shuffled within each run of as many lines as the largest power of two that
 * the sets are a multiple of. Loads take the tags in order: those that hit look up l1_tags lines at a time and pass
 * l1_width bytes a cycle, or with l1_banks lds take the passes of the LDS's banks for their words; those that miss take
 * a cu.line_interval for each missing line. A load that misses takes ways for its lines at once and fills the sectors
 * that it wants when its reply comes; until then these are `coming`: another load of them goes to the L2 by itself, or
 * with l1_join waits for them, and fills further sectors of their line. A set all of whose ways are coming or waited
 * for takes no further line.
 *
 *     load a   misses line 0 ══════════════ reply: line 0 is there
 *     load b            joins line 0, misses line 1 ═══════════════ reply: b has all of it
 *     load c                     joins lines 0 and 1, a hit ──────── l1_width ──► c has all of it
 *
 * A load that joins hangs on one line after the other that is still coming, each with a queue of such loads. What it
 * joins or finds stays in its way until the load is over, even if it is thrown out meanwhile: the load came before what
 * threw it out. A later one does not join that.
 *
 * The L1 has bytes of its own, as they were when the L2 accepted the load that filled it. What other compute units
 * write afterwards is not seen here until the line leaves: as on hardware, and in the same order whatever order islands
 * run in. What the compute unit itself writes goes through and throws its line out. Everything is thrown out when a
 * launch begins, at a fence of global memory, at an operation on a pipe, and when a copy to global memory ends. Atomic
 * operations, `ld.global.l2` and volatile loads of OpenCL C go past it.
 *
 * Invariant: a sector's bytes are written only while it is coming, and read only when it is not: the memory, whose
 * island may be at another cycle than this one, and the compute unit never use one at the same time.
 *
 * With l1_step the L1 and the LDS share their SRAM. A launch sets the border once: the LDS has what as many groups hold
 * as there is room for in a compute unit, whether there are so many or not, in steps; the L1 has the rest.
 *
 * Without an L1 (l1_size 0) none of this happens. The compute unit counts the cycles (cu_read_l1). Not modelled: copies
 * by warps and by engines in it, private memory in it (class private always hits). */
#ifndef MODELS_MEM_L1_H
#define MODELS_MEM_L1_H

#include "models/mem/sectors.h"
#include "sim/core/rate.h"

struct l1_line {
  uint64_t line;        /* its number + 1; 0: empty */
  uint64_t used;        /* l1->uses of the last access */
  uint32_t valid;       /* sectors that may be read */
  uint32_t coming;      /* sectors on their way, each for one load: mem_line.fills */
  uint32_t waits;       /* loads that joined it, or hit it while they wait for others */
  uint32_t first, last; /* of those that hang on it: access + 1; 0: none */
  bool thrown;          /* it is to be empty when they are there and nobody waits */
};

struct l1 {
  struct mem_params params;
  uint64_t sets;  /* of this launch; 0: there is no L1 */
  size_t entries; /* of all sets that there can be */
  struct l1_line *lines;
  uint8_t *bytes;
  uint32_t *next; /* of each access that hangs on a line: the one behind it + 1 */
  struct rate width;
  uint64_t uses;
  bool taken;             /* some line, since all were thrown out */
  struct isa_cache cache; /* how an access that hits is committed */
};

/* False when memory runs out. */
bool l1_init(struct l1 *l1, const struct mem_params *params, uint32_t accesses);
void l1_free(struct l1 *l1);

/* Between launches: throws out everything, and leaves it the size that it has where groups hold `lds` bytes. */
void l1_share(struct l1 *l1, uint64_t lds);

/* Throws out everything. */
void l1_clear(struct l1 *l1);

/* Whether all sectors of the lines can be read. */
bool l1_hit(struct l1 *l1, const struct mem_line *lines, uint32_t count);

/* Takes from a load's lines those that can be read, and ways for the others, as far as there are any. Returns how many
 * lines are left, and with l1_join behind them, in room for as many again, *joined that stay for the load: with the
 * sectors that are on their way for others. With none left its bytes are read here when they are there. */
uint32_t l1_miss(struct l1 *l1, struct mem_line *lines, uint32_t count, uint32_t *joined);

/* Whether a load waits for one of the lines that it joined; it then hangs on that. */
bool l1_wait(struct l1 *l1, const struct mem_line *joined, uint32_t count, uint32_t access);

/* It does no more: the lines may go. */
void l1_release(struct l1 *l1, const struct mem_line *joined, uint32_t count);

/* The L2 has accepted the load: takes the bytes of the sectors that it fills. */
void l1_capture(const struct l1 *l1, struct isa_memory *memory, const struct mem_line *lines, uint32_t count);

/* The load's reply is here. Returns the first of the loads that hung on lines of which it fills sectors, + 1, or 0;
 * l1->next has the others. */
uint32_t l1_filled(struct l1 *l1, const struct mem_line *lines, uint32_t count);

/* Throws out lines that are written. */
void l1_written(struct l1 *l1, const struct mem_line *lines, uint32_t count);

#endif
