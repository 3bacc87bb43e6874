/* A text that grows: reports are made in memory and written in one piece, or not at all. */
#ifndef SIM_CLI_TEXT_H
#define SIM_CLI_TEXT_H

#include <stddef.h>

struct text {
  char *data; /* always terminated once something was printed; free() it */
  size_t length, capacity;
};

void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
