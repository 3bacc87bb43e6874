/* A text that grows: reports are made in memory and written in one piece, or not at all. */
#ifndef SIM_CLI_TEXT_H
#define SIM_CLI_TEXT_H

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

/* What a noun ends in behind its count: "1 byte", "2 bytes"; "1 pass", "2 passes". */
const char *text_s(uint64_t count);
const char *text_es(uint64_t count);

#endif
