#include "sim/cli/vary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/file.h"
#include "sim/cli/sweep_point.h"
#include "sim/cli/text.h"
#include "sim/core/need.h"

/* A plan's message begins with "OPTION:LINE: "; there are no lines here. */
static bool fail_plan(const struct vary *vary, struct message *message, const char *text) {
  const size_t length = strlen(vary->option);
  if (strncmp(text, vary->option, length) == 0 && text[length] == ':')
    text += length + strspn(text + length, "0123456789: ");
  message_fail(message, "%s", text);
  return message_within(message, vary->option);
}

char *vary_name(const char *word) {
  const int length = (int)strcspn(word, "=");
  struct text name = {0};
  text_print(&name, "%s%.*s", memchr(word, '.', (size_t)length) ? "" : "define.", length, word);
  return name.data;
}

static bool read_plan(struct vary *vary, const char *word, size_t most, const char *launch, struct message *message) {
  const char *equals = strchr(word, '=');
  struct text text = {0};
  char why[PLAN_MESSAGE];
  if (!equals || equals == word || strpbrk(word, "[\n;#"))
    return message_fail(message, "%s: '%.60s' is not NAME=VALUES, such as DEPTH=1..6 or arg.tiles=16,32", vary->option,
                        word);
  char *name = vary_name(word);
  /* The launch file's name may hold what a plan's value may not. */
  text_print(&text, "[sweep]\nlaunch = launch.json\n[axes]\n%s = %s\n", name, equals + 1);
  free(name);
  const bool good = plan_parse(text.data, vary->option, vary->plan, why);
  free(text.data);
  if (!good)
    return fail_plan(vary, message, why);
  free(vary->plan->launch);
  vary->plan->launch = need_copy(launch);
  return vary->plan->grid <= most || message_fail(message, "%s: has %llu values; legal: up to %zu", vary->option,
                                                  (unsigned long long)vary->plan->grid, most);
}

static void say_option(struct sweep_plan *plan, const char *option, const char *word) {
  const size_t size = strlen(option) + strlen(word) + 1;
  plan->builds = need_more(plan->builds, plan->build_count + 1, sizeof *plan->builds);
  plan->builds[plan->build_count] = need(size, 1);
  snprintf(plan->builds[plan->build_count++], size, "%s%s", option, word);
}

/* Of the command line's build a plan has the options of clang. */
static bool take_build(const struct vary *vary, const struct program_build *build, struct message *message) {
  struct sweep_plan *plan = vary->plan;
  if (build->standard || build->route_said || build->registers || build->copies_said || build->extensions.count)
    return message_fail(
        message,
        "%s: of the options of OpenCL C it goes with -D, -I and --build-option alone; the launch file's "
        "`build` has the others",
        vary->option);
  for (size_t i = 0; i < build->defines.count; i++)
    say_option(plan, "-D", build->defines.word[i]);
  for (size_t i = 0; i < build->includes.count; i++)
    say_option(plan, "-I", build->includes.word[i]);
  for (size_t i = 0; i < build->options.count; i++)
    say_option(plan, "", build->options.word[i]);
  return true;
}

/* The file's sizes are those of all points. */
static bool no_sizes(const struct vary *vary, const struct direct *direct, struct message *message) {
  return !(direct->global || direct->local) ||
         message_fail(message, "%s: does not go with %s; the launch file says this", vary->option,
                      direct->global ? "--global" : "--local");
}

static bool open_target(struct vary *vary, struct reads *reads, struct message *message) {
  struct message why;
  free(reads_begin(reads, vary->plan->launch));
  if (!sweep_target_open(vary->target, vary->plan, reads, &why))
    return fail_plan(vary, message, why.text);
  if (vary->target->name[0].kind == SWEEP_DEFINE || vary->target->name[0].kind == SWEEP_ARGUMENT)
    return true;
  return message_fail(message, "%s: '%.60s' is no define and no argument; `warpwait sweep` varies machines",
                      vary->option, vary->plan->axis[0].name);
}

bool vary_open(struct vary *vary, const char *option, const char *word, size_t most, const struct job_options *options,
               struct message *message) {
  const char *launch = options->direct.program;
  *vary = (struct vary){
      .option = need_copy(option), .plan = need(1, sizeof *vary->plan), .target = need(1, sizeof *vary->target)};
  if (strcmp(file_extension(launch), ".json") != 0)
    return message_fail(message, "%s: needs a launch file", option);
  if (!no_sizes(vary, &options->direct, message) || !read_plan(vary, word, most, launch, message) ||
      !take_build(vary, &options->build, message) || !open_target(vary, options->build.reads, message))
    return false;
  vary->name = need_copy(vary->plan->axis[0].name);
  vary->word = vary->plan->axis[0].value;
  vary->count = vary->plan->axis[0].count;
  return true;
}

void vary_close(struct vary *vary) {
  if (vary->plan) {
    sweep_target_close(vary->target);
    plan_free(vary->plan);
  }
  free(vary->target);
  free(vary->plan);
  free(vary->name);
  free(vary->option);
  *vary = (struct vary){0};
}

bool vary_job(const struct vary *vary, size_t number, const struct machine *machine, struct job *job,
              struct message *message) {
  const uint32_t value[PLAN_AXES] = {(uint32_t)number};
  return sweep_job(vary->target, value, machine, job, message);
}
