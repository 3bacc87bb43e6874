/* What atomics and mbarriers hand over.
 *
 *     data; fence; atomic write  ──►  address  ──►  atomic read; fence; data
 *     data; releasing write      ──►  address  ──►  acquiring read; data
 *     data; arrival              ──►  mbarrier ──►  its phase is seen to be complete; data
 *
 * A warp that writes atomically hands over what it did before, if the atomic releases, or else before its last release
 * fence; also what its whole group did before the last barrier, and what it knows about other groups. The times are
 * those of the fence and the barrier, not of the atomic, so that accesses that nothing orders are not handed over by
 * chance. A copy is handed over once the warp has waited for it.
 *
 * When a warp's atomic read is carried out, it acquires what has been handed over at the address, or, if it is relaxed,
 * is offered that. The next acquire fence acquires the offer.
 *
 * Scopes: a release hands over to the lanes of its warp, to the warps of its group, or to all groups, and an acquire
 * takes from these. So the two meet if the scope of each includes the other.
 *
 * The LDS and global memory have separate relations, as in OpenCL (enum memory). A fence orders the memories of its
 * flags, through atomics on these memories. An atomic orders the memory of its own address, and if it is sequentially
 * consistent, the other one, too.
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

static bool is_taker(const struct check_warp *warp, enum memory memory, uint32_t lane) {
  return warp->order[memory].takers >> lane & 1;
}

enum relation handover_from_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                  const struct touch *touch) {
  const uint32_t lanes = group->shape->launch->warp_size;
  if (!handover_knows(&group->known, touch, lanes) && !handover_knows(&warp->known, touch, lanes))
    return OPEN;
  const struct known *own = is_taker(warp, MEMORY_GLOBAL, lane) ? &warp->known : &warp->shared;
  return knows_by_lane(&group->known, touch, lanes) || knows_by_lane(own, touch, lanes) ? ORDERED : IN_STEP;
}

/* ---- in a group ------------------------------------------------------------------------------- */

/* NULL: nothing was handed over at the address. */
static struct handed *find_handed(const struct group_order *order, uint64_t address) {
  for (size_t at = 0, i; map_next(&order->handed_map, hash_number(address), &at, &i);)
    if (order->handed[i].address == address)
      return &order->handed[i];
  return NULL;
}

static struct handed *handed_at(struct group_order *order, uint32_t warps, uint64_t address) {
  struct handed *handed = find_handed(order, address);
  if (handed)
    return handed;
  map_add(&order->handed_map, hash_number(address), order->handed_count);
  handed = vector_next(order->handed, order->handed_count, order->handed_room);
  *handed = (struct handed){.address = address};
  handed->time = need(warps, sizeof *handed->time);
  return handed;
}

static struct handed_time *seen_by(struct check_group *group, const struct check_warp *warp, enum memory memory) {
  struct group_order *order = &group->order[memory];
  if (!order->seen)
    order->seen = need(2 * (size_t)group->warps * group->warps, sizeof *order->seen);
  return order->seen + (size_t)warp->index * group->warps;
}

/* NULL: no warp of the group has acquired anything. */
static const struct handed_time *seen_so_far(const struct check_group *group, const struct check_warp *warp,
                                             enum memory memory) {
  const struct handed_time *seen = group->order[memory].seen;
  return seen ? seen + (size_t)warp->index * group->warps : NULL;
}

