/* The L1: a compute unit's cache of global memory, for loads of warps.
 *
 *     load ──► tags ── all sectors there ──► bytes, l1_latency after the issue
 *                └──── otherwise: missing lines go to the L2; their bytes come with the reply
 *
 * Lines of mem.line bytes have a valid bit per sector. A set has l1_ways lines and replaces the least recently used.
 * Loads use the tags in order. Hits look up l1_tags lines at a time and pass l1_width bytes a cycle or, with l1_banks
 * `lds`, take the bank passes of their words. Misses take a cu.line_interval for each missing line. A load that misses
 * takes ways for its lines at once, and fills its sectors when its reply arrives. Until then they are `coming`: another
 * load of them goes to the L2 itself or, with l1_join, waits for them. A set in which all ways are coming or waited for
 * takes no further line.
 *
 *     load a   misses line 0 ══════════════ reply: line 0 is there
 *     load b            joins line 0, misses line 1 ═══════════════ reply: b has all of it
 *     load c                     joins lines 0 and 1, a hit ──────── l1_width ──► c has all of it
 *
 * A load that joins waits for one coming line after the other; each line has a queue of such loads. What the load joins
 * or hits stays in its way until the load is over, even if it is removed meanwhile, because the load came first. Later
 * loads do not join a removed line.
 *
 * The L1 has its own bytes, from when the L2 accepted the load that filled the line. It does not see later writes of
 * other compute units, as in hardware, and the result does not depend on the order in which islands run. Writes of its
 * own compute unit remove the line. Everything is removed at the start of a launch, at a fence of global memory, at an
 * operation on a pipe, and when a copy to global memory ends. Atomic operations, `ld.global.l2` and volatile loads of
 * OpenCL C bypass the L1.
 *
 * Invariant: a sector's bytes are written only while it is coming, and read only when it is not. So the memory, whose
 * island may be at another cycle, and the compute unit never use a sector at the same time.
 *
 * With l1_step, the L1 and the LDS share SRAM. At the start of a launch, the LDS gets what as many groups use as fit
 * into a compute unit, even if the launch has fewer, rounded up to l1_step. The L1 gets the rest.
 *
 * Not modeled: copies by warps and engines in the L1, private memory in the L1 (class private always hits). */
#ifndef MODELS_MEM_L1_H
#define MODELS_MEM_L1_H

#include "models/mem/sectors.h"
#include "sim/core/rate.h"

struct l1_line {
  uint64_t line;        /* number of the line, plus 1; 0: empty */
  uint64_t used;        /* l1->uses at the last access */
  uint32_t valid;       /* sectors that can be read */
  uint32_t coming;      /* sectors on their way, each for one load: mem_line.fills */
  uint32_t waits;       /* loads that joined it, or that hit it while they wait for other lines */
  uint32_t first, last; /* queue of loads that wait for it: access + 1; 0: none */
  bool evicted;         /* removed, but still coming or waited for */
};

/* The L1 and a texture unit's own cache are alike but for these. */
struct l1_geometry {
  uint64_t size; /* in bytes; 0: no cache */
  uint32_t ways;
  uint32_t step; /* in bytes, of the part that the LDS takes; 0: the LDS takes none */
};

struct l1 {
  const struct mem_params *params;
  struct l1_geometry geometry;
  uint64_t sets;  /* in this launch; 0: no L1 */
  size_t entries; /* lines at its largest size */
  struct l1_line *lines;
  uint8_t *bytes;
  uint32_t *next; /* per access in a line's queue: the one behind it, plus 1 */
  struct rate width;
  uint64_t uses;
  bool taken;             /* a line was taken since everything was removed */
  struct isa_cache cache; /* where a hit is committed from */
};

void l1_init(struct l1 *l1, const struct mem_params *params, struct l1_geometry geometry, uint32_t accesses);
void l1_free(struct l1 *l1);

/* Between launches: removes everything, and sets the size for groups that hold `lds` bytes of LDS. */
void l1_share(struct l1 *l1, uint64_t lds);

/* Removes everything. */
void l1_clear(struct l1 *l1);

/* Whether all sectors of the lines can be read. If so, this counts as a use of the lines. */
bool l1_hit(struct l1 *l1, const struct mem_line *lines, uint32_t count);

/* Removes from a load's lines those that can be read, and takes ways for the others while there are any. Returns how
 * many lines are left. Behind these are *joined lines that must stay for the load (l1_join; `lines` needs room for 2 *
 * count), with the sectors that are on their way for others. If no line is left, the load reads its bytes here when
 * they arrive. */
uint32_t l1_miss(struct l1 *l1, struct mem_line *lines, uint32_t count, uint32_t *joined);

/* Whether a load waits for one of the lines that it joined; if so, it enters that line's queue. */
bool l1_wait(struct l1 *l1, const struct mem_line *joined, uint32_t count, uint32_t access);

/* The load is over and no longer needs the lines. */
void l1_release(struct l1 *l1, const struct mem_line *joined, uint32_t count);

/* The L2 has accepted the load: stores the bytes of the sectors that it fills. */
void l1_capture(const struct l1 *l1, struct isa_memory *memory, const struct mem_line *lines, uint32_t count);

/* The load's reply has arrived. Returns the first of the loads that waited for lines that it fills, plus 1, or 0; the
 * others follow in l1->next. */
uint32_t l1_filled(struct l1 *l1, const struct mem_line *lines, uint32_t count);

/* Removes lines that are written. */
void l1_written(struct l1 *l1, const struct mem_line *lines, uint32_t count);

#endif
