#include "sim/cli/text.h"

#include <stdarg.h>
#include <stdio.h>

#include "sim/cli/need.h"

void text_print(struct text *text, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  size_t wanted = (size_t)vsnprintf(NULL, 0, format, list) + 1;
  va_end(list);
  if (text->length + wanted > text->capacity) {
    text->capacity = 2 * (text->length + wanted);
    text->data = need_more(text->data, text->capacity, 1);
  }
  vsnprintf(text->data + text->length, wanted, format, again);
  va_end(again);
  text->length += wanted - 1;
}