/* The second half of `seen`: what all lanes of a warp have acquired. */
static size_t shared_of(const struct check_group *group) { return (size_t)group->warps * group->warps; }

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t earlier(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void join_times(struct handed_time *into, const struct handed_time *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = (struct handed_time){.accesses = later(into[i].accesses, from[i].accesses),
                                   .atomics = later(into[i].atomics, from[i].atomics),
                                   .all = later(into[i].all, from[i].all),
                                   .lanes = into[i].lanes | from[i].lanes,
                                   .passed_on = later(into[i].passed_on, from[i].passed_on)};
}

/* Hands over what the warp has done, and what it knows about other groups. */
static void hand_over(struct check_group *group, const struct check_warp *warp, enum memory memory, uint64_t address,
                      const struct handed_time *own) {
  struct handed *handed = handed_at(&group->order[memory], group->warps, address);
  const struct handed_time *seen = seen_by(group, warp, memory);
  join_times(handed->time, seen, group->warps);
  for (uint32_t i = 0; i < group->warps; i++)
    if (i != warp->index)
      handed->time[i].passed_on = later(handed->time[i].passed_on, seen[i].accesses);
  join_times(handed->time + warp->index, own, 1);
  if (memory == MEMORY_GLOBAL)
    known_join(&handed->known, &warp->known);
}

/* All lanes know what one has acquired. */
static void share(struct check_group *group, struct check_warp *warp, enum memory memory) {
  struct handed_time *seen = group->order[memory].seen ? seen_by(group, warp, memory) : NULL;
  if (seen)
    memcpy(seen + shared_of(group), seen, group->warps * sizeof *seen);
  if (memory == MEMORY_GLOBAL)
    known_join(&warp->shared, &warp->known);
  warp->order[memory].takers = 0;
}

void handover_share(struct check_group *group, struct check_warp *warp, uint8_t sync) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    if (memory_in(sync, memory))
      share(group, warp, memory);
}

static uint64_t all_lanes(const struct check_group *group, const struct check_warp *warp) {
  const uint32_t lanes = group->shape->launch->warp_size, items = group->shape->items - warp->index * lanes;
  return UINT64_MAX >> (64 - (items < lanes ? items : lanes));
}

static void add_takers(struct check_group *group, struct check_warp *warp, enum memory memory, uint64_t lanes) {
  warp->order[memory].takers |= lanes;
  if (warp->order[memory].takers && !(all_lanes(group, warp) & ~warp->order[memory].takers))
    share(group, warp, memory);
}

/* ---- among the lanes of a warp ------------------------------------------------------------------ */

static struct lane_clocks *clocks_of(struct check_warp *warp, enum memory memory) {
  struct warp_order *order = &warp->order[memory];
  if (!order->lanes)
    order->lanes = need(1, sizeof *order->lanes);
  return order->lanes;
}

/* A lane's row of a table, which is made on first use. */
static uint32_t *row_of(const struct check_group *group, uint32_t **table, uint32_t lane) {
  const uint32_t lanes = group->shape->launch->warp_size;
  if (!*table)
    *table = need((size_t)lanes * lanes, sizeof **table);
  return *table + (size_t)lane * lanes;
}

static void join_clocks(const struct check_group *group, uint32_t *into, const uint32_t *from) {
  for (uint32_t i = 0; i < group->shape->launch->warp_size; i++)
    into[i] = later(into[i], from[i]);
}

/* Hands over to other lanes what the lane did until `when`, and what it knows of them. */
static void hand_to_lanes(struct check_group *group, struct check_warp *warp, enum memory memory, uint32_t lane,
                          uint64_t address, uint32_t when) {
  struct handed *handed = handed_at(&group->order[memory], group->warps, address);
  const struct lane_clocks *clocks = warp->order[memory].lanes;
  if (!handed->lanes)
    handed->lanes = need(group->warps, sizeof *handed->lanes);
  uint32_t **into = &handed->lanes[warp->index];
  if (!*into)
    *into = need(group->shape->launch->warp_size, sizeof **into);
  if (clocks && clocks->known)
    join_clocks(group, *into, clocks->known + (size_t)lane * group->shape->launch->warp_size);
  (*into)[lane] = later((*into)[lane], when);
}

/* What lanes of the warp handed over at the address reaches the lane. */
static void lane_acquires(const struct check_group *group, struct check_warp *warp, enum memory memory, uint32_t lane,
                          const struct handed *handed) {
  const uint32_t *there = handed->lanes ? handed->lanes[warp->index] : NULL;
  if (there)
    join_clocks(group, row_of(group, &clocks_of(warp, memory)->known, lane), there);
}

