/* What atomics and mbarriers hand over.
 *
 *     data; fence; atomic write  ──►  address  ──►  atomic read; fence; data
 *     data; arrival              ──►  mbarrier ──►  its phase is seen to be complete; data
 *
 * A warp that writes atomically hands over what it did before its last fence, what its whole group did before the last
 * barrier, and what it knows about other groups. The times are those of the fence and the barrier, not of the atomic,
 * so that accesses that nothing orders are not handed over by chance. A copy is handed over once the warp has waited
 * for it.
 *
 * When a warp's atomic read is carried out, the warp is offered what has been handed over at the address. Its next
 * fence, or a barrier, acquires the offer.
 *
 * This machine keeps the lanes of a warp in step, so if one of them releases or acquires, all do. OpenCL promises that
 * only to the lane itself, until its sub-group or work-group meets at a barrier. The checker keeps both orders, and a
 * pair that only the first one orders is M10. If several lanes release, or acquire, at different times, the last time
 * counts for all of these.
 *
 * Between the lanes of one warp, lockstep orders nothing: what one lane acquires from another is kept exactly, as
 * vector clocks of lanes. Only what comes back from another warp is known as coarsely as above. */
#include <stdlib.h>
#include <string.h>

#include "sim/check/check_parts.h"

/* ---- parts of groups' times ----------------------------------------------------------------------- */

/* Parts of a group: what all warps did, its copies, and then for each warp what it did, its atomics, and what all its
 * lanes did by OpenCL's rules. Most groups have few warps, so the first 16 parts of a group are adjacent. The rest are
 * in another range of numbers, and single lanes in a third. */
enum { PART_ALL, PART_COPIES, PART_WARPS, PARTS_OF_WARP = 3, PART_BITS = 8, FIRST_BITS = 4, LANE_BITS = 12 };
enum { OF_WARP, OF_ATOMICS, OF_ALL_LANES };

static uint64_t part_of(uint32_t group, uint32_t part) {
  if (part < 1 << FIRST_BITS)
    return (uint64_t)group << FIRST_BITS | part;
  return UINT64_C(1) << (KNOWN_PART_BITS - 2) | (uint64_t)group << PART_BITS | part;
}

static uint64_t part_of_warp(uint32_t group, uint32_t warp, uint32_t what) {
  return part_of(group, PART_WARPS + PARTS_OF_WARP * warp + what);
}

static uint64_t part_of_lane(uint32_t group, uint32_t warp, uint32_t lane) {
  return UINT64_C(1) << (KNOWN_PART_BITS - 1) | (uint64_t)group << LANE_BITS | warp * ISA_LANES | lane;
}

bool handover_knows(const struct known *known, const struct touch *touch, uint32_t lanes) {
  if (known_is_empty(known))
    return false;
  if (touch_is_copy(touch->kind))
    return known_has(known, part_of(touch->group, PART_COPIES), touch->when);
  const uint32_t warp = touch_item(touch) / lanes;
  return known_has(known, part_of(touch->group, PART_ALL), touch->when) ||
         known_has(known, part_of_warp(touch->group, warp, OF_WARP), touch->when) ||
         (touch_is_atomic(touch->kind) && known_has(known, part_of_warp(touch->group, warp, OF_ATOMICS), touch->when));
}

/* The same by OpenCL's rules. */
static bool knows_by_lane(const struct known *known, const struct touch *touch, uint32_t lanes) {
  if (touch_is_copy(touch->kind) || touch_is_atomic(touch->kind))
    return handover_knows(known, touch, lanes);
  const uint32_t warp = touch_item(touch) / lanes, lane = touch_item(touch) % lanes;
  return !known_is_empty(known) && (known_has(known, part_of(touch->group, PART_ALL), touch->when) ||
                                    known_has(known, part_of_warp(touch->group, warp, OF_ALL_LANES), touch->when) ||
                                    known_has(known, part_of_lane(touch->group, warp, lane), touch->when));
}

static bool is_taker(const struct check_warp *warp, uint32_t lane) { return warp->takers >> lane & 1; }

enum relation handover_from_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                  const struct touch *touch) {
  const uint32_t lanes = group->shape->launch->warp_size;
  if (!handover_knows(&group->known, touch, lanes) && !handover_knows(&warp->known, touch, lanes))
    return OPEN;
  const struct known *own = is_taker(warp, lane) ? &warp->known : &warp->shared;
  return knows_by_lane(&group->known, touch, lanes) || knows_by_lane(own, touch, lanes) ? ORDERED : IN_STEP;
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

/* NULL: nothing was handed over at the address. */
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
    *handed = (struct handed){.address = address, .time = need(group->warps, sizeof(struct handed_time))};
    group->handed_count++;
  }
  return handed;
}

