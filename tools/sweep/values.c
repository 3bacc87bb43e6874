#include "tools/sweep/values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "tools/sweep/expression.h"

#define VALUES_LARGEST (INT64_C(1) << 53) /* up to here doubles, which constraints use, are exact */
#define RANGES "a range is A..B, A..B:STEP or A..B*FACTOR"

bool values_whole(const char *text, const char **end, int64_t *number) {
  const char *digits = text + (*text == '-');
  char *behind = NULL;
  if (!isdigit((unsigned char)*digits))
    return false;
  errno = 0;
  long long magnitude = strtoll(digits, &behind, 10);
  static const char suffix[] = "KMG";
  const char *at = *behind ? strchr(suffix, toupper((unsigned char)*behind)) : NULL;
  const unsigned shift = at ? 10u * (unsigned)(at - suffix + 1) : 0;
  if (errno || magnitude > VALUES_LARGEST >> shift)
    return false;
  magnitude <<= shift;
  *number = *text == '-' ? -magnitude : magnitude;
  *end = behind + (at != NULL);
  return true;
}

static bool add_word(struct sweep_axis *axis, const char *word, struct message *message) {
  if (axis->count == PLAN_VALUES)
    return message_fail(message, "more than %d values", PLAN_VALUES);
  *vector_next(axis->value, axis->count, axis->room) = need_copy(word);
  return true;
}

static bool add_number(struct sweep_axis *axis, int64_t number, struct message *message) {
  char word[24];
  snprintf(word, sizeof word, "%lld", (long long)number);
  return add_word(axis, word, message);
}

struct range {
  int64_t from, to, step;
  bool factor; /* `step` multiplies */
};

static bool read_range(const char *word, struct range *range) {
  const char *at = word;
  *range = (struct range){.step = 1};
  if (!values_whole(at, &at, &range->from) || strncmp(at, "..", 2) != 0 || !values_whole(at + 2, &at, &range->to))
    return false;
  range->factor = *at == '*';
  return !*at || ((*at == ':' || *at == '*') && values_whole(at + 1, &at, &range->step) && !*at);
}

static bool check_range(const char *word, const struct range *range, struct message *message) {
  if (range->from > range->to)
    return message_fail(message, "'%.60s' goes down; in A..B, A must be at most B", word);
  if (!range->factor && range->step < 1)
    return message_fail(message, "'%.60s' has a step of %lld; it must be at least 1", word, (long long)range->step);
  if (range->factor && range->step < 2)
    return message_fail(message, "'%.60s' has a factor of %lld; it must be at least 2", word, (long long)range->step);
  if (range->factor && range->from < 1)
    return message_fail(message, "'%.60s' begins at %lld; with a factor, it must begin at 1 or more", word,
                        (long long)range->from);
  return true;
}

static bool add_range(struct sweep_axis *axis, const char *word, struct message *message) {
  struct range range;
  if (!read_range(word, &range))
    return message_fail(message, "'%.60s' is not a range; " RANGES ", of whole numbers up to 2^53", word);
  if (!check_range(word, &range, message))
    return false;
  for (int64_t number = range.from;;) {
    if (!add_number(axis, number, message))
      return false;
    if (range.factor ? number > range.to / range.step : number > range.to - range.step)
      return true;
    number = range.factor ? number * range.step : number + range.step;
  }
}

/* Is it "1..6", or meant to be a range? "../h200.ini" is a word. */
static bool is_range(const char *word) {
  const char *digits = word + (*word == '-');
  return isdigit((unsigned char)*digits) && strstr(word, "..");
}

static bool is_printed(const char *word) {
  for (; *word; word++)
    if (iscntrl((unsigned char)*word))
      return false;
  return true;
}

static bool add_value(struct sweep_axis *axis, const char *word, struct message *message) {
  int64_t number;
  const char *end = word;
  if (strchr(word, '='))
    return message_fail(message, "'%.60s' contains a '='; a line that begins with a blank continues the key above",
                        word);
  if (strcmp(word, "..") == 0 || *word == ':' || *word == '*')
    return message_fail(message, "'%.60s' is not a value; " RANGES ", without blanks", word);
  if (!is_printed(word))
    return message_fail(message, "'%.60s' contains a control character", word);
  if (is_range(word))
    return add_range(axis, word, message);
  if (values_whole(word, &end, &number) && !*end && isalpha((unsigned char)end[-1]))
    return add_number(axis, number, message);
  return add_word(axis, word, message);
}

bool values_add(struct sweep_axis *axis, const char *text, struct message *message) {
  static const char between[] = " \t,";
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    const size_t length = strcspn(text, between);
    char *word = need(length + 1, 1);
    memcpy(word, text, length);
    const bool good = add_value(axis, word, message);
    free(word);
    if (!good)
      return false;
    text += length;
  }
  return axis->count || message_fail(message, "no value; legal: words and ranges, as in 1 2 4, 1..6, 0..64:8, 1..64*2");
}

struct listed {
  struct expression_operand operand;
  size_t place;
};

/* Numbers sort before words. */
static int compare(const struct expression_operand *a, const struct expression_operand *b) {
  if (isnan(a->number) || isnan(b->number))
    return isnan(a->number) && isnan(b->number) ? strcmp(a->text, b->text) : isnan(a->number) - isnan(b->number);
  return (a->number > b->number) - (a->number < b->number);
}

/* Equal values keep their order, so that the message names the first two. */
static int by_value(const void *left, const void *right) {
  const struct listed *a = left, *b = right;
  const int order = compare(&a->operand, &b->operand);
  return order ? order : (a->place > b->place) - (a->place < b->place);
}

bool values_distinct(const struct sweep_axis *axis, struct message *message) {
  struct listed *sorted = need(axis->count, sizeof *sorted);
  for (size_t i = 0; i < axis->count; i++)
    sorted[i] = (struct listed){expression_operand(axis->value[i]), i};
  qsort(sorted, axis->count, sizeof *sorted, by_value);
  bool good = true;
  for (size_t i = 1; i < axis->count && good; i++)
    if (compare(&sorted[i - 1].operand, &sorted[i].operand) == 0) {
      const char *one = sorted[i - 1].operand.text, *other = sorted[i].operand.text;
      good = strcmp(one, other) == 0 ? message_fail(message, "'%.60s' is listed twice", other)
                                     : message_fail(message, "'%.60s' and '%.60s' are the same value", one, other);
    }
  free(sorted);
  return good;
}
