/* warpwait run: from a job to a report.
 *
 * Order matters: everything that can be refused is refused before the run, and nothing is written
 * before all of it is known. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/build_options.h"
#include "sim/cli/cli.h"
#include "sim/cli/direct.h"
#include "sim/cli/file.h"
#include "sim/cli/run_call.h"
#include "sim/cli/trace_job.h"
#include "sim/core/need.h"
#include "sim/replay/recorder.h"

struct invocation {
  struct run_call common; /* first: see cli_parse() */
  struct direct direct;   /* `program` is the launch file or the kernel */
  struct words args, dumps;
  struct program_build build;
  const char *trace;
  bool verify;
};

enum {
  KEY_DUMP = KEY_OF_VERB,
  KEY_VERIFY,
  KEY_TRACE,
  KEY_KERNEL,
  KEY_GLOBAL,
  KEY_LOCAL,
  KEY_OFFSET,
  KEY_ARG,
};

static const struct argp_option options[] = {
    {"machine", 'm', "NAME|FILE", 0, "The machine: built in, or an INI file (default: the launch file's, or teaching)",
     1},
    {"set", 's', "KEY=VALUE", 0, "Set a parameter of the machine, after the launch file's (repeatable)", 1},
    REPORT_OPTIONS,
    {"dump", KEY_DUMP, "BUFFER=FILE", 0,
     "Write a buffer's final bytes, or the packets left in a pipe, to a file (repeatable)", 2},
    {"trace", KEY_TRACE, "FILE", 0, "Record what the warps do, for `warpwait replay` and `warpwait trace`", 2},
    {"verify", KEY_VERIFY, NULL, 0, "Hold the launch file's checks against the outcome: exit status 1 if one fails", 2},
    RUN_OPTIONS("1000000000"),
    {NULL, 0, NULL, 0, "Without a launch file:", 4},
    {"kernel", KEY_KERNEL, "NAME", 0, "The kernel, if the program has several", 4},
    {"global", KEY_GLOBAL, "X[,Y[,Z]]", 0, "Work-items", 4},
    {"local", KEY_LOCAL, "X[,Y[,Z]]", 0, "Work-items of a work-group (default: the machine chooses)", 4},
    {"offset", KEY_OFFSET, "X[,Y[,Z]]", 0, "First identifiers", 4},
    {"arg", KEY_ARG, "KIND:VALUE", 0, "The next argument (repeatable), see below", 4},
    BUILD_OPTIONS(5),
    {0}};

static const char documentation[] =
    "Runs a launch file, or a kernel given by options, and reports where its warps waited. Kernels are OpenCL C (.cl), "
    "SPIR-V (.spv), assembly (.wws) or object files (.wwo).\v"
    "Kinds of arguments:\n" /* argp breaks what is longer than 78 characters */
    "  buffer:NAME=BYTES[:TYPE[:FILL]]  new buffer; FILL: zero, iota, random, @FILE\n"
    "  buffer:NAME                      a buffer made by an earlier argument\n"
    "  null                             no buffer: a pointer that is NULL\n"
    "  local:BYTES                      room in the LDS\n"
    "  pipe:NAME=SIZE:COUNT             a new pipe for COUNT packets of SIZE bytes\n"
    "  pipe:NAME                        a pipe made by an earlier argument\n"
    "  TYPE:VALUE[,VALUE...]            int:7, float4:1,2,3,4: OpenCL C's types\n"
    "  bytes:HEX                        a struct by value\n"
    "\n"
    "What work-items print comes before the report, by work-group, work-item and\n"
    "call. With --out it stays on standard output and the report alone goes to\n"
    "the file. The JSON report holds it; without --out it is nowhere else.\n"
    "What clang made is kept in $WARPWAIT_CACHE, $XDG_CACHE_HOME/warpwait or\n"
    "~/.cache/warpwait, the first that is set. $WARPWAIT_CLANG and\n"
    "$WARPWAIT_LLVM_SPIRV name other programs than clang-15 and llvm-spirv-15.\n"
    "\n"
    "Exit status: 0 fine; 1 a check failed, a deadlock or the cycle limit; 2 bad\n"
    "input; 3 a defect of warpwait; 130 interrupted. A hazard is reported and told\n"
    "on stderr, but alone does not change the exit status.\n";

/* ---- options ----------------------------------------------------------------------------------- */

static error_t parse_program(struct argp_state *state, const char *word, struct invocation *call) {
  if (call->direct.program)
    return cli_refuse(state, "%.60s: one launch file or kernel is enough", word);
  call->direct.program = word;
  return 0;
}

