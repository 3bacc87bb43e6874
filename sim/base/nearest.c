#include "sim/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

size_t nearest_distance(const char *a, const char *b) {
  enum { LONGEST = 63 };
  size_t rows = strlen(a), columns = strlen(b);
  if (rows > LONGEST || columns > LONGEST)
    return SIZE_MAX;
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= rows; i++)
    d[i][0] = i;
  for (size_t j = 0; j <= columns; j++)
    d[0][j] = j;
  for (size_t i = 1; i <= rows; i++)
    for (size_t j = 1; j <= columns; j++) {
      size_t best = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
      if (d[i - 1][j] + 1 < best)
        best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best)
        best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[rows][columns];
}

static bool begins(const char *word, const char *candidate) { return strncasecmp(word, candidate, strlen(word)) == 0; }

/* The only word that begins with this one, if three letters are there to judge by. */
static const char *completed(const char *word, const char *const *words, size_t count, size_t stride) {
  const char *found = NULL;
  for (size_t i = 0; i < count && strlen(word) >= 3; i++) {
    const char *candidate = *(const char *const *)(const void *)((const char *)words + i * stride);
    if (begins(word, candidate)) {
      if (found)
        return NULL;
      found = candidate;
    }
  }
  return found;
}

const char *nearest_word(const char *word, const char *const *words, size_t count, size_t stride) {
  const char *nearest = completed(word, words, count, stride);
  size_t length = strlen(word);
  if (nearest)
    return nearest;
  size_t best = length < 2 ? 1 : length < 6 ? 2 : length / 3 + 1; /* this many edits make a different word */
  for (size_t i = 0; i < count; i++) {
    const char *candidate = *(const char *const *)(const void *)((const char *)words + i * stride);
    size_t d = nearest_distance(word, candidate);
    if (d < best) {
      best = d;
      nearest = candidate;
    }
  }
  return nearest;
}

const char *nearest_other(const char *word, const char *near, const char *const *words, size_t count, size_t stride) {
  const size_t best = nearest_distance(word, near);
  if (completed(word, words, count, stride))
    return NULL;
  for (size_t i = 0; i < count; i++) {
    const char *candidate = *(const char *const *)(const void *)((const char *)words + i * stride);
    if (strcmp(candidate, near) != 0 && nearest_distance(word, candidate) == best)
      return candidate;
  }
  return NULL;
}
