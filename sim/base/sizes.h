/* Arithmetic on sizes that a file, a call or a header chose. A product or sum that does not fit must be refused, never
 * wrap: each function returns false then. */
#ifndef SIM_BASE_SIZES_H
#define SIM_BASE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

static inline bool size_times(uint64_t a, uint64_t b, uint64_t *product) {
  return !__builtin_mul_overflow(a, b, product);
}

static inline bool size_plus(uint64_t a, uint64_t b, uint64_t *sum) { return !__builtin_add_overflow(a, b, sum); }

/* The bytes from the first to the last of `planes` planes, `plane` bytes apart, of `lines` lines, `line` bytes apart,
 * of `bytes` bytes. No count is 0. */
static inline bool size_of_planes(uint64_t bytes, uint64_t lines, uint64_t line, uint64_t planes, uint64_t plane,
                                  uint64_t *size) {
  uint64_t to_line, to_plane;
  return size_times(lines - 1, line, &to_line) && size_times(planes - 1, plane, &to_plane) &&
         size_plus(to_line, to_plane, size) && size_plus(*size, bytes, size);
}

#endif
