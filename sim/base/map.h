/* Maps from keys to numbers: open addressing, linear probing.
 *
 *     hash ──► slot ──► slot ──► ...    each: a key's hash, and the number that it maps to
 *
 * The keys are the caller's, usually elements of a vector that the number is the index of, and so is the comparison:
 *
 *     const uint64_t hash = hash_bytes(name, length);
 *     for (size_t at = 0, i; map_next(map, hash, &at, &i);)
 *       if (strcmp(list[i].name, name) == 0)
 *         return &list[i];
 *     map_add(map, hash, count);
 *
 * Invariant: at most half of the slots are used, and between a key's first slot and its own none is free. In which
 * order different keys of one hash come is open. */
#ifndef SIM_BASE_MAP_H
#define SIM_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
  uint64_t hash;
  size_t number; /* 1 + the number; 0: free */
};

/* {0}: empty. */
struct map {
  struct map_slot *slot;
  size_t room, count; /* room is 0 or a power of 2 */
};

/* ---- hashes: multiplication by 2^64 / the golden ratio, whose high bits depend on all bits
 * --------------------------- */

/* Of a hash and one more number. Its low bits depend on the low bits of both alone. */
static inline uint64_t hash_join(uint64_t hash, uint64_t number) {
  return (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t hash_number(uint64_t number) { return hash_join(0, number); }

uint64_t hash_bytes(const void *data, size_t size);

/* ---- maps ----------------------------------------------------------------------------------------------------------
 */

/* The first slot of a hash; the low bits of a hash may be poor. */
static inline size_t map_first(const struct map *map, uint64_t hash) {
  return (size_t)(hash >> 32 ^ hash) & (map->room - 1);
}

/* The next number whose key has this hash. *at is 0 at first; false: there are no more. */
static inline bool map_next(const struct map *map, uint64_t hash, size_t *at, size_t *number) {
  if (!map->room)
    return false;
  for (size_t step = *at;; step++) {
    const struct map_slot *slot = &map->slot[(map_first(map, hash) + step) & (map->room - 1)];
    if (!slot->number)
      return false;
    if (slot->hash == hash) {
      *number = slot->number - 1;
      *at = step + 1;
      return true;
    }
  }
}

/* Adds a number. When out of memory, does not return (heap.h). */
void map_add(struct map *map, uint64_t hash, size_t number);

/* Removes a number that the map has. */
void map_remove(struct map *map, uint64_t hash, size_t number);

/* Removes all numbers, and keeps the room. */
void map_clear(struct map *map);

void map_free(struct map *map);

#endif
