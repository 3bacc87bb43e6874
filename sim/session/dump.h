/* --dump BUFFER=FILE: writes what a run left in a buffer, a pipe or an image. */
#ifndef SIM_SESSION_DUMP_H
#define SIM_SESSION_DUMP_H

#include "sim/launch/job.h"

struct job_dump {
  enum { DUMP_BUFFER, DUMP_PIPE, DUMP_IMAGE } what;
  size_t number;    /* in the list of that kind */
  const char *path; /* of the file; points into the option's word */
};

/* Parses BUFFER=FILE; false with the message filled if it is malformed or names nothing in the job. */
bool job_dump_find(const struct job *job, const char *word, struct job_dump *dump, struct message *message);

/* The bytes to write: a buffer's own, a pipe's packets, an image's packed texels, or an encoded picture if the file
 * name's extension is that of a picture. All but the buffer's are in *owned, which the caller frees. NULL with the
 * message filled when the image cannot be written as that picture. */
const uint8_t *job_dump_bytes(const struct job *job, const struct job_dump *dump, uint64_t *bytes, uint8_t **owned,
                              struct message *message);

#endif
