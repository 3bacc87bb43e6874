/* The L2: slices, each with its share of the lines, of the width and with its own MSHRs; DRAM behind all of them.
 *
 *     lines of a message ──┬─► slice 0: width ──► tags ── hit ──────────────────┬─► data depart
 *                          │                       └─ miss ──► MSHR ──► DRAM ───┤
 *                          └─► slice n ...                                      │
 *
 * Consecutive lines lie in consecutive slices; with l2_hash xor the number of the slice is exclusive-ored with all
 * higher bits of the line's. A message passes each slice that it touches with all of its bytes there at once (more than
 * MEM_ACCESS_LINES lines go in parts), and its lines of that slice are looked up in the cycle in which the last of them
 * passes. Tags are per line with a valid bit a sector, replaced least recently used in a set.
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
 * Timing of b bytes in one slice that share it with nobody, accepted in cycle t; w = l2_width / l2_slices:
 *
 *     p = t + ceil(b / w) - 1                passed, or t + atomic_interval * updates - 1 if that is later
 *     hit                                    p + l2_latency
 *     miss                                   m + dram + l2_latency, where m is p or when an MSHR is free, and
 *                                            dram from asking to delivery: dram_latency + ceil(b / dram_width) - 1
 * (simple)
 *
 *     4 slices, l2_width 256, l2_latency 60, dram_latency 200, 1 MSHR a slice, simple dram_width 128, idle at t = 0;
 *     lines 0, 1, 4, each whole, in one message: lines 0 and 4 share slice 0
 *
 *     cycle      0  1  2  3           200  201                402  ...  462
 *     slice 0    ███████████  line 0 asks in 3 ── 3 + 200 = 203;  line 4 asks in 203: 403, departs 463
 *     slice 1    █████        line 1 asks in 1 ── DRAM's wires are taken up to 3: 204, departs 264
 *
 * Invariant: everything is decided when a message is accepted: slices, MSHRs and DRAM are reservations that only move
 * forward, and replies say when. Contents change at once, in the order of acceptance.
 *
 * With an l2_spread, slices lie near and far on the chip: to l2_latency comes, for region r of l2_region bytes of
 * addresses, (l2_spread + 1) times the fraction of r times the golden ratio, rounded down. So neighbouring regions lie
 * far apart, and any few of them have about the mean. It is the same for all CUs.
 *
 * With two partitions, slices are those of a partition. A line's home is the partition that the parity of its stripe
 * says; changed sectors, writes and atomic operations, what goes past the L2, prefetches and the way to DRAM are there.
 * A CU's reads look into the partition that it is near to; what is missing there of a line with its home in the other
 * comes from there, l2_partition_latency later than there, passes slices of both, and a copy stays. So an L2 holds half
 * as much for one CU, and lines that it shares with others far away twice. A write throws copies out. Copies need no
 * MSHR.
 *
 *     near hit   p + l2_latency                       far hit   p' + l2_latency + l2_partition_latency, p' when it has
 *     near miss  m + dram + l2_latency                          passed the slices here and then there; likewise far
 * miss
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
  uint64_t first; /* of its tags and entries */
  unsigned partition;
  uint64_t bytes; /* passed in this launch */
  /* of the message that is being accepted */
  uint64_t share;   /* bytes */
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
  uint64_t sets;           /* of a slice; 0: there is no L2 */
  uint64_t *tags;          /* partitions x slices x sets x ways: line + 1; 0: empty */
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

/* Takes lines of a message that is accepted at `now` through the L2; returns when the last of their data depart. */
cycle_t l2_access(struct l2 *l2, cycle_t now, const struct mem_line *lines, uint32_t count, unsigned use);

/* The same of a single line, as most messages have: `bytes` are all of its sectors'. */
cycle_t l2_access_line(struct l2 *l2, cycle_t now, const struct mem_line *line, uint64_t bytes, unsigned use);

/* Fetches the lines of the run [from, to), as far as the L2 can hold them, if they are not there. It costs the L2 no
 * width: no data move to the CU. */
void l2_prefetch(struct l2 *l2, cycle_t now, uint64_t from, uint64_t to);

#endif
