/* The bytes of a copy's two sides, exactly: its lines and planes, without the gaps between them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/check_parts.h"
#include "sim/check/report.h"

/* The LDS side of a copy, in the compute unit's LDS. Adjacent lines are one. */
static struct rect lds_side(const struct check_group *group, const struct isa_copy *copy) {
  struct rect side = rect_joined(copy->lds);
  side.base += group->shape->lds_base;
  return side;
}

static void each_line(const struct rect *side, struct accessor *accessor,
                      void (*visit)(struct accessor *, uint64_t, uint64_t)) {
  for (uint64_t plane = 0; plane < side->planes; plane++)
    for (uint64_t line = 0; line < side->lines; line++)
      visit(accessor, rect_line(side, plane, line), side->bytes);
}

static void fill(struct accessor *accessor, uint64_t address, uint64_t bytes) {
  unwritten_filled(accessor, address, (uint32_t)bytes);
}

static void look(struct accessor *accessor, uint64_t address, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes; done += accessor->bytes)
    unwritten_read(accessor, address + done, accessor->bytes);
}

/* The lines of a valid copy do not overlap, and are in order. */
bool copies_fill(const struct check_group *group, const struct isa_copy *copy, uint64_t address, uint32_t bytes) {
  const struct rect side = lds_side(group, copy);
  uint64_t offset = address - side.base;
  if (address < side.base || !side.bytes)
    return false;
  const uint64_t plane = side.planes > 1 && side.plane ? offset / side.plane : 0;
  offset -= plane * side.plane;
  const uint64_t line = side.lines > 1 && side.pitch ? offset / side.pitch : 0;
  offset -= line * side.pitch;
  return plane < side.planes && line < side.lines && offset + bytes <= side.bytes;
}

/* ---- issue ---------------------------------------------------------------------------------- */

/* A copy that begins in one variable and ends past it is X2, even if the LDS continues there. */
static bool leaves_variable(const struct accessor *accessor, const struct rect *lds) {
  const struct check_group *group = accessor->group;
  struct checker *checker = accessor->unit->checker;
  const uint64_t start = lds->base - group->shape->lds_base;
  const struct check_variable variable = check_variable_at(group->shape->launch, start);
  uint64_t end = 0;
  if (!variable.name || !rect_end(lds, &end) || end - group->shape->lds_base <= variable.end)
    return false;
  struct check_hazard hazard = {.rule = HAZARD_X2,
                                .launch = checker->filters.first + checker->sites[accessor->site].launch,
                                .here = check_side_of(checker, accessor->site, group->number, 0, true),
                                .space = CHECK_LDS,
                                .address = start,
                                .bytes = accessor->bytes};
  snprintf(hazard.detail, sizeof hazard.detail, "from byte %" PRIu64 " to %" PRIu64 " of '%.60s', which has %" PRIu64,
           start - variable.start, end - group->shape->lds_base - variable.start, variable.name,
           variable.end - variable.start);
  hazards_add(checker, &hazard);
  return true;
}

/* Errors of the copy itself are reported where it is carried out; its bytes are then not checked. */
static bool is_sound(const struct check_group *group, const struct isa_copy *copy, const struct rect *lds,
                     const struct rect *global) {
  uint64_t lds_end = 0, global_end = 0;
  struct isa_memory *memory = group->shape->launch->memory;
  if (!copy->global.base || (copy->form == ISA_COPY_STRIDED && !copy->global.pitch) ||
      rect_lines_overlap(&copy->global) || rect_lines_overlap(&copy->lds) || rect_planes_overlap(&copy->global) ||
      rect_planes_overlap(&copy->lds))
    return false;
  if (!rect_end(lds, &lds_end) || lds_end > group->shape->lds_base + (uint64_t)group->shape->launch->lds_bytes)
    return false;
  return rect_end(global, &global_end) && isa_memory_at(memory, global->base, global_end - global->base);
}

/* A copy that is not valid still counts as filling its destination, so that reads there are not reported too. */
static void fill_all(struct accessor *accessor, const struct rect *lds) {
  uint64_t end = 0;
  const uint64_t room = accessor->group->shape->lds_base + (uint64_t)accessor->group->shape->launch->lds_bytes;
  if (!rect_end(lds, &end) || end > room)
    end = room;
  if (lds->base < end)
    fill(accessor, lds->base, end - lds->base);
}

void copies_issue(struct check_unit *unit, struct check_group *group, const struct pending_call *call, uint32_t site) {
  const struct isa_copy *copy = &call->copy;
  if (!copy->element_bytes || !rect_all(&copy->lds))
    return;
  const struct rect lds = lds_side(group, copy), global = rect_joined(copy->global);
  struct accessor inside =
      accessor_of_copy(unit, group, call, CHECK_LDS, site, copy->to_lds ? TOUCH_COPY_WRITE : TOUCH_COPY_READ);
  struct accessor outside =
      accessor_of_copy(unit, group, call, CHECK_GLOBAL, site, copy->to_lds ? TOUCH_COPY_READ : TOUCH_COPY_WRITE);
  unit->checker->counts.copies++;
  if (!is_sound(group, copy, &lds, &global) || leaves_variable(&inside, &lds)) {
    if (copy->to_lds)
      fill_all(&inside, &lds);
    return;
  }
  if (copy->to_lds)
    each_line(&lds, &inside, fill);
  else
    each_line(&lds, &inside, look);
  each_line(&lds, &inside, touch_run);
  each_line(&global, &outside, touch_run);
}

/* ---- lanes' own copies ---------------------------------------------------------------------- */

/* A copy.lane counts as a load and a store at its issue, ordered after all that the lane has done, and as another store
 * when the wait for it ends: a reader must be ordered after that. Touches by its warp between the two conflict with the
 * copy in flight. */
void copies_lanes(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t site,
                  const struct isa_access *access) {
  struct accessor from = accessor_of_warp(unit, group, warp, CHECK_GLOBAL, site, TOUCH_READ, access->bytes);
  struct accessor to = accessor_of_warp(unit, group, warp, CHECK_LDS, site, TOUCH_WRITE, access->bytes);
  struct warp_copy *copy = vector_next(warp->lane_copies, warp->lane_copy_count, warp->lane_copy_room);
  *copy = (struct warp_copy){
      .site = site, .bytes = access->bytes, .batch = warp->batches, .when = group->time, .mask = access->mask};
  for (uint32_t lane = 0; lane < ISA_LANES; lane++)
    copy->place[lane] = access->lds[lane];
  unit->checker->counts.accesses += (uint64_t)__builtin_popcountll(access->mask);
  unwritten_lanes_filled(&to, access->mask, copy->place);
  touch_lanes(&from, access->mask, access->address);
  touch_lanes(&to, access->mask, copy->place);
  group_ticks(group);
}

void copies_lanes_over(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t left) {
  uint32_t kept = 0;
  if (warp->lane_copy_count)
    group_ticks(group);
  for (uint32_t i = 0; i < warp->lane_copy_count; i++) {
    const struct warp_copy *copy = &warp->lane_copies[i];
    if (copy->batch + left >= warp->batches) {
      warp->lane_copies[kept++] = *copy;
      continue;
    }
    struct accessor to = accessor_of_warp(unit, group, warp, CHECK_LDS, copy->site, TOUCH_WRITE, copy->bytes);
    to.since = copy->when;
    touch_lanes(&to, copy->mask, copy->place);
  }
  warp->lane_copy_count = kept;
}

void copies_free_warp(struct check_warp *warp) { free(warp->lane_copies); }
