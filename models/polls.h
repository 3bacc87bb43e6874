/* Polls: warps that read the same places again and again when a launch reaches its cycle limit.
 *
 * Only a launch that comes near its limit is watched: from then on, the compute units' sources are wrapped, so other
 * launches pay nothing. Of each warp, the last few different accesses are kept.
 *
 *     ... A B C | P P P P P P   limit        P: same instruction, lanes and addresses
 *
 * A warp polls if its last accesses repeat, and one of them is a load or an atomic operation whose result steers it
 * (isa/steering.h). Lanes that have not exited, but run nothing of that loop, wait for it to end.
 *
 * Invariant: only what a trace has is used, masks and addresses, so a replay finds the same polls.
 *
 * Not modeled: who holds a lock, except by its lanes: a lane of a warp that polls with an exchange has left the loop
 * because it got the lock. */
#ifndef MODELS_POLLS_H
#define MODELS_POLLS_H

#include "models/cu.h"

struct polls;

/* The cycle from which a launch is watched that starts in cycle `start` and is stopped in cycle `end`. */
cycle_t polls_from(cycle_t start, cycle_t end);

/* Wraps the source of the CU, which must be `inner`. */
struct polls *polls_new(struct cu *cu, const struct warp_source *inner);

/* Gives the CU its source back. `polls` may be NULL. */
void polls_free(struct polls *polls);

/* Does the warp in this slot poll, with `steers` of its program's instructions? Fills *poll. */
bool polls_find(const struct polls *polls, uint32_t slot, const bool *steers, struct warp_poll *poll);

#endif
