/* What a compute unit reports to a timeline (sim/core/timeline.def has the events, sim/core/timeline.h the rules).
 *
 * The CU's files call these functions where something happens, unless cu->emitter is NULL. Data that only a timeline
 * needs are kept in emit.c. Accounts are not reported where they are charged, because that would slow down every issue.
 * After each step, the growth of the buckets shows what happened: in a step, a warp is charged for one wait, of which
 * contention and conflict cycles are split off and come first, and then for its issue.
 *
 *   account    consecutive charges of one bucket and one instruction are one event, but each issue is one: reported
 *              when another bucket or instruction is charged, or when the warp ends
 *   scheduler  issues in consecutive cycles are one event. A gap between two of these is one event, too, in the bucket
 *              in which the warp whose issue ends it waited longest. If that warp has just started, it is the bucket of
 *              the oldest other warp; without one, the scheduler had no warp, and there is no event
 *
 * Invariant: nothing here changes what the models do. */
#ifndef MODELS_EMIT_H
#define MODELS_EMIT_H

#include "models/cu.h"
#include "sim/core/timeline.h"

struct dma_done;

/* From now on, the CU's step also checks accounts. */
void emit_open(struct cu *cu, struct timeline_tap tap);
void emit_close(struct cu *cu);

/* A warp has started; its account is closed. */
void emit_warp_start(struct cu *cu, uint32_t slot);
void emit_warp_end(struct cu *cu, uint32_t slot);

/* Access `index` of a warp of the kernel goes to the LDS (enum lds_kind), or to global memory. The LDS gets the
 * origin. */
enum emit_global { EMIT_PIPE = MEM_PREFETCH + 1, EMIT_COPY }; /* in addition to enum mem_kind */
struct lds_origin emit_lds_access(struct cu *cu, const struct cu_kernel *kernel, uint32_t index, unsigned kind,
                                  cycle_t now);
void emit_global_access(struct cu *cu, const struct cu_kernel *kernel, uint32_t index, enum emit_global kind,
                        uint64_t bytes, cycle_t now);

/* The access is over. For a load that hits in the L1, `at` is known at its issue. */
void emit_lds_reply(struct cu *cu, const struct lds_reply *reply, cycle_t now);
void emit_access_end(struct cu *cu, uint32_t index, cycle_t now);
void emit_l1_hit(struct cu *cu, uint32_t index, cycle_t at, cycle_t now);

/* All warps of the group have arrived at the call, and may continue at `end`. */
void emit_meeting(const struct cu *cu, const struct cu_group *group, const struct cu_call *call, cycle_t end);

/* The group issues the copy of its current call; another descriptor of copy `number` is made; the last descriptor is
 * with its engine, or all of the copy with its warps. */
void emit_copy(struct cu *cu, const struct cu_group *group, cycle_t now);
void emit_copy_part(struct cu *cu, uint64_t number);
void emit_copy_handed(struct cu *cu, uint64_t number, cycle_t now);

/* An engine has sent a notice about a descriptor; all of a copy without engine has landed. */
void emit_copy_notice(struct cu *cu, const struct dma_done *done, cycle_t now);
void emit_copy_landed(struct cu *cu, uint64_t number, cycle_t now);

/* A work-group ends at `end`. */
void emit_group(const struct cu *cu, uint32_t group_slot, cycle_t end);

/* Launches begin in cycle `start`; they have ended, which is reported in cycle `now`. */
void emit_launch(struct cu *cu, cycle_t start);
void emit_launch_end(struct cu *cu, cycle_t now);

/* Launches are cut short at `end`, with all that is in flight; the warps' accounts are closed. Reported in cycle
 * `now`. */
void emit_cut(struct cu *cu, cycle_t end, cycle_t now);

#endif
