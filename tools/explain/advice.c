/* Advice: sentences, each with the machines on which it is based.
 *
 * In order: what saves most; at which line; what it hides, or shares with others; the effect of a varied name, or of
 * changes of the kernel; waits that no parameter lifts; what to examine; anomalies. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/vector.h"
#include "sim/report/report.h"
#include "tools/explain/report.h"

enum { LEAST_PERCENT = 5 /* a cheaper limit or place is not named */, LEAST_JOIN = 25, LEAST_PLACE = 20 };

struct advice {
  const struct explain_view *view;
  const struct explain_case *lead; /* find_lead() */
  char **sentence;
  size_t count, room;
};

/* Sanitizes the text, because a file name may contain anything. */
static void say(struct advice *advice, struct text *text) {
  struct text tame = {0};
  text_foreign(&tame, "%s", text->data);
  free(text->data);
  *vector_next(advice->sentence, advice->count, advice->room) = tame.data;
}

static const char *name_of(const struct explain_case *single) { return lift_rows[explain_limit(single)].name; }

static int64_t saved_by(const struct advice *advice, const struct explain_case *at) {
  return explain_saved(&advice->view->run->explain, at, advice->view->step);
}

static cycle_t cycles_of(const struct advice *advice, const struct explain_case *at) {
  return at->time[advice->view->step].cycles;
}

static double percent_saved(const struct advice *advice, const struct explain_case *at) {
  return explain_percent(advice->view, saved_by(advice, at));
}

static int64_t tolerance(const struct advice *advice) { return (int64_t)bottleneck_tolerance(advice->view->cycles); }

/* ---- what saves most ------------------------------------------------------------------------------- */

static void print_change(const struct advice *advice, const struct explain_case *at, struct text *text) {
  text_print(text, "saves %.1f %% (%s -> %s cycles, %s)", percent_saved(advice, at), TEXT_WHOLE(advice->view->cycles),
             TEXT_WHOLE(cycles_of(advice, at)), explain_how(at));
}

static bool is_computing(const struct explain_case *single) {
  return lift_rows[explain_limit(single)].cause == CAUSE_COMPUTE;
}

/* The case that the advice is about: the first rank. If computing is first, but costs less than everything else
 * together, it is the first rank outside computing. NULL: none costs much. */
static const struct explain_case *find_lead(const struct explain_view *view) {
  const struct explain *explain = &view->run->explain;
  const struct explain_case *computing = explain_find(explain, limits_of(CAUSE_COMPUTE));
  const int64_t outside = explain_saved(explain, view->outside, view->step);
  size_t i = 0;
  if (outside > explain_saved(explain, computing, view->step))
    while (i < view->ranks && is_computing(view->rank[i]))
      i++;
  if (i == view->ranks ||
      explain_saved(explain, view->rank[i], view->step) * 100 < (int64_t)view->cycles * LEAST_PERCENT)
    i = 0;
  const int64_t saved = i < view->ranks ? explain_saved(explain, view->rank[i], view->step) : 0;
  return saved > (int64_t)bottleneck_tolerance(view->cycles) && saved * 100 >= (int64_t)view->cycles * LEAST_PERCENT
             ? view->rank[i]
             : NULL;
}

static void say_little(struct advice *advice) {
  const struct explain_view *view = advice->view;
  struct text text = {0};
  text_print(&text, "No limit of the machine costs this launch %d %% of its cycles and more than %s cycles",
             LEAST_PERCENT, TEXT_WHOLE(tolerance(advice)));
  if (view->ranks && saved_by(advice, view->rank[0]) > 0)
    text_print(&text, ": the costliest, %s, costs %s cycle%s, %.1f %% (%s)", name_of(view->rank[0]),
               TEXT_WHOLE(saved_by(advice, view->rank[0])), text_s((uint64_t)saved_by(advice, view->rank[0])),
               percent_saved(advice, view->rank[0]), explain_how(view->rank[0]));
  text_print(&text, ".");
  if (view->all)
    text_print(&text, " Lifting all of them leaves %s of %s cycles (%s).", TEXT_WHOLE(cycles_of(advice, view->all)),
               TEXT_WHOLE(view->cycles), explain_how(view->all));
  say(advice, &text);
}

