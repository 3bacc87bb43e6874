/* What a work-group does together: rendezvous, copies, events, its end. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/cu.h"

static enum isa_class class_at(const struct cu *cu, uint32_t pc) {
  return (enum isa_class)cu->program->info[pc].class_;
}

/* A hazard of the group's `warp`, or of the whole group. */
static void hazard_of(struct cu *cu, const struct cu_group *group, const struct cu_warp *warp,
                      enum isa_hazard_rule rule, uint32_t pc, const char *detail) {
  struct isa_hazard found = {.rule = rule,
                             .pc = pc,
                             .group = {group->id[0], group->id[1], group->id[2]},
                             .item = warp ? warp->index * cu->params.warp_size : 0};
  snprintf(found.detail, sizeof found.detail, "%s", detail);
  cu_report(cu, &found);
}

static void hazard(struct cu *cu, const struct cu_group *group, enum isa_hazard_rule rule, uint32_t pc,
                   const char *detail) {
  hazard_of(cu, group, NULL, rule, pc, detail);
}

/* ---- events ----------------------------------------------------------------------------- */

static struct cu_event *find_event(struct cu_group *group, uint32_t id) {
  for (uint32_t i = 0; i < group->event_count; i++)
    if (group->events[i].id == id)
      return &group->events[i];
  return NULL;
}

/* Live events are few, so they are kept in a list; a kernel that piles them up makes it longer. */
static struct cu_event *add_event(struct cu_group *group, uint32_t id) {
  if (group->event_count == group->event_room) {
    uint32_t room = group->event_room ? 2 * group->event_room : 8;
    struct cu_event *events = realloc(group->events, room * sizeof *events);
    assert(events && "a live event takes eight bytes");
    group->events = events;
    group->event_room = room;
  }
  struct cu_event *event = &group->events[group->event_count++];
  *event = (struct cu_event){.id = id};
  return event;
}

/* The events of the wait are released; those of a part of a list once the wait comes that ends it. */
static void release_events(struct cu_group *group) {
  for (uint32_t i = 0; i < group->wait.count; i++) {
    struct cu_event *event = find_event(group, group->wait.event[i]);
    if (event)
      event->leaving = true;
  }
  for (uint32_t i = group->wait.more ? 0 : group->event_count; i--;)
    if (group->events[i].leaving)
      group->events[i] = group->events[--group->event_count];
}

/* An event that no copy has made yet cannot complete; a null or released one never holds a wait up. */
static bool never_made(const struct cu_group *group, uint32_t id) { return id > group->events_made; }

static bool wait_holds(struct cu_group *group) {
  for (uint32_t i = 0; i < group->wait.count; i++) {
    uint32_t id = group->wait.event[i];
    const struct cu_event *event = find_event(group, id);
    if (event ? event->under_way > 0 : never_made(group, id))
      return true;
  }
  return false;
}

static void check_wait(struct cu *cu, struct cu_group *group) {
  for (uint32_t i = 0; i < group->wait.count; i++) {
    uint32_t id = group->wait.event[i];
    char detail[96];
    if (find_event(group, id))
      continue;
    snprintf(detail, sizeof detail, "event %u %s", id,
             !id                     ? "is null"
             : never_made(group, id) ? "was never made: nobody will complete it"
                                     : "is already released");
    hazard(cu, group, HAZARD_X12, group->arrived_pc, detail);
  }
}

/* ---- copies ----------------------------------------------------------------------------- */

static bool mul(uint64_t a, uint64_t b, uint64_t *product) { return !__builtin_mul_overflow(a, b, product); }

static bool has_lines(const struct isa_copy *copy) { return copy->form == ISA_COPY_2D || copy->form == ISA_COPY_3D; }

static bool is_empty(const struct isa_copy *copy) {
  return !copy->elements || !copy->lines || !copy->planes || !copy->element_bytes;
}

/* Bytes from the start of a copy of lines to the end of its last byte on one side; false if that is beyond 64 bits. */
static bool span(const struct isa_copy *copy, uint64_t line, uint64_t plane, uint64_t *bytes) {
  uint64_t lines, planes, elements;
  return mul(copy->lines - 1, line, &lines) && mul(copy->planes - 1, plane, &planes) &&
         !__builtin_add_overflow(lines, planes, &elements) &&
         !__builtin_add_overflow(elements, copy->elements, &elements) && mul(elements, copy->element_bytes, bytes);
}

