/* Schedules of accesses that an LDS has seen lately.
 *
 * A loop's accesses come again, at the same addresses or some whole rows of banks further: then so does what lds_plan()
 * answers, which is a pure function of the addresses modulo such a row (lds.hash xor tells rows apart, so there it is
 * one of the addresses). A schedule is kept at a place that the first addresses choose, and found by comparing the
 * low 32 bits of all: no LDS is larger.
 *
 * Invariant: lds_recall() answers what lds_plan() would. */
#ifndef LDS_MEMO_H
#define LDS_MEMO_H

#include "lds/lds.h"

enum { MEMO_ENTRIES = 32, MEMO_PASSES = 32 /* schedules of more are not kept */ };

struct lds_memo {
  struct lds_remembered {                /* what 32 lanes and 4 passes need lies in 3 lines of the host */
    uint32_t behind[LDS_LANES];          /* each lane's address, from that of lane 0 on */
    uint64_t mask;                       /* 0: nothing here */
    uint32_t first;                      /* address of lane 0 */
    uint32_t what;                       /* kind, bytes and lanes in one */
    uint16_t passes, phases, ways, idle; /* LDS_PASSES at most */
    uint32_t late;
    uint64_t bank_mask[MEMO_PASSES];
  } entry[MEMO_ENTRIES];
};

/* As lds_plan(), always with the same `params`. */
void lds_recall(struct lds_memo *memo, const struct lds_params *params, const struct lds_request *request,
                struct lds_schedule *schedule);

#endif
