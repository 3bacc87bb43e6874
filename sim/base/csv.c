#include "sim/base/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits only. A spreadsheet may take other things that strtod() accepts, such as nan(...), for a formula. */
static bool is_number(const char *text) {
  char *end;
  strtod(text, &end);
  return *text && !*end && !text[strspn(text, "+-.0123456789eE")];
}

static bool is_formula(const char *text) { return *text && strchr("=+-@\t\r\n", *text) && !is_number(text); }

void csv_quoted(FILE *file, const char *text) {
  putc('"', file);
  if (is_formula(text))
    putc('\'', file);
  for (; *text; text++) {
    if (*text == '"')
      putc('"', file);
    putc(*text, file);
  }
  putc('"', file);
}

void csv_cell(FILE *file, const char *text) {
  if (text[strcspn(text, ",\"\r\n")])
    csv_quoted(file, text);
  else
    fprintf(file, "%s%s", is_formula(text) ? "'" : "", text);
}
