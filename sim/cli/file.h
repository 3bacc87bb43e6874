/* Files, whole: read into memory, or written so that nobody ever sees half of one. */
#ifndef SIM_CLI_FILE_H
#define SIM_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/cli/message.h"

/* Reads a file of at most `limit` bytes; a zero byte follows them. The caller frees *data. */
bool file_read(const char *path, size_t limit, char **data, size_t *size, struct message *message);

bool file_exists(const char *path);
bool file_is_folder(const char *path);

/* Writes beside `path` and renames. A device or a pipe (/dev/stdout, a fifo) is written straight. */
bool file_write(const char *path, const void *data, size_t size, struct message *message);

/* The same piece by piece: `stream` is written to, then the file gets its name, or vanishes. */
struct file_piecewise {
  FILE *stream;
  const char *path;
  char temporary[4096]; /* "" when `path` is written straight */
};
bool file_begin(struct file_piecewise *file, const char *path, struct message *message);
/* `good`: whether what was written is whole. When it is not, the message says why already, and false comes back. */
bool file_end(struct file_piecewise *file, bool good, struct message *message);

/* A file without a name in $TMPDIR (/tmp), which is gone once it is closed: its descriptor, or negative. While it is
 * open, file_nameless_path() is a name for this process. `what` is kept there, for the message. */
int file_nameless(const char *what, struct message *message);
enum { FILE_NAMELESS_PATH = 32 };
void file_nameless_path(int file, char path[FILE_NAMELESS_PATH]);

/* Two names of one ordinary file, whether it is there already or not. */
bool file_is_same(const char *a, const char *b);

/* False, with why, when `path` cannot be created: told before a long run, not after it. */
bool file_can_write(const char *path, struct message *message);

/* `name` as seen from the folder of `from`; an absolute name stays. The caller frees it. */
char *file_beside(const char *from, const char *name);

/* The last part of a path: what reports show of it. */
const char *file_base(const char *path);

/* ".wws" of "a/b.wws", "" when there is none. */
const char *file_extension(const char *path);

#endif
