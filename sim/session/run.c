#include "sim/session/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/functional.h"
#include "models/machine_groups.h"
#include "models/simulation.h"
#include "sim/base/need.h"
#include "sim/base/processors.h"
#include "sim/host/vcd.h"

/* ---- progress --------------------------------------------------------------------------------- */

struct reporter {
  const struct run_options *options;
  cycle_t start; /* of the current launches */
};

/* ---- interruption: the caller requests it, and a report of progress detects it ------------------ */

/* Was a launch stopped, or should a stop skip the launches after the first `count`? */
static bool stops(const struct job *job, const struct run_options *options, const struct launch_result *results,
                  size_t first, size_t count) {
  for (size_t i = first; i < count; i++)
    if (results[i].end == END_STOPPED)
      return true;
  return caller_stops(options->caller) && count < job->launch_count;
}

static bool fail_interrupted(const struct job *job, size_t index, const struct launch_result *results, size_t count,
                             struct message *message) {
  uint64_t done = 0, groups = 0;
  for (size_t i = 0; i < count; i++) {
    done += results[i].cu.work_groups;
    groups += results[i].work_groups;
  }
  char place[40] = "";
  if (!results->functional)
    snprintf(place, sizeof place, ", at cycle %" PRIu64, results->together_cycles);
  return message_fail(message,
                      "interrupted in launch %zu of %zu, kernel '%s'%s: %" PRIu64 " of %" PRIu64
                      " work-groups had finished; nothing is reported",
                      index + 1, job->launch_count, job->launches[index].isa.kernel->name, place, done, groups);
}

static bool report(void *context, cycle_t cycles, uint64_t done, uint64_t groups) {
  struct reporter *reporter = context;
  const struct run_options *options = reporter->options;
  for (size_t i = 0; i < options->watcher_count; i++) {
    const struct run_watcher *watcher = options->watchers[i];
    if (watcher->settle && !watcher->settle(watcher->self, reporter->start + cycles, done, groups))
      return false;
  }
  const bool stops = caller_stops(options->caller);
  if (!stops && caller_due(options->caller))
    caller_progress(options->caller, "cycle %" PRIu64 ", %" PRIu64 " of %" PRIu64 " work-groups", cycles, done, groups);
  return !stops;
}

/* ---- watchers ---------------------------------------------------------------------------------- */

/* Each wraps those before it. NULL: only executors. */
static const struct source_maker *make_sources(const struct run_options *options,
                                               struct source_maker made[RUN_WATCHERS]) {
  const struct source_maker *inner = NULL;
  for (size_t i = 0; i < options->watcher_count; i++)
    if (options->watchers[i]->sources) {
      made[i] = options->watchers[i]->sources(options->watchers[i]->self, inner);
      inner = &made[i];
    }
  return inner;
}

/* Combines all timelines into one. */
struct audience {
  struct timeline all, *one[RUN_WATCHERS];
  size_t count;
};

static void broadcast_event(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  const struct audience *audience = self;
  for (size_t i = 0; i < audience->count; i++)
    if (audience->one[i]->kinds >> event->kind & 1)
      audience->one[i]->take(audience->one[i]->self, stream, now, event);
}

/* The timeline for the simulation; NULL: none. */
static struct timeline *audience_of(const struct run_options *options, struct audience *audience) {
  for (size_t i = 0; i < options->watcher_count; i++)
    if (options->watchers[i]->timeline)
      audience->one[audience->count++] = options->watchers[i]->timeline;
  if (audience->count < 2)
    return audience->count ? audience->one[0] : NULL;
  audience->all = (struct timeline){.take = broadcast_event, .self = audience};
  for (size_t i = 0; i < audience->count; i++)
    audience->all.kinds |= audience->one[i]->kinds;
  return &audience->all;
}

/* ---- the run ----------------------------------------------------------------------------------- */

struct engine {
  struct machine *machine;
  struct simulation *simulation; /* NULL, like `host`: all launches so far were functional */
  struct host *host;
  unsigned threads;              /* of the host */
  struct functional *functional; /* NULL: no launch was functional so far */
  bool watched;                  /* the previous run was */
};

