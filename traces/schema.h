/* The rows as text, as in a trace's first block: a line per row, which begins with the name of its list.
 *
 * A file may have been written when there were fewer rows. New rows are added at the end of their lists, so that a
 * file's rows are the first of the current ones. Sentences may have changed. */
#ifndef TRACES_SCHEMA_H
#define TRACES_SCHEMA_H

#include "traces/bytes.h"

/* Appends the text. */
void schema_write(struct bytes *into);

/* Whether a file with this schema can be read. Returns NULL and sets *kinds to its number of kinds; or the wrong
 * line. */
const char *schema_fault(const char *schema, unsigned *kinds, char line[100]);

/* ---- also for the schemas of other files ------------------------------------------------------ */

/* Appends a line. */
void schema_add(struct bytes *into, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list consists of the lines that begin with its name, which may be several words. Compares the first `words` words
 * of the file's lines with the first lines of `own`. Returns NULL and sets *rows to their number; or the first line
 * that differs. */
const char *schema_list_fault(const char *file, const char *own, const char *list, unsigned words, unsigned *rows);

/* Copies a wrong line, truncated to fit. */
void schema_fault_line(char line[100], const char *fault);

#endif
