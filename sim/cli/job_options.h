/* The words of a command line that say what is to be run: a launch file, or a kernel with its NDRange and arguments. */
#ifndef SIM_CLI_JOB_OPTIONS_H
#define SIM_CLI_JOB_OPTIONS_H

#include "sim/cli/build_options.h"
#include "sim/cli/direct.h"
#include "sim/cli/reads.h"
#include "sim/cli/run_call.h"

struct job_options {
  struct direct direct; /* `program` is the launch file or the kernel; its `args` are below */
  struct words args;
  struct program_build build;
  struct reads reads;
  const struct job_change *change; /* of jobs that job_options_load_on() makes; NULL: none */
};

enum {
  KEY_KERNEL = 640,
  KEY_GLOBAL,
  KEY_LOCAL,
  KEY_OFFSET,
  KEY_ARG,
};

/* Rows of a table of options: the machine's, then those of a kernel, then how it is built. */
#define MACHINE_OPTIONS(group)                                                                                         \
  {"machine", 'm', "NAME|FILE", 0, "The machine: built in, or an INI file (default: the launch file's, or teaching)",  \
   group},                                                                                                             \
  {                                                                                                                    \
    "set", 's', "KEY=VALUE", 0, "Set a parameter of the machine, after the launch file's (repeatable)", group          \
  }
#define JOB_OPTIONS(group)                                                                                             \
  {NULL, 0, NULL, 0, "Without a launch file:", group},                                                                 \
      {"kernel", KEY_KERNEL, "NAME", 0, "The kernel, if the program has several", group},                              \
      {"global", KEY_GLOBAL, "X[,Y[,Z]]", 0, "Work-items; with a launch file of one launch, in place of its own",      \
       group},                                                                                                         \
      {"local", KEY_LOCAL, "X[,Y[,Z]]", 0, "Work-items of a work-group, likewise (default: the machine chooses)",      \
       group},                                                                                                         \
      {"offset", KEY_OFFSET, "X[,Y[,Z]]", 0, "First identifiers", group},                                              \
      {"arg", KEY_ARG, "KIND:VALUE", 0, "The next argument (repeatable), see below", group}, BUILD_OPTIONS(group + 1), \
      READ_OPTIONS(group + 3)

/* For --help; argp breaks what is longer than 78 characters. */
#define JOB_ARGUMENTS                                                                                                  \
  "Kinds of arguments:\n"                                                                                              \
  "  buffer:NAME=BYTES[:TYPE[:FILL]]  new buffer; FILL: zero, iota, random, @FILE\n"                                   \
  "  buffer:NAME                      a buffer made by an earlier argument\n"                                          \
  "  null                             no buffer: a pointer that is NULL\n"                                             \
  "  local:BYTES                      room in the LDS\n"                                                               \
  "  pipe:NAME=SIZE:COUNT             a new pipe for COUNT packets of SIZE bytes\n"                                    \
  "  pipe:NAME                        a pipe made by an earlier argument\n"                                            \
  "  TYPE:VALUE[,VALUE...]            int:7, float4:1,2,3,4: OpenCL C's types\n"                                       \
  "  bytes:HEX                        a struct by value\n"
#define JOB_PROGRAMS                                                                                                   \
  "What clang made is kept in $WARPWAIT_CACHE, $XDG_CACHE_HOME/warpwait or\n"                                          \
  "~/.cache/warpwait, the first that is set. $WARPWAIT_CLANG and\n"                                                    \
  "$WARPWAIT_LLVM_SPIRV name other programs than clang-15 and llvm-spirv-15.\n"

/* One option, the word that is none, or argp's end. ARGP_ERR_UNKNOWN when it is none of these. */
error_t job_option(int key, const char *word, struct argp_state *state, struct job_options *options);

/* Makes an empty *job of them, on the machine that the call names. The caller frees the job, whatever comes back. */
bool job_options_load(struct job_options *options, struct run_call *call, bool verify, struct job *job);

/* The same on a machine that is there already. */
bool job_options_load_on(struct job_options *options, const struct machine *machine, struct job *job,
                         struct message *message);

/* The same as an explain_load_on (explain_run.h): `self` is the options. */
bool job_options_load_self(void *self, const struct machine *machine, struct job *job, struct message *message);

/* That, with one more define ("NAME=VALUE"), which wins over all others; NULL: none. */
bool job_options_load_with(struct job_options *options, const char *define, const struct machine *machine,
                           struct job *job, struct message *message);

/* What --files asks for, once the job is loaded; returns the exit status. */
int job_options_list(const struct job_options *options, struct message *message);

/* False with the message filled when a word says what only a kernel can be given, and there is a trace. */
bool job_options_for_trace(const struct job_options *options, struct message *message);

void job_options_free(struct job_options *options);

#endif