static struct host *make_plain(struct island **islands, size_t count, const struct run_options *options) {
  enum { EACH = 8, LEAST = 4, LATER = 64 }; /* for host_sharing; EACH: islands per thread */
  const unsigned most = (unsigned)(count / EACH), processors = processors_online();
  const struct host_sharing sharing = {
      .threads = options->threads != RUN_BEST_THREADS ? options->threads
                 : processors < most                  ? processors
                                                      : most,
      .islands = LEAST,
      .later = LATER,
  };
  return sharing.threads > 1 ? host_threads(islands, count, &sharing)
                             : host_plain(islands, count, options->order, options->seed);
}

/* Makes the host, or another one if the number of threads changes. */
static bool engine_host(struct engine *engine, const struct run_options *options, struct message *message) {
  size_t count = 0;
  const char *why = "";
  if (engine->host && options->threads == engine->threads)
    return true;
  if (engine->host)
    engine->host->free(engine->host);
  /* Another order permutes the parts of all islands, so it needs them all built. */
  if (options->order != ORDER_ASCENDING)
    simulation_build(engine->simulation);
  struct island **islands = simulation_islands(engine->simulation, &count);
  engine->threads = options->threads;
  engine->host = options->make_host ? options->make_host(options->host_self, islands, count,
                                                         machine_cu(engine->machine)->clock_mhz, &why)
                                    : make_plain(islands, count, options);
  return engine->host || message_fail(message, "--host: %s", why);
}

static void run_functional(struct engine *engine, struct isa_launch *const *launches, size_t count, cycle_t limit,
                           const struct progress *progress, struct launch_result *results) {
  if (!engine->functional)
    engine->functional = functional_new(engine->machine);
  functional_run(engine->functional, launches, count, limit, progress, results);
  for (size_t i = 0; i < count; i++)
    results[i].start = engine_now(engine);
}

/* A replay ends where its recording ended. */
static cycle_t limit_of(const struct job_launch *launch, cycle_t max_cycles) {
  return launch->max_cycles ? cycle_min(launch->max_cycles, max_cycles) : max_cycles;
}

static bool all_finished(const struct launch_result *results, size_t count) {
  size_t i = 0;
  while (i < count && results[i].end == END_FINISHED)
    i++;
  return i == count;
}

/* Runs the launches from number `first` that run at once, one or several. */
static void run_at_once(struct job *job, size_t first, struct engine *engine, const struct run_options *options,
                        const struct progress *progress, struct launch_result *results) {
  struct isa_launch *launches[RESULT_TOGETHER] = {0};
  struct print_log logs[RESULT_TOGETHER];
  const size_t count = job->launches[first].together;
  const cycle_t limit = limit_of(&job->launches[first], options->max_cycles);
  for (size_t i = 0; i < count; i++) {
    launches[i] = &job->launches[first + i].isa;
    logs[i] = (struct print_log){.limit = PRINTED_BYTES};
    launches[i]->print = print_log_take;
    launches[i]->print_context = &logs[i];
  }
  if (options->functional)
    run_functional(engine, launches, count, limit, progress, results + first);
  else
    simulation_run_together(engine->simulation, engine->host, launches, count, limit, progress, results + first);
  for (size_t i = 0; i < count; i++) {
    job->launches[first + i].printed = print_log_finish(&logs[i]);
    launches[i]->print = NULL;
  }
}

static bool run_launches(struct job *job, struct engine *engine, const struct run_options *options,
                         struct audience *audience, struct launch_result *results, size_t *count,
                         struct message *message) {
  struct reporter reporter = {.options = options};
  const struct progress progress = {report, &reporter};
  bool good = true, finished = true;
  caller_busy(options->caller, true);
  for (*count = 0; good && finished && *count < job->launch_count;) {
    const size_t first = *count;
    reporter.start = engine_now(engine);
    audience->all.launch = (uint32_t)first;
    for (size_t i = 0; i < audience->count; i++)
      audience->one[i]->launch = (uint32_t)first;
    run_at_once(job, first, engine, options, &progress, results);
    *count = first + job->launches[first].together;
    finished = all_finished(&results[first], *count - first);
    if (stops(job, options, results, first, *count))
      good = fail_interrupted(job, first, &results[first], *count - first, message);
  }
  caller_busy(options->caller, false);
  return good;
}

