/* What the files that read, settle and draw plans share. */
#ifndef SIM_SWEEP_PLAN_PARTS_H
#define SIM_SWEEP_PLAN_PARTS_H

#include "sim/sweep/expression.h"
#include "sim/sweep/plan.h"

/* Writes "FILE:LINE: ...", or "FILE: ..." of line 0; always returns false. */
bool plan_fail(const struct sweep_plan *plan, int line, char message[PLAN_MESSAGE], const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void plan_free_values(struct sweep_axis *axis);

/* A name that an expression uses: its operand for each value of an axis, or one of all points. */
struct bound_name {
  size_t axis; /* PLAN_AXES: none */
  struct expression_operand *operand;
  size_t count;
};

struct bound_expression {
  struct bound_name *name;
  size_t count;
};

struct plan_bound {
  struct bound_expression *constraint, cost;
};

/* Point `index` of the grid: for each axis the number of its value. */
void plan_grid_point(const struct sweep_plan *plan, uint64_t index, uint32_t value[PLAN_AXES]);

/* Whether a constraint holds for a point, and whether all do. */
bool plan_holds(const struct sweep_plan *plan, size_t constraint, const uint32_t value[PLAN_AXES]);
bool plan_allows(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

/* Fills in the points of `random` and `latin`. */
bool plan_draw(struct sweep_plan *plan, char message[PLAN_MESSAGE]);

/* Refuses constraints that leave no point. */
bool plan_check_constraints(const struct sweep_plan *plan, char message[PLAN_MESSAGE]);

/* An order of the numbers below `count`, at most 2^63, that is as good as random and takes no room. */
struct shuffle {
  uint64_t count, key;
  unsigned half; /* bits of each half of a number */
};
struct shuffle shuffle_of(uint64_t count, uint64_t seed, uint64_t stream);
uint64_t shuffle_at(const struct shuffle *shuffle, uint64_t number);

/* A number that looks random of two that need not (splitmix64). */
uint64_t shuffle_mix(uint64_t seed, uint64_t stream);

#endif
