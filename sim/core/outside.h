/* An outside memory: someone else's model behind our L2's back.
 *
 *     memory component ── start(now, transfer, data) ──► outside memory (TLM-2.0 socket, a test, ...)
 *                      ◄── done(context, tag, at, good) ──
 *
 * The memory component starts a transaction for every request that leaves the machine, of at most a
 * line, and learns by done() in which cycle it is complete. Bytes travel with it: a write sends what
 * `data` holds when it is started; a read has filled `data` by the time done() is called, so that the
 * component can put it into the launch's memory before the read commits.
 *
 * Invariant: done() is called exactly once for each start(), from within it or later, and `at` is
 * after the `now` of the start and not before the host's clock. A component that is attached to one
 * must not run ahead of its host: its island's lookahead is 1. */
#ifndef SIM_CORE_OUTSIDE_H
#define SIM_CORE_OUTSIDE_H

#include "sim/core/time.h"
#include "sim/core/transfer.h"

struct outside {
  /* Set by the outside: begins a transaction. `data` has transfer->bytes and stays until done(). */
  void (*start)(struct outside *outside, cycle_t now, const struct transfer *transfer, uint8_t *data);

  /* Set by the memory component: it should call component_wake() for `at`. */
  void (*done)(void *context, uint32_t tag, cycle_t at, bool good);
  void *context;
};

#endif
