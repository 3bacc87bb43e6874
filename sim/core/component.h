/* Components and islands: how models are stepped.
 *
 * A component is a block of hardware with a `step`. An island is a set of components that
 * always advance together (a compute unit with its LDS, its DMA engine and its memory port);
 * hosts schedule islands and never look inside.
 *
 *     host (plain loop or SystemC)
 *       └─ island ── run(until) ──┐
 *            ├─ component.step(now) -> next cycle it wants, or NEVER
 *            └─ component ...
 *
 * Invariant: the outcome does not depend on the order in which components of an island, or
 * islands, are stepped. It follows from three laws: every link takes at least one cycle both
 * ways, every port has one sender and one receiver, and `now` is an argument.
 *
 * An island may run ahead of its host's clock by its `lookahead`, the smallest latency among the links
 * that connect it to others, either way: no message that is sent to it at or after `now`, and no credit
 * that is given back to it, can arrive before `now + lookahead`.
 *
 * A `step` may be called when nothing is due; it must then change nothing. Its answer covers all that it
 * can see, messages on their way to it and credits on their way back included: a wake-up for a later
 * cycle that came before the step is forgotten with it. */
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
  bool running;                          /* in island_run(): wake-ups come from inside, and need no hook */
  cycle_t lookahead;                     /* smallest latency of a link to or from it */
  bool hub;                              /* all others are linked to it alone */
  cycle_t reach;                         /* of a hub: the least time until others feel what it does */
  unsigned share;                        /* of the host's: those of different ones may run at once (sim/core/host.h) */
  void (*woken)(void *host, cycle_t at); /* host's hook: `next` became earlier */
  void *host;
  struct probe probe[ISLAND_PROBES];
  size_t probes;
};

/* Adds a component; it is first due at cycle 0. */
void island_add(struct island *island, struct component *component);

/* Lets a waveform show `*value`, `bits` wide, as island.component.name. */
void island_probe(struct island *island, const struct component *component, const char *name, const uint32_t *value,
                  unsigned bits);

/* Runs every step due before `until` and returns the next cycle at which one is due. */
cycle_t island_run(struct island *island, cycle_t until);

/* Permutes the stepping order. Only tests call it: any permutation gives the same result. */
void island_order(struct island *island, const size_t *permutation);

/* The island's earliest step moved to `at`. A hub's may be moved by several threads at once: by islands that are linked
 * to it. */
void island_wake(struct island *island, cycle_t at);

/* Lowers *next, the island's or one of its parts', to `at`; false if it was as low. A hub's may be lowered by several
 * threads at once. */
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

/* Asks for a step of `component` at cycle `at`, or earlier if one is already due. */
static inline void component_wake(struct component *component, cycle_t at) {
  struct island *island = component->island;
  if (island_lower(island, &component->next, at) && island && at < __atomic_load_n(&island->next, __ATOMIC_RELAXED))
    island_wake(island, at);
}

#endif
