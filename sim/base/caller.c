#include "sim/base/caller.h"

#include <stdarg.h>
#include <stdio.h>

#include "sim/base/text.h"

enum { SOME = 1 << 16 };

void caller_progress(const struct caller *caller, const char *format, ...) {
  char line[300];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  caller->progress(caller->self, line);
}

bool sink_text(const struct sink *sink, const struct text *text, struct message *message) {
  return sink->write(sink->self, text->data ? text->data : "", text->length, message);
}

static bool keep(void *self, const char *data, size_t size, struct message *message) {
  (void)message;
  text_add(self, data, size);
  return true;
}

struct sink sink_into(struct text *text) {
  return (struct sink){keep, text};
}

bool sink_some(const struct sink *sink, struct text *text, struct message *message) {
  if (text->length < SOME)
    return true;
  const bool good = sink_text(sink, text, message);
  text->length = 0;
  return good;
}
