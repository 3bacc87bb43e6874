#include "sim/explain/bottleneck.h"

enum { CLOSE_SHARE = 50 /* a fiftieth of the cycles */ };

struct bottleneck bottleneck_of(const struct explain *explain, size_t step) {
  struct bottleneck bottleneck = {.cycles = explain->cases[0].time[step].cycles};
  const struct explain_case *rank[LIMITS];
  bottleneck.count = explain_rank(explain, step, rank);
  for (size_t i = 0; i < bottleneck.count; i++)
    bottleneck.rank[i] =
        (struct bottleneck_limit){(enum limit)__builtin_ctzll(rank[i]->lifted), rank[i]->time[step].cycles};
  return bottleneck;
}

int64_t bottleneck_saved(const struct bottleneck *bottleneck, size_t rank) {
  return (int64_t)bottleneck->cycles - (int64_t)bottleneck->rank[rank].cycles;
}

size_t bottleneck_known(const struct bottleneck *bottleneck) {
  const int64_t chance = (int64_t)explain_tolerance(bottleneck->cycles);
  size_t known = 0;
  while (known < 2 && known < bottleneck->count && bottleneck_saved(bottleneck, known) > chance)
    known++;
  return known;
}

bool bottleneck_close(const struct bottleneck *bottleneck) {
  return bottleneck_known(bottleneck) == 2 &&
         (bottleneck_saved(bottleneck, 0) - bottleneck_saved(bottleneck, 1)) * CLOSE_SHARE <=
             (int64_t)bottleneck->cycles;
}
