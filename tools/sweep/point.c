#include "tools/sweep/point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <limits.h>
#include <xxhash.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"
#include "sim/launch/machines.h"
#include "tools/sweep/names.h"

enum { PIECE = 1 << 20 /* bytes of a file to hash at a time */ };

/* ---- the program's sources ---- */

/* The text of a program's source and of all files that it includes, so that a sweep notices when any of them changes.
 * Every `#include` counts, even one that the preprocessor skips, because another point's defines may enable it.
 *
 * Not modeled: file names that macros form, and the compiler's own headers. */

enum { FILES = 4096 /* more than any kernel includes */, FILE_BYTES = 64 << 20 };

struct reading {
  const char *const *folders;
  struct reads *reads;
  struct text *text;
  char **seen; /* resolved paths */
  size_t count, room;
};

static void add_file(struct reading *reading, const char *path);

static bool seen_before(const struct reading *reading, const char *path) {
  for (size_t i = 0; i < reading->count; i++)
    if (strcmp(reading->seen[i], path) == 0)
      return true;
  return false;
}

/* Searches like the compiler: a name in quotes first beside the file that includes it, then in the folders in order. */
static void add_included(struct reading *reading, const char *from, const char *name, bool quoted) {
  char *path = quoted || *name == '/' ? file_beside(from, name) : NULL;
  for (const char *const *folder = reading->folders; !(path && file_exists(path)) && *folder; folder++) {
    const size_t size = strlen(*folder) + strlen(name) + 2;
    free(path);
    path = need(size, 1);
    snprintf(path, size, "%s/%s", *folder, name);
  }
  if (path && file_exists(path))
    add_file(reading, path);
  free(path);
}

/* Handles `#include "NAME"` or `#include <NAME>`. */
static void read_line(struct reading *reading, const char *from, const char *line) {
  static const char word[] = "include", blanks[] = " \t";
  line += strspn(line, blanks);
  if (*line++ != '#')
    return;
  line += strspn(line, blanks);
  if (strncmp(line, word, strlen(word)) != 0)
    return;
  line += strlen(word);
  line += strspn(line, blanks);
  const size_t length = *line == '"' ? strcspn(line + 1, "\"\n") : *line == '<' ? strcspn(line + 1, ">\n") : 0;
  if (!length || length >= PATH_MAX)
    return;
  char *name = need(length + 1, 1);
  memcpy(name, line + 1, length);
  add_included(reading, from, name, *line == '"');
  free(name);
}

static void add_file(struct reading *reading, const char *path) {
  struct message ignored;
  char *whole = realpath(path, NULL), *data = NULL;
  size_t size = 0;
  if (!whole || reading->count == FILES || seen_before(reading, whole) ||
      !reads_file(reading->reads, path, FILE_BYTES, &data, &size, &ignored)) {
    free(whole);
    return;
  }
  *vector_next(reading->seen, reading->count, reading->room) = whole;
  text_print(reading->text, "%zu\n", size);
  text_add(reading->text, data, size);
  for (const char *line = data; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL)
    read_line(reading, path, line);
  free(data);
}

static void sweep_sources_add(const char *path, const char *const *folders, struct reads *reads, struct text *text) {
  struct reading reading = {.folders = folders, .reads = reads, .text = text};
  add_file(&reading, path);
  for (size_t i = 0; i < reading.count; i++)
    free(reading.seen[i]);
  free(reading.seen);
}

/* ---- machines -------------------------------------------------------------------------------------- */

/* The machine that the plan names, or the launch file's or the recording's, with the settings of that file. */
static bool read_machine(const struct sweep_target *target, const char *word, struct machine *machine,
                         struct message *message) {
  const struct sweep_plan *plan = target->plan;
  const struct job_request request = {
      .machine = {.name = word, .from = plan->file}, .build.reads = target->reads, .machine_only = true};
  struct job job = {0};
  const bool good =
      target->trace ? trace_job_machine(target->trace, plan->trace, &request, &job, message)
                    : launch_read(target->root, target->text, target->length, plan->launch, &request, &job, message);
  if (good)
    *machine = *job.machine;
  job_free(&job);
  return good;
}

