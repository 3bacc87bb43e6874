/* The list of hazards, with a hash table by rule and pair of instructions. */
#include <stdlib.h>

#include "sim/check/check_parts.h"

struct check_side check_side_of(const struct checker *checker, uint32_t site, uint32_t group, uint32_t item,
                                bool whole_group) {
  const struct site *place = &checker->sites[site];
  const struct isa_launch *launch = &checker->launch[place->launch];
  const uint32_t linear = group - 1 - checker->first_group[place->launch];
  const uint32_t x = launch->groups[0], y = launch->groups[1];
  return (struct check_side){.program = launch->program,
                             .pc = place->pc,
                             .group = {linear % x, linear / x % y, linear / x / y},
                             .item = item,
                             .whole_group = whole_group};
}

static bool same_places(const struct check_hazard *a, const struct check_hazard *b) {
  return a->rule == b->rule && a->here.pc == b->here.pc && a->here.program == b->here.program &&
         a->other.program == b->other.program && a->other.pc == b->other.pc;
}

struct check_hazard *hazards_add(struct checker *checker, const struct check_hazard *hazard) {
  const uint64_t count = hazard->count ? hazard->count : 1;
  const uint64_t hash = hash_join(
      hash_join(hash_number(hazard->here.pc), hazard->other.program ? hazard->other.pc + 1 : 0), hazard->rule);
  for (size_t at = 0, i; map_next(&checker->hazard_map, hash, &at, &i);)
    if (same_places(&checker->hazards[i], hazard)) {
      checker->hazards[i].count += count;
      return &checker->hazards[i];
    }
  map_add(&checker->hazard_map, hash, checker->hazard_count);
  struct check_hazard *added = vector_next(checker->hazards, checker->hazard_count, checker->hazard_room);
  *added = *hazard;
  added->count = count;
  return added;
}

void hazards_drop_why(struct check_hazard *hazard) {
  hazard->why = WHY_NOTHING;
  hazard->detail[0] = 0;
}

/* ---- order: what to fix first, then the place in the source ---------------------------------------- */

/* A cause comes before its symptoms. If work-items diverged, or the launch or a call has wrong arguments, other hazards
 * may be consequences. For example, a wait for the wrong event leaves a copy in flight to the end, and a read of its
 * destination is then a race; a reservation that stays open fills the pipe, which then refuses the next one. */
enum turn { DIVERGED, LAUNCH, CALL, LEFT_OPEN, REST, OF_REFUSED };

static enum turn turn_of_rule(enum isa_hazard_rule rule) {
  if (rule == HAZARD_G1 || check_is_divergence(rule))
    return DIVERGED;
  if (rule == HAZARD_P5 || rule == HAZARD_I5 || rule == HAZARD_R12)
    return LAUNCH;
  if (rule == HAZARD_X10 || rule == HAZARD_R5 || rule == HAZARD_R6)
    return LEFT_OPEN;
  const bool copy = (rule >= HAZARD_X1 && rule <= HAZARD_X4) || (rule >= HAZARD_X11 && rule <= HAZARD_X15);
  const bool access =
      (rule >= HAZARD_M1 && rule <= HAZARD_M4) || (rule >= HAZARD_I1 && rule <= HAZARD_I3) || rule == HAZARD_I6;
  const bool id = (rule >= HAZARD_R1 && rule <= HAZARD_R4) || rule == HAZARD_R8 || rule == HAZARD_R9;
  return copy || access || id || rule == HAZARD_R11 ? CALL : REST;
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Compares file, line and column; the instruction if the line is unknown. */
static int compare_sides(const struct check_side *a, const struct check_side *b) {
  if (!a->program || !b->program)
    return compare(a->program != NULL, b->program != NULL);
  int order = compare(a->program->source[a->pc], b->program->source[b->pc]);
  order = order ? order : compare(a->program->line[a->pc], b->program->line[b->pc]);
  order = order ? order : compare(a->program->column[a->pc], b->program->column[b->pc]);
  return order || a->program->line[a->pc] ? order : compare(a->pc, b->pc);
}

static int by_place(const void *left, const void *right) {
  const struct check_hazard *a = left, *b = right;
  int order = compare(a->turn, b->turn);
  order = order ? order : compare_sides(&a->here, &b->here);
  order = order ? order : compare(a->rule, b->rule);
  return order ? order : compare_sides(&a->other, &b->other);
}

/* Hazards at equal places stay in the order of discovery. */
static int by_place_and_time(const void *left, const void *right) {
  const struct check_hazard *a = left, *b = right;
  const int order = by_place(left, right);
  return order ? order : compare(a->number, b->number);
}

/* The use of an invalid id (R2) follows from the refusal of its reservation (Q10), if that is known. */
static enum turn turn_of(const struct checker *checker, const struct check_hazard *hazard) {
  for (size_t i = 0; hazard->rule == HAZARD_R2 && i < checker->hazard_count; i++) {
    const struct check_hazard *other = &checker->hazards[i];
    if (other->rule == HAZARD_Q10 && other->here.program == hazard->other.program &&
        !compare_sides(&other->here, &hazard->other))
      return OF_REFUSED;
  }
  return turn_of_rule(hazard->rule);
}

/* Adds an equal hazard at an equal place. */
static void merge(struct check_hazard *hazard, const struct check_hazard *other) {
  hazard->count += other->count;
  if (hazard->why != other->why)
    hazards_drop_why(hazard);
}

/* An expression may become several instructions, so hazards at equal places are merged. */
const struct check_hazard *checker_hazards(struct checker *checker, size_t *count) {
  struct check_hazard *sorted = checker->sorted = need_more(checker->sorted, checker->hazard_count + 1, sizeof *sorted);
  size_t kept = 0;
  for (size_t i = 0; i < checker->hazard_count; i++) {
    sorted[i] = checker->hazards[i];
    sorted[i].number = i;
    sorted[i].turn = turn_of(checker, &checker->hazards[i]);
  }
  qsort(sorted, checker->hazard_count, sizeof *sorted, by_place_and_time);
  for (size_t i = 0; i < checker->hazard_count; i++)
    if (kept && !by_place(&sorted[kept - 1], &sorted[i]))
      merge(&sorted[kept - 1], &sorted[i]);
    else
      sorted[kept++] = sorted[i];
  *count = kept;
  return sorted;
}

void hazards_free(struct checker *checker) {
  free(checker->hazards);
  map_free(&checker->hazard_map);
  free(checker->sorted);
}
