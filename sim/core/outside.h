/* An outside memory: a foreign model that takes the place of the memory behind our L2.
 *
 *     memory component ── start(now, transfer, data) ──► outside memory (TLM-2.0 socket, a test, ...)
 *                      ◄── done(context, tag, at, good) ──
 *
 * The memory component starts a transaction for every request that leaves the machine, of at most one line. done() says
 * in which cycle it is complete. The bytes travel along: a write sends what `data` contains at the start; a read fills
 * `data` before done() is called, so that the component can copy it to the launch's memory before the read commits.
 *
 * Invariant: done() is called exactly once for each start(), during it or later. `at` is after the `now` of the start
 * and not before the host's clock. A component that uses an outside memory must not run ahead of its host: the
 * lookahead of its island is 1. */
#ifndef SIM_CORE_OUTSIDE_H
#define SIM_CORE_OUTSIDE_H

#include "sim/core/time.h"
#include "sim/core/transfer.h"

struct outside {
  /* Set by the outside memory: begins a transaction. `data` has transfer->rect.bytes and stays valid until done(). */
  void (*start)(struct outside *outside, cycle_t now, const struct transfer *transfer, uint8_t *data);

  /* Set by the memory component. It should call component_wake() for `at`. */
  void (*done)(void *context, uint32_t tag, cycle_t at, bool good);
  void *context;
};

#endif