/* The cost of everything but computing. */
static void print_halves(const struct advice *advice, struct text *text) {
  const struct explain_case *outside = advice->view->outside;
  if (outside)
    text_print(text,
               " Lifting all limits of copies, memory, LDS and synchronization leaves %s cycles, %.1f %% less (%s).",
               TEXT_WHOLE(cycles_of(advice, outside)), percent_saved(advice, outside), explain_how(outside));
}

/* Is more than half of the time left when everything but computing is lifted? */
static bool mostly_computes(const struct explain_view *view) {
  return view->outside && view->outside->time[view->step].cycles > view->cycles / 2;
}

static void say_first(struct advice *advice) {
  const struct explain_view *view = advice->view;
  struct text text = {0};
  if (!advice->lead) {
    say_little(advice);
    return;
  }
  if (is_computing(advice->lead)) {
    text_print(&text, "%sThe largest cost is %s: lifting it ",
               mostly_computes(view) ? "Most of this launch is computing. " : "", name_of(advice->lead));
    print_change(advice, advice->lead, &text);
    text_print(&text, ".");
    print_halves(advice, &text);
  } else {
    text_print(&text, "The largest cost%s is %s: lifting it ",
               advice->lead == view->rank[0] ? "" : " apart from computing", name_of(advice->lead));
    print_change(advice, advice->lead, &text);
    text_print(&text, ".");
  }
  say(advice, &text);
}

/* ---- where ----------------------------------------------------------------------------------------- */

/* The place where the lead limit saves most. */
static void say_place(struct advice *advice) {
  const struct explain_view *view = advice->view;
  const struct explain_case *first = advice->lead;
  const struct explain_place *at = NULL;
  uint64_t most = 0;
  for (size_t i = 0; first && first->same_program && i < view->base->places; i++) {
    const uint64_t left = explain_wait_left(view, i, first);
    if (left < view->base->place[i].wait && view->base->place[i].wait - left > most) {
      most = view->base->place[i].wait - left;
      at = &view->base->place[i];
    }
  }
  if (!at || most * 100 < at->wait * LEAST_PLACE || most * 100 < view->base->resident * LEAST_PERCENT)
    return;
  struct text text = {0};
  char place[PROGRAM_PLACE];
  program_place(view->run->job.launches[at->launch].isa.program, at->pc, place);
  text_print(&text, "%.0f %% of the wait at %s is due to %s: %s -> %s warp-cycles there (%s).",
             100 * (double)most / (double)at->wait, place, name_of(first), TEXT_WHOLE(at->wait),
             TEXT_WHOLE(at->wait - most), explain_how(first));
  say(advice, &text);
}

/* ---- interaction ----------------------------------------------------------------------------------- */

