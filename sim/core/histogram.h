/* A histogram of cycles in constant memory.
 *
 * Values below 256 have a bin each; above, every power of two is divided into 128 bins. So a quantile is exact below
 * 256 and at most 1/128 (0.8 %) too low above. Count, sum, minimum and maximum are exact. */
#ifndef SIM_CORE_HISTOGRAM_H
#define SIM_CORE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BINS 7424 /* 256 + 56 powers of two x 128 */

struct histogram {
  uint64_t count, sum, minimum, maximum;
  uint64_t bin[HISTOGRAM_BINS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* Adds all values of another histogram. */
void histogram_add_all(struct histogram *histogram, const struct histogram *other);

/* The smallest value v such that at least `percent` % of the values are at most v. Exact below 256; above, the lower
 * edge of its bin, but exactly the maximum in the maximum's bin, and never below the minimum. 0 if the histogram is
 * empty. */
uint64_t histogram_quantile(const struct histogram *histogram, unsigned percent);

/* The lowest value that belongs to `bin`. */
uint64_t histogram_low(unsigned bin);

#endif