static void set_number(const struct sweep_name *name, uint32_t value, struct machine *machine) {
  *param_at(name->group, name->row, machine) = name->number[value];
}

static bool read_base(struct sweep_target *target, const char *word, struct machine *machine, struct message *message) {
  if (!read_machine(target, word, machine, message))
    return false;
  for (size_t i = target->plan->axes; i < target->names; i++)
    if (target->name[i].kind == SWEEP_PARAMETER)
      set_number(&target->name[i], 0, machine);
  return true;
}

static bool read_bases(struct sweep_target *target, struct message *message) {
  const struct sweep_name *name = target->machine < target->names ? &target->name[target->machine] : NULL;
  const size_t count = name ? name->count : 1;
  target->base = need(count, sizeof *target->base);
  for (size_t i = 0; i < count; i++)
    if (!read_base(target, name ? name->value[i] : target->plan->machine, &target->base[i], message))
      return name ? sweep_names_fail(target, name, message) : message_within(message, target->plan->file);
  return true;
}

bool sweep_machine(const struct sweep_target *target, const uint32_t *value, struct machine *machine,
                   struct message *message) {
  *machine = target->base[target->machine < target->plan->axes ? value[target->machine] : 0];
  for (size_t i = 0; i < target->plan->axes; i++)
    if (target->name[i].kind == SWEEP_PARAMETER)
      set_number(&target->name[i], value[i], machine);
  return machine_settle(machine, message);
}

/* Looks up a parameter that is no axis, for constraints and the cost. */
static const char *constant(void *context, const char *machine, const char *name, char nearest[64]) {
  struct sweep_target *target = context;
  const struct param_group *group = NULL;
  const struct param_row *row = param_find(machine_groups, MACHINE_GROUPS, name, &group, nearest);
  size_t base = 0;
  while (machine && strcmp(target->name[target->machine].value[base], machine) != 0)
    base++;
  if (!row)
    return NULL;
  param_text(group, row, &target->base[base], target->constant);
  return target->constant;
}

/* ---- launches -------------------------------------------------------------------------------------- */

static void say_build(const struct sweep_target *target, const uint32_t *value, struct program_build *build) {
  for (size_t i = 0; i < target->defines.count; i++)
    program_say(&build->defines, target->defines.word[i]);
  for (size_t i = 0; i < target->options.count; i++)
    program_say(&build->options, target->options.word[i]);
  for (size_t i = 0; i < target->names; i++) {
    char define[512];
    if (target->name[i].kind != SWEEP_DEFINE)
      continue;
    snprintf(define, sizeof define, "%s=%s", target->name[i].last, sweep_word(target, i, value));
    program_say(&build->defines, define);
  }
}

static bool has_arguments(const struct sweep_target *target) {
  for (size_t i = 0; i < target->names; i++)
    if (target->name[i].argument)
      return true;
  return false;
}

bool sweep_job(const struct sweep_target *target, const uint32_t *value, const struct machine *machine,
               const struct caller *caller, struct job *job, struct message *message) {
  struct job_request request = {.machine.made = machine};
  json_t *changed = has_arguments(target) ? json_deep_copy(target->root) : NULL;
  say_build(target, value, &request.build);
  request.build.reads = job_reads(job, target->reads);
  request.build.caller = caller;
  if (changed)
    sweep_arguments_give(target, value, changed);
  const bool good = launch_read(changed ? changed : target->root, target->text, target->length, target->plan->launch,
                                &request, job, message);
  program_build_free(&request.build);
  json_decref(changed);
  return good;
}

/* ---- functions of points -------------------------------------------------------------------------------- */

/* With defines and arguments, these determine what a point executes: the lanes of a warp, and who copies which bytes.
 * trace_byte_keys adds the rest. */
static const char *const functional_keys[] = {"cu.warp_size", "dma.copy", "dma.lane_bytes"};

static void say_parameter(const char *key, const struct machine *machine, struct text *text) {
  const struct param_group *group = NULL;
  const struct param_row *row = param_find(machine_groups, MACHINE_GROUPS, key, &group, NULL);
  text_print(text, "%s=%u\n", key, param_value(group, row, machine));
}

