#include <assert.h>

#include "tools/sweep/plan_parts.h"

uint64_t shuffle_mix(uint64_t seed, uint64_t stream) {
  uint64_t z = seed + (stream + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

struct shuffle shuffle_of(uint64_t count, uint64_t seed, uint64_t stream) {
  struct shuffle shuffle = {.count = count, .key = shuffle_mix(shuffle_mix(seed, 0), stream), .half = 1};
  while (shuffle.half < 32 && (count - 1) >> 2 * shuffle.half)
    shuffle.half++;
  return shuffle;
}

/* A Feistel network: it is invertible whatever its rounds compute, so it maps different numbers to different
 * numbers. */
static uint64_t feistel(const struct shuffle *shuffle, uint64_t number) {
  enum { ROUNDS = 8 };
  const uint64_t mask = (UINT64_C(1) << shuffle->half) - 1;
  uint64_t left = number >> shuffle->half, right = number & mask;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const uint64_t mixed = left ^ (shuffle_mix(shuffle->key + right, round) & mask);
    left = right;
    right = mixed;
  }
  return left << shuffle->half | right;
}

/* The network permutes the numbers below a power of 4. Results that are too large pass through it again. */
uint64_t shuffle_at(const struct shuffle *shuffle, uint64_t number) {
  assert(number < shuffle->count && "only as many numbers as there are");
  do
    number = feistel(shuffle, number);
  while (number >= shuffle->count);
  return number;
}
