/* Files that a command writes.
 *
 * An output is written to a temporary file in the same folder, synchronized to the disk, and then renamed in one step.
 * Until then the previous file is unchanged, whatever happens, and nobody sees an incomplete file. After an error, or a
 * signal that ends the process, the temporary file is removed (interrupt.h).
 *
 *     output_begin ──► .report.json.Kb3xQz ──stream──► output_end ──fsync, rename──► report.json
 *
 * A replaced file keeps its permissions and, as far as permitted, its owner; a file without write permission is not
 * replaced. For a symbolic link, the file that it leads to is replaced. Devices, pipes and descriptors (-, /dev/stdout,
 * /dev/fd/3) are written directly, because there is nothing to replace.
 *
 * Not modeled: hard links; the other links keep the old file. */
#ifndef SIM_CLI_OUTPUT_H
#define SIM_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/base/caller.h"
#include "sim/base/message.h"

struct output {
  FILE *stream;     /* write to this; output_end() reports its errors */
  const char *path; /* as the user named it */
  int file;         /* the descriptor behind the stream */
  char *temporary;  /* the temporary file; NULL: written directly */
  char *target;     /* the final path */
  int error;        /* errno of the first failed write, or 0 */
};

/* Standard output, as "-" or by name. */
bool output_is_standard(const char *path);

/* False with the message filled if nothing can be written there; do not call output_end() then. */
bool output_begin(struct output *output, const char *path, struct message *message);

/* `good`: what was written is complete. If not, returns false, and the message must already have the reason. */
bool output_end(struct output *output, bool good, struct message *message);

/* A duplicate of its descriptor, for code that writes to a descriptor and closes it, bypassing the stream. */
int output_duplicate(const struct output *output);

/* The stream as a sink. It refuses more text after a failed write, which output_end() reports: work that stops for this
 * reason passes `good` as true. */
struct sink output_sink(struct output *output);

/* Writes an output in one piece. */
bool output_write(const char *path, const void *data, size_t size, struct message *message);

/* False with the message filled if `path` cannot be written: checks this before a long run. */
bool output_possible(const char *path, struct message *message);

#endif
