#include "sim/cli/explain_vary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/file.h"
#include "sim/cli/sweep_point.h"
#include "sim/cli/text.h"
#include "sim/core/need.h"

enum { MOST_VALUES = 256 };

/* ---- reading --------------------------------------------------------------------------------------- */

/* A plan's message begins with "--vary:LINE: "; there are no lines here. */
static bool fail_plan(struct message *message, const char *text) {
  static const char file[] = "--vary:";
  const size_t length = sizeof file - 1;
  if (strncmp(text, file, length) == 0)
    text += length + strspn(text + length, "0123456789: ");
  return message_fail(message, "--vary: %s", text);
}

static bool read_plan(struct explain_vary *vary, const char *word, const char *launch, struct message *message) {
  const char *equals = strchr(word, '=');
  const bool bare = equals && !memchr(word, '.', (size_t)(equals - word));
  struct text text = {0};
  char why[PLAN_MESSAGE];
  if (!equals || equals == word || strpbrk(word, "\n;#"))
    return message_fail(message, "--vary: '%.60s' is not NAME=VALUES, such as DEPTH=1..6 or arg.tiles=16,32", word);
  /* The launch file's name may hold what a plan's value may not. */
  text_print(&text, "[sweep]\nlaunch = launch.json\n[axes]\n%s%.*s = %s\n", bare ? "define." : "", (int)(equals - word),
             word, equals + 1);
  const bool good = plan_parse(text.data, "--vary", vary->plan, why);
  free(text.data);
  if (!good)
    return fail_plan(message, why);
  free(vary->plan->launch);
  vary->plan->launch = need_copy(launch);
  return vary->plan->grid <= MOST_VALUES || message_fail(message, "--vary: has %llu values; legal: up to %d",
                                                         (unsigned long long)vary->plan->grid, MOST_VALUES);
}

static void say_option(struct sweep_plan *plan, const char *option, const char *word) {
  const size_t size = strlen(option) + strlen(word) + 1;
  plan->builds = need_more(plan->builds, plan->build_count + 1, sizeof *plan->builds);
  plan->builds[plan->build_count] = need(size, 1);
  snprintf(plan->builds[plan->build_count++], size, "%s%s", option, word);
}

/* Of the command line's build a plan has the options of clang. */
static bool take_build(struct sweep_plan *plan, const struct program_build *build, struct message *message) {
  if (build->standard || build->route_said || build->registers || build->copies_said || build->extensions.count)
    return message_fail(message, "--vary: of the options of OpenCL C it goes with -D, -I and --build-option alone; the "
                                 "launch file's `build` has the others");
  for (size_t i = 0; i < build->defines.count; i++)
    say_option(plan, "-D", build->defines.word[i]);
  for (size_t i = 0; i < build->includes.count; i++)
    say_option(plan, "-I", build->includes.word[i]);
  for (size_t i = 0; i < build->options.count; i++)
    say_option(plan, "", build->options.word[i]);
  return true;
}

static bool open_target(struct explain_vary *vary, struct message *message) {
  struct message why;
  if (!sweep_target_open(vary->target, vary->plan, &why))
    return fail_plan(message, why.text);
  if (vary->target->name[0].kind == SWEEP_DEFINE || vary->target->name[0].kind == SWEEP_ARGUMENT)
    return true;
  return message_fail(message, "--vary: '%.60s' is no define and no argument; `warpwait sweep` varies machines",
                      vary->plan->axis[0].name);
}

struct explain_vary *explain_vary_new(const char *word, const struct job_options *options, struct message *message) {
  const char *launch = options->direct.program;
  struct explain_vary *vary = need(1, sizeof *vary);
  vary->plan = need(1, sizeof *vary->plan);
  vary->target = need(1, sizeof *vary->target);
  bool good = strcmp(file_extension(launch), ".json") == 0 || message_fail(message, "--vary: needs a launch file");
  good = good && read_plan(vary, word, launch, message) && take_build(vary->plan, &options->build, message) &&
         open_target(vary, message);
  if (!good) {
    explain_vary_free(vary);
    return NULL;
  }
  vary->name = need_copy(vary->plan->axis[0].name);
  vary->count = vary->plan->axis[0].count;
  vary->value = need(vary->count, sizeof *vary->value);
  for (size_t i = 0; i < vary->count; i++)
    vary->value[i].word = vary->plan->axis[0].value[i];
  return vary;
}

void explain_vary_free(struct explain_vary *vary) {
  if (!vary)
    return;
  for (size_t i = 0; i < vary->count; i++)
    free(vary->value[i].time);
  sweep_target_close(vary->target);
  plan_free(vary->plan);
  free(vary->target);
  free(vary->plan);
  free(vary->value);
  free(vary->name);
  free(vary);
}

/* ---- running --------------------------------------------------------------------------------------- */

static bool load(void *self, size_t number, struct job *job, struct message *message) {
  const struct explain_vary *vary = self;
  const uint32_t value[PLAN_AXES] = {(uint32_t)number};
  return sweep_job(vary->target, value, &vary->machine, job, message);
}

bool explain_vary_run(struct explain_vary *vary, struct explain_run *run, int *status) {
  struct explain_case *cases = need(vary->count, sizeof *cases);
  vary->machine = run->job.machine;
  const bool good = explain_run_jobs(run, load, vary, cases, vary->count, status);
  for (size_t i = 0; i < vary->count; i++) {
    vary->value[i].status = cases[i].status;
    snprintf(vary->value[i].reason, EXPLAIN_REASON, "%s", cases[i].reason);
    vary->value[i].time = cases[i].time;
    free(cases[i].pace);
    free(cases[i].wait);
  }
  free(cases);
  return good;
}

const struct explain_value *explain_vary_best(const struct explain_vary *vary, size_t step) {
  cycle_t least = NEVER;
  for (size_t i = 0; i < vary->count; i++)
    if (vary->value[i].status == EXPLAIN_FINISHED)
      least = cycle_min(least, vary->value[i].time[step].cycles);
  for (size_t i = 0; i < vary->count; i++)
    if (vary->value[i].status == EXPLAIN_FINISHED && vary->value[i].time[step].cycles <= least + least / 100)
      return &vary->value[i];
  return NULL;
}
