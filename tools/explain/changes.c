#include "tools/explain/changes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"
#include "tools/explain/edits.h"

enum { PROGRAM_BYTES = 64 << 20, WIDTH = 4 /* components of a vector */ };

/* ---- the list -------------------------------------------------------------------------------------- */

static struct explain_change *add(struct explain_changes *changes, char *name) {
  struct explain_change *change = vector_next(changes->change, changes->count, changes->room);
  *change = (struct explain_change){.name = name};
  return change;
}

/* ---- the kernel's text ------------------------------------------------------------------------------ */

static void add_edits(struct explain_changes *changes, const char *text) {
  for (enum opencl_edit edit = 0; edit < OPENCL_EDIT_COUNT; edit++) {
    char *edited = opencl_edit(text, edit);
    if (!edited)
      continue;
    struct explain_change *change = add(changes, need_copy(opencl_edit_names[edit]));
    change->text = edited;
    change->made.global_over = opencl_edit_widens(edit) ? WIDTH : 0;
  }
}

/* ---- names that look like numbers of something ------------------------------------------------------ */

/* Names that people give to numbers of buffers, paddings, and factors of unrolling. */
enum meaning { MEANS_NOTHING, MEANS_BUFFERS, MEANS_PADDING, MEANS_UNROLLING };

static enum meaning meaning_of(const char *name) {
  static const struct {
    const char *part;
    enum meaning meaning;
  } parts[] = {{"depth", MEANS_BUFFERS}, {"stages", MEANS_BUFFERS}, {"buffers", MEANS_BUFFERS}, {"nbuf", MEANS_BUFFERS},
               {"slots", MEANS_BUFFERS}, {"pad", MEANS_PADDING},    {"unroll", MEANS_UNROLLING}};
  char lower[64];
  size_t length = 0;
  for (; name[length] && length + 1 < sizeof lower; length++)
    lower[length] = (char)tolower((unsigned char)name[length]);
  lower[length] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(lower, parts[i].part))
      return parts[i].meaning;
  return MEANS_NOTHING;
}

/* The values to try in place of a value; returns their number. */
static size_t values_for(enum meaning meaning, unsigned long value, unsigned long other[3]) {
  size_t count = 0;
  if (meaning == MEANS_BUFFERS && value) {
    other[count++] = value + 1;
    other[count++] = value + 2;
    if (2 * value > value + 2)
      other[count++] = 2 * value;
  }
  if (meaning == MEANS_PADDING)
    other[count++] = value + 1;
  if (meaning == MEANS_UNROLLING && value) {
    other[count++] = 2 * value;
    other[count++] = 4 * value;
  }
  return count;
}

/* Whether --vary tries values of the name. It says define.NAME, arg.NAME or launch.NUMBER.arg.NAME. */
static bool is_varied(const struct explain_changes *changes, const char *name) {
  const char *last = changes->varied ? strrchr(changes->varied, '.') : NULL;
  return last && strcmp(last + 1, name) == 0;
}

static bool has_local_arguments(const struct job *job) {
  for (size_t i = 0; i < job->launch_count; i++)
    for (size_t a = 0; a < job->launches[i].isa.kernel->arg_count; a++)
      if (job->launches[i].isa.kernel->args[a].kind == ISA_ARG_LOCAL)
        return true;
  return false;
}

/* Adds changes of a number: with local arguments of the same size, and for buffers also in proportion. */
static void add_values(struct explain_changes *changes, const struct job *job, const char *name, unsigned long value,
                       void (*make)(struct explain_change *change, const char *name, unsigned long value,
                                    const void *from),
                       const void *from) {
  unsigned long other[3];
  const enum meaning meaning = meaning_of(name);
  const size_t count = is_varied(changes, name) ? 0 : values_for(meaning, value, other);
  for (size_t i = 0; i < count; i++)
    for (int scaled = 0; scaled <= (meaning == MEANS_BUFFERS && has_local_arguments(job)); scaled++) {
      struct explain_change *change =
          add(changes, need_print("%s = %lu%s", name, other[i], scaled ? ", local arguments in proportion" : ""));
      make(change, name, other[i], from);
      if (scaled) {
        change->made.lds_times = (uint32_t)other[i];
        change->made.lds_over = (uint32_t)value;
      }
    }
}

