#include "sim/core/histogram.h"

#include "sim/core/time.h"

enum { EXACT = 256, PARTS = 128, EXACT_LOG2 = 8, PARTS_LOG2 = 7 };

static unsigned bin_of(uint64_t value) {
  if (value < EXACT)
    return (unsigned)value;
  unsigned log2 = 63u - (unsigned)__builtin_clzll(value);
  unsigned part = (unsigned)(value >> (log2 - PARTS_LOG2)) & (PARTS - 1);
  return EXACT + (log2 - EXACT_LOG2) * PARTS + part;
}

uint64_t histogram_low(unsigned bin) {
  if (bin < EXACT)
    return bin;
  unsigned log2 = (bin - EXACT) / PARTS + EXACT_LOG2;
  uint64_t part = (bin - EXACT) % PARTS;
  return (PARTS + part) << (log2 - PARTS_LOG2);
}

void histogram_add(struct histogram *histogram, uint64_t value) {
  if (!histogram->count || value < histogram->minimum)
    histogram->minimum = value;
  if (value > histogram->maximum)
    histogram->maximum = value;
  histogram->count++;
  histogram->sum += value;
  histogram->bin[bin_of(value)]++;
}

void histogram_add_all(struct histogram *histogram, const struct histogram *other) {
  if (!other->count)
    return;
  if (!histogram->count || other->minimum < histogram->minimum)
    histogram->minimum = other->minimum;
  if (other->maximum > histogram->maximum)
    histogram->maximum = other->maximum;
  histogram->count += other->count;
  histogram->sum += other->sum;
  for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
    histogram->bin[i] += other->bin[i];
}

uint64_t histogram_quantile(const struct histogram *histogram, unsigned percent) {
  uint64_t wanted = div_up(histogram->count * percent, 100), seen = 0;
  if (!histogram->count)
    return 0;
  for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
    seen += histogram->bin[i];
    if (seen == histogram->count)
      break; /* the maximum's bin: the maximum is exact */
    if (seen >= wanted && histogram->bin[i])
      return histogram_low(i) > histogram->minimum ? histogram_low(i) : histogram->minimum;
  }
  return histogram->maximum;
}
