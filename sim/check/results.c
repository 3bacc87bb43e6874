/* Adds hazards that the simulation itself found in a launch, and a deadlock that none of them explains. */
#include <stdio.h>
#include <string.h>

#include "sim/check/check_parts.h"

/* A call is made by the whole group, not by one work-item. */
static bool is_of_group(enum isa_hazard_rule rule) { return rule >= HAZARD_X1 && rule <= HAZARD_X15; }

static void take_deadlock(struct checker *checker, uint32_t number, const struct isa_launch *launch,
                          const struct launch_result *result) {
  const struct stuck_warp *first = NULL;
  for (size_t i = 0; i < result->stuck_count && i < RESULT_STUCK; i++)
    if (!first || result->stuck[i].pc < first->pc)
      first = &result->stuck[i];
  if (!first)
    return;
  struct check_hazard hazard = {.rule = first->pipe ? HAZARD_R14 : HAZARD_M9,
                                .launch = number,
                                .count = result->stuck_count,
                                .here = {.program = launch->program,
                                         .pc = first->pc,
                                         .group = {first->group[0], first->group[1], first->group[2]},
                                         .item = first->warp * launch->warp_size}};
  if (first->pipe)
    snprintf(hazard.detail, sizeof hazard.detail, "pipe '%.60s' no longer changes, and %zu warp%s wait for it",
             first->pipe->name, result->stuck_count, result->stuck_count == 1 ? "" : "s");
  hazards_add(checker, &hazard);
}

/* A job ends with its first deadlock. Hazards of the launches that were running may be its cause. */
static bool is_explained(const struct checker *checker) {
  for (size_t i = 0; i < checker->hazard_count; i++)
    if (checker->hazards[i].launch >= checker->filters.first)
      return true;
  return false;
}

void checker_take(struct checker *checker, uint32_t number, const struct isa_launch *launch,
                  const struct launch_result *result) {
  for (size_t i = 0; i < result->hazard_count; i++) {
    const struct isa_hazard *first = &result->hazards[i].first;
    if (events_know(checker, first->rule))
      continue;
    struct check_hazard hazard = {.rule = first->rule,
                                  .launch = number,
                                  .count = result->hazards[i].count,
                                  .here = {.program = launch->program,
                                           .pc = first->pc,
                                           .group = {first->group[0], first->group[1], first->group[2]},
                                           .item = first->item,
                                           .whole_group = is_of_group(first->rule)}};
    memcpy(hazard.detail, first->detail, sizeof hazard.detail);
    if (check_is_divergence(first->rule))
      divergence_take(checker, &hazard);
    hazards_add(checker, &hazard);
  }
  if (result->end == END_DEADLOCK && !is_explained(checker))
    take_deadlock(checker, number, launch, result);
}
