/* Hirschberg's algorithm: takes the time of the plain table but the memory of two of its rows, so that traces with tens
 * of thousands of lines can be matched. The common beginning and end are matched first. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tools/diff/diff.h"

/* A part of both sequences; indices of mates count from the start of the full sequences. */
struct part {
  const uint64_t *a, *b;
  size_t a_first, a_end, b_first, b_end;
  size_t *counterpart;
};

/* length[j]: of the longest common subsequence of a's part up to a_end and b's first j elements; `back`: counted from
 * the ends. */
static uint32_t *lengths(const struct part *part, size_t a_first, size_t a_end, bool back) {
  const size_t rows = a_end - a_first, columns = part->b_end - part->b_first;
  uint32_t *length = need(columns + 1, sizeof *length);
  for (size_t i = 0; i < rows; i++) {
    const uint64_t a = part->a[back ? a_end - 1 - i : a_first + i];
    uint32_t diagonal = 0;
    for (size_t j = 1; j <= columns; j++) {
      const uint32_t above = length[j];
      const uint64_t b = part->b[back ? part->b_end - j : part->b_first + j - 1];
      length[j] = a == b ? diagonal + 1 : above > length[j - 1] ? above : length[j - 1];
      diagonal = above;
    }
  }
  return length;
}

/* The cut of b for which both halves together have the longest common subsequence, if a is cut at `middle`. */
static size_t best_cut(const struct part *part, size_t middle) {
  const size_t columns = part->b_end - part->b_first;
  uint32_t *before = lengths(part, part->a_first, middle, false), *behind = lengths(part, middle, part->a_end, true);
  size_t best = 0;
  for (size_t j = 1; j <= columns; j++)
    if (before[j] + behind[columns - j] > before[best] + behind[columns - best])
      best = j;
  free(before);
  free(behind);
  return part->b_first + best;
}

static void match_ends(struct part *part) {
  while (part->a_first < part->a_end && part->b_first < part->b_end && part->a[part->a_first] == part->b[part->b_first])
    part->counterpart[part->a_first++] = part->b_first++;
  while (part->a_first < part->a_end && part->b_first < part->b_end &&
         part->a[part->a_end - 1] == part->b[part->b_end - 1])
    part->counterpart[--part->a_end] = --part->b_end;
}

/* The recursion depth is the logarithm of a's length. */
static void match(struct part part) {
  match_ends(&part);
  if (part.a_first == part.a_end || part.b_first == part.b_end)
    return;
  if (part.a_end - part.a_first == 1) {
    for (size_t j = part.b_first; j < part.b_end; j++)
      if (part.a[part.a_first] == part.b[j]) {
        part.counterpart[part.a_first] = j;
        return;
      }
    return;
  }
  const size_t middle = part.a_first + (part.a_end - part.a_first) / 2, cut = best_cut(&part, middle);
  struct part first = part, second = part;
  first.a_end = second.a_first = middle;
  first.b_end = second.b_first = cut;
  match(first);
  match(second);
}

void diff_match(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, size_t *counterpart) {
  for (size_t i = 0; i < a_count; i++)
    counterpart[i] = DIFF_NONE;
  match((struct part){a, b, 0, a_count, 0, b_count, counterpart});
}
