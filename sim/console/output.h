/* Files that a command writes.
 *
 * An output is written under a name of its own in the same folder, brought to the disk, and then takes its place in one
 * step: whatever happens meanwhile, the file that was there before stays as it is until then, and nobody ever sees half
 * of the new one. If anything fails, or a signal ends the process, the unfinished file is gone (interrupt.h).
 *
 *     output_begin ──► .report.json.Kb3xQz ──stream──► output_end ──fsync, rename──► report.json
 *
 * A file that was there keeps its permissions, and its owner as far as we may give it; one that may not be written is
 * not replaced. Of a symbolic link it is the file behind it that is replaced. Devices, pipes and what a descriptor
 * stands for (-, /dev/stdout, /dev/fd/3) are written straight, as there is nothing that could be replaced.
 *
 * Not modelled: hard links, of which the others keep the old file. */
#ifndef SIM_CONSOLE_OUTPUT_H
#define SIM_CONSOLE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/base/caller.h"
#include "sim/base/message.h"

struct output {
  FILE *stream;     /* to write to; its errors are told by output_end() */
  const char *path; /* as the user named it */
  int file;         /* what the stream writes to */
  char *temporary;  /* where it lies meanwhile; NULL: it is written straight */
  char *target;     /* what it becomes */
  int error;        /* errno of the first write that failed, else 0 */
};

/* Standard output, as "-" or by its name. */
bool output_is_standard(const char *path);

/* False with the message filled when nothing can be written there; there is no output_end() then. */
bool output_begin(struct output *output, const char *path, struct message *message);

/* `good`: whether what was written is whole. When it is not, the message says why already, and false comes back. */
bool output_end(struct output *output, bool good, struct message *message);

/* Its descriptor once more, for what writes to one and closes it, past the stream. */
int output_duplicate(const struct output *output);

/* The stream, for who writes text as it grows. It takes no more once a write has failed, which output_end() tells: the
 * work that stops for that is `good`. */
struct sink output_sink(struct output *output);

/* All of it in one piece. */
bool output_write(const char *path, const void *data, size_t size, struct message *message);

/* False, with why, when `path` cannot be written: told before a long run, not after it. */
bool output_possible(const char *path, struct message *message);

#endif