/* Like run_launches(), and writes the waveform of all islands. */
static bool run_with_waveform(struct job *job, struct engine *engine, const struct run_options *options,
                              struct audience *audience, struct launch_result *results, size_t *count,
                              struct message *message) {
  struct host *host = engine->host;
  size_t islands = 0;
  if (!host || !options->vcd)
    return run_launches(job, engine, options, audience, results, count, message);
  simulation_show_every_cycle(engine->simulation);
  struct island **island = simulation_islands(engine->simulation, &islands);
  host->waveform = waveform_new(options->vcd, island, islands, machine_cu(job->machine)->clock_mhz);
  const bool good = run_launches(job, engine, options, audience, results, count, message);
  waveform_free(host->waveform);
  host->waveform = NULL;
  return good;
}

/* ---- engines ----------------------------------------------------------------------------------- */

static void engine_end(struct engine *engine) {
  if (engine->host)
    engine->host->free(engine->host);
  simulation_free(engine->simulation);
  functional_free(engine->functional);
}

struct engine *engine_new(const struct machine *machine) {
  struct engine *engine = need(1, sizeof *engine);
  engine->machine = machine_copy(machine);
  return engine;
}

void engine_free(struct engine *engine) {
  if (!engine)
    return;
  engine_end(engine);
  free(engine->machine);
  free(engine);
}

cycle_t engine_now(const struct engine *engine) {
  return engine->simulation ? simulation_start(engine->simulation) : 0;
}

bool engine_run(struct engine *engine, struct job *job, const struct run_options *options,
                struct launch_result *results, size_t *count, struct message *message) {
  struct source_maker made[RUN_WATCHERS];
  struct audience audience = {.count = 0};
  const struct source_maker *sources = make_sources(options, made);
  struct timeline *timeline = audience_of(options, &audience);
  const bool watched = sources || timeline;
  const struct run_options plain = {.threads = options->threads};
  *count = 0;
  if (options->functional)
    return run_launches(job, engine, options, &audience, results, count, message);
  if (!engine->simulation)
    engine->simulation = simulation_new_with(engine->machine, NULL);
  if (!engine_host(engine, &plain, message))
    return false;
  if (watched || engine->watched)
    simulation_watch(engine->simulation, sources, timeline);
  engine->watched = watched;
  return run_launches(job, engine, options, &audience, results, count, message);
}

bool run_job(struct job *job, const struct run_options *options, struct launch_result **results, size_t *count,
             struct message *message) {
  *results = need(job->launch_count, sizeof **results);
  *count = 0;
  if (!job_variables(job, message))
    return false;
  struct source_maker made[RUN_WATCHERS];
  struct audience audience = {.count = 0};
  struct engine engine = {.machine = job->machine};
  struct timeline *timeline = audience_of(options, &audience);
  if (!options->functional)
    engine.simulation = simulation_new_with(job->machine, make_sources(options, made));
  bool good = options->functional || engine_host(&engine, options, message);
  if (engine.simulation && timeline)
    simulation_emit(engine.simulation, timeline);
  good = good && run_with_waveform(job, &engine, options, &audience, *results, count, message);
  engine_end(&engine);
  return good;
}

bool run_finished(const struct job *job, const struct launch_result *results, size_t count) {
  return all_finished(results, count) && count == job->launch_count;
}

/* "1-31", "0, 2, 5-7 ..." */
static void say_set(uint64_t set, uint32_t first, struct text *text) {
  enum { RANGES = 4 };
  unsigned ranges = 0;
  for (uint32_t at = 0; at < 64 && set >> at; ranges++) {
    at += (uint32_t)__builtin_ctzll(set >> at);
    uint32_t last = at;
    while (last < 63 && set >> (last + 1) & 1)
      last++;
    if (ranges == RANGES) {
      text_print(text, " ...");
      return;
    }
    text_print(text, "%s%" PRIu32, ranges ? ", " : "", first + at);
    if (last > at)
      text_print(text, "-%" PRIu32, first + last);
    at = last + 1;
  }
}

static bool is_one(uint64_t set) { return !(set & (set - 1)); }

