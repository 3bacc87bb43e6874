#include "sim/base/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/nearest.h"

bool message_fail(struct message *message, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(message->text, sizeof message->text, format, list);
  va_end(list);
  return false;
}

bool message_within(struct message *message, const char *prefix) {
  struct message inner = *message;
  return message_fail(message, "%.300s: %.700s", prefix, inner.text);
}

bool message_at(struct message *message, const char *path, uint64_t line) {
  char place[330];
  if (line)
    snprintf(place, sizeof place, "%.270s:%" PRIu64, path, line);
  else
    snprintf(place, sizeof place, "%.300s", path);
  return message_within(message, place);
}

const char *message_hint(char text[MESSAGE_HINT], const char *near) {
  const bool found = near && *near;
  snprintf(text, MESSAGE_HINT, "%s%.80s%s", found ? "; did you mean '" : "", found ? near : "", found ? "'?" : "");
  return text;
}

void message_suggest(char *text, size_t size, const char *word, const char *const *words, size_t count) {
  const char *near = nearest_word(word, words, count, sizeof *words);
  if (near) {
    const char *other = nearest_other(word, near, words, count, sizeof *words);
    snprintf(text, size, "; did you mean '%s'%s%s%s?", near, other ? " or '" : "", other ? other : "",
             other ? "'" : "");
    return;
  }
  size_t used = (size_t)snprintf(text, size, "; legal: ");
  for (size_t i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", words[i]);
}
