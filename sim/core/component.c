#include "sim/core/component.h"

#include <assert.h>

void island_add(struct island *island, struct component *component) {
  assert(island->parts < ISLAND_COMPONENTS && "an island holds a handful of components");
  component->island = island;
  component->next = 0;
  island->part[island->parts++] = component;
}

void island_probe(struct island *island, const struct component *component, const char *name, const uint32_t *value,
                  unsigned bits) {
  assert(island->probes < ISLAND_PROBES && "an island has room for its probes");
  island->probe[island->probes++] =
      (struct probe){.component = component->name, .name = name, .value = value, .bits = bits};
}

static cycle_t earliest(const struct island *island) {
  cycle_t next = NEVER;
  for (size_t i = 0; i < island->parts; i++)
    next = cycle_min(next, island->part[i]->next);
  return next;
}

cycle_t island_run(struct island *island, cycle_t until) {
  cycle_t now = earliest(island);
  island->running = true;
  while (now < until) {
    /* `island->next` collects wake-ups of parts that the loop has already passed. */
    island->next = NEVER;
    cycle_t next_of_parts = NEVER;
    for (size_t i = 0; i < island->parts; i++) {
      struct component *part = island->part[i];
      if (part->next <= now) {
        /* A message sent during this step may already have requested an earlier cycle than the step returns. */
        part->next = NEVER;
        cycle_t next = part->step(part->self, now);
        assert(next > now && "a step returns a later cycle");
        part->next = cycle_min(part->next, next);
      }
      next_of_parts = cycle_min(next_of_parts, part->next);
    }
    now = cycle_min(island->next, next_of_parts);
  }
  island->running = false;
  island->next = now;
  return now;
}

void island_order(struct island *island, const size_t *permutation) {
  struct component *old[ISLAND_COMPONENTS] = {0};
  for (size_t i = 0; i < island->parts; i++)
    old[i] = island->part[i];
  for (size_t i = 0; i < island->parts; i++)
    island->part[i] = old[permutation[i]];
}

void island_wake(struct island *island, cycle_t at) {
  if (island_lower(island, &island->next, at) && island->woken && !island->running)
    island->woken(island->host, at);
}