static void make_define(struct explain_change *change, const char *name, unsigned long value, const void *from) {
  (void)from;
  change->define = need_print("%s=%lu", name, value);
}

static void make_text(struct explain_change *change, const char *name, unsigned long value, const void *from) {
  change->text = opencl_define_set(from, name, value);
}

static void make_argument(struct explain_change *change, const char *name, unsigned long value, const void *from) {
  (void)from;
  change->made.argument = change->argument = need_copy(name);
  change->made.word = change->word = need_print("%lu", value);
}

static bool is_defined(const struct program_build *build, const char *name) {
  for (size_t i = 0; i < build->defines.count; i++)
    if (strcspn(build->defines.word[i], "=") == strlen(name) &&
        strncmp(build->defines.word[i], name, strlen(name)) == 0)
      return true;
  return false;
}

static void add_defines(struct explain_changes *changes, const struct job *job, const char *text) {
  const struct program_build *build = &job->build;
  struct opencl_define define;
  for (size_t i = program_define(build, 0); i < build->defines.count; i = program_define(build, i + 1)) {
    const char *word = build->defines.word[i], *value = strchr(word, '=');
    if (!value || !isdigit((unsigned char)value[1]))
      continue;
    char *name = need_print("%.*s", (int)(value - word), word);
    add_values(changes, job, name, strtoul(value + 1, NULL, 0), make_define, NULL);
    free(name);
  }
  for (const char *at = text; opencl_define_next(&at, &define);)
    if (!is_defined(build, define.name))
      add_values(changes, job, define.name, define.value, make_text, text);
}

/* The value of argument `index` if it is a whole number of at most 16 bits. */
static bool find_number(const struct job_launch *launch, size_t index, unsigned long *value) {
  const struct isa_arg *arg = &launch->isa.kernel->args[index];
  uint64_t number = 0;
  if (arg->kind != ISA_ARG_VALUE || arg->bytes > sizeof number)
    return false;
  memcpy(&number, launch->args + arg->offset, arg->bytes);
  *value = (unsigned long)number;
  return number <= UINT16_MAX;
}

static void add_arguments(struct explain_changes *changes, const struct job *job) {
  const struct job_launch *launch = &job->launches[0];
  for (size_t a = 0; a < launch->isa.kernel->arg_count; a++) {
    unsigned long value = 0;
    if (find_number(launch, a, &value))
      add_values(changes, job, launch->isa.kernel->args[a].name, value, make_argument, NULL);
  }
}

/* ---- the NDRange ------------------------------------------------------------------------------------ */

static void name_local(const struct isa_launch *launch, const struct job_change *made, char name[80]) {
  int used = snprintf(name, 80, "local size");
  for (unsigned i = 0; i < launch->dimensions; i++)
    used += snprintf(name + used, 80 - (size_t)used, "%s%" PRIu64, i ? " x " : " ",
                     (uint64_t)launch->local[i] * made->local_times[i] / made->local_over[i]);
}

static void add_local(struct explain_changes *changes, const struct isa_launch *launch, const uint32_t times[2],
                      const uint32_t over[2]) {
  struct job_change made = {.local_times = {times[0], times[1], 1}, .local_over = {over[0], over[1], 1}};
  char name[80];
  for (unsigned i = 0; i < 2; i++)
    if (launch->local[i] * times[i] % over[i] || launch->global[i] % (launch->local[i] * times[i] / over[i]))
      return;
  name_local(launch, &made, name);
  add(changes, need_copy(name))->made = made;
}

