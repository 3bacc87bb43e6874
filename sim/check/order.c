/* A work-group's own time, and what orders accesses in it and between work-groups. */
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
  for (uint32_t i = 0; i < group->handed_room; i++)
    free(group->handed[i].time);
  free(group->handed);
  free(group->seen);
  free(group->copies);
  order_free_known(&group->known);
}

/* ---- calls -------------------------------------------------------------------------------- */

static bool same_copy(const struct isa_copy *a, const struct isa_copy *b) {
  return a->form == b->form && a->to_lds == b->to_lds && a->global == b->global && a->lds == b->lds &&
         a->element_bytes == b->element_bytes && a->elements == b->elements && a->lines == b->lines &&
         a->planes == b->planes && a->global_line == b->global_line && a->lds_line == b->lds_line &&
         a->global_plane == b->global_plane && a->lds_plane == b->lds_plane && a->event_in == b->event_in;
}

static bool waits_for(const struct isa_wait *wait, uint32_t event) {
  for (uint32_t i = 0; i < wait->count; i++)
    if (wait->event[i] == event)
      return true;
  return false;
}

static void note_waited(struct check_group *group, const struct isa_wait *wait, uint32_t call) {
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited == UINT32_MAX && group->copies[i].call < call &&
        waits_for(wait, group->copies[i].event))
      group->copies[i].waited = call;
}

static struct pending_call *open_call(struct check_group *group, uint32_t number, const struct act_row *row,
                                      const struct isa_result *result) {
  struct pending_call *call = &group->pending[number % CHECK_AHEAD];
  uint32_t *stamp = call->stamp;
  *call = (struct pending_call){.pc = result->pc, .act = row->act, .stamp = stamp};
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
  else if (call->pc != result->pc || (row->act == ACT_COPY && !same_copy(&call->copy, &result->copy))) {
    group->broken = true;
    return NULL;
  }
  call->stamp[warp->index] = group_ticks(group);
  if (row->act == ACT_WAIT)
    note_waited(group, &result->wait, number);
  return ++call->arrived == group->warps ? call : NULL;
}

/* Copies that all warps have waited for are no longer in flight. */
static void drop_waited(struct check_group *group, uint32_t call) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited == UINT32_MAX || group->copies[i].waited > call)
      group->copies[kept++] = group->copies[i];
  group->copy_count = kept;
}

static void take_all(struct check_unit *unit, struct check_group *group);

void order_complete(struct check_unit *unit, struct check_group *group, struct pending_call *call, uint8_t sync) {
  const uint32_t now = group_ticks(group);
  if (call->act == ACT_BARRIER) {
    group->barrier = now;
    if (sync & SYNC_LDS)
      group->epoch[CHECK_LDS] = now;
    if (sync & SYNC_GLOBAL)
      group->epoch[CHECK_GLOBAL] = now;
    if (sync & SYNC_GLOBAL && group->has_atomics)
      take_all(unit, group);
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
  if (group->copy_count == group->copy_room) {
    group->copy_room = 2 * group->copy_room + 8;
    group->copies = need_more(group->copies, group->copy_room, sizeof *group->copies);
  }
  struct copy_in_flight *copy = &group->copies[group->copy_count++];
  *copy = (struct copy_in_flight){
      .pc = call->pc, .when = group->time, .call = group->calls, .event = call->copy.event, .waited = UINT32_MAX};
  /* Warps that are ahead may have come to the wait already. */
  for (uint32_t number = group->calls + 1; number < group->calls + CHECK_AHEAD; number++) {
    const struct pending_call *later = &group->pending[number % CHECK_AHEAD];
    if (later->arrived && later->act == ACT_WAIT && copy->waited == UINT32_MAX && waits_for(&later->wait, copy->event))
      copy->waited = number;
  }
}

const struct copy_in_flight *order_find_copy(const struct check_group *group, uint32_t when) {
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].when == when)
      return &group->copies[i];
  return NULL;
}

uint32_t order_oldest_copy(const struct check_group *group) {
  uint32_t oldest = UINT32_MAX;
  for (uint32_t i = 0; i < group->copy_count; i++)
    oldest = group->copies[i].when < oldest ? group->copies[i].when : oldest;
  return oldest;
}

/* ---- warps -------------------------------------------------------------------------------- */

void order_warp_barrier(struct check_group *group, struct check_warp *warp, uint8_t sync) {
  const uint32_t now = group_ticks(group);
  if (sync & SYNC_LDS)
    warp->epoch[CHECK_LDS] = now;
  if (sync & SYNC_GLOBAL)
    warp->epoch[CHECK_GLOBAL] = now;
}

