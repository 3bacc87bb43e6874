/* What text and JSON say of a step, worked out once. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/explain_report.h"
#include "sim/cli/lines.h"
#include "sim/core/need.h"

double explain_percent(const struct explain_view *view, int64_t cycles) {
  return 100 * per((double)cycles, (double)view->cycles);
}

void explain_words(limit_set set, struct text *text) {
  const char *before = "the ";
  for (enum limit_cause cause = 0; cause < CAUSES; cause++)
    if (set == limits_of(cause)) {
      text_print(text, "all %s", cause_rows[cause].all);
      return;
    }
  if (set == limits_all() || set == limits_outside()) {
    text_print(text, "all limits%s", set == limits_all() ? "" : " but those of computing");
    return;
  }
  for (enum limit i = 0; i < LIMITS; i++)
    if (set & limit_bit(i)) {
      text_print(text, "%s%s", before, lift_rows[i].name);
      before = " and the ";
    }
}

/* ---- places ---------------------------------------------------------------------------------------- */

static uint64_t wait_of(const struct line_cost *line) { return line->cycles - line->cost.stalls[STALL_ISSUED]; }

/* The instruction of a line at which warps wait longest. */
static uint32_t longest_wait(const struct isa_program *program, const struct launch_result *result,
                             const struct line_cost *line) {
  uint32_t longest = 0;
  uint64_t most = 0;
  for (uint32_t pc = 0; pc < program->count; pc++) {
    uint64_t wait = 0;
    if (report_line(program, pc) != line->line ||
        (line->line && program->source && program->source[pc] != line->source))
      continue;
    for (size_t s = 0; s < STALLS; s++)
      wait += s == STALL_ISSUED ? 0 : result->by_pc[pc].stalls[s];
    longest = wait > most ? pc : longest;
    most = cycle_max(most, wait);
  }
  return longest;
}

static void add_place(struct explain_view *view, const struct explain_place *place) {
  size_t at = view->places < EXPLAIN_PLACES ? view->places++ : EXPLAIN_PLACES;
  for (; at && view->place[at - 1].wait < place->wait; at--)
    if (at < EXPLAIN_PLACES)
      view->place[at] = view->place[at - 1];
  if (at < EXPLAIN_PLACES)
    view->place[at] = *place;
}

static void find_places(struct explain_view *view, size_t launch) {
  const struct isa_program *program = view->run->job.launches[launch].isa.program;
  const struct launch_result *result = &view->run->results[launch];
  size_t count = 0;
  struct line_cost *lines = lines_of(program, result, &count);
  for (size_t i = 0; i < count; i++) {
    const struct explain_place place = {.launch = launch,
                                        .pc = longest_wait(program, result, &lines[i]),
                                        .wait = wait_of(&lines[i]),
                                        .stall = line_stall(&lines[i])};
    if (place.wait && place.wait * 50 >= view->resident)
      add_place(view, &place);
  }
  free(lines);
}

uint64_t explain_wait_left(const struct explain_view *view, const struct explain_place *place,
                           const struct explain_case *without) {
  const struct job *job = &view->run->job;
  const struct isa_program *program = job->launches[place->launch].isa.program;
  uint64_t left = 0;
  size_t word = 0;
  for (size_t i = 0; i < place->launch; i++)
    word += job->launches[i].isa.program->count;
  for (uint32_t pc = 0; pc < program->count; pc++)
    if (report_same_line(program, pc, place->pc))
      left += without->wait[word + pc];
  return left;
}

/* Of the limits that help the step, the one without which the least is left. */
static void find_without(const struct explain_view *view, struct explain_place *place) {
  const int64_t least = (int64_t)explain_tolerance(view->cycles);
  place->left = place->wait;
  for (size_t i = 0; i < view->ranks; i++) {
    if (!view->rank[i]->same_program || explain_saved(&view->run->explain, view->rank[i], view->step) <= least)
      continue;
    const uint64_t left = explain_wait_left(view, place, view->rank[i]);
    if (left < place->left) {
      place->left = left;
      place->without = view->rank[i];
    }
  }
}

/* ---- sets ------------------------------------------------------------------------------------------ */

static void find_pairs(struct explain_view *view) {
  const struct explain *explain = &view->run->explain;
  for (size_t i = 0; i < explain->count; i++) {
    const struct explain_case *at = &explain->cases[i];
    if (__builtin_popcountll(at->lifted) != 2 || at->status != EXPLAIN_FINISHED)
      continue;
    /* Of several launches, pairs of each are tried: this one's are of its own first ranks. */
    limit_set tops = 0;
    for (size_t j = 0; j < view->ranks && j < EXPLAIN_TOP; j++)
      tops |= view->rank[j]->lifted;
    if (at->lifted & ~tops)
      continue;
    size_t place = view->pairs < EXPLAIN_PAIRS ? view->pairs++ : EXPLAIN_PAIRS;
    for (; place && explain_saved(explain, view->pair[place - 1], view->step) < explain_saved(explain, at, view->step);
         place--)
      if (place < EXPLAIN_PAIRS)
        view->pair[place] = view->pair[place - 1];
    if (place < EXPLAIN_PAIRS)
      view->pair[place] = at;
  }
}

void explain_view(const struct explain_run *run, const struct explain_vary *vary, size_t step,
                  struct explain_view *view) {
  const struct explain *explain = &run->explain;
  const size_t first = explain->first[step];
  *view = (struct explain_view){.run = run,
                                .vary = vary,
                                .step = step,
                                .launches = run->job.launches[first].together,
                                .cycles = explain->cases[0].time[step].cycles,
                                .outside = explain_find(explain, limits_outside()),
                                .all = explain_find(explain, limits_all())};
  for (size_t i = first; i < first + view->launches; i++) {
    view->resident += run->results[i].resident_cycles;
    for (size_t s = 0; s < STALLS; s++)
      view->stalls[s] += run->results[i].stalls[s];
  }
  view->ranks = explain_rank(explain, step, view->rank);
  find_pairs(view);
  view->phases = explain_phases(explain, step, view->phase);
  for (size_t i = first; i < first + view->launches; i++)
    find_places(view, i);
  for (size_t i = 0; i < view->places; i++)
    find_without(view, &view->place[i]);
}
