/* Options that choose what to run: a launch file, or a kernel with its NDRange and arguments; and how to build OpenCL
 * C. */
#ifndef TOOLS_VERBS_JOB_OPTIONS_H
#define TOOLS_VERBS_JOB_OPTIONS_H

#include "sim/cli/command.h"
#include "sim/launch/subject.h"
#include "tools/verbs/run_call.h"

/* Reads the build options; `reads` must be set. */
bool build_take(struct command *command, struct program_build *build, struct message *message);

/* Reads the options that limit or list the files that may be read. */
void reads_options(struct command *command, struct reads *reads);

/* Reads all of these, and the operand. */
bool job_take(struct command *command, struct subject *subject, struct message *message);

/* Creates the subject's job in the empty *job, on the call's machine. The caller frees the job, also after a
 * failure. */
bool job_load(struct subject *subject, struct run_call *call, bool verify, struct job *job);

/* Prints the list for --files, once the job is loaded; returns the exit status. */
int job_options_list(const struct reads *reads, struct message *message);

#endif