/* A copy of lines that is out of bounds moves nothing. */
static void check_lines(struct cu *cu, struct cu_group *group, struct isa_copy *copy) {
  const struct isa_buffer *buffer = isa_memory_near(cu->launch->memory, copy->global);
  uint64_t global, lds, at = buffer ? copy->global - buffer->base : 0;
  char detail[160];
  if (is_empty(copy))
    return;
  const bool spans = span(copy, copy->global_line, copy->global_plane, &global);
  if (!spans || !buffer || at > buffer->bytes || global > buffer->bytes - at)
    snprintf(detail, sizeof detail, "to %llu bytes from byte %llu of buffer '%.40s' of %llu bytes",
             spans ? (unsigned long long)global : (unsigned long long)UINT64_MAX, (unsigned long long)at,
             buffer ? buffer->name : "(none)", buffer ? (unsigned long long)buffer->bytes : 0);
  else if (!span(copy, copy->lds_line, copy->lds_plane, &lds) || copy->lds > cu->launch->lds_bytes ||
           lds > cu->launch->lds_bytes - copy->lds)
    snprintf(detail, sizeof detail, "beyond byte %u of the work-group's LDS of %u bytes", copy->lds,
             cu->launch->lds_bytes);
  else
    return;
  hazard(cu, group, HAZARD_X2, group->arrived_pc, detail);
  copy->lines = 0;
}

/* Elements of a plain copy, or lines of a strided one. */
static uint32_t extent(const struct isa_copy *copy) {
  return copy->form == ISA_COPY_STRIDED ? copy->lines : copy->elements;
}

/* Elements of a copy that lie inside the buffer at its global address. */
static uint32_t global_room(const struct cu *cu, const struct isa_copy *copy) {
  const struct isa_buffer *buffer = isa_memory_near(cu->launch->memory, copy->global);
  uint64_t pitch = 0;
  if (!buffer || copy->global < buffer->base || copy->global - buffer->base >= buffer->bytes)
    return 0;
  uint64_t room = buffer->bytes - (copy->global - buffer->base);
  if (room < copy->element_bytes)
    return 0;
  if (!mul(copy->global_line, copy->element_bytes, &pitch))
    return 1;
  uint64_t elements = pitch ? (room - copy->element_bytes) / pitch + 1 : UINT32_MAX;
  return elements < UINT32_MAX ? (uint32_t)elements : UINT32_MAX;
}

static uint32_t lds_room(const struct cu *cu, const struct isa_copy *copy) {
  uint32_t bytes = cu->launch->lds_bytes;
  return copy->lds < bytes ? (bytes - copy->lds) / copy->element_bytes : 0;
}

/* An out-of-bounds copy is reported and cut to the elements that exist on both sides. */
static void check_bounds(struct cu *cu, struct cu_group *group, struct isa_copy *copy) {
  uint32_t global = global_room(cu, copy), lds = lds_room(cu, copy), room = global < lds ? global : lds;
  if (extent(copy) <= room)
    return;
  const struct isa_buffer *buffer = isa_memory_near(cu->launch->memory, copy->global);
  char detail[160];
  if (global <= lds)
    snprintf(detail, sizeof detail,
             "%u elements of %u bytes at stride %u from byte %lld of buffer '%.40s' of %llu bytes: %u fit",
             extent(copy), copy->element_bytes, copy->global_line,
             buffer ? (long long)(copy->global - buffer->base) : (long long)copy->global,
             buffer ? buffer->name : "(none)", buffer ? (unsigned long long)buffer->bytes : 0, global);
  else
    snprintf(detail, sizeof detail, "%u elements of %u bytes at byte %u of the work-group's LDS of %u bytes: %u fit",
             extent(copy), copy->element_bytes, copy->lds, cu->launch->lds_bytes, lds);
  hazard(cu, group, HAZARD_X2, group->arrived_pc, detail);
  *(copy->form == ISA_COPY_STRIDED ? &copy->lines : &copy->elements) = room;
}

