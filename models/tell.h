/* What a compute unit tells a timeline (sim/core/timeline.def has the events, sim/core/timeline.h the laws).
 *
 * Its files call these where something happens, unless cu->tell is NULL; what only a timeline wants to have kept is
 * kept in tell.c. Accounts are not told where they are charged, which would slow every issue, but after each step, from
 * what the buckets have grown by: in a step a warp is charged for one wait, for what is taken from it in retrospect
 * (cycles of contention and of conflicts, which come first), and then for its issue.
 *
 *   account    charges of one bucket and one instruction that follow each other are one event, but each issue is one:
 *              told when another bucket or instruction is charged, or the warp ends
 *   scheduler  issues in cycles that follow each other are one event, and so is a gap between two of these, in the
 *              bucket that the warp waited in at last whose issue ends it. Of a warp that has only just started: that
 *              of the oldest one besides it, and no event if there is none: the scheduler had nobody to issue from
 *
 * Invariant: nothing here changes what the models do. */
#ifndef MODELS_TELL_H
#define MODELS_TELL_H

#include "models/cu.h"
#include "sim/core/timeline.h"

/* Whatever it does from now on is told: its step looks at accounts afterwards. False when memory runs out. */
bool tell_open(struct cu *cu, struct timeline_tap tap);
void tell_close(struct cu *cu);

/* A warp has started, or its account is closed. */
void tell_warp_start(struct cu *cu, uint32_t slot);
void tell_warp_end(struct cu *cu, uint32_t slot);

/* Access `index` of a warp of the kernel's goes to the LDS (enum lds_kind), which is told whose it is, or to global
 * memory. */
enum tell_global { TELL_PIPE = MEM_PREFETCH + 1, TELL_COPY }; /* beside those of enum mem_kind */
struct lds_origin tell_lds_access(struct cu *cu, const struct cu_kernel *kernel, uint32_t index, unsigned kind,
                                  cycle_t now);
void tell_global_access(struct cu *cu, const struct cu_kernel *kernel, uint32_t index, enum tell_global kind,
                        uint64_t bytes, cycle_t now);

/* It is answered; of a load that the L1 serves it is known at its issue when that will be: `at`. */
void tell_lds_reply(struct cu *cu, const struct lds_reply *reply, cycle_t now);
void tell_access_end(struct cu *cu, uint32_t index, cycle_t now);
void tell_l1_hit(struct cu *cu, uint32_t index, cycle_t at, cycle_t now);

/* All warps of the group have arrived at the call, and may go on at `end`. */
void tell_meeting(const struct cu *cu, const struct cu_group *group, const struct cu_call *call, cycle_t end);

/* The group, which stands at a copy, issues it; a further descriptor is made of the copy with this number; the last of
 * them has been handed to its engine, or all of it to its warps. */
void tell_copy(struct cu *cu, const struct cu_group *group, cycle_t now);
void tell_copy_part(struct cu *cu, uint64_t number);
void tell_copy_handed(struct cu *cu, uint64_t number, cycle_t now);

/* An engine has news of a descriptor; all of a copy without one has landed. */
void tell_copy_news(struct cu *cu, const struct dma_done *done, cycle_t now);
void tell_copy_landed(struct cu *cu, uint64_t number, cycle_t now);

/* A work-group is over at `end`. */
void tell_group(const struct cu *cu, uint32_t group_slot, cycle_t end);

/* Launches begin in cycle `start`; they have ended, which is told in cycle `now`. */
void tell_launch(struct cu *cu, cycle_t start);
void tell_launch_end(struct cu *cu, cycle_t now);

/* They have been cut short at `end`, and all that is under way with them; the warps' accounts are closed. Told in cycle
 * `now`. */
void tell_cut(struct cu *cu, cycle_t end, cycle_t now);

#endif
