/* Launch files: JSON that says what to run, on which machine, and what results to expect. docs/launch.md describes
 * every key. An error is one line, "file:line: launches[0].args[2].int: ...". */
#ifndef SIM_LAUNCH_LAUNCH_FILE_H
#define SIM_LAUNCH_LAUNCH_FILE_H

#include "sim/launch/job.h"
#include "sim/launch/machines.h"

struct json_t;

/* What the command line adds to a launch file. */
struct job_request {
  struct machine_request machine;
  const char *global, *local;      /* "X[,Y[,Z]]", replaces the size of the file's only launch; NULL: the file's */
  struct program_build build;      /* applied after the file's */
  const struct job_change *change; /* NULL: none; outlives the job */
  bool verify;                     /* load the expected results of checks */
  bool program_only;               /* skip buffers and launches */
  bool machine_only;               /* skip the program, too */
  struct isa_program *program;     /* for a file that names none; the job takes it over. NULL: the usual one */
};

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