static bool is_atomic_over(const struct handed_time *time, const struct touch *touch) {
  return touch_is_atomic(touch->kind) && touch->when <= time->atomics;
}

/* Has the lane acquired what another of its warp did? */
static enum relation relation_of_lanes(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                       const struct touch *touch, uint32_t other, enum memory memory) {
  const struct lane_clocks *clocks = warp->order[memory].lanes;
  const size_t pair = (size_t)lane * group->shape->launch->warp_size + other;
  if (clocks && clocks->known && touch->when <= clocks->known[pair])
    return ORDERED;
  const struct handed_time *seen = seen_so_far(group, warp, memory);
  return seen && is_taker(warp, memory, lane) && touch->when <= seen[warp->index].passed_on ? ORDERED : OPEN;
}

static enum relation relation_within(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                     const struct touch *touch, enum memory memory) {
  const uint32_t lanes = group->shape->launch->warp_size;
  const uint32_t other = touch_item(touch) / lanes, other_lane = touch_item(touch) % lanes;
  if (warp->index == other)
    return relation_of_lanes(group, warp, lane, touch, other_lane, memory);
  const struct handed_time *seen = seen_so_far(group, warp, memory), *time = seen + other;
  if (!seen)
    return OPEN;
  if (touch->when > time->accesses && !is_atomic_over(time, touch))
    return OPEN;
  if (!is_taker(warp, memory, lane))
    time += shared_of(group);
  const uint32_t until = time->lanes >> other_lane & 1 ? time->accesses : time->all;
  return touch->when <= until || is_atomic_over(time, touch) ? ORDERED : IN_STEP;
}

enum relation handover_in_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                const struct touch *touch, enum memory memory) {
  const enum relation within = relation_within(group, warp, lane, touch, memory);
  const bool own = touch_item(touch) / group->shape->launch->warp_size == warp->index;
  if (within == ORDERED || own || memory == MEMORY_LDS) /* what it knows of its own lanes may not have gone around */
    return within;
  const enum relation around = handover_from_group(group, warp, lane, touch); /* through another group, and back */
  return around > within ? around : within;
}

/* ---- between groups ------------------------------------------------------------------------------- */

static struct handover *find_handover(const struct checker *checker, uint64_t address) {
  for (size_t at = 0, i; map_next(&checker->handover_map, hash_number(address), &at, &i);)
    if (checker->handovers[i].address == address)
      return &checker->handovers[i];
  return NULL;
}

