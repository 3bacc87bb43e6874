/* Copies without an engine: work-items of the group carry them out (dma.copy lanes or blocking).
 *
 *     rendezvous of the copy ──► shares: of W warps, warp w has the accesses w, w + W, w + 2W ...
 *
 *     lanes      slots: address, access, address, access ...     the warp continues after its last access
 *                global load ─reply─► line for the LDS ─► LDS write ─reply─► done
 *                LDS read ─reply─► line for memory ─► global store ─reply─► done
 *     blocking   slots: address, load, address, load ... (copy_unroll of them), then, in order, as their
 *                data arrive: store, store ...; the warp continues when its last store is performed
 *
 * A copy is cut into pieces of one size (describe() in lane_copy.c). Pieces go to lanes in order; the pieces of a
 * warp's lanes are one access. An access takes copy_overhead issue slots for its addresses and one for itself; in a
 * blocking copy, one more for its store. It uses the same paths as the warps' own accesses: the memory port, with
 * sectors merged; one of cu.accesses, from its first side to its end; and the warps' port of the LDS, with its bank
 * conflicts. Data that have been read move on as soon as the second side has room, before the warps' own accesses of
 * that cycle.
 *
 * Invariant: each access leaves its first side once and its second side once. A copy is complete when all accesses have
 * left both sides; it is done with an address space when they have left that side. Between the commits of load and
 * store, models/executor.c has the bytes: here are only numbers and addresses.
 *
 * A kernel's lanes may also copy directly. Each copy.lane is one such access, into the LDS, of the warp that issues it
 * and of the batch that the next copy.lane.commit ends. copy.lane.wait n releases a warp when all batches but the last
 * n are complete, lane_wait_latency after its issue.
 *
 * A copy fence holds the accesses of later copies until earlier copies of the group are done with the fenced spaces.
 * Warps wait in the bucket copy_data, as they do for data of a blocking copy. docs/closed-forms.md has an example of
 * both.
 *
 * Not modeled: the engine's padding and swizzle (machine_check() refuses them, because the kernel's own addresses would
 * have to do it) and dma.alignment; registers for the loads of a blocking copy; sizes that change within a copy;
 * instructions for its head and tail; an L1 that these accesses use or bypass. In hardware, lanes copy asynchronously
 * only into the LDS. */
#ifndef MODELS_LANE_COPY_H
#define MODELS_LANE_COPY_H

#include "models/cu.h"

void lane_copies_init(struct cu *cu, uint32_t accesses);
void lane_copies_free(struct cu *cu);

/* Copies of lanes (copy.lane): an access has issued; a batch ends. lane_copy_waits(): batches that the warp's next
 * instruction waits for are not complete, those of a copy.lane.wait or, at a commit, the oldest of too many. */
void lane_copy_own(struct cu *cu, uint32_t index, cycle_t now);
void lane_copy_commit(struct cu_warp *warp);
static inline bool lane_copy_waits(const struct cu_warp *warp, const struct isa_info *info) {
  const struct cu_batches *batches = &warp->batches;
  if (info->class_ == ISA_CLASS_LANE_WAIT)
    return batches->oldest + warp->kernel->program->code[warp->pc].imm < batches->open;
  return info->class_ == ISA_CLASS_LANE_COMMIT && batches->open - batches->oldest == ISA_LANE_BATCHES;
}

/* Divides the copy at which the group waits among its warps, and releases them. */
void lane_copy_start(struct cu *cu, uint32_t group_slot, uint64_t tag, cycle_t now);

/* Like cu_plan(), for a warp with a share: decides when it may continue with the share or with its instructions. */
void lane_copy_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now);

/* What keeps its next slot from issuing, or STALL_ISSUED. Lowers *until to the cycle in which that may change. */
enum stall lane_copy_held(struct cu *cu, const struct cu_scheduler *scheduler, uint32_t slot, cycle_t now,
                          cycle_t *until);

/* Issues its next slot. */
void lane_copy_issue(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, cycle_t now);

/* The memory or the LDS has replied to access `index` of a copy. */
void lane_copy_reply(struct cu *cu, uint32_t index, cycle_t now);

/* If stores are queued: sends as many as there is room for; returns when there will be more room. */
void lane_copy_pass_on(struct cu *cu, cycle_t now);
cycle_t lane_copy_next(const struct cu *cu, cycle_t now);

#endif
