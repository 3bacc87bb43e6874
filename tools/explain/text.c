/* The report of `warpwait explain` for people: first the numbers, then their meaning, then advice. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/report/report.h"
#include "tools/explain/report.h"

enum { NAME_WIDTH = 44, SOURCE_WIDTH = 40, HEAD_WIDTH = 15, REASON_WIDTH = 100 };

static const char *name_of(const struct explain_case *single) { return lift_rows[explain_limit(single)].name; }

static void print_head(const struct explain_view *view, struct text *text) {
  const struct job *job = &view->run->job;
  const size_t first = view->run->explain.first[view->step];
  const struct job_launch *launch = &job->launches[first];
  const size_t from = text->length;
  if (job->launch_count > view->launches)
    text_print(text, "%s======== launch %zu of %zu ========\n", text->length ? "\n" : "", first + 1, job->launch_count);
  text_foreign(text, "kernel         %s in %s", launch->isa.kernel->name, file_base(launch->isa.program->file));
  for (size_t i = 1; i < view->launches; i++)
    text_foreign(text, ", together with %s", job->launches[first + i].isa.kernel->name);
  text_print(text, "\nmachine        %s, %u CU%s\n", machine_name(job->machine), machine_cu(job->machine)->count,
             machine_cu(job->machine)->count == 1 ? "" : "s");
  report_print_changed(job, text);
  text_print(text, "cycles         %s\n", TEXT_WHOLE(view->cycles));
  if (view->run->timed)
    text_print(text,
               view->run->load_on ? "time           matters: %s. So each machine below is run, not replayed\n"
                                  : "time           matters: %s. Replays repeat what it did in the recording\n",
               view->run->why);
  text_fold(text, from, HEAD_WIDTH);
}

/* ---- limits ---------------------------------------------------------------------------------------- */

static void print_case(const struct explain_view *view, const struct explain_case *at, const char *name,
                       const char *behind, struct text *text) {
  const int64_t saved = explain_saved(&view->run->explain, at, view->step);
  const bool anomaly = explain_anomaly(&view->run->explain, at, view->step);
  const bool run = !at->replayed && !view->run->timed; /* if all are runs, the head says so */
  text_print(text, "%-*s%12s%12s%7.1f%s%s%s%s\n", NAME_WIDTH, name, TEXT_WHOLE(at->time[view->step].cycles),
             TEXT_WHOLE(saved), explain_percent(view, saved), anomaly ? "  (anomaly)" : "", run ? "  (run)" : "",
             *behind ? "  " : "", behind);
}

static void print_reason(const struct explain_case *at, const char *name, struct text *text) {
  text_foreign(text, "%-*s  %s: %s", NAME_WIDTH, name, outcome_names[at->status], at->reason);
  text_print(text, "\n");
}

static void print_limits(const struct explain_view *view, struct text *text) {
  const struct explain *explain = &view->run->explain;
  struct text same = {0};
  text_print(text, "\n%-*s%12s%12s%7s  %s\n", NAME_WIDTH, "limit lifted", "cycles", "saved", "%", "on this machine");
  for (size_t i = 0; i < view->ranks; i++)
    if (explain_saved(explain, view->rank[i], view->step))
      print_case(view, view->rank[i], name_of(view->rank[i]), lift_rows[explain_limit(view->rank[i])].lifted, text);
  for (size_t i = 0; i < explain->count; i++)
    if (__builtin_popcountll(explain->cases[i].lifted) == 1 && explain->cases[i].status != OUTCOME_finished)
      print_reason(&explain->cases[i], name_of(&explain->cases[i]), text);
  for (size_t i = 0; i < view->ranks; i++) {
    if (explain_saved(explain, view->rank[i], view->step) || !(view->rank[i]->lifted & ~view->run->idle))
      continue;
    text_print(&same, "%s%s", same.length ? ", " : "Lifting any of these changes nothing: ", name_of(view->rank[i]));
  }
  if (same.length) {
    text_print(&same, ".");
    text_print(text, "\n");
    text_paragraph(text, same.data);
  }
  free(same.data);
}

/* Sets without which the launch cannot run on the machine, or did not finish. */
static void print_unfinished(const struct explain_view *view, struct text *text) {
  const struct explain *explain = &view->run->explain;
  for (size_t i = 0; i < explain->count; i++) {
    struct text name = {0};
    if (__builtin_popcountll(explain->cases[i].lifted) < 2 || explain->cases[i].status == OUTCOME_finished)
      continue;
    explain_words(explain->cases[i].lifted, &name);
    print_reason(&explain->cases[i], name.data, text);
    free(name.data);
  }
}

