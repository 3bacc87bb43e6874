/* The report of `warpwait explain` for programs. */
#include <stdlib.h>

#include "models/machine_groups.h"
#include "sim/base/json_out.h"
#include "sim/base/version.h"
#include "sim/report/report.h"
#include "tools/explain/report.h"

static json_t *real(double value) { return json_real(value); }

static json_t *slugs_of(limit_set set) {
  json_t *list = json_array();
  for (enum limit i = 0; i < LIMITS; i++)
    if (set & limit_bit(i))
      json_array_append_new(list, json_string(lift_rows[i].slug));
  return list;
}

static json_t *case_of(const struct explain_view *view, const struct explain_case *at) {
  const int64_t saved = explain_saved(&view->run->explain, at, view->step);
  json_t *object = json_object();
  json_object_set_new(object, "without", slugs_of(at->lifted));
  json_set_whole(object, "cycles", at->time[view->step].cycles);
  json_object_set_new(object, "saved", json_integer(saved));
  json_object_set_new(object, "saved_share", real(explain_percent(view, saved) / 100));
  json_set_word(object, "how", explain_how(at));
  json_object_set_new(object, "anomaly", json_boolean(explain_anomaly(&view->run->explain, at, view->step) != NULL));
  return object;
}

static json_t *ranks_of(const struct explain_view *view) {
  json_t *list = json_array();
  for (size_t i = 0; i < view->ranks; i++) {
    const struct lift_row *row = &lift_rows[explain_limit(view->rank[i])];
    json_t *object = case_of(view, view->rank[i]);
    json_set_word(object, "limit", row->slug);
    json_set_word(object, "name", row->name);
    json_set_word(object, "lifted", row->lifted);
    json_set_word(object, "set", row->keys);
    json_set_word(object, "cause", cause_rows[row->cause].name);
    json_array_append_new(list, object);
  }
  return list;
}

/* All limits of a cause together. */
static json_t *causes_of(const struct explain_view *view) {
  json_t *object = json_object();
  for (enum limit_cause cause = 0; cause < CAUSES; cause++) {
    const struct explain_case *at = explain_find(&view->run->explain, limits_of(cause));
    if (at)
      json_object_set_new(object, cause_rows[cause].name, case_of(view, at));
  }
  return object;
}

