/* What atomics and mbarriers hand over.
 *
 *     data; fence; atomic write  ──►  address  ──►  atomic read; fence; data
 *     data; arrival              ──►  mbarrier ──►  its phase is seen to be complete; data
 *
 * A warp that writes atomically hands over what it did before its last fence, what all its group did before the last
 * barrier, and what it knows of others. The times are those of the fence and the barrier, not of the atomic, so that
 * what nothing orders is not handed over by chance. A copy is handed over when the warp has waited for it.
 *
 * A warp that reads is offered what has been handed over at the address by the time its atomic is carried out; its next
 * fence, or a barrier, takes it. The lanes of a warp are not told apart. */
#include <stdlib.h>
#include <string.h>

#include "sim/check/check_parts.h"

/* ---- parts of groups' times ----------------------------------------------------------------------- */

/* Of a group: what all did, its copies, and then of each warp what it did, and its atomics. Few of them have many
 * warps: the first parts of groups lie side by side, the rest apart. */
enum { PART_ALL, PART_COPIES, PART_WARPS, PART_BITS = 8, FIRST_BITS = 4 };

static uint64_t part_of(uint32_t group, uint32_t part) {
  if (part < 1 << FIRST_BITS)
    return (uint64_t)group << FIRST_BITS | part;
  return UINT64_C(1) << (KNOWN_PART_BITS - 1) | (uint64_t)group << PART_BITS | part;
}

bool handover_knows(const struct known *known, const struct touch *touch, uint32_t lanes) {
  if (known_is_empty(known))
    return false;
  if (touch_is_copy(touch->kind))
    return known_has(known, part_of(touch->group, PART_COPIES), touch->when);
  const uint64_t warp = part_of(touch->group, PART_WARPS + 2 * (touch_item(touch) / lanes));
  return known_has(known, part_of(touch->group, PART_ALL), touch->when) || known_has(known, warp, touch->when) ||
         (touch_is_atomic(touch->kind) && known_has(known, warp + 1, touch->when));
}

/* ---- in a group ------------------------------------------------------------------------------- */

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
    *handed = (struct handed){.address = address, .time = need(2 * (size_t)group->warps, sizeof(uint32_t))};
    group->handed_count++;
  }
  return handed;
}

static uint32_t times_of(const struct check_group *group) { return 2 * group->warps; }

static uint32_t *seen_by(struct check_group *group, const struct check_warp *warp) {
  if (!group->seen)
    group->seen = need((size_t)group->warps * times_of(group), sizeof *group->seen);
  return group->seen + (size_t)warp->index * times_of(group);
}

static void join_times(uint32_t *into, const uint32_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* What the warp has done until `when`, and knows of others. */
static void hand_over(struct check_group *group, const struct check_warp *warp, uint64_t address, uint32_t when) {
  struct handed *handed = handed_at(group, address);
  const uint32_t own[2] = {when, group->time};
  join_times(handed->time, seen_by(group, warp), times_of(group));
  join_times(handed->time + 2 * (size_t)warp->index, own, 2);
  known_join(&handed->known, &warp->known);
}

void handover_arrive(struct check_group *group, const struct check_warp *warp, uint64_t mbarrier) {
  hand_over(group, warp, mbarrier, group->time);
  group_ticks(group);
}

void handover_pass(struct check_group *group, struct check_warp *warp, uint64_t mbarrier) {
  const struct handed *handed = find_handed(group, mbarrier);
  if (handed) {
    join_times(seen_by(group, warp), handed->time, times_of(group));
    known_join(&warp->known, &handed->known);
    group->is_offered |= !known_is_empty(&handed->known);
  }
  group_ticks(group);
}

bool handover_has_seen(const struct check_group *group, uint32_t warp, const struct touch *touch, uint32_t lanes) {
  const uint32_t other = touch_item(touch) / lanes;
  if (!group->seen || warp == other)
    return false;
  const uint32_t *times = group->seen + (size_t)warp * times_of(group) + 2 * (size_t)other;
  return touch->when <= times[0] || (touch_is_atomic(touch->kind) && touch->when <= times[1]);
}

/* ---- between groups ------------------------------------------------------------------------------- */

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

/* Until when the group's copies are over for the warp. */
static uint32_t copies_over(const struct check_group *group, const struct check_warp *warp) {
  uint32_t over = group->time;
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited >= warp->calls && group->copies[i].when <= over)
      over = group->copies[i].when - 1;
  return over;
}

