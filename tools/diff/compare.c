#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"
#include "sim/report/report.h"
#include "tools/diff/diff.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))
#define BUSY 0.1 /* of peak; a resource busier than this on either side is shown without --all */

const struct diff_cost_row diff_cost_rows[DIFF_COST_COUNT] = {
#define COST(name, unit) {#name, unit},
    DIFF_COSTS(COST)
#undef COST
};

const json_t *diff_at(const json_t *object, const char *path) {
  for (const char *at = path; object && at;) {
    const char *dot = strchr(at, '.');
    object = json_object_getn(object, at, dot ? (size_t)(dot - at) : strlen(at));
    at = dot ? dot + 1 : NULL;
  }
  return object;
}

size_t *diff_chosen(const struct diff *diff, int side, size_t *count) {
  const size_t all = json_array_size(diff_launches(diff, side));
  size_t *chosen = need(all + 1, sizeof *chosen);
  *count = 0;
  if (diff->chosen == DIFF_NONE)
    for (; *count < all; ++*count)
      chosen[*count] = *count;
  else if (diff->pairs[diff->chosen].of[side] != DIFF_NONE)
    chosen[(*count)++] = diff->pairs[diff->chosen].of[side];
  return chosen;
}

/* ---- launches -------------------------------------------------------------------------------------- */

/* Numbers for the kernels' names: equal names have equal numbers. `known` maps the names. */
static uint64_t *kernel_numbers(const json_t *launches, const json_t *known, size_t *count) {
  *count = json_array_size(launches);
  uint64_t *number = need(*count + 1, sizeof *number);
  for (size_t i = 0; i < *count; i++) {
    const char *kernel = diff_word(json_array_get(launches, i), "kernel");
    number[i] = (uint64_t)json_integer_value(json_object_get(known, kernel));
  }
  return number;
}

static void know_kernels(const json_t *launches, json_t *known) {
  const json_t *launch;
  size_t i;
  json_array_foreach(launches, i, launch) {
    const char *kernel = diff_word(launch, "kernel");
    if (!json_object_get(known, kernel))
      json_object_set_new(known, kernel, json_integer((json_int_t)json_object_size(known)));
  }
}

static void add_pair(struct diff *diff, size_t a, size_t b) {
  struct diff_pair pair = {.of = {a, b}};
  for (int side = 0; side < DIFF_SIDES; side++)
    if (pair.of[side] != DIFF_NONE)
      pair.cycles[side] = diff_whole(json_array_get(diff_launches(diff, side), pair.of[side]), "cycles");
  *vector_next(diff->pairs, diff->pair_count, diff->pair_room) = pair;
}

/* Pairs the launches between two matched ones: if both sides have the same number of them, in order, as renamed
 * kernels. */
static void add_gap(struct diff *diff, size_t a, size_t a_end, size_t b, size_t b_end) {
  const bool even = a_end - a == b_end - b;
  while (even && a < a_end)
    add_pair(diff, a++, b++);
  while (a < a_end)
    add_pair(diff, a++, DIFF_NONE);
  while (b < b_end)
    add_pair(diff, DIFF_NONE, b++);
}

static void pair_launches(struct diff *diff) {
  json_t *known = json_object();
  size_t count[DIFF_SIDES], next[DIFF_SIDES] = {0, 0};
  uint64_t *number[DIFF_SIDES];
  for (int side = 0; side < DIFF_SIDES; side++)
    know_kernels(diff_launches(diff, side), known);
  for (int side = 0; side < DIFF_SIDES; side++)
    number[side] = kernel_numbers(diff_launches(diff, side), known, &count[side]);
  size_t *counterpart = need(count[DIFF_A] + 1, sizeof *counterpart);
  diff_match(number[DIFF_A], count[DIFF_A], number[DIFF_B], count[DIFF_B], counterpart);
  for (size_t i = 0; i < count[DIFF_A]; i++) {
    if (counterpart[i] == DIFF_NONE)
      continue;
    add_gap(diff, next[DIFF_A], i, next[DIFF_B], counterpart[i]);
    add_pair(diff, i, counterpart[i]);
    next[DIFF_A] = i + 1;
    next[DIFF_B] = counterpart[i] + 1;
  }
  add_gap(diff, next[DIFF_A], count[DIFF_A], next[DIFF_B], count[DIFF_B]);
  for (int side = 0; side < DIFF_SIDES; side++)
    free(number[side]);
  free(counterpart);
  json_decref(known);
}