/* Limits without which the launch cannot run on the machine, or did not finish. */
static json_t *failed_of(const struct explain_view *view) {
  json_t *list = json_array();
  for (size_t i = 0; i < view->run->explain.count; i++) {
    const struct explain_case *at = &view->run->explain.cases[i];
    if (at->status == OUTCOME_finished)
      continue;
    json_t *object = json_object();
    json_object_set_new(object, "without", slugs_of(at->lifted));
    json_set_word(object, "status", outcome_names[at->status]);
    json_set_word(object, "reason", at->reason);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *pairs_of(const struct explain_view *view) {
  const struct explain *explain = &view->run->explain;
  json_t *list = json_array();
  for (size_t i = 0; i < view->pairs; i++) {
    const limit_set low = view->pair[i]->lifted & -view->pair[i]->lifted;
    json_t *object = case_of(view, view->pair[i]);
    json_object_set_new(
        object, "sum",
        json_integer(explain_saved(explain, explain_find(explain, low), view->step) +
                     explain_saved(explain, explain_find(explain, view->pair[i]->lifted & ~low), view->step)));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *phases_of(const struct explain_view *view) {
  json_t *list = json_array();
  for (size_t i = 0; i < view->phases; i++) {
    const struct explain_phase *phase = &view->phase[i];
    json_t *object = json_object();
    json_object_set_new(object, "from", real(phase->from));
    json_object_set_new(object, "to", real(phase->to));
    json_set_word(object, "stall", stall_rows[phase->stall].name);
    json_object_set_new(object, "stall_share", real(phase->share));
    json_object_set_new(object, "limit", phase->helped ? json_string(lift_rows[phase->limit].slug) : json_null());
    json_object_set_new(object, "saved", real(phase->saved));
    json_array_append_new(list, object);
  }
  return list;
}

/* The wait that each limit leaves at the place. */
static json_t *left_of(const struct explain_view *view, size_t place) {
  json_t *object = json_object();
  for (size_t i = 0; i < view->ranks; i++)
    if (view->rank[i]->same_program)
      json_set_whole(object, lift_rows[explain_limit(view->rank[i])].slug,
                     explain_wait_left(view, place, view->rank[i]));
  return object;
}

static json_t *places_of(const struct explain_view *view) {
  json_t *list = json_array();
  for (size_t i = 0; i < view->base->places; i++) {
    const struct explain_place *place = &view->base->place[i];
    const struct isa_program *program = view->run->job.launches[place->launch].isa.program;
    json_t *object = json_object();
    char where[PROGRAM_PLACE];
    program_place(program, place->pc, where);
    json_set_word(object, "place", where);
    json_set_whole(object, "line", program_line(program, place->pc));
    json_set_whole(object, "launch", place->launch + 1);
    json_set_whole(object, "wait", place->wait);
    json_set_word(object, "stall", stall_rows[place->stall].name);
    json_object_set_new(object, "limit",
                        view->without[i] ? json_string(lift_rows[explain_limit(view->without[i])].slug) : json_null());
    json_object_set_new(object, "left", left_of(view, i));
    json_array_append_new(list, object);
  }
  return list;
}

/* A value of --vary or a changed kernel; `key` is that of its name. `saved`: also the cycles that it saves. */
static json_t *try_of(const struct explain_view *view, const struct explain_case *tried, const char *key, bool saved) {
  json_t *object = json_object();
  json_set_word(object, key, tried->name);
  json_set_word(object, "status", outcome_names[tried->status]);
  if (tried->status != OUTCOME_finished) {
    json_set_word(object, "reason", tried->reason);
    return object;
  }
  const cycle_t cycles = tried->time[view->step].cycles;
  json_set_whole(object, "cycles", cycles);
  if (saved)
    json_object_set_new(object, "saved", json_integer((json_int_t)view->cycles - (json_int_t)cycles));
  json_object_set_new(object, "same_results", json_boolean(tried->same_results));
  return object;
}

static json_t *vary_of(const struct explain_view *view) {
  const struct explain_vary *vary = view->vary;
  const struct explain_case *best = explain_vary_best(vary, view->step);
  json_t *object = json_object(), *list = json_array();
  for (size_t i = 0; i < vary->count; i++)
    json_array_append_new(list, try_of(view, &vary->cases[i], "value", false));
  json_set_word(object, "name", vary->name);
  json_object_set_new(object, "values", list);
  json_object_set_new(object, "best", best ? json_of_word(best->name) : json_null());
  return object;
}

static json_t *changes_of(const struct explain_view *view) {
  json_t *list = json_array();
  for (size_t i = 0; i < view->changes->count; i++)
    json_array_append_new(list, try_of(view, &view->changes->cases[i], "change", true));
  return list;
}

static json_t *advice_of(const struct explain_view *view) {
  size_t count = 0;
  char **advice = explain_advice(view, &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, json_of_word(advice[i]));
    free(advice[i]);
  }
  free(advice);
  return list;
}

static json_t *step_of(const struct explain_view *view) {
  const struct job *job = &view->run->job;
  const size_t first = view->run->explain.first[view->step];
  json_t *object = json_object(), *kernels = json_array();
  for (size_t i = 0; i < view->launches; i++)
    json_array_append_new(kernels, json_of_word(job->launches[first + i].isa.kernel->name));
  json_set_whole(object, "launch", first + 1);
  json_object_set_new(object, "kernels", kernels);
  json_set_whole(object, "cycles", view->cycles);
  json_set_whole(object, "tolerance", bottleneck_tolerance(view->cycles));
  json_object_set_new(object, "limits", ranks_of(view));
  json_object_set_new(object, "failed", failed_of(view));
  json_object_set_new(object, "pairs", pairs_of(view));
  json_object_set_new(object, "causes", causes_of(view));
  json_object_set_new(object, "all_but_computing", view->outside ? case_of(view, view->outside) : json_null());
  json_object_set_new(object, "all", view->all ? case_of(view, view->all) : json_null());
  if (view->vary)
    json_object_set_new(object, "vary", vary_of(view));
  if (view->changes)
    json_object_set_new(object, "changes", changes_of(view));
  json_object_set_new(object, "phases", phases_of(view));
  json_object_set_new(object, "places", places_of(view));
  json_object_set_new(object, "advice", advice_of(view));
  return object;
}

char *explain_json(const struct explain_run *run, const struct explain_tries *tries, size_t only) {
  json_t *root = json_object(), *steps = json_array();
  json_set_word(root, "warpwait", WARPWAIT_VERSION);
  json_set_word(root, "machine", machine_name(run->job.machine));
  json_object_set_new(root, "changed", report_json_changed(&run->job));
  json_object_set_new(root, "depends_on_time", run->timed ? json_of_word(run->why) : json_null());
  for (size_t step = 0; step < run->explain.steps; step++) {
    struct explain_view view;
    explain_view(run, tries, step, &view);
    const size_t first = run->explain.first[step];
    if (!only || (only - 1 >= first && only - 1 < first + view.launches))
      json_array_append_new(steps, step_of(&view));
    explain_view_free(&view);
  }
  json_object_set_new(root, "launches", steps);
  return json_lines(root);
}
