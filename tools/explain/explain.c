#include "tools/explain/explain.h"

#include <string.h>

#include "sim/base/need.h"

const struct explain_case *explain_find(const struct explain *explain, limit_set set) {
  for (size_t i = 0; i < explain->count; i++)
    if (explain->cases[i].lifted == set && explain->cases[i].status == OUTCOME_finished)
      return &explain->cases[i];
  return NULL;
}

int64_t explain_saved(const struct explain *explain, const struct explain_case *of, size_t step) {
  return of ? (int64_t)explain->cases[0].time[step].cycles - (int64_t)of->time[step].cycles : 0;
}

const struct explain_case *explain_anomaly(const struct explain *explain, const struct explain_case *of, size_t step) {
  const struct explain_case *least = of;
  for (size_t i = 0; i < explain->count; i++) {
    const struct explain_case *at = &explain->cases[i];
    if (at->status == OUTCOME_finished && !(at->lifted & ~of->lifted) &&
        at->time[step].cycles < least->time[step].cycles)
      least = at;
  }
  const cycle_t tolerance = bottleneck_tolerance(explain->cases[0].time[step].cycles);
  return of->time[step].cycles - least->time[step].cycles > tolerance ? least : NULL;
}

/* ---- ranks ----------------------------------------------------------------------------------------- */

static bool is_single(limit_set set) { return set && !(set & (set - 1)); }

size_t explain_rank(const struct explain *explain, size_t step, const struct explain_case *rank[LIMITS]) {
  size_t count = 0;
  for (size_t i = 0; i < explain->count; i++) {
    const struct explain_case *at = &explain->cases[i];
    if (!is_single(at->lifted) || at->status != OUTCOME_finished)
      continue;
    size_t place = count++;
    for (; place && explain_saved(explain, rank[place - 1], step) < explain_saved(explain, at, step); place--)
      rank[place] = rank[place - 1];
    rank[place] = at;
  }
  return count;
}

static bool contains(const limit_set *list, size_t count, limit_set set) {
  while (count && list[count - 1] != set)
    count--;
  return count;
}

static enum limit limit_of(limit_set set) { return (enum limit)__builtin_ctzll(set); }

const struct explain_case *explain_partner(const struct explain *explain, const struct explain_case *first,
                                           size_t step) {
  const struct explain_case *rank[LIMITS];
  const size_t ranks = explain_rank(explain, step, rank);
  const int64_t least = (int64_t)bottleneck_tolerance(explain->cases[0].time[step].cycles);
  const enum limit_cause cause = lift_rows[limit_of(first->lifted)].cause;
  const enum limit_cause other = cause == CAUSE_LATENCY ? CAUSE_ROOM : cause == CAUSE_ROOM ? CAUSE_LATENCY : CAUSES;
  for (size_t i = 0; i < ranks && explain_saved(explain, rank[i], step) > least; i++)
    if (lift_rows[limit_of(rank[i]->lifted)].cause == other)
      return rank[i];
  return NULL;
}

const struct explain_case *explain_same(const struct explain *explain, const struct explain_case *first,
                                        const struct explain_case *partner, size_t step) {
  const struct explain_case *both = partner ? explain_find(explain, first->lifted | partner->lifted) : NULL;
  return both && !explain_anomaly(explain, both, step) &&
                 bottleneck_same(explain_saved(explain, first, step), explain_saved(explain, partner, step),
                                 explain_saved(explain, both, step))
             ? both
             : NULL;
}

limit_set *explain_partners(const struct explain *explain, size_t *count) {
  limit_set *pair = need(explain->steps, sizeof *pair);
  *count = 0;
  for (size_t step = 0; step < explain->steps; step++) {
    const struct explain_case *rank[LIMITS];
    const bool ranked = explain_rank(explain, step, rank);
    const struct explain_case *partner = ranked ? explain_partner(explain, rank[0], step) : NULL;
    if (partner && !contains(pair, *count, rank[0]->lifted | partner->lifted))
      pair[(*count)++] = rank[0]->lifted | partner->lifted;
  }
  return pair;
}

limit_set *explain_pairs(const struct explain *explain, size_t *count) {
  limit_set *pair = explain_partners(explain, count);
  pair = need_more(pair, explain->steps * (EXPLAIN_TOP * EXPLAIN_TOP + 1), sizeof *pair);
  for (size_t step = 0; step < explain->steps; step++) {
    const struct explain_case *rank[LIMITS];
    const size_t ranks = explain_rank(explain, step, rank);
    const int64_t least = (int64_t)bottleneck_tolerance(explain->cases[0].time[step].cycles);
    for (size_t i = 0; i < ranks && i < EXPLAIN_TOP; i++)
      for (size_t j = 0; j < i && explain_saved(explain, rank[i], step) > least; j++) {
        const limit_set set = rank[i]->lifted | rank[j]->lifted;
        if (!contains(pair, *count, set))
          pair[(*count)++] = set;
      }
  }
  return pair;
}

/* ---- phases ---------------------------------------------------------------------------------------- */

/* Cycles of a case in parts `from` to `to - 1` of the step's work. */
static double between(const struct explain *explain, const struct explain_case *at, size_t step, size_t from,
                      size_t to) {
  const struct pace *pace = &at->pace[explain->first[step]];
  const struct explain_time *time = &at->time[step];
  return pace_when(pace, to, time->start, time->cycles) - pace_when(pace, from, time->start, time->cycles);
}

