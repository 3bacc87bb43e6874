#include "tools/sweep/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/version.h"

enum { ROWS_AT_ONCE = 256, CYCLES = 1000000000 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static bool commit(struct session *session) {
  session->committed = seconds();
  session->pending = 0;
  return !session->store || store_commit(session->store, &session->message);
}

static void keep_best(struct session *session, const char *key, double cycles) {
  if (session->best && cycles >= session->least)
    return;
  free(session->best);
  session->best = need_copy(key);
  session->least = cycles;
}

static bool add(struct session *session, uint64_t number, const uint32_t *value, const char *key,
                const struct sweep_outcome *outcome) {
  double metric[SWEEP_METRICS];
  memcpy(metric, outcome->metric, sizeof metric);
  if (session->plan->cost)
    metric[session->metrics.count - 1] = plan_cost(session->plan, value);
  const struct store_row row = {.key = key,
                                .number = plan_grid_number(session->plan, number),
                                .value = value,
                                .status = outcome_names[outcome->end.outcome],
                                .reason = *outcome->end.reason ? outcome->end.reason : NULL,
                                .metric = outcome->end.outcome == OUTCOME_finished ? metric : NULL,
                                .seconds = outcome->seconds,
                                .how = outcome->replayed ? "replay" : "run"};
  if (!store_add(session->store, &row, &session->message))
    return false;
  return ++session->pending < ROWS_AT_ONCE || commit(session);
}

static bool take_outcome(void *self, uint64_t number, const struct sweep_outcome *outcome) {
  struct session *session = self;
  uint32_t value[PLAN_AXES];
  plan_point(session->plan, number, value);
  char *key = plan_key(session->plan, value);
  session->done++;
  session->replay_seconds += outcome->seconds;
  if (outcome->end.outcome == OUTCOME_finished)
    keep_best(session, key, outcome->metric[0]);
  const bool good = !session->store || add(session, number, value, key, outcome);
  free(key);
  return good;
}

/* ---- progress ---------------------------------------------------------------------------------------------- */

/* Formats a time: "1:05", "2:00:00". */
static const char *clock_text(double time, char text[32]) {
  const uint64_t whole = time < 1e9 ? (uint64_t)(time + 0.5) : 1000000000;
  if (whole < 3600)
    snprintf(text, 32, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
  else
    snprintf(text, 32, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

static void show(struct session *session) {
  const double rate = (double)session->done / (seconds() - session->start);
  char left[32] = "?", best[160] = "";
  if (session->done)
    clock_text((double)(session->run.tasks - session->done) / rate, left);
  if (session->best)
    snprintf(best, sizeof best, ", best %.0f cycles: %.100s", session->least, session->best);
  caller_progress(session->options->caller, "%" PRIu64 " of %zu points, %.*f a second, %s left%s", session->done,
                  session->run.tasks, rate < 10, rate, left, best);
}

static bool tick(void *self) {
  struct session *session = self;
  if (caller_due(session->options->caller))
    show(session);
  if (session->pending && seconds() - session->committed > 0.5 && !commit(session))
    return false;
  return !caller_stops(session->options->caller);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static void say_settings(const struct session *session, struct text *text) {
  for (size_t i = 0; i < session->plan->setting_count; i++)
    text_print(text, "%s%s=%s", i ? " " : "", session->plan->settings[i].name, session->plan->settings[i].value);
}

static void say_build(const struct session *session, struct text *text) {
  for (size_t i = 0; i < session->plan->build_count; i++)
    text_print(text, "%s%s", i ? " " : "", session->plan->builds[i]);
}

static void say_machines(const struct session *session, struct text *names, char hash[33]) {
  const struct sweep_target *target = &session->target;
  const size_t count = target->machine < target->names ? target->name[target->machine].count : 1;
  struct text values = {0};
  for (size_t i = 0; i < count; i++) {
    text_print(names, "%s%s", i ? " " : "", target->base[i].name);
    for (struct machine_param at = {0}; machine_param_next(&at);)
      text_print(&values, "%u\n", param_value(at.group, at.row, &target->base[i]));
  }
  sweep_hash(values.data, values.length, hash);
  free(values.data);
}

static struct store *open_store(struct session *session, const char *out, struct message *message) {
  const struct sweep_target *target = &session->target;
  const struct sweep_plan *plan = session->plan;
  struct text settings = {0}, build = {0}, machines = {0};
  char machine_hash[33], launch_hash[33], cycles[32];
  say_settings(session, &settings);
  say_build(session, &build);
  say_machines(session, &machines, machine_hash);
  sweep_hash(target->text ? target->text : "", target->length, launch_hash);
  snprintf(cycles, sizeof cycles, "%" PRIu64, session->run.bench.max_cycles);
  const struct store_fact facts[] = {
      {"warpwait", WARPWAIT_VERSION},
      {plan->trace ? "~trace" : "~launch", file_base(plan->trace ? plan->trace : plan->launch)},
      {"~plan", file_base(plan->file)},
      {"launch.hash", launch_hash},
      {"program.hash", target->program_hash},
      {"data.hash", target->data_hash},
      {"~machine", machines.data},
      {"machine.hash", machine_hash},
      {"settings", settings.data ? settings.data : ""},
      {"build", build.data ? build.data : ""},
      {"cost", plan->cost_text ? plan->cost_text : ""},
      {"max_cycles", cycles},
  };
  const struct store_subject subject = {plan, session->metrics.row, session->metrics.count, facts,
                                        sizeof facts / sizeof *facts};
  struct store *store = store_open(out, &subject, message);
  free(settings.data);
  free(build.data);
  free(machines.data);
  return store;
}

static void list_point(struct session *session, uint64_t number) {
  uint32_t value[PLAN_AXES];
  if (!plan_point(session->plan, number, value))
    return;
  session->asked++;
  char *key = session->known ? plan_key(session->plan, value) : NULL;
  const bool there = key && store_has(session->store, key);
  free(key);
  session->there += there;
  if (!there && session->run.tasks < session->options->limit)
    sweep_add(&session->run, number, value);
}

/* Points of a grid are listed in memory one by one, so refuse grids that would take too long. */
static bool check_size(const struct session *session, struct message *message) {
  const struct sweep_plan *plan = session->plan;
  if (session->options->points.number || plan->grid <= SESSION_POINTS || plan->drawn)
    return true;
  const struct plan_counted counted = plan_count(plan);
  return (plan->grid <= SESSION_GRID && counted.points / session->options->shards <= SESSION_POINTS) ||
         message_fail(
             message,
             "%s: %" PRIu64 " points, of which %s%" PRIu64 " satisfy the constraints; legal: up to %d, of a grid of up "
             "to %d; draw some with sample = random N or latin N",
             plan->file, plan->grid, counted.exact ? "" : "about ", counted.points, SESSION_POINTS, SESSION_GRID);
}

static void list_points(struct session *session) {
  const struct session_options *options = session->options;
  const struct session_points *points = &options->points;
  session->known = session->store && store_count(session->store);
  for (size_t i = 0; i < points->count; i++)
    if (points->number[i] % options->shards == options->shard)
      list_point(session, points->number[i]);
  for (uint64_t i = options->shard; !points->number && i < session->plan->points; i += options->shards)
    list_point(session, i);
  sweep_group_all(&session->run);
}

bool session_open(struct session *session, struct sweep_plan *plan, const struct session_options *options,
                  const char *out, struct message *message) {
  *session = (struct session){.options = options, .plan = plan};
  if (!sweep_target_open(&session->target, plan, options->reads, options->caller, message))
    return false;
  const cycle_t usual = plan->max_cycles ? plan->max_cycles : plan->trace ? session->target.max_cycles : CYCLES;
  session->metrics = sweep_metrics_new(plan->cost);
  session->run = (struct sweep_run){
      .bench = {.target = &session->target, .max_cycles = options->max_cycles ? options->max_cycles : usual},
      .pool = caller_pool(options->caller),
      .jobs = (unsigned)options->jobs,
      .take = take_outcome,
      .tick = tick,
      .self = session};
  if (!check_size(session, message) || (out && !(session->store = open_store(session, out, message))))
    return false;
  if (plan->trace)
    trace_job_warn(session->target.trace, &session->target.recorded, options->caller);
  if (session->store && options->again)
    store_again(session->store);
  list_points(session);
  return true;
}

void session_close(struct session *session) {
  if (session->store)
    store_close(session->store);
  sweep_run_free(&session->run);
  sweep_metrics_free(&session->metrics);
  sweep_target_close(&session->target);
  free(session->best);
}

/* ---- running ------------------------------------------------------------------------------------------------ */

static bool run_points(struct session *session, struct message *message) {
  caller_busy(session->options->caller, true);
  session->start = session->committed = seconds();
  bool good = sweep_run_all(&session->run, message);
  caller_busy(session->options->caller, false);
  if (*session->message.text)
    *message = session->message;
  return good;
}

bool session_run(struct session *session, struct message *message) {
  bool good = run_points(session, message);
  if (!*session->message.text && !commit(session)) {
    *message = session->message;
    good = false;
  }
  if (caller_stops(session->options->caller) && !*session->message.text)
    return message_fail(message,
                        "interrupted: %" PRIu64 " of %" PRIu64 " points are done; repeat the command to continue",
                        session->there + session->done, session->asked);
  return good;
}

/* ---- a dry run ------------------------------------------------------------------------------------------------ */

enum { SAMPLE_GROUPS = 4, SAMPLE_POINTS = 8 /* of each group */ };

/* A few points of a few groups, evenly spaced. */
static struct sweep_run sample_of(const struct sweep_run *all) {
  struct sweep_run sample = *all;
  const size_t groups = all->groups < SAMPLE_GROUPS ? all->groups : SAMPLE_GROUPS;
  sample.group = NULL;
  sample.task = NULL;
  sample.groups = sample.group_room = sample.tasks = sample.task_room = 0;
  for (size_t i = 0; i < groups; i++) {
    const struct sweep_group *group = &all->group[i * all->groups / groups];
    const size_t points = group->count < SAMPLE_POINTS ? group->count : SAMPLE_POINTS;
    for (size_t j = 0; j < points; j++) {
      uint32_t value[PLAN_AXES];
      const uint64_t number = all->task[group->first + j * group->count / points].number;
      plan_point(all->bench.target->plan, number, value);
      sweep_add(&sample, number, value);
    }
  }
  sweep_group_all(&sample);
  return sample;
}

/* A recording takes as long as a run; the other points take as long as those of the sample. */
static double estimate(const struct session *session, const struct sweep_run *all) {
  const struct sweep_run *sample = &session->run;
  size_t recorded = 0;
  for (size_t i = 0; i < sample->groups; i++)
    recorded += sample->group[i].recorded < sample->group[i].first + sample->group[i].count;
  const double others = (double)(session->done - recorded);
  const double recording = recorded ? sample->recording_seconds / (double)recorded : 0;
  const double replay = others > 0 ? (session->replay_seconds - sample->recording_seconds) / others : recording;
  const double recordings = (double)all->groups * (double)recorded / (double)(sample->groups ? sample->groups : 1);
  return (recordings * recording + ((double)all->tasks - recordings) * replay) / all->jobs;
}

/* Says how many points of a latin sample were dropped. */
static void print_sample(const struct sweep_plan *plan, struct text *text) {
  if (plan->sample == SWEEP_LATIN && plan->points < plan->samples)
    text_print(text,
               "latin: of %" PRIu64 " points drawn, constraints exclude %" PRIu64 ", and %" PRIu64 " are repeats\n",
               plan->samples, plan->excluded, plan->repeated);
}

bool session_estimate(struct session *session, struct text *text, struct message *message) {
  struct sweep_run all = session->run;
  struct store *store = session->store;
  char time[32];
  session->store = NULL; /* nothing is stored */
  session->run = sample_of(&all);
  const bool good = run_points(session, message);
  if (good) {
    text_print(text, "%" PRIu64 " point%s", session->asked, text_s(session->asked));
    if (session->there)
      text_print(text, ", of which %" PRIu64 " %s done", session->there, session->there == 1 ? "is" : "are");
    text_print(text, "; to run: %zu point%s, from %zu recording%s\n", all.tasks, text_s(all.tasks), all.groups,
               text_s(all.groups));
    print_sample(session->plan, text);
    text_print(text, "time: about %s with %u job%s, from %" PRIu64 " point%s\n",
               clock_text(estimate(session, &all), time), all.jobs, text_s(all.jobs), session->done,
               text_s(session->done));
  } else if (caller_stops(session->options->caller)) {
    message_fail(message, "interrupted");
  }
  sweep_run_free(&session->run);
  session->run = all;
  session->store = store;
  return good;
}

/* ---- summary ---------------------------------------------------------------------------------------------------- */

static void add_status(void *context, const char *name, const char *value) {
  struct text *text = context;
  text_print(text, "%s%s %s", text->length ? ", " : "", value, name);
}

struct best {
  struct text *text;
  const char *metric;
};

static void print_best(void *context, const char *key, const char *value) {
  const struct best *best = context;
  text_print(best->text, "best: %s %s with %s\n", value, best->metric, *key ? key : "no axes");
}

bool session_sum_up(struct session *session, const char *out, struct text *text, struct message *message) {
  struct best best = {text, store_clocks_vary(session->store) ? "microseconds" : "cycles"};
  const struct store_order order = {.metric = best.metric, .count = 1};
  struct text statuses = {0};
  bool good = store_statuses(session->store, add_status, &statuses, message);
  if (good)
    text_print(text, "%" PRIu64 " point%s: %s; %" PRIu64 " run now\n", store_count(session->store),
               text_s(store_count(session->store)), statuses.data ? statuses.data : "none", session->done);
  good = good && store_best(session->store, &order, print_best, &best, message);
  if (good)
    text_print(text, "results: %s\n", out);
  free(statuses.data);
  return good;
}

/* ---- --points: numbers of points, one per line ---- */

enum { MOST_BYTES = 1 << 30 };

static int by_number(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

/* Sorts the numbers and removes duplicates. */
static void sort(struct session_points *points) {
  size_t kept = 0;
  if (points->count)
    qsort(points->number, points->count, sizeof *points->number, by_number);
  for (size_t i = 0; i < points->count; i++)
    if (!kept || points->number[i] != points->number[kept - 1])
      points->number[kept++] = points->number[i];
  points->count = kept;
}

bool session_points_read(const char *path, uint64_t grid, struct session_points *points, struct message *message) {
  char *text;
  size_t size;
  if (!file_read(path, MOST_BYTES, &text, &size, message))
    return false;
  size_t room = 1;
  for (const char *at = text; *at; at++)
    room += *at == '\n';
  points->number = need(room, sizeof *points->number);
  bool good = true;
  int line = 1;
  for (const char *at = text; good && *at; at++, line++) {
    const char *start = at;
    uint64_t number;
    good = (text_read_whole(&at, &number) && (!*at || *at == '\n') && number < grid) ||
           message_fail(message, "%s:%d: '%.*s' is not the number of a point, from 0 to %" PRIu64, path, line,
                        (int)strcspn(start, "\n") < 40 ? (int)strcspn(start, "\n") : 40, start, grid - 1);
    if (good)
      points->number[points->count++] = number;
    if (good && !*at)
      break;
  }
  free(text);
  sort(points);
  return good;
}
