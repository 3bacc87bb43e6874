/* Happens-before through atomics and mbarriers: what a release publishes at an address, an acquire there takes.
 *
 *     data; fence; atomic write  ──►  address  ──►  atomic read; fence; data
 *     data; releasing write      ──►  address  ──►  acquiring read; data
 *     data; arrival              ──►  mbarrier ──►  its phase is seen to be complete; data
 *
 * A warp that writes atomically releases what it did before, if the atomic has release order, or else before its last
 * release fence; also what its whole group did before the last barrier, and its clock of other groups. The times are
 * those of the fence and the barrier, not of the atomic, so that accesses that nothing orders are not released by
 * chance. A copy is released once the warp has waited for it.
 *
 * When a warp's atomic read executes, it acquires the released clock of the address. If it is relaxed, the clock waits
 * for the warp's next acquire fence (struct released_clock).
 *
 * Scopes: a release publishes to the lanes of its warp, to the warps of its group, or to all groups, and an acquire
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
 * vector clocks of lanes. Only what comes back from another warp is as coarse as above. */
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
  return UINT64_C(1) << (CLOCK_PART_BITS - 2) | (uint64_t)group << PART_BITS | part;
}

static uint64_t part_of_warp(uint32_t group, uint32_t warp, uint32_t what) {
  return part_of(group, PART_WARPS + PARTS_OF_WARP * warp + what);
}

static uint64_t part_of_lane(uint32_t group, uint32_t warp, uint32_t lane) {
  return UINT64_C(1) << (CLOCK_PART_BITS - 1) | (uint64_t)group << LANE_BITS | warp * ISA_LANES | lane;
}

bool hb_covers(const struct vector_clock *clock, const struct touch *touch, uint32_t lanes) {
  if (clock_is_empty(clock))
    return false;
  if (touch_is_copy(touch->kind))
    return clock_covers(clock, part_of(touch->group, PART_COPIES), touch->when);
  const uint32_t warp = touch_item(touch) / lanes;
  return clock_covers(clock, part_of(touch->group, PART_ALL), touch->when) ||
         clock_covers(clock, part_of_warp(touch->group, warp, OF_WARP), touch->when) ||
         (touch_is_atomic(touch->kind) &&
          clock_covers(clock, part_of_warp(touch->group, warp, OF_ATOMICS), touch->when));
}

/* The same by OpenCL's rules. */
static bool covers_by_lane(const struct vector_clock *clock, const struct touch *touch, uint32_t lanes) {
  if (touch_is_copy(touch->kind) || touch_is_atomic(touch->kind))
    return hb_covers(clock, touch, lanes);
  const uint32_t warp = touch_item(touch) / lanes, lane = touch_item(touch) % lanes;
  return !clock_is_empty(clock) && (clock_covers(clock, part_of(touch->group, PART_ALL), touch->when) ||
                                    clock_covers(clock, part_of_warp(touch->group, warp, OF_ALL_LANES), touch->when) ||
                                    clock_covers(clock, part_of_lane(touch->group, warp, lane), touch->when));
}

static bool has_acquired(const struct check_warp *warp, enum memory memory, uint32_t lane) {
  return warp->order[memory].acquirers >> lane & 1;
}

enum relation hb_between_groups(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                const struct touch *touch) {
  const uint32_t lanes = group->shape->launch->warp_size;
  if (!hb_covers(&group->clock, touch, lanes) && !hb_covers(&warp->clock, touch, lanes))
    return OPEN;
  const struct vector_clock *own = has_acquired(warp, MEMORY_GLOBAL, lane) ? &warp->clock : &warp->all_lanes_clock;
  return covers_by_lane(&group->clock, touch, lanes) || covers_by_lane(own, touch, lanes) ? ORDERED : IN_STEP;
}

/* ---- in a group ------------------------------------------------------------------------------- */

/* NULL: nothing was released at the address. */
static struct group_release *find_group_release(const struct group_order *order, uint64_t address) {
  for (size_t at = 0, i; map_next(&order->release_map, hash_number(address), &at, &i);)
    if (order->release[i].address == address)
      return &order->release[i];
  return NULL;
}

