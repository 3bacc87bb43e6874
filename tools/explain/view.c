/* The facts about a step that text and JSON share. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/report/report.h"
#include "tools/explain/report.h"

double explain_percent(const struct explain_view *view, int64_t cycles) {
  return 100 * per((double)cycles, (double)view->cycles);
}

void explain_words(limit_set set, struct text *text) {
  const char *before = "";
  for (enum limit_cause cause = 0; cause < CAUSES; cause++)
    if (set == limits_of(cause)) {
      text_print(text, "all %s", cause_rows[cause].all);
      return;
    }
  if (set == limits_all() || set == limits_outside()) {
    text_print(text, "all limits%s", set == limits_all() ? "" : " except those of computing");
    return;
  }
  for (enum limit i = 0; i < LIMITS; i++)
    if (set & limit_bit(i)) {
      text_print(text, "%s%s", before, lift_rows[i].name);
      before = " and ";
    }
}

/* ---- places ---------------------------------------------------------------------------------------- */

uint64_t explain_wait_left(const struct explain_view *view, size_t place, const struct explain_case *without) {
  return without->wait[view->step * EXPLAIN_PLACES + place];
}

/* Among the limits that help the step, the one that leaves the shortest wait. */
static const struct explain_case *find_without(const struct explain_view *view, size_t place) {
  const int64_t least = (int64_t)bottleneck_tolerance(view->cycles);
  const struct explain_case *without = NULL;
  uint64_t fewest = view->base->place[place].wait;
  for (size_t i = 0; i < view->ranks; i++) {
    if (!view->rank[i]->same_program || explain_saved(&view->run->explain, view->rank[i], view->step) <= least)
      continue;
    const uint64_t left = explain_wait_left(view, place, view->rank[i]);
    if (left < fewest) {
      fewest = left;
      without = view->rank[i];
    }
  }
  return without;
}

/* ---- sets ------------------------------------------------------------------------------------------ */

static void find_pairs(struct explain_view *view) {
  const struct explain *explain = &view->run->explain;
  for (size_t i = 0; i < explain->count; i++) {
    const struct explain_case *at = &explain->cases[i];
    if (__builtin_popcountll(at->lifted) != 2 || at->status != OUTCOME_finished)
      continue;
    /* Pairs are tried for every step; this step's are those of its own first ranks. */
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

void explain_view(const struct explain_run *run, const struct explain_tries *tries, size_t step,
                  struct explain_view *view) {
  const struct explain *explain = &run->explain;
  const size_t first = explain->first[step];
  *view = (struct explain_view){.run = run,
                                .vary = tries->vary,
                                .changes = tries->changes,
                                .step = step,
                                .launches = run->job.launches[first].together,
                                .base = &run->places.step[step],
                                .cycles = explain->cases[0].time[step].cycles,
                                .outside = explain_find(explain, limits_outside()),
                                .all = explain_find(explain, limits_all())};
  view->ranks = explain_rank(explain, step, view->rank);
  find_pairs(view);
  view->phases = explain_phases(explain, step, view->phase);
  for (size_t i = 0; i < view->base->places; i++)
    view->without[i] = find_without(view, i);
  if (!view->changes)
    return;
  view->better = need(view->changes->count, sizeof *view->better);
  view->better_count = explain_changes_rank(view->changes, step, view->better);
}

void explain_view_free(struct explain_view *view) { free(view->better); }