/* ---- figures --------------------------------------------------------------------------------------- */

/* Launches that run at once share the LDS, DMA engines, memory and pipes. Shared counters count once, with the first of
 * them. */
static bool counts_shared(const struct diff *diff, const json_t *launch, size_t index) {
  const json_t *first = json_array_get(json_object_get(launch, "together"), 0);
  return diff->chosen != DIFF_NONE || !first || json_integer_value(first) > (json_int_t)index + 1;
}

enum how { SUM, SHARED, MOST, RATE };

/* A figure over the compared launches of one side. */
static void sum_figure(const struct diff *diff, int side, const char *path, enum how how, struct diff_figure *figure) {
  size_t count;
  size_t *chosen = diff_chosen(diff, side, &count);
  for (size_t i = 0; i < count; i++) {
    const json_t *launch = json_array_get(diff_launches(diff, side), chosen[i]), *value = diff_at(launch, path);
    const uint64_t whole = (uint64_t)json_integer_value(value);
    if (how == RATE)
      figure->rate[side] = json_number_value(value);
    else if (how == MOST)
      figure->count[side] = whole > figure->count[side] ? whole : figure->count[side];
    else if (how == SUM || counts_shared(diff, launch, chosen[i]))
      figure->count[side] += whole;
  }
  free(chosen);
}

static struct diff_figure *new_figure(struct diff *diff, const char *key, const char *unit, bool main) {
  struct diff_figure *figure = vector_next(diff->figures, diff->figure_count, diff->figure_room);
  *figure = (struct diff_figure){.unit = unit, .main = main};
  snprintf(figure->key, sizeof figure->key, "%s", key);
  return figure;
}

static void add_figure(struct diff *diff, const char *key, const char *unit, enum how how, bool main) {
  struct diff_figure *figure = new_figure(diff, key, unit, main);
  figure->real = how == RATE;
  for (int side = 0; side < DIFF_SIDES; side++)
    sum_figure(diff, side, key, how, figure);
}

/* Counters that an architect reads first. */
static bool is_main(const char *key) {
  static const char *const main[] = {
      "cu.barriers",
      "cu.copies",
      "cu.copy_bytes",
      "cu.waits",
      "lds.accesses",
      "lds.passes",
      "lds.conflict_cycles",
      "lds.contention_cycles",
      "lds.dma_beats",
      "dma.requests",
      "dma.bytes",
      "dma.busy_cycles",
      "dma.queue_cycles",
      "memory.sectors",
      "memory.dma_bytes",
      "memory.dma_sector_bytes",
      "memory.l2_hits",
      "memory.l2_misses",
      "memory.l2_bytes",
      "memory.dram_bytes",
      "memory.dram_row_hits",
      "memory.dram_row_conflicts",
      "dma.outstanding_full_cycles",
      "lds.dma_contention_cycles",
  };
  for (size_t i = 0; i < ROWS(main); i++)
    if (strcmp(main[i], key) == 0)
      return true;
  return false;
}

static void add_counters(struct diff *diff, const char *prefix, const struct stat_group *group, enum how how) {
  for (size_t i = 0; i < group->count; i++) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", prefix, group->rows[i].name);
    add_figure(diff, key, group->rows[i].unit, how, is_main(key));
  }
}

struct figure_row {
  const char *key, *unit;
  enum how how;
  bool main;
};

static void add_rows(struct diff *diff, const struct figure_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    add_figure(diff, rows[i].key, rows[i].unit, rows[i].how, rows[i].main);
}

/* Rates and quantiles cannot be added up, so they need a single launch. */
static bool one_launch(const struct diff *diff) {
  bool one = true;
  for (int side = 0; side < DIFF_SIDES; side++) {
    size_t count;
    free(diff_chosen(diff, side, &count));
    one &= count == 1;
  }
  return one;
}

static uint64_t clock_of(const struct diff *diff, int side) {
  const json_t *parameters = diff_at(diff->side[side].report, "machine.parameters");
  return diff_whole(json_object_get(parameters, "cu.clock_mhz"), "value");
}

