#include "tools/sweep/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/launch/machines.h"

bool sweep_names_fail(const struct sweep_target *target, const struct sweep_name *name, struct message *message) {
  char place[400];
  snprintf(place, sizeof place, "%.250s:%d: %.100s", target->plan->file, name->line, name->name);
  return message_within(message, place);
}

/* ---- kinds of names ---------------------------------------------------------------------------- */

static bool is_identifier(const char *word) {
  if (!isalpha((unsigned char)*word) && *word != '_')
    return false;
  while (isalnum((unsigned char)*word) || *word == '_')
    word++;
  return !*word;
}

static bool read_define(struct sweep_name *name, struct message *message) {
  name->kind = SWEEP_DEFINE;
  name->last = strchr(name->name, '.') + 1;
  return is_identifier(name->last) || message_fail(message, "'%.60s' is not the name of a macro", name->last);
}

/* "arg.NAME" or "launch.2.arg.NAME". */
static bool read_argument(struct sweep_name *name, struct message *message) {
  const char *rest = name->name;
  name->kind = SWEEP_ARGUMENT;
  if (strncmp(rest, "launch.", 7) == 0) {
    char *end = NULL;
    name->launch = isdigit((unsigned char)rest[7]) ? strtoul(rest + 7, &end, 10) : 0;
    if (!name->launch || *end != '.' || strncmp(end, ".arg.", 5) != 0)
      return message_fail(message, "is not launch.NUMBER.arg.NAME; launches are counted from 1");
    rest = end + 1;
  }
  name->last = rest + 4;
  return *name->last || message_fail(message, "names no argument");
}

void sweep_name_nearest(const char *name, char nearest[64]) {
  const char *last = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
  char parameter[64], define[64], argument[64];
  param_find(machine_groups, MACHINE_GROUPS, name, NULL, parameter);
  snprintf(define, sizeof define, "define.%s", last);
  snprintf(argument, sizeof argument, "arg.%s", last);
  const char *const words[] = {"machine", define, argument, parameter};
  const char *near = nearest_word(name, words, sizeof words / sizeof *words, sizeof *words);
  memmove(nearest, near ? near : parameter, strlen(near ? near : parameter) + 1);
}

static bool read_parameter(struct sweep_name *name, struct message *message) {
  struct machine machine;
  char nearest[64], hint[MESSAGE_HINT];
  name->kind = SWEEP_PARAMETER;
  name->row = param_find(machine_groups, MACHINE_GROUPS, name->name, &name->group, NULL);
  if (!name->row) {
    sweep_name_nearest(name->name, nearest);
    return message_fail(message,
                        "not a parameter of a machine%s; also legal: machine, define.NAME, arg.NAME, "
                        "launch.NUMBER.arg.NAME",
                        message_hint(hint, nearest));
  }
  name->number = need(name->count, sizeof *name->number);
  for (size_t i = 0; i < name->count; i++) {
    if (!machine_put(&machine, name->name, name->value[i], message))
      return false;
    name->number[i] = param_value(name->group, name->row, &machine);
  }
  return true;
}

static bool read_name(struct sweep_target *target, struct sweep_name *name, struct message *message) {
  const bool define = strncmp(name->name, "define.", 7) == 0;
  const bool argument = strncmp(name->name, "arg.", 4) == 0 || strncmp(name->name, "launch.", 7) == 0;
  if ((define || argument) && target->trace)
    return message_fail(message, "a trace has its program and arguments already; only a launch file can vary them");
  if (define)
    return read_define(name, message);
  if (argument)
    return read_argument(name, message);
  if (strcmp(name->name, "machine") != 0)
    return read_parameter(name, message);
  name->kind = SWEEP_MACHINE;
  return true;
}

/* Adds the place. The message of a parameter already begins with its name. */
static bool add_place(const struct sweep_target *target, const struct sweep_name *name, struct message *message) {
  const size_t length = strlen(name->name);
  char place[300];
  if (strncmp(message->text, name->name, length) != 0 || message->text[length] != ':')
    return sweep_names_fail(target, name, message);
  snprintf(place, sizeof place, "%.250s:%d", target->plan->file, name->line);
  return message_within(message, place);
}

