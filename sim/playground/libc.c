/* glibc's functions that Emscripten's C library lacks, or has in another way.
 *
 * Sorting leaves equals in their order, as glibc's does: a report's bytes may depend on it. Runs of one are merged to
 * runs of two, of four and so on. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

struct sorting {
  size_t count, size;
  int (*compare)(const void *one, const void *other, void *context);
  void *context;
};

/* Merges from[low, middle) and from[middle, high). */
static void merge(const struct sorting *s, char *to, const char *from, size_t low, size_t middle, size_t high) {
  for (size_t a = low, b = middle, at = low; at < high; at++) {
    const bool first = b == high || (a < middle && s->compare(from + a * s->size, from + b * s->size, s->context) <= 0);
    memcpy(to + at * s->size, from + (first ? a++ : b++) * s->size, s->size);
  }
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *context) {
  const struct sorting sorting = {count, size, compare, context};
  char *from = base, *room = need(count, size), *to = room;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t low = 0; low < count; low += 2 * run) {
      const size_t middle = count - low < run ? count : low + run, high = count - middle < run ? count : middle + run;
      merge(&sorting, to, from, low, middle, high);
    }
    char *merged = to;
    to = from;
    from = merged;
  }
  if (from != base)
    memcpy(base, from, count * size);
  free(room);
}

struct plain {
  int (*compare)(const void *one, const void *other);
};

static int compare_plain(const void *one, const void *other, void *context) {
  return ((const struct plain *)context)->compare(one, other);
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(base, count, size, compare_plain, &(struct plain){compare});
}

void *reallocarray(void *old, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, count * size);
}
