/* The rows as text, as a trace's first block has them: a line a row, its first word says of which list.
 *
 * A file may have been written when there were fewer rows: new ones go to the end of their lists, so that those of a
 * file are the first of today's. Sentences may have changed. */
#ifndef TRACES_SCHEMA_H
#define TRACES_SCHEMA_H

#include "traces/bytes.h"

/* Appends the text. False when memory is out. */
bool schema_write(struct bytes *into);

/* Whether a file with this schema can be read: NULL, and in *kinds how many kinds it has; or the line that cannot. */
const char *schema_fault(const char *schema, unsigned *kinds, char line[100]);

/* ---- for the schemas of other files, too ----------------------------------------------------- */

/* Appends a line. */
bool schema_add(struct bytes *into, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list is the lines that begin with its name, which may be several words. Whether the file's are the first of
 * `own`'s, as far as the first `words` of a line say: NULL, and how many there are; or the line that is not. */
const char *schema_list_fault(const char *file, const char *own, const char *list, unsigned words, unsigned *rows);

/* Copies a line that is at fault, cut to fit. */
void schema_fault_line(char line[100], const char *fault);

#endif
