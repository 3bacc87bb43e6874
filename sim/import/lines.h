/* The lines of a text file that may be compressed by xz or gzip, which its first bytes say.
 *
 * Invariant: memory is bounded by the longest line, however long the file; what is handed out is good until the next
 * call. A file that ends in the middle of its compressed data is an error, not an end.
 *
 * Not modelled: zstd, which is refused by name. */
#ifndef SIM_IMPORT_LINES_H
#define SIM_IMPORT_LINES_H

#include "sim/import/error.h"

enum { SASS_LINE_BYTES = 1 << 16 }; /* of the longest line */

struct sass_lines;

/* NULL with *error filled. */
struct sass_lines *sass_lines_open(const char *path, struct sass_error *error);

/* The next line, without its end; NULL at the file's end, or with *error filled (*good is false then). */
char *sass_lines_next(struct sass_lines *lines, bool *good, struct sass_error *error);

/* The number of the line that was handed out last, from 1. */
uint64_t sass_lines_number(const struct sass_lines *lines);

void sass_lines_close(struct sass_lines *lines);

#endif
