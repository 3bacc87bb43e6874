/* Schedules of accesses that an LDS has served lately.
 *
 * A loop repeats its accesses at the same addresses, or whole rows of banks further on. Then lds_plan() returns the
 * same schedule: it depends only on the addresses modulo a row (with lds.hash xor, on whole addresses, because the hash
 * includes the row number). The first addresses choose an entry, and a hit must match the low 32 bits of all addresses,
 * which is enough because no LDS is larger.
 *
 * Invariant: lds_recall() returns what lds_plan() would. */
#ifndef LDS_MEMO_H
#define LDS_MEMO_H

#include "lds/lds.h"

enum { MEMO_ENTRIES = 32, MEMO_PASSES = 32 /* longer schedules are not kept */ };

struct lds_memo {
  struct lds_remembered {                /* 32 lanes and 4 passes fit 3 cache lines of the host */
    uint32_t behind[LDS_LANES];          /* each lane's address minus that of lane 0 */
    uint64_t mask;                       /* 0: empty entry */
    uint32_t first;                      /* address of lane 0 */
    uint32_t what;                       /* kind, bytes, lanes and swap, packed */
    uint16_t passes, phases, ways, idle; /* at most LDS_PASSES */
    uint32_t late;
    uint64_t bank_mask[MEMO_PASSES];
  } entry[MEMO_ENTRIES];
};

/* Like lds_plan(). All calls must have the same `params`. */
void lds_recall(struct lds_memo *memo, const struct lds_params *params, const struct lds_request *request,
                struct lds_schedule *schedule);

#endif
