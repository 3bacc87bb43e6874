/* The comparison as text: totals, stalls, source lines, then counters, hazards and parameters. Except for the totals,
 * shows only differences. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/report/report.h"
#include "tools/diff/diff.h"

enum { SOURCE_WIDTH = 72 };

/* A change to be sorted by size. */
struct ranked {
  uint64_t size[2]; /* the second breaks ties of the first */
  size_t index;
};

static uint64_t size_of(const uint64_t count[DIFF_SIDES]) {
  return count[DIFF_B] > count[DIFF_A] ? count[DIFF_B] - count[DIFF_A] : count[DIFF_A] - count[DIFF_B];
}

static int64_t change_of(const uint64_t count[DIFF_SIDES]) { return (int64_t)(count[DIFF_B] - count[DIFF_A]); }

/* Largest first; ties keep their order. */
static int by_size(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  for (int i = 0; i < 2; i++)
    if (a->size[i] != b->size[i])
      return a->size[i] > b->size[i] ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static double share(int64_t change, uint64_t whole) { return 100 * (double)change / (double)whole; }

/* A change in percent: "-26.6". */
static void print_percent(struct text *text, double percent) {
  if (percent < 0.05 && percent > -0.05)
    text_print(text, "%7s", "0.0");
  else
    text_print(text, "%+7.1f", percent);
}

/* A change relative to a whole, or "new" if the whole was 0. */
static void print_share(struct text *text, int64_t change, uint64_t whole) {
  if (whole || !change)
    print_percent(text, whole ? share(change, whole) : 0);
  else
    text_print(text, "%7s", "new");
}

/* Both counts, the first `width` columns wide, and the change. */
static void print_columns(struct text *text, int width, const uint64_t count[DIFF_SIDES]) {
  text_print(
      text, change_of(count) ? "%*" PRIu64 "%14" PRIu64 "%+14" PRId64 "  " : "%*" PRIu64 "%14" PRIu64 "%14" PRId64 "  ",
      width, count[DIFF_A], count[DIFF_B], change_of(count));
}

static void print_counts(struct text *text, int width, const uint64_t count[DIFF_SIDES]) {
  print_columns(text, width, count);
  print_share(text, change_of(count), count[DIFF_A]);
}

/* ---- heading --------------------------------------------------------------------------------------------- */

static void heading(const struct diff *diff, struct text *text) {
  static const char *const marks[DIFF_SIDES] = {"A", "B"};
  for (int side = 0; side < DIFF_SIDES; side++) {
    text_foreign(text, "%s  %s: %s on %s%s", marks[side], file_base(diff->side[side].path),
                 diff_word(diff->side[side].report, "name"),
                 json_string_value(diff_at(diff->side[side].report, "machine.name")),
                 diff->side[side].replayed ? ", replayed" : "");
    if (diff->chosen != DIFF_NONE && diff->pairs[diff->chosen].of[side] != DIFF_NONE)
      text_print(text, ", launch %zu", diff->pairs[diff->chosen].of[side] + 1);
    text_print(text, "\n");
  }
  if (diff->parameters.count)
    text_print(text, "   %zu parameter%s of the machine differ%s, see the end\n", diff->parameters.count,
               diff->parameters.count == 1 ? "" : "s", diff->parameters.count == 1 ? "s" : "");
}

static void print_value(struct text *text, const json_t *value) {
  size_t i;
  const json_t *part;
  if (json_is_string(value))
    text_foreign(text, "%s", json_string_value(value));
  else if (json_is_integer(value))
    text_print(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else if (!json_is_array(value))
    text_print(text, "(none)");
  json_array_foreach(value, i, part)
      text_print(text, "%s%" JSON_INTEGER_FORMAT, i ? " x " : "", json_integer_value(part));
}

static void print_fact(struct text *text, const char *indent, const struct diff_fact *fact) {
  const bool sentences = strcmp(fact->key, "bottleneck.sentence") == 0;
  if (sentences)
    text_print(text, "%sA: ", indent);
  else
    text_foreign(text, "%s%-26s ", indent, fact->key);
  print_value(text, fact->value[DIFF_A]);
  if (sentences)
    text_print(text, "\n%sB: ", indent);
  else
    text_print(text, " -> ");
  print_value(text, fact->value[DIFF_B]);
  text_foreign(text, "%s%s", *fact->unit ? " " : "", fact->unit);
  text_print(text, "\n");
}

static void print_facts(const struct diff *diff, size_t pair, const char *indent, struct text *text) {
  for (size_t i = 0; i < diff->launches.count; i++)
    if (diff->launches.fact[i].pair == pair)
      print_fact(text, indent, &diff->launches.fact[i]);
}

/* Says which launches did not finish, even if neither side's did: their figures cover only a part of the launch. */
static void print_unfinished(const struct diff *diff, size_t pair, struct text *text) {
  for (int side = 0; side < DIFF_SIDES; side++) {
    const size_t of = diff->pairs[pair].of[side];
    const char *end = of == DIFF_NONE ? "finished" : diff_word(json_array_get(diff_launches(diff, side), of), "end");
    if (strcmp(end, "finished") == 0)
      continue;
    text_foreign(text, "%c: launch %zu did not finish (%s); its figures cover what ran", side == DIFF_A ? 'A' : 'B',
                 of + 1, end);
    text_print(text, "\n");
  }
}

/* ---- launches ---------------------------------------------------------------------------------------------- */

static const char *kernel_of(const struct diff *diff, int side, size_t launch) {
  return diff_word(json_array_get(diff_launches(diff, side), launch), "kernel");
}

static void print_pair(const struct diff *diff, size_t number, struct text *text) {
  const struct diff_pair *pair = &diff->pairs[number];
  const size_t a = pair->of[DIFF_A], b = pair->of[DIFF_B];
  char where[64];
  if (a != DIFF_NONE && b != DIFF_NONE && a != b)
    snprintf(where, sizeof where, "%zu -> %zu", a + 1, b + 1);
  else
    snprintf(where, sizeof where, "%zu", (a == DIFF_NONE ? b : a) + 1);
  text_print(text, "%c %-16s", a == DIFF_NONE ? '+' : b == DIFF_NONE ? '-' : ' ', where);
  print_counts(text, 14, pair->cycles);
  text_foreign(text, "  %s", kernel_of(diff, a == DIFF_NONE ? DIFF_B : DIFF_A, a == DIFF_NONE ? b : a));
  text_print(text, "%s\n", a == DIFF_NONE ? ", only in B" : b == DIFF_NONE ? ", only in A" : "");
  print_facts(diff, number, "    ", text);
}

static bool pair_differs(const struct diff *diff, size_t number) {
  const struct diff_pair *pair = &diff->pairs[number];
  bool differs = pair->of[DIFF_A] == DIFF_NONE || pair->of[DIFF_B] == DIFF_NONE || size_of(pair->cycles);
  for (size_t i = 0; i < diff->launches.count; i++)
    differs |= diff->launches.fact[i].pair == number;
  return differs;
}

static void launch_table(const struct diff *diff, const struct diff_view *view, struct text *text) {
  struct ranked *rank = need(diff->pair_count + 1, sizeof *rank);
  size_t count = 0;
  for (size_t i = 0; i < diff->pair_count; i++)
    if (pair_differs(diff, i))
      rank[count++] = (struct ranked){{size_of(diff->pairs[i].cycles), 0}, i};
  qsort(rank, count, sizeof *rank, by_size);
  text_print(text, "\n%-18s%14s%14s%14s  %7s  kernel; --launch N compares one alone\n", "launches, cycles", "A", "B",
             "change", "%");
  for (size_t i = 0; i < count && i < view->top; i++)
    print_pair(diff, rank[i].index, text);
  if (count > view->top)
    text_print(text, "  ... and %zu more\n", count - (size_t)view->top);
  if (count < diff->pair_count)
    text_print(text, "  %zu launch%s the same cycles\n", diff->pair_count - count,
               diff->pair_count - count == 1 ? " has" : "es have");
  free(rank);
}

static void launches(const struct diff *diff, const struct diff_view *view, struct text *text) {
  const size_t first = diff->chosen == DIFF_NONE ? 0 : diff->chosen;
  const size_t end = diff->chosen == DIFF_NONE ? diff->pair_count : first + 1;
  const struct diff_pair *pair = &diff->pairs[first];
  if (end - first > 1)
    launch_table(diff, view, text);
  else if (end && (pair->of[DIFF_A] == DIFF_NONE || pair->of[DIFF_B] == DIFF_NONE))
    launch_table(diff, view, text);
  else if (end)
    print_facts(diff, first, "", text);
  for (size_t i = first; i < end; i++)
    print_unfinished(diff, i, text);
}

/* ---- figures ----------------------------------------------------------------------------------------------- */

static void print_rates(struct text *text, const double rate[DIFF_SIDES]) {
  const double change = rate[DIFF_B] - rate[DIFF_A];
  const int digits = rate[DIFF_A] >= 100 || rate[DIFF_B] >= 100 ? 1 : 3;
  text_print(text, "%14.*f%14.*f", digits, rate[DIFF_A], digits, rate[DIFF_B]);
  text_print(text, change != 0 ? "%+14.*f  " : "%14.*f  ", digits, change);
  if (rate[DIFF_A] > 0)
    print_percent(text, 100 * (rate[DIFF_B] / rate[DIFF_A] - 1));
  else
    text_print(text, "%7s", rate[DIFF_B] > 0 ? "new" : "0.0");
}

/* Shares are shown in percent. */
static void print_figure(struct text *text, const struct diff_figure *figure) {
  const bool share_of = figure->real && strncmp(figure->unit, "of ", 3) == 0;
  const double scale = share_of ? 100 : 1,
               rate[DIFF_SIDES] = {scale * figure->rate[DIFF_A], scale * figure->rate[DIFF_B]};
  text_foreign(text, "%-26s", figure->key);
  if (figure->real)
    print_rates(text, rate);
  else
    print_counts(text, 14, figure->count);
  text_foreign(text, "  %s%s", share_of ? "% " : "", figure->unit);
  text_print(text, "\n");
}

static void figure_head(struct text *text, const char *title) {
  text_print(text, "\n%-26s%14s%14s%14s  %7s\n", title, "A", "B", "change", "%");
}

static void totals(const struct diff *diff, struct text *text) {
  const bool all = diff->chosen == DIFF_NONE && diff->pair_count > 1;
  figure_head(text, all && diff->exec ? "longest launches" : all ? "all launches" : "totals");
  for (size_t i = 0; i < diff->figure_count && !strchr(diff->figures[i].key, '.'); i++)
    print_figure(text, &diff->figures[i]);
}

/* Prints the differing figures whose keys begin with `prefix`. Returns how many it omits. */
static size_t print_group(const struct diff *diff, const struct diff_view *view, const char *title, const char *prefix,
                          struct text *text) {
  bool headed = false;
  size_t hidden = 0;
  for (size_t i = 0; i < diff->figure_count; i++) {
    const struct diff_figure *figure = &diff->figures[i];
    if (strncmp(figure->key, prefix, strlen(prefix)) != 0 || !diff_figure_differs(figure))
      continue;
    hidden += !figure->main && !view->all;
    if (!figure->main && !view->all)
      continue;
    if (!headed)
      figure_head(text, title);
    headed = true;
    print_figure(text, figure);
  }
  return hidden;
}

static void counters(const struct diff *diff, const struct diff_view *view, struct text *text) {
  static const struct {
    const char *title, *prefix;
  } groups[] = {{"LDS", "lds."},
                {"DMA engines", "dma."},
                {"latency hiding", "hiding."},
                {"global memory", "memory."},
                {"compute units", "cu."},
                {"units", "unit_cycles."},
                {"pipes", "pipes["},
                {"utilization", "utilization."}};
  size_t hidden = 0;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    hidden += print_group(diff, view, groups[i].title, groups[i].prefix, text);
  if (hidden)
    text_print(text, "\n%zu more counter%s; --all shows them\n", hidden, hidden == 1 ? " differs" : "s differ");
}

/* ---- stalls ------------------------------------------------------------------------------------------------ */

static void stalls(const struct diff *diff, struct text *text) {
  struct ranked rank[STALLS];
  size_t count = 0;
  for (unsigned i = 0; i < STALLS; i++)
    if (size_of(diff->stalls[i]))
      rank[count++] = (struct ranked){{size_of(diff->stalls[i]), 0}, i};
  if (!count)
    return;
  qsort(rank, count, sizeof *rank, by_size);
  text_print(text, "\n%-18s%14s%14s%14s  %7s  %7s  waiting for\n", "warp-cycles", "A", "B", "change", "%", "of all");
  for (size_t i = 0; i < count; i++) {
    const uint64_t *count_of = diff->stalls[rank[i].index];
    text_print(text, "%-18s", stall_rows[rank[i].index].name);
    print_counts(text, 14, count_of);
    text_print(text, "  ");
    print_share(text, change_of(count_of), diff->resident[DIFF_A]);
    text_print(text, "  %s\n", stall_rows[rank[i].index].text);
  }
  text_print(text, "%-18s", "resident");
  print_counts(text, 14, diff->resident);
  text_print(text, "  ");
  print_share(text, change_of(diff->resident), diff->resident[DIFF_A]);
  text_print(text, "  total of the changes above\n");
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

/* A source line without characters that would disturb a terminal. */
static void print_source(struct text *text, const char *source) {
  size_t shown = source ? strnlen(source, SOURCE_WIDTH) : 0;
  while (source && (source[shown] & 0xc0) == 0x80) /* the rest of a UTF-8 character */
    shown++;
  text_foreign(text, "%.*s", (int)shown, source ? source : "");
  text_print(text, "%s\n", source && source[shown] ? "\u2026" : "");
}

/* The line's largest change: a bucket, or another cost if no bucket changed. */
static void print_most(struct text *text, const struct diff_line *line) {
  unsigned most = 0, cost = 0;
  char what[80] = "";
  for (unsigned i = 1; i < STALLS; i++)
    if (size_of(line->stalls[i]) > size_of(line->stalls[most]))
      most = i;
  while (cost < DIFF_COST_COUNT - 1 && !size_of(line->cost[cost]))
    cost++;
  if (size_of(line->stalls[most]))
    snprintf(what, sizeof what, "%s %+" PRId64, stall_rows[most].name, change_of(line->stalls[most]));
  else if (size_of(line->cost[cost]))
    snprintf(what, sizeof what, "%s %+" PRId64, diff_cost_rows[cost].unit, change_of(line->cost[cost]));
  text_print(text, "  %-24s", what);
}

static void print_numbers(struct text *text, const struct diff_line *line, bool files) {
  const int side = line->is[DIFF_B] ? DIFF_B : DIFF_A;
  char where[32] = "-";
  if (line->is[DIFF_A] && line->is[DIFF_B] && line->line[DIFF_A] != line->line[DIFF_B])
    snprintf(where, sizeof where, "%" PRIu32 "->%" PRIu32, line->line[DIFF_A], line->line[DIFF_B]);
  else if (line->line[side])
    snprintf(where, sizeof where, "%" PRIu32, line->line[side]);
  if (files)
    text_foreign(text, " %s:%s  ", line->file[side], where);
  else
    text_print(text, "%9s  ", where);
}

static void print_line(struct text *text, const struct diff_line *line, bool files) {
  const char mark = !line->is[DIFF_B] ? '-' : !line->is[DIFF_A] ? '+' : line->edited ? '~' : ' ';
  text_print(text, "%c", mark);
  print_columns(text, 13, line->cost[DIFF_cycles]);
  if (line->is[DIFF_A] && line->is[DIFF_B])
    print_share(text, change_of(line->cost[DIFF_cycles]), line->cost[DIFF_cycles][DIFF_A]);
  else
    text_print(text, "%7s", line->is[DIFF_A] ? "gone" : "new");
  print_most(text, line);
  print_numbers(text, line, files);
  print_source(text, line->text[line->text[DIFF_B] ? DIFF_B : DIFF_A]);
}

/* A sum over lines, and its meaning. */
static void print_sum(struct text *text, const uint64_t count[DIFF_SIDES], const char *of) {
  text_print(text, " ");
  print_counts(text, 13, count);
  text_print(text, "  %s\n", of);
}

static bool several_files(const struct diff *diff) {
  const char *file[DIFF_SIDES] = {NULL, NULL};
  bool several = false;
  for (size_t i = 0; i < diff->line_count; i++)
    for (int side = 0; side < DIFF_SIDES; side++) {
      const char *name = diff->lines[i].file[side];
      several |= name && file[side] && strcmp(name, file[side]) != 0;
      file[side] = name ? name : file[side];
    }
  return several;
}

static size_t rank_lines(const struct diff *diff, struct ranked *rank) {
  size_t count = 0;
  for (size_t i = 0; i < diff->line_count; i++) {
    const struct diff_line *line = &diff->lines[i];
    uint64_t moved = 0;
    for (unsigned stall = 0; stall < STALLS; stall++)
      moved += size_of(line->stalls[stall]);
    if (diff_line_differs(line))
      rank[count++] = (struct ranked){{size_of(line->cost[DIFF_cycles]), moved}, i};
  }
  qsort(rank, count, sizeof *rank, by_size);
  return count;
}

static void lines(const struct diff *diff, const struct diff_view *view, struct text *text) {
  struct ranked *rank = need(diff->line_count + 1, sizeof *rank);
  const size_t count = rank_lines(diff, rank);
  const bool files = several_files(diff);
  uint64_t rest[DIFF_SIDES] = {0, 0};
  char of[80];
  if (count)
    text_print(text,
               "\nwarp-cycles by line: - only in A, + only in B, ~ edited\n %13s%14s%14s  %7s  %-24s%9s  source\n", "A",
               "B", "change", "%", "mostly", files ? "" : "line");
  for (size_t i = 0; i < diff->line_count; i++)
    for (int side = 0; side < DIFF_SIDES; side++)
      rest[side] += diff->lines[i].cost[DIFF_cycles][side];
  for (size_t i = 0; i < count && i < view->top; i++) {
    print_line(text, &diff->lines[rank[i].index], files);
    for (int side = 0; side < DIFF_SIDES; side++)
      rest[side] -= diff->lines[rank[i].index].cost[DIFF_cycles][side];
  }
  const size_t others = diff->line_count - (count < view->top ? count : (size_t)view->top);
  snprintf(of, sizeof of, "%zu other line%s%s", others, others == 1 ? "" : "s",
           count > view->top ? "; --top N shows more" : ", the same");
  if (count && others)
    print_sum(text, rest, of);
  if (count)
    print_sum(text, diff->resident, "all lines; the changes add up to that of the resident warp-cycles");
  free(rank);
}

/* ---- summary ----------------------------------------------------------------------------------------------------- */

static const struct diff_line *most_changed(const struct diff *diff) {
  const struct diff_line *most = NULL;
  for (size_t i = 0; i < diff->line_count; i++)
    if (!most || size_of(diff->lines[i].cost[DIFF_cycles]) > size_of(most->cost[DIFF_cycles]))
      most = &diff->lines[i];
  return most;
}

static bool clock_differs(const struct diff *diff) {
  for (size_t i = 0; i < diff->parameters.count; i++)
    if (strcmp(diff->parameters.fact[i].key, "cu.clock_mhz") == 0)
      return true;
  return false;
}

/* Introduces the tables in words. */
static void sentence(const struct diff *diff, struct text *text) {
  const uint64_t *cycles = diff->figures[0].count;
  const struct diff_line *line = most_changed(diff);
  unsigned most = 0;
  for (unsigned i = 1; i < STALLS; i++)
    if (size_of(diff->stalls[i]) > size_of(diff->stalls[most]))
      most = i;
  if (size_of(cycles))
    text_print(text, "\nB takes %" PRIu64 " cycle%s %s than A", size_of(cycles), size_of(cycles) == 1 ? "" : "s",
               cycles[DIFF_B] > cycles[DIFF_A] ? "more" : "fewer");
  else
    text_print(text, "\nB takes the same number of cycles as A%s",
               diff->order ? ", but issues instructions in different ones" : "");
  if (size_of(cycles) && cycles[DIFF_A])
    text_print(text, " (%+.1f %%)", share(change_of(cycles), cycles[DIFF_A]));
  if (clock_differs(diff))
    text_print(text, ", at another clock: %.3f -> %.3f us", diff->figures[1].rate[DIFF_A],
               diff->figures[1].rate[DIFF_B]);
  if (size_of(diff->stalls[most]))
    text_print(text, ". Of warp-cycles the largest change is in %s, %+" PRId64, stall_rows[most].name,
               change_of(diff->stalls[most]));
  if (line && size_of(line->cost[DIFF_cycles])) {
    const int side = line->is[DIFF_B] ? DIFF_B : DIFF_A;
    text_print(text, size_of(diff->stalls[most]) ? ", and of lines at " : ". Of lines the largest change is at ");
    if (line->line[side])
      text_foreign(text, "%s:%" PRIu32 " of %c", line->file[side], line->line[side], side == DIFF_B ? 'B' : 'A');
    else
      text_print(text, "no known line");
    text_print(text, ", %+" PRId64, change_of(line->cost[DIFF_cycles]));
  }
  text_print(text, ".\n");
}

/* ---- hazards, parameters --------------------------------------------------------------------------------------- */

static void hazards(const struct diff *diff, struct text *text) {
  bool headed = false;
  for (size_t i = 0; i < diff->hazard_count; i++) {
    const struct diff_hazard *hazard = &diff->hazards[i];
    const int side = hazard->count[DIFF_B] ? DIFF_B : DIFF_A;
    if (!size_of(hazard->count))
      continue;
    text_print(text, "%s", headed ? "" : "\nhazards\n");
    text_foreign(text, "%c %s at %s:%" PRIu32 ", ",
                 !hazard->count[DIFF_B]   ? '-'
                 : !hazard->count[DIFF_A] ? '+'
                                          : ' ',
                 hazard->rule, hazard->file[side] ? hazard->file[side] : "?", hazard->line[side]);
    headed = true;
    if (hazard->count[DIFF_A] && hazard->count[DIFF_B])
      text_print(text, "%" PRIu64 " -> %" PRIu64 " times", hazard->count[DIFF_A], hazard->count[DIFF_B]);
    else
      text_print(text, "%" PRIu64 " time%s", hazard->count[side], hazard->count[side] == 1 ? "" : "s");
    text_foreign(text, ": %s", hazard->message);
    text_print(text, "\n");
  }
}

static void parameters(const struct diff *diff, struct text *text) {
  if (diff->parameters.count)
    text_print(text, "\nmachine\n");
  for (size_t i = 0; i < diff->parameters.count; i++)
    print_fact(text, "", &diff->parameters.fact[i]);
}

char *diff_text(const struct diff *diff, const struct diff_view *view) {
  struct text text = {0};
  text_add(&text, "", 0);
  if (!diff->differ)
    return text.data;
  heading(diff, &text);
  launches(diff, view, &text);
  sentence(diff, &text);
  totals(diff, &text);
  stalls(diff, &text);
  lines(diff, view, &text);
  counters(diff, view, &text);
  hazards(diff, &text);
  parameters(diff, &text);
  return text.data;
}
