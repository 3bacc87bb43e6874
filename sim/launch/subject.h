/* What to run, as the user specifies it: a launch file, or a kernel with its NDRange and arguments. */
#ifndef SIM_LAUNCH_SUBJECT_H
#define SIM_LAUNCH_SUBJECT_H

#include "sim/base/reads.h"
#include "sim/base/words.h"
#include "sim/launch/direct.h"

struct subject {
  struct direct direct; /* `program` is the launch file or the kernel; its `args` are below */
  struct words args;
  struct program_build build;
  struct reads reads;
  struct program_compiled compiled; /* shared by all jobs of this subject */
};

/* Fills an empty *job, on the requested machine. The caller frees the job, also after a failure. */
bool subject_load(struct subject *subject, const struct machine_request *machine, bool verify, struct job *job,
                  struct message *message);

/* Differences from the subject; NULL members: none. It must outlive the job. */
struct subject_variant {
  const char *define;      /* "NAME=VALUE", one more define, which overrides all others */
  const char *text;        /* replaces the text of the program file */
  const char *const *args; /* replace the subject's arguments; same number */
  const struct job_change *change;
};

/* Fills an empty *job from a variant, on a given machine. `caller` may stop the compiler (NULL: nobody can). The
 * subject does not change, so several threads may make jobs of it at the same time. The caller frees the job, also
 * after a failure. */
bool subject_load_variant(const struct subject *subject, const struct subject_variant *variant,
                          const struct machine *machine, const struct caller *caller, struct job *job,
                          struct message *message);

/* The subject without changes, as an explain_load_on (tools/explain/run.h); `self` is the subject. */
bool subject_load_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                     struct message *message);

/* False with the message filled when an option applies only to a kernel, and the subject is a trace. */
bool subject_for_trace(const struct subject *subject, struct message *message);

void subject_free(struct subject *subject);

#endif