/* What a warp hands over to other groups. It is made once for all lanes, whose addresses then share it. */
static struct known known_by(const struct check_group *group, const struct check_warp *warp) {
  struct known known = {0};
  const uint32_t all = group->epoch[CHECK_GLOBAL] - 1, warps = PART_WARPS + 2 * warp->index;
  const uint32_t *seen = group->seen ? group->seen + (size_t)warp->index * times_of(group) : NULL;
  known_join(&known, &group->known);
  known_join(&known, &warp->known);
  if (all)
    known_set(&known, part_of(group->number, PART_ALL), all);
  if (group->copy_room)
    known_set(&known, part_of(group->number, PART_COPIES), copies_over(group, warp));
  if (warp->fenced[CHECK_GLOBAL] > all + 1)
    known_set(&known, part_of(group->number, warps), warp->fenced[CHECK_GLOBAL] - 1);
  known_set(&known, part_of(group->number, warps + 1), group->time);
  for (uint32_t i = 0; seen && i < times_of(group); i++)
    if (seen[i] > all)
      known_set(&known, part_of(group->number, PART_WARPS + i), seen[i]);
  return known;
}

void handover_release(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                      enum check_space space, uint64_t mask, const uint64_t *address) {
  const uint32_t lds = warp->fenced[CHECK_LDS], global = warp->fenced[CHECK_GLOBAL], last = lds > global ? lds : global;
  const bool to_groups = mask && space == CHECK_GLOBAL && (global || group->epoch[CHECK_GLOBAL] > 1);
  for (uint64_t left = last ? mask : 0; left; left &= left - 1)
    hand_over(group, warp, address[__builtin_ctzll(left)], last - 1);
  struct known known = to_groups ? known_by(group, warp) : (struct known){0};
  for (uint64_t left = to_groups ? mask : 0; left; left &= left - 1)
    known_join(&handover_at(unit->checker, address[__builtin_ctzll(left)])->known, &known);
  known_free(&known);
}

void handover_offer(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint64_t address) {
  const struct checker *checker = unit->checker;
  const struct handed *handed = find_handed(group, address);
  if (handed && !warp->offered_times)
    warp->offered_times = need(times_of(group), sizeof(uint32_t));
  if (handed) {
    join_times(warp->offered_times, handed->time, times_of(group));
    known_join(&warp->offered, &handed->known);
  }
  const struct handover *handover = NULL;
  if (checker->handover_room && address >= ISA_VARIABLE_BASE)
    handover = slot_of(checker->handovers, checker->handover_room, address);
  if (handover && handover->address)
    known_join(&warp->offered, &handover->known);
  group->is_offered |= handed || !known_is_empty(&warp->offered);
}

static void take_offered(struct check_group *group, struct check_warp *warp) {
  if (warp->offered_times)
    join_times(seen_by(group, warp), warp->offered_times, times_of(group));
  known_join(&warp->known, &warp->offered);
  free(warp->offered_times);
  known_free(&warp->offered);
  warp->offered_times = NULL;
}

void handover_join(struct check_unit *unit, struct check_group *group) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    struct check_warp *warp = &unit->warps[slot];
    if (warp->number != group->number)
      continue;
    take_offered(group, warp);
    known_join(&group->known, &warp->known);
    known_free(&warp->known);
  }
  group->is_offered = false;
}

void handover_fence(struct check_group *group, struct check_warp *warp, uint8_t sync) {
  const uint32_t now = group_ticks(group);
  if (sync & SYNC_LDS)
    warp->fenced[CHECK_LDS] = now;
  if (sync & SYNC_GLOBAL)
    warp->fenced[CHECK_GLOBAL] = now;
  take_offered(group, warp);
}

/* ---- the end --------------------------------------------------------------------------------------- */

void handover_free_warp(struct check_warp *warp) {
  known_free(&warp->known);
  known_free(&warp->offered);
  free(warp->offered_times);
  warp->offered_times = NULL;
}

void handover_free_group(struct check_group *group) {
  for (uint32_t i = 0; i < group->handed_room; i++) {
    free(group->handed[i].time);
    known_free(&group->handed[i].known);
  }
  free(group->handed);
  free(group->seen);
  known_free(&group->known);
}

void handover_free(struct checker *checker) {
  for (uint32_t i = 0; i < checker->handover_room; i++)
    known_free(&checker->handovers[i].known);
  free(checker->handovers);
  checker->handovers = NULL;
  checker->handover_count = checker->handover_room = 0;
}