static struct handed_time *seen_by(struct check_group *group, const struct check_warp *warp) {
  if (!group->seen)
    group->seen = need(2 * (size_t)group->warps * group->warps, sizeof *group->seen);
  return group->seen + (size_t)warp->index * group->warps;
}

/* The second half of group->seen: what all lanes of a warp have acquired. */
static size_t shared_of(const struct check_group *group) { return (size_t)group->warps * group->warps; }

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void join_times(struct handed_time *into, const struct handed_time *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = (struct handed_time){.accesses = later(into[i].accesses, from[i].accesses),
                                   .atomics = later(into[i].atomics, from[i].atomics),
                                   .all = later(into[i].all, from[i].all),
                                   .lanes = into[i].lanes | from[i].lanes,
                                   .passed_on = later(into[i].passed_on, from[i].passed_on)};
}

/* Hands over what the warp has done, and what it knows about other groups. */
static void hand_over(struct check_group *group, const struct check_warp *warp, uint64_t address,
                      const struct handed_time *own) {
  struct handed *handed = handed_at(group, address);
  const struct handed_time *seen = seen_by(group, warp);
  join_times(handed->time, seen, group->warps);
  for (uint32_t i = 0; i < group->warps; i++)
    if (i != warp->index)
      handed->time[i].passed_on = later(handed->time[i].passed_on, seen[i].accesses);
  join_times(handed->time + warp->index, own, 1);
  known_join(&handed->known, &warp->known);
}

/* ---- among the lanes of a warp ------------------------------------------------------------------ */

static struct lane_clocks *clocks_of(struct check_warp *warp) {
  if (!warp->lanes)
    warp->lanes = need(1, sizeof *warp->lanes);
  return warp->lanes;
}

/* What other lanes of the warp handed over at the address, per lane; NULL: nothing. */
static const uint32_t *from_lanes(const struct check_group *group, const struct check_warp *warp, uint64_t address) {
  const struct handed *handed = find_handed(group, address);
  return handed && handed->lanes ? handed->lanes[warp->index] : NULL;
}

static void join_clocks(const struct check_group *group, uint32_t *into, const uint32_t *from) {
  for (uint32_t i = 0; i < group->shape->launch->warp_size; i++)
    into[i] = later(into[i], from[i]);
}

/* Hands over to other lanes what the lane did until `when`, and what it knows of them. */
static void hand_to_lanes(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t address,
                          uint32_t when) {
  struct handed *handed = handed_at(group, address);
  if (!handed->lanes)
    handed->lanes = need(group->warps, sizeof *handed->lanes);
  uint32_t **into = &handed->lanes[warp->index];
  if (!*into)
    *into = need(group->shape->launch->warp_size, sizeof **into);
  join_clocks(group, *into, clocks_of(warp)->known[lane]);
  (*into)[lane] = later((*into)[lane], when);
}

void handover_among_lanes(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t address,
                          bool reads, bool writes) {
  const uint32_t *there = reads ? from_lanes(group, warp, address) : NULL;
  if (there)
    join_clocks(group, clocks_of(warp)->offered[lane], there);
  if (writes && warp->lanes && warp->lanes->fenced[lane])
    hand_to_lanes(group, warp, lane, address, warp->lanes->fenced[lane] - 1);
}

static void take_among_lanes(const struct check_group *group, struct check_warp *warp, uint64_t mask) {
  struct lane_clocks *clocks = warp->lanes;
  for (uint64_t left = clocks ? mask : 0; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    join_clocks(group, clocks->known[lane], clocks->offered[lane]);
  }
}

void handover_arrive(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier) {
  const uint32_t now = group->time;
  const struct handed_time own = {.accesses = now, .atomics = now, .all = now, .lanes = UINT64_MAX};
  hand_over(group, warp, mbarrier, &own);
  hand_to_lanes(group, warp, lane, mbarrier, now);
  group_ticks(group);
}

void handover_share(struct check_group *group, struct check_warp *warp) {
  struct handed_time *seen = group->seen ? seen_by(group, warp) : NULL;
  if (seen)
    memcpy(seen + shared_of(group), seen, group->warps * sizeof *seen);
  known_join(&warp->shared, &warp->known);
  warp->takers = 0;
}