static struct handover *handover_at(struct checker *checker, uint64_t address) {
  struct handover *handover = find_handover(checker, address);
  if (handover)
    return handover;
  map_add(&checker->handover_map, hash_number(address), checker->handover_count);
  handover = vector_next(checker->handovers, checker->handover_count, checker->handover_room);
  *handover = (struct handover){.address = address};
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

/* What a warp that releases in these lanes did until `until`. */
static struct handed_time done_by(const struct check_group *group, const struct check_warp *warp, uint64_t lanes,
                                  uint32_t until, enum memory memory) {
  const uint32_t met = warp->epoch[memory == MEMORY_LDS ? CHECK_LDS : CHECK_GLOBAL];
  const bool whole = !(all_lanes(group, warp) & ~lanes);
  return (struct handed_time){.accesses = until,
                              .atomics = group->time,
                              .all = whole ? until : earlier(until, later(met, 1) - 1),
                              .lanes = lanes};
}

/* Until when accesses of the warp, and of its whole group, are over for those that acquire. */
struct release {
  uint32_t warp, group;
};

/* What a warp hands over to other groups. It is built once for all lanes, and shared by their addresses. */
static struct known known_by(const struct check_group *group, const struct check_warp *warp, uint64_t lanes,
                             struct release until) {
  struct known known = {0};
  const uint32_t all = until.group;
  const struct handed_time own = done_by(group, warp, lanes, until.warp, MEMORY_GLOBAL);
  const struct handed_time *seen = seen_so_far(group, warp, MEMORY_GLOBAL);
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

/* ---- releases ------------------------------------------------------------------------------------- */

static bool releases(const struct act_row *row, enum memory memory) {
  return row->order & ISA_ORDERS_RELEASE && memory_in(row->sync, memory);
}

static void release_in_group(struct check_group *group, struct check_warp *warp, const struct act_row *row,
                             enum memory memory, uint64_t mask, const uint64_t *address) {
  const bool by_itself = releases(row, memory);
  const uint32_t fenced = warp->order[memory].fenced[memory_of((enum check_space)row->space)];
  for (uint64_t left = by_itself ? mask : 0; left; left &= left - 1)
    clocks_of(warp, memory)->released[__builtin_ctzll(left)] = group->time;
  const bool to_warps = by_itself && row->scope >= ISA_SCOPE_WORK_GROUP;
  if (!to_warps && !fenced)
    return;
  const struct handed_time own = done_by(group, warp, mask, to_warps ? group->time : fenced - 1, memory);
  for (uint64_t left = mask; left; left &= left - 1)
    hand_over(group, warp, memory, address[__builtin_ctzll(left)], &own);
}

/* Zero: nothing is released to other groups. */
static struct release released_to_groups(const struct check_group *group, const struct check_warp *warp,
                                         const struct act_row *row) {
  const uint32_t fenced = warp->order[MEMORY_GLOBAL].fenced_device[MEMORY_GLOBAL];
  if (row->space != CHECK_GLOBAL)
    return (struct release){0, 0};
  if (releases(row, MEMORY_GLOBAL) && row->scope >= ISA_SCOPE_DEVICE)
    return (struct release){group->time, group->epoch[CHECK_GLOBAL] - 1};
  const uint32_t met = later(group->device_barrier, 1) - 1;
  return (struct release){later(met, later(fenced, 1) - 1), later(met, warp->group_before)};
}

void handover_release(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                      const struct act_row *row, uint64_t mask, const uint64_t *address) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    release_in_group(group, warp, row, memory, mask, address);
  const struct release until = released_to_groups(group, warp, row);
  const uint64_t to_groups = until.warp ? mask : 0;
  struct known known = to_groups ? known_by(group, warp, mask, until) : (struct known){0};
  for (uint64_t left = to_groups; left; left &= left - 1)
    known_join(&handover_at(unit->checker, address[__builtin_ctzll(left)])->known, &known);
  known_free(&known);
  if (row->order & ISA_ORDERS_RELEASE)
    group_ticks(group);
}

/* ---- acquires ------------------------------------------------------------------------------------- */

/* The lane acquires what was handed over at the address. */
static void acquire(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                    const struct act_row *row, enum memory memory, uint32_t lane, uint64_t address) {
  const struct handed *handed = find_handed(&group->order[memory], address);
  const bool from_warps = handed && row->scope >= ISA_SCOPE_WORK_GROUP;
  const struct handover *from_groups =
      memory == MEMORY_GLOBAL && row->scope >= ISA_SCOPE_DEVICE ? find_handover(unit->checker, address) : NULL;
  if (handed)
    lane_acquires(group, warp, memory, lane, handed);
  if (from_warps) {
    join_times(seen_by(group, warp, memory), handed->time, group->warps);
    known_join(&warp->known, &handed->known);
  }
  if (from_groups)
    known_join(&warp->known, &from_groups->known);
  if (from_warps || from_groups)
    add_takers(group, warp, memory, UINT64_C(1) << lane);
  group->is_offered |= memory == MEMORY_GLOBAL && !known_is_empty(&warp->known);
}

/* The next acquire fence may acquire it. */
static void offer(struct check_unit *unit, struct check_group *group, struct check_warp *warp, enum memory through,
                  enum memory memory, uint32_t lane, uint64_t address) {
  struct offer *offered = &warp->order[memory].offers[through];
  const struct handed *handed = find_handed(&group->order[memory], address);
  const struct handover *from_groups = memory == MEMORY_GLOBAL ? find_handover(unit->checker, address) : NULL;
  if (handed && !offered->times)
    offered->times = need(group->warps, sizeof *offered->times);
  if (handed) {
    join_times(offered->times, handed->time, group->warps);
    known_join(&offered->known, &handed->known);
    offered->lanes |= UINT64_C(1) << lane;
    const uint32_t *there = handed->lanes ? handed->lanes[warp->index] : NULL;
    if (there)
      join_clocks(group, row_of(group, &clocks_of(warp, memory)->offered[through], lane), there);
  }
  if (from_groups) {
    known_join(&offered->from_groups, &from_groups->known);
    offered->group_lanes |= UINT64_C(1) << lane;
  }
  group->is_offered |= memory == MEMORY_GLOBAL && (handed || from_groups);
}

/* Lanes pass a fence that acquires one memory through atomics on another, or the same. */
static void accept(struct check_group *group, struct check_warp *warp, enum memory through, enum memory memory,
                   uint8_t scope, uint64_t mask) {
  struct offer *offered = &warp->order[memory].offers[through];
  struct lane_clocks *clocks = warp->order[memory].lanes;
  uint64_t takers = 0;
  if (scope >= ISA_SCOPE_WORK_GROUP && offered->lanes) {
    join_times(seen_by(group, warp, memory), offered->times, group->warps);
    known_join(&warp->known, &offered->known);
    free(offered->times);
    known_free(&offered->known);
    takers |= offered->lanes;
    offered->times = NULL;
    offered->lanes = 0;
  }
  if (scope >= ISA_SCOPE_DEVICE) {
    known_join(&warp->known, &offered->from_groups);
    known_free(&offered->from_groups);
    takers |= offered->group_lanes;
    offered->group_lanes = 0;
  }
  add_takers(group, warp, memory, takers & mask);
  for (uint64_t left = clocks && clocks->offered[through] ? mask : 0; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    join_clocks(group, row_of(group, &clocks->known, lane), row_of(group, &clocks->offered[through], lane));
  }
}

/* What the lane hands over to others of its warp; 0: nothing. */
static uint32_t released_to_lanes(const struct check_warp *warp, const struct act_row *row, enum memory memory,
                                  uint32_t lane) {
  const struct lane_clocks *clocks = warp->order[memory].lanes;
  if (!clocks)
    return 0;
  if (releases(row, memory))
    return clocks->released[lane];
  return later(clocks->fenced[memory_of((enum check_space)row->space)][lane], 1) - 1;
}

void handover_carried_out(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                          const struct act_row *row, uint32_t lane, uint64_t address, bool reads) {
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    const bool acquires = row->order & ISA_ORDERS_ACQUIRE && memory_in(row->sync, memory);
    if (reads && acquires)
      acquire(unit, group, warp, row, memory, lane, address);
    if (reads && (!acquires || row->scope < ISA_SCOPE_DEVICE))
      offer(unit, group, warp, memory_of((enum check_space)row->space), memory, lane, address);
    const uint32_t until = row->kind == TOUCH_ATOMIC ? released_to_lanes(warp, row, memory, lane) : 0;
    if (until)
      hand_to_lanes(group, warp, memory, lane, address, until);
  }
}