bool sweep_names_read(struct sweep_target *target, struct message *message) {
  const struct sweep_plan *plan = target->plan;
  target->name = need(plan->axes + plan->setting_count, sizeof *target->name);
  for (size_t i = 0; i < plan->axes; i++)
    target->name[target->names++] = (struct sweep_name){.name = plan->axis[i].name,
                                                        .value = plan->axis[i].value,
                                                        .count = plan->axis[i].count,
                                                        .line = plan->axis[i].line};
  for (size_t i = 0; i < plan->setting_count; i++)
    target->name[target->names++] = (struct sweep_name){
        .name = plan->settings[i].name, .value = &plan->settings[i].value, .count = 1, .line = plan->settings[i].line};
  target->machine = target->names;
  for (size_t i = 0; i < target->names; i++) {
    if (!read_name(target, &target->name[i], message))
      return add_place(target, &target->name[i], message);
    if (target->name[i].kind == SWEEP_MACHINE)
      target->machine = i;
  }
  return true;
}

void sweep_names_free(struct sweep_target *target) {
  for (size_t i = 0; i < target->names; i++) {
    free(target->name[i].number);
    free(target->name[i].argument);
  }
  free(target->name);
}

/* ---- arguments ------------------------------------------------------------------------------------- */

json_t *sweep_launch_of(const json_t *root, size_t number) {
  const json_t *list = json_object_get(root, "launches");
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_t *entry = json_array_get(list, i);
    const json_t *together = json_object_get(entry, "together");
    const size_t count = together ? json_array_size(together) : 1;
    if (number < count)
      return together ? json_array_get(together, number) : entry;
    number -= count;
  }
  return NULL;
}

/* The index of the argument of that name, or of that number, counted from 1; negative when there is none. */
static int32_t find_argument(const struct isa_kernel *kernel, const char *name) {
  char *end = NULL;
  const unsigned long number = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;
  if (number && !*end)
    return number <= kernel->arg_count ? (int32_t)number - 1 : -1;
  for (size_t i = 0; i < kernel->arg_count; i++)
    if (strcmp(kernel->args[i].name, name) == 0)
      return (int32_t)i;
  return -1;
}

static bool fail_unknown(const struct sweep_name *name, const struct job *job, struct message *message) {
  const char **names = NULL;
  size_t count = 0, room = 0;
  char hint[400];
  for (size_t i = 0; i < job->launch_count; i++)
    for (size_t j = 0; j < job->launches[i].isa.kernel->arg_count; j++) {
      const char *argument = job->launches[i].isa.kernel->args[j].name;
      size_t same = 0;
      while (same < count && strcmp(names[same], argument) != 0)
        same++;
      if (same < count)
        continue;
      *vector_next(names, count, room) = argument;
    }
  message_suggest(hint, sizeof hint, name->last, names, count);
  free(names);
  return message_fail(message, "no launched kernel has an argument '%.60s'%s", name->last,
                      count ? hint : "; they have none");
}

/* A word as a JSON value of a type; the components of a vector are separated by colons. NULL with the message
 * filled. */
static json_t *typed(struct type type, const char *name, const char *word, struct message *message) {
  json_t *list = json_array();
  uint8_t bytes[TYPE_BYTES];
  char *words = need_copy(word), *rest = words, *part;
  bool good = true;
  while (good && (part = strsep(&rest, ":"))) {
    good = type_parse(type, part, bytes, message);
    json_array_append_new(list, json_string(part));
  }
  free(words);
  if (good && json_array_size(list) != type.components)
    good = message_fail(message, "'%.60s' has %zu components, but %s has %u", word, json_array_size(list), name,
                        type.components);
  json_t *value = !good ? NULL : type.components > 1 ? json_incref(list) : json_incref(json_array_get(list, 0));
  json_decref(list);
  return value;
}

