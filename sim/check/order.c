/* A work-group's own time: its calls, and its copies in flight. */
#include <stdlib.h>
#include <string.h>

#include "sim/check/check_parts.h"

/* ---- groups ------------------------------------------------------------------------------- */

void order_start(struct check_group *group) {
  group->time = group->epoch[CHECK_LDS] = group->epoch[CHECK_GLOBAL] = 1;
  for (unsigned i = 0; i < CHECK_AHEAD; i++)
    group->pending[i] = (struct pending_call){.stamp = need(group->warps, sizeof(uint32_t))};
}

void order_forget(struct check_group *group) {
  for (unsigned i = 0; i < CHECK_AHEAD; i++)
    free(group->pending[i].stamp);
  free(group->copies);
}

/* ---- calls -------------------------------------------------------------------------------- */

bool order_waits_for(const struct isa_wait *wait, uint32_t event) {
  for (uint32_t i = 0; i < wait->count; i++)
    if (wait->event[i] == event)
      return true;
  return false;
}

static void note_waited(struct check_group *group, const struct isa_wait *wait, uint32_t call) {
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited == UINT32_MAX && group->copies[i].call < call &&
        order_waits_for(wait, group->copies[i].event))
      group->copies[i].waited = call;
}

static struct pending_call *open_call(struct check_group *group, uint32_t number, const struct act_row *row,
                                      const struct isa_result *result) {
  struct pending_call *call = &group->pending[number % CHECK_AHEAD];
  uint32_t *stamp = call->stamp;
  *call = (struct pending_call){.pc = result->pc, .act = row->act, .stamp = stamp};
  memset(stamp, 0, group->warps * sizeof *stamp);
  if (row->act == ACT_COPY)
    call->copy = result->copy;
  if (row->act == ACT_WAIT)
    call->wait = result->wait;
  return call;
}

struct pending_call *order_arrive(struct check_unit *unit, struct check_warp *warp, const struct act_row *row,
                                  const struct isa_result *result) {
  struct check_group *group = &unit->groups[warp->group];
  const uint32_t number = warp->calls++;
  if (group->broken || unit->reported || number - group->calls >= CHECK_AHEAD) {
    group->broken = true;
    return NULL;
  }
  struct pending_call *call = &group->pending[number % CHECK_AHEAD];
  if (!call->arrived)
    open_call(group, number, row, result);
  else if (call->pc != result->pc || (row->act == ACT_COPY && !isa_same_copy(&call->copy, &result->copy))) {
    group->broken = true;
    return NULL;
  }
  call->stamp[warp->index] = group_ticks(group);
  if (row->act == ACT_WAIT)
    note_waited(group, &result->wait, number);
  return ++call->arrived == group->warps ? call : NULL;
}

/* Removes copies that all warps have waited for. */
static void drop_waited(struct check_group *group, uint32_t call) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited == UINT32_MAX || group->copies[i].waited > call)
      group->copies[kept++] = group->copies[i];
  group->copy_count = kept;
}

void order_complete(struct check_unit *unit, struct check_group *group, struct pending_call *call,
                    const struct act_row *row) {
  const uint8_t sync = row->sync;
  const uint32_t now = group_ticks(group);
  if (call->act == ACT_BARRIER) {
    group->barrier = now;
    if (sync & SYNC_LDS)
      group->epoch[CHECK_LDS] = now;
    if (sync & SYNC_GLOBAL)
      group->epoch[CHECK_GLOBAL] = now;
    if (sync & SYNC_IMAGE)
      group->epoch[CHECK_IMAGE] = now;
    if (sync & SYNC_GLOBAL && row->scope >= ISA_SCOPE_DEVICE)
      group->device_barrier = now;
    if (sync & SYNC_GLOBAL && group->has_released)
      hb_barrier(unit, group, row);
  }
  if (call->act == ACT_COPY_FENCE && sync & SYNC_LDS)
    group->fenced[CHECK_LDS] = now;
  if (call->act == ACT_COPY_FENCE && sync & SYNC_GLOBAL)
    group->fenced[CHECK_GLOBAL] = now;
  if (call->act == ACT_WAIT && !call->wait.more) {
    events_release(group, call->pc);
    drop_waited(group, group->calls);
  }
  call->arrived = 0;
  group->calls++;
}

/* ---- copies ------------------------------------------------------------------------------- */

void order_copy(struct check_group *group, const struct pending_call *call) {
  struct copy_in_flight *copy = vector_next(group->copies, group->copy_count, group->copy_room);
  *copy = (struct copy_in_flight){
      .pc = call->pc, .when = group->time, .call = group->calls, .event = call->copy.event, .waited = UINT32_MAX};
  if (!call->copy.event_in)
    group->events_made = copy->event;
  /* Warps that are ahead may already have reached the wait. */
  for (uint32_t number = group->calls + 1; number < group->calls + CHECK_AHEAD; number++) {
    const struct pending_call *later = &group->pending[number % CHECK_AHEAD];
    if (later->arrived && later->act == ACT_WAIT && copy->waited == UINT32_MAX &&
        order_waits_for(&later->wait, copy->event))
      copy->waited = number;
  }
}

/* Binary search: copies are in the order of issue. */
const struct copy_in_flight *order_find_copy(const struct check_group *group, uint32_t when) {
  uint32_t low = 0, high = group->copy_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (group->copies[middle].when < when)
      low = middle + 1;
    else
      high = middle;
  }
  return low < group->copy_count && group->copies[low].when == when ? &group->copies[low] : NULL;
}

/* ---- warps -------------------------------------------------------------------------------- */

void order_warp_barrier(struct check_group *group, struct check_warp *warp, uint8_t sync) {
  const uint32_t now = group_ticks(group);
  if (sync & SYNC_LDS)
    warp->epoch[CHECK_LDS] = now;
  if (sync & SYNC_GLOBAL)
    warp->epoch[CHECK_GLOBAL] = now;
  if (sync & SYNC_IMAGE)
    warp->epoch[CHECK_IMAGE] = now;
}

void order_image_fence(struct check_group *group, struct check_warp *warp) { warp->image_fenced = group_ticks(group); }
