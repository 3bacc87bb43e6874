/* Reports: reading their values, and writing them. */
#include <jansson.h>
#include <stdio.h>

#include "sim/api/api.h"
#include "sim/base/json_out.h"
#include "sim/base/need.h"

enum { SHOWN = 100 /* hazards in the text of a check, like the command line */ };

ww_report *api_report_new(void) {
  ww_report *report = need(1, sizeof *report);
  atomic_init(&report->references, 1);
  return report;
}

API_REF(ww_report)

static void free_own(ww_report *report) {
  for (size_t i = 0; i < report->count; i++)
    launch_result_free(&report->results[i]);
  free(report->results);
  job_free(&report->job);
  for (size_t i = 0; i < report->program_count; i++)
    ww_program_unref(report->programs[i]);
  free(report->programs);
  free(report->verdicts);
  free(report->hazards);
  free(report->page.data);
  free(report->file.name);
  free(report->file.text);
  ww_context_unref(report->file.context);
  ww_machine_unref(report->machine);
}

void ww_report_unref(ww_report *report) {
  if (!report || !api_unref(&report->references))
    return;
  if (report->of)
    ww_report_unref(report->of);
  else
    free_own(report);
  free(report->bottlenecks);
  for (size_t i = 0; i < REPORT_MEMBER_COUNT; i++)
    json_decref(atomic_load(&report->member[i]));
  free(report);
}

bool ww_report_finished(const ww_report *report) {
  return report && run_finished(&report->job, report->results, report->count);
}

ww_end ww_report_end(const ww_report *report, size_t launch) {
  static_assert((int)WW_END_DEADLOCK == (int)END_DEADLOCK && (int)WW_END_STOPPED == (int)END_STOPPED, "the same order");
  return report && launch < report->count ? (ww_end)report->results[launch].end : WW_END_STOPPED;
}

uint64_t ww_report_start(const ww_report *report, size_t launch) {
  return report && launch < report->count ? report->results[launch].start : 0;
}

uint64_t ww_report_cycles(const ww_report *report, size_t launch) {
  return report && launch < report->count ? report->results[launch].cycles : 0;
}

/* Computed once for each machine and kept with it. */
static const enum fidelity_machine *measured(ww_machine *machine) {
  static const enum fidelity_machine all[] = {FIDELITY_VALIDATED, FIDELITY_CHANGED, FIDELITY_NO_DEVICE, FIDELITY_OWN};
  const enum fidelity_machine *known = machine ? atomic_load(&machine->measured) : NULL;
  if (machine && !known) {
    const enum fidelity_machine found = fidelity_of_machine(machine->machine, machine->file);
    for (known = all; *known != found; known++)
      continue;
    atomic_store(&machine->measured, known);
  }
  return known;
}

