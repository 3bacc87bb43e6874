/* What is to be run, from the command line: a launch file, or a kernel with its NDRange and arguments; and how OpenCL C
 * is built. */
#ifndef SIM_CLI_JOB_OPTIONS_H
#define SIM_CLI_JOB_OPTIONS_H

#include "sim/cli/command.h"
#include "sim/cli/run_call.h"
#include "sim/session/subject.h"

/* What the command says of a build, whose `reads` are there. */
bool build_take(struct command *command, struct program_build *build, struct message *message);

/* And of the files that may be read. */
void reads_options(struct command *command, struct reads *reads);

/* All of that, and the operand. */
bool job_take(struct command *command, struct subject *subject, struct message *message);

/* Makes an empty *job of the subject, on the machine of the call. The caller frees the job, whatever comes back. */
bool job_load(struct subject *subject, struct run_call *call, bool verify, struct job *job);

/* What --files asks for, once the job is loaded; returns the exit status. */
int job_options_list(const struct reads *reads, struct message *message);

#endif