void run_poll(const struct launch_result *result, const struct stuck_warp *warp, struct text *text) {
  const struct warp_poll *poll = &warp->poll;
  text_print(text, "lane%s ", is_one(poll->lanes) ? "" : "s");
  say_set(poll->lanes, 0, text);
  text_print(text, " of warp %" PRIu32, warp->warp);
  if (result->work_groups > 1)
    text_print(text, " of work-group (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", warp->group[0], warp->group[1],
               warp->group[2]);
  text_print(text, " poll%s ", is_one(poll->lanes) ? "s" : "");
  if (!*poll->name && !poll->local)
    text_print(text, "address 0x%" PRIx64, poll->offset);
  else if (poll->same)
    text_print(text, "byte %" PRIu64, poll->offset);
  else
    text_print(text, "bytes %" PRIu64 " to %" PRIu64, poll->offset, poll->offset + poll->bytes - 1);
  if (*poll->name)
    text_foreign(text, " of %s'%s'", poll->local ? "local " : "", poll->name);
  else if (poll->local)
    text_print(text, " of the work-group's LDS");
  if (!poll->waiting)
    return;
  text_print(text, "; work-item%s ", is_one(poll->waiting) ? "" : "s");
  say_set(poll->waiting, poll->first_item, text);
  text_print(text, "%s wait%s for %s to reconverge",
             poll->exchange && is_one(poll->waiting) ? ", which holds it,"
             : poll->exchange && !poll->same         ? ", which hold theirs,"
                                                     : "",
             is_one(poll->waiting) ? "s" : "", is_one(poll->lanes) ? "it" : "them");
}

void run_polls(const struct launch_result *result, struct text *text) {
  const struct stuck_warp *first = NULL;
  /* Preferably one that shows who holds a lock. */
  for (size_t i = 0; i < result->stuck_count && i < RESULT_STUCK; i++) {
    const struct warp_poll *poll = &result->stuck[i].poll;
    if (poll->lanes && (!first || (poll->waiting && !first->poll.waiting)))
      first = &result->stuck[i];
  }
  if (!first || result->end != END_CYCLE_LIMIT)
    return;
  run_poll(result, first, text);
  if (result->stuck_count > 1)
    text_print(text, "; %s more warp%s poll%s or wait%s", TEXT_WHOLE(result->stuck_count - 1),
               text_s(result->stuck_count - 1), result->stuck_count == 2 ? "s" : "",
               result->stuck_count == 2 ? "s" : "");
  if (result->never_started)
    text_print(text, "; %s work-group%s %s not started%s", TEXT_WHOLE(result->never_started),
               text_s(result->never_started), result->never_started == 1 ? "has" : "have",
               result->all_stuck ? ", because none of these ends" : "");
  else if (result->all_stuck && !first->poll.waiting)
    text_print(text, "; no other warp is left to change it");
}

void run_unfinished(const struct job *job, const struct launch_result *results, size_t index, cycle_t max_cycles,
                    struct message *message) {
  const struct launch_result *result = &results[index];
  const char *kernel = job->launches[index].isa.kernel->name;
  if (result->functional)
    message_fail(message, "launch %zu, kernel '%s': %s", index + 1, kernel,
                 result->end == END_DEADLOCK ? "deadlock" : "a warp has executed the maximum number of instructions");
  else if (result->end == END_DEADLOCK)
    message_fail(message, "launch %zu, kernel '%s': deadlock at cycle %" PRIu64 ": %zu warp%s forever", index + 1,
                 kernel, result->cycles, result->stuck_count, result->stuck_count == 1 ? " waits" : "s wait");
  else {
    struct text polls = {0};
    run_polls(result, &polls);
    message_fail(message, "launch %zu, kernel '%s': not finished after %" PRIu64 " cycles (--max-cycles)%s%s",
                 index + 1, kernel, limit_of(&job->launches[index], max_cycles), polls.data ? ": " : "",
                 polls.data ? polls.data : "");
    free(polls.data);
  }
}

void run_free(struct launch_result *results, size_t count) {
  for (size_t i = 0; i < count; i++)
    launch_result_free(&results[i]);
  free(results);
}
