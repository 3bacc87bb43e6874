/* Why an import fails: one line with file, line, field, value and what is legal. */
#ifndef TOOLS_IMPORT_ERROR_H
#define TOOLS_IMPORT_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct sass_error {
  char text[640];
};

/* Formats "PATH:LINE: ...", without the line if it is 0; returns false. */
bool sass_fail(struct sass_error *error, const char *path, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
