/* A rectangle: bytes in lines and planes, as a copy touches them on one of its sides.
 *
 *     plane 0   base ──► bytes ── gap ──┐            line 1 starts `pitch` after line 0,
 *               base + pitch ──► bytes ─┘ ...        plane 1 `plane` after plane 0
 *     plane 1   base + plane ──► bytes ...
 *
 * The executor makes two of a copy, one for global memory and one for the LDS. The compute unit, the engine, the LDS
 * and memory pass on parts of them. Bytes have an order: planes, lines of a plane, bytes of a line.
 *
 * Invariant: all numbers are in bytes. Both sides of a copy have the same `bytes`, `lines` and `planes`. A pitch means
 * nothing if there is one line, or one plane. */
#ifndef SIM_CORE_RECT_H
#define SIM_CORE_RECT_H

#include "sim/base/sizes.h"

struct rect {
  uint64_t base;         /* address of the first byte */
  uint64_t pitch, plane; /* from start to start: of lines, of planes */
  uint64_t bytes;        /* of a line */
  uint32_t lines, planes;
};

/* Where a line of a plane starts. */
static inline uint64_t rect_line(const struct rect *rect, uint64_t plane, uint64_t line) {
  return rect->base + plane * rect->plane + line * rect->pitch;
}

static inline uint64_t rect_times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return size_times(a, b, &product) ? product : UINT64_MAX;
}

/* All bytes of its lines, or UINT64_MAX. */
static inline uint64_t rect_all(const struct rect *rect) {
  return rect_times(rect_times(rect->bytes, rect->lines), rect->planes);
}

/* The address behind its last byte. No count is 0. */
static inline bool rect_end(const struct rect *rect, uint64_t *end) {
  return size_of_planes(rect->bytes, rect->lines, rect->pitch, rect->planes, rect->plane, end) &&
         size_plus(*end, rect->base, end);
}

/* Whether lines are less than a line apart, or planes less than a plane. */
static inline bool rect_lines_overlap(const struct rect *rect) { return rect->lines > 1 && rect->pitch < rect->bytes; }
static inline bool rect_planes_overlap(const struct rect *rect) {
  return rect->planes > 1 && rect->plane < rect_times(rect->lines, rect->pitch);
}

/* The same bytes with one line instead of lines that have no gap between them. */
static inline struct rect rect_joined(struct rect rect) {
  if (rect.lines > 1 && rect.pitch == rect.bytes) {
    rect.bytes *= rect.lines;
    rect.lines = 1;
  }
  return rect;
}

/* The largest part that starts at byte number `from` and has at most `most` bytes: whole planes, else whole lines of a
 * plane, else bytes of a line. `from` is the first byte of such a part. */
static inline struct rect rect_part(const struct rect *rect, uint64_t from, uint64_t most) {
  struct rect part = *rect;
  const uint64_t in_plane = rect_times(rect->bytes, rect->lines);
  if (!most) {
    part.bytes = 0;
    part.lines = part.planes = 1;
    return part;
  }
  const uint64_t plane = from / in_plane, planes = most / in_plane, left = rect->planes - plane;
  part.base = rect_line(rect, plane, from % in_plane / rect->bytes);
  part.planes = !planes ? 1 : (uint32_t)(planes < left ? planes : left);
  part.lines = planes ? rect->lines : most < rect->bytes ? 1 : (uint32_t)(most / rect->bytes);
  part.bytes = most < rect->bytes ? most : rect->bytes;
  return part;
}

#endif
