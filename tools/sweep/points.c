/* warpwait sweep run --points: reads numbers of points from a file, one per line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "tools/sweep/session.h"

enum { MOST_BYTES = 1 << 30 };

static int by_number(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

/* Sorts the numbers and removes duplicates. */
static void sort(struct session_points *points) {
  size_t kept = 0;
  if (points->count)
    qsort(points->number, points->count, sizeof *points->number, by_number);
  for (size_t i = 0; i < points->count; i++)
    if (!kept || points->number[i] != points->number[kept - 1])
      points->number[kept++] = points->number[i];
  points->count = kept;
}

bool session_points_read(const char *path, uint64_t grid, struct session_points *points, struct message *message) {
  char *text;
  size_t size;
  if (!file_read(path, MOST_BYTES, &text, &size, message))
    return false;
  size_t room = 1;
  for (const char *at = text; *at; at++)
    room += *at == '\n';
  points->number = need(room, sizeof *points->number);
  bool good = true;
  int line = 1;
  for (const char *at = text; good && *at; at++, line++) {
    const char *start = at;
    uint64_t number;
    good = (text_read_whole(&at, &number) && (!*at || *at == '\n') && number < grid) ||
           message_fail(message, "%s:%d: '%.*s' is not the number of a point, from 0 to %" PRIu64, path, line,
                        (int)strcspn(start, "\n") < 40 ? (int)strcspn(start, "\n") : 40, start, grid - 1);
    if (good)
      points->number[points->count++] = number;
    if (good && !*at)
      break;
  }
  free(text);
  sort(points);
  return good;
}
