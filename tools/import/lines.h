/* The lines of a text file, which may be compressed by xz or gzip: its first bytes show which.
 *
 * Invariant: memory is bounded by the longest line, not by the file; a returned line is valid until the next call. A
 * file that ends in the middle of its compressed data is an message, not an end.
 *
 * Not modeled: zstd, which is refused by name. */
#ifndef TOOLS_IMPORT_LINES_H
#define TOOLS_IMPORT_LINES_H

#include "sim/base/message.h"

enum { SASS_LINE_BYTES = 1 << 16 }; /* maximum length */

struct sass_lines;

/* NULL with the message filled. */
struct sass_lines *sass_lines_open(const char *path, struct message *message);

/* The next line, without its line end. NULL at the end of the file; NULL with the message filled and *good false after
 * an error. */
char *sass_lines_next(struct sass_lines *lines, bool *good, struct message *message);

/* The number of the last line returned, from 1. */
uint64_t sass_lines_number(const struct sass_lines *lines);

void sass_lines_close(struct sass_lines *lines);

#endif
