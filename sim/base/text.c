#include "sim/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

static void make_room(struct text *text, size_t wanted) {
  text->data = vector_room(text->data, &text->capacity, text->length + wanted, 1);
}

void text_add(struct text *text, const char *bytes, size_t length) {
  make_room(text, length + 1);
  memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

static void print_list(struct text *text, const char *format, va_list list) {
  const size_t room = text->capacity - text->length;
  va_list again;
  va_copy(again, list);
  const size_t wanted = (size_t)vsnprintf(room ? text->data + text->length : NULL, room, format, again) + 1;
  va_end(again);
  if (wanted > room) {
    make_room(text, wanted);
    vsnprintf(text->data + text->length, wanted, format, list);
  }
  text->length += wanted - 1;
}

void text_print(struct text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_list(text, format, list);
  va_end(list);
}

static void add_hex(struct text *text, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++)
    text_print(text, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
}

/* The number of bytes of the control character at `at`, of `left` bytes. 0: it is none. */
static size_t control_at(const char *at, size_t left) {
  const unsigned char c = (unsigned char)*at;
  const bool second = c == 0xc2 && left > 1 && (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] < 0xa0;
  return second ? 2 : c < ' ' || c == 0x7f;
}

static void print_foreign(struct text *text, const char *format, va_list list) {
  struct text raw = {0};
  print_list(&raw, format, list);
  for (size_t i = 0, length; i < raw.length; i += length) {
    const size_t control = control_at(raw.data + i, raw.length - i);
    length = control ? control : 1;
    if (raw.data[i] == '\t')
      text_add(text, " ", 1);
    else
      (control ? add_hex : text_add)(text, raw.data + i, length);
  }
  free(raw.data);
}

void text_foreign(struct text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_foreign(text, format, list);
  va_end(list);
}

void text_line(struct text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_foreign(text, format, list);
  va_end(list);
  text_add(text, "\n", 1);
}

/* The number of bytes of the character at `at`. 0: it is not UTF-8. Overlong forms and surrogates are not. */
static size_t character_at(const char *at, size_t left) {
  const unsigned char c = (unsigned char)*at, next = left > 1 ? (unsigned char)at[1] : 0;
  const size_t length = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  if (!length || length > left || (c == 0xe0 && next < 0xa0) || (c == 0xed && next >= 0xa0) ||
      (c == 0xf0 && next < 0x90) || (c == 0xf4 && next >= 0x90))
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

/* The number of bytes of the color escape sequence at `at`. 0: it is none. */
static size_t paint_at(const char *at, size_t left) {
  size_t length = 2;
  if (left < 3 || at[0] != '\x1b' || at[1] != '[')
    return 0;
  while (length < left && strchr("0123456789;", at[length]) && at[length])
    length++;
  return length < left && at[length] == 'm' ? length + 1 : 0;
}

void text_screen(struct text *text, const char *bytes, size_t length, bool painted) {
  for (size_t i = 0, count; i < length; i += count) {
    const char *at = bytes + i;
    const size_t left = length - i, character = character_at(at, left);
    const size_t paint = painted ? paint_at(at, left) : 0;
    const bool shown = paint || *at == '\n' || *at == '\t' || (character && !control_at(at, left));
    count = paint ? paint : character ? character : 1;
    (shown ? text_add : add_hex)(text, at, count);
  }
}

const char *text_s(uint64_t count) { return count == 1 ? "" : "s"; }

const char *text_es(uint64_t count) { return count == 1 ? "" : "es"; }

/* The columns that some bytes take up: one per UTF-8 character. */
static size_t columns_of(const char *bytes, size_t length) {
  size_t columns = 0;
  for (size_t i = 0; i < length; i++)
    columns += (bytes[i] & 0xc0) != 0x80;
  return columns;
}

/* Where to fold the first line of a text: at its last blank that is early enough, or at its end. */
static size_t fold_at(const char *line, size_t length, size_t least, size_t width) {
  size_t at = length;
  if (columns_of(line, length) <= width)
    return length;
  for (size_t i = least; i < length && columns_of(line, i) <= width; i++)
    if (line[i] == ' ' && line[i + 1] != '%')
      at = i;
  return at;
}

void text_fold(struct text *text, size_t from, size_t indent) {
  char *lines = need_copy(text->data ? text->data + from : "");
  text->length = text->data ? from : 0;
  for (const char *line = lines; *line;) {
    const size_t length = strcspn(line, "\n");
    const size_t blanks = strspn(line, " ");
    size_t done = fold_at(line, length, blanks + 1, TEXT_WIDTH);
    text_add(text, line, done);
    while (done < length) {
      const char *rest = line + done + 1;
      const size_t end = fold_at(rest, length - done - 1, 1, TEXT_WIDTH - indent);
      text_print(text, "\n%*s%.*s", (int)indent, "", (int)end, rest);
      done += 1 + end;
    }
    line += length;
    if (*line) {
      text_print(text, "\n");
      line++;
    }
  }
  free(lines);
}

void text_paragraph(struct text *text, const char *sentences) {
  const size_t from = text->length;
  text_print(text, "%s\n", sentences);
  text_fold(text, from, 0);
}

struct text_whole text_whole(int64_t number) {
  struct text_whole text = {{0}};
  const uint64_t positive = number < 0 ? -(uint64_t)number : (uint64_t)number;
  char plain[24];
  const int length = snprintf(plain, sizeof plain, "%" PRIu64, positive);
  char *to = text.digits;
  if (number < 0)
    *to++ = '-';
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      *to++ = ',';
    *to++ = plain[i];
  }
  return text;
}

const char *text_errno(int error) {
#ifdef __GLIBC__
  const char *known = strerrordesc_np(error);
  return known ? known : "an error without a name";
#else
  return strerror(error); /* musl's texts are constants */
#endif
}

bool text_read_whole(const char **at, uint64_t *number) {
  char *end = NULL;
  errno = 0;
  *number = strtoull(*at, &end, 10);
  const bool good = **at >= '0' && **at <= '9' && !errno;
  *at = end;
  return good;
}