/* Options whose value is kept as it is. */
static const char **place_of_word(struct invocation *call, int key) {
  switch (key) {
  case KEY_TRACE:
    return &call->trace;
  case KEY_KERNEL:
    return &call->direct.kernel;
  case KEY_GLOBAL:
    return &call->direct.global;
  case KEY_LOCAL:
    return &call->direct.local;
  case KEY_OFFSET:
    return &call->direct.offset;
  default:
    return NULL;
  }
}

/* Options that may be repeated. */
static struct words *place_of_words(struct invocation *call, int key) {
  return key == KEY_DUMP ? &call->dumps : key == KEY_ARG ? &call->args : NULL;
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  const char **kept = place_of_word(call, key);
  struct words *list = place_of_words(call, key);
  if (list)
    return run_add_word(list, word);
  if (kept) {
    *kept = word;
    return 0;
  }
  switch (key) {
  case KEY_VERIFY:
    call->verify = true;
    return 0;
  case ARGP_KEY_ARG:
    return parse_program(state, word, call);
  case ARGP_KEY_END:
    return call->direct.program ? 0 : cli_refuse(state, "a launch file or a kernel is missing; --help says more");
  default:
    break;
  }
  const error_t error = run_option(key, word, state, &call->common);
  return error == ARGP_ERR_UNKNOWN ? build_option(key, word, state, &call->build) : error;
}

/* ---- before the run ---------------------------------------------------------------------------- */

static bool only_direct(struct invocation *call) {
  const struct {
    const char *option;
    bool given;
  } direct[] = {{"--kernel", call->direct.kernel},
                {"--global", call->direct.global},
                {"--local", call->direct.local},
                {"--offset", call->direct.offset},
                {"--arg", call->args.count > 0}};
  for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
    if (direct[i].given)
      return message_fail(&call->common.message, "%s: the launch file says this", direct[i].option);
  return true;
}

/* A folder was named where a file is wanted: the first launch file in it, or one folder deeper. */
static bool fail_folder(const char *folder, struct message *message) {
  static const char *const patterns[] = {"launch*.json", "*/launch*.json"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    char pattern[1024];
    glob_t found = {0};
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    snprintf(pattern, sizeof pattern, "%.900s%s%s", folder, slash, patterns[i]);
    bool any = glob(pattern, 0, NULL, &found) == 0;
    if (any)
      message_fail(message, "%s: is a directory; %s launch file is %s", folder,
                   found.gl_pathc > 1 ? "its first" : "its", found.gl_pathv[0]);
    globfree(&found);
    if (any)
      return false;
  }
  return message_fail(message, "%s: is a directory, without a launch file", folder);
}

static bool load(struct invocation *call, struct job *job) {
  const struct job_request request = {.machine = call->common.machine,
                                      .set = call->common.sets.word,
                                      .set_count = call->common.sets.count,
                                      .build = call->build,
                                      .verify = call->verify};
  if (file_is_folder(call->direct.program))
    return fail_folder(call->direct.program, &call->common.message);
  if (strcmp(file_extension(call->direct.program), ".json") == 0 && !file_exists(call->direct.program))
    return message_fail(&call->common.message, "%.300s: %s", call->direct.program, strerror(ENOENT));
  if (strcmp(file_extension(call->direct.program), ".json") == 0)
    return only_direct(call) && launch_load(call->direct.program, &request, job, &call->common.message);
  if (call->verify)
    return message_fail(&call->common.message, "--verify: needs a launch file, which says what to expect");
  call->direct.args = call->args.word;
  call->direct.arg_count = call->args.count;
  return direct_job(&call->direct, &request, job, &call->common.message);
}

/* "BUFFER=FILE": the buffer's or else the pipe's number, and the file. */
static bool find_dump(const struct job *job, const char *dump, size_t *number, bool *pipe, const char **path,
                      struct message *message) {
  const char *equals = strchr(dump, '=');
  if (!equals || !equals[1])
    return message_fail(message, "--dump: '%.60s' is not BUFFER=FILE", dump);
  char *name = need_copy(dump);
  name[equals - dump] = '\0';
  struct message ignored;
  *pipe = job_find_pipe(job, name, number, &ignored);
  bool found = *pipe || job_find_buffer(job, name, number, message);
  free(name);
  *path = equals + 1;
  return found ? true : message_within(message, "--dump");
}

static bool files_apart(struct invocation *call) {
  struct run_file *files = need(call->dumps.count + 2, sizeof *files);
  files[0] = (struct run_file){"the input", call->direct.program};
  files[1] = (struct run_file){"--trace", call->trace};
  for (size_t i = 0; i < call->dumps.count; i++)
    files[i + 2] = (struct run_file){"--dump", strchr(call->dumps.word[i], '=') + 1};
  const bool good = run_files_apart(&call->common, files, call->dumps.count + 2);
  free(files);
  return good;
}

