/* Arithmetic on sizes that a call chose. A product or sum that does not fit is refused and never wraps: each function
 * returns false then. */
#ifndef BINDINGS_ICD_SIZES_H
#define BINDINGS_ICD_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No processor gives a process more addresses. A longer range in host memory cannot exist, and its end could wrap. */
#define ICD_MOST_HOST (UINT64_C(1) << 56)

static inline bool icd_times(size_t a, size_t b, size_t *product) { return !__builtin_mul_overflow(a, b, product); }
static inline bool icd_plus(size_t a, size_t b, size_t *sum) { return !__builtin_add_overflow(a, b, sum); }

/* Where a box ends, in bytes: rows of region[0] bytes, `pitch[0]` apart, in slices `pitch[1]` apart, starting at byte
 * at[0] of row at[1] of slice at[2]. Replaces pitches of 0 by those of a region without gaps. False: a pitch is too
 * short, or the end does not fit. So rows never overlap, and are in the order of their addresses. */
static inline bool icd_box_end(const size_t at[3], const size_t region[3], size_t pitch[2], size_t *end) {
  size_t slice, to_row, to_slice;
  pitch[0] = pitch[0] ? pitch[0] : region[0];
  if (!region[0] || !region[1] || !region[2] || pitch[0] < region[0] || !icd_times(pitch[0], region[1], &slice))
    return false;
  pitch[1] = pitch[1] ? pitch[1] : slice;
  return pitch[1] >= slice && icd_plus(at[1], region[1] - 1, &to_row) && icd_times(to_row, pitch[0], &to_row) &&
         icd_plus(at[2], region[2] - 1, &to_slice) && icd_times(to_slice, pitch[1], &to_slice) &&
         icd_plus(to_row, to_slice, end) && icd_plus(*end, at[0], end) && icd_plus(*end, region[0], end);
}

#endif