/* The cycles of launches that run at once end with the last of them; a launch compared alone has its own. */
static void add_totals(struct diff *diff) {
  struct diff_figure cycles = {.count = {0}}, instructions = {.count = {0}};
  for (int side = 0; side < DIFF_SIDES; side++) {
    sum_figure(diff, side, diff->chosen == DIFF_NONE ? "together_cycles" : "cycles", SHARED, &cycles);
    sum_figure(diff, side, "warp_instructions", SUM, &instructions);
  }
  struct diff_figure *figure = new_figure(diff, "cycles", "cycles", true);
  memcpy(figure->count, cycles.count, sizeof cycles.count);
  figure = new_figure(diff, "microseconds", "us", true);
  figure->real = true;
  for (int side = 0; side < DIFF_SIDES; side++)
    figure->rate[side] = per((double)cycles.count[side], (double)clock_of(diff, side));
  figure = new_figure(diff, "warp_instructions", "warp-instructions", true);
  memcpy(figure->count, instructions.count, sizeof instructions.count);
  figure = new_figure(diff, "instructions_per_cycle", "warp-instructions/cycle", true);
  figure->real = true;
  for (int side = 0; side < DIFF_SIDES; side++)
    figure->rate[side] = per((double)instructions.count[side], (double)cycles.count[side]);
  add_figure(diff, "work_groups", "work-groups", SUM, true);
  add_figure(diff, "resident_cycles", "warp-cycles", SUM, true);
  if (diff->exec) {
    figure = new_figure(diff, "exec_cycles", "cycles of all launches", true);
    for (int side = 0; side < DIFF_SIDES; side++)
      sum_figure(diff, side, "exec.cycles", SUM, figure);
  }
}

static void add_units(struct diff *diff) {
  for (unsigned i = 0; i < ISA_CLASSES; i++) {
    char key[96];
    snprintf(key, sizeof key, "unit_cycles.%s", isa_class_name(i));
    if (isa_class_runs(i) != ISA_RUNS_ELSEWHERE)
      add_figure(diff, key, "scheduler-cycles", SUM, false);
  }
}

/* All shares of peak in the report of a single launch. */
static void add_utilizations(struct diff *diff) {
  const size_t *of = diff->pairs[diff->chosen == DIFF_NONE ? 0 : diff->chosen].of;
  const json_t *all = diff_at(json_array_get(diff_launches(diff, DIFF_A), of[DIFF_A]), "utilization");
  for (void *it = json_object_iter((json_t *)all); it; it = json_object_iter_next((json_t *)all, it)) {
    char key[96];
    snprintf(key, sizeof key, "utilization.%.60s", json_object_iter_key(it));
    add_figure(diff, key, "of peak", RATE, false);
    struct diff_figure *figure = &diff->figures[diff->figure_count - 1];
    figure->main = figure->rate[DIFF_A] >= BUSY || figure->rate[DIFF_B] >= BUSY;
  }
}

/* ---- pipes ------------------------------------------------------------------------------------------- */

static void take_pipe(const struct diff *diff, int side, const char *name, const char *row,
                      struct diff_figure *figure) {
  size_t count, j;
  size_t *chosen = diff_chosen(diff, side, &count);
  for (size_t i = 0; i < count; i++) {
    const json_t *launch = json_array_get(diff_launches(diff, side), chosen[i]), *pipe;
    json_array_foreach(json_object_get(launch, "pipes"), j, pipe) {
      const uint64_t whole = diff_whole(pipe, row), most = figure->count[side];
      if (strcmp(diff_word(pipe, "name"), name) != 0 || !counts_shared(diff, launch, chosen[i]))
        continue;
      figure->count[side] = strcmp(row, "most") != 0 ? most + whole : whole > most ? whole : most;
    }
  }
  free(chosen);
}

static void add_pipe(struct diff *diff, const char *name) {
  for (size_t row = 0; row < isa_pipe_stat_group.count; row++) {
    char key[96];
    snprintf(key, sizeof key, "pipes[%.40s].%s", name, isa_pipe_stat_group.rows[row].name);
    struct diff_figure *figure = new_figure(diff, key, isa_pipe_stat_group.rows[row].unit, true);
    for (int side = 0; side < DIFF_SIDES; side++)
      take_pipe(diff, side, name, isa_pipe_stat_group.rows[row].name, figure);
  }
}

static void add_pipes(struct diff *diff) {
  json_t *known = json_object();
  for (int side = 0; side < DIFF_SIDES; side++) {
    const json_t *launch, *pipe;
    size_t i, j;
    json_array_foreach(diff_launches(diff, side), i, launch) {
      json_array_foreach(json_object_get(launch, "pipes"), j, pipe) {
        if (!json_object_get(known, diff_word(pipe, "name")))
          add_pipe(diff, diff_word(pipe, "name"));
        json_object_set_new(known, diff_word(pipe, "name"), json_true());
      }
    }
  }
  json_decref(known);
}