/* ---- handing over in a group: at an mbarrier, or an atomic between fences ----------------------- */

static uint32_t hash_of(uint64_t address, uint32_t room) {
  return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (room - 1);
}

static struct handed *handed_slot(struct handed *table, uint32_t room, uint64_t address) {
  uint32_t at = hash_of(address, room);
  while (table[at].time && table[at].address != address)
    at = (at + 1) & (room - 1);
  return &table[at];
}

/* NULL: nothing was handed over there. */
static const struct handed *find_handed(const struct check_group *group, uint64_t address) {
  const struct handed *found = group->handed_room ? handed_slot(group->handed, group->handed_room, address) : NULL;
  return found && found->time ? found : NULL;
}

static struct handed *handed_at(struct check_group *group, uint64_t address) {
  if (2 * group->handed_count >= group->handed_room) {
    const uint32_t room = group->handed_room ? 2 * group->handed_room : 8;
    struct handed *table = need(room, sizeof *table);
    for (uint32_t i = 0; i < group->handed_room; i++)
      if (group->handed[i].time)
        *handed_slot(table, room, group->handed[i].address) = group->handed[i];
    free(group->handed);
    group->handed = table;
    group->handed_room = room;
  }
  struct handed *handed = handed_slot(group->handed, group->handed_room, address);
  if (!handed->time) {
    *handed = (struct handed){.address = address, .time = need(group->warps, sizeof(uint32_t))};
    group->handed_count++;
  }
  return handed;
}

static uint32_t *seen_by(struct check_group *group, const struct check_warp *warp) {
  if (!group->seen)
    group->seen = need((size_t)group->warps * group->warps, sizeof *group->seen);
  return group->seen + (size_t)warp->index * group->warps;
}

