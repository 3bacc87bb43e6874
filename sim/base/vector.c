#include "sim/base/vector.h"

#include <stdint.h>

#include "sim/base/need.h"

enum { FIRST_ROOM = 16 };

void *vector_grow(void *at, size_t *room, size_t count, size_t size) {
  const size_t twice = *room < FIRST_ROOM / 2 ? FIRST_ROOM : *room < SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
  const size_t more = twice < count ? count : twice;
  at = need_more(at, more, size); /* does not return if this many cannot be */
  *room = more;
  return at;
}
