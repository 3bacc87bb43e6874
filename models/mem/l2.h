/* The L2: slices, each with its share of the lines, of the width and with its own MSHRs; DRAM behind all of them.
 *
 *     lines of a message ──┬─► slice 0: width ──► tags ── hit ──────────────────┬─► data depart
 *                          │                       └─ miss ──► MSHR ──► DRAM ───┤
 *                          └─► slice n ...                                      │
 *
 * Consecutive lines lie in consecutive slices; with l2_hash xor the number of the slice is exclusive-ored with all
 * higher bits of the line's. A message passes each slice that it touches with all of its bytes there at once (more than
 * MEM_ACCESS_LINES lines go in parts), and its lines of that slice are looked up in the cycle in which the last of them
 * passes. With l2_burst each line takes as much of the width at least. Tags are per line with a valid bit a sector,
 * replaced least recently used in a set.
 *
 * A read fetches the sectors that are missing, and with dram_fetch what else their blocks lack. A line on its way is in
 * an MSHR: a read of sectors that are coming departs with them, one of further sectors fetches these under the same
 * MSHR; either is a merge, and after mshr_merges of them a read waits until the fill is over and is looked up then. A
 * miss that finds no MSHR free asks DRAM when the first becomes free (mshr.h); what comes later and hits passes it. A
 * prefetch does the same with mshr_prefetch wait, or is dropped. Stores allocate without fetching and need no MSHR;
 * changed sectors go to DRAM when their line is replaced, and nobody waits for that.
 *
 * Past the L2 (copies that bypass it, warps' stores with l2_write around): sectors that are in the L2 are served by it
 * and updated in it, so no copy is ever stale; the others go to or come from DRAM without a line or an MSHR, and a
 * write is done when DRAM has it. An atomic operation reads and writes, so it always allocates.
 *
 * An atomic access keeps a slice busy for atomic_interval cycles times the most of its lanes that update one word
 * there, or as long as its bytes pass, whichever is longer; distinct words are updated side by side.
 *
 * docs/closed-forms.md has what reads take, to the cycle.
 *
 * Invariant: everything is decided when a message is accepted: slices, MSHRs and DRAM are reservations that only move
 * forward, and replies say when. Contents change at once, in the order of acceptance.
 *
 * With an l2_spread, slices lie near and far on the chip: l2_latency is up to so many cycles more, by a hash of the
 * address's region of l2_region bytes, the same for all CUs.
 *
 * With two partitions, slices are those of a partition. A line's home is the partition that the parity of its stripe
 * says; what changes it, what goes past the L2, prefetches and the way to DRAM are there. A CU's reads look into the
 * partition that it is near to: the first half of the CUs to the first, or l2_partition_cus of them in turn. What is
 * missing there comes from the home, l2_partition_latency later, and a copy stays until a write throws it out: an L2
 * holds half as much for one CU. Copies need no MSHR.
 *
 * Without an L2 (l2_size 0) lines go straight to DRAM; none of the above applies.
 *
 * Not modelled: banks and ports within a slice, that what is near one CU is far from another, a miss's pressure on the
 * slice's queue (a miss that waits holds nobody up), a victim that waits for its write-back, replacement other than
 * LRU, fetching for partly written sectors. */
#ifndef MODELS_MEM_L2_H
#define MODELS_MEM_L2_H

#include "models/mem/dram.h"
#include "models/mem/mshr.h"
#include "models/mem/sectors.h"

/* What an access does to its lines: any of these together. With L2_PAST what is not in the L2 goes past it. L2_FROM,
 * once, is added by CUs that are near the second partition. */
enum l2_use { L2_READ = 1, L2_WRITE = 2, L2_PAST = 4, L2_FROM = 8 };

struct l2_slice {
  struct rate width; /* in 1 / (slices x partitions) of a byte, so that shares are exact */
  struct mshrs mshrs;
  uint64_t first; /* of its sets */
  unsigned partition;
  uint64_t bytes; /* passed in this launch */
  /* of the message that is being accepted */
  uint64_t share;   /* bytes, */
  uint64_t taken;   /* and what they take of the width */
  uint32_t updates; /* the most lanes on one word */
  cycle_t passed;
};

struct l2 {
  struct mem_params params;
  struct mem_stats *stats;
  struct dram dram;
  struct l2_slice *slices;
  unsigned slice_bits;
  unsigned far; /* 1 if there are two partitions, 0 if there is one */
  /* as powers of two, so that nothing is divided: bytes of a line, lines of a stripe, bytes of a region */
  unsigned line_log2, stripe_log2, region_log2;
  uint64_t sets;   /* of a slice; 0: there is no L2 */
  uint64_t *known; /* a bit for each set: only of those that were looked into are the ways filled in */
  uint64_t *tags;  /* partitions x slices x sets x ways: line + 1; 0: empty */
  uint64_t *used;  /* likewise: `uses` of the last access; beside the tags, which misses look through together */
  struct l2_line *entries; /* likewise */
  uint64_t uses;           /* age of lines, for replacement */
};

/* False when memory runs out. Counts into `stats`. */
bool l2_init(struct l2 *l2, const struct mem_params *params, struct mem_stats *stats);
void l2_free(struct l2 *l2);

/* A launch begins: contents stay, the slices' books are cleared. */
void l2_launch(struct l2 *l2);

/* The slice of its partition that a line lies in. */
uint32_t l2_slice_of(const struct mem_params *params, uint64_t line);

/* Brings what l2_access() will look at into the host's caches, which hold little of an L2. */
void l2_fetch(const struct l2 *l2, const struct mem_line *lines, uint32_t count, unsigned use);

/* Takes lines of a message that is accepted at `now` through the L2; returns when the last of their data depart. */
cycle_t l2_access(struct l2 *l2, cycle_t now, const struct mem_line *lines, uint32_t count, unsigned use);

/* The same of a single line, as most messages have: `bytes` are all of its sectors'. */
cycle_t l2_access_line(struct l2 *l2, cycle_t now, const struct mem_line *line, uint64_t bytes, unsigned use);

/* Fetches the lines of the run [from, to), as far as the L2 can hold them, if they are not there. It costs the L2 no
 * width: no data move to the CU. */
void l2_prefetch(struct l2 *l2, cycle_t now, uint64_t from, uint64_t to);

#endif
