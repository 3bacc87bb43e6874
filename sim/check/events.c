/* Events that are not live, and copies that nobody waits for. Every run reports them (X10, X11, X12), but only the
 * checker knows the other place: the wait that released the event, or where the group ended. */
#include "sim/check/check_parts.h"

#include <stdio.h>

static bool is_live(const struct check_group *group, uint32_t event) {
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].event == event)
      return true;
  return false;
}

static struct check_side side_at(const struct check_group *group, uint32_t pc) {
  const uint32_t *id = group->shape->id;
  return (struct check_side){
      .program = group->shape->launch->program, .pc = pc, .group = {id[0], id[1], id[2]}, .whole_group = true};
}

static const struct released *find_released(const struct check_group *group, uint32_t event) {
  for (uint32_t i = 0; i < CHECK_RELEASED; i++)
    if (event && group->released[i].event == event)
      return &group->released[i];
  return NULL;
}

/* The detail for an event that no recent wait released. */
static void say_of_dead(const struct check_group *group, enum isa_hazard_rule rule, uint32_t event, char *text,
                        size_t room) {
  if (!event)
    snprintf(text, room, "the event is null");
  else if (event <= group->events_made)
    snprintf(text, room, "event %u was released before", event);
  else
    snprintf(text, room, "event %u has no copy%s", event,
             rule == HAZARD_X12 ? ": nothing completes it, so the wait never ends" : "");
}

static void report_dead(struct check_unit *unit, const struct check_group *group, enum isa_hazard_rule rule,
                        uint32_t pc, uint32_t event) {
  const struct released *released = find_released(group, event);
  struct check_hazard hazard = {
      .rule = rule, .launch = unit->checker->filters.first + group->launch, .here = side_at(group, pc)};
  if (released)
    hazard.other = side_at(group, released->pc);
  if (!released)
    say_of_dead(group, rule, event, hazard.detail, sizeof hazard.detail);
  hazards_add(unit->checker, &hazard);
}

void events_check(struct check_unit *unit, struct check_group *group, const struct pending_call *call) {
  if (call->act == ACT_COPY && call->copy.event_in && !is_live(group, call->copy.event_in))
    report_dead(unit, group, HAZARD_X11, call->pc, call->copy.event_in);
  for (uint32_t i = 0; call->act == ACT_WAIT && i < call->wait.count; i++)
    if (!is_live(group, call->wait.event[i]))
      report_dead(unit, group, HAZARD_X12, call->pc, call->wait.event[i]);
}

void events_release(struct check_group *group, uint32_t pc) {
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited <= group->calls)
      group->released[group->released_count++ % CHECK_RELEASED] = (struct released){group->copies[i].event, pc};
}

void events_end(struct check_unit *unit, struct check_group *group) {
  for (uint32_t i = 0; i < group->copy_count; i++) {
    const struct check_hazard hazard = {.rule = HAZARD_X10,
                                        .launch = unit->checker->filters.first + group->launch,
                                        .here = side_at(group, group->copies[i].pc),
                                        .other = side_at(group, group->last_pc)};
    hazards_add(unit->checker, &hazard);
  }
}

bool events_know(const struct checker *checker, enum isa_hazard_rule rule) {
  if (rule != HAZARD_X10 && rule != HAZARD_X11 && rule != HAZARD_X12)
    return false;
  for (size_t i = 0; i < checker->hazard_count; i++)
    if (checker->hazards[i].rule == rule)
      return true;
  return false;
}