static void find_stall(const struct explain *explain, size_t step, size_t from, size_t to,
                       struct explain_phase *phase) {
  double sum[STALLS] = {0}, all = 0;
  pace_between(&explain->stalls[explain->first[step]], from, to, sum);
  for (size_t s = 0; s < STALLS; s++)
    all += sum[s];
  phase->stall = STALL_ISSUED;
  for (size_t s = 0; s < STALLS; s++)
    if (s != STALL_ISSUED && sum[s] > (phase->stall == STALL_ISSUED ? 0 : sum[phase->stall]))
      phase->stall = (enum stall)s;
  phase->share = all > 0 ? sum[phase->stall] / all : 0;
}

static void find_limit(const struct explain *explain, size_t step, size_t from, size_t to,
                       struct explain_phase *phase) {
  const struct explain_case *rank[LIMITS];
  const size_t ranks = explain_rank(explain, step, rank);
  const double length = phase->to - phase->from;
  phase->saved = length / 10;
  phase->helped = false;
  for (size_t i = 0; i < ranks; i++) {
    const double saved = length - between(explain, rank[i], step, from, to);
    if (saved <= phase->saved)
      continue;
    phase->saved = saved;
    phase->limit = limit_of(rank[i]->lifted);
    phase->helped = true;
  }
  if (!phase->helped)
    phase->saved = 0;
}

enum { CLOSE = 5 /* two limits whose savings differ by up to a fifth of a phase help it alike */ };

/* Cycles that lifting a limit saves in some parts of the work. */
static double saved_by(const struct explain *explain, size_t step, enum limit limit, size_t from, size_t to) {
  const struct explain_case *at = explain_find(explain, limit_bit(limit));
  return between(explain, &explain->cases[0], step, from, to) - between(explain, at, step, from, to);
}

/* Ring buffers and loops repeat at intervals other than a phase. So a part joins the previous phase even if another
 * limit helps it a little more, or none does, provided that the previous phase's limit helps it about as well. */
static bool joins(const struct explain *explain, size_t step, const struct explain_phase *before,
                  const struct explain_phase *next, size_t from, size_t to) {
  if (!before->helped)
    return !next->helped && before->stall == next->stall;
  if (next->helped && before->limit == next->limit)
    return true;
  if (!next->helped && before->stall != next->stall)
    return false;
  const double least = next->saved - (next->to - next->from) / CLOSE;
  return saved_by(explain, step, before->limit, from, to) >= least;
}

static struct explain_phase phase_between(const struct explain *explain, size_t step, size_t from, size_t to) {
  const struct explain_case *base = &explain->cases[0];
  const struct pace *pace = &base->pace[explain->first[step]];
  const struct explain_time *time = &base->time[step];
  struct explain_phase phase = {.from = pace_when(pace, from, time->start, time->cycles),
                                .to = pace_when(pace, to, time->start, time->cycles)};
  find_stall(explain, step, from, to, &phase);
  find_limit(explain, step, from, to, &phase);
  return phase;
}

/* The phases so far: phase i has the parts from begin[i] to before begin[i + 1]. */
struct cut {
  struct explain_phase *phase;
  size_t begin[EXPLAIN_PHASES + 1], count;
};

/* Merges phase `at` with the next one. */
static void unite(const struct explain *explain, size_t step, struct cut *cut, size_t at) {
  cut->count--;
  for (size_t i = at + 1; i < cut->count; i++)
    cut->phase[i] = cut->phase[i + 1];
  for (size_t i = at + 1; i <= cut->count; i++)
    cut->begin[i] = cut->begin[i + 1];
  cut->phase[at] = phase_between(explain, step, cut->begin[at], cut->begin[at + 1]);
}

enum { SHORT = 32 /* phases below 1/32 of the launch's cycles are too short to report */ };

static void unite_short(const struct explain *explain, size_t step, struct cut *cut) {
  const double least = (double)explain->cases[0].time[step].cycles / SHORT;
  for (size_t i = 0; i < cut->count && cut->count > 1;) {
    if (cut->phase[i].to - cut->phase[i].from >= least) {
      i++;
      continue;
    }
    i = i ? i - 1 : 0;
    unite(explain, step, cut, i);
  }
}

size_t explain_phases(const struct explain *explain, size_t step, struct explain_phase phase[EXPLAIN_PHASES]) {
  struct cut cut = {.phase = phase};
  for (size_t i = 0; i < EXPLAIN_PHASES; i++) {
    const struct explain_phase next = phase_between(explain, step, i, i + 1);
    if (cut.count && joins(explain, step, &phase[cut.count - 1], &next, i, i + 1)) {
      const struct explain_phase before = phase[cut.count - 1];
      const struct explain_phase whole = phase_between(explain, step, cut.begin[cut.count - 1], i + 1);
      if (whole.helped == before.helped && (!whole.helped || whole.limit == before.limit)) {
        phase[cut.count - 1] = whole;
        cut.begin[cut.count] = i + 1;
        continue;
      }
    }
    cut.begin[cut.count] = i;
    phase[cut.count++] = next;
    cut.begin[cut.count] = i + 1;
  }
  unite_short(explain, step, &cut);
  return cut.count;
}

struct bottleneck explain_bottleneck(const struct explain *explain, size_t step) {
  struct bottleneck bottleneck = {.cycles = explain->cases[0].time[step].cycles};
  const struct explain_case *rank[LIMITS];
  bottleneck.count = explain_rank(explain, step, rank);
  for (size_t i = 0; i < bottleneck.count; i++)
    bottleneck.rank[i] = (struct bottleneck_limit){limit_of(rank[i]->lifted), rank[i]->time[step].cycles};
  const struct explain_case *partner = bottleneck.count ? explain_partner(explain, rank[0], step) : NULL;
  const struct explain_case *both = partner ? explain_same(explain, rank[0], partner, step) : NULL;
  while (both && rank[bottleneck.same] != partner)
    bottleneck.same++;
  bottleneck.both = both ? both->time[step].cycles : 0;
  return bottleneck;
}