/* ---- fences and barriers --------------------------------------------------------------------------- */

static void accept_all(struct check_group *group, struct check_warp *warp, uint8_t sync, uint8_t scope, uint64_t mask) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    for (enum memory through = 0; through < MEMORIES; through++)
      if (memory_in(sync, memory) && memory_in(sync, through))
        accept(group, warp, through, memory, scope, mask);
}

void handover_join(struct check_unit *unit, struct check_group *group, const struct act_row *row) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    struct check_warp *warp = &unit->warps[slot];
    if (warp->number != group->number)
      continue;
    accept_all(group, warp, row->sync, row->scope, all_lanes(group, warp));
    share(group, warp, MEMORY_GLOBAL);
    known_join(&group->known, &warp->known);
    known_free(&warp->known);
    known_free(&warp->shared);
  }
  group->is_offered = false;
}

static void note_release(struct check_warp *warp, enum memory memory, const struct act_row *row, uint64_t mask,
                         uint32_t now) {
  struct warp_order *order = &warp->order[memory];
  for (enum memory through = 0; through < MEMORIES; through++) {
    if (!memory_in(row->sync, through))
      continue;
    for (uint64_t left = mask; left; left &= left - 1)
      clocks_of(warp, memory)->fenced[through][__builtin_ctzll(left)] = now;
    if (row->scope >= ISA_SCOPE_WORK_GROUP)
      order->fenced[through] = now;
    if (row->scope >= ISA_SCOPE_DEVICE)
      order->fenced_device[through] = now;
  }
}