static struct group_release *group_release_at(struct group_order *order, uint32_t warps, uint64_t address) {
  struct group_release *release = find_group_release(order, address);
  if (release)
    return release;
  map_add(&order->release_map, hash_number(address), order->release_count);
  release = vector_next(order->release, order->release_count, order->release_room);
  *release = (struct group_release){.address = address};
  release->time = need(warps, sizeof *release->time);
  return release;
}

static struct warp_clock *acquired_by(struct check_group *group, const struct check_warp *warp, enum memory memory) {
  struct group_order *order = &group->order[memory];
  if (!order->acquired)
    order->acquired = need(2 * (size_t)group->warps * group->warps, sizeof *order->acquired);
  return order->acquired + (size_t)warp->index * group->warps;
}

/* NULL: no warp of the group has acquired anything. */
static const struct warp_clock *acquired_so_far(const struct check_group *group, const struct check_warp *warp,
                                                enum memory memory) {
  const struct warp_clock *acquired = group->order[memory].acquired;
  return acquired ? acquired + (size_t)warp->index * group->warps : NULL;
}

/* The second half of `acquired`: what all lanes of a warp have acquired. */
static size_t shared_of(const struct check_group *group) { return (size_t)group->warps * group->warps; }

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t earlier(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void join_times(struct warp_clock *into, const struct warp_clock *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = (struct warp_clock){.accesses = later(into[i].accesses, from[i].accesses),
                                  .atomics = later(into[i].atomics, from[i].atomics),
                                  .all = later(into[i].all, from[i].all),
                                  .lanes = into[i].lanes | from[i].lanes,
                                  .passed_on = later(into[i].passed_on, from[i].passed_on)};
}

/* Releases what the warp has done, and its clock of other groups. */
static void release_to_warps(struct check_group *group, const struct check_warp *warp, enum memory memory,
                             uint64_t address, const struct warp_clock *own) {
  struct group_release *release = group_release_at(&group->order[memory], group->warps, address);
  const struct warp_clock *acquired = acquired_by(group, warp, memory);
  join_times(release->time, acquired, group->warps);
  for (uint32_t i = 0; i < group->warps; i++)
    if (i != warp->index)
      release->time[i].passed_on = later(release->time[i].passed_on, acquired[i].accesses);
  join_times(release->time + warp->index, own, 1);
  if (memory == MEMORY_GLOBAL)
    clock_join(&release->clock, &warp->clock);
}

/* All lanes have acquired what one has. */
static void share(struct check_group *group, struct check_warp *warp, enum memory memory) {
  struct warp_clock *acquired = group->order[memory].acquired ? acquired_by(group, warp, memory) : NULL;
  if (acquired)
    memcpy(acquired + shared_of(group), acquired, group->warps * sizeof *acquired);
  if (memory == MEMORY_GLOBAL)
    clock_join(&warp->all_lanes_clock, &warp->clock);
  warp->order[memory].acquirers = 0;
}

void hb_converge(struct check_group *group, struct check_warp *warp, uint8_t sync) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    if (memory_in(sync, memory))
      share(group, warp, memory);
}

static uint64_t all_lanes(const struct check_group *group, const struct check_warp *warp) {
  const uint32_t lanes = group->shape->launch->warp_size, items = group->shape->items - warp->index * lanes;
  return UINT64_MAX >> (64 - (items < lanes ? items : lanes));
}

