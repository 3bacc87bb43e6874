/* Which files a command reads.
 *
 * A file that the command line names may name others: a launch file its program and data, a sweep file its launch file,
 * a machine file its base, a program what it includes. All of them are noted here, for --files. Under --confined each
 * must lie below the folder of the file on the command line that leads to it, once symbolic links are followed.
 *
 * Not modelled: somebody who moves files about while the command runs. */
#ifndef SIM_BASE_READS_H
#define SIM_BASE_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/message.h"

struct reads {
  bool confined; /* --confined */
  bool listed;   /* --files: data need not be read, nor filled in, only named */
  char *root;    /* the folder below which files named by the file at hand must lie; NULL before there is one */
  char **folder; /* others that the command line names: -I */
  size_t folders;
  char **path; /* each once, as it was named */
  size_t count;
  size_t *slot; /* a table of hashes, since a file may name millions: 1 + the path's place, or 0 */
  size_t slots;
};

void reads_free(struct reads *reads);

/* The same permissions, with a list of its own: for work beside other work, in a thread say. */
struct reads reads_apart(const struct reads *reads);

/* Notes all that `apart` has noted. */
void reads_take(struct reads *reads, const struct reads *apart);

/* Notes a file that the command line names. What it names lies below its folder, until reads_end() with what this
 * returns. In these functions `reads` may be NULL, when nothing is noted and all may be read. */
char *reads_begin(struct reads *reads, const char *path);
void reads_end(struct reads *reads, char *before);

/* Files below this folder, which the command line names, may be read, too. */
void reads_folder(struct reads *reads, const char *path);

/* Notes a file that another file names; false when it may not be read. */
bool reads_allow(struct reads *reads, const char *path, struct message *message);

/* Likewise, and it must be a regular file, since a pipe might never end. Whoever opens it says what else is wrong. */
bool reads_plain(struct reads *reads, const char *path, struct message *message);

/* Reads such a file, all of it. The caller frees *data, which a zero byte follows. */
bool reads_file(struct reads *reads, const char *path, size_t limit, char **data, size_t *size,
                struct message *message);

/* Whether the name ends so, once symbolic links are followed. What messages quote is read from such files alone, so
 * that a file cannot have them show what another holds. */
bool reads_is_named(const char *path, const char *extension);

/* Appends the list, a path a line. */
struct text;
void reads_print(const struct reads *reads, struct text *text);

#endif