static void add_figures(struct diff *diff) {
  static const struct figure_row ways[] = {{"lds.max_ways", "passes", MOST, true}},
                                 queue[] = {{"dma.queue_peak", "descriptors", MOST, true}},
                                 dma[] = {{"dma.latency.min", "cycles", RATE, false},
                                          {"dma.latency.mean", "cycles", RATE, true},
                                          {"dma.latency.p50", "cycles", RATE, false},
                                          {"dma.latency.p99", "cycles", RATE, false},
                                          {"dma.latency.max", "cycles", RATE, true},
                                          {"dma.queue_mean", "descriptors", RATE, false},
                                          {"dma.bytes_per_cycle", "bytes/cycle", RATE, true},
                                          {"dma.bytes_per_request", "bytes", RATE, false},
                                          {"dma.efficiency", "of moved", RATE, false}},
                                 memory[] = {{"memory.l2_hit_rate", "of lines", RATE, true},
                                             {"memory.dram_row_hit_rate", "of accesses", RATE, true}},
                                 hiding[] = {{"hiding.copy_cycles", "group-cycles", SUM, true},
                                             {"hiding.hidden_cycles", "group-cycles", SUM, true},
                                             {"hiding.exposed_cycles", "group-cycles", SUM, true}};
  const bool one = one_launch(diff);
  add_totals(diff);
  if (one)
    add_utilizations(diff);
  add_units(diff);
  add_counters(diff, "cu", &cu_stat_group, SUM);
  add_counters(diff, "lds", &lds_stat_group, SHARED);
  add_rows(diff, ways, ROWS(ways));
  add_counters(diff, "dma", &dma_stat_group, SHARED);
  add_rows(diff, queue, ROWS(queue));
  add_rows(diff, dma, one ? ROWS(dma) : 0);
  add_counters(diff, "memory", &mem_stat_group, SHARED);
  add_rows(diff, memory, one ? ROWS(memory) : 0);
  add_rows(diff, hiding, ROWS(hiding));
  add_pipes(diff);
}

static void add_stalls(struct diff *diff) {
  for (int side = 0; side < DIFF_SIDES; side++) {
    size_t count;
    size_t *chosen = diff_chosen(diff, side, &count);
    for (size_t i = 0; i < count; i++) {
      const json_t *stalls = json_object_get(json_array_get(diff_launches(diff, side), chosen[i]), "stalls");
      for (unsigned stall = 0; stall < STALLS; stall++) {
        diff->stalls[stall][side] += diff_whole(stalls, stall_rows[stall].name);
        diff->resident[side] += diff_whole(stalls, stall_rows[stall].name);
      }
    }
    free(chosen);
  }
}

/* ---- facts ------------------------------------------------------------------------------------------- */

static void add_fact(struct diff_facts *facts, const char *key, const char *unit, size_t pair, const json_t *a,
                     const json_t *b) {
  if ((a && b && json_equal(a, b)) || (!a && !b))
    return;
  *vector_next(facts->fact, facts->count, facts->room) = (struct diff_fact){key, unit, pair, {a, b}};
}

static void add_parameter(struct diff *diff, const char *key, const json_t *a, const json_t *b) {
  const char *unit = diff_word(a ? a : b, "unit");
  add_fact(&diff->parameters, key, unit ? unit : "", 0, json_object_get(a, "value"), json_object_get(b, "value"));
}

static void add_parameters(struct diff *diff) {
  const json_t *a = diff_at(diff->side[DIFF_A].report, "machine.parameters");
  const json_t *b = diff_at(diff->side[DIFF_B].report, "machine.parameters");
  add_fact(&diff->parameters, "name", "", 0, diff_at(diff->side[DIFF_A].report, "machine.name"),
           diff_at(diff->side[DIFF_B].report, "machine.name"));
  for (void *it = json_object_iter((json_t *)a); it; it = json_object_iter_next((json_t *)a, it))
    add_parameter(diff, json_object_iter_key(it), json_object_iter_value(it),
                  json_object_get(b, json_object_iter_key(it)));
  for (void *it = json_object_iter((json_t *)b); it; it = json_object_iter_next((json_t *)b, it))
    if (!json_object_get(a, json_object_iter_key(it)))
      add_parameter(diff, json_object_iter_key(it), NULL, json_object_iter_value(it));
}

