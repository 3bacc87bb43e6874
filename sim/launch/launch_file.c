#include "sim/launch/launch_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/base/text.h"
#include "sim/launch/launch_file_parts.h"
#include "sim/launch/machines.h"

bool launch_refuse(struct launch_reader *reader, const struct place *place) {
  struct message inner = *reader->document.message;
  return json_fail(&reader->document, place, "%s", inner.text);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool add_word(struct launch_reader *reader, const struct place *place, const json_t *value, struct text *words) {
  const char *word = json_is_string(value) ? json_word(&reader->document, place, value) : NULL;
  if (json_is_integer(value))
    text_print(words, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else if (json_is_real(value))
    text_print(words, "%.17g", json_real_value(value));
  else if (word)
    text_print(words, "%s", word);
  else
    return !json_is_string(value) && json_fail(&reader->document, place, "is neither a number nor a string with one");
  return true;
}

bool launch_words(struct launch_reader *reader, const struct place *place, const json_t *value, struct text *words) {
  if (!json_is_array(value))
    return add_word(reader, place, value, words);
  text_print(words, "%s", "");
  for (size_t i = 0; i < json_array_size(value); i++) {
    text_print(words, "%s", i ? "," : "");
    if (!add_word(reader, &(struct place){place, NULL, i}, json_array_get(value, i), words))
      return false;
  }
  return true;
}

bool launch_find(struct launch_reader *reader, const struct place *place, const json_t *value, launch_finder *find,
                 size_t *number) {
  const char *name = json_word(&reader->document, place, value);
  return name && (find(reader->job, name, number, reader->document.message) || launch_refuse(reader, place));
}

bool launch_type(struct launch_reader *reader, const struct place *place, const json_t *value, struct type *type) {
  const char *name = json_word(&reader->document, place, value);
  if (!name)
    return false;
  if (type_find(name, type))
    return true;
  type_refuse(name, reader->document.message);
  return launch_refuse(reader, place);
}

bool launch_file(struct launch_reader *reader, const struct place *place, const char *name, char **data, size_t *size) {
  struct message *message = reader->document.message;
  struct reads *reads = reader->request->build.reads;
  char *path = file_beside(reader->job->file, name);
  *data = NULL;
  const bool good = reads && reads->listed ? reads_allow(reads, path, message)
                                           : reads_file(reads, path, need_size(JOB_MEMORY_BYTES), data, size, message);
  free(path);
  return good || launch_refuse(reader, place);
}

bool launch_bytes(struct launch_reader *reader, const struct place *place, const json_t *name, uint64_t bytes,
                  uint8_t **data) {
  const char *word = json_word(&reader->document, place, name);
  if (!word)
    return false;
  char *raw = NULL;
  size_t size = 0;
  *data = NULL;
  if (!launch_file(reader, place, word, &raw, &size))
    return false;
  *data = (uint8_t *)raw;
  if (size == bytes || !raw)
    return true;
  free(raw);
  *data = NULL;
  return json_fail(&reader->document, place, "'%.200s' has %zu bytes, not the buffer's %" PRIu64, word, size, bytes);
}

/* ---- the small sections ------------------------------------------------------------------------ */

/* The default program is kernel.cl beside the launch file, else kernel.wws. */
static const char *usual_program(const struct launch_reader *reader) {
  static const char *const names[] = {"kernel.cl", "kernel.wws"};
  for (size_t i = 0; i < COUNT(names); i++) {
    char *path = file_beside(reader->job->file, names[i]);
    bool found = file_exists(path);
    free(path);
    if (found)
      return names[i];
  }
  return NULL;
}

/* Does the error text contain a word of the command line? */
static bool names_any(const char *text, const struct program_words *words) {
  for (size_t i = 0; i < words->count; i++)
    if (strstr(text, words->word[i]))
      return true;
  return false;
}

/* Blames the file's `build`, or the option of the command line, which is applied later and overrides the file. */
static bool refuse_build(struct launch_reader *reader, const json_t *root) {
  static const char *const keys[] = {
      [OPENCL_STANDARD] = "std", [OPENCL_EXTENSIONS] = "extensions", [OPENCL_OPTIONS] = "options"};
  enum opencl_part part = reader->job->program.blamed;
  const struct place build = {NULL, "build", 0}, key = {&build, part == OPENCL_WORDS ? NULL : keys[part], 0};
  const struct program_build *asked = &reader->request->build;
  const json_t *ours = json_object_get(root, "build");
  bool theirs =
      part == OPENCL_STANDARD ? asked->standard != NULL : names_any(reader->document.message->text, &asked->options);
  if (part == OPENCL_OPTIONS)
    ours = json_object_get(ours, key.key);
  if (ours && !theirs)
    return launch_refuse(reader, part == OPENCL_WORDS ? &build : &key);
  return message_within(reader->document.message, program_option(part));
}

static bool read_program(struct launch_reader *reader, const json_t *root) {
  const struct place place = {NULL, "program", 0};
  const json_t *value = json_object_get(root, "program");
  struct job *job = reader->job;
  if (!value && reader->request->program) {
    job->program = (struct program){.isa = reader->request->program, .path = need_copy(job->file)};
    return true;
  }
  const char *name = value ? json_word(&reader->document, &place, value) : usual_program(reader);
  if (!name && !value)
    return json_fail(&reader->document, NULL,
                     "'program' is missing, and there is no kernel.cl or kernel.wws beside this file; legal: " PROGRAM_LEGAL);
  if (!name)
    return false;
  program_build_add(&job->build, &reader->request->build);
  char *path = file_beside(job->file, name);
  bool inside = false, good = program_load(&job->program, path, &job->build, &inside, reader->document.message);
  free(path);
  if (!good && job->program.blamed != OPENCL_SOURCE)
    return refuse_build(reader, root);
  return good || inside ? good : launch_refuse(reader, &place);
}

/* Removes the key, which the place already names. */
static const char *without_key(const char *text, const char *key) {
  size_t length = strlen(key);
  return strncmp(text, key, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

static bool read_set(struct launch_reader *reader, const json_t *set) {
  const struct place all = {NULL, "set", 0};
  if (!json_is(&reader->document, &all, set, JSON_OBJECT))
    return false;
  for (void *it = json_object_iter((json_t *)set); it; it = json_object_iter_next((json_t *)set, it)) {
    const struct place place = {&all, json_object_iter_key(it), 0};
    const json_t *value = json_object_iter_value(it);
    char number[32];
    struct message why;
    snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    const char *word = json_is_string(value) ? json_word(&reader->document, &place, value) : number;
    if (!json_is_string(value) && !json_is_integer(value))
      return json_fail(&reader->document, &place, "is neither a whole number nor a string");
    if (!word)
      return false;
    if (!machine_put(reader->job->machine, place.key, word, &why))
      return json_fail(&reader->document, &place, "%s", without_key(why.text, place.key));
    job_say_set(reader->job, place.key, word);
  }
  return true;
}

/* A machine of the request replaces the file's; the file's `set` applies to either, unless the request has the machine
 * itself. */
static bool read_machine(struct launch_reader *reader, const json_t *root) {
  const struct place place = {NULL, "machine", 0};
  const json_t *value = json_object_get(root, "machine"), *set = json_object_get(root, "set");
  const struct machine_request *request = &reader->request->machine;
  struct job *job = reader->job;
  struct message *message = reader->document.message;
  const char *theirs = value && !request->made ? json_word(&reader->document, &place, value) : NULL;
  if (value && !request->made && !theirs)
    return false;
  struct machine machine;
  if (!machine_choose(request, theirs, job->file, reader->request->build.reads, &machine, message))
    return !request->name && launch_refuse(reader, &place);
  job_set_machine(job, &machine, &machine);
  return (!set || request->made || read_set(reader, set)) && machine_adjust(request, job->machine, message);
}

static bool refuse_unsupported(struct launch_reader *reader, const json_t *root) {
  const struct place build = {NULL, "build", 0};
  const char *program = json_string_value(json_object_get(root, "program"));
  if (!program)
    program = reader->request->program ? "program.wws" : usual_program(reader);
  const enum program_language language = program ? program_language(program) : PROGRAM_LANGUAGES;
  if (json_object_get(root, "build") && (language == PROGRAM_ASSEMBLY || language == PROGRAM_OBJECT))
    return json_fail(&reader->document, &build, "is only for OpenCL C, which '%.60s' is not", program);
  return true;
}

/* ---- launch files ----------------------------------------------------------------------------- */

static bool read_name(struct launch_reader *reader, const json_t *root) {
  const json_t *name = json_object_get(root, "name");
  const char *word = name ? json_word(&reader->document, &(struct place){NULL, "name", 0}, name) : NULL;
  if (word)
    reader->job->name = need_copy(word);
  return word || !name;
}

typedef bool section_reader(struct launch_reader *reader, const struct place *place, const json_t *value);

static bool read_section(struct launch_reader *reader, const json_t *root, const char *key, section_reader *read) {
  const json_t *value = json_object_get(root, key);
  const struct place place = {NULL, key, 0};
  return !value || read(reader, &place, value);
}

/* A section with named objects. */
static bool read_objects(struct launch_reader *reader, const json_t *root, const char *key, section_reader *read) {
  const struct place all = {NULL, key, 0};
  json_t *objects = json_object_get(root, key);
  if (objects && !json_is(&reader->document, &all, objects, JSON_OBJECT))
    return false;
  for (void *it = json_object_iter(objects); it; it = json_object_iter_next(objects, it))
    if (!read(reader, &(struct place){&all, json_object_iter_key(it), 0}, json_object_iter_value(it)))
      return false;
  return true;
}

static bool read_root(struct launch_reader *reader, const json_t *root) {
  static const char *const keys[] = {"name",   "program",  "build", "machine",          "set", "buffers", "pipes",
                                     "images", "launches", "check", "expect_diagnostic"};
  if (!json_keys(&reader->document, NULL, root, keys, COUNT(keys)))
    return false;
  if (reader->request->machine_only)
    return read_machine(reader, root);
  if (!json_object_get(root, "launches"))
    return json_fail(&reader->document, NULL, "'launches' is missing: the list of what to run");
  const bool made = read_name(reader, root) && refuse_unsupported(reader, root) && read_machine(reader, root) &&
                    read_section(reader, root, "build", launch_build) && read_program(reader, root);
  if (!made || reader->request->program_only)
    return made;
  return read_objects(reader, root, "buffers", launch_buffer) && read_objects(reader, root, "pipes", launch_pipe) &&
         read_objects(reader, root, "images", launch_image) &&
         read_section(reader, root, "launches", launch_launches) &&
         read_section(reader, root, "check", launch_checks) &&
         read_section(reader, root, "expect_diagnostic", launch_diagnostics);
}

bool launch_read(const json_t *root, const char *text, size_t length, const char *path,
                 const struct job_request *request, struct job *job, struct message *message) {
  struct launch_reader reader = {{path, text, length, message}, request, job};
  job->file = need_copy(path);
  job->change = request->change;
  return read_root(&reader, root);
}

bool launch_parse(const char *text, size_t length, const char *path, const struct job_request *request, struct job *job,
                  struct message *message) {
  const struct document document = {path, text, length, message};
  json_t *root = json_read(&document);
  bool good = root && launch_read(root, text, length, path, request, job, message);
  json_decref(root);
  return good;
}

bool launch_load(const char *path, const struct job_request *request, struct job *job, struct message *message) {
  char *text = NULL;
  size_t length = 0;
  if (!file_read(path, JOB_FILE_BYTES, &text, &length, message))
    return false;
  char *before = reads_begin(request->build.reads, path);
  bool good = launch_parse(text, length, path, request, job, message);
  reads_end(request->build.reads, before);
  free(text);
  return good;
}

bool launch_program(const char *path, const struct program_build *build, struct job *job, struct message *message) {
  bool inside = false;
  for (size_t i = 0; i < build->includes.count; i++)
    reads_folder(build->reads, build->includes.word[i]);
  if (strcmp(file_extension(path), ".json") == 0)
    return launch_load(path, &(struct job_request){.build = *build, .program_only = true}, job, message);
  char *before = reads_begin(build->reads, path);
  const bool good = program_load(&job->program, path, build, &inside, message);
  reads_end(build->reads, before);
  return good || (job->program.blamed != OPENCL_SOURCE && message_within(message, program_option(job->program.blamed)));
}
