#include "sim/cli/job_options.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/file.h"

/* ---- options ----------------------------------------------------------------------------------- */

static error_t take_program(struct argp_state *state, const char *word, struct job_options *options) {
  if (options->direct.program)
    return cli_refuse(state, "%.60s: one launch file or kernel is enough", word);
  options->direct.program = word;
  return 0;
}

/* Options whose value is kept as it is. */
static const char **place_of_word(struct job_options *options, int key) {
  switch (key) {
  case KEY_KERNEL:
    return &options->direct.kernel;
  case KEY_GLOBAL:
    return &options->direct.global;
  case KEY_LOCAL:
    return &options->direct.local;
  case KEY_OFFSET:
    return &options->direct.offset;
  default:
    return NULL;
  }
}

error_t job_option(int key, const char *word, struct argp_state *state, struct job_options *options) {
  const char **kept = place_of_word(options, key);
  options->build.reads = &options->reads;
  if (kept) {
    *kept = word;
    return 0;
  }
  switch (key) {
  case KEY_ARG:
    return run_add_word(&options->args, word);
  case ARGP_KEY_ARG:
    return take_program(state, word, options);
  case ARGP_KEY_END:
    return options->direct.program ? 0 : cli_refuse(state, "a launch file or a kernel is missing; --help says more");
  default:
    return build_option(key, word, state, &options->build);
  }
}

/* ---- the job ----------------------------------------------------------------------------------- */

/* The launch file, or the trace, says what these options would. The size of a launch file's launch may be another. */
static bool no_direct(const struct job_options *options, const char *who, bool sized, struct message *message) {
  const struct {
    const char *option;
    bool given;
  } direct[] = {{"--kernel", options->direct.kernel},
                {"--global", sized && options->direct.global},
                {"--local", sized && options->direct.local},
                {"--offset", options->direct.offset},
                {"--arg", options->args.count > 0}};
  for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
    if (direct[i].given)
      return message_fail(message, "%s: the %s says this", direct[i].option, who);
  return true;
}

bool job_options_for_trace(const struct job_options *options, struct message *message) {
  const struct program_build *build = &options->build;
  if (!no_direct(options, "trace", true, message))
    return false;
  return !(build->standard || build->defines.count || build->includes.count || build->extensions.count ||
           build->options.count || build->route_said || build->registers || build->copies_said) ||
         message_fail(message, "a trace has its program: no options of OpenCL C go with it");
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

static bool load(struct job_options *options, const struct job_request *request, struct job *job,
                 struct message *message) {
  const char *program = options->direct.program;
  if (file_is_folder(program))
    return fail_folder(program, message);
  if (strcmp(file_extension(program), ".json") == 0 && !file_exists(program))
    return message_fail(message, "%.300s: %s", program, strerror(ENOENT));
  if (strcmp(file_extension(program), ".json") == 0)
    return no_direct(options, "launch file", false, message) && launch_load(program, request, job, message);
  if (request->verify)
    return message_fail(message, "--verify: needs a launch file, which says what to expect");
  options->direct.args = options->args.word;
  options->direct.arg_count = options->args.count;
  return direct_job(&options->direct, request, job, message);
}

bool job_options_load(struct job_options *options, struct run_call *call, bool verify, struct job *job) {
  const struct job_request request = {.machine = call->machine,
                                      .set = call->sets.word,
                                      .set_count = call->sets.count,
                                      .global = options->direct.global,
                                      .local = options->direct.local,
                                      .build = options->build,
                                      .verify = verify};
  for (size_t i = 0; i < options->build.includes.count; i++)
    reads_folder(&options->reads, options->build.includes.word[i]);
  if (!load(options, &request, job, &call->message))
    return false;
  program_tell_unmentioned(&job->program, &options->build.defines, &job->build.defines);
  return true;
}

bool job_options_load_on(struct job_options *options, const struct machine *machine, struct job *job,
                         struct message *message) {
  const struct job_request request = {.made = machine,
                                      .global = options->direct.global,
                                      .local = options->direct.local,
                                      .build = options->build,
                                      .change = options->change};
  return load(options, &request, job, message);
}

bool job_options_load_self(void *self, const struct machine *machine, struct job *job, struct message *message) {
  return job_options_load_on(self, machine, job, message);
}

bool job_options_load_with(struct job_options *options, const char *define, const struct machine *machine,
                           struct job *job, struct message *message) {
  if (define)
    program_say(&options->build.defines, define);
  const bool good = job_options_load_on(options, machine, job, message);
  if (define)
    program_unsay(&options->build.defines);
  return good;
}

int job_options_list(const struct job_options *options, struct message *message) {
  return reads_list(&options->reads, message) ? CLI_FINE : cli_bad_input(message);
}

void job_options_free(struct job_options *options) {
  reads_free(&options->reads);
  free(options->args.word);
  program_build_free(&options->build);
}