static void check_copy(struct cu *cu, struct cu_group *group) {
  struct isa_copy *copy = &group->copy;
  char detail[96];
  if (copy->form == ISA_COPY_STRIDED && !copy->global_line)
    hazard(cu, group, HAZARD_X1, group->arrived_pc, "");
  if (!has_lines(copy) && extent(copy) && (copy->global % copy->element_bytes || copy->lds % copy->element_bytes)) {
    snprintf(detail, sizeof detail, "global address 0x%llx, LDS offset %u, elements of %u bytes",
             (unsigned long long)copy->global, copy->lds, copy->element_bytes);
    hazard(cu, group, HAZARD_X14, group->arrived_pc, detail);
  }
  if (copy->event_in && !find_event(group, copy->event_in)) {
    snprintf(detail, sizeof detail, "event %u", copy->event_in);
    hazard(cu, group, HAZARD_X11, group->arrived_pc, detail);
  }
  if (has_lines(copy))
    check_lines(cu, group, copy);
  else
    check_bounds(cu, group, copy);
}

/* A tag names the group slot and the event. */
static uint64_t copy_tag(uint32_t group_slot, uint32_t event) { return group_slot | (uint64_t)event << 8; }

static struct dma_descriptor describe_lines(const struct cu *cu, uint32_t group_slot) {
  const struct cu_group *group = &cu->groups[group_slot];
  const struct isa_copy *copy = &group->copy;
  return (struct dma_descriptor){
      .tag = copy_tag(group_slot, copy->event),
      .origin = group->arrived_pc,
      .owner = group_slot,
      .to_lds = copy->to_lds,
      .global = copy->global,
      .lds = group->lds_base + copy->lds,
      .element_bytes = copy->element_bytes,
      .line_bytes = copy->elements * copy->element_bytes,
      .lines = is_empty(copy) ? 0 : copy->lines,
      .planes = copy->planes,
      .global_pitch = (uint64_t)copy->global_line * copy->element_bytes,
      .global_plane = (uint64_t)copy->global_plane * copy->element_bytes,
      .lds_pitch = copy->lds_line * copy->element_bytes,
      .lds_plane = copy->lds_plane * copy->element_bytes,
      .issued = group->complete_at,
  };
}

static struct dma_descriptor describe(const struct cu *cu, uint32_t group_slot) {
  const struct cu_group *group = &cu->groups[group_slot];
  const struct isa_copy *copy = &group->copy;
  if (has_lines(copy))
    return describe_lines(cu, group_slot);
  bool plain = copy->global_line == 1 || extent(copy) <= 1;
  return (struct dma_descriptor){
      .tag = copy_tag(group_slot, copy->event),
      .origin = group->arrived_pc,
      .owner = group_slot,
      .to_lds = copy->to_lds,
      .global = copy->global,
      .lds = group->lds_base + copy->lds,
      .element_bytes = copy->element_bytes,
      .line_bytes = plain ? extent(copy) * copy->element_bytes : copy->element_bytes,
      .lines = plain ? 1 : extent(copy),
      .planes = 1,
      .global_pitch = (uint64_t)copy->global_line * copy->element_bytes,
      .lds_pitch = copy->element_bytes,
      .issued = group->complete_at,
  };
}

static void note_copy(struct cu *cu, struct cu_group *group, cycle_t now) {
  const struct isa_copy *copy = &group->copy;
  struct cu_event *event = find_event(group, copy->event);
  if (!event)
    event = add_event(group, copy->event);
  event->under_way++;
  if (!copy->event_in)
    group->events_made = copy->event;
  if (!group->copies_under_way++)
    group->copies_since = now;
  cu->stats.copies++;
  cu->by_pc[group->arrived_pc].copies++;
  cu->by_pc[group->arrived_pc].copy_bytes +=
      (uint64_t)copy->elements * copy->lines * copy->planes * copy->element_bytes;
}

/* ---- rendezvous ------------------------------------------------------------------------- */

/* All warps that stand at the rendezvous leave it, barrier_latency after `now`. */
static void release(struct cu *cu, struct cu_group *group, enum stall stall, cycle_t now) {
  uint64_t arrived = group->arrived;
  group->arrived = 0;
  group->arrived_count = 0;
  for (; arrived; arrived &= arrived - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(arrived);
    cu_rest(cu, slot, stall, now + cu->params.barrier_latency, now);
  }
}

