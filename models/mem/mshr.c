#include "models/mem/mshr.h"

#include <stdlib.h>

#include "sim/base/need.h"

/* The register of node `k` of the tree, which may be a leaf. */
static uint32_t named(const struct mshrs *mshrs, uint32_t k) {
  return k >= mshrs->leaves ? k - mshrs->leaves : mshrs->first[k];
}

static void decide(struct mshrs *mshrs, uint32_t k) {
  uint32_t left = named(mshrs, 2 * k), right = named(mshrs, 2 * k + 1);
  mshrs->first[k] = mshrs->registers[left].free <= mshrs->registers[right].free ? left : right;
}

void mshrs_init(struct mshrs *mshrs, uint32_t count) {
  *mshrs = (struct mshrs){.leaves = 2};
  while (mshrs->leaves < count)
    mshrs->leaves *= 2;
  mshrs->registers = need(mshrs->leaves, sizeof *mshrs->registers);
  mshrs->first = need(mshrs->leaves, sizeof *mshrs->first);
  for (uint32_t i = count; i < mshrs->leaves; i++)
    mshrs->registers[i].free = NEVER;
  for (uint32_t k = mshrs->leaves; k-- > 1;)
    decide(mshrs, k);
}

void mshrs_free(struct mshrs *mshrs) {
  free(mshrs->registers);
  free(mshrs->first);
  *mshrs = (struct mshrs){0};
}

void mshrs_hold(struct mshrs *mshrs, uint32_t index, uint64_t line, cycle_t from, cycle_t until) {
  struct mshr *held = &mshrs->registers[index];
  *held = (struct mshr){.from = from, .free = cycle_max(held->free, until), .line = line};
  for (uint32_t k = (mshrs->leaves + index) / 2; k; k /= 2)
    decide(mshrs, k);
}
