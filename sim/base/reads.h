/* Which files a command reads.
 *
 * A file on the command line may name others: a launch file its program and data, a sweep file its launch file, a
 * machine file its base, a program its includes. All of them are recorded here, for --files. With --confined, each must
 * be below the folder of the command-line file that leads to it, after following symbolic links.
 *
 * Not modeled: other processes that move files while the command runs. */
#ifndef SIM_BASE_READS_H
#define SIM_BASE_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/map.h"
#include "sim/base/message.h"

struct reads {
  bool confined; /* --confined */
  bool listed;   /* --files: data is only named, not read or filled in */
  char *root;    /* files that the current file names must be below this folder; NULL: no current file */
  char **folder; /* other folders on the command line: -I */
  size_t folders;
  char **path; /* each file once, as it was named */
  size_t count, room;
  struct map known; /* from a path to its index, because a file may name millions */
};

void reads_free(struct reads *reads);

/* The same permissions with a separate list: for concurrent work, for example in a thread. */
struct reads reads_apart(const struct reads *reads);

/* Adds everything that `apart` recorded. */
void reads_take(struct reads *reads, const struct reads *apart);

/* Records a file on the command line. Files that it names must be below its folder, until reads_end() is called with
 * the value that this returns. In these functions `reads` may be NULL: then nothing is recorded, and everything is
 * allowed. */
char *reads_begin(struct reads *reads, const char *path);
void reads_end(struct reads *reads, char *before);

/* Also allows files below this folder, which is on the command line. */
void reads_folder(struct reads *reads, const char *path);

/* Records a file that another file names. Fails if it must not be read. */
bool reads_allow(struct reads *reads, const char *path, struct message *message);

/* The same. Also fails if it exists and is not a regular file, because a pipe might never end. Other errors are left to
 * the code that opens it. */
bool reads_plain(struct reads *reads, const char *path, struct message *message);

/* Reads such a file completely and appends a zero byte. The caller frees *data. */
bool reads_file(struct reads *reads, const char *path, size_t limit, char **data, size_t *size,
                struct message *message);

/* Whether the name has this extension, after following symbolic links. Text that messages quote is only read from such
 * files, so that a file cannot make them reveal another file. */
bool reads_is_named(const char *path, const char *extension);

/* Appends the list, one path per line. */
struct text;
void reads_print(const struct reads *reads, struct text *text);

#endif
