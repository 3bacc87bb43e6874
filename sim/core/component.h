/* Components and islands: how models are stepped.
 *
 * A component is a block of hardware with a `step`. An island is a set of components that always advance together (a
 * compute unit with its LDS, its DMA engine and its memory port). Hosts schedule islands and never look inside.
 *
 *     host (plain loop or SystemC)
 *       └─ island ── run(until) ──┐
 *            ├─ component.step(now) -> the next cycle that it wants, or NEVER
 *            └─ component ...
 *
 * Invariant: the result does not depend on the order in which the components of an island, or the islands, are stepped.
 * This follows from three rules: every link takes at least one cycle in both directions, every port has one sender and
 * one receiver, and `now` is an argument.
 *
 * An island may run ahead of its host's clock by its `lookahead`, the smallest latency of the links between it and
 * other islands, in either direction: a message sent to it at or after `now`, or a credit returned to it, cannot arrive
 * before `now + lookahead`.
 *
 * A `step` may be called when nothing is due; then it must not change anything. Its return value must account for
 * everything that it can see, including messages and credits on their way to it: an earlier wake-up for a later cycle
 * is forgotten once the component is stepped. */
#ifndef SIM_CORE_COMPONENT_H
#define SIM_CORE_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/time.h"

struct island;

struct component {
  const char *name; /* for waveforms and deadlock reports */
  cycle_t (*step)(void *self, cycle_t now);
  void *self;
  cycle_t next; /* the next cycle at which step is due */
  struct island *island;
};

#define ISLAND_COMPONENTS 40 /* up to 8 CUs with an LDS and a memory port each, and 8 DMA engines with their hubs */

/* A value that a waveform shows. */
struct probe {
  const char *component;
  const char *name;
  const uint32_t *value;
  unsigned bits;
};

#define ISLAND_PROBES 64

struct island {
  char name[16];
  struct component *part[ISLAND_COMPONENTS]; /* in stepping order; see island_order() */
  size_t parts;
  cycle_t next;                          /* earliest `next` among the parts */
  bool running;                          /* in island_run(): wake-ups come from inside and do not need the hook */
  cycle_t lookahead;                     /* smallest latency of a link to or from it */
  bool hub;                              /* all other islands are linked only to it */
  cycle_t hub_lookahead;                 /* of a hub: the least time before it can affect other islands */
  unsigned share;                        /* number: the host may run different shares concurrently (sim/core/host.h) */
  void (*woken)(void *host, cycle_t at); /* the host's hook: `next` became earlier */
  void *host;
  struct probe probe[ISLAND_PROBES];
  size_t probes;
};

/* Adds a component; it is first due at cycle 0. */
void island_add(struct island *island, struct component *component);

/* Adds `*value`, `bits` wide, to waveforms as island.component.name. */
void island_probe(struct island *island, const struct component *component, const char *name, const uint32_t *value,
                  unsigned bits);

/* Runs every step that is due before `until`. Returns the next cycle at which one is due. */
cycle_t island_run(struct island *island, cycle_t until);

/* Permutes the stepping order. For tests, because any permutation gives the same result. */
void island_order(struct island *island, const size_t *permutation);

/* Notifies the island and its host that a step is due at `at`, earlier than any other. For a hub, several threads may
 * do so at once: those of the islands that are linked to it. */
void island_wake(struct island *island, cycle_t at);

/* Lowers *next, which belongs to the island or one of its parts, to `at`. Returns false if it was no later than that.
 * For a hub, several threads may do so at once. */
static inline bool island_lower(const struct island *island, cycle_t *next, cycle_t at) {
  cycle_t was = __atomic_load_n(next, __ATOMIC_RELAXED);
  while (at < was) {
    if (!island || !island->hub) {
      *next = at;
      return true;
    }
    if (__atomic_compare_exchange_n(next, &was, at, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}

/* Requests a step of `component` at cycle `at`, unless an earlier one is already due. */
static inline void component_wake(struct component *component, cycle_t at) {
  struct island *island = component->island;
  if (island_lower(island, &component->next, at) && island && at < __atomic_load_n(&island->next, __ATOMIC_RELAXED))
    island_wake(island, at);
}

#endif
