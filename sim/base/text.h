/* A text that grows: reports are made in memory and written in one piece, or not at all. */
#ifndef SIM_BASE_TEXT_H
#define SIM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
  char *data; /* always terminated once something was printed; free() it */
  size_t length, capacity;
};

/* Any bytes, which stay terminated. */
void text_add(struct text *text, const char *bytes, size_t length);

void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As text_print(), of words that come from outside and may hold anything: what they have of control characters comes
 * out as \x1b and the like, a tab as a blank, so that a line stays a line and no terminal is steered. UTF-8 has a
 * second set of control characters, of two bytes each. The format has none of its own.
 */
void text_foreign(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* That, and the end of a line. */
void text_line(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whole lines as a terminal may have them, whatever is in them: likewise, but tabs and ends of lines stay, and bytes
 * that are no UTF-8 come out as control characters do, since some terminals take them for such. `painted`: colors stay.
 */
void text_screen(struct text *text, const char *bytes, size_t length, bool painted);

/* Folds lines that are wider than TEXT_WIDTH columns, from byte `from` on, at blanks; what is folded begins with so
 * many blanks. A number stays with its "%". */
enum { TEXT_WIDTH = 100 };
void text_fold(struct text *text, size_t from, size_t indent);

/* A sentence or several, folded, and the end of a line. */
void text_paragraph(struct text *text, const char *sentences);

/* A whole number with its thousands apart, as "%s" takes it: "14,097". It lives as long as the expression. */
struct text_whole {
  char digits[32];
};
struct text_whole text_whole(int64_t number);
#define TEXT_WHOLE(number) text_whole((int64_t)(number)).digits

/* What a noun ends in behind its count: "1 byte", "2 bytes"; "1 pass", "2 passes". */
const char *text_s(uint64_t count);
const char *text_es(uint64_t count);

/* What the system calls an error, in English; the text stays. As strerror(), which several threads must not call. */
const char *text_errno(int error);

/* The whole number that `*at` begins with, in decimal; `*at` goes behind it. False when there is none of 64 bits. */
bool text_read_whole(const char **at, uint64_t *number);

#endif
