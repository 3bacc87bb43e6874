/* Files that are read, and their names. output.h has those that are written. */
#ifndef SIM_BASE_FILE_H
#define SIM_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/message.h"

/* Reads a file of at most `limit` bytes; a zero byte follows them. The caller frees *data. */
bool file_read(const char *path, size_t limit, char **data, size_t *size, struct message *message);

/* A descriptor that is closed if memory runs out before file_close(): the same; a negative one stays as it is. */
int file_held(int file);
int file_close(int file); /* as close() */

bool file_exists(const char *path);
bool file_is_folder(const char *path);

/* A file without a name in $TMPDIR (/tmp), which is gone once it is closed: its descriptor, or negative. While it is
 * open, file_nameless_path() is a name for this process. `what` is kept there, for the message. */
int file_nameless(const char *what, struct message *message);
enum { FILE_NAMELESS_PATH = 32 };
void file_nameless_path(int file, char path[FILE_NAMELESS_PATH]);

/* What messages call such a file. */
enum { FILE_NAMELESS_NAME = 300 };
void file_nameless_name(const char *what, char name[FILE_NAMELESS_NAME]);

/* Two names of one ordinary file, whether it is there already or not. */
bool file_is_same(const char *a, const char *b);

/* `name` as seen from the folder of `from`; an absolute name stays. The caller frees it. */
char *file_beside(const char *from, const char *name);

/* The last part of a path: what reports show of it. */
const char *file_base(const char *path);

/* ".wws" of "a/b.wws", "" when there is none. */
const char *file_extension(const char *path);

#endif
