#include "tools/timeline/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

static const char *word(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static uint64_t number(const json_t *object, const char *key) {
  const json_int_t value = json_integer_value(json_object_get(object, key));
  return value > 0 ? (uint64_t)value : 0;
}

static void read_stalls(struct timeline_run *run) {
  const json_t *stalls = json_object_get(run->root, "stalls");
  run->stalls = json_array_size(stalls);
  run->stall = need(run->stalls + 1, sizeof *run->stall);
  for (size_t i = 0; i < run->stalls; i++)
    run->stall[i] = word(json_array_get(stalls, i), "name");
}

static void read_programs(struct timeline_run *run) {
  const json_t *programs = json_object_get(run->root, "programs");
  run->programs = json_array_size(programs);
  run->program = need(run->programs + 1, sizeof *run->program);
  for (size_t i = 0; i < run->programs; i++) {
    const json_t *codes = json_object_get(json_array_get(programs, i), "code");
    const size_t count = json_array_size(codes);
    run->program[i] = need(count + 1, sizeof **run->program);
    for (size_t pc = 0; pc < count; pc++) {
      const json_t *code = json_array_get(codes, pc);
      run->program[i][pc] =
          (struct timeline_code){word(code, "text"), word(code, "file"), (uint32_t)number(code, "line")};
    }
  }
}

static void read_launches(struct timeline_run *run) {
  const json_t *launches = json_object_get(run->root, "launches"), *programs = json_object_get(run->root, "programs");
  run->launches = json_array_size(launches);
  run->launch = need(run->launches + 1, sizeof *run->launch);
  for (size_t i = 0; i < run->launches; i++) {
    const json_t *launch = json_array_get(launches, i);
    const size_t program = need_size(number(launch, "program"));
    run->launch[i] = (struct timeline_launch){
        .kernel = word(launch, "kernel"), .start = number(launch, "start"), .cycles = number(launch, "cycles")};
    if (program < run->programs) {
      run->launch[i].code = run->program[program];
      run->launch[i].codes = (uint32_t)json_array_size(json_object_get(json_array_get(programs, program), "code"));
    }
  }
}

bool timeline_run_read(struct timeline_file *file, struct timeline_run *run, struct message *message) {
  json_error_t error;
  size_t size = 0;
  const char *text = timeline_meta(file, "run", &size);
  *run = (struct timeline_run){0};
  if (!text)
    return message_fail(message, "the timeline has no meta 'run', which says what ran");
  run->root = json_loadb(text, size, 0, &error);
  if (!json_is_object(run->root))
    return message_fail(message, "the timeline's meta 'run': %s", run->root ? "not an object" : error.text);
  run->version = word(run->root, "version");
  run->machine = word(json_object_get(run->root, "machine"), "name");
  read_stalls(run);
  read_programs(run);
  read_launches(run);
  return true;
}

void timeline_run_free(struct timeline_run *run) {
  for (size_t i = 0; i < run->programs; i++)
    free(run->program[i]);
  free(run->program);
  free(run->launch);
  free(run->stall);
  json_decref(run->root);
}

const char *timeline_run_stall(const struct timeline_run *run, uint64_t stall) {
  return stall < run->stalls ? run->stall[stall] : "";
}

const struct timeline_code *timeline_run_code(const struct timeline_run *run, uint64_t launch, uint64_t pc) {
  static const struct timeline_code none = {"", "", 0};
  return launch < run->launches && pc < run->launch[launch].codes ? &run->launch[launch].code[pc] : &none;
}

uint64_t timeline_run_parameter(const struct timeline_run *run, const char *name) {
  return number(json_object_get(json_object_get(run->root, "machine"), "parameters"), name);
}

/* ---- values of events as text ---- */

bool timeline_word(const char *words, uint64_t value, char text[TIMELINE_VALUE]) {
  for (; value && (words = strchr(words, '|')); value--)
    words++;
  snprintf(text, TIMELINE_VALUE, "%.*s", words ? (int)strcspn(words, "|") : 0, words ? words : "");
  return words;
}

const char *timeline_value(const struct timeline_run *run, const struct timeline_event *event, unsigned field,
                           char text[TIMELINE_VALUE]) {
  const char *type = timeline_kind_rows[event->kind].field[field].type;
  const uint64_t value = event->field[field];
  if (strcmp(type, "stall") == 0 && *timeline_run_stall(run, value))
    return timeline_run_stall(run, value);
  if (strchr(type, '|') && timeline_word(type, value, text))
    return text;
  const bool hex = strcmp(type, "mask") == 0 || strcmp(type, "address") == 0;
  snprintf(text, TIMELINE_VALUE, hex ? "0x%" PRIx64 : "%" PRIu64, value);
  return text;
}

const struct timeline_code *timeline_code_of(const struct timeline_run *run, const struct timeline_event *event) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  const uint64_t *pc = NULL, *launch = NULL;
  for (unsigned i = 0; i < row->fields; i++) {
    if (strcmp(row->field[i].type, "pc") == 0)
      pc = &event->field[i];
    if (strcmp(row->field[i].name, "launch") == 0)
      launch = &event->field[i];
  }
  const struct timeline_code *code = pc && launch ? timeline_run_code(run, *launch, *pc) : NULL;
  return code && *code->text ? code : NULL;
}
