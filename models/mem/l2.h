/* The L2: slices, each with its share of the lines and of the width, and with its own MSHRs; DRAM is behind all of
 * them.
 *
 *     lines of a message ──┬─► slice 0: width ──► tags ── hit ──────────────────┬─► data depart
 *                          │                       └─ miss ──► MSHR ──► DRAM ───┤
 *                          └─► slice n ...                                      │
 *
 * A message passes each of its slices with all of its bytes there at once (messages of more than MEM_ACCESS_LINES
 * lines, in parts), and each line takes at least l2_burst of the width. The tags of its lines are looked up in the
 * cycle in which the last byte passes. Tags are per line, with a valid bit per sector; a set replaces the least
 * recently used line.
 *
 * A read fetches missing sectors, and what else their blocks of dram_fetch lack. A line on its way is in an MSHR. A
 * read that finds sectors coming merges: it departs with them, and fetches further sectors under the same MSHR. After
 * mshr_merges merges, a read waits for the end of the fill, and is looked up again then. A miss without a free MSHR
 * requests DRAM when the first one becomes free (mshr.h); later hits pass it. A prefetch does the same, or is dropped
 * with mshr_prefetch `drop`. Stores allocate without a fetch and without an MSHR. Changed sectors go to DRAM when their
 * line is replaced; nothing waits for that.
 *
 * Bypass (L2_PAST: copies that bypass the L2, stores with l2_write `around`): the L2 serves and updates the sectors
 * that it has, so no copy is ever stale. The others go to or come from DRAM without a line or an MSHR. An atomic
 * operation reads and writes, so it always allocates. It occupies a slice for atomic_interval times the largest number
 * of its lanes that update one word there, or while its bytes pass, whichever is longer.
 *
 * With two partitions, each line has a home. Writes, atomics, bypasses, prefetches and accesses to DRAM use the home. A
 * read uses the partition near its CU. Lines missing there come from the home, l2_partition_latency later and without
 * an MSHR, and the copy stays until a write removes it.
 *
 * Without an L2 (l2_size 0), lines go directly to DRAM; none of the above applies. docs/closed-forms.md has the cycles
 * of reads.
 *
 * Invariant: everything is decided when a message is accepted. Slices, MSHRs and DRAM are reservations that only move
 * forward; replies carry the time. Contents change at once, in the order of acceptance.
 *
 * Not modeled: banks and ports within a slice; that memory near one CU is far from another; the pressure of a miss on
 * the slice's queue (a miss that waits blocks nothing); a victim that waits for its write-back; replacement other than
 * LRU; fetches for partly written sectors. */
#ifndef MODELS_MEM_L2_H
#define MODELS_MEM_L2_H

#include "models/mem/dram.h"
#include "models/mem/mshr.h"
#include "models/mem/sectors.h"

/* What an access does to its lines, as a mask. L2_PAST: what is not in the L2 bypasses it. L2_FROM: the CU is near the
 * second partition. */
enum l2_use { L2_READ = 1, L2_WRITE = 2, L2_PAST = 4, L2_FROM = 8 };

struct l2_slice {
  struct rate width; /* in units of 1 / (slices x partitions) of a byte, so that shares are exact */
  struct mshrs mshrs;
  uint64_t first; /* number of its first set */
  unsigned partition;
  uint64_t bytes; /* passed in this launch */
  /* of the message that is being accepted: */
  uint64_t share;   /* bytes in this slice */
  uint64_t taken;   /* their share of the width */
  uint32_t updates; /* the most lanes on one word */
  cycle_t passed;
};

struct l2 {
  const struct mem_params *params;
  struct mem_stats *stats;
  struct dram dram;
  struct l2_slice *slices;
  unsigned slice_bits;
  unsigned far; /* 1 with two partitions, 0 with one */
  /* powers of two, to avoid divisions: bytes of a line, lines of a stripe, bytes of a region */
  unsigned line_log2, stripe_log2, region_log2;
  uint64_t sets;           /* per slice; 0: no L2 */
  uint64_t *known;         /* one bit per set: its ways have been initialized */
  uint64_t *tags;          /* partitions x slices x sets x ways: line + 1; 0: empty */
  uint64_t *used;          /* same layout: `uses` at the last access; a miss scans it with the tags */
  struct l2_line *entries; /* same layout */
  uint64_t uses;           /* accesses so far, for replacement */
};

/* Counts into `stats`. */
void l2_init(struct l2 *l2, const struct mem_params *params, struct mem_stats *stats);
void l2_free(struct l2 *l2);

/* Starts a launch: contents stay, the slices' counts are cleared. */
void l2_launch(struct l2 *l2);

/* The slice, within its partition, of a line. */
uint32_t l2_slice_of(const struct mem_params *params, uint64_t line);

/* Brings what l2_access() reads into the host's caches, which hold only a small part of an L2. */
void l2_fetch(const struct l2 *l2, const struct mem_line *lines, uint32_t count, unsigned use);

/* Takes lines of a message that is accepted at `now` through the L2; returns when the last of their data depart. */
cycle_t l2_access(struct l2 *l2, cycle_t now, const struct mem_line *lines, uint32_t count, unsigned use);

/* The same for a single line, as in most messages; `bytes` are those of all its sectors. */
cycle_t l2_access_line(struct l2 *l2, cycle_t now, const struct mem_line *line, uint64_t bytes, unsigned use);

/* Fetches the lines of the run [from, to) that are missing, up to the size of the L2. This takes no width of the L2,
 * because no data go to the CU. */
void l2_prefetch(struct l2 *l2, cycle_t now, uint64_t from, uint64_t to);

#endif