/* A word as a JSON value for this argument of the launch file. NULL with the message filled. */
static json_t *value_of(const json_t *argument, const char *word, struct message *message) {
  const char *kind = json_object_iter_key(json_object_iter((json_t *)argument));
  struct type type;
  if (kind && strcmp(kind, "local") == 0) {
    char *end = NULL;
    errno = 0;
    const long long bytes = isdigit((unsigned char)*word) ? strtoll(word, &end, 10) : 0;
    if (bytes > 0 && !*end && !errno)
      return json_integer(bytes);
    message_fail(message, "'%.60s' is not a number of LDS bytes", word);
    return NULL;
  }
  if (kind && strcmp(kind, "bytes") == 0) {
    size_t count;
    uint8_t *bytes = type_bytes(word, &count);
    free(bytes);
    if (bytes)
      return json_string(word);
    message_fail(message, "'%.60s' is not hexadecimal bytes, two digits each", word);
    return NULL;
  }
  if (kind && type_find(kind, &type))
    return typed(type, kind, word, message);
  message_fail(message, "is a %s in the launch file; axes are for values and sizes of local memory",
               kind ? kind : "mistake");
  return NULL;
}

/* The launch file's argument, which the words replace. */
static json_t *argument_of(const json_t *root, const struct sweep_name *name, size_t launch) {
  return json_array_get(json_object_get(sweep_launch_of(root, launch), "args"), (size_t)name->argument[launch]);
}

static bool check_words(const struct sweep_target *target, const struct sweep_name *name, size_t launch,
                        struct message *message) {
  const json_t *argument = argument_of(target->root, name, launch);
  for (size_t i = 0; i < name->count; i++) {
    json_t *value = value_of(argument, name->value[i], message);
    if (!value)
      return false;
    json_decref(value);
  }
  return true;
}

static bool find_in_launches(struct sweep_target *target, struct sweep_name *name, const struct job *job,
                             struct message *message) {
  bool found = false;
  if (name->launch > job->launch_count)
    return message_fail(message, "there %s %zu launch%s", job->launch_count == 1 ? "is" : "are", job->launch_count,
                        job->launch_count == 1 ? "" : "es");
  name->argument = need(job->launch_count, sizeof *name->argument);
  for (size_t i = 0; i < job->launch_count; i++) {
    name->argument[i] =
        name->launch && name->launch != i + 1 ? -1 : find_argument(job->launches[i].isa.kernel, name->last);
    if (name->argument[i] >= 0 && !check_words(target, name, i, message))
      return false;
    found |= name->argument[i] >= 0;
  }
  return found || fail_unknown(name, job, message);
}

/* Two names for the same argument would silently override each other. Compares name `end` with those before it. */
static bool named_once(const struct sweep_target *target, size_t end, struct message *message) {
  const struct sweep_name *name = &target->name[end];
  for (size_t i = 0; i < end; i++)
    for (size_t launch = 0; target->name[i].argument && launch < target->launches; launch++)
      if (name->argument[launch] >= 0 && name->argument[launch] == target->name[i].argument[launch])
        return message_fail(message, "is argument %d of launch %zu, which line %d already sets as '%.60s'",
                            name->argument[launch] + 1, launch + 1, target->name[i].line, target->name[i].name);
  return true;
}

bool sweep_arguments_find(struct sweep_target *target, const struct job *job, struct message *message) {
  target->launches = job->launch_count;
  for (size_t i = 0; i < target->names; i++)
    if (target->name[i].kind == SWEEP_ARGUMENT &&
        !(find_in_launches(target, &target->name[i], job, message) && named_once(target, i, message)))
      return sweep_names_fail(target, &target->name[i], message);
  return true;
}

void sweep_arguments_give(const struct sweep_target *target, const uint32_t *value, json_t *root) {
  struct message ignored;
  for (size_t i = 0; i < target->names; i++) {
    const struct sweep_name *name = &target->name[i];
    for (size_t launch = 0; name->argument && launch < target->launches; launch++) {
      json_t *argument = name->argument[launch] < 0 ? NULL : argument_of(root, name, launch);
      if (argument)
        json_object_set_new(argument, json_object_iter_key(json_object_iter(argument)),
                            value_of(argument, sweep_word(target, i, value), &ignored));
    }
  }
}
