#include "traces/text_lex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool lex_fail(const struct lex *lex, const char *format, ...) {
  struct message *error = lex->error;
  int length = snprintf(error->text, sizeof error->text, "%.300s:%" PRIu64 ": ", lex->path, lex->line);
  va_list list;
  va_start(list, format);
  vsnprintf(error->text + length, sizeof error->text - (size_t)length, format, list);
  va_end(list);
  return false;
}

bool lex_refuse(const struct lex *lex, const char *field, struct slice value, const char *what, ...) {
  char text[200];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  return lex_fail(lex, "field '%s': '%.*s' is not %s", field, value.size < 40 ? (int)value.size : 40,
                  value.at ? value.at : "", text);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool lex_more(struct lex *lex) {
  while (lex->at < lex->end && is_blank(*lex->at))
    lex->at++;
  return lex->at < lex->end && *lex->at != '#';
}

struct slice lex_word(struct lex *lex) {
  const char *from = lex->at;
  while (lex->at < lex->end && !is_blank(*lex->at) && *lex->at != '#')
    lex->at++;
  return (struct slice){from, (size_t)(lex->at - from)};
}

bool lex_item(struct lex *lex, struct item *item) {
  const char *from = lex->at;
  while (lex->at < lex->end && !is_blank(*lex->at) && !strchr("#=", *lex->at))
    lex->at++;
  *item = (struct item){.name = {from, (size_t)(lex->at - from)}};
  if (lex->at == lex->end || *lex->at != '=')
    return true;
  if (++lex->at == lex->end || *lex->at != '[') {
    item->value = lex_word(lex);
    return true;
  }
  item->list = true;
  item->value.at = ++lex->at;
  const char *stop = memchr(lex->at, ']', (size_t)(lex->end - lex->at));
  if (!stop)
    return lex_fail(lex, "field '%.*s': a list ends with ']' on the same line",
                    item->name.size < 40 ? (int)item->name.size : 40, item->name.at);
  item->value.size = (size_t)(stop - lex->at);
  lex->at = stop + 1;
  return true;
}

bool slice_is(struct slice slice, const char *word) {
  return strlen(word) == slice.size && memcmp(word, slice.at, slice.size) == 0;
}

size_t slice_find(struct slice slice, const char *const *words) {
  size_t i = 0;
  while (words[i] && !slice_is(slice, words[i]))
    i++;
  return i;
}

static int digit_of(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : 16;
}

bool slice_number(struct slice slice, uint64_t *number) {
  const char *at = slice.at, *end = slice.at + slice.size;
  const bool negative = at < end && *at == '-';
  at += negative;
  const uint64_t base = end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? 16 : 10;
  at += base == 16 ? 2 : 0;
  *number = 0;
  if (at == end)
    return false;
  for (; at < end; at++) {
    const uint64_t digit = (uint64_t)digit_of(*at);
    if (digit >= base || *number > (UINT64_MAX - digit) / base)
      return false;
    *number = *number * base + digit;
  }
  if (negative)
    *number = 0 - *number;
  return true;
}

bool lex_number(const struct lex *lex, const char *field, struct slice value, uint64_t minimum, uint64_t maximum,
                const char *what, uint64_t *number) {
  const bool signed_ = value.size && *value.at == '-' && maximum < UINT64_MAX;
  if (value.at && !signed_ && slice_number(value, number) && *number >= minimum && *number <= maximum)
    return true;
  if (!minimum && maximum == UINT64_MAX)
    return lex_refuse(lex, field, value, "%s; legal: a whole number of 64 bits, decimal or 0x", what);
  return lex_refuse(lex, field, value, "%s; legal: %" PRIu64 " to %" PRIu64 "", what, minimum, maximum);
}

bool lex_range(const struct lex *lex, const char *field, struct slice value, uint64_t maximum, const char *what,
               uint64_t range[2]) {
  struct slice first = value, last;
  for (size_t i = 0; i + 1 < value.size && first.size == value.size; i++)
    if (value.at[i] == '.' && value.at[i + 1] == '.')
      first.size = i;
  if (first.size == value.size)
    last = value;
  else
    last = (struct slice){value.at + first.size + 2, value.size - first.size - 2};
  if (slice_number(first, &range[0]) && slice_number(last, &range[1]) && range[0] <= range[1] && range[1] <= maximum)
    return true;
  return lex_refuse(lex, field, value, "%s; legal: N, or N..M, up to %" PRIu64 "", what, maximum);
}

bool lex_one_of(const struct lex *lex, const char *field, struct slice value, const char *const *words,
                size_t *number) {
  char legal[150] = "";
  *number = value.at ? slice_find(value, words) : SIZE_MAX;
  if (value.at && words[*number])
    return true;
  for (size_t i = 0, used = 0; words[i] && used < sizeof legal; i++)
    used += (size_t)snprintf(legal + used, sizeof legal - used, "%s%s", i ? " " : "", words[i]);
  return lex_refuse(lex, field, value, "one of them; legal: %s", legal);
}
