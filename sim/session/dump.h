/* --dump BUFFER=FILE: what a run has left in a buffer, or in a pipe. */
#ifndef SIM_SESSION_DUMP_H
#define SIM_SESSION_DUMP_H

#include "sim/session/job.h"

struct job_dump {
  size_t number; /* the buffer's, or the pipe's */
  bool pipe;
  const char *path; /* of the file, inside the word */
};

/* False with the message filled when the word is not that. */
bool job_dump_find(const struct job *job, const char *word, struct job_dump *dump, struct message *message);

/* The bytes: a buffer's own, or a pipe's packets in memory that the caller frees, *owned. */
const uint8_t *job_dump_bytes(const struct job *job, const struct job_dump *dump, uint64_t *bytes, uint8_t **owned);

#endif
