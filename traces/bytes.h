/* Growing byte arrays, and numbers in them: varints of 7 bits per byte, low bits first; the top bit says that more
 * follow. */
#ifndef TRACES_BYTES_H
#define TRACES_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vector.h"

enum { VARINT_MOST = 10 }; /* bytes of the longest varint */

struct bytes {
  uint8_t *at;
  size_t size, room;
};

/* Makes room for `more` bytes at the end. */
static inline void bytes_reserve(struct bytes *bytes, size_t more) {
  bytes->at = vector_room(bytes->at, &bytes->room, bytes->size + more, 1);
}

static inline void bytes_add(struct bytes *bytes, const void *from, size_t size) {
  bytes_reserve(bytes, size);
  if (size)
    memcpy(bytes->at + bytes->size, from, size);
  bytes->size += size;
}

/* 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ... */
static inline uint64_t zigzag(uint64_t value) { return value << 1 ^ (uint64_t)((int64_t)value >> 63); }
static inline uint64_t unzigzag(uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

/* Writes `value` from `to` on. Returns where it ends. */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    *to++ = (uint8_t)(value | 0x80);
  *to++ = (uint8_t)value;
  return to;
}

static inline void bytes_varint(struct bytes *bytes, uint64_t value) {
  bytes_reserve(bytes, VARINT_MOST);
  bytes->size = (size_t)(varint_put(bytes->at + bytes->size, value) - bytes->at);
}

/* Reads bytes up to `end`. After an error `bad` is true, and everything reads as zero. */
struct cursor {
  const uint8_t *at, *end;
  bool bad;
};

static inline uint64_t cursor_fail(struct cursor *cursor) {
  cursor->bad = true;
  cursor->at = cursor->end;
  return 0;
}

/* Accepts only one way to write a number: no zero byte at the end, and at most 64 bits. */
static inline uint64_t cursor_varint(struct cursor *cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0; cursor->at < cursor->end && shift < 64; shift += 7) {
    const uint64_t byte = *cursor->at++;
    if ((shift == 63 && byte > 1) || (shift && !byte))
      break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  return cursor_fail(cursor);
}

/* The next `size` bytes, or NULL. */
static inline const uint8_t *cursor_bytes(struct cursor *cursor, uint64_t size) {
  if (size > (uint64_t)(cursor->end - cursor->at)) {
    cursor_fail(cursor);
    return NULL;
  }
  const uint8_t *at = cursor->at;
  cursor->at += size;
  return at;
}

#endif