void handover_fence(struct check_group *group, struct check_warp *warp, const struct act_row *row, uint64_t mask) {
  const uint32_t now = group_ticks(group);
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    if (releases(row, memory))
      note_release(warp, memory, row, mask, now);
  if (releases(row, MEMORY_GLOBAL) && row->scope >= ISA_SCOPE_DEVICE)
    warp->group_before = group->epoch[CHECK_GLOBAL] - 1;
  if (!(row->order & ISA_ORDERS_ACQUIRE))
    return;
  accept_all(group, warp, row->sync, row->scope, mask);
  if (row->sync & SYNC_LDS) {
    warp->fenced_reads = warp->asked;
    warp->fence_sync = row->sync;
    warp->fence_scope = row->scope;
  }
}

void handover_answered(struct check_group *group, struct check_warp *warp, uint64_t mask) {
  if (warp->answered++ < warp->fenced_reads)
    accept_all(group, warp, warp->fence_sync, warp->fence_scope, mask);
}

/* ---- mbarriers -------------------------------------------------------------------------------------- */

void handover_arrive(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier) {
  const uint32_t now = group->time;
  const struct handed_time own = {.accesses = now, .atomics = now, .all = now, .lanes = UINT64_MAX};
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    hand_over(group, warp, memory, mbarrier, &own);
    hand_to_lanes(group, warp, memory, lane, mbarrier, now);
  }
  group_ticks(group);
}

void handover_pass(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier) {
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    const struct handed *handed = find_handed(&group->order[memory], mbarrier);
    if (!handed)
      continue;
    join_times(seen_by(group, warp, memory), handed->time, group->warps);
    known_join(&warp->known, &handed->known);
    share(group, warp, memory);
    lane_acquires(group, warp, memory, lane, handed);
    group->is_offered |= !known_is_empty(&handed->known);
  }
  group_ticks(group);
}

/* ---- freeing --------------------------------------------------------------------------------------- */

static void free_warp_order(struct warp_order *order) {
  for (enum memory through = 0; through < MEMORIES; through++) {
    free(order->offers[through].times);
    known_free(&order->offers[through].known);
    known_free(&order->offers[through].from_groups);
    if (order->lanes)
      free(order->lanes->offered[through]);
  }
  if (order->lanes)
    free(order->lanes->known);
  free(order->lanes);
  *order = (struct warp_order){0};
}

void handover_free_warp(struct check_warp *warp) {
  known_free(&warp->known);
  known_free(&warp->shared);
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    free_warp_order(&warp->order[memory]);
}

static void free_group_order(struct group_order *order, uint32_t warps) {
  for (uint32_t i = 0; i < order->handed_count; i++) {
    for (uint32_t warp = 0; order->handed[i].lanes && warp < warps; warp++)
      free(order->handed[i].lanes[warp]);
    free(order->handed[i].lanes);
    free(order->handed[i].time);
    known_free(&order->handed[i].known);
  }
  map_free(&order->handed_map);
  free(order->handed);
  free(order->seen);
}

void handover_free_group(struct check_group *group) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    free_group_order(&group->order[memory], group->warps);
  known_free(&group->known);
}

void handover_free(struct checker *checker) {
  for (uint32_t i = 0; i < checker->handover_count; i++)
    known_free(&checker->handovers[i].known);
  map_free(&checker->handover_map);
  free(checker->handovers);
  checker->handovers = NULL;
  checker->handover_count = checker->handover_room = 0;
}
