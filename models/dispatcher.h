/* The dispatcher: sends the work-groups of launches to compute units.
 *
 *     launch 0: next group ─┐                 room of each CU:
 *     launch 1: next group ─┼─ in turn ─► CU  warps, group slots, registers, LDS
 *     ...                   ┘
 *
 * A work-group goes to a CU that has room for all that it needs: warps, a group slot, registers, and a contiguous piece
 * of the LDS, the lowest that is large enough. In every cycle, the dispatcher sends at most one work-group to each CU,
 * starting with the CU after the one served last. With several launches, it sends a group of the launch whose turn it
 * is, the one after the launch served last. If the next group of a launch does not fit into that CU, the other launches
 * do not wait. Groups of a launch start in order, lowest number first. What a group used is free dispatch_latency after
 * its end. dispatch_rate limits the work-groups sent to all CUs together.
 *
 * Invariant: every work-group is sent exactly once, and a launch is over when all of its groups have ended.
 *
 * Example: two launches, A with groups of one warp and B with groups of three warps, in one CU with 4 warps.
 * dispatch_latency is d. A0 ends at cycle e, A1 at cycle f, B0 later:
 *
 *     cycle   0    1    2 ..   e + d   ..   f + d
 *     sent    A0   B0   -      A1           A2       B1's turn, but 3 warps are not free
 *
 * Not modeled: priorities, launch overhead of a driver, moving a group's LDS to close gaps. */
#ifndef MODELS_DISPATCHER_H
#define MODELS_DISPATCHER_H

#include "models/cu.h"

/* What a work-group needs from a CU, or a CU has. */
struct cu_room {
  uint32_t warps, groups, registers, lds;
};

/* A piece of LDS that a group holds, sorted by address. */
struct lds_piece {
  uint32_t base, bytes;
};

struct dispatched {
  struct cu_room need;          /* per group */
  uint64_t first, groups, sent; /* number of its first group; how many groups */
};

struct dispatcher {
  struct component component;
  struct cu **cus;
  uint64_t rate;            /* work-groups in 100 cycles; 0: no limit */
  uint64_t passed;          /* with a rate: when the last group has passed, in cycles times rate */
  uint32_t cu_count;        /* CUs that are built */
  cycle_t *arrivals;        /* when the oldest message of each CU arrives, or NEVER */
  struct cu_room all;       /* room of an empty CU */
  struct cu_room *free;     /* of each CU */
  struct lds_piece *pieces; /* at most `all.groups` of each CU */
  uint32_t *piece_count;
  uint32_t turn; /* CU that is served first */
  struct dispatched launches[RESULT_TOGETHER];
  uint32_t launch_count, launch_turn; /* launch that is served first */
  uint64_t groups, sent, done;        /* of all launches */
  cycle_t last_end;                   /* when the last group so far ended */
  uint32_t probe_left;                /* groups not yet sent */
};

void dispatcher_init(struct dispatcher *dispatcher, struct cu **cus, const struct machine *machine);
void dispatcher_free(struct dispatcher *dispatcher);

/* The first `cus` CUs are built: one for each group of the next launches, or all. */
void dispatcher_set_cus(struct dispatcher *dispatcher, uint32_t cus);

/* Starts at cycle `start`, without launches. dispatcher_add() must follow for each launch before the first cycle, with
 * its work-groups from number `first` on and the room that each needs. */
void dispatcher_launch(struct dispatcher *dispatcher, cycle_t start);
void dispatcher_add(struct dispatcher *dispatcher, uint64_t first, uint64_t groups, const struct cu_room *need);

static inline bool dispatcher_finished(const struct dispatcher *dispatcher) {
  return dispatcher->done == dispatcher->groups;
}

#endif
