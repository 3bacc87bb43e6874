/* What is to be run, as a user says it: a launch file, or a kernel with its NDRange and arguments. */
#ifndef SIM_SESSION_SUBJECT_H
#define SIM_SESSION_SUBJECT_H

#include "sim/base/reads.h"
#include "sim/base/words.h"
#include "sim/session/direct.h"

struct subject {
  struct direct direct; /* `program` is the launch file or the kernel; its `args` are below */
  struct words args;
  struct program_build build;
  struct reads reads;
  const struct job_change *change; /* of jobs that subject_load_on() makes; NULL: none */
};

/* A machine by its name (NULL: the launch file's, or teaching), and what is set on it: "key=value". */
struct subject_machine {
  const char *name, *const *sets;
  size_t set_count;
};

/* Makes an empty *job of it, on the machine that is named. The caller frees the job, whatever comes back. */
bool subject_load(struct subject *subject, const struct subject_machine *machine, bool verify, struct job *job,
                  struct message *message);

/* The same on a machine that is there already. */
bool subject_load_on(struct subject *subject, const struct machine *machine, struct job *job, struct message *message);

/* The same as an explain_load_on (explain_run.h): `self` is the subject. */
bool subject_load_self(void *self, const struct machine *machine, struct job *job, struct message *message);

/* That, with one more define ("NAME=VALUE"), which wins over all others; NULL: none. */
bool subject_load_with(struct subject *subject, const char *define, const struct machine *machine, struct job *job,
                       struct message *message);

/* False with the message filled when a word says what only a kernel can be given, and there is a trace. */
bool subject_for_trace(const struct subject *subject, struct message *message);

void subject_free(struct subject *subject);

#endif
