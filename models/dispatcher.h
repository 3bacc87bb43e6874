/* The dispatcher: hands the work-groups of launches to compute units.
 *
 *     launch 0: next group ─┐                 room of each CU:
 *     launch 1: next group ─┼─ in turn ─► CU  warps, group slots, registers, LDS
 *     ...                   ┘
 *
 * A work-group goes to a CU that has room for all that it takes: warps, a group slot, registers, and a contiguous piece
 * of the LDS, the lowest that is large enough. In every cycle the dispatcher sends at most one work-group to each CU,
 * beginning with the CU after the one served last. Of several launches, it sends a group of the one whose turn it is,
 * the one after the last that was served; one whose next group does not fit in that CU does not keep back the others.
 * Groups of a launch go in order, lowest number first. What a group held is free again dispatch_latency after it has
 * ended.
 *
 * With dispatch_rate it sends no more than so many work-groups in 100 cycles to all CUs together.
 *
 * Invariant: every work-group is sent exactly once, and a launch is over when all of its groups have come back.
 *
 * Worked example: two launches, A of one-warp groups and B of three-warp groups, in one CU of 4 warps, where
 * dispatch_latency is d; A0 ends at cycle e, A1 at cycle f, B0 later:
 *
 *     cycle   0    1    2 ..   e + d   ..   f + d
 *     sent    A0   B0   -      A1           A2       B1's turn, but 3 warps are not free
 *
 * Not modelled: priorities, launch overhead of a driver, moving a group's LDS to close gaps. */
#ifndef MODELS_DISPATCHER_H
#define MODELS_DISPATCHER_H

#include "models/cu.h"

/* What a work-group takes of a CU, or a CU has. */
struct cu_room {
  uint32_t warps, groups, registers, lds;
};

/* LDS that groups hold, by place. */
struct lds_piece {
  uint32_t base, bytes;
};

struct dispatched {
  struct cu_room need;          /* of a group */
  uint64_t first, groups, sent; /* its first group's number, and how many there are */
};

struct dispatcher {
  struct component component;
  struct cu **cus;
  uint64_t rate;            /* of work-groups in 100 cycles, 0: no limit; */
  uint64_t passed;          /* and when the last one has passed, in cycles times that */
  uint32_t cu_count;        /* that there are so far */
  cycle_t *arrivals;        /* of the oldest message of each, or NEVER */
  struct cu_room all;       /* what an empty CU has */
  struct cu_room *free;     /* of each CU */
  struct lds_piece *pieces; /* of each CU, `all.groups` at most */
  uint32_t *piece_count;
  uint32_t turn; /* CU that is served first */
  struct dispatched launches[RESULT_TOGETHER];
  uint32_t launch_count, launch_turn; /* launch that is asked first */
  uint64_t groups, sent, done;        /* of all launches */
  cycle_t last_end;                   /* when the last group to end has ended */
  uint32_t probe_left;                /* groups not yet sent */
};

bool dispatcher_init(struct dispatcher *dispatcher, struct cu **cus, const struct machine *machine);
void dispatcher_free(struct dispatcher *dispatcher);

/* The first `cus` CUs are there: enough to give each group of the next launches one of its own, or all. */
void dispatcher_reach(struct dispatcher *dispatcher, uint32_t cus);

/* Begins launches at cycle `start`, none yet: each is then told by dispatcher_add(), with its work-groups, from number
 * `first` on, and what one of them takes, before the first cycle. */
void dispatcher_launch(struct dispatcher *dispatcher, cycle_t start);
void dispatcher_add(struct dispatcher *dispatcher, uint64_t first, uint64_t groups, const struct cu_room *need);

static inline bool dispatcher_finished(const struct dispatcher *dispatcher) {
  return dispatcher->done == dispatcher->groups;
}

#endif