static void add_acquirers(struct check_group *group, struct check_warp *warp, enum memory memory, uint64_t lanes) {
  warp->order[memory].acquirers |= lanes;
  if (warp->order[memory].acquirers && !(all_lanes(group, warp) & ~warp->order[memory].acquirers))
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

/* Releases to other lanes what the lane did until `when`, and what it has acquired from them. */
static void release_to_lanes(struct check_group *group, struct check_warp *warp, enum memory memory, uint32_t lane,
                             uint64_t address, uint32_t when) {
  struct group_release *release = group_release_at(&group->order[memory], group->warps, address);
  const struct lane_clocks *clocks = warp->order[memory].lanes;
  if (!release->lanes)
    release->lanes = need(group->warps, sizeof *release->lanes);
  uint32_t **into = &release->lanes[warp->index];
  if (!*into)
    *into = need(group->shape->launch->warp_size, sizeof **into);
  if (clocks && clocks->acquired)
    join_clocks(group, *into, clocks->acquired + (size_t)lane * group->shape->launch->warp_size);
  (*into)[lane] = later((*into)[lane], when);
}

/* The lane acquires what lanes of the warp released at the address. */
static void lane_acquires(const struct check_group *group, struct check_warp *warp, enum memory memory, uint32_t lane,
                          const struct group_release *release) {
  const uint32_t *there = release->lanes ? release->lanes[warp->index] : NULL;
  if (there)
    join_clocks(group, row_of(group, &clocks_of(warp, memory)->acquired, lane), there);
}

static bool is_atomic_over(const struct warp_clock *time, const struct touch *touch) {
  return touch_is_atomic(touch->kind) && touch->when <= time->atomics;
}

/* Has the lane acquired what another of its warp did? */
static enum relation relation_of_lanes(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                       const struct touch *touch, uint32_t other, enum memory memory) {
  const struct lane_clocks *clocks = warp->order[memory].lanes;
  const size_t pair = (size_t)lane * group->shape->launch->warp_size + other;
  if (clocks && clocks->acquired && touch->when <= clocks->acquired[pair])
    return ORDERED;
  const struct warp_clock *acquired = acquired_so_far(group, warp, memory);
  return acquired && has_acquired(warp, memory, lane) && touch->when <= acquired[warp->index].passed_on ? ORDERED
                                                                                                        : OPEN;
}

static enum relation relation_within(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                     const struct touch *touch, enum memory memory) {
  const uint32_t lanes = group->shape->launch->warp_size;
  const uint32_t other = touch_item(touch) / lanes, other_lane = touch_item(touch) % lanes;
  if (warp->index == other)
    return relation_of_lanes(group, warp, lane, touch, other_lane, memory);
  const struct warp_clock *acquired = acquired_so_far(group, warp, memory), *time = acquired + other;
  if (!acquired)
    return OPEN;
  if (touch->when > time->accesses && !is_atomic_over(time, touch))
    return OPEN;
  if (!has_acquired(warp, memory, lane))
    time += shared_of(group);
  const uint32_t until = time->lanes >> other_lane & 1 ? time->accesses : time->all;
  return touch->when <= until || is_atomic_over(time, touch) ? ORDERED : IN_STEP;
}

enum relation hb_in_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                          const struct touch *touch, enum memory memory) {
  const enum relation within = relation_within(group, warp, lane, touch, memory);
  const bool own = touch_item(touch) / group->shape->launch->warp_size == warp->index;
  if (within == ORDERED || own ||
      memory == MEMORY_LDS) /* what it acquired from its own lanes may not have passed through another group */
    return within;
  const enum relation around = hb_between_groups(group, warp, lane, touch); /* through another group, and back */
  return around > within ? around : within;
}

/* ---- between groups ------------------------------------------------------------------------------- */

static struct device_release *find_device_release(const struct checker *checker, uint64_t address) {
  for (size_t at = 0, i; map_next(&checker->device_release_map, hash_number(address), &at, &i);)
    if (checker->device_releases[i].address == address)
      return &checker->device_releases[i];
  return NULL;
}