struct sweep_function sweep_function(const struct sweep_target *target, const uint32_t *value,
                                     const struct machine *machine) {
  struct text text = {0};
  for (size_t i = 0; i < target->plan->axes; i++)
    if (target->name[i].kind == SWEEP_DEFINE || target->name[i].kind == SWEEP_ARGUMENT)
      text_print(&text, "%zu=%u\n", i, value[i]);
  for (size_t i = 0; i < sizeof functional_keys / sizeof *functional_keys; i++)
    say_parameter(functional_keys[i], machine, &text);
  for (size_t i = 0; i < TRACE_BYTE_KEYS; i++)
    say_parameter(trace_byte_keys[i], machine, &text);
  const XXH128_hash_t hash = XXH3_128bits(text.data, text.length);
  free(text.data);
  return (struct sweep_function){hash.high64, hash.low64};
}

/* ---- hashes ------------------------------------------------------------------------------------------- */

static void say_hash(XXH128_hash_t hash, char text[33]) {
  snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

void sweep_hash(const void *data, size_t size, char text[33]) { say_hash(XXH3_128bits(data, size), text); }

/* Folders that the launch file and the plan search for includes. */
static struct program_words include_folders(const struct sweep_target *target) {
  const struct sweep_plan *plan = target->plan;
  const json_t *list = json_object_get(json_object_get(target->root, "build"), "include");
  struct program_words folders = {0};
  for (size_t i = 0; i < json_array_size(list); i++) {
    char *folder = file_beside(plan->launch, json_string_value(json_array_get(list, i)));
    program_say(&folders, folder);
    free(folder);
  }
  for (size_t i = 0; i < target->options.count; i++)
    if (strncmp(target->options.word[i], "-I", 2) == 0)
      program_say(&folders, target->options.word[i] + 2);
  return folders;
}

/* For OpenCL C this hashes the SPIR-V of one point, and the source of all. */
static void hash_compiled(struct sweep_target *target, const struct program *program) {
  struct program_words folders = include_folders(target);
  struct text text = {0};
  text_add(&text, (const char *)program->spirv, program->spirv_bytes);
  if (program_is_opencl(program->path))
    sweep_sources_add(program->path, folders.word ? folders.word : (const char *const[]){NULL}, target->reads, &text);
  sweep_hash(text.data, text.length, target->program_hash);
  free(text.data);
  program_words_free(&folders);
}

static bool hash_program(struct sweep_target *target, const struct job *job, struct message *message) {
  char *data = NULL;
  size_t size = 0;
  if (job->program.spirv) {
    hash_compiled(target, &job->program);
    return true;
  }
  const bool good = file_read(job->program.path, JOB_FILE_BYTES, &data, &size, message);
  if (good)
    sweep_hash(data, size, target->program_hash);
  free(data);
  return good;
}

static void hash_data(struct sweep_target *target, const struct job *job) {
  XXH128_hash_t hash = {0};
  for (size_t i = 0; i < job->memory.count; i++) {
    const struct isa_buffer *buffer = &job->memory.buffers[i];
    hash = XXH3_128bits_withSeed(buffer->data, buffer->bytes, hash.low64 ^ buffer->base);
  }
  say_hash(hash, target->data_hash);
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool read_launch_file(struct sweep_target *target, struct message *message) {
  const char *path = target->plan->launch;
  if (!reads_is_named(path, ".json"))
    return message_fail(message, "%.300s: is not a launch file: its name must end in .json", path);
  if (!reads_file(target->reads, path, JOB_FILE_BYTES, &target->text, &target->length, message))
    return false;
  const struct document document = {path, target->text, target->length, message};
  target->root = json_read(&document);
  return target->root;
}

/* Hashes a file in pieces, because it may be larger than memory. */
static bool hash_file(const char *path, char text[33], struct message *message) {
  FILE *file = fopen(path, "rbe");
  XXH3_state_t *state = XXH3_createState();
  char *piece = need(PIECE, 1);
  size_t got = 0;
  XXH3_128bits_reset(state);
  while (file && (got = fread(piece, 1, PIECE, file)) > 0)
    XXH3_128bits_update(state, piece, got);
  const bool good = file && !ferror(file);
  if (!good)
    message_fail(message, "%.300s: %s", path, text_errno(errno));
  say_hash(XXH3_128bits_digest(state), text);
  XXH3_freeState(state);
  free(piece);
  if (file)
    fclose(file);
  return good;
}

static bool read_trace(struct sweep_target *target, struct message *message) {
  const struct job_request request = {.build = {.reads = target->reads}};
  const char *path = target->plan->trace;
  if (!reads_is_named(path, ".wwt"))
    return message_fail(message, "%.300s: is not a trace: its name must end in .wwt", path);
  if (!reads_plain(target->reads, path, message))
    return false;
  target->trace = trace_open(path, TRACE_WHOLE, message);
  if (!target->trace || !trace_job_read(target->trace, path, &request, &target->recorded, &target->max_cycles, message))
    return false;
  target->launches = target->recorded.launch_count;
  return hash_file(path, target->program_hash, message);
}

/* A sweep over a define that the program does not use would give the same cycles for each value. */
static void report_unused_defines(const struct sweep_target *target, const struct job *job,
                                  const struct caller *caller) {
  struct program_words axes = {0};
  for (size_t i = 0; i < target->names; i++)
    if (target->name[i].kind == SWEEP_DEFINE)
      program_say(&axes, target->name[i].last);
  program_report_unmentioned(&job->program, &axes, &job->build.defines, caller);
  program_words_free(&axes);
}

/* Makes the job of one point, to hash the program and data and to resolve arguments. Tries several points, because some
 * may not be legal. */
static bool look_at_job(struct sweep_target *target, const struct caller *caller, struct message *message) {
  enum { POINTS = 64 };
  uint32_t value[PLAN_AXES];
  struct message first = {""}, next;
  int tried = 0;
  for (uint64_t i = 0; i < target->plan->points && tried < POINTS; i++) {
    struct machine machine;
    struct job job = {0};
    if (!plan_point(target->plan, i, value))
      continue;
    tried++;
    const bool made =
        sweep_machine(target, value, &machine, &next) && sweep_job(target, value, &machine, caller, &job, &next);
    reads_take(target->reads, &job.reads);
    if (!made) {
      first = *first.text ? first : next;
      job_free(&job);
      continue;
    }
    const bool good = hash_program(target, &job, message) && sweep_arguments_find(target, &job, message);
    hash_data(target, &job);
    report_unused_defines(target, &job, caller);
    job_free(&job);
    return good;
  }
  return message_fail(message, "%s", tried ? first.text : "the constraints leave no point");
}

/* A plan's -DNAME=VALUE is handled like the launch file's defines, which would otherwise override it. */
static bool read_build(struct sweep_target *target, struct message *message) {
  const struct sweep_plan *plan = target->plan;
  struct program_words words = {0}, options = {0};
  for (size_t i = 0; i < plan->build_count; i++)
    program_say(&words, plan->builds[i]);
  const bool good = program_say_options(&options, &words, plan->file, message);
  for (size_t i = 0; i < options.count; i++)
    if (strncmp(options.word[i], "-D", 2) == 0)
      program_say(&target->defines, options.word[i] + 2);
    else
      program_say(&target->options, options.word[i]);
  program_words_free(&words);
  program_words_free(&options);
  return good;
}

bool sweep_target_open(struct sweep_target *target, struct sweep_plan *plan, struct reads *reads,
                       const struct caller *caller, struct message *message) {
  *target = (struct sweep_target){.plan = plan, .reads = reads};
  if (!read_build(target, message) ||
      !(plan->trace ? read_trace(target, message) : read_launch_file(target, message)) ||
      !sweep_names_read(target, message) || !read_bases(target, message))
    return false;
  return plan_settle(plan, constant, target, message) && (plan->trace || look_at_job(target, caller, message));
}

void sweep_target_close(struct sweep_target *target) {
  job_free(&target->recorded);
  if (target->trace)
    trace_close(target->trace);
  sweep_names_free(target);
  json_decref(target->root);
  program_words_free(&target->defines);
  program_words_free(&target->options);
  free(target->base);
  free(target->text);
  *target = (struct sweep_target){0};
}
