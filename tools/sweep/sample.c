/* Draws the points of samples, and counts points that satisfy the constraints. */
#include <assert.h>
#include <stdio.h>

#include "sim/base/map.h"
#include "sim/base/need.h"
#include "tools/sweep/plan_parts.h"

enum { CHECKED = 1000000, COUNTED = 10000000, ESTIMATED_FROM = 1000000, TRIES = 10000000 };

/* ---- pseudo-random numbers ---- */

/* A hash of two numbers (splitmix64). */
static uint64_t shuffle_mix(uint64_t seed, uint64_t stream) {
  uint64_t z = seed + (stream + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

struct shuffle shuffle_of(uint64_t count, uint64_t seed, uint64_t stream) {
  struct shuffle shuffle = {.count = count, .key = shuffle_mix(shuffle_mix(seed, 0), stream), .half = 1};
  while (shuffle.half < 32 && (count - 1) >> 2 * shuffle.half)
    shuffle.half++;
  return shuffle;
}

/* A Feistel network: it is invertible whatever its rounds compute, so it maps different numbers to different
 * numbers. */
static uint64_t feistel(const struct shuffle *shuffle, uint64_t number) {
  enum { ROUNDS = 8 };
  const uint64_t mask = (UINT64_C(1) << shuffle->half) - 1;
  uint64_t left = number >> shuffle->half, right = number & mask;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const uint64_t mixed = left ^ (shuffle_mix(shuffle->key + right, round) & mask);
    left = right;
    right = mixed;
  }
  return left << shuffle->half | right;
}

/* The network permutes the numbers below a power of 4. Results that are too large pass through it again. */
uint64_t shuffle_at(const struct shuffle *shuffle, uint64_t number) {
  assert(number < shuffle->count && "only as many numbers as there are");
  do
    number = feistel(shuffle, number);
  while (number >= shuffle->count);
  return number;
}

/* ---- constraints: checked over the axes that they use ------------------------------------------------ */

/* The product of the factors that occur in constraints. */
struct decisive {
  size_t factor[PLAN_AXES], count;
  uint64_t points;
};

static struct decisive decisive_of(const struct sweep_plan *plan) {
  bool used[PLAN_AXES] = {false};
  struct decisive decisive = {.points = 1};
  for (size_t i = 0; i < plan->constraint_count; i++)
    for (size_t j = 0; j < plan->bound->constraint[i].count; j++)
      if (plan->bound->constraint[i].name[j].axis < PLAN_AXES)
        used[plan->axis[plan->bound->constraint[i].name[j].axis].factor] = true;
  for (size_t f = 0; f < plan->factors; f++)
    if (used[f]) {
      decisive.factor[decisive.count++] = f;
      decisive.points *= plan->levels[f];
    }
  return decisive;
}

/* Point `index` of the product; all other axes have their first value. */
static void decisive_point(const struct sweep_plan *plan, const struct decisive *decisive, uint64_t index,
                           uint32_t value[PLAN_AXES]) {
  uint32_t level[PLAN_AXES] = {0};
  for (size_t i = decisive->count; i-- > 0; index /= plan->levels[decisive->factor[i]])
    level[decisive->factor[i]] = (uint32_t)(index % plan->levels[decisive->factor[i]]);
  for (size_t i = 0; i < plan->axes; i++)
    value[i] = level[plan->axis[i].factor];
}

/* The points to check: all, or `most` of them in pseudo-random order. */
struct look {
  struct decisive decisive;
  uint64_t points;
  bool all;
  struct shuffle shuffle;
};

static struct look look_at(const struct sweep_plan *plan, uint64_t all, uint64_t most) {
  struct look look = {.decisive = decisive_of(plan)};
  look.all = look.decisive.points <= all;
  look.points = look.all ? look.decisive.points : most;
  look.shuffle = shuffle_of(look.decisive.points, plan->seed, 0);
  return look;
}

static void look_point(const struct sweep_plan *plan, const struct look *look, uint64_t number,
                       uint32_t value[PLAN_AXES]) {
  decisive_point(plan, &look->decisive, look->all ? number : shuffle_at(&look->shuffle, number), value);
}

/* The index of the first constraint that a point violates. */
static size_t first_broken(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]) {
  size_t i = 0;
  while (i < plan->constraint_count && plan_holds(plan, i, value))
    i++;
  return i;
}

bool plan_check_constraints(const struct sweep_plan *plan, struct message *message) {
  uint32_t value[PLAN_AXES];
  size_t furthest = 0;
  const struct look look = look_at(plan, CHECKED, CHECKED);
  for (uint64_t number = 0; number < look.points && furthest < plan->constraint_count; number++) {
    look_point(plan, &look, number, value);
    const size_t broken = first_broken(plan, value);
    furthest = broken > furthest ? broken : furthest;
  }
  if (furthest == plan->constraint_count)
    return true;
  const struct sweep_constraint *unmet = &plan->constraints[furthest];
  char points[64] = "no point";
  if (!look.all)
    snprintf(points, sizeof points, "none of %d points drawn at random", CHECKED);
  return plan_fail(plan, unmet->line, message, "%.60s: %s satisfies %.120s%s", unmet->name, points, unmet->text,
                   furthest ? " and the constraints above it" : "");
}

