#include "sim/cli/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/need.h"

static void make_room(struct text *text, size_t wanted) {
  if (text->length + wanted <= text->capacity)
    return;
  text->capacity = 2 * (text->length + wanted);
  text->data = need_more(text->data, text->capacity, 1);
}

void text_add(struct text *text, const char *bytes, size_t length) {
  make_room(text, length + 1);
  memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void text_print(struct text *text, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  size_t wanted = (size_t)vsnprintf(NULL, 0, format, list) + 1;
  va_end(list);
  make_room(text, wanted);
  vsnprintf(text->data + text->length, wanted, format, again);
  va_end(again);
  text->length += wanted - 1;
}

const char *text_s(uint64_t count) { return count == 1 ? "" : "s"; }

const char *text_es(uint64_t count) { return count == 1 ? "" : "es"; }
