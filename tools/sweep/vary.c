#include "tools/sweep/vary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"
#include "tools/sweep/point.h"

/* The message of a plan begins with "OPTION:LINE: ", but there are no lines here. */
static bool fail_plan(const struct vary *vary, struct message *message) {
  const char *text = message->text;
  const size_t length = strlen(vary->option);
  if (strncmp(text, vary->option, length) == 0 && text[length] == ':')
    text += length + strspn(text + length, "0123456789: ");
  memmove(message->text, text, strlen(text) + 1);
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
  if (!equals || equals == word || strpbrk(word, "[\n;#"))
    return message_fail(message, "%s: '%.60s' is not NAME=VALUES, such as DEPTH=1..6 or arg.tiles=16,32", vary->option,
                        word);
  char *name = vary_name(word);
  /* A placeholder: the launch file's name may contain characters that a sweep file does not allow. */
  text_print(&text, "[sweep]\nlaunch = launch.json\n[axes]\n%s = %s\n", name, equals + 1);
  free(name);
  const bool good = plan_parse(text.data, vary->option, vary->plan, message);
  free(text.data);
  if (!good)
    return fail_plan(vary, message);
  free(vary->plan->launch);
  vary->plan->launch = need_copy(launch);
  return vary->plan->grid <= most || message_fail(message, "%s: has %llu values; legal: up to %zu", vary->option,
                                                  (unsigned long long)vary->plan->grid, most);
}

static void say_option(struct sweep_plan *plan, const char *option, const char *word) {
  *vector_next(plan->builds, plan->build_count, plan->build_room) = need_print("%s%s", option, word);
}

/* Takes those options of the command line's build that a plan can have: clang's. */
static bool take_build(const struct vary *vary, const struct program_build *build, struct message *message) {
  struct sweep_plan *plan = vary->plan;
  if (build->standard || program_says_lowering(build) || build->extensions.count)
    return message_fail(message,
                        "%s: of the options of OpenCL C, only -D, -I and --build-option are allowed with it; put the "
                        "others in the launch file's `build`",
                        vary->option);
  for (size_t i = 0; i < build->defines.count; i++)
    say_option(plan, "-D", build->defines.word[i]);
  for (size_t i = 0; i < build->includes.count; i++)
    say_option(plan, "-I", build->includes.word[i]);
  for (size_t i = 0; i < build->options.count; i++)
    say_option(plan, "", build->options.word[i]);
  return true;
}

/* The launch file fixes the sizes of all points. */
static bool no_sizes(const struct vary *vary, const struct direct *direct, struct message *message) {
  return !(direct->global || direct->local) ||
         message_fail(message, "%s: cannot be combined with %s, which the launch file sets", vary->option,
                      direct->global ? "--global" : "--local");
}

static bool fail_name(const struct vary *vary, struct message *message) {
  return message_fail(message, "%s: '%.60s' is neither a define nor an argument; use `warpwait sweep` to vary machines",
                      vary->option, vary->plan->axis[0].name);
}

static bool open_target(struct vary *vary, const struct program_build *build, struct message *message) {
  free(reads_begin(build->reads, vary->plan->launch));
  if (!sweep_target_open(vary->target, vary->plan, build->reads, build->caller, message))
    return fail_plan(vary, message);
  if (vary->target->name[0].kind == SWEEP_DEFINE || vary->target->name[0].kind == SWEEP_ARGUMENT)
    return true;
  return fail_name(vary, message);
}

/* ---- kernels given by options -------------------------------------------------------------------- */

/* Finds "tiles" or "2", counted from 1, in the kernel's arguments. */
static bool find_argument(struct vary *vary, const struct job *base, const char *name, struct message *message) {
  const struct isa_kernel *kernel = base->launches[0].isa.kernel;
  char *end = NULL;
  const unsigned long number = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;
  for (size_t i = 0; i < kernel->arg_count; i++)
    if (strcmp(kernel->args[i].name, name) == 0 || (end && !*end && number == i + 1)) {
      vary->argument = i;
      return true;
    }
  const char *near = kernel->arg_count ? nearest_word(name, (const char *const *)&kernel->args->name, kernel->arg_count,
                                                      sizeof *kernel->args)
                                       : NULL;
  char hint[MESSAGE_HINT];
  return message_fail(message, "%s: arg.%.60s: kernel '%s' has no argument '%.60s'%s", vary->option, name, kernel->name,
                      name, message_hint(hint, near));
}

