#include "tools/sweep/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/message.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/core/params.h"
#include "tools/sweep/plan_parts.h"

/* ---- names -------------------------------------------------------------------------------------------- */

struct binding {
  struct sweep_plan *plan;
  plan_constant *constant;
  void *context;
  struct message *message;
};

static size_t axis_of(const struct sweep_plan *plan, const char *name) {
  for (size_t i = 0; i < plan->axes; i++)
    if (strcmp(plan->axis[i].name, name) == 0)
      return i;
  return PLAN_AXES;
}

/* The value that the file sets for all points. */
static const char *setting_of(const struct sweep_plan *plan, const char *name) {
  for (size_t i = 0; i < plan->setting_count; i++)
    if (strcmp(plan->settings[i].name, name) == 0)
      return plan->settings[i].value;
  return strcmp(name, "machine") == 0 ? plan->machine : NULL;
}

/* `nearest`: the nearest parameter, or "". */
static bool fail_name(const struct binding *binding, int line, const char *user, const char *name,
                      const char *nearest) {
  const struct sweep_plan *plan = binding->plan;
  const char **names = need(plan->axes + plan->setting_count, sizeof *names);
  char hint[MESSAGE_HINT];
  size_t count = 0;
  for (size_t i = 0; i < plan->axes; i++)
    names[count++] = plan->axis[i].name;
  for (size_t i = 0; i < plan->setting_count; i++)
    names[count++] = plan->settings[i].name;
  const char *own = nearest_word(name, names, count, sizeof *names);
  message_hint(hint, own ? own : nearest);
  free(names);
  return plan_fail(plan, line, binding->message, "%.60s: no axis, setting or parameter '%.60s'%s", user, name, hint);
}

/* Allocates a name's operands: one, or one for each value of an axis. */
static void bind_to(const struct sweep_plan *plan, size_t axis, struct bound_name *bound) {
  const size_t count = axis < PLAN_AXES ? plan->axis[axis].count : 1;
  *bound = (struct bound_name){.axis = axis, .operand = need(count, sizeof *bound->operand), .count = count};
}

/* The operand owns its text. */
static void set_operand(struct bound_name *bound, size_t i, const char *text) {
  bound->operand[i] = expression_operand(need_copy(text));
}

/* A parameter of the machine has a value for each machine of the plan. */
static bool bind_constant(const struct binding *binding, const char *name, struct bound_name *bound, char nearest[64]) {
  const struct sweep_plan *plan = binding->plan;
  const size_t machines = axis_of(plan, "machine");
  if (!binding->constant)
    return false;
  bind_to(plan, machines, bound);
  for (size_t i = 0; i < bound->count; i++) {
    const char *machine = machines < PLAN_AXES ? plan->axis[machines].value[i] : NULL;
    const char *text = binding->constant(binding->context, machine, name, nearest);
    if (!text)
      return false;
    set_operand(bound, i, text);
  }
  return true;
}

static bool bind_name(const struct binding *binding, const char *name, struct bound_name *bound, char nearest[64]) {
  const struct sweep_plan *plan = binding->plan;
  const size_t axis = axis_of(plan, name);
  const char *setting = setting_of(plan, name);
  if (axis == PLAN_AXES && !setting)
    return bind_constant(binding, name, bound, nearest);
  bind_to(plan, axis, bound);
  for (size_t i = 0; i < bound->count; i++)
    set_operand(bound, i, axis < PLAN_AXES ? plan->axis[axis].value[i] : setting);
  return true;
}

/* The first word of a define that is a number with a leading zero, or NULL. */
static const char *octal_of(const struct sweep_plan *plan, const char *name) {
  const size_t axis = axis_of(plan, name), count = axis < PLAN_AXES ? plan->axis[axis].count : 1;
  for (size_t i = 0; strncmp(name, "define.", 7) == 0 && i < count; i++) {
    const char *word = axis < PLAN_AXES ? plan->axis[axis].value[i] : setting_of(plan, name);
    if (word && expression_is_octal(word))
      return word;
  }
  return NULL;
}

static bool bind(const struct binding *binding, const struct expression *expression, int line, const char *user,
                 struct bound_expression *bound) {
  size_t count = 0;
  const char *const *name = expression_names(expression, &count);
  bound->name = need(count + 1, sizeof *bound->name);
  bound->count = count;
  for (size_t i = 0; i < count; i++) {
    char nearest[64] = "";
    const char *octal = octal_of(binding->plan, name[i]);
    if (octal)
      return plan_fail(
          binding->plan, line, binding->message,
          "%.60s: '%.60s' of %.60s would be octal in C but is decimal here; write it without the leading 0", user,
          octal, name[i]);
    if (!bind_name(binding, name[i], &bound->name[i], nearest))
      return fail_name(binding, line, user, name[i], nearest);
  }
  return true;
}

static bool bind_all(const struct binding *binding) {
  struct sweep_plan *plan = binding->plan;
  plan->bound = need(1, sizeof *plan->bound);
  plan->bound->constraint = need(plan->constraint_count + 1, sizeof *plan->bound->constraint);
  for (size_t i = 0; i < plan->constraint_count; i++) {
    const struct sweep_constraint *constraint = &plan->constraints[i];
    if (!bind(binding, constraint->test, constraint->line, constraint->name, &plan->bound->constraint[i]))
      return false;
  }
  return !plan->cost || bind(binding, plan->cost, plan->cost_line, "cost", &plan->bound->cost);
}