void handover_pass(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier) {
  const struct handed *handed = find_handed(group, mbarrier);
  if (handed) {
    join_times(seen_by(group, warp), handed->time, group->warps);
    known_join(&warp->known, &handed->known);
    handover_share(group, warp);
    const uint32_t *there = from_lanes(group, warp, mbarrier);
    if (there)
      join_clocks(group, clocks_of(warp)->known[lane], there);
    group->is_offered |= !known_is_empty(&handed->known);
  }
  group_ticks(group);
}

static bool is_atomic_over(const struct handed_time *time, const struct touch *touch) {
  return touch_is_atomic(touch->kind) && touch->when <= time->atomics;
}

/* Has the lane acquired what another of its warp did? */
static enum relation relation_of_lanes(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                       const struct touch *touch, uint32_t other) {
  if (warp->lanes && touch->when <= warp->lanes->known[lane][other])
    return ORDERED;
  const struct handed_time *seen = group->seen ? group->seen + (size_t)warp->index * group->warps : NULL;
  return seen && is_taker(warp, lane) && touch->when <= seen[warp->index].passed_on ? ORDERED : OPEN;
}

enum relation handover_in_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                const struct touch *touch) {
  const uint32_t lanes = group->shape->launch->warp_size;
  const uint32_t other = touch_item(touch) / lanes, other_lane = touch_item(touch) % lanes;
  if (warp->index == other)
    return relation_of_lanes(group, warp, lane, touch, other_lane);
  if (!group->seen)
    return OPEN;
  const struct handed_time *time = group->seen + (size_t)warp->index * group->warps + other;
  if (touch->when > time->accesses && !is_atomic_over(time, touch))
    return OPEN;
  if (!is_taker(warp, lane))
    time += shared_of(group);
  const uint32_t until = time->lanes >> other_lane & 1 ? time->accesses : time->all;
  return touch->when <= until || is_atomic_over(time, touch) ? ORDERED : IN_STEP;
}

