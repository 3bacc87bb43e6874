/* A text that grows: reports are made in memory and written in one piece, or not at all. */
#ifndef SIM_CLI_TEXT_H
#define SIM_CLI_TEXT_H

#include <stddef.h>

struct text {
  char *data; /* always terminated once something was printed; free() it */
  size_t length, capacity;
};

/* Any bytes, which stay terminated. */
void text_add(struct text *text, const char *bytes, size_t length);

void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
