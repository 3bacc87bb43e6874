/* Shared by the files that read, settle and draw plans. */
#ifndef TOOLS_SWEEP_PLAN_PARTS_H
#define TOOLS_SWEEP_PLAN_PARTS_H

#include "tools/sweep/expression.h"
#include "tools/sweep/plan.h"

/* Reports an error in a line of the sweep file; 0: in none. */
#define plan_fail(plan, line, message, ...) message_fail_at(message, (plan)->file, (uint64_t)(line), __VA_ARGS__)

void plan_free_values(struct sweep_axis *axis);

/* A resolved name of an expression: an operand for each value of an axis, or one for all points. */
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

/* Point `index` of the grid, as the index of its value on each axis. */
void plan_grid_point(const struct sweep_plan *plan, uint64_t index, uint32_t value[PLAN_AXES]);

/* Does a point satisfy one constraint; all of them? */
bool plan_holds(const struct sweep_plan *plan, size_t constraint, const uint32_t value[PLAN_AXES]);
bool plan_allows(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

/* Draws the points of `random` and `latin`. */
bool plan_draw(struct sweep_plan *plan, struct message *message);

/* Refuses constraints that exclude every point. */
bool plan_check_constraints(const struct sweep_plan *plan, struct message *message);

/* A pseudo-random permutation of the numbers below `count`, at most 2^63, that takes no memory. */
struct shuffle {
  uint64_t count, key;
  unsigned half; /* bits of each half of a number */
};
struct shuffle shuffle_of(uint64_t count, uint64_t seed, uint64_t stream);
uint64_t shuffle_at(const struct shuffle *shuffle, uint64_t number);

#endif