/* The pair of the lead limit and the one that it is one limit with, else the pair whose interaction is largest. */
static void say_pair(struct advice *advice) {
  const struct explain_view *view = advice->view;
  const struct explain *explain = &view->run->explain;
  const struct explain_case *first = advice->lead;
  const struct explain_case *other = first ? explain_partner(explain, first, view->step) : NULL;
  const struct explain_case *same = other ? explain_same(explain, first, other, view->step) : NULL;
  const struct explain_case *pair = same;
  int64_t most = tolerance(advice);
  for (size_t i = 0; first && !same && i < view->pairs; i++) {
    if (!(view->pair[i]->lifted & first->lifted) || explain_anomaly(explain, view->pair[i], view->step))
      continue;
    const struct explain_case *second = explain_find(explain, view->pair[i]->lifted & ~first->lifted);
    const int64_t more = saved_by(advice, view->pair[i]) - saved_by(advice, first) - saved_by(advice, second);
    if (llabs(more) > most) {
      most = llabs(more);
      pair = view->pair[i];
      other = second;
    }
  }
  if (!pair)
    return;
  const int64_t both = saved_by(advice, pair), sum = saved_by(advice, first) + saved_by(advice, other);
  struct text text = {0};
  if (same)
    text_print(
        &text,
        "The limits %s and %s are one: they cost the same cycles, and lifting both leaves %s cycles (%s), %s more "
        "than if they were two.",
        name_of(first), name_of(other), TEXT_WHOLE(cycles_of(advice, pair)), explain_how(pair), TEXT_WHOLE(sum - both));
  else if (both > sum)
    text_print(&text,
               "The limits %s and %s hide each other: lifting both leaves %s cycles and saves %s more than lifting "
               "each alone (%s).",
               name_of(first), name_of(other), TEXT_WHOLE(cycles_of(advice, pair)), TEXT_WHOLE(both - sum),
               explain_how(pair));
  else
    text_print(
        &text,
        "The limits %s and %s overlap: lifting both leaves %s cycles and saves %s fewer than lifting each alone (%s).",
        name_of(first), name_of(other), TEXT_WHOLE(cycles_of(advice, pair)), TEXT_WHOLE(sum - both), explain_how(pair));
  say(advice, &text);
}

/* ---- names that were varied ------------------------------------------------------------------------ */

static void say_idle(struct advice *advice, const struct explain_vary *vary) {
  struct text text = {0};
  text_print(&text,
             "All tried values of %s take %s cycles and give the same results, like the unchanged launch. Does the "
             "program use %s?",
             vary->name, TEXT_WHOLE(advice->view->cycles),
             vary->name + (strncmp(vary->name, "define.", 7) == 0 ? 7 : 0));
  say(advice, &text);
}

static void say_vary(struct advice *advice) {
  const struct explain_view *view = advice->view;
  const struct explain_vary *vary = view->vary;
  const struct explain_case *best = vary ? explain_vary_best(vary, view->step) : NULL;
  struct text text = {0};
  if (vary && !best) {
    text_print(&text, "No tried value of %s finished with the results of the unchanged launch.", vary->name);
    say(advice, &text);
  }
  if (best && explain_vary_idle(vary, view->step, view->cycles)) {
    say_idle(advice, vary);
    return;
  }
  if (!best)
    return;
  const cycle_t cycles = best->time[view->step].cycles;
  const int64_t saved = (int64_t)view->cycles - (int64_t)cycles;
  if (saved > tolerance(advice))
    text_print(&text,
               "%s = %s helps: %s -> %s cycles, %.1f %% less, run with the same results; no other tried value with "
               "these results is more than 1 %% better.",
               vary->name, best->name, TEXT_WHOLE(view->cycles), TEXT_WHOLE(cycles), explain_percent(view, saved));
  else
    text_print(
        &text,
        "No tried value of %s saves more than %s cycles with the same results: the best is %s = %s with %s cycles "
        "(run).",
        vary->name, TEXT_WHOLE(tolerance(advice)), vary->name, best->name, TEXT_WHOLE(cycles));
  say(advice, &text);
}

/* ---- changes of the kernel -------------------------------------------------------------------------- */

static void say_changes(struct advice *advice) {
  const struct explain_view *view = advice->view;
  const struct explain_case *best = view->better_count ? view->better[0] : NULL;
  const int64_t saved = best ? (int64_t)view->cycles - (int64_t)best->time[view->step].cycles : 0;
  struct text text = {0};
  if (!view->changes || !view->changes->count)
    return;
  if (saved > tolerance(advice))
    text_print(&text,
               "Of the tried changes, this one helps most: %s (%s -> %s cycles, %.1f %% less, run with the same "
               "results).",
               best->name, TEXT_WHOLE(view->cycles), TEXT_WHOLE(best->time[view->step].cycles),
               explain_percent(view, saved));
  else
    text_print(&text, "None of the tried changes of the kernel and its launch saves more than %s cycles.",
               TEXT_WHOLE(tolerance(advice)));
  say(advice, &text);
}