static void set_stall(struct cu *cu, const struct cu_group *group, enum stall stall, cycle_t now) {
  for (uint64_t arrived = group->arrived; arrived; arrived &= arrived - 1)
    cu_account(cu, cu_warp(cu, (uint32_t)__builtin_ctzll(arrived)), stall, now);
}

static void release_wait(struct cu *cu, struct cu_group *group, cycle_t now) {
  cu->stats.exposed_cycles += now - group->complete_at;
  cu->stats.waits++;
  release_events(group);
  release(cu, group, STALL_WAIT_JOIN, now);
}

static void complete(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  group->complete_at = now;
  switch (class_at(cu, group->arrived_pc)) {
  case ISA_CLASS_COPY:
    check_copy(cu, group);
    note_copy(cu, group, now);
    cu->queued |= UINT64_C(1) << group_slot;
    set_stall(cu, group, STALL_DMA_QUEUE, now);
    break; /* group_hand_over() follows in this step */
  case ISA_CLASS_WAIT:
    check_wait(cu, group);
    if (!wait_holds(group))
      release_wait(cu, group, now);
    break;
  default:
    cu->stats.barriers += class_at(cu, group->arrived_pc) == ISA_CLASS_BARRIER;
    release(cu, group, STALL_BARRIER, now);
  }
}

static bool same_copy(const struct isa_copy *a, const struct isa_copy *b) {
  return a->to_lds == b->to_lds && a->global == b->global && a->lds == b->lds && a->elements == b->elements &&
         a->element_bytes == b->element_bytes && a->lines == b->lines && a->planes == b->planes &&
         a->global_line == b->global_line && a->lds_line == b->lds_line && a->global_plane == b->global_plane &&
         a->lds_plane == b->lds_plane && a->event_in == b->event_in;
}

static bool same_wait(const struct isa_wait *a, const struct isa_wait *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->event[i] == b->event[i];
  return same;
}

static void compare(struct cu *cu, const struct cu_group *group, uint32_t pc, const struct isa_result *result,
                    const struct cu_warp *warp) {
  enum isa_class class_ = class_at(cu, pc);
  bool same = class_ == ISA_CLASS_COPY   ? same_copy(&group->copy, &result->copy)
              : class_ == ISA_CLASS_WAIT ? same_wait(&group->wait, &result->wait)
                                         : true;
  if (same)
    return;
  char detail[96];
  snprintf(detail, sizeof detail, "warp %u differs from the first warp to arrive", warp->index);
  hazard_of(cu, group, warp, HAZARD_G1, pc, detail);
}

/* Warps of a work-group stand at different calls: they will never meet, whatever copies complete. */
static void part(struct cu *cu, struct cu_group *group, uint32_t pc, const struct cu_warp *warp, cycle_t now) {
  char detail[96];
  snprintf(detail, sizeof detail, "warp %u is here while others are at line %u", warp->index,
           cu->program->line[group->arrived_pc]);
  hazard_of(cu, group, warp, HAZARD_G2, pc, detail);
  group->mismatched = true;
  if (class_at(cu, group->arrived_pc) == ISA_CLASS_WAIT)
    set_stall(cu, group, STALL_WAIT_JOIN, now);
}

/* The warps that stand at a call are all that are left: the others have exited. */
static void note_exited(struct cu *cu, const struct cu_group *group) {
  char detail[96];
  if (!group->arrived_count || !group->exited || group->mismatched ||
      group->arrived_count + group->exited < group->warp_count)
    return;
  snprintf(detail, sizeof detail, "%u of %u warps have exited", group->exited, group->warp_count);
  hazard(cu, group, HAZARD_G2, group->arrived_pc, detail);
}

static enum stall arrival_stall(const struct cu *cu, struct cu_group *group, uint32_t pc) {
  switch (class_at(cu, pc)) {
  case ISA_CLASS_COPY:
    return STALL_COPY_JOIN;
  case ISA_CLASS_WAIT:
    return group->mismatched || !wait_holds(group) ? STALL_WAIT_JOIN : STALL_COPY_WAIT;
  default:
    return STALL_BARRIER;
  }
}

