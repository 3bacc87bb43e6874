/* The worst LDS access of each instruction: which lanes accessed which banks.
 *
 *     compute unit ──step──► page_lanes ──step──► executor, recorder or replayer
 *                               │ addresses of the lanes
 *                               ▼
 *                         lds_recall(): passes; the access with the most is kept
 *
 * A timeline records which banks were busy, and how often, but not the addresses.
 *
 * Invariant: watching does not change the run. Of accesses with the same number of passes, the first is kept, in the
 * order of the compute units' steps within a cycle.
 *
 * Not modeled: accesses by copies. */
#ifndef TOOLS_PAGE_LANES_H
#define TOOLS_PAGE_LANES_H

#include "sim/base/text.h"
#include "sim/session/run.h"

struct page_lanes;

struct page_lanes *page_lanes_new(void);
void page_lanes_free(struct page_lanes *lanes);

struct run_watcher page_lanes_watcher(struct page_lanes *lanes);

/* Appends a JSON list with an object for each instruction of each launch. */
void page_lanes_print(const struct page_lanes *lanes, struct text *text);

#endif
