/* One axis over a define or an argument, for `explain --vary` and `run --html-vary`.
 *
 *     launch file: NAME=VALUES ──► the plan of a sweep with one axis ──► the job of each value, on a given machine
 *     kernel given by options: NAME=VALUES ──► -D, or --arg with another value ──► the same
 *
 * NAME is that of an axis of a sweep (docs/sweep.md): define.NAME, arg.NAME, launch.2.arg.NAME. A NAME without a dot is
 * a define. Each value gives another program or other data, so nothing can be replayed.
 *
 * Invariant: the job of a value is that of `warpwait run` with this value. All values are checked before the first
 * runs.
 *
 * Not modeled: for a launch file, options of OpenCL C other than -D, -I and --build-option. */
#ifndef TOOLS_SWEEP_VARY_H
#define TOOLS_SWEEP_VARY_H

#include "sim/launch/subject.h"

struct sweep_plan;
struct sweep_target;

struct vary {
  char *option, *name; /* the option of the command line; the axis */
  char *const *word;   /* `count` values */
  size_t count;
  struct sweep_plan *plan;
  struct sweep_target *target;  /* of a launch file */
  const struct subject *direct; /* a kernel given by options; else NULL */
  size_t argument;              /* of `direct`: the argument that varies; SIZE_MAX: a define varies */
};

/* The axis of NAME=VALUES, or of NAME: "define.DEPTH" for "DEPTH". The caller frees it. */
char *vary_name(const char *word);

/* Reads NAME=VALUES, at most `most` values, for a subject and `base`, its job. False with the message filled, which
 * begins with the option. The caller closes it, also after a failure. */
bool vary_open(struct vary *vary, const char *option, const char *word, size_t most, struct subject *subject,
               const struct job *base, struct message *message);
void vary_close(struct vary *vary);

/* Makes the job of a value, like sweep_job() and subject_load_variant(). The caller frees it, also after a failure. */
bool vary_job(const struct vary *vary, size_t number, const struct machine *machine, const struct caller *caller,
              struct job *job, struct message *message);

#endif