/* ---- what no parameter lifts ----------------------------------------------------------------------- */

static void say_joins(struct advice *advice) {
  static const enum stall joins[] = {STALL_BARRIER, STALL_COPY_JOIN, STALL_WAIT_JOIN};
  const struct explain_view *view = advice->view;
  const struct explain_case *all = view->all;
  uint64_t cycles = 0;
  for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
    cycles += view->base->stalls[joins[i]];
  if (cycles * 100 < view->base->resident * LEAST_JOIN)
    return;
  struct text text = {0};
  text_print(&text,
             "Warps spend %.0f %% of their time waiting for others of their work-group (barrier, copy_join, "
             "wait_join). No parameter lifts that: some warps have more to do, or something else holds them up.",
             100 * per((double)cycles, (double)view->base->resident));
  if (all)
    text_print(&text, " Lifting all limits leaves %s cycles (%s).", TEXT_WHOLE(cycles_of(advice, all)),
               explain_how(all));
  say(advice, &text);
}

/* ---- what to examine, and anomalies ------------------------------------------------------------------ */

static void say_look(struct advice *advice) {
  const struct explain_case *first = advice->lead;
  const struct explain_vary *vary = advice->view->vary;
  if (!first)
    return;
  struct text text = {0};
  text_print(&text, "What may help: %s. ", lift_rows[explain_limit(first)].look);
  if (vary)
    text_print(&text, "Of these, only values of %s were tried.", vary->name);
  else
    text_print(&text, "--vary tries values of a define or an argument.");
  say(advice, &text);
}

/* More cycles than the base, or than with fewer limits lifted. */
static void print_anomaly(const struct advice *advice, const struct explain_case *at, struct text *text) {
  const struct explain_case *than = at ? explain_anomaly(&advice->view->run->explain, at, advice->view->step) : NULL;
  if (!than)
    return;
  text_print(text, "%s lifting ", text->length ? "," : "Scheduling anomalies:");
  explain_words(at->lifted, text);
  text_print(text, " takes %s cycle%s more", TEXT_WHOLE(cycles_of(advice, at) - cycles_of(advice, than)),
             text_s(cycles_of(advice, at) - cycles_of(advice, than)));
  if (than->lifted) {
    text_print(text, " than lifting ");
    explain_words(than->lifted, text);
    text_print(text, than->lifted & (than->lifted - 1) ? "" : " alone");
  }
  text_print(text, " (%s)", explain_how(at));
}

static void say_anomalies(struct advice *advice) {
  const struct explain_view *view = advice->view;
  struct text text = {0};
  for (size_t i = view->ranks; i--;)
    print_anomaly(advice, view->rank[i], &text);
  for (size_t i = 0; i < view->pairs; i++)
    print_anomaly(advice, view->pair[i], &text);
  for (enum limit_cause cause = 0; cause < CAUSES; cause++)
    print_anomaly(advice, explain_find(&view->run->explain, limits_of(cause)), &text);
  print_anomaly(advice, view->outside, &text);
  print_anomaly(advice, view->all, &text);
  if (!text.length)
    return;
  text_print(&text,
             ". There, work that moved earlier delays other work, so these rows do not show what the limits cost.");
  say(advice, &text);
}

char **explain_advice(const struct explain_view *view, size_t *count) {
  struct advice advice = {.view = view, .lead = find_lead(view)};
  say_first(&advice);
  say_place(&advice);
  say_pair(&advice);
  say_vary(&advice);
  say_changes(&advice);
  say_joins(&advice);
  say_look(&advice);
  say_anomalies(&advice);
  *count = advice.count;
  return advice.sentence;
}