bool plan_settle(struct sweep_plan *plan, plan_constant *constant, void *context, struct message *message) {
  assert(!plan->bound && "a plan is settled once");
  const struct binding binding = {plan, constant, context, message};
  return bind_all(&binding) && plan_check_constraints(plan, message) && plan_draw(plan, message);
}

/* ---- points ------------------------------------------------------------------------------------------- */

static double value_of(const struct expression *expression, const struct bound_expression *bound,
                       const uint32_t value[PLAN_AXES]) {
  struct expression_operand operand[EXPRESSION_NAMES];
  for (size_t i = 0; i < bound->count; i++) {
    const struct bound_name *name = &bound->name[i];
    operand[i] = name->operand[name->axis < PLAN_AXES ? value[name->axis] : 0];
  }
  return expression_of(expression, operand);
}

bool plan_holds(const struct sweep_plan *plan, size_t constraint, const uint32_t value[PLAN_AXES]) {
  assert(plan->bound && "a plan is settled before it is asked for points");
  return expression_true(value_of(plan->constraints[constraint].test, &plan->bound->constraint[constraint], value));
}

bool plan_allows(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]) {
  for (size_t i = 0; i < plan->constraint_count; i++)
    if (!plan_holds(plan, i, value))
      return false;
  return true;
}

void plan_grid_point(const struct sweep_plan *plan, uint64_t index, uint32_t value[PLAN_AXES]) {
  uint32_t level[PLAN_AXES];
  for (size_t factor = plan->factors; factor-- > 0; index /= plan->levels[factor])
    level[factor] = (uint32_t)(index % plan->levels[factor]);
  for (size_t i = 0; i < plan->axes; i++)
    value[i] = level[plan->axis[i].factor];
}

uint64_t plan_grid_number(const struct sweep_plan *plan, uint64_t number) {
  assert(number < plan->points && "points are numbered from 0");
  return plan->drawn ? plan->drawn[number] : number;
}

bool plan_point(const struct sweep_plan *plan, uint64_t number, uint32_t value[PLAN_AXES]) {
  plan_grid_point(plan, plan_grid_number(plan, number), value);
  return plan->drawn || plan_allows(plan, value);
}

double plan_cost(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]) {
  assert(plan->bound && "a plan is settled before it is asked for points");
  return plan->cost ? value_of(plan->cost, &plan->bound->cost, value) : NAN;
}

static int by_name(const void *a, const void *b) {
  const struct sweep_axis *const *one = a, *const *other = b;
  return strcmp((*one)->name, (*other)->name);
}

char *plan_key(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]) {
  const struct sweep_axis *order[PLAN_AXES];
  size_t size = 1, at = 0;
  for (size_t i = 0; i < plan->axes; i++) {
    order[i] = &plan->axis[i];
    size += strlen(plan->axis[i].name) + strlen(plan->axis[i].value[value[i]]) + 2;
  }
  qsort(order, plan->axes, sizeof *order, by_name);
  char *key = need(size, 1);
  for (size_t i = 0; i < plan->axes; i++) {
    const struct sweep_axis *axis = order[i];
    at += (size_t)snprintf(key + at, size - at, "%s%s=%s", i ? " " : "", axis->name,
                           axis->value[value[axis - plan->axis]]);
  }
  return key;
}

/* ---- freeing ---------------------------------------------------------------------------------------- */

void plan_free_values(struct sweep_axis *axis) {
  for (size_t i = 0; i < axis->count; i++)
    free(axis->value[i]);
  free(axis->value);
}

static void free_bound(struct bound_expression *bound) {
  for (size_t i = 0; i < bound->count; i++) {
    for (size_t j = 0; j < bound->name[i].count; j++)
      free((char *)bound->name[i].operand[j].text);
    free(bound->name[i].operand);
  }
  free(bound->name);
}

static void free_parts(struct sweep_plan *plan) {
  for (size_t i = 0; plan->bound && i < plan->constraint_count; i++)
    free_bound(&plan->bound->constraint[i]);
  if (plan->bound) {
    free_bound(&plan->bound->cost);
    free(plan->bound->constraint);
  }
  for (size_t i = 0; i < plan->constraint_count; i++) {
    free(plan->constraints[i].name);
    free(plan->constraints[i].text);
    expression_free(plan->constraints[i].test);
  }
  for (size_t i = 0; i < plan->setting_count; i++) {
    free(plan->settings[i].name);
    free(plan->settings[i].value);
  }
  for (size_t i = 0; i < plan->build_count; i++)
    free(plan->builds[i]);
  for (size_t i = 0; i < plan->axes; i++) {
    free(plan->axis[i].name);
    free(plan->axis[i].zip);
    plan_free_values(&plan->axis[i]);
  }
  expression_free(plan->cost);
}

void plan_free(struct sweep_plan *plan) {
  free_parts(plan);
  void *const own[] = {plan->file,   plan->launch,      plan->trace,     plan->machine, plan->settings,
                       plan->builds, plan->constraints, plan->cost_text, plan->drawn,   plan->bound};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    free(own[i]);
  *plan = (struct sweep_plan){.file = NULL};
}
