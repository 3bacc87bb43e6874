/* Launch files: JSON that says what to run, on which machine, and what results to expect. docs/launch.md describes
 * every key. An error is one line, "file:line: launches[0].args[2].int: ...". */
#ifndef SIM_SESSION_LAUNCH_H
#define SIM_SESSION_LAUNCH_H

#include "sim/session/job.h"

struct json_t;

/* What the command line adds to a launch file. */
struct job_request {
  const char *machine;        /* replaces the file's; NULL: the file's, or "teaching" */
  const char *machine_from;   /* the file that names `machine`; NULL: the command line */
  const struct machine *made; /* replaces `machine`, and the file's `machine` and `set`; NULL: none */
  bool made_elsewhere;        /* of a trace: ignore the instruction set of `made` and take the recording's */
  const char *const *set;     /* "key=value", applied after the file's */
  size_t set_count;
  const char *global, *local;      /* "X[,Y[,Z]]", replaces the size of the file's only launch; NULL: the file's */
  struct program_build build;      /* applied after the file's */
  const struct job_change *change; /* NULL: none; outlives the job */
  bool verify;                     /* load the expected results of checks */
  bool program_only;               /* skip buffers and launches */
  struct isa_program *program;     /* for a file that names none; the job takes it over. NULL: the usual one */
};

/* Finishes the machine of a request: *machine already has the settings of the file's `set`. Applies --set and checks
 * the parameters together. */
bool job_machine(const struct job_request *request, struct machine *machine, struct message *message);

/* Reads a launch file into an empty *job. The caller frees the job, also after a failure. */
bool launch_load(const char *path, const struct job_request *request, struct job *job, struct message *message);

/* Reads only the program into an empty *job: the program of a launch file, or the file itself. */
bool launch_program(const char *path, const struct program_build *build, struct job *job, struct message *message);

/* Like launch_load(), from text in memory; file names in it are relative to `path`. */
bool launch_parse(const char *text, size_t length, const char *path, const struct job_request *request, struct job *job,
                  struct message *message);

/* Like launch_parse(), from parsed JSON, which the caller may have changed: messages find their line numbers in
 * `text`. */
bool launch_read(const struct json_t *root, const char *text, size_t length, const char *path,
                 const struct job_request *request, struct job *job, struct message *message);

#endif
