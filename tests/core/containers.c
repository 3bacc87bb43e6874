/* Vectors and maps compared with plain arrays. */
#include <stdlib.h>

#include "sim/base/map.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "tests/ct.h"

enum { KEYS = 3000 };

static uint32_t next_random(uint32_t *state) { return (*state = *state * 1664525 + 1013904223) >> 8; }

TEST(containers, a_vector_keeps_its_elements_while_it_grows) {
  size_t *list = NULL, count = 0, room = 0, moves = 0;
  for (size_t i = 0; i < 100000; i++) {
    const size_t before = room;
    *vector_next(list, count, room) = i * i;
    moves += room != before;
    ASSERT_EQ(count, i + 1);
    ASSERT_TRUE(room >= count);
  }
  for (size_t i = 0; i < count; i++)
    ASSERT_EQ(list[i], i * i);
  EXPECT_TRUE(moves <= 14); /* 16 * 2^13 > 100000 */
  free(list);
}

TEST(containers, a_vector_gets_the_room_that_is_asked_for) {
  size_t room = 0;
  ct_freed(ct_free) char *text = vector_room(NULL, &room, 1000, 1);
  EXPECT_EQ(room, 1000);
  EXPECT_TRUE(vector_room(text, &room, 1000, 1) == text);
}

static size_t find(const struct map *map, uint64_t hash, const uint64_t *keys, uint64_t key) {
  for (size_t at = 0, i; map_next(map, hash, &at, &i);)
    if (keys[i] == key)
      return i;
  return SIZE_MAX;
}

/* `few`: only some different hashes, as if the function were bad. */
static void check_random(uint64_t few, uint32_t seed) {
  uint64_t keys[KEYS];
  bool there[KEYS] = {false};
  struct map map = {0};
  size_t count = 0;
  for (size_t i = 0; i < KEYS; i++)
    keys[i] = hash_number(i);
  for (int step = 0; step < 20000; step++) {
    const size_t i = next_random(&seed) % KEYS;
    const uint64_t hash = keys[i] % few;
    if (there[i])
      map_remove(&map, hash, i);
    else
      map_add(&map, hash, i);
    there[i] = !there[i];
    count += there[i] ? 1 : (size_t)-1;
    const size_t other = next_random(&seed) % KEYS;
    ASSERT_EQ(find(&map, keys[other] % few, keys, keys[other]), there[other] ? other : SIZE_MAX);
    ASSERT_EQ(map.count, count);
    ASSERT_TRUE(2 * map.count <= map.room);
  }
  for (size_t i = 0; i < KEYS; i++)
    ASSERT_EQ(find(&map, keys[i] % few, keys, keys[i]), there[i] ? i : SIZE_MAX);
  map_clear(&map);
  for (size_t i = 0; i < KEYS; i++)
    ASSERT_EQ(find(&map, keys[i] % few, keys, keys[i]), SIZE_MAX);
  map_free(&map);
}

TEST(containers, a_map_finds_what_was_added_and_not_removed) { check_random(UINT64_MAX, 1); }

TEST(containers, a_map_finds_keys_whose_hashes_are_equal) {
  check_random(100, 2);
  check_random(7, 3);
}

TEST(containers, a_map_finds_keys_whose_hashes_share_their_low_bits) {
  struct map map = {0};
  uint64_t keys[KEYS];
  for (size_t i = 0; i < KEYS; i++) {
    keys[i] = (uint64_t)i << 33;
    map_add(&map, keys[i], i);
  }
  for (size_t i = 0; i < KEYS; i++)
    ASSERT_EQ(find(&map, keys[i], keys, keys[i]), i);
  map_free(&map);
}

TEST(containers, an_empty_map_has_nothing) {
  const struct map map = {0};
  size_t at = 0, number;
  EXPECT_FALSE(map_next(&map, 5, &at, &number));
}