static struct device_release *device_release_at(struct checker *checker, uint64_t address) {
  struct device_release *release = find_device_release(checker, address);
  if (release)
    return release;
  map_add(&checker->device_release_map, hash_number(address), checker->device_release_count);
  release = vector_next(checker->device_releases, checker->device_release_count, checker->device_release_room);
  *release = (struct device_release){.address = address};
  return release;
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
static void set_lanes(struct vector_clock *clock, uint32_t group, uint32_t warp, const struct warp_clock *time) {
  clock_set(clock, part_of_warp(group, warp, OF_WARP), time->accesses);
  clock_set(clock, part_of_warp(group, warp, OF_ALL_LANES), time->all);
  for (uint64_t left = time->all < time->accesses ? time->lanes : 0; left; left &= left - 1)
    clock_set(clock, part_of_lane(group, warp, (uint32_t)__builtin_ctzll(left)), time->accesses);
}

/* What a warp that releases in these lanes did until `until`. */
static struct warp_clock done_by(const struct check_group *group, const struct check_warp *warp, uint64_t lanes,
                                 uint32_t until, enum memory memory) {
  const uint32_t met = warp->epoch[memory == MEMORY_LDS ? CHECK_LDS : CHECK_GLOBAL];
  const bool whole = !(all_lanes(group, warp) & ~lanes);
  return (struct warp_clock){.accesses = until,
                             .atomics = group->time,
                             .all = whole ? until : earlier(until, later(met, 1) - 1),
                             .lanes = lanes};
}

/* Until when accesses of the warp, and of its whole group, are over for those that acquire. */
struct release {
  uint32_t warp, group;
};

/* The clock that a warp releases to other groups. It is built once for all lanes, and shared by their addresses. */
static struct vector_clock clock_for_groups(const struct check_group *group, const struct check_warp *warp,
                                            uint64_t lanes, struct release until) {
  struct vector_clock clock = {0};
  const uint32_t all = until.group;
  const struct warp_clock own = done_by(group, warp, lanes, until.warp, MEMORY_GLOBAL);
  const struct warp_clock *acquired = acquired_so_far(group, warp, MEMORY_GLOBAL);
  clock_join(&clock, &group->clock);
  clock_join(&clock, &warp->clock);
  if (all)
    clock_set(&clock, part_of(group->number, PART_ALL), all);
  if (group->copy_room)
    clock_set(&clock, part_of(group->number, PART_COPIES), copies_over(group, warp));
  if (own.accesses > all)
    set_lanes(&clock, group->number, warp->index, &own);
  clock_set(&clock, part_of_warp(group->number, warp->index, OF_ATOMICS), group->time);
  for (uint32_t i = 0; acquired && i < group->warps; i++) {
    if (acquired[i].accesses > all)
      set_lanes(&clock, group->number, i, &acquired[i]);
    if (acquired[i].atomics > all)
      clock_set(&clock, part_of_warp(group->number, i, OF_ATOMICS), acquired[i].atomics);
  }
  return clock;
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
    clocks_of(warp, memory)->release_time[__builtin_ctzll(left)] = group->time;
  const bool to_warps = by_itself && row->scope >= ISA_SCOPE_WORK_GROUP;
  if (!to_warps && !fenced)
    return;
  const struct warp_clock own = done_by(group, warp, mask, to_warps ? group->time : fenced - 1, memory);
  for (uint64_t left = mask; left; left &= left - 1)
    release_to_warps(group, warp, memory, address[__builtin_ctzll(left)], &own);
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
  return (struct release){later(met, later(fenced, 1) - 1), later(met, warp->group_release_time)};
}

void hb_release(struct check_unit *unit, struct check_group *group, struct check_warp *warp, const struct act_row *row,
                uint64_t mask, const uint64_t *address) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    release_in_group(group, warp, row, memory, mask, address);
  const struct release until = released_to_groups(group, warp, row);
  const uint64_t to_groups = until.warp ? mask : 0;
  struct vector_clock clock = to_groups ? clock_for_groups(group, warp, mask, until) : (struct vector_clock){0};
  for (uint64_t left = to_groups; left; left &= left - 1)
    clock_join(&device_release_at(unit->checker, address[__builtin_ctzll(left)])->clock, &clock);
  clock_free(&clock);
  if (row->order & ISA_ORDERS_RELEASE)
    group_ticks(group);
}

/* ---- acquires ------------------------------------------------------------------------------------- */

/* The lane acquires what was released at the address. */
static void acquire(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                    const struct act_row *row, enum memory memory, uint32_t lane, uint64_t address) {
  const struct group_release *release = find_group_release(&group->order[memory], address);
  const bool from_warps = release && row->scope >= ISA_SCOPE_WORK_GROUP;
  const struct device_release *from_groups =
      memory == MEMORY_GLOBAL && row->scope >= ISA_SCOPE_DEVICE ? find_device_release(unit->checker, address) : NULL;
  if (release)
    lane_acquires(group, warp, memory, lane, release);
  if (from_warps) {
    join_times(acquired_by(group, warp, memory), release->time, group->warps);
    clock_join(&warp->clock, &release->clock);
  }
  if (from_groups)
    clock_join(&warp->clock, &from_groups->clock);
  if (from_warps || from_groups)
    add_acquirers(group, warp, memory, UINT64_C(1) << lane);
  group->has_released |= memory == MEMORY_GLOBAL && !clock_is_empty(&warp->clock);
}