void group_arrive(struct cu *cu, uint32_t slot, uint32_t pc, const struct isa_result *result, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  if (!group->arrived_count) {
    group->arrived_pc = pc;
    group->copy = class_at(cu, pc) == ISA_CLASS_COPY ? result->copy : (struct isa_copy){0};
    group->wait = class_at(cu, pc) == ISA_CLASS_WAIT ? result->wait : (struct isa_wait){0};
    group->mismatched = false;
  } else if (pc != group->arrived_pc) {
    part(cu, group, pc, warp, now);
  } else {
    compare(cu, group, pc, result, warp);
  }
  group->arrived |= UINT64_C(1) << slot;
  group->arrived_count++;
  warp->state = WARP_BLOCKED;
  warp->charged = pc;
  cu_account(cu, warp, arrival_stall(cu, group, pc), now);
  if (group->arrived_count == group->warp_count && !group->mismatched)
    complete(cu, warp->group, now);
  else
    note_exited(cu, group);
}

/* The group whose copy has been waiting longest; ties go to the lowest slot. */
static uint32_t oldest_queued(const struct cu *cu) {
  uint32_t oldest = (uint32_t)__builtin_ctzll(cu->queued);
  for (uint64_t left = cu->queued & (cu->queued - 1); left; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(left);
    if (cu->groups[slot].complete_at < cu->groups[oldest].complete_at)
      oldest = slot;
  }
  return oldest;
}

cycle_t group_hand_over(struct cu *cu, cycle_t now) {
  while (cu->queued) {
    struct port *queue = &cu->dma[cu->engine_turn].from_cu;
    if (!port_can_send(queue, now))
      return port_free_at(queue);
    uint32_t slot = oldest_queued(cu);
    struct dma_descriptor descriptor = describe(cu, slot);
    port_send(queue, &descriptor, now);
    cu->stats.exposed_cycles += now - cu->groups[slot].complete_at;
    cu->queued &= ~(UINT64_C(1) << slot);
    cu->engine_turn = cu->engine_turn + 1 == cu->engines ? 0 : cu->engine_turn + 1;
    release(cu, &cu->groups[slot], STALL_COPY_JOIN, now);
  }
  return NEVER;
}

void group_copy_done(struct cu *cu, uint64_t tag, cycle_t now) {
  uint32_t slot = (uint32_t)(tag & 0xff);
  struct cu_group *group = &cu->groups[slot];
  struct cu_event *event = find_event(group, (uint32_t)(tag >> 8));
  assert(event && event->under_way && "a copy under way holds its event");
  event->under_way--;
  if (!--group->copies_under_way)
    cu->stats.copy_cycles += now - group->copies_since;
  bool at_wait = group->arrived_count && !group->mismatched && class_at(cu, group->arrived_pc) == ISA_CLASS_WAIT;
  if (at_wait && !wait_holds(group)) {
    if (group->arrived_count == group->warp_count)
      release_wait(cu, group, now);
    else
      set_stall(cu, group, STALL_WAIT_JOIN, now);
  }
  group_finish(cu, slot, now);
}

/* ---- the end ---------------------------------------------------------------------------- */

void group_exit(struct cu *cu, uint32_t slot) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  warp->exited = true;
  group->exited++;
  note_exited(cu, group);
  if (group->exited < group->warp_count || !group->event_count)
    return;
  char detail[96];
  snprintf(detail, sizeof detail, "%u event%s not waited for, %u cop%s under way", group->event_count,
           group->event_count == 1 ? "" : "s", group->copies_under_way, group->copies_under_way == 1 ? "y" : "ies");
  hazard(cu, group, HAZARD_X10, warp->charged, detail);
}

void group_abandon(struct cu *cu, uint32_t group_slot, cycle_t end) {
  struct cu_group *group = &cu->groups[group_slot];
  if (!group->active || !group->copies_under_way)
    return;
  cu->stats.copy_cycles += end - group->copies_since;
  bool together = group->arrived_count == group->warp_count && !group->mismatched;
  if (together && end > group->complete_at)
    cu->stats.exposed_cycles += end - group->complete_at;
}

void group_finish(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  if (group->finished < group->warp_count || group->copies_under_way)
    return;
  struct cu_finish message = {.at = now};
  for (uint64_t left = group->warps; left; left &= left - 1)
    cu_warp(cu, (uint32_t)__builtin_ctzll(left))->state = WARP_FREE;
  group->active = false;
  group->event_count = 0;
  group->events_made = 0;
  cu->stats.work_groups++;
  port_send(&cu->to_dispatcher, &message, now);
}
