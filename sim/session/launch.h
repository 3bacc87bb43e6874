/* Launch files: JSON that says what to run, on what, and what must come out. docs/launch.md describes
 * every key. A bad file is told in one line, "file:line: launches[0].args[2].int: ...". */
#ifndef SIM_SESSION_LAUNCH_H
#define SIM_SESSION_LAUNCH_H

#include "sim/session/job.h"

struct json_t;

/* What the command line adds to a launch file. */
struct job_request {
  const char *machine;        /* in place of the file's; NULL: the file's, or "teaching" */
  const char *machine_from;   /* the file that names it; NULL: the command line */
  const struct machine *made; /* in place of `machine` and of all that the file says of it; NULL: none */
  bool made_elsewhere;        /* of a trace: `made` has any instructions; take those of the recording */
  const char *const *set;     /* "key=value", after the file's */
  size_t set_count;
  const char *global, *local;      /* "X[,Y[,Z]]", in place of those of a file's only launch; NULL: the file's */
  struct program_build build;      /* after the file's */
  const struct job_change *change; /* NULL: none; lasts as long as the job */
  bool verify;                     /* load what checks expect */
  bool program_only;               /* nobody wants buffers and launches: they are not looked at */
  struct isa_program *program;     /* of a file that names none, which the job then owns; NULL: the usual one */
};

/* The machine of a request: the file's `machine` and `set` are in *machine already unless the request
 * names a machine. Applies --set and checks parameters against each other. */
bool job_machine(const struct job_request *request, struct machine *machine, struct message *message);

/* Reads a launch file into an empty *job. The caller frees the job, whatever comes back. */
bool launch_load(const char *path, const struct job_request *request, struct job *job, struct message *message);

/* Into an empty *job the program alone: that of a launch file, or the file itself. */
bool launch_program(const char *path, const struct program_build *build, struct job *job, struct message *message);

/* The same as launch_load() from text in memory; `path` says where relative names start. */
bool launch_parse(const char *text, size_t length, const char *path, const struct job_request *request, struct job *job,
                  struct message *message);

/* The same from JSON that was read already, and perhaps changed since: `text` is where messages find their lines. */
bool launch_read(const struct json_t *root, const char *text, size_t length, const char *path,
                 const struct job_request *request, struct job *job, struct message *message);

#endif
