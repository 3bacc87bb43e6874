/* A growing text. Reports are built in memory and written in one piece, or not at all. */
#ifndef SIM_BASE_TEXT_H
#define SIM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
  char *data; /* always terminated after the first print; free() it */
  size_t length, capacity;
};

/* Appends any bytes, and keeps the text terminated. */
void text_add(struct text *text, const char *bytes, size_t length);

void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like text_print(), for words from outside, which may contain anything. Control characters are shown as \x1b and the
 * like, a tab as a blank, so that a line stays a line and the text cannot control a terminal. UTF-8 has a second set of
 * control characters, of two bytes each. The format itself must not contain any. */
void text_foreign(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, followed by an end of line. */
void text_line(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends lines of any content, made safe for a terminal. Like text_foreign(), but tabs and ends of lines stay, and
 * bytes that are not UTF-8 are shown like control characters, because some terminals interpret them as such. `painted`:
 * colors stay. */
void text_screen(struct text *text, const char *bytes, size_t length, bool painted);

/* Folds lines that are wider than TEXT_WIDTH columns at blanks, from byte `from` on. Continuation lines begin with
 * `indent` blanks. A number stays with its "%". */
enum { TEXT_WIDTH = 100 };
void text_fold(struct text *text, size_t from, size_t indent);

/* Appends one or more sentences, folded, and an end of line. */
void text_paragraph(struct text *text, const char *sentences);

/* A whole number with thousands separators, for "%s": "14,097". It lives as long as the expression. */
struct text_whole {
  char digits[32];
};
struct text_whole text_whole(int64_t number);
#define TEXT_WHOLE(number) text_whole((int64_t)(number)).digits

/* The plural ending of a noun after its count: "1 byte", "2 bytes"; "1 pass", "2 passes". */
const char *text_s(uint64_t count);
const char *text_es(uint64_t count);

/* The system's text for an error, in English. Like strerror(), but thread-safe; the text is permanent. */
const char *text_errno(int error);

/* The decimal whole number at the start of `*at`. Moves `*at` past it. Returns false if there is none of 64 bits. */
bool text_read_whole(const char **at, uint64_t *number);

#endif
