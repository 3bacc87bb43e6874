/* DRAM: how long an access takes, and what it keeps others from.
 *
 * simple     one wire of `dram_width` bytes a cycle, then `dram_latency`
 *
 * With dram_turn the wires lose as many bytes at each change between reads and writes.
 *
 * An access of less than `dram_burst` bytes takes as long on it as one of that many: bursts are whole, and rows open at
 * a limited rate. With dram_refresh every row of dram_row bytes is refreshed for dram_refresh_cycles of as many, each
 * at times of its own (a hash of its number, as a fraction of dram_refresh); data of a row that is asked for then come
 * as much later as is left of it. Others pass: a bank at a time refreshes, and the wires never idle for it.
 *
 * banked     channels, each with banks and wires of its own:
 *
 *     access ──┬─► channel 0 ──┬─► bank 0  row ─┐
 *              │               ├─► bank 1  row ─┼─► wires ──► dram_latency ──► L2
 *              │               └─► bank n  row ─┘   dram_width / dram_channels bytes a cycle
 *              └─► channel n ...
 *
 * An access is the missing, or the changed, sectors of one line, and so lies in one row: dram_locate(). Its bank takes
 * accesses first come, first served. It starts when the one before has left, but not during a refresh; its data
 * are ready dram_row_hit cycles later when its row is open, dram_row_miss when none is, dram_row_conflict when
 * another is; then they pass the channel's wires in the order in which accesses came. The row stays open. The bank is
 * free for its next access dram_row_hit cycles before the wires are: hits to a row follow one another without a gap,
 * and precharging begins when the last column command is out. A refresh comes every dram_refresh cycles of the
 * simulation in all channels at once, closes all rows and lasts dram_refresh_cycles.
 *
 * docs/closed-forms.md works an example of three accesses to two rows.
 *
 * Invariant: a completion is known when an access is accepted, so nothing happens in DRAM but at acceptances: a
 * channel's wires and each bank are reservations that only move forward (sim/core/rate.h).
 *
 * With one channel, and hit, miss and conflict all 0, banked is simple.
 *
 * Not modelled: reordering for open rows (FR-FCFS) or past a blocked bank, the write queue (writes take their turn when
 * they come), with banked read-to-write turnaround, write recovery, tFAW and other limits on activates, bank groups,
 * refreshing single banks, closing rows early. A refresh does not interrupt an access that has started. */
#ifndef MODELS_MEM_DRAM_H
#define MODELS_MEM_DRAM_H

#include "models/mem/params.h"
#include "sim/core/rate.h"

/* Where a line lies. */
struct dram_place {
  uint32_t channel, bank; /* of its channel */
  uint64_t row;           /* of its bank */
  uint32_t column;        /* line of its row */
};

struct dram_bank {
  cycle_t free;       /* when the next access may start */
  uint64_t row;       /* that is open, + 1; 0: none */
  uint64_t refreshes; /* of the channel, before the last access started */
};

struct dram {
  struct mem_params params;
  struct mem_stats *stats;
  struct rate *wires; /* of each channel, in 1 / channels of a byte so that shares are exact */
  struct dram_bank *banks;
  uint64_t *bytes; /* that each channel was asked for in this launch */
  unsigned way;    /* enum dram_way of the last access */
  uint32_t channels;
};

/* From the lowest digit of a line's number up: channel, column, bank, row. */
struct dram_place dram_locate(const struct mem_params *params, uint64_t line);

/* False when memory runs out. Counts into `stats`. */
bool dram_init(struct dram *dram, const struct mem_params *params, struct mem_stats *stats);
void dram_free(struct dram *dram);

/* A launch begins: rows stay open, the channels' books are cleared. */
void dram_launch(struct dram *dram);

enum dram_way { DRAM_READ, DRAM_WRITE };

/* Reads or writes `bytes` of a line, from cycle `now` on; returns when they are delivered (write-backs do not wait). */
cycle_t dram_access(struct dram *dram, cycle_t now, uint64_t line, uint64_t bytes, enum dram_way way);

/* Bytes that are still to pass from `now` on, as if the wires worked all the time until they are free. */
uint64_t dram_backlog(const struct dram *dram, cycle_t now);

#endif