static void print_sets(const struct explain_view *view, struct text *text) {
  const struct explain *explain = &view->run->explain;
  text_print(text, "\n%-*s%12s%12s%7s  %s\n", NAME_WIDTH, "limits lifted together", "cycles", "saved", "%",
             "saved by each alone");
  for (size_t i = 0; i < view->pairs; i++) {
    const limit_set low = view->pair[i]->lifted & -view->pair[i]->lifted;
    const struct explain_case *one = explain_find(explain, low),
                              *other = explain_find(explain, view->pair[i]->lifted & ~low);
    char name[200], behind[80];
    snprintf(name, sizeof name, "%s + %s", name_of(one), name_of(other));
    snprintf(behind, sizeof behind, "%s + %s", TEXT_WHOLE(explain_saved(explain, one, view->step)),
             TEXT_WHOLE(explain_saved(explain, other, view->step)));
    print_case(view, view->pair[i], name, behind, text);
  }
  for (enum limit_cause cause = 0; cause < CAUSES; cause++) {
    const struct explain_case *at = explain_find(explain, limits_of(cause));
    char name[80];
    snprintf(name, sizeof name, "all %s", cause_rows[cause].all);
    if (at && explain_saved(explain, at, view->step))
      print_case(view, at, name, "", text);
  }
  print_unfinished(view, text);
  if (view->outside)
    print_case(view, view->outside, "all except those of computing", "", text);
  if (view->all)
    print_case(view, view->all, "all", "", text);
}

/* ---- time and place -------------------------------------------------------------------------------- */

static void print_phases(const struct explain_view *view, struct text *text) {
  char cycles[48];
  text_print(text, "\n%-23s%-20s%7s  %s\n", "cycles", "mostly waiting", "%", "largest cost there");
  for (size_t i = 0; i < view->phases; i++) {
    const struct explain_phase *phase = &view->phase[i];
    snprintf(cycles, sizeof cycles, "%.0f - %.0f", phase->from, phase->to);
    text_print(text, "%-23s%-20s%7.1f  ", cycles, phase->stall == STALL_ISSUED ? "" : stall_rows[phase->stall].name,
               100 * phase->share);
    if (phase->helped)
      text_print(text, "%s: %.1f %% less when lifted\n", lift_rows[phase->limit].name,
                 100 * per(phase->saved, phase->to - phase->from));
    else
      text_print(text, "no single limit\n");
  }
}

/* The source line with runs of blanks replaced by single ones, or the instruction when there is no source. */
static void print_source(const struct isa_program *program, uint32_t pc, struct text *text) {
  char instruction[200];
  isa_print(program, pc, instruction, sizeof instruction);
  const char *source = isa_source_text(program, pc);
  source = source ? source : instruction;
  source += strspn(source, " \t");
  char collapsed[SOURCE_WIDTH + 1];
  size_t length = 0;
  for (; *source && *source != '\r' && *source != '\n' && length < SOURCE_WIDTH; source++)
    if (!(isspace((unsigned char)*source) && length && collapsed[length - 1] == ' '))
      collapsed[length++] = isspace((unsigned char)*source) ? ' ' : *source;
  const bool cut = length == SOURCE_WIDTH;
  while (cut && length && (collapsed[length - 1] & 0xc0) == 0x80) /* do not cut within a character */
    length--;
  text_foreign(text, "%.*s%s", (int)(length - cut), collapsed, cut ? "\u2026" : "");
}

static void print_places(const struct explain_view *view, struct text *text) {
  if (!view->base->places)
    return;
  text_print(text, "\n%12s%7s  %-16s%s\n", "warp-cycles", "%", "mostly", "where warps wait, and what removes it");
  for (size_t i = 0; i < view->base->places; i++) {
    const struct explain_place *place = &view->base->place[i];
    const struct isa_program *program = view->run->job.launches[place->launch].isa.program;
    char where[PROGRAM_PLACE];
    program_place(program, place->pc, where);
    text_foreign(text, "%12s%7.1f  %-16s%s  ", TEXT_WHOLE(place->wait),
                 100 * per((double)place->wait, (double)view->base->resident), stall_rows[place->stall].name, where);
    print_source(program, place->pc, text);
    text_print(text, "\n");
    if (view->without[i])
      text_print(text, "%37s%s, when lifted, removes %.0f %%\n", "", name_of(view->without[i]),
                 100 - 100 * per((double)explain_wait_left(view, i, view->without[i]), (double)place->wait));
  }
}

static void print_vary(const struct explain_view *view, struct text *text) {
  const struct explain_vary *vary = view->vary;
  if (!vary)
    return;
  text_print(text, "\n%-*s%12s%12s%7s\n", NAME_WIDTH, vary->name, "cycles", "saved", "%");
  for (size_t i = 0; i < vary->count; i++) {
    const struct explain_case *value = &vary->cases[i];
    if (value->status != OUTCOME_finished) {
      print_reason(value, value->name, text);
      continue;
    }
    const cycle_t cycles = value->time[view->step].cycles;
    const int64_t saved = (int64_t)view->cycles - (int64_t)cycles;
    text_print(text, "%-*s%12s %11s %6.1f%s\n", NAME_WIDTH, value->name, TEXT_WHOLE(cycles), TEXT_WHOLE(saved),
               explain_percent(view, saved), value->same_results ? "" : "  (results differ)");
  }
}