static void add_launch_facts(struct diff *diff, size_t pair) {
  static const struct {
    const char *key, *unit;
  } facts[] = {{"kernel", ""},
               {"end", ""},
               {"global", "work-items"},
               {"local", "work-items"},
               {"offset", "work-items"},
               {"first_work_group", ""},
               {"registers", "registers"},
               {"spilled_words", "words a lane"},
               {"private_bytes", "bytes a lane"},
               {"occupancy.groups_per_cu", "work-groups"},
               {"occupancy.warps_per_group", "warps"},
               {"occupancy.limit", ""},
               {"exec.launches", "launches"},
               {"exec.cycles", "cycles of all launches"},
               {"bottleneck.sentence", ""}};
  const json_t *launch[DIFF_SIDES];
  for (int side = 0; side < DIFF_SIDES; side++)
    launch[side] = json_array_get(diff_launches(diff, side), diff->pairs[pair].of[side]);
  if (!launch[DIFF_A] || !launch[DIFF_B]) {
    diff->differ = true;
    return;
  }
  for (size_t i = 0; i < ROWS(facts); i++)
    add_fact(&diff->launches, facts[i].key, facts[i].unit, pair, diff_at(launch[DIFF_A], facts[i].key),
             diff_at(launch[DIFF_B], facts[i].key));
  diff->order |= strcmp(diff_word(launch[DIFF_A], "trace_hash"), diff_word(launch[DIFF_B], "trace_hash")) != 0;
}

/* ---- the comparison ------------------------------------------------------------------------------------ */

static bool any_differs(const struct diff *diff) {
  bool differ = diff->differ || diff->order || diff->parameters.count || diff->launches.count;
  for (size_t i = 0; i < diff->figure_count; i++)
    differ |= diff_figure_differs(&diff->figures[i]);
  for (unsigned i = 0; i < STALLS; i++)
    differ |= diff->stalls[i][DIFF_A] != diff->stalls[i][DIFF_B];
  for (size_t i = 0; i < diff->line_count; i++)
    differ |= diff_line_differs(&diff->lines[i]);
  for (size_t i = 0; i < diff->hazard_count; i++)
    differ |= diff->hazards[i].count[DIFF_A] != diff->hazards[i].count[DIFF_B];
  return differ;
}

static bool has_launch(const struct diff *diff, int side, size_t number, struct message *message) {
  const size_t launches = json_array_size(diff_launches(diff, side));
  return number <= launches ||
         message_fail(message, "%s: %zu: %c has %zu launch%s", side == DIFF_A ? "--launch" : "--launch-b", number,
                      side == DIFF_A ? 'A' : 'B', launches, text_es(launches));
}

/* Chooses the pair of A's launch, or pairs it with the given launch of B. */
static void choose(struct diff *diff, const size_t number[DIFF_SIDES]) {
  if (number[DIFF_B]) {
    diff->pair_count = 0;
    add_pair(diff, number[DIFF_A] - 1, number[DIFF_B] - 1);
  }
  for (size_t i = 0; i < diff->pair_count; i++)
    if (diff->pairs[i].of[DIFF_A] == number[DIFF_A] - 1)
      diff->chosen = i;
}

bool diff_compare(struct diff *diff, const struct diff_side side[DIFF_SIDES], const size_t number[DIFF_SIDES],
                  struct message *message) {
  *diff = (struct diff){.side = side, .chosen = DIFF_NONE};
  for (int of = 0; of < DIFF_SIDES; of++) {
    if (!has_launch(diff, of, number[of], message))
      return false;
    diff->exec |= json_object_get(json_array_get(diff_launches(diff, of), 0), "exec") != NULL;
  }
  pair_launches(diff);
  if (number[DIFF_A])
    choose(diff, number);
  add_figures(diff);
  add_stalls(diff);
  add_parameters(diff);
  for (size_t i = 0; i < diff->pair_count; i++)
    if (diff->chosen == DIFF_NONE || i == diff->chosen)
      add_launch_facts(diff, i);
  diff_take_lines(diff);
  diff_take_hazards(diff);
  diff->differ = any_differs(diff);
  return true;
}

void diff_free(struct diff *diff) {
  free(diff->pairs);
  free(diff->figures);
  free(diff->lines);
  free(diff->hazards);
  free(diff->parameters.fact);
  free(diff->launches.fact);
}