static uint64_t all_lanes(const struct check_group *group, const struct check_warp *warp) {
  const uint32_t lanes = group->shape->launch->warp_size, items = group->shape->items - warp->index * lanes;
  return UINT64_MAX >> (64 - (items < lanes ? items : lanes));
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

/* The time until which the group's copies are over for the warp. */
static uint32_t copies_over(const struct check_group *group, const struct check_warp *warp) {
  uint32_t over = group->time;
  for (uint32_t i = 0; i < group->copy_count; i++)
    if (group->copies[i].waited >= warp->calls && group->copies[i].when <= over)
      over = group->copies[i].when - 1;
  return over;
}

/* Sets what lanes of a warp did until `time->accesses`, by both orders. */
static void set_lanes(struct known *known, uint32_t group, uint32_t warp, const struct handed_time *time) {
  known_set(known, part_of_warp(group, warp, OF_WARP), time->accesses);
  known_set(known, part_of_warp(group, warp, OF_ALL_LANES), time->all);
  for (uint64_t left = time->all < time->accesses ? time->lanes : 0; left; left &= left - 1)
    known_set(known, part_of_lane(group, warp, (uint32_t)__builtin_ctzll(left)), time->accesses);
}

/* What a warp that releases in these lanes did until `fenced`, its last fence. */
static struct handed_time done_by(const struct check_group *group, const struct check_warp *warp, uint64_t lanes,
                                  uint32_t fenced) {
  const uint32_t met = later(warp->epoch[CHECK_LDS], warp->epoch[CHECK_GLOBAL]);
  const bool whole = !(all_lanes(group, warp) & ~lanes);
  return (struct handed_time){.accesses = later(fenced, 1) - 1,
                              .atomics = group->time,
                              .all = later(whole ? fenced : met, 1) - 1,
                              .lanes = lanes};
}

/* What a warp hands over to other groups. It is built once for all lanes, and shared by their addresses. */
static struct known known_by(const struct check_group *group, const struct check_warp *warp, uint64_t lanes) {
  struct known known = {0};
  const uint32_t all = group->epoch[CHECK_GLOBAL] - 1;
  const struct handed_time own = done_by(group, warp, lanes, warp->fenced[CHECK_GLOBAL]);
  const struct handed_time *seen = group->seen ? group->seen + (size_t)warp->index * group->warps : NULL;
  known_join(&known, &group->known);
  known_join(&known, &warp->known);
  if (all)
    known_set(&known, part_of(group->number, PART_ALL), all);
  if (group->copy_room)
    known_set(&known, part_of(group->number, PART_COPIES), copies_over(group, warp));
  if (own.accesses > all)
    set_lanes(&known, group->number, warp->index, &own);
  known_set(&known, part_of_warp(group->number, warp->index, OF_ATOMICS), group->time);
  for (uint32_t i = 0; seen && i < group->warps; i++) {
    if (seen[i].accesses > all)
      set_lanes(&known, group->number, i, &seen[i]);
    if (seen[i].atomics > all)
      known_set(&known, part_of_warp(group->number, i, OF_ATOMICS), seen[i].atomics);
  }
  return known;
}

void handover_release(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                      enum check_space space, uint64_t mask, const uint64_t *address) {
  const uint32_t last = later(warp->fenced[CHECK_LDS], warp->fenced[CHECK_GLOBAL]);
  const bool to_groups =
      mask && space == CHECK_GLOBAL && (warp->fenced[CHECK_GLOBAL] || group->epoch[CHECK_GLOBAL] > 1);
  const struct handed_time own = done_by(group, warp, mask, last);
  for (uint64_t left = last ? mask : 0; left; left &= left - 1)
    hand_over(group, warp, address[__builtin_ctzll(left)], &own);
  struct known known = to_groups ? known_by(group, warp, mask) : (struct known){0};
  for (uint64_t left = to_groups ? mask : 0; left; left &= left - 1)
    known_join(&handover_at(unit->checker, address[__builtin_ctzll(left)])->known, &known);
  known_free(&known);
}

void handover_offer(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t lane,
                    uint64_t address) {
  const struct checker *checker = unit->checker;
  const struct handed *handed = find_handed(group, address);
  if (handed && !warp->offered_times)
    warp->offered_times = need(group->warps, sizeof *warp->offered_times);
  if (handed) {
    join_times(warp->offered_times, handed->time, group->warps);
    known_join(&warp->offered, &handed->known);
  }
  const struct handover *handover = NULL;
  if (checker->handover_room && address >= ISA_VARIABLE_BASE)
    handover = slot_of(checker->handovers, checker->handover_room, address);
  if (handover && handover->address)
    known_join(&warp->offered, &handover->known);
  if (handed || (handover && handover->address))
    warp->offered_lanes |= UINT64_C(1) << lane;
  group->is_offered |= handed || !known_is_empty(&warp->offered);
}

static void take_offered(struct check_group *group, struct check_warp *warp) {
  if (warp->offered_times)
    join_times(seen_by(group, warp), warp->offered_times, group->warps);
  known_join(&warp->known, &warp->offered);
  free(warp->offered_times);
  known_free(&warp->offered);
  warp->offered_times = NULL;
  warp->takers |= warp->offered_lanes;
  warp->offered_lanes = 0;
  if (warp->takers && !(all_lanes(group, warp) & ~warp->takers))
    handover_share(group, warp);
}

void handover_join(struct check_unit *unit, struct check_group *group) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    struct check_warp *warp = &unit->warps[slot];
    if (warp->number != group->number)
      continue;
    take_offered(group, warp);
    handover_share(group, warp);
    known_join(&group->known, &warp->known);
    known_free(&warp->known);
    known_free(&warp->shared);
  }
  group->is_offered = false;
}

void handover_fence(struct check_group *group, struct check_warp *warp, uint8_t sync, uint64_t mask) {
  const uint32_t now = group_ticks(group);
  for (uint64_t left = mask; left; left &= left - 1)
    clocks_of(warp)->fenced[__builtin_ctzll(left)] = now;
  if (sync & SYNC_LDS) {
    warp->fenced[CHECK_LDS] = now;
    warp->fenced_reads = warp->asked;
  }
  if (sync & SYNC_GLOBAL)
    warp->fenced[CHECK_GLOBAL] = now;
  take_offered(group, warp);
  take_among_lanes(group, warp, mask);
}

void handover_answered(struct check_group *group, struct check_warp *warp, uint64_t mask) {
  if (warp->answered++ >= warp->fenced_reads)
    return;
  take_offered(group, warp);
  take_among_lanes(group, warp, mask);
}

/* ---- freeing --------------------------------------------------------------------------------------- */

void handover_free_warp(struct check_warp *warp) {
  known_free(&warp->known);
  known_free(&warp->shared);
  known_free(&warp->offered);
  free(warp->offered_times);
  free(warp->lanes);
  warp->offered_times = NULL;
  warp->lanes = NULL;
}

void handover_free_group(struct check_group *group) {
  for (uint32_t i = 0; i < group->handed_room; i++) {
    for (uint32_t warp = 0; group->handed[i].lanes && warp < group->warps; warp++)
      free(group->handed[i].lanes[warp]);
    free(group->handed[i].lanes);
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
