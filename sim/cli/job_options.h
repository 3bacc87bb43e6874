/* The words of a command line that say what is to be run: a launch file, or a kernel with its NDRange and arguments. */
#ifndef SIM_CLI_JOB_OPTIONS_H
#define SIM_CLI_JOB_OPTIONS_H

#include "sim/cli/build_options.h"
#include "sim/cli/run_call.h"
#include "sim/session/subject.h"

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
error_t job_option(int key, const char *word, struct argp_state *state, struct subject *subject);

/* Makes an empty *job of the subject, on the machine of the call. The caller frees the job, whatever comes back. */
bool job_load(struct subject *subject, struct run_call *call, bool verify, struct job *job);

/* What --files asks for, once the job is loaded; returns the exit status. */
int job_options_list(const struct reads *reads, struct message *message);

#endif