/* Each can be written, and is none of the others. */
static bool outputs_possible(struct invocation *call, const struct job *job) {
  for (size_t i = 0; i < call->dumps.count; i++) {
    size_t number = 0;
    bool pipe = false;
    const char *path = NULL;
    if (!find_dump(job, call->dumps.word[i], &number, &pipe, &path, &call->common.message) ||
        !run_can_write(&call->common, "--dump", path))
      return false;
  }
  if (call->trace && !trace_job_possible(job, &call->common.message))
    return message_within(&call->common.message, "--trace");
  return files_apart(call) && run_outputs_possible(&call->common, job) &&
         run_can_write(&call->common, "--trace", call->trace);
}

/* ---- after it ---------------------------------------------------------------------------------- */

static bool write_dump(const struct job *job, const char *dump, struct message *message) {
  size_t number = 0;
  bool pipe = false;
  const char *path = NULL;
  if (!find_dump(job, dump, &number, &pipe, &path, message))
    return false;
  const struct isa_buffer *buffer = &job->memory.buffers[pipe ? 0 : number];
  uint64_t bytes = pipe ? 0 : buffer->bytes;
  uint8_t *packets = pipe ? job_packets(&job->memory.pipes[number], &bytes) : NULL;
  bool good = file_write(path, pipe ? packets : buffer->data, bytes, message);
  free(packets);
  return good ? true : message_within(message, "--dump");
}

static bool write_outputs(struct invocation *call, const struct report *report) {
  for (size_t i = 0; i < call->dumps.count; i++)
    if (!write_dump(report->job, call->dumps.word[i], &call->common.message))
      return false;
  return run_write(&call->common, report);
}

/* ---- recording --------------------------------------------------------------------------------- */

/* All before cycle `now` has been said. A disk that is full is told at the end; there is no use in going on. */
static bool watch(void *self, cycle_t now) {
  struct trace_writer *writer = recorder_writer(self);
  trace_writer_settle(writer, now);
  return trace_writer_good(writer);
}

static bool fail_trace(struct message *message, const struct trace_error *error) {
  message_fail(message, "%s", error->text);
  return message_within(message, "--trace");
}

/* Runs the job, and records it if that is asked for. Interrupted, the trace stays as it is: good up to its last block.
 */
static bool run(struct invocation *call, struct job *job, struct launch_result **results, size_t *count,
                bool *stopped) {
  struct run_options *how = &call->common.run;
  struct message *message = &call->common.message;
  struct trace_error error = {0};
  if (!call->trace)
    return run_call_job(&call->common, job, results, count, stopped);
  struct recorder *recorder = recorder_new(call->trace, &error);
  if (!recorder)
    return fail_trace(message, &error);
  trace_job_write(job, how->max_cycles, recorder_writer(recorder));
  const struct run_sources sources = {recorder_sources(recorder), recorder, watch};
  how->sources = &sources;
  const bool good = run_call_job(&call->common, job, results, count, stopped);
  how->sources = NULL;
  if (good || !trace_writer_good(recorder_writer(recorder))) {
    *stopped = *stopped && good;
    return recorder_close(recorder, &error) ? good : fail_trace(message, &error);
  }
  recorder_abandon(recorder);
  return false;
}

static int run_and_report(struct invocation *call, struct job *job) {
  struct launch_result *results = NULL;
  struct report report = {.job = job};
  int status = CLI_BAD_INPUT;
  bool stopped = false, good = run(call, job, &results, &report.count, &stopped);
  report.results = results;
  struct verdict *verdicts = NULL;
  if (good && call->verify)
    report.verdicts = verdicts = verify_job(job, results, report.count, &report.verdict_count);
  if (good && write_outputs(call, &report))
    status = run_conclude(&call->common, &report);
  else
    message_print(&call->common.message);
  if (stopped)
    status = CLI_INTERRUPTED;
  free(verdicts);
  run_free(results, report.count);
  return status;
}

int verb_run(int argc, char **argv) {
  static const struct argp argp = {
      options, parse_option, "LAUNCH.json\nKERNEL --global X[,Y[,Z]] --arg ...", documentation, NULL, NULL, NULL};
  struct invocation call = {.common = run_call_new()};
  struct job job = {0};
  bool good = cli_parse(&argp, argc, argv, &call.common.message) && run_settle(&call.common) && load(&call, &job) &&
              outputs_possible(&call, &job);
  int status = good ? run_and_report(&call, &job) : cli_bad_input(&call.common.message);
  job_free(&job);
  free(call.args.word);
  free(call.common.sets.word);
  free(call.dumps.word);
  program_build_free(&call.build);
  return status;
}
