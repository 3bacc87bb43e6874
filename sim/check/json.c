/* The report of `warpwait check` for programs. sim/check/report.keys.def describes each key. */
#include <string.h>

#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/version.h"
#include "sim/check/report.h"

static void set_word_or_null(json_t *object, const char *key, const char *text) {
  json_object_set_new(object, key, text ? json_of_word(text) : json_null());
}

static void set_whole_or_null(json_t *object, const char *key, bool known, uint64_t value) {
  json_object_set_new(object, key, known ? json_of_whole(value) : json_null());
}

/* ---- hazards ------------------------------------------------------------------------------------ */

static void set_side(json_t *object, const struct check_side *side) {
  const struct check_place place = check_place(side);
  json_t *items = json_array();
  json_set_word(object, "file", place.name);
  json_set_word(object, "path", place.path);
  json_set_whole(object, "line", place.line);
  json_set_whole(object, "column", place.column);
  json_object_set_new(object, "source", place.text ? json_of_bytes(place.text, strlen(place.text)) : json_null());
  json_set_whole(object, "pc", side->pc);
  json_object_set_new(object, "work_group", json_of_triple(side->group));
  if (!side->whole_group)
    json_array_append_new(items, json_of_whole(side->item));
  json_object_set_new(object, "work_items", items);
}

static bool is_same_group(const struct check_side *a, const struct check_side *b) {
  return a->group[0] == b->group[0] && a->group[1] == b->group[1] && a->group[2] == b->group[2];
}

static void set_other(json_t *object, const struct check_hazard *hazard) {
  const struct check_side *here = &hazard->here, *other = &hazard->other;
  json_t *place = other->program ? json_object() : json_null();
  if (other->program) {
    char name[64];
    check_other_name(hazard->rule, name);
    json_set_word(place, "what", name);
    set_side(place, other);
    if (!here->whole_group && !other->whole_group && here->item != other->item && is_same_group(here, other))
      json_array_append_new(json_object_get(object, "work_items"), json_of_whole(other->item));
  }
  json_object_set_new(object, "other", place);
}

static void set_bytes(json_t *object, const struct job *job, const struct check_hazard *hazard) {
  static const char *const spaces[] = {[CHECK_LDS] = "local", [CHECK_GLOBAL] = "global"};
  const struct check_bytes bytes = check_bytes(job, hazard);
  const bool any = hazard->space != CHECK_NOWHERE;
  set_word_or_null(object, "space", spaces[hazard->space]);
  set_whole_or_null(object, "address", any, hazard->address);
  set_word_or_null(object, "buffer", hazard->space == CHECK_GLOBAL ? bytes.name : NULL);
  set_word_or_null(object, "lds", hazard->space == CHECK_LDS ? bytes.name : NULL);
  set_whole_or_null(object, "offset", any && (bytes.name || hazard->space == CHECK_LDS), bytes.offset);
  set_whole_or_null(object, "bytes", any, hazard->bytes);
}

static json_t *hazard_object(const struct job *job, const struct check_hazard *hazard) {
  const struct isa_hazard_row *row = &isa_hazard_rows[hazard->rule];
  json_t *object = json_object();
  char advice[ISA_ADVICE];
  check_advice(hazard, advice);
  json_set_word(object, "rule", row->rule);
  json_set_word(object, "level", isa_hazard_levels[row->level]);
  json_set_word(object, "message", row->text);
  json_set_word(object, "detail", hazard->detail);
  json_set_word(object, "advice", advice);
  json_set_word(object, "kernel", job->launches[hazard->launch].isa.kernel->name);
  json_set_whole(object, "launch", hazard->launch + 1);
  json_set_whole(object, "count", hazard->count);
  set_side(object, &hazard->here);
  set_bytes(object, job, hazard);
  set_other(object, hazard);
  return object;
}

/* ---- the report --------------------------------------------------------------------------------- */

static json_t *launch_object(const struct job_launch *launch, const struct launch_result *result) {
  json_t *object = json_object();
  json_set_word(object, "kernel", launch->isa.kernel->name);
  json_set_word(object, "file", file_base(launch->isa.program->file));
  json_object_set_new(object, "global", json_of_triple(launch->isa.global));
  json_object_set_new(object, "local", json_of_triple(launch->isa.local));
  json_set_whole(object, "cycles", result->cycles);
  json_set_word(object, "end", launch_end_names[result->end]);
  json_object_set_new(object, "printf", json_of_bytes(launch->printed.text, launch->printed.length));
  json_object_set_new(object, "printf_truncated", json_boolean(launch->printed.truncated));
  return object;
}

static void set_hazards(json_t *root, const struct check_report *report) {
  json_t *list = json_array();
  size_t beyond = 0;
  for (size_t i = 0; i < report->hazard_count; i++) {
    if (report->suppressed[i])
      continue;
    if (json_array_size(list) < report->most)
      json_array_append_new(list, hazard_object(report->job, &report->hazards[i]));
    else
      beyond++;
  }
  json_object_set_new(root, "hazards", list);
  json_set_whole(root, "hazards_not_shown", beyond);
}

char *check_json(const struct check_report *report) {
  const struct job *job = report->job;
  json_t *root = json_object(), *machine = json_object(), *launches = json_array(), *checked = json_object();
  json_set_word(root, "warpwait", WARPWAIT_VERSION);
  json_set_word(root, "name", job->name ? job->name : file_base(job->file));
  json_set_word(machine, "name", machine_name(job->machine));
  json_object_set_new(root, "machine", machine);
  for (size_t i = 0; i < report->count; i++)
    json_array_append_new(launches, launch_object(&job->launches[i], &report->results[i]));
  json_object_set_new(root, "launches", launches);
  set_hazards(root, report);
  json_set_whole(root, "suppressed", check_suppressed(report));
  json_object_set_new(root, "whole", json_boolean(check_whole(report)));
  json_set_whole(checked, "accesses", report->checked.accesses);
  json_set_whole(checked, "copies", report->checked.copies);
  json_object_set_new(root, "checked", checked);
  return json_lines(root);
}
