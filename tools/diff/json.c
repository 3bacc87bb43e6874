
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/version.h"
#include "tools/diff/diff.h"

static const char *const keys[DIFF_SIDES] = {"a", "b"};

static json_t *counts(const uint64_t count[DIFF_SIDES]) {
  json_t *object = json_object();
  for (int side = 0; side < DIFF_SIDES; side++)
    json_set_whole(object, keys[side], count[side]);
  json_object_set_new(object, "change", json_integer((json_int_t)(count[DIFF_B] - count[DIFF_A])));
  return object;
}

static json_t *rates(const double rate[DIFF_SIDES]) {
  json_t *object = json_object();
  for (int side = 0; side < DIFF_SIDES; side++)
    json_object_set_new(object, keys[side], json_real(rate[side]));
  json_object_set_new(object, "change", json_real(rate[DIFF_B] - rate[DIFF_A]));
  return object;
}

static json_t *side_object(const struct diff_side *side) {
  json_t *object = json_object();
  const char *name = file_base(side->path);
  json_object_set_new(object, "path", json_of_word(name));
  json_object_set(object, "name", json_object_get(side->report, "name"));
  json_object_set(object, "machine", (json_t *)diff_at(side->report, "machine.name"));
  json_object_set_new(object, "replayed", json_boolean(side->replayed));
  return object;
}

static json_t *figure_object(const struct diff *diff) {
  json_t *object = json_object();
  for (size_t i = 0; i < diff->figure_count; i++) {
    const struct diff_figure *figure = &diff->figures[i];
    json_t *row = figure->real ? rates(figure->rate) : counts(figure->count);
    json_set_word(row, "unit", figure->unit);
    json_object_set_new(object, figure->key, row);
  }
  return object;
}

static json_t *stalls_object(const uint64_t stalls[STALLS][DIFF_SIDES], bool zeros) {
  json_t *object = json_object();
  for (unsigned i = 0; i < STALLS; i++)
    if (zeros || stalls[i][DIFF_A] || stalls[i][DIFF_B])
      json_object_set_new(object, stall_rows[i].name, counts(stalls[i]));
  return object;
}

/* A side's source line; null on the side that lacks it. */
static json_t *place(const char *file, uint32_t line) {
  json_t *object = json_object();
  json_set_word(object, "file", file);
  json_set_whole(object, "line", line);
  return object;
}

static json_t *line_place(const struct diff_line *line, int side) {
  json_t *object = place(line->file[side], line->line[side]);
  json_object_set_new(object, "text", line->text[side] ? json_of_word(line->text[side]) : json_null());
  return object;
}

static json_t *line_list(const struct diff *diff) {
  json_t *list = json_array();
  for (size_t i = 0; i < diff->line_count; i++) {
    const struct diff_line *line = &diff->lines[i];
    json_t *object = json_object();
    for (int side = 0; side < DIFF_SIDES; side++)
      json_object_set_new(object, keys[side], line->is[side] ? line_place(line, side) : json_null());
    json_object_set_new(object, "edited", json_boolean(line->edited));
    for (unsigned cost = 0; cost < DIFF_COST_COUNT; cost++)
      json_object_set_new(object, diff_cost_rows[cost].key, counts(line->cost[cost]));
    json_object_set_new(object, "stalls", stalls_object(line->stalls, false));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *hazard_list(const struct diff *diff) {
  json_t *list = json_array();
  for (size_t i = 0; i < diff->hazard_count; i++) {
    const struct diff_hazard *hazard = &diff->hazards[i];
    json_t *object = json_object();
    json_set_word(object, "rule", hazard->rule);
    json_set_word(object, "message", hazard->message);
    for (int side = 0; side < DIFF_SIDES; side++)
      json_object_set_new(object, keys[side],
                          hazard->count[side] ? place(hazard->file[side], hazard->line[side]) : json_null());
    json_object_set_new(object, "count", counts(hazard->count));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *fact_object(const struct diff_facts *facts, size_t pair) {
  json_t *object = json_object();
  for (size_t i = 0; i < facts->count; i++) {
    const struct diff_fact *fact = &facts->fact[i];
    json_t *values = json_object();
    if (fact->pair != pair) {
      json_decref(values);
      continue;
    }
    for (int side = 0; side < DIFF_SIDES; side++)
      json_object_set(values, keys[side], fact->value[side] ? (json_t *)fact->value[side] : json_null());
    json_object_set_new(object, fact->key, values);
  }
  return object;
}

static json_t *launch_list(const struct diff *diff) {
  json_t *list = json_array();
  for (size_t i = 0; i < diff->pair_count; i++) {
    const struct diff_pair *pair = &diff->pairs[i];
    json_t *object = json_object();
    for (int side = 0; side < DIFF_SIDES; side++)
      json_object_set_new(object, keys[side],
                          pair->of[side] == DIFF_NONE ? json_null() : json_of_whole(pair->of[side] + 1));
    const int side = pair->of[DIFF_A] == DIFF_NONE ? DIFF_B : DIFF_A;
    json_object_set(object, "kernel",
                    json_object_get(json_array_get(diff_launches(diff, side), pair->of[side]), "kernel"));
    json_object_set_new(object, "compared", json_boolean(diff->chosen == DIFF_NONE || diff->chosen == i));
    json_object_set_new(object, "cycles", counts(pair->cycles));
    json_object_set_new(object, "differs", fact_object(&diff->launches, i));
    json_array_append_new(list, object);
  }
  return list;
}

char *diff_json(const struct diff *diff) {
  json_t *root = json_object();
  json_set_word(root, "warpwait", WARPWAIT_VERSION);
  json_object_set_new(root, "same", json_boolean(!diff->differ));
  for (int side = 0; side < DIFF_SIDES; side++)
    json_object_set_new(root, keys[side], side_object(&diff->side[side]));
  json_object_set_new(root, "launches", launch_list(diff));
  json_object_set_new(root, "figures", figure_object(diff));
  json_object_set_new(root, "stalls", stalls_object(diff->stalls, true));
  json_object_set_new(root, "lines", line_list(diff));
  json_object_set_new(root, "hazards", hazard_list(diff));
  json_object_set_new(root, "parameters", fact_object(&diff->parameters, 0));
  json_object_set_new(root, "same_order", json_boolean(!diff->order));
  return json_lines(root);
}
