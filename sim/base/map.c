#include "sim/base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/base/need.h"

enum { FIRST_ROOM = 64 };

uint64_t hash_bytes(const void *data, size_t size) { return XXH3_64bits(data, size); }

static void place(struct map *map, struct map_slot slot) {
  size_t at = map_first(map, slot.hash);
  while (map->slot[at].number)
    at = (at + 1) & (map->room - 1);
  map->slot[at] = slot;
}

void map_add(struct map *map, uint64_t hash, size_t number) {
  if (2 * (map->count + 1) > map->room) {
    struct map old = *map;
    map->room = old.room ? 2 * old.room : FIRST_ROOM;
    map->slot = need(map->room, sizeof *map->slot);
    for (size_t i = 0; i < old.room; i++)
      if (old.slot[i].number)
        place(map, old.slot[i]);
    free(old.slot);
  }
  place(map, (struct map_slot){hash, number + 1});
  map->count++;
}

/* Later slots move up to the gap if their keys' first slots are not behind it, so that no search stops short. */
void map_remove(struct map *map, uint64_t hash, size_t number) {
  const size_t mask = map->room - 1;
  size_t gap = map_first(map, hash);
  while (map->slot[gap].hash != hash || map->slot[gap].number != number + 1) {
    assert(map->slot[gap].number && "only what was added can be removed");
    gap = (gap + 1) & mask;
  }
  for (size_t at = (gap + 1) & mask; map->slot[at].number; at = (at + 1) & mask) {
    const size_t first = map_first(map, map->slot[at].hash);
    if (((at - first) & mask) >= ((at - gap) & mask)) {
      map->slot[gap] = map->slot[at];
      gap = at;
    }
  }
  map->slot[gap].number = 0;
  map->count--;
}

void map_clear(struct map *map) {
  if (map->count)
    memset(map->slot, 0, map->room * sizeof *map->slot);
  map->count = 0;
}

void map_free(struct map *map) {
  free(map->slot);
  *map = (struct map){0};
}
