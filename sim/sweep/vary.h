/* One axis over defines or arguments: what `explain --vary` and `run --html-vary` go through.
 *
 *     launch file: NAME=VALUES ──► a sweep's plan of one axis ──► the job of each value, on a machine that is given
 *     kernel given by options: NAME=VALUES ──► -D, or --arg with another value ──► likewise
 *
 * NAME is that of an axis of a sweep (docs/sweep.md): define.NAME, arg.NAME, launch.2.arg.NAME; a NAME alone is a
 * define. Each value is another program or other data, so that nothing can be replayed.
 *
 * Invariant: a value's job is that of `warpwait run` with it. All values are checked before the first is run.
 *
 * Not modelled: for a launch file, options of OpenCL C other than -D, -I and --build-option. */
#ifndef SIM_SWEEP_VARY_H
#define SIM_SWEEP_VARY_H

#include "sim/session/subject.h"

struct sweep_plan;
struct sweep_target;

struct vary {
  char *option, *name; /* of the command line, and of the axis */
  char *const *word;   /* `count` values */
  size_t count;
  struct sweep_plan *plan;
  struct sweep_target *target;  /* of a launch file */
  const struct subject *direct; /* of a kernel given by options; else NULL */
  size_t argument;              /* there: the one that varies; none of them: a define does */
};

/* The NAME of NAME=VALUES, or of NAME alone, as a sweep has it: "define.DEPTH" for "DEPTH". The caller frees it. */
char *vary_name(const char *word);

/* Reads NAME=VALUES, at most `most`, for what is run of `subject`: `base` is the job that they make. Close it, whatever
 * comes back. False with the message filled, which begins with the option. */
bool vary_open(struct vary *vary, const char *option, const char *word, size_t most, struct subject *subject,
               const struct job *base, struct message *message);
void vary_close(struct vary *vary);

/* Makes the job of a value, as sweep_job() and subject_load_variant() do. The caller frees it, whatever comes back. */
bool vary_job(const struct vary *vary, size_t number, const struct machine *machine, const struct caller *caller,
              struct job *job, struct message *message);

#endif