static void join_times(uint32_t *into, const uint32_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* What the warp has done, and knows of others. */
static void hand_over(struct check_group *group, const struct check_warp *warp, uint64_t address) {
  struct handed *handed = handed_at(group, address);
  join_times(handed->time, seen_by(group, warp), group->warps);
  handed->time[warp->index] = group->time;
  group_ticks(group);
}

static void take_handed(struct check_group *group, const struct check_warp *warp, uint64_t address) {
  const struct handed *handed = find_handed(group, address);
  if (handed)
    join_times(seen_by(group, warp), handed->time, group->warps);
}

void order_mbarrier_arrive(struct check_group *group, const struct check_warp *warp, uint64_t address) {
  hand_over(group, warp, address);
}

void order_mbarrier_pass(struct check_group *group, const struct check_warp *warp, uint64_t address) {
  take_handed(group, warp, address);
  group_ticks(group);
}

/* ---- what work-groups know of each other ---------------------------------------------------- */

static uint32_t place_in(const struct known *known, uint32_t group) {
  uint32_t low = 0, high = known->count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (known->group[middle] < group)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void make_room(struct known *known, uint32_t count) {
  if (count <= known->room)
    return;
  known->room = 2 * count + 4;
  known->group = need_more(known->group, known->room, sizeof *known->group);
  known->when = need_more(known->when, known->room, sizeof *known->when);
}

static void known_set(struct known *known, uint32_t group, uint32_t when) {
  const uint32_t at = place_in(known, group);
  if (at == known->count || known->group[at] != group) {
    make_room(known, known->count + 1);
    memmove(known->group + at + 1, known->group + at, (known->count - at) * sizeof *known->group);
    memmove(known->when + at + 1, known->when + at, (known->count - at) * sizeof *known->when);
    known->group[at] = group;
    known->when[at] = 0;
    known->count++;
  }
  known->when[at] = when > known->when[at] ? when : known->when[at];
}

/* From the end, so that it can be done in place. */
static void known_join(struct known *into, const struct known *from) {
  uint32_t common = 0;
  for (uint32_t i = 0, j = 0; i < into->count && j < from->count;) {
    common += into->group[i] == from->group[j];
    if (into->group[i] < from->group[j])
      i++;
    else if (into->group[i] > from->group[j])
      j++;
    else
      i++, j++;
  }
  uint32_t i = into->count, j = from->count, at = into->count + from->count - common;
  make_room(into, at);
  into->count = at;
  while (j) {
    const bool mine = i && into->group[i - 1] >= from->group[j - 1],
               both = mine && into->group[i - 1] == from->group[j - 1];
    const uint32_t when = mine ? into->when[i - 1] : from->when[j - 1];
    at--;
    into->group[at] = mine ? into->group[i - 1] : from->group[j - 1];
    into->when[at] = both && from->when[j - 1] > when ? from->when[j - 1] : when;
    i -= mine;
    j -= !mine || both;
  }
}

bool order_knows(const struct known *known, uint32_t other, uint32_t when) {
  const uint32_t at = known->count ? place_in(known, other) : 0;
  return at < known->count && known->group[at] == other && known->when[at] >= when;
}

void order_free_known(struct known *known) {
  free(known->group);
  free(known->when);
  *known = (struct known){0};
}

static struct handover *slot_of(struct handover *table, uint32_t room, uint64_t address) {
  uint32_t at = hash_of(address, room);
  while (table[at].address && table[at].address != address)
    at = (at + 1) & (room - 1);
  return &table[at];
}

static struct handover *handover_at(struct checker *checker, uint64_t address) {
  if (2 * checker->handover_count >= checker->handover_room) {
    const uint32_t room = checker->handover_room ? 2 * checker->handover_room : 64;
    struct handover *table = need(room, sizeof *table);
    for (uint32_t i = 0; i < checker->handover_room; i++)
      if (checker->handovers[i].address)
        *slot_of(table, room, checker->handovers[i].address) = checker->handovers[i];
    free(checker->handovers);
    checker->handovers = table;
    checker->handover_room = room;
  }
  struct handover *handover = slot_of(checker->handovers, checker->handover_room, address);
  checker->handover_count += !handover->address;
  handover->address = address;
  return handover;
}

void order_free_handovers(struct checker *checker) {
  for (uint32_t i = 0; i < checker->handover_room; i++)
    order_free_known(&checker->handovers[i].known);
  free(checker->handovers);
  checker->handovers = NULL;
  checker->handover_count = checker->handover_room = 0;
}

/* What the warp has written is fenced, so its atomic tells of it. */
static bool is_clean(const struct check_group *group, const struct check_warp *warp, enum check_space space) {
  return warp->wrote[space] < warp->fenced[space] || warp->wrote[space] < group->epoch[space];
}

void order_atomic(struct check_unit *unit, struct check_group *group, struct check_warp *warp, enum check_space space,
                  uint64_t address) {
  group->has_atomics = true;
  if (!warp->atomics || warp->atomic[(warp->atomics - 1) % CHECK_ATOMICS] != address)
    warp->atomic[warp->atomics++ % CHECK_ATOMICS] = address;
  if (is_clean(group, warp, CHECK_LDS) || is_clean(group, warp, CHECK_GLOBAL))
    hand_over(group, warp, address);
  if (space != CHECK_GLOBAL || !is_clean(group, warp, CHECK_GLOBAL))
    return;
  struct handover *handover = handover_at(unit->checker, address);
  known_set(&handover->known, group->number, group->time);
  known_join(&handover->known, &group->known);
  known_join(&handover->known, &warp->known);
  group_ticks(group);
}

/* The warp takes what was handed over where its last atomics were. */
static void take(struct check_unit *unit, struct check_group *group, struct check_warp *warp) {
  const struct checker *checker = unit->checker;
  const uint32_t count = warp->atomics < CHECK_ATOMICS ? warp->atomics : CHECK_ATOMICS;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t address = warp->atomic[i];
    take_handed(group, warp, address);
    if (!checker->handover_room || address < ISA_VARIABLE_BASE)
      continue;
    const struct handover *handover = slot_of(checker->handovers, checker->handover_room, address);
    if (handover->address)
      known_join(&warp->known, &handover->known);
  }
  warp->atomics = 0;
}

/* At a barrier that fences global memory: what one warp knows, all know. */
static void take_all(struct check_unit *unit, struct check_group *group) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    struct check_warp *warp = &unit->warps[slot];
    if (warp->number != group->number)
      continue;
    if (warp->atomics)
      take(unit, group, warp);
    known_join(&group->known, &warp->known);
    order_free_known(&warp->known);
  }
  group->has_atomics = false;
}

void order_fence(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint8_t sync) {
  const uint32_t now = group_ticks(group);
  if (sync & SYNC_LDS)
    warp->fenced[CHECK_LDS] = now;
  if (sync & SYNC_GLOBAL)
    warp->fenced[CHECK_GLOBAL] = now;
  if (warp->atomics)
    take(unit, group, warp);
}
