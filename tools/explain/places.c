#include "tools/explain/places.h"

#include <stdlib.h>

#include "sim/base/need.h"
#include "sim/report/lines.h"
#include "sim/report/report.h"

/* ---- in the base ------------------------------------------------------------------------------------ */

static uint64_t wait_of(const struct line_cost *line) { return line->cycles - line->cost.stalls[STALL_ISSUED]; }

/* The instruction of a line with the longest wait. */
static uint32_t longest_wait(const struct isa_program *program, const struct launch_result *result,
                             const struct line_cost *line) {
  uint32_t longest = 0;
  uint64_t most = 0;
  for (uint32_t pc = 0; pc < program->count; pc++) {
    uint64_t wait = 0;
    if (program_line(program, pc) != line->line ||
        (line->line && program->source && program->source[pc] != line->source))
      continue;
    for (size_t s = 0; s < STALLS; s++)
      wait += s == STALL_ISSUED ? 0 : result->by_pc[pc].stalls[s];
    longest = wait > most ? pc : longest;
    most = cycle_max(most, wait);
  }
  return longest;
}

static void add_place(struct explain_step *step, const struct explain_place *place) {
  size_t at = step->places < EXPLAIN_PLACES ? step->places++ : EXPLAIN_PLACES;
  for (; at && step->place[at - 1].wait < place->wait; at--)
    if (at < EXPLAIN_PLACES)
      step->place[at] = step->place[at - 1];
  if (at < EXPLAIN_PLACES)
    step->place[at] = *place;
}

/* Adds the lines of a launch that take at least 1/50 of its step's warp-cycles. */
static void find_places(const struct isa_program *program, const struct launch_result *result, size_t launch,
                        struct explain_step *step) {
  size_t count = 0;
  struct line_cost *lines = lines_of(program, result, &count);
  for (size_t i = 0; i < count; i++) {
    const struct explain_place place = {.launch = launch,
                                        .pc = longest_wait(program, result, &lines[i]),
                                        .wait = wait_of(&lines[i]),
                                        .stall = line_stall(&lines[i])};
    if (place.wait && place.wait * 50 >= step->resident)
      add_place(step, &place);
  }
  free(lines);
}

static uint8_t place_of(const struct isa_program *program, size_t launch, uint32_t pc,
                        const struct explain_step *step) {
  uint8_t at = 0;
  while (at < step->places && !(step->place[at].launch == launch && program_same_line(program, pc, step->place[at].pc)))
    at++;
  return at < step->places ? at : EXPLAIN_PLACES;
}

static struct explain_step step_of(const struct job *job, const struct launch_result *results, size_t first) {
  const size_t end = first + job->launches[first].together;
  struct explain_step step = {0};
  for (size_t i = first; i < end; i++) {
    step.resident += results[i].resident_cycles;
    for (size_t s = 0; s < STALLS; s++)
      step.stalls[s] += results[i].stalls[s];
  }
  for (size_t i = first; i < end; i++)
    find_places(job->launches[i].isa.program, &results[i], i, &step);
  return step;
}

struct explain_places explain_places_new(const struct explain *explain, const struct job *job,
                                         const struct launch_result *results) {
  struct explain_places places = {.step = need(explain->steps, sizeof *places.step)};
  size_t words = 0, word = 0;
  for (size_t i = 0; i < job->launch_count; i++)
    words += job->launches[i].isa.program->count;
  places.of = need(words + 1, sizeof *places.of);
  for (size_t step = 0; step < explain->steps; step++) {
    const size_t first = explain->first[step];
    places.step[step] = step_of(job, results, first);
    for (size_t i = first; i < first + job->launches[first].together; i++)
      for (uint32_t pc = 0; pc < job->launches[i].isa.program->count; pc++)
        places.of[word++] = place_of(job->launches[i].isa.program, i, pc, &places.step[step]);
  }
  return places;
}

void explain_places_free(struct explain_places *places) {
  free(places->step);
  free(places->of);
}

/* ---- waits there ----------------------------------------------------------------------------------- */

bool explain_places_fit(const struct isa_program *base, const struct isa_program *program) {
  bool same = program->count == base->count;
  for (uint32_t pc = 0; same && program != base && pc < base->count; pc++)
    same = program->code[pc].op == base->code[pc].op && program->line[pc] == base->line[pc] &&
           program->source[pc] == base->source[pc];
  return same;
}

void explain_places_wait(const struct explain_places *places, const struct explain *explain, const struct job *job,
                         const struct launch_result *results, uint64_t *wait) {
  size_t word = 0;
  for (size_t step = 0; step < explain->steps; step++) {
    const size_t first = explain->first[step], end = first + job->launches[first].together;
    for (size_t i = first; i < end; i++)
      for (uint32_t pc = 0; pc < job->launches[i].isa.program->count; pc++, word++)
        for (size_t s = 0; places->of[word] < EXPLAIN_PLACES && s < STALLS; s++)
          wait[step * EXPLAIN_PLACES + places->of[word]] += s == STALL_ISSUED ? 0 : results[i].by_pc[pc].stalls[s];
  }
}