/* Checks the values against the type that --arg gives; a vector is 1:2:3:4. */
static bool check_values(const struct vary *vary, struct message *message) {
  const char *word = vary->direct->args.word[vary->argument];
  char name[32];
  struct type type;
  uint8_t ignored[TYPE_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ":"), word);
  if (!type_find(name, &type))
    return message_fail(message, "%s: --arg %.60s is not a value", vary->option, word);
  for (size_t i = 0; i < vary->plan->axis[0].count; i++) {
    const char *at = vary->plan->axis[0].value[i];
    unsigned count = 0;
    for (; *at; at += strcspn(at, ":"), at += *at == ':', count++) {
      char component[80];
      snprintf(component, sizeof component, "%.*s", (int)strcspn(at, ":"), at);
      if (!type_parse(type, component, ignored, message))
        return message_within(message, vary->option);
    }
    if (count != type.components)
      return message_fail(message, "%s: '%.60s' has %u components, not the %u of %s", vary->option,
                          vary->plan->axis[0].value[i], count, type.components, name);
  }
  return true;
}

static bool open_direct(struct vary *vary, const struct subject *subject, const struct job *base,
                        struct message *message) {
  const char *name = vary->plan->axis[0].name;
  vary->direct = subject;
  vary->argument = SIZE_MAX;
  if (strncmp(name, "define.", strlen("define.")) == 0)
    return program_is_opencl(subject->direct.program) ||
           message_fail(message, "%s: a define is for OpenCL C (.cl)", vary->option);
  if (strncmp(name, "arg.", strlen("arg.")) != 0)
    return fail_name(vary, message);
  return find_argument(vary, base, name + strlen("arg."), message) && check_values(vary, message);
}

static bool define_job(const struct vary *vary, const char *value, const struct machine *machine,
                       const struct caller *caller, struct job *job, struct message *message) {
  char *define = need_print("%s=%s", vary->name + strlen("define."), value);
  const struct subject_variant variant = {.define = define};
  const bool good = subject_load_variant(vary->direct, &variant, machine, caller, job, message);
  free(define);
  return good;
}

static bool argument_job(const struct vary *vary, const char *value, const struct machine *machine,
                         const struct caller *caller, struct job *job, struct message *message) {
  const struct words *args = &vary->direct->args;
  const char *before = args->word[vary->argument];
  const char **words = need(args->count, sizeof *words);
  char *word = need_print("%.*s:%s", (int)strcspn(before, ":"), before, value);
  for (char *at = strchr(word, ':') + 1; (at = strchr(at, ':'));)
    *at = ',';
  for (size_t i = 0; i < args->count; i++)
    words[i] = i == vary->argument ? word : args->word[i];
  const struct subject_variant variant = {.args = words};
  const bool good = subject_load_variant(vary->direct, &variant, machine, caller, job, message);
  free(words);
  free(word);
  return good;
}

/* ---- launch files and kernels ---------------------------------------------------------------------- */

bool vary_open(struct vary *vary, const char *option, const char *word, size_t most, struct subject *subject,
               const struct job *base, struct message *message) {
  const char *launch = subject->direct.program;
  const bool file = strcmp(file_extension(launch), ".json") == 0;
  *vary = (struct vary){
      .option = need_copy(option), .plan = need(1, sizeof *vary->plan), .target = need(1, sizeof *vary->target)};
  if ((file && !no_sizes(vary, &subject->direct, message)) || !read_plan(vary, word, most, launch, message))
    return false;
  if (file ? !take_build(vary, &subject->build, message) || !open_target(vary, &subject->build, message)
           : !open_direct(vary, subject, base, message))
    return false;
  vary->name = need_copy(vary->plan->axis[0].name);
  vary->word = vary->plan->axis[0].value;
  vary->count = vary->plan->axis[0].count;
  return true;
}

void vary_close(struct vary *vary) {
  if (vary->plan) {
    if (!vary->direct)
      sweep_target_close(vary->target);
    plan_free(vary->plan);
  }
  free(vary->target);
  free(vary->plan);
  free(vary->name);
  free(vary->option);
  *vary = (struct vary){0};
}

bool vary_job(const struct vary *vary, size_t number, const struct machine *machine, const struct caller *caller,
              struct job *job, struct message *message) {
  const uint32_t value[PLAN_AXES] = {(uint32_t)number};
  if (vary->direct)
    return (vary->argument == SIZE_MAX ? define_job : argument_job)(vary, vary->word[number], machine, caller, job,
                                                                    message);
  return sweep_job(vary->target, value, machine, caller, job, message);
}
