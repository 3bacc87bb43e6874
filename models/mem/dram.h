/* DRAM: how long an access takes, and what it makes others wait for.
 *
 * simple     one set of wires with `dram_width` bytes a cycle, then `dram_latency`
 *
 * Each change between reads and writes costs dram_turn bytes on the wires. An access of less than `dram_burst` bytes
 * counts as `dram_burst`: bursts are whole, and the rate at which rows open is limited. Each row of dram_row bytes is
 * refreshed for dram_refresh_cycles in every dram_refresh, at a time that depends on a hash of its number. Data of a
 * row that is requested during its refresh arrive later by the rest of the refresh. Other rows are not affected: only
 * one bank refreshes at a time, and the wires do not idle for it.
 *
 * banked     channels, each with its own banks and wires:
 *
 *     access ──┬─► channel 0 ──┬─► bank 0  row ─┐
 *              │               ├─► bank 1  row ─┼─► wires ──► dram_latency ──► L2
 *              │               └─► bank n  row ─┘   dram_width / dram_channels bytes a cycle
 *              └─► channel n ...
 *
 * An access is the missing or the changed sectors of one line, so it is in one row: dram_locate(). A bank serves
 * accesses in order. An access starts when the bank is free, but not during a refresh. Its data are ready dram_row_hit
 * cycles later if its row is open, dram_row_miss if no row is, dram_row_conflict if another one is. Then they pass the
 * channel's wires, in the order in which accesses came. The row stays open. The bank is free dram_row_hit cycles before
 * the wires are, so hits to a row follow each other without a gap, and a precharge starts after the last column
 * command. Every dram_refresh cycles, a refresh of dram_refresh_cycles starts in all channels at once and closes all
 * rows. docs/closed-forms.md has an example of three accesses to two rows. With one channel, and hit, miss and conflict
 * all 0, banked equals simple.
 *
 * Invariant: the completion is known when an access is accepted. So DRAM only acts on acceptances, and the wires and
 * banks are reservations that only move forward (sim/core/rate.h).
 *
 * Not modeled: reordering for open rows (FR-FCFS) or past a blocked bank, the write queue (writes take their turn when
 * they arrive), read-to-write turnaround with banked, write recovery, tFAW and other limits on activates, bank groups,
 * refresh of single banks with banked, closing rows early. A refresh does not interrupt an access that has started. */
#ifndef MODELS_MEM_DRAM_H
#define MODELS_MEM_DRAM_H

#include "models/mem/params.h"
#include "sim/core/rate.h"

/* The place of a line. */
struct dram_place {
  uint32_t channel, bank; /* bank within its channel */
  uint64_t row;           /* within its bank */
  uint32_t column;        /* line within its row */
};

struct dram_bank {
  cycle_t free;       /* when its next access may start */
  uint64_t row;       /* the open row, plus 1; 0: none */
  uint64_t refreshes; /* refreshes of the channel before its last access started */
};

struct dram {
  const struct mem_params *params;
  struct mem_stats *stats;
  struct rate *wires; /* per channel, in units of 1 / channels of a byte, so that shares are exact */
  struct dram_bank *banks;
  uint64_t *bytes; /* per channel, moved in this launch */
  unsigned way;    /* enum dram_way of the last access */
  uint32_t channels;
};

/* The digits of a line's number, lowest first: channel, column, bank, row. */
struct dram_place dram_locate(const struct mem_params *params, uint64_t line);

/* Counts into `stats`. */
void dram_init(struct dram *dram, const struct mem_params *params, struct mem_stats *stats);
void dram_free(struct dram *dram);

/* Starts a launch: rows stay open, the channels' counts are cleared. */
void dram_launch(struct dram *dram);

enum dram_way { DRAM_READ, DRAM_WRITE };

/* Reads or writes `bytes` of a line from cycle `now` on; returns when they are delivered (nothing waits for
 * write-backs). */
cycle_t dram_access(struct dram *dram, cycle_t now, uint64_t line, uint64_t bytes, enum dram_way way);

/* Bytes still to move from `now` on, assuming that the wires work at full width until they are free. */
uint64_t dram_backlog(const struct dram *dram, cycle_t now);

#endif
