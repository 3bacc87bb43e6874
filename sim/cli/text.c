#include "sim/cli/text.h"

#include <stdarg.h>
#include <stdbool.h>
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

static void print_list(struct text *text, const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  size_t wanted = (size_t)vsnprintf(NULL, 0, format, again) + 1;
  va_end(again);
  make_room(text, wanted);
  vsnprintf(text->data + text->length, wanted, format, list);
  text->length += wanted - 1;
}

void text_print(struct text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_list(text, format, list);
  va_end(list);
}

void text_tame(char *word) {
  char *to = word;
  for (const char *at = word; *at; at++) {
    const unsigned char c = (unsigned char)*at, next = (unsigned char)at[1];
    const bool second = c == 0xc2 && next >= 0x80 && next < 0xa0;
    *to++ = (char)(c == '\t' ? ' ' : c < ' ' || c == 0x7f || second ? '?' : c);
    at += second;
  }
  *to = '\0';
}

void text_foreign(struct text *text, const char *format, ...) {
  const size_t from = text->length;
  va_list list;
  va_start(list, format);
  print_list(text, format, list);
  va_end(list);
  text_tame(text->data + from);
  text->length = from + strlen(text->data + from);
}

const char *text_s(uint64_t count) { return count == 1 ? "" : "s"; }

const char *text_es(uint64_t count) { return count == 1 ? "" : "es"; }
