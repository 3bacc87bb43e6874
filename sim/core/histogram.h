/* A histogram of cycles in constant memory.
 *
 * Values below 256 have a bin each; above, every power of two is cut into 128 bins, so a
 * quantile is exact below 256 and at most 1/128 (0.8 %) too low above. Count, sum, minimum
 * and maximum are exact. */
#ifndef SIM_CORE_HISTOGRAM_H
#define SIM_CORE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BINS 7424 /* 256 + 56 powers of two x 128 */

struct histogram {
  uint64_t count, sum, minimum, maximum;
  uint64_t bin[HISTOGRAM_BINS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* The values of another one. */
void histogram_add_all(struct histogram *histogram, const struct histogram *other);

/* The smallest value that at least `percent` % of the values do not exceed: exact below 256, the lower
 * edge of its bin otherwise (but the maximum in the maximum's bin, and never below the minimum); 0 when empty. */
uint64_t histogram_quantile(const struct histogram *histogram, unsigned percent);

/* Lowest value that falls into `bin`. */
uint64_t histogram_low(unsigned bin);

#endif