/* Other work-group sizes of the first launch; those of the other launches are scaled with them. */
static void add_locals(struct explain_changes *changes, const struct job *job) {
  static const uint32_t one[][2][2] = {{{2, 1}, {1, 1}}, {{4, 1}, {1, 1}}, {{1, 1}, {2, 1}}, {{1, 1}, {4, 1}}};
  static const uint32_t two[][2][2] = {{{2, 1}, {1, 1}}, {{1, 2}, {1, 1}}, {{1, 1}, {2, 1}},
                                       {{1, 1}, {1, 2}}, {{2, 1}, {1, 2}}, {{1, 2}, {2, 1}}};
  const struct isa_launch *launch = &job->launches[0].isa;
  for (size_t i = 0; i < job->launch_count; i++)
    if (job->launches[i].isa.kernel->required_local[0])
      return;
  const bool flat = launch->dimensions == 1;
  if (!flat && launch->local[1] > 2)
    add_local(changes, launch, (uint32_t[2]){launch->local[1], 1}, (uint32_t[2]){1, launch->local[1]});
  for (size_t i = 0; i < (flat ? sizeof one / sizeof *one : sizeof two / sizeof *two); i++)
    add_local(changes, launch, flat ? one[i][0] : two[i][0], flat ? one[i][1] : two[i][1]);
}

/* A kernel that queries the size of the NDRange may do the same work with fewer or more work-groups. */
static void add_groups(struct explain_changes *changes, const struct job *job, const char *text) {
  const struct isa_launch *launch = &job->launches[0].isa;
  if (job->launch_count > 1 || launch->dimensions != 1 || !launch->local[0] ||
      !(strstr(text, "get_num_groups") || strstr(text, "get_global_size")))
    return;
  for (uint32_t each = 1; each <= 8; each *= 2) {
    const uint32_t groups = each * machine_cu(job->machine)->count;
    if (groups == launch->global[0] / launch->local[0])
      continue;
    add(changes, need_print("%" PRIu32 " work-groups: %" PRIu32 " a CU", groups, each))->made.groups = groups;
  }
}

/* ---- all changes ------------------------------------------------------------------------------------ */

struct explain_changes *explain_changes_new(struct explain_run *run, const struct subject *subject,
                                            const char *varied) {
  struct explain_changes *changes = need(1, sizeof *changes);
  const struct job *job = &run->job;
  char *text = NULL;
  size_t size = 0;
  struct message ignored;
  changes->subject = subject;
  changes->varied = varied;
  changes->machine = job->machine;
  if (!program_is_opencl(job->program.path) || !file_read(job->program.path, PROGRAM_BYTES, &text, &size, &ignored))
    return changes;
  add_edits(changes, text);
  add_defines(changes, job, text);
  add_arguments(changes, job);
  add_locals(changes, job);
  add_groups(changes, job, text);
  free(text);
  return changes;
}

void explain_changes_free(struct explain_changes *changes) {
  if (!changes)
    return;
  for (size_t i = 0; i < changes->count; i++) {
    struct explain_change *change = &changes->change[i];
    char *words[] = {change->name, change->text, change->define, change->argument, change->word};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      free(words[w]);
  }
  explain_cases_free(changes->cases, changes->count);
  free(changes->change);
  free(changes);
}

static bool load(void *self, size_t number, const struct caller *caller, struct job *job, struct message *message) {
  const struct explain_changes *changes = self;
  const struct explain_change *change = &changes->change[number];
  const struct subject_variant variant = {.define = change->define, .text = change->text, .change = &change->made};
  return subject_load_variant(changes->subject, &variant, changes->machine, caller, job, message);
}

bool explain_changes_run(struct explain_changes *changes, struct explain_run *run, int *status) {
  const bool good = explain_run_jobs(run, load, changes, &changes->cases, changes->count, status);
  for (size_t i = 0; i < changes->count; i++) {
    struct explain_case *tried = &changes->cases[i];
    tried->name = changes->change[i].name;
    if (tried->status == OUTCOME_finished && tried->hazards > run->explain.cases[0].hazards) {
      tried->status = OUTCOME_refused;
      snprintf(tried->reason, TRIAL_REASON, "it adds hazards");
    }
  }
  return good;
}

size_t explain_changes_rank(const struct explain_changes *changes, size_t step, const struct explain_case **rank) {
  size_t count = 0;
  for (size_t i = 0; i < changes->count; i++) {
    const struct explain_case *tried = &changes->cases[i];
    if (!explain_counts(tried))
      continue;
    size_t place = count++;
    for (; place && rank[place - 1]->time[step].cycles > tried->time[step].cycles; place--)
      rank[place] = rank[place - 1];
    rank[place] = tried;
  }
  return count;
}