struct plan_counted plan_count(const struct sweep_plan *plan) {
  if (plan->drawn || !plan->constraint_count)
    return (struct plan_counted){plan->points, true};
  uint32_t value[PLAN_AXES];
  const struct look look = look_at(plan, COUNTED, ESTIMATED_FROM);
  uint64_t allowed = 0;
  for (uint64_t number = 0; number < look.points; number++) {
    look_point(plan, &look, number, value);
    allowed += plan_allows(plan, value);
  }
  if (look.all)
    return (struct plan_counted){allowed * (plan->grid / look.decisive.points), true};
  return (struct plan_counted){(uint64_t)((long double)plan->grid * allowed / look.points), false};
}

/* ---- random ------------------------------------------------------------------------------------------- */

static bool fail_few(const struct sweep_plan *plan, uint64_t tries, uint64_t found, struct message *message) {
  const bool all = tries == plan->grid;
  return plan_fail(
      plan, plan->sample_line, message,
      all ? "sample: %llu points, but of %llu only %llu satisfy the constraints; sample = grid runs them all"
          : "sample: %llu points, but of %llu drawn only %llu satisfy the constraints",
      (unsigned long long)plan->samples, (unsigned long long)tries, (unsigned long long)found);
}

/* Walks the grid in pseudo-random order, so no point is drawn twice. */
static bool draw_random(struct sweep_plan *plan, struct message *message) {
  const struct shuffle shuffle = shuffle_of(plan->grid, plan->seed, 1);
  const uint64_t most = plan->grid < TRIES ? plan->grid : TRIES;
  uint64_t found = 0, tries = 0;
  uint32_t value[PLAN_AXES];
  for (; found < plan->samples && tries < most; tries++) {
    plan->drawn[found] = shuffle_at(&shuffle, tries);
    plan_grid_point(plan, plan->drawn[found], value);
    found += plan_allows(plan, value);
  }
  plan->excluded = tries - found;
  return found == plan->samples || fail_few(plan, tries, found, message);
}

/* ---- latin -------------------------------------------------------------------------------------------- */

/* The level of a factor in row `row`. The levels are divided into as many strata as there are rows. Each stratum
 * belongs to one row, and a stratum of several levels draws one of them. With more rows than levels, the numbers of
 * rows per level differ by at most one. */
static uint64_t latin_level(const struct sweep_plan *plan, size_t factor, const struct shuffle *rows, uint64_t row) {
  const uint64_t levels = plan->levels[factor], stratum = shuffle_at(rows, row);
  const uint64_t first = stratum * levels / plan->samples, behind = (stratum + 1) * levels / plan->samples;
  return behind > first + 1 ? first + shuffle_mix(rows->key, stratum) % (behind - first) : first;
}

/* Keeps the rows that satisfy the constraints, each once. */
static uint64_t keep_rows(struct sweep_plan *plan) {
  struct map seen = {0}; /* by hash alone, because different numbers have different ones */
  uint64_t kept = 0;
  for (uint64_t row = 0; row < plan->samples; row++) {
    uint32_t value[PLAN_AXES];
    plan_grid_point(plan, plan->drawn[row], value);
    const uint64_t hash = hash_number(plan->drawn[row]);
    size_t at = 0, ignored;
    const bool repeated = map_next(&seen, hash, &at, &ignored), allowed = plan_allows(plan, value);
    if (!repeated)
      map_add(&seen, hash, 0);
    plan->repeated += repeated;
    plan->excluded += !repeated && !allowed;
    if (!repeated && allowed)
      plan->drawn[kept++] = plan->drawn[row];
  }
  map_free(&seen);
  return kept;
}

static bool draw_latin(struct sweep_plan *plan, struct message *message) {
  for (size_t factor = 0; factor < plan->factors; factor++) {
    const struct shuffle rows = shuffle_of(plan->samples, plan->seed, 2 + factor);
    for (uint64_t row = 0; row < plan->samples; row++)
      plan->drawn[row] = plan->drawn[row] * plan->levels[factor] + latin_level(plan, factor, &rows, row);
  }
  plan->points = keep_rows(plan);
  return plan->points ||
         plan_fail(plan, plan->sample_line, message,
                   "sample: none of %llu drawn points satisfies the constraints; try another seed or more points",
                   (unsigned long long)plan->samples);
}

bool plan_draw(struct sweep_plan *plan, struct message *message) {
  if (plan->sample == SWEEP_GRID)
    return true;
  plan->drawn = need(need_size(plan->samples), sizeof *plan->drawn);
  return plan->sample == SWEEP_RANDOM ? draw_random(plan, message) : draw_latin(plan, message);
}
