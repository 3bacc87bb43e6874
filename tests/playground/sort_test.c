/* sim/playground/libc.c against glibc: equals stay in their order. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tests/ct.h"

#define qsort playground_qsort
#define qsort_r playground_qsort_r
#define reallocarray playground_reallocarray
void playground_qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void playground_qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
                        void *context);
void *playground_reallocarray(void *old, size_t count, size_t size);
#include "sim/playground/libc.c"
#undef qsort
#undef qsort_r
#undef reallocarray

enum { MOST = 130 };

struct record {
  uint32_t key, place;
};

static int by_key(const void *one, const void *other) {
  const uint32_t a = ((const struct record *)one)->key, b = ((const struct record *)other)->key;
  return (a > b) - (a < b);
}

TEST(playground, equals_stay_in_their_order) {
  struct record theirs[MOST], ours[MOST];
  uint32_t random = 1;
  for (size_t count = 0; count < MOST; count++) {
    for (size_t i = 0; i < count; i++) {
      random = random * 1664525 + 1013904223;
      theirs[i] = ours[i] = (struct record){(random >> 16) % (uint32_t)(1 + count / 3), (uint32_t)i};
    }
    qsort(theirs, count, sizeof *theirs, by_key);
    playground_qsort(ours, count, sizeof *ours, by_key);
    ct_note("%zu records", count);
    EXPECT_EQ(memcmp(ours, theirs, count * sizeof *ours), 0);
  }
}

TEST(playground, an_array_too_large_is_refused) {
  errno = 0;
  EXPECT_TRUE(!playground_reallocarray(NULL, SIZE_MAX / 2, 3));
  EXPECT_EQ(errno, ENOMEM);
}