struct report api_report(const ww_report *report) {
  return (struct report){.job = &report->job,
                         .results = report->results,
                         .count = report->count,
                         .verdicts = report->verdicts,
                         .verdict_count = report->verdict_count,
                         .bottlenecks = report->bottlenecks,
                         .why = report->why,
                         .measured = measured(report->machine)};
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

struct member_call {
  const ww_report *report;
  enum report_member member;
  json_t *made;
};

static ww_status make_member(void *self, struct message *message) {
  struct member_call *call = self;
  const struct report view = api_report(call->report);
  (void)message;
  call->made = report_json_member(&view, call->member);
  return WW_OK;
}

/* A member of the report as JSON; NULL: there is none, or out of memory. It becomes visible when complete, and never
 * changes afterwards. */
static const json_t *member_of(const ww_report *asked, enum report_member member) {
  ww_report *report = (ww_report *)(uintptr_t)asked; /* only to cache the member */
  json_t *known = atomic_load(&report->member[member]);
  struct member_call call = {.report = report, .member = member};
  if (known || api_try(NULL, make_member, &call, NULL) != WW_OK)
    return known;
  if (atomic_compare_exchange_strong(&report->member[member], &known, call.made))
    return call.made;
  json_decref(call.made); /* another thread was first */
  return known;
}

/* Reads ".name" or "[3]" and returns what follows; NULL: there is no such member. */
static const char *step(const char *key, const json_t **at) {
  if (*key == '[') {
    char *end = NULL;
    const unsigned long long index = strtoull(key + 1, &end, 10);
    *at = end > key + 1 && *end == ']' && json_is_array(*at) ? json_array_get(*at, (size_t)index) : NULL;
    return *at ? end + 1 : NULL;
  }
  const size_t length = *key == '.' ? strcspn(key + 1, ".[") : 0;
  *at = json_object_getn(*at, key + 1, length);
  return length && *at ? key + 1 + length : NULL;
}

/* Parameter keys contain a dot: "machine.parameters.dma.channels.value". */
static const char *step_dotted(const char *key, const json_t **at) {
  const json_t *object = *at;
  const char *dot = *key == '.' ? strchr(key + 1, '.') : NULL;
  if (!dot)
    return NULL;
  const size_t length = 1 + strcspn(dot + 1, ".[") + (size_t)(dot - key - 1);
  *at = json_object_getn(object, key + 1, length);
  return *at ? key + 1 + length : NULL;
}

static const json_t *find(const ww_report *report, const char *key) {
  const size_t length = strcspn(key, ".[");
  const json_t *at = NULL;
  for (enum report_member i = 0; i < REPORT_MEMBER_COUNT; i++)
    if (strlen(report_member_names[i]) == length && memcmp(report_member_names[i], key, length) == 0)
      at = member_of(report, i);
  key = at ? key + length : NULL;
  while (key && *key) {
    const json_t *before = at;
    const char *rest = step(key, &at);
    if (!rest) {
      at = before;
      rest = step_dotted(key, &at);
    }
    key = rest;
  }
  return key ? at : NULL;
}

/* The unit of a number: next to a parameter's value, else in the row of the key without prefixes such as
 * "launches[0].". NULL: out of memory. */
static const char *unit_of(const ww_report *report, const char *key) {
  const json_t *units = member_of(report, REPORT_units);
  if (!units)
    return NULL;
  const char *word = json_string_value(json_object_get(units, key));
  if (word)
    return word;
  if (strncmp(key, "launches[", 9) == 0 && strchr(key, '.'))
    word = json_string_value(json_object_get(units, strchr(key, '.') + 1));
  if (word)
    return word;
  const size_t length = strlen(key);
  if (length > 6 && strcmp(key + length - 6, ".value") == 0) {
    char sibling[200];
    snprintf(sibling, sizeof sibling, "%.*s.unit", (int)(length - 6 < 180 ? length - 6 : 180), key);
    word = json_string_value(find(report, sibling));
  }
  return word ? word : "";
}

bool ww_report_number(const ww_report *report, const char *key, double *value, const char **unit) {
  const json_t *found = report && key ? find(report, key) : NULL;
  if (!found || !(json_is_number(found) || json_is_boolean(found)))
    return false;
  const char *known = unit ? unit_of(report, key) : "";
  if (!known)
    return false;
  if (value)
    *value = json_is_number(found) ? json_number_value(found) : json_is_true(found);
  if (unit)
    *unit = known;
  return true;
}

bool ww_report_text(const ww_report *report, const char *key, const char **text) {
  const json_t *found = report && key ? find(report, key) : NULL;
  if (!json_is_string(found))
    return false;
  if (text)
    *text = json_string_value(found);
  return true;
}

size_t ww_report_count(const ww_report *report, const char *key) {
  const json_t *found = report && key ? find(report, key) : NULL;
  return json_is_array(found) ? json_array_size(found) : json_is_object(found) ? json_object_size(found) : 0;
}

/* Members of the report itself. */
static const char *own_member(const ww_report *report, size_t i) {
  for (enum report_member member = 0; member < REPORT_MEMBER_COUNT; member++)
    if ((member != REPORT_verify || report->verdicts) && i-- == 0)
      return report_member_names[member];
  return NULL;
}

const char *ww_report_member(const ww_report *report, const char *key, size_t i) {
  if (!report || !key)
    return NULL;
  if (!*key)
    return own_member(report, i);
  json_t *object = (json_t *)(uintptr_t)find(report, key); /* jansson only iterates over it */
  void *at = json_object_iter(object);
  while (at && i--)
    at = json_object_iter_next(object, at);
  return at ? json_object_iter_key(at) : NULL;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

struct write_call {
  const ww_report *report;
  ww_form form;
  struct api_sink sink;
};

static char *check_form(const ww_report *report, bool sarif) {
  bool *suppressed = need(report->hazard_count, sizeof *suppressed);
  const struct check_report view = {.job = &report->job,
                                    .results = report->results,
                                    .count = report->count,
                                    .hazards = report->hazards,
                                    .hazard_count = report->hazard_count,
                                    .suppressed = suppressed,
                                    .checked = report->counts,
                                    .most = SHOWN};
  char *text = sarif ? check_sarif(&view) : check_text(&view, false);
  free(suppressed);
  return text;
}

/* The text of the forms that are made in one piece; NULL with the message filled. */
static char *text_of(const struct write_call *call, struct message *message) {
  const ww_report *report = call->report;
  const struct report view = api_report(report);
  switch (call->form) {
  case WW_TEXT:
    return report_text(&view);
  case WW_JSON: /* write_report() */
    break;
  case WW_SOURCE:
    if (!report->count || !report->results[0].functional)
      return report_annotate(&view);
    message_fail(message, "form: needs a run with timing; ww_watch.functional was set");
    return NULL;
  case WW_CHECK:
  case WW_SARIF:
    if (report->checked)
      return check_form(report, call->form == WW_SARIF);
    message_fail(message, "form: needs a checked run; set ww_watch.check");
    return NULL;
  case WW_HTML:
    if (report->page.length)
      return need_copy(report->page.data);
    message_fail(message, "form: needs a run with a page; set ww_watch.page");
    return NULL;
  }
  message_fail(message, "form: %d is not a report's form", (int)call->form);
  return NULL;
}

static ww_status write_report(void *self, struct message *message) {
  struct write_call *call = self;
  const struct report view = api_report(call->report);
  if (call->form == WW_JSON)
    return report_json_write(&view, &call->sink.sink, message) ? WW_OK : WW_CANCELLED;
  char *text = text_of(call, message);
  if (!text)
    return (unsigned)call->form <= WW_HTML ? WW_UNSUPPORTED : WW_BAD_INPUT;
  const bool good = call->sink.sink.write(call->sink.sink.self, text, strlen(text), message);
  free(text);
  return good ? WW_OK : WW_CANCELLED;
}

ww_status ww_report_write(const ww_report *report, ww_form form, ww_sink sink, ww_error *error) {
  API_GIVEN(report);
  API_GIVEN(sink.write);
  struct write_call call = {.report = report, .form = form};
  api_sink(&call.sink, sink);
  return api_try(NULL, write_report, &call, error);
}