enum use { USE_NONE, USE_OTHER_RESULTS, USE_ILLEGAL, USE_SOME };

static enum use use_of(const struct explain_view *view, const struct explain_case *change) {
  if (!explain_counts(change))
    return change->status == OUTCOME_finished ? USE_OTHER_RESULTS : USE_ILLEGAL;
  return change->time[view->step].cycles == view->cycles ? USE_NONE : USE_SOME;
}

/* The characters of a reason that are shown: whole words. */
static int shown_of(const char *reason) {
  int shown = REASON_WIDTH;
  while (shown && reason[shown] != ' ')
    shown--;
  return shown ? shown : REASON_WIDTH;
}

/* Names the changes that did not help, in one sentence. */
static void print_useless(const struct explain_view *view, const char *head, enum use use, struct text *text) {
  struct text names = {0};
  for (size_t i = 0; i < view->changes->count; i++) {
    const struct explain_case *change = &view->changes->cases[i];
    if (use_of(view, change) != use)
      continue;
    text_foreign(&names, "%s%s", names.length ? "; " : head, change->name);
    const bool cut = strlen(change->reason) > REASON_WIDTH;
    if (use == USE_ILLEGAL)
      text_foreign(&names, " (%.*s%s)", cut ? shown_of(change->reason) : REASON_WIDTH, change->reason,
                   cut ? " ..." : "");
  }
  if (names.length) {
    text_print(&names, ".");
    text_paragraph(text, names.data);
  }
  free(names.data);
}

static void print_changes(const struct explain_view *view, struct text *text) {
  const char *head = "change of the kernel or its launch";
  if (!view->changes || !view->changes->count)
    return;
  text_print(text, "\n");
  for (size_t i = 0; i < view->better_count; i++) {
    const cycle_t cycles = view->better[i]->time[view->step].cycles;
    const int64_t saved = (int64_t)view->cycles - (int64_t)cycles;
    if (use_of(view, view->better[i]) != USE_SOME)
      continue;
    if (head)
      text_print(text, "%-*s%12s%12s%7s\n", NAME_WIDTH, head, "cycles", "saved", "%");
    head = NULL;
    text_foreign(text, "%-*s %11s%12s%7.1f", NAME_WIDTH, view->better[i]->name, TEXT_WHOLE(cycles), TEXT_WHOLE(saved),
                 explain_percent(view, saved));
    text_print(text, "\n");
  }
  if (!head)
    text_print(text, "\n");
  print_useless(view, "Changes that make no difference: ", USE_NONE, text);
  print_useless(view, "Changes that alter the results: ", USE_OTHER_RESULTS, text);
  print_useless(view, "Changes that are not possible here: ", USE_ILLEGAL, text);
}

/* ---- advice ---------------------------------------------------------------------------------------- */

static void print_advice(const struct explain_view *view, struct text *text) {
  size_t count = 0;
  char **advice = explain_advice(view, &count);
  text_print(text, "\n");
  for (size_t i = 0; i < count; i++) {
    text_paragraph(text, advice[i]);
    free(advice[i]);
  }
  free(advice);
}

/* For several launches, starts with the largest cost of each. */
static void print_summary(const struct explain_run *run, struct text *text) {
  text_print(text, "%6s%12s  %-44s%7s\n", "launch", "cycles", "largest cost", "%");
  for (size_t step = 0; step < run->explain.steps; step++) {
    const struct explain_case *rank[LIMITS];
    const cycle_t cycles = run->explain.cases[0].time[step].cycles;
    const size_t ranks = explain_rank(&run->explain, step, rank);
    text_print(text, "%6zu%12s  %-44s%7.1f\n", run->explain.first[step] + 1, TEXT_WHOLE(cycles),
               ranks ? name_of(rank[0]) : "",
               ranks ? 100 * per((double)explain_saved(&run->explain, rank[0], step), (double)cycles) : 0);
  }
}

char *explain_text(const struct explain_run *run, const struct explain_tries *tries, size_t only) {
  struct text text = {0};
  if (run->explain.steps > 1 && !only)
    print_summary(run, &text);
  for (size_t step = 0; step < run->explain.steps; step++) {
    struct explain_view view;
    explain_view(run, tries, step, &view);
    const size_t first = run->explain.first[step];
    if (only && (only - 1 < first || only - 1 >= first + view.launches)) {
      explain_view_free(&view);
      continue;
    }
    print_head(&view, &text);
    print_limits(&view, &text);
    print_sets(&view, &text);
    print_vary(&view, &text);
    print_changes(&view, &text);
    print_phases(&view, &text);
    print_places(&view, &text);
    print_advice(&view, &text);
    explain_view_free(&view);
  }
  return text.data;
}
