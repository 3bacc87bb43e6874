/* Reading files, and file names. output.h is for writing. */
#ifndef SIM_BASE_FILE_H
#define SIM_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/message.h"

/* Reads a file of at most `limit` bytes and appends a zero byte. The caller frees *data. */
bool file_read(const char *path, size_t limit, char **data, size_t *size, struct message *message);

/* The same for a regular file; a pipe might never end. Returns NULL, or why it cannot be read; *data may be NULL. */
const char *file_read_regular(const char *path, size_t limit, char **data, size_t *size);

/* Registers a descriptor, to be closed if the work runs out of memory before file_close(). Returns it; negative ones
 * are not registered. */
int file_held(int file);
int file_close(int file); /* like close() */

bool file_exists(const char *path);
bool file_is_folder(const char *path);

/* Creates a file without a name in $TMPDIR (/tmp), which disappears when it is closed. Returns its descriptor, or a
 * negative number. While it is open, this process can open it as file_nameless_path(). `what` is for the message. */
int file_nameless(const char *what, struct message *message);
enum { FILE_NAMELESS_PATH = 32 };
void file_nameless_path(int file, char path[FILE_NAMELESS_PATH]);

/* The name of such a file in messages. */
enum { FILE_NAMELESS_NAME = 300 };
void file_nameless_name(const char *what, char name[FILE_NAMELESS_NAME]);

/* Whether two names refer to the same regular file, which need not exist yet. */
bool file_is_same(const char *a, const char *b);

/* `name` relative to the folder of `from`; an absolute name is unchanged. The caller frees it. */
char *file_beside(const char *from, const char *name);

/* The last part of a path, for reports. */
const char *file_base(const char *path);

/* ".wws" of "a/b.wws"; "" if there is none. */
const char *file_extension(const char *path);

#endif