/* A relaxed read: the next acquire fence may acquire what was released at the address. */
static void read_released(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                          enum memory through, enum memory memory, uint32_t lane, uint64_t address) {
  struct released_clock *released = &warp->order[memory].released[through];
  const struct group_release *release = find_group_release(&group->order[memory], address);
  const struct device_release *from_groups =
      memory == MEMORY_GLOBAL ? find_device_release(unit->checker, address) : NULL;
  if (release && !released->times)
    released->times = need(group->warps, sizeof *released->times);
  if (release) {
    join_times(released->times, release->time, group->warps);
    clock_join(&released->clock, &release->clock);
    released->lanes |= UINT64_C(1) << lane;
    const uint32_t *there = release->lanes ? release->lanes[warp->index] : NULL;
    if (there)
      join_clocks(group, row_of(group, &clocks_of(warp, memory)->pending[through], lane), there);
  }
  if (from_groups) {
    clock_join(&released->from_groups, &from_groups->clock);
    released->group_lanes |= UINT64_C(1) << lane;
  }
  group->has_released |= memory == MEMORY_GLOBAL && (release || from_groups);
}

/* Lanes pass a fence that acquires one memory through atomics on another, or the same. */
static void acquire_released(struct check_group *group, struct check_warp *warp, enum memory through,
                             enum memory memory, uint8_t scope, uint64_t mask) {
  struct released_clock *released = &warp->order[memory].released[through];
  struct lane_clocks *clocks = warp->order[memory].lanes;
  uint64_t acquirers = 0;
  if (scope >= ISA_SCOPE_WORK_GROUP && released->lanes) {
    join_times(acquired_by(group, warp, memory), released->times, group->warps);
    clock_join(&warp->clock, &released->clock);
    free(released->times);
    clock_free(&released->clock);
    acquirers |= released->lanes;
    released->times = NULL;
    released->lanes = 0;
  }
  if (scope >= ISA_SCOPE_DEVICE) {
    clock_join(&warp->clock, &released->from_groups);
    clock_free(&released->from_groups);
    acquirers |= released->group_lanes;
    released->group_lanes = 0;
  }
  add_acquirers(group, warp, memory, acquirers & mask);
  for (uint64_t left = clocks && clocks->pending[through] ? mask : 0; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    join_clocks(group, row_of(group, &clocks->acquired, lane), row_of(group, &clocks->pending[through], lane));
  }
}

/* Until when the lane releases to others of its warp; 0: nothing. */
static uint32_t released_to_lanes(const struct check_warp *warp, const struct act_row *row, enum memory memory,
                                  uint32_t lane) {
  const struct lane_clocks *clocks = warp->order[memory].lanes;
  if (!clocks)
    return 0;
  if (releases(row, memory))
    return clocks->release_time[lane];
  return later(clocks->fenced[memory_of((enum check_space)row->space)][lane], 1) - 1;
}

void hb_atomic(struct check_unit *unit, struct check_group *group, struct check_warp *warp, const struct act_row *row,
               uint32_t lane, uint64_t address, bool reads) {
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    const bool acquires = row->order & ISA_ORDERS_ACQUIRE && memory_in(row->sync, memory);
    if (reads && acquires)
      acquire(unit, group, warp, row, memory, lane, address);
    if (reads && (!acquires || row->scope < ISA_SCOPE_DEVICE))
      read_released(unit, group, warp, memory_of((enum check_space)row->space), memory, lane, address);
    const uint32_t until = row->kind == TOUCH_ATOMIC ? released_to_lanes(warp, row, memory, lane) : 0;
    if (until)
      release_to_lanes(group, warp, memory, lane, address, until);
  }
}

/* ---- fences and barriers --------------------------------------------------------------------------- */

static void acquire_all_released(struct check_group *group, struct check_warp *warp, uint8_t sync, uint8_t scope,
                                 uint64_t mask) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    for (enum memory through = 0; through < MEMORIES; through++)
      if (memory_in(sync, memory) && memory_in(sync, through))
        acquire_released(group, warp, through, memory, scope, mask);
}

