/* --dump BUFFER=FILE: what a run has left in a buffer, in a pipe or in an image. */
#ifndef SIM_SESSION_DUMP_H
#define SIM_SESSION_DUMP_H

#include "sim/session/job.h"

struct job_dump {
  enum { DUMP_BUFFER, DUMP_PIPE, DUMP_IMAGE } what;
  size_t number;    /* among these */
  const char *path; /* of the file, inside the word */
};

/* False with the message filled when the word is not that. */
bool job_dump_find(const struct job *job, const char *word, struct job_dump *dump, struct message *message);

/* The bytes: a buffer's own, or in memory that the caller frees, *owned, a pipe's packets, an image's packed texels, or
 * its picture if the file's name is one's. NULL with the message filled when no such picture can be made. */
const uint8_t *job_dump_bytes(const struct job *job, const struct job_dump *dump, uint64_t *bytes, uint8_t **owned,
                              struct message *message);

#endif
