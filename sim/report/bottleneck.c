#include "sim/report/bottleneck.h"

enum { CLOSE_SHARE = 50 /* a fiftieth of the cycles */ };

enum { TOLERANCE_CYCLES = 16, TOLERANCE_SHARE = 100 };

cycle_t bottleneck_tolerance(cycle_t base) { return cycle_max(TOLERANCE_CYCLES, base / TOLERANCE_SHARE); }

int64_t bottleneck_saved(const struct bottleneck *bottleneck, size_t rank) {
  return (int64_t)bottleneck->cycles - (int64_t)bottleneck->rank[rank].cycles;
}

size_t bottleneck_known(const struct bottleneck *bottleneck) {
  const int64_t chance = (int64_t)bottleneck_tolerance(bottleneck->cycles);
  size_t known = 0;
  while (known < 2 && known < bottleneck->count && bottleneck_saved(bottleneck, known) > chance)
    known++;
  return known;
}

bool bottleneck_same(int64_t one, int64_t other, int64_t both) {
  const int64_t least = one < other ? one : other, most = one < other ? other : one;
  return 2 * least >= most && 3 * (one + other - both) >= 2 * least;
}

bool bottleneck_close(const struct bottleneck *bottleneck) {
  return bottleneck_known(bottleneck) == 2 &&
         (bottleneck_saved(bottleneck, 0) - bottleneck_saved(bottleneck, 1)) * CLOSE_SHARE <=
             (int64_t)bottleneck->cycles;
}