void hb_barrier(struct check_unit *unit, struct check_group *group, const struct act_row *row) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    struct check_warp *warp = &unit->warps[slot];
    if (warp->number != group->number)
      continue;
    acquire_all_released(group, warp, row->sync, row->scope, all_lanes(group, warp));
    share(group, warp, MEMORY_GLOBAL);
    clock_join(&group->clock, &warp->clock);
    clock_free(&warp->clock);
    clock_free(&warp->all_lanes_clock);
  }
  group->has_released = false;
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

void hb_fence(struct check_group *group, struct check_warp *warp, const struct act_row *row, uint64_t mask) {
  const uint32_t now = group_ticks(group);
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    if (releases(row, memory))
      note_release(warp, memory, row, mask, now);
  if (releases(row, MEMORY_GLOBAL) && row->scope >= ISA_SCOPE_DEVICE)
    warp->group_release_time = group->epoch[CHECK_GLOBAL] - 1;
  if (!(row->order & ISA_ORDERS_ACQUIRE))
    return;
  acquire_all_released(group, warp, row->sync, row->scope, mask);
  if (row->sync & SYNC_LDS) {
    warp->fenced_reads = warp->lds_reads_issued;
    warp->fence_sync = row->sync;
    warp->fence_scope = row->scope;
  }
}

void hb_lds_reply(struct check_group *group, struct check_warp *warp, uint64_t mask) {
  if (warp->lds_reads_done++ < warp->fenced_reads)
    acquire_all_released(group, warp, warp->fence_sync, warp->fence_scope, mask);
}

/* ---- mbarriers -------------------------------------------------------------------------------------- */

void hb_arrive(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier) {
  const uint32_t now = group->time;
  const struct warp_clock own = {.accesses = now, .atomics = now, .all = now, .lanes = UINT64_MAX};
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    release_to_warps(group, warp, memory, mbarrier, &own);
    release_to_lanes(group, warp, memory, lane, mbarrier, now);
  }
  group_ticks(group);
}

void hb_pass(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier) {
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    const struct group_release *release = find_group_release(&group->order[memory], mbarrier);
    if (!release)
      continue;
    join_times(acquired_by(group, warp, memory), release->time, group->warps);
    clock_join(&warp->clock, &release->clock);
    share(group, warp, memory);
    lane_acquires(group, warp, memory, lane, release);
    group->has_released |= !clock_is_empty(&release->clock);
  }
  group_ticks(group);
}

/* ---- freeing --------------------------------------------------------------------------------------- */

static void free_warp_order(struct warp_order *order) {
  for (enum memory through = 0; through < MEMORIES; through++) {
    free(order->released[through].times);
    clock_free(&order->released[through].clock);
    clock_free(&order->released[through].from_groups);
    if (order->lanes)
      free(order->lanes->pending[through]);
  }
  if (order->lanes)
    free(order->lanes->acquired);
  free(order->lanes);
  *order = (struct warp_order){0};
}

void hb_free_warp(struct check_warp *warp) {
  clock_free(&warp->clock);
  clock_free(&warp->all_lanes_clock);
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    free_warp_order(&warp->order[memory]);
}

static void free_group_order(struct group_order *order, uint32_t warps) {
  for (uint32_t i = 0; i < order->release_count; i++) {
    for (uint32_t warp = 0; order->release[i].lanes && warp < warps; warp++)
      free(order->release[i].lanes[warp]);
    free(order->release[i].lanes);
    free(order->release[i].time);
    clock_free(&order->release[i].clock);
  }
  map_free(&order->release_map);
  free(order->release);
  free(order->acquired);
}

void hb_free_group(struct check_group *group) {
  for (enum memory memory = 0; memory < MEMORIES; memory++)
    free_group_order(&group->order[memory], group->warps);
  clock_free(&group->clock);
}

void hb_free(struct checker *checker) {
  for (uint32_t i = 0; i < checker->device_release_count; i++)
    clock_free(&checker->device_releases[i].clock);
  map_free(&checker->device_release_map);
  free(checker->device_releases);
  checker->device_releases = NULL;
  checker->device_release_count = checker->device_release_room = 0;
}
