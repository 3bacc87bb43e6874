/* How the bytes of global memory move: the one interface between those who decide when and those who have the bytes.
 *
 *     memory                                                      compute unit
 *     accepts a message ─► commit_accept ─┬─► source.commit              a warp's access
 *     serves a pipe, or    commit_now ────┼─► source.commit_dma_memory   an engine's request: the message's rectangle
 *     an outside memory's reply           └─► l1_capture                 the lines that a load brings to the L1
 *                               └ load ─► queue ─► commit_waiting ◄─── first in its step
 *                                                  commit_cached  ◄─── a load or image read that a cache serves
 *
 * Who calls, and when. Only the memory calls commit_accept() and commit_now(), in the cycle in which the L2 accepts the
 * message or, of an operation on a pipe or with an outside memory, serves it. Only a compute unit calls the other two:
 * commit_waiting() before anything else in its step, commit_cached() when the access issues. Compute units and the
 * memory take turns and never run at the same time, so the memory may do a compute unit's part.
 *
 * Loads that wait. A load returns what memory held when it was accepted. As long as nothing is written there, the bytes
 * can be read later: by the compute unit, in the thread that steps it, which also brings its registers into the host's
 * caches (late_loads.h).
 *
 *     memory, accepts    load a   load b   store c, to a line of a           load d
 *                          │        │        └─ first carries out a and b
 *     compute unit         └────────┴── would have in its next step           └──► carries out d in its next step
 *
 * Invariant: the bytes are those of the order of acceptance: no write is carried out while an earlier accepted load
 * that touches one of its lines waits. An L1's line has the bytes that memory had when it accepted the load that filled
 * it.
 *
 * Not here: the LDS, whose accesses and beats commit through struct lds_commit (lds/lds.h); functional mode, which
 * commits what it executes (models/functional.h). Not modeled: a commit that takes time or fails. */
#ifndef MODELS_COMMIT_H
#define MODELS_COMMIT_H

#include "models/late_loads.h"
#include "models/warp_source.h"

struct mem_message;

struct commits {
  const struct warp_source **source; /* per compute unit */
  struct isa_memory *memory;         /* the launch's, which has the bytes */
  struct late_loads late;            /* loads that wait */
  cycle_t tried_at;                  /* cycle of the last attempt to end their round */
};

void commits_init(struct commits *commits, uint32_t compute_units);
void commits_free(struct commits *commits);

/* The bytes of a message of compute unit `cu` move: those of a load perhaps later, if that makes no difference; all of
 * them now. */
void commit_accept(struct commits *commits, uint32_t cu, const struct mem_message *message);
void commit_now(struct commits *commits, uint32_t cu, const struct mem_message *message);

/* Ends the round of loads that wait if none does (late_loads.h). Checks all compute units, and so only once in `window`
 * cycles. */
void commits_end_round(struct commits *commits, cycle_t now, cycle_t window);

/* The loads that wait for the compute unit. */
void commit_all_waiting(struct commits *commits, uint32_t cu);
static inline void commit_waiting(struct commits *commits, uint32_t cu) {
  if (commits->late.queue[cu].count)
    commit_all_waiting(commits, cu);
}

/* A load or image read whose bytes `cache` has; NULL: memory's are the same. */
void commit_cached(const struct warp_source *source, struct isa_access *access, const struct isa_cache *cache);

#endif
