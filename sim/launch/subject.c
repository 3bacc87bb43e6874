#include "sim/launch/subject.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/launch/launch_file.h"

/* The launch file or the trace already says what these options would say. `sized`: it also fixes the NDRange's size;
 * the size of a launch file's launch can be changed. */
static bool no_direct(const struct subject *subject, const char *who, bool sized, struct message *message) {
  const struct {
    const char *option;
    bool given;
  } direct[] = {{"--kernel", subject->direct.kernel},
                {"--global", sized && subject->direct.global},
                {"--local", sized && subject->direct.local},
                {"--offset", subject->direct.offset},
                {"--arg", subject->args.count > 0}};
  for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
    if (direct[i].given)
      return message_fail(message, "%s: not allowed here, because the %s sets it", direct[i].option, who);
  return true;
}

bool subject_for_trace(const struct subject *subject, struct message *message) {
  const struct program_build *build = &subject->build;
  if (!no_direct(subject, "trace", true, message))
    return false;
  return !(build->standard || build->defines.count || build->includes.count || build->extensions.count ||
           build->options.count || program_says_lowering(build)) ||
         message_fail(message, "a trace has its program already, so it takes no options of OpenCL C");
}

/* The user named a folder. Suggests the first launch file in it, or in one of its folders. */
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

static bool load(const struct subject *subject, const char *const *args, const struct job_request *request,
                 struct job *job, struct message *message) {
  struct direct direct = subject->direct;
  const char *program = direct.program;
  if (file_is_folder(program))
    return fail_folder(program, message);
  if (strcmp(file_extension(program), ".json") == 0 && !file_exists(program))
    return message_fail(message, "%.300s: %s", program, text_errno(ENOENT));
  if (strcmp(file_extension(program), ".json") == 0)
    return no_direct(subject, "launch file", false, message) && launch_load(program, request, job, message);
  if (request->verify)
    return message_fail(message, "--verify: needs a launch file with checks");
  direct.args = args;
  direct.arg_count = subject->args.count;
  return direct_job(&direct, request, job, message);
}

bool subject_load(struct subject *subject, const struct machine_request *machine, bool verify, struct job *job,
                  struct message *message) {
  subject->build.compiled = &subject->compiled;
  const struct job_request request = {.machine = *machine,
                                      .global = subject->direct.global,
                                      .local = subject->direct.local,
                                      .build = subject->build,
                                      .verify = verify};
  for (size_t i = 0; i < subject->build.includes.count; i++)
    reads_folder(&subject->reads, subject->build.includes.word[i]);
  if (!load(subject, subject->args.word, &request, job, message))
    return false;
  program_report_unmentioned(&job->program, &subject->build.defines, &job->build.defines, subject->build.caller);
  return true;
}

/* The list with one word appended; the caller frees only the array. */
static struct program_words words_and(const struct program_words *words, const char *word) {
  struct program_words more = {.word = need(words->count + 2, sizeof *more.word)};
  for (; more.count < words->count; more.count++)
    more.word[more.count] = words->word[more.count];
  if (word)
    more.word[more.count++] = word;
  return more;
}

bool subject_load_variant(const struct subject *subject, const struct subject_variant *variant,
                          const struct machine *machine, const struct caller *caller, struct job *job,
                          struct message *message) {
  struct job_request request = {.machine.made = machine,
                                .global = subject->direct.global,
                                .local = subject->direct.local,
                                .build = subject->build,
                                .change = variant->change};
  request.build.text = variant->text;
  request.build.caller = caller;
  request.build.reads = job_reads(job, subject->build.reads);
  request.build.defines = words_and(&subject->build.defines, variant->define);
  const bool good = load(subject, variant->args ? variant->args : subject->args.word, &request, job, message);
  free(request.build.defines.word);
  return good;
}

bool subject_load_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                     struct message *message) {
  return subject_load_variant(self, &(struct subject_variant){0}, machine, caller, job, message);
}

void subject_free(struct subject *subject) {
  reads_free(&subject->reads);
  free(subject->args.word);
  program_build_free(&subject->build);
  program_compiled_free(&subject->compiled);
}
