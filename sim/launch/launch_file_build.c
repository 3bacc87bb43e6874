/* A launch file's `build`: how to compile its OpenCL C. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/launch/launch_file_parts.h"

/* Text that becomes an option of clang must be exactly one option. */
static bool option_good(struct launch_reader *reader, const struct place *place, const char *option,
                        const char *value) {
  char why[OPENCL_WHY];
  return opencl_option_good(option, value, why, sizeof why) || json_fail(&reader->document, place, "%s", why);
}

/* A value of `defines`: a string, a number or true. An empty string defines the name as empty; true is -DNAME. */
static bool read_define(struct launch_reader *reader, const struct place *place, const json_t *value,
                        struct program_words *defines) {
  char number[40] = "", *word = NULL;
  if (json_is_integer(value))
    snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else if (json_is_real(value))
    snprintf(number, sizeof number, "%.17g", json_real_value(value));
  else if (json_is_string(value) && !json_word(&reader->document, place, value))
    return false;
  else if (!json_is_string(value) && !json_is_true(value))
    return json_fail(&reader->document, place, "is not a string, a number or true");
  const char *text = json_is_string(value) ? json_string_value(value) : number;
  bool alone = json_is_true(value);
  size_t size = strlen(place->key) + strlen(text) + 2;
  word = need(size, 1);
  snprintf(word, size, "%s%s%s", place->key, alone ? "" : "=", text);
  const bool good = option_good(reader, place, "-D", word);
  if (good)
    program_say(defines, word);
  free(word);
  return good;
}

static bool read_defines(struct launch_reader *reader, const struct place *place, const json_t *object,
                         struct program_build *build) {
  if (!json_is(&reader->document, place, object, JSON_OBJECT))
    return false;
  for (void *it = json_object_iter((json_t *)object); it; it = json_object_iter_next((json_t *)object, it))
    if (!read_define(reader, &(struct place){place, json_object_iter_key(it), 0}, json_object_iter_value(it),
                     &build->defines))
      return false;
  return true;
}

/* Calls `say` for each string of a list. */
static bool read_words(struct launch_reader *reader, const struct place *place, const json_t *list,
                       struct program_words *words,
                       bool (*say)(struct launch_reader *reader, const struct place *place, struct program_words *words,
                                   const char *word)) {
  if (!json_is(&reader->document, place, list, JSON_ARRAY))
    return false;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct place at = {place, NULL, i};
    const char *word = json_word(&reader->document, &at, json_array_get(list, i));
    if (!word || !say(reader, &at, words, word))
      return false;
  }
  return true;
}

static bool say_word(struct launch_reader *reader, const struct place *place, struct program_words *words,
                     const char *word) {
  (void)reader;
  (void)place;
  program_say(words, word);
  return true;
}

/* Folders are relative to the launch file. */
static bool say_folder(struct launch_reader *reader, const struct place *place, struct program_words *words,
                       const char *word) {
  if (!option_good(reader, place, "-I", word))
    return false;
  char *path = file_beside(reader->job->file, word);
  program_say(words, path);
  free(path);
  return true;
}

static bool read_standard(struct launch_reader *reader, const struct place *place, const json_t *value,
                          struct program_build *build) {
  const char *word = json_word(&reader->document, place, value);
  if (!word || !option_good(reader, place, "-cl-std=", word))
    return false;
  build->standard = need_copy(word);
  return true;
}

static bool read_includes(struct launch_reader *reader, const struct place *place, const json_t *value,
                          struct program_build *build) {
  return read_words(reader, place, value, &build->includes, say_folder);
}

static bool read_extensions(struct launch_reader *reader, const struct place *place, const json_t *value,
                            struct program_build *build) {
  return read_words(reader, place, value, &build->extensions, say_word);
}

static bool split_text(struct launch_reader *reader, const struct place *place, const json_t *value,
                       struct program_words *words) {
  const char *text = json_word(&reader->document, place, value);
  return text && (program_say_text(words, text) || json_fail(&reader->document, place, "a quote is not closed"));
}

/* These are checked before the command line's are added, so that an error names the right source. */
static bool read_options(struct launch_reader *reader, const struct place *place, const json_t *value,
                         struct program_build *build) {
  struct program_words words = {0};
  bool good = json_is_string(value) ? split_text(reader, place, value, &words)
                                    : read_words(reader, place, value, &words, say_word);
  if (good && !program_say_options(&build->options, &words, reader->job->file, reader->document.message))
    good = launch_refuse(reader, place);
  program_words_free(&words);
  return good;
}

static bool read_copies(struct launch_reader *reader, const struct place *place, const json_t *value,
                        struct program_build *build) {
  const char *word = json_word(&reader->document, place, value);
  if (!word)
    return false;
  return program_copies(word, build, reader->document.message) ? true : launch_refuse(reader, place);
}

static bool read_registers(struct launch_reader *reader, const struct place *place, const json_t *value,
                           struct program_build *build) {
  uint64_t number = 0;
  if (!json_whole(&reader->document, place, value, PROGRAM_LEAST_REGISTERS, PROGRAM_MOST_REGISTERS, "registers a lane",
                  &number))
    return false;
  build->registers = (uint32_t)number;
  return true;
}

static bool read_optimize(struct launch_reader *reader, const struct place *place, const json_t *value,
                          struct program_build *build) {
  uint64_t number = 0;
  if (!json_whole(&reader->document, place, value, 0, OPENCL_LEVELS - 1, "", &number))
    return false;
  build->optimize = (unsigned)number;
  build->optimize_said = true;
  return true;
}

static bool say_pass(struct launch_reader *reader, const struct place *place, struct program_words *words,
                     const char *word) {
  (void)words;
  return program_without(word, &reader->job->build, reader->document.message) || launch_refuse(reader, place);
}

static bool read_without(struct launch_reader *reader, const struct place *place, const json_t *value,
                         struct program_build *build) {
  (void)build;
  return read_words(reader, place, value, NULL, say_pass);
}

static const struct {
  const char *key;
  bool (*read)(struct launch_reader *reader, const struct place *place, const json_t *value,
               struct program_build *build);
} keys[] = {
    {"std", read_standard},          {"defines", read_defines},   {"include", read_includes},
    {"extensions", read_extensions}, {"options", read_options},   {"copies", read_copies},
    {"registers", read_registers},   {"optimize", read_optimize}, {"without", read_without},
};

bool launch_build(struct launch_reader *reader, const struct place *place, const json_t *object) {
  const char *names[COUNT(keys)];
  for (size_t i = 0; i < COUNT(keys); i++)
    names[i] = keys[i].key;
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, names, COUNT(keys)))
    return false;
  for (size_t i = 0; i < COUNT(keys); i++) {
    const json_t *value = json_object_get(object, keys[i].key);
    if (value && !keys[i].read(reader, &(struct place){place, keys[i].key, 0}, value, &reader->job->build))
      return false;
  }
  return true;
}
