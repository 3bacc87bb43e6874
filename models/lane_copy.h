/* Copies without an engine: the work-items of the group carry them out (dma.copy lanes or blocking).
 *
 *     rendezvous of the copy ──► shares: of W warps, warp w has the accesses w, w + W, w + 2W ...
 *
 *     lanes      slots: address, access, address, access ...     the warp goes on after its last access
 *                global load ─reply─► line for the LDS ─► LDS write ─reply─► done
 *                LDS read ─reply─► line for memory ─► global store ─reply─► done
 *     blocking   slots: address, load, address, load ... (copy_unroll of them), then in order, each when its
 *                data are there: store, store ...; the warp goes on when its last store is performed
 *
 * A copy is cut into pieces of one size: the most bytes, up to dma.lane_bytes, that addresses, pitches and the lengths
 * of lines are all multiples of (and of an element, where some of them are missing). Pieces are dealt to lanes in
 * order; the pieces of a warp's lanes are an access. It takes copy_overhead issue slots for its addresses and one for
 * itself; of a blocking copy's access, its store takes one more. An access goes the way of the warps' own: through the
 * memory port with its sectors merged, one of cu.accesses under way from its first side to its end, and through the
 * warps' port of the LDS with the bank conflicts that its addresses have. What has been read and waits for its second
 * side is sent on as soon as that has room, before the warps' own accesses of the same cycle.
 *
 * Invariant: an access leaves the first side once and the second side once; a copy is complete when all of its accesses
 * have left both, and it is finished in a space when they have left that side. Bytes are in the access between the
 * commit of its load and that of its store (models/executor.c); here are numbers and addresses alone.
 *
 * A kernel may also have its lanes copy by themselves: each copy.lane is one access of this kind, on the way to the
 * LDS, of the warp that issues it and of the batch that its next copy.lane.commit ends. copy.lane.wait n lets a warp go
 * on when all batches but the last n are complete, lane_wait_latency after its issue.
 *
 * A copy fence keeps a later copy's accesses from being issued until the earlier copies of its group have finished in
 * the spaces that it names; the warps wait for that in the bucket copy_data, as they do for a blocking copy's data.
 *
 * docs/closed-forms.md works an example of both.
 *
 * Not modelled: the engine's padding and swizzle (machine_check() refuses them here: the kernel's own addresses would
 * have to do it) and its dma.alignment; registers that a blocking copy's loads would need, widths that change within a
 * copy, instructions for its head and tail, an L1 that accesses go through or past. On hardware lanes copy
 * asynchronously inwards only. */
#ifndef MODELS_LANE_COPY_H
#define MODELS_LANE_COPY_H

#include "models/cu.h"

bool lane_copies_init(struct cu *cu, uint32_t accesses);
void lane_copies_free(struct cu *cu);

/* Lanes' own copies (copy.lane): the access has been issued; a batch ends here; what the instruction that the warp
 * wants to issue next waits for is not complete: batches of a copy.lane.wait, or the oldest of too many. */
void lane_copy_own(struct cu *cu, uint32_t index, cycle_t now);
void lane_copy_commit(struct cu_warp *warp);
static inline bool lane_copy_waits(const struct cu_warp *warp, const struct isa_info *info) {
  const struct cu_batches *batches = &warp->batches;
  if (info->class_ == ISA_CLASS_LANE_WAIT)
    return batches->oldest + warp->kernel->program->code[warp->pc].imm < batches->open;
  return info->class_ == ISA_CLASS_LANE_COMMIT && batches->open - batches->oldest == ISA_LANE_BATCHES;
}

/* The group, which stands at a copy, deals it to its warps and leaves the rendezvous. */
void lane_copy_start(struct cu *cu, uint32_t group_slot, uint64_t tag, cycle_t now);

/* When may a warp with a share go on with it, or with its instructions? As cu_plan(). */
void lane_copy_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now);

/* What keeps its next slot from being issued, or ISSUED if nothing does; lowers *until to when to look again. */
enum stall lane_copy_held(struct cu *cu, const struct cu_scheduler *scheduler, uint32_t slot, cycle_t now,
                          cycle_t *until);

/* Its next slot is issued. */
void lane_copy_issue(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, cycle_t now);

/* The memory or the LDS has answered access `index`, which is a copy's. */
void lane_copy_reply(struct cu *cu, uint32_t index, cycle_t now);

/* While something is lined up: sends it on, as far as there is room; and says when there will be. */
void lane_copy_pass_on(struct cu *cu, cycle_t now);
cycle_t lane_copy_next(const struct cu *cu, cycle_t now);

#endif
