/* Contexts and machines. */
#include <stdio.h>

#include "models/machine.h"
#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/launch/machines.h"

/* ---- context -------------------------------------------------------------------------------------------------- */

static pthread_once_t json_once = PTHREAD_ONCE_INIT;

struct context_call {
  ww_options options;
  ww_context **made;
};

static char *copy_of(const char *text) { return text ? need_copy(text) : NULL; }

static ww_status make_context(void *self, struct message *message) {
  struct context_call *call = self;
  ww_context *context = need(1, sizeof *context);
  (void)message;
  atomic_init(&context->references, 1);
  context->tools = (struct opencl_tools){.clang = copy_of(call->options.clang),
                                         .cache = copy_of(call->options.cache),
                                         .temporary = copy_of(call->options.temporary)};
  *call->made = context;
  return WW_OK;
}

ww_status ww_context_new(const ww_options *options, ww_context **context, ww_error *error) {
  struct context_call call = {.made = context};
  API_MADE(context);
  API_TAKE(call.options, options);
  pthread_once(&json_once, need_json);
  return api_try(NULL, make_context, &call, error);
}

API_REF(ww_context)

void ww_context_unref(ww_context *context) {
  if (!context || !api_unref(&context->references))
    return;
  free((char *)(uintptr_t)context->tools.clang);
  free((char *)(uintptr_t)context->tools.cache);
  free((char *)(uintptr_t)context->tools.temporary);
  free(context);
}

/* ---- parameters ------------------------------------------------------------------------------------------------ */

bool ww_parameter_at(size_t i, ww_parameter *parameter) {
  if (!parameter)
    return false;
  for (size_t g = 0; g < MACHINE_GROUPS; i -= machine_groups[g++].count) {
    if (i >= machine_groups[g].count)
      continue;
    const struct param_row *row = &machine_groups[g].rows[i];
    ww_parameter made = {.size = parameter->size < sizeof made ? parameter->size : (uint32_t)sizeof made,
                         .unit = row->unit,
                         .text = row->text,
                         .choices = row->choices,
                         .usual = row->initial,
                         .minimum = row->minimum,
                         .maximum = row->maximum};
    snprintf(made.key, sizeof made.key, "%s.%s", machine_groups[g].name, row->name);
    memcpy(parameter, &made, made.size);
    return true;
  }
  return false;
}

const char *ww_preset_at(size_t i) { return i < preset_count ? presets[i].name : NULL; }

/* ---- machines -------------------------------------------------------------------------------------------------- */

ww_machine *api_machine_new(const struct machine *machine, const struct machine *file) {
  ww_machine *made = need(1, sizeof *made);
  atomic_init(&made->references, 1);
  made->machine = machine_copy(machine);
  made->file = machine_copy(file);
  return made;
}

struct machine_call {
  const char *name;
  ww_bytes ini;
  const ww_machine *from;
  const char *const *changes;
  size_t count;
  ww_machine **made;
};

static ww_status load_machine(void *self, struct message *message) {
  struct machine_call *call = self;
  struct machine machine;
  if (!machine_load(call->name, NULL, NULL, &machine, message) || !machine_settle(&machine, message))
    return WW_BAD_INPUT;
  *call->made = api_machine_new(&machine, &machine);
  return WW_OK;
}

ww_status ww_machine_load(ww_context *context, const char *name, ww_machine **machine, ww_error *error) {
  struct machine_call call = {.name = name, .made = machine};
  API_MADE(machine);
  API_GIVEN(context);
  API_GIVEN(name);
  return api_try(NULL, load_machine, &call, error);
}

static ww_status parse_machine(void *self, struct message *message) {
  struct machine_call *call = self;
  const char *name = call->ini.name;
  struct machine machine;
  char *text = need(call->ini.size + 1, 1);
  memcpy(text, call->ini.data, call->ini.size);
  const bool good = (strlen(text) == call->ini.size ||
                     message_fail(message, "%.200s: contains a zero byte; a machine file is text", name)) &&
                    machine_read(text, name, &machine, message) && machine_settle(&machine, message);
  free(text);
  if (good)
    *call->made = api_machine_new(&machine, &machine);
  return api_judge(good);
}

ww_status ww_machine_parse(ww_context *context, ww_bytes ini, ww_machine **machine, ww_error *error) {
  struct machine_call call = {.ini = api_named(ini, "machine.ini"), .made = machine};
  API_MADE(machine);
  API_GIVEN(context);
  API_GIVEN(ini.data);
  if (ini.size > MACHINE_FILE_BYTES)
    return api_fail(error, WW_BAD_INPUT, "ini: larger than 1 MiB");
  return api_try_named(call.ini.name, parse_machine, &call, error);
}

static ww_status change_machine(void *self, struct message *message) {
  struct machine_call *call = self;
  struct machine machine = *call->from->machine;
  for (size_t i = 0; i < call->count; i++)
    if (!(call->changes[i] ? machine_set(&machine, call->changes[i], message)
                           : message_fail(message, "changes[%zu]: is NULL", i)))
      return WW_BAD_INPUT;
  if (!machine_settle(&machine, message))
    return WW_BAD_INPUT;
  *call->made = api_machine_new(&machine, call->from->file);
  return WW_OK;
}

ww_status ww_machine_with(const ww_machine *machine, const char *const *changes, size_t count, ww_machine **changed,
                          ww_error *error) {
  struct machine_call call = {.from = machine, .changes = changes, .count = count, .made = changed};
  API_MADE(changed);
  API_GIVEN(machine);
  if (count)
    API_GIVEN(changes);
  return api_try(NULL, change_machine, &call, error);
}

API_REF(ww_machine)

void ww_machine_unref(ww_machine *machine) {
  if (!machine || !api_unref(&machine->references))
    return;
  free(machine->machine);
  free(machine->file);
  free(machine);
}

const char *ww_machine_name(const ww_machine *machine) { return machine ? machine->machine->name : ""; }

struct value_call {
  const ww_machine *machine;
  const char *key;
  uint64_t *value;
  char *word;
};

static ww_status find_value(void *self, struct message *message) {
  struct value_call *call = self;
  const struct param_group *group = NULL;
  char nearest[64] = "", hint[MESSAGE_HINT];
  const struct param_row *row = param_find(machine_groups, MACHINE_GROUPS, call->key, &group, nearest);
  if (!row)
    return api_judge(message_fail(message, "%.60s: no such parameter%s", call->key, message_hint(hint, nearest)));
  if (call->value)
    *call->value = param_value(group, row, call->machine->machine);
  if (call->word)
    param_text(group, row, call->machine->machine, call->word);
  return WW_OK;
}

ww_status ww_machine_value(const ww_machine *machine, const char *key, uint64_t *value, char word[WW_WORD],
                           ww_error *error) {
  struct value_call call = {machine, key, value, word};
  API_GIVEN(machine);
  API_GIVEN(key);
  return api_try(NULL, find_value, &call, error);
}
