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
  struct program_compiled compiled; /* by all that is made of it */
};

/* A machine by its name (NULL: the launch file's, or teaching), and what is set on it: "key=value". */
struct subject_machine {
  const char *name, *const *sets;
  size_t set_count;
};

/* Makes an empty *job of it, on the machine that is named. The caller frees the job, whatever comes back. */
bool subject_load(struct subject *subject, const struct subject_machine *machine, bool verify, struct job *job,
                  struct message *message);

/* What is otherwise than the subject says; NULL: as it says. Lasts as long as the job. */
struct subject_variant {
  const char *define;      /* "NAME=VALUE", one more, which wins over all others */
  const char *text;        /* of the program, in place of its file's */
  const char *const *args; /* as many as the subject has, in their place */
  const struct job_change *change;
};

/* Makes an empty *job of a variant, on a machine that is there already, for a caller that may stop the compiler (NULL:
 * nobody). Nothing of the subject changes: several threads may make jobs of it at once, each its own. The caller frees
 * the job, whatever comes back. */
bool subject_load_variant(const struct subject *subject, const struct subject_variant *variant,
                          const struct machine *machine, const struct caller *caller, struct job *job,
                          struct message *message);

/* The same of the subject as it is, as an explain_load_on (sim/explain/run.h): `self` is the subject. */
bool subject_load_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                     struct message *message);

/* False with the message filled when a word says what only a kernel can be given, and there is a trace. */
bool subject_for_trace(const struct subject *subject, struct message *message);

void subject_free(struct subject *subject);

#endif
