/* Touches of bytes, and which pairs of them are a hazard.
 *
 * touch_cell() decides the common cases by the first touch of a cell alone: the cell is empty; the same work-item was
 * there, at the same instruction; all touches are over; or all are reads, and there are enough witnesses. New touches
 * go to the front, so the first is the latest of its group. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/check/check_parts.h"

/* ---- accessors ------------------------------------------------------------------------------ */

struct accessor accessor_of_warp(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                                 enum check_space space, uint32_t site, uint32_t kind, uint32_t bytes) {
  return (struct accessor){.unit = unit,
                           .group = group,
                           .warp = warp,
                           .space = space,
                           .site = site,
                           .kind = kind,
                           .when = group->time,
                           .bytes = bytes,
                           .epoch = group->epoch[space],
                           .oldest = order_oldest_copy(group),
                           .ahead = warp->calls != group->calls};
}

struct accessor accessor_of_copy(struct check_unit *unit, struct check_group *group, const struct pending_call *call,
                                 enum check_space space, uint32_t site, uint32_t kind) {
  return (struct accessor){.unit = unit,
                           .group = group,
                           .call = call,
                           .space = space,
                           .site = site,
                           .kind = kind,
                           .when = group->time,
                           .bytes = call->copy.element_bytes,
                           .epoch = group->epoch[space],
                           .oldest = order_oldest_copy(group)};
}

static uint32_t lanes_of(const struct accessor *accessor) { return accessor->group->shape->launch->warp_size; }

/* ---- order -------------------------------------------------------------------------------- */

static enum relation relation_to_copy(const struct accessor *accessor, const struct touch *touch) {
  const struct copy_in_flight *copy = order_find_copy(accessor->group, touch->when);
  if (!copy)
    return OVER;
  if (accessor->warp)
    return copy->waited < accessor->warp->calls ? ORDERED : OPEN;
  return touch->when < accessor->group->fenced[accessor->space] ? ORDERED : OPEN;
}

static bool writes(uint32_t kind) { return !touch_is_read(kind); }

static const struct act_row *row_at(const struct checker *checker, uint32_t site) {
  return &checker->acts[checker->sites[site].launch][checker->sites[site].pc];
}

static bool is_of_image(const struct checker *checker, const struct touch *touch) {
  return row_at(checker, touch_site(touch))->space == CHECK_IMAGE;
}

/* Program order does not order a work-item's store and later read of a texel. */
static bool is_unfenced(const struct accessor *accessor, const struct touch *touch) {
  return accessor->space == CHECK_IMAGE && !writes(accessor->kind) && writes(touch->kind) &&
         touch->when >= accessor->warp->image_fenced && touch->when >= accessor->warp->epoch[CHECK_IMAGE] &&
         is_of_image(accessor->unit->checker, touch);
}

static enum relation relation_of_items(const struct accessor *accessor, const struct touch *touch) {
  const struct check_group *group = accessor->group;
  const uint32_t item = touch_item(touch), warp = item / lanes_of(accessor);
  if (item == accessor->item)
    return is_unfenced(accessor, touch) ? OPEN : ORDERED;
  if (warp == accessor->warp->index && touch->when < accessor->warp->epoch[accessor->space])
    return ORDERED;
  return hb_in_group(group, accessor->warp, accessor->item % lanes_of(accessor), touch, memory_of(accessor->space));
}

/* A touch of another group, which a release and an acquire may order. */
static enum relation relation_of_groups(const struct accessor *accessor, const struct touch *touch) {
  if (accessor->warp)
    return hb_between_groups(accessor->group, accessor->warp, accessor->item % lanes_of(accessor), touch);
  return hb_covers(&accessor->group->clock, touch, lanes_of(accessor)) ? ORDERED : OPEN;
}

/* Has the warp of a copy.lane touched the destination after the issue? The wait does not order that touch. */
static bool is_in_flight(const struct accessor *accessor, const struct touch *touch) {
  return accessor->since && touch->group == accessor->group->number && touch->when > accessor->since &&
         !touch_is_copy(touch->kind) && touch_item(touch) / lanes_of(accessor) == accessor->warp->index;
}

static enum relation relation_to(const struct accessor *accessor, const struct touch *touch) {
  if (is_in_flight(accessor, touch))
    return OPEN;
  if (touch->group != accessor->group->number) {
    if (accessor->space == CHECK_LDS || touch->group <= accessor->unit->checker->base)
      return OVER;
    return relation_of_groups(accessor, touch);
  }
  if (touch_is_copy(touch->kind))
    return relation_to_copy(accessor, touch);
  if (touch->when < accessor->epoch)
    return OVER;
  return accessor->warp ? relation_of_items(accessor, touch) : OPEN;
}

/* ---- hazards ------------------------------------------------------------------------------ */

/* A rule, and whether `here` is the new touch. */
struct judged {
  enum isa_hazard_rule rule; /* HAZARDS: none */
  bool accessor_is_here;
};

/* A work-item's touch during a copy. */
static enum isa_hazard_rule while_in_flight(uint32_t item_kind, uint32_t copy_kind) {
  if (copy_kind == TOUCH_COPY_WRITE)
    return writes(item_kind) ? HAZARD_X6 : HAZARD_X5;
  return writes(item_kind) ? HAZARD_X7 : HAZARDS;
}

/* Was the touch's warp ahead, and had already reached a wait for the copy? */
static bool has_waited(const struct accessor *accessor, const struct touch *touch, uint32_t warp) {
  const struct check_group *group = accessor->group;
  for (uint32_t number = group->calls + 1; number < group->calls + CHECK_AHEAD; number++) {
    const struct pending_call *call = &group->pending[number % CHECK_AHEAD];
    if (call->arrived && call->act == ACT_WAIT && call->stamp[warp] && call->stamp[warp] <= touch->when &&
        order_waits_for(&call->wait, accessor->call->copy.event))
      return true;
  }
  return false;
}

static struct judged copy_and_item(const struct accessor *accessor, const struct touch *touch) {
  const uint32_t warp = touch_item(touch) / lanes_of(accessor);
  if (touch->group == accessor->group->number && has_waited(accessor, touch, warp))
    return (struct judged){HAZARDS, false};
  const bool before = touch->group == accessor->group->number && touch->when < accessor->call->stamp[warp];
  if (!before)
    return (struct judged){while_in_flight(touch->kind, accessor->kind), false};
  if (accessor->group->shape->items == 1)
    return (struct judged){HAZARDS, false};
  if (accessor->kind == TOUCH_COPY_READ)
    return (struct judged){writes(touch->kind) ? HAZARD_X8 : HAZARDS, true};
  return writes(touch->kind) ? (struct judged){HAZARD_X6, false} : (struct judged){HAZARD_X16, true};
}

static struct judged two_copies(const struct accessor *accessor, const struct touch *touch) {
  const bool one_group = touch->group == accessor->group->number;
  if (writes(accessor->kind) && writes(touch->kind))
    return (struct judged){HAZARD_X9, one_group || accessor->site >= touch_site(touch)};
  if (!writes(accessor->kind) && !writes(touch->kind))
    return (struct judged){HAZARDS, false};
  if (!one_group)
    return (struct judged){HAZARD_X7, writes(accessor->kind)};
  return (struct judged){writes(accessor->kind) ? HAZARD_X7 : HAZARD_X5, true};
}

/* Is it a texel that one reads and the other writes? */
static bool wants_image_fence(const struct accessor *accessor, const struct touch *touch) {
  return accessor->space == CHECK_IMAGE && touch->group == accessor->group->number &&
         writes(accessor->kind) != writes(touch->kind) && is_of_image(accessor->unit->checker, touch);
}

/* The scope that includes both the accessor and the work-item of a touch. */
static enum isa_scope scope_of_both(const struct accessor *accessor, const struct touch *touch) {
  if (touch->group != accessor->group->number)
    return ISA_SCOPE_DEVICE;
  return touch_item(touch) / lanes_of(accessor) == accessor->warp->index ? ISA_SCOPE_SUB_GROUP : ISA_SCOPE_WORK_GROUP;
}

/* Two atomics do not race if the scope of each includes the other. */
static bool are_inclusive(const struct accessor *accessor, const struct touch *touch) {
  const struct checker *checker = accessor->unit->checker;
  const enum isa_scope both = scope_of_both(accessor, touch);
  return row_at(checker, accessor->site)->scope >= both && row_at(checker, touch_site(touch))->scope >= both;
}

static struct judged judge(const struct accessor *accessor, const struct touch *touch, enum relation relation) {
  const bool copy = !accessor->warp, other = touch_is_copy(touch->kind);
  if (is_in_flight(accessor, touch))
    return (struct judged){while_in_flight(touch->kind, TOUCH_COPY_WRITE), false};
  if (copy)
    return other ? two_copies(accessor, touch) : copy_and_item(accessor, touch);
  if (other && relation == OPEN)
    return (struct judged){while_in_flight(accessor->kind, touch->kind), true};
  if (wants_image_fence(accessor, touch) && relation == OPEN) /* `here` is the read */
    return (struct judged){HAZARD_I4, writes(touch->kind)};
  const bool atomics = touch_is_atomic(accessor->kind) && touch_is_atomic(touch->kind);
  const bool race = (writes(accessor->kind) || writes(touch->kind)) && !(atomics && are_inclusive(accessor, touch));
  const enum isa_hazard_rule rule = relation == IN_STEP            ? HAZARD_M10
                                    : accessor->space == CHECK_LDS ? HAZARD_M5
                                                                   : HAZARD_M6;
  return (struct judged){race ? rule : HAZARDS, accessor->site >= touch_site(touch)};
}

/* Does a site store this byte as it has loaded it, or load it for such a store? */
static bool keeps(const struct accessor *accessor, uint32_t site, uint64_t at) {
  struct checker *checker = accessor->unit->checker;
  const struct site *place = &checker->sites[site];
  const uint8_t bytes = checker->launch[place->launch].program->info[place->pc].bytes;
  return bytes && unwritten_kept(checker, accessor->group, site) >> at % bytes & 1;
}

/* Do the two share only bytes that one of them does not change? */
static bool is_of_components(const struct accessor *accessor, const struct touch *touch) {
  const uint64_t base = accessor->space == CHECK_LDS ? accessor->group->shape->lds_base : 0;
  for (uint64_t at = accessor->at - base; at < accessor->at - base + accessor->cell; at++)
    if (!keeps(accessor, accessor->site, at) && !keeps(accessor, touch_site(touch), at))
      return false;
  return true;
}

/* The first fence, barrier or atomic that would order the two if its scope were wider; NULL: none. */
static const struct act_row *narrow_scope(const struct accessor *accessor, const struct touch *touch) {
  const struct checker *checker = accessor->unit->checker;
  const uint32_t launch = accessor->group->launch;
  for (unsigned scope = scope_of_both(accessor, touch); scope--;) {
    const uint32_t narrow = checker->narrow[launch][memory_of(accessor->space)][scope];
    if (narrow)
      return &checker->acts[launch][narrow - 1];
  }
  return NULL;
}

static enum check_why why(const struct accessor *accessor, const struct touch *touch, enum isa_hazard_rule rule) {
  if (rule != HAZARD_M5 && rule != HAZARD_M6)
    return WHY_NOTHING;
  return is_of_components(accessor, touch) ? WHY_COMPONENT : narrow_scope(accessor, touch) ? WHY_SCOPE : WHY_NOTHING;
}

static void explain_component(const struct accessor *accessor, const struct touch *touch, struct check_hazard *hazard) {
  const bool mine = keeps(accessor, accessor->site,
                          accessor->at - (accessor->space == CHECK_LDS ? accessor->group->shape->lds_base : 0));
  const struct site *site = &accessor->unit->checker->sites[mine ? accessor->site : touch_site(touch)];
  snprintf(hazard->detail, sizeof hazard->detail,
           "a component store is modeled as rewriting the whole vector: line %" PRIu32
           " loads these bytes and stores them unchanged",
           accessor->unit->checker->launch[site->launch].program->line[site->pc]);
}

static void explain_scope(const struct accessor *accessor, const struct touch *touch, struct check_hazard *hazard) {
  static const char *const scopes[] = {"work_item", "sub_group", "work_group", "device"};
  const struct act_row *row = narrow_scope(accessor, touch);
  const uint32_t launch = accessor->group->launch,
                 line =
                     accessor->unit->checker->launch[launch].program->line[row - accessor->unit->checker->acts[launch]];
  char at[32] = "";
  if (line)
    snprintf(at, sizeof at, " at line %" PRIu32, line);
  snprintf(hazard->detail, sizeof hazard->detail, "the %s%s has memory_scope_%s, so it orders nothing between %s",
           row->act == ACT_ACCESS  ? "atomic operation"
           : row->act == ACT_FENCE ? "fence"
                                   : "barrier",
           at, scopes[row->scope], scope_of_both(accessor, touch) == ISA_SCOPE_DEVICE ? "work-groups" : "sub-groups");
}

static void explain(const struct accessor *accessor, const struct touch *touch, struct check_hazard *hazard) {
  hazard->why = why(accessor, touch, hazard->rule);
  if (hazard->why == WHY_COMPONENT)
    explain_component(accessor, touch, hazard);
  if (hazard->why == WHY_SCOPE)
    explain_scope(accessor, touch, hazard);
}

static void report(const struct accessor *accessor, const struct touch *touch, struct judged judged) {
  struct checker *checker = accessor->unit->checker;
  const struct check_side mine =
      check_side_of(checker, accessor->site, accessor->group->number, accessor->item, !accessor->warp);
  const struct check_side theirs =
      check_side_of(checker, touch_site(touch), touch->group, touch_item(touch), touch_is_copy(touch->kind));
  const uint64_t base = accessor->space == CHECK_LDS ? accessor->group->shape->lds_base : 0;
  const struct check_hazard hazard = {
      .rule = judged.rule,
      .launch =
          checker->filters.first + checker->sites[judged.accessor_is_here ? accessor->site : touch_site(touch)].launch,
      .here = judged.accessor_is_here ? mine : theirs,
      .other = judged.accessor_is_here ? theirs : mine,
      .space = accessor->space == CHECK_LDS ? CHECK_LDS : CHECK_GLOBAL,
      .address = accessor->at - base,
      .bytes = accessor->bytes};
  struct check_hazard *listed = hazards_add(checker, &hazard);
  if (listed->count == 1)
    explain(accessor, touch, listed);
  else if (listed->why != WHY_NOTHING && listed->why != why(accessor, touch, judged.rule))
    hazards_drop_why(listed);
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Prepares the touch before its first cell. */
static void begin(struct accessor *accessor) {
  accessor->fresh = (struct touch){.group = accessor->group->number,
                                   .when = accessor->when,
                                   .who = accessor->site << SHADOW_ITEM_BITS | accessor->item,
                                   .kind = accessor->kind & 7,
                                   .only_reads = touch_is_read(accessor->kind)};
}

static void put_first(const struct accessor *accessor, struct touch *cell) {
  struct touch_pool *pool = &accessor->unit->checker->pool;
  const uint32_t index = touch_pool_take(pool);
  if (!index)
    return;
  pool->at[index] = *cell;
  *cell = accessor->fresh;
  cell->next = index & SHADOW_MOST_NEXT;
}

/* Puts the accessor's touch first, and moves the touch that was first to `place`. */
static void put_in_place(const struct accessor *accessor, struct touch *cell, struct touch *place) {
  place->group = cell->group;
  place->when = cell->when;
  place->who = cell->who;
  place->kind = cell->kind;
  cell->group = accessor->group->number;
  cell->when = accessor->when;
  cell->who = accessor->fresh.who;
  cell->kind = accessor->kind & 7;
}

/* Updates the flags in a cell's first touch, which describe all touches. */
static void note_all(const struct accessor *accessor, struct touch *cell) {
  const struct touch_pool *pool = &accessor->unit->checker->pool;
  cell->only_reads = touch_is_read(cell->kind);
  cell->settled_items = cell->settled_groups = 0;
  for (uint32_t index = cell->next; index; index = pool->at[index].next) {
    const struct touch *touch = &pool->at[index];
    cell->only_reads = cell->only_reads && touch_is_read(touch->kind);
    if (cell->kind != TOUCH_READ || touch->kind != TOUCH_READ || touch_site(touch) != touch_site(cell))
      continue;
    if (touch->group != cell->group)
      cell->settled_groups = !accessor->unit->checker->syncs_groups;
    else if (touch->when >= accessor->epoch && cell->when >= accessor->epoch && touch->who != cell->who)
      cell->settled_items = !accessor->unit->checker->orders_warps;
  }
}

/* Has the warp, between the touch and now, passed a copy's call that others have not reached? The copy is later
 * compared with touches before and after its call, so both touches must stay. */
static bool crosses_a_call(const struct accessor *accessor, const struct touch *touch) {
  const struct check_group *group = accessor->group;
  for (uint32_t number = group->calls; accessor->ahead && number < accessor->warp->calls; number++) {
    const struct pending_call *call = &group->pending[number % CHECK_AHEAD];
    if (call->act == ACT_COPY && touch->when < call->stamp[accessor->warp->index])
      return true;
  }
  return false;
}

/* For two copies with the same event: every wait or fence that covers the later one also covers the earlier one. */
static bool is_covered(const struct accessor *accessor, const struct touch *touch) {
  const struct copy_in_flight *copy = accessor->warp ? NULL : order_find_copy(accessor->group, touch->when);
  return copy && copy->waited == UINT32_MAX && copy->event == accessor->call->copy.event;
}

/* Can the accessor's new touch replace this one? It can if this one precedes it: anything ordered after the new touch
 * is then ordered after both. */
static bool replaces(const struct accessor *accessor, const struct touch *touch, enum relation relation) {
  if (touch->group != accessor->group->number)
    return touch->group <= accessor->unit->checker->base || relation == ORDERED;
  if (relation == OVER || is_covered(accessor, touch))
    return true;
  return accessor->warp && relation == ORDERED && touch_item(touch) / lanes_of(accessor) == accessor->warp->index &&
         !crosses_a_call(accessor, touch);
}

/* Touches from the accessor's instruction that stay, as witnesses of other accessors. */
struct witnesses {
  uint32_t own;                         /* of its group; if orders_warps, of its warp */
  uint32_t foreign;                     /* number of other groups with witnesses, */
  uint32_t group[CHECK_MOST_WITNESSES]; /* the first of these groups, */
  struct touch *spare;                  /* and a second witness of one of them */
  uint32_t copies;                      /* number of the group's copies in flight, */
  struct touch *copy;                   /* and the latest of these */
};

/* A copy in flight is a witness only for itself, because other copies end at other waits. If there are too many, the
 * latest is replaced. */
static void count_witness(const struct accessor *accessor, struct touch *touch, struct witnesses *count) {
  if (touch->group == accessor->group->number) {
    const bool same_warp = accessor->warp && touch_item(touch) / lanes_of(accessor) == accessor->warp->index;
    count->own += same_warp || (accessor->warp && !accessor->unit->checker->orders_warps);
    if (!accessor->warp && !count->copies++)
      count->copy = touch;
    return;
  }
  for (uint32_t i = 0; i < count->foreign; i++)
    if (count->group[i] == touch->group) {
      count->spare = touch;
      return;
    }
  if (count->foreign < CHECK_MOST_WITNESSES)
    count->group[count->foreign++] = touch->group;
}

/* The number of other groups to remember. Two are enough for reads, which break the same rules with any other group,
 * unless a later accessor may have acquired from some groups. */
static uint32_t most_witnesses(const struct accessor *accessor) {
  if (accessor->kind == TOUCH_WRITE || accessor->kind == TOUCH_COPY_WRITE)
    return CHECK_MOST_WITNESSES;
  return accessor->kind == TOUCH_ATOMIC || accessor->unit->checker->syncs_groups ? CHECK_WITNESSES : 2;
}

/* Is this the first touch of this kind from the accessor's site? */
static bool is_new_site(const struct accessor *accessor, const struct touch *cell) {
  const struct touch_pool *pool = &accessor->unit->checker->pool;
  while (touch_site(cell) != accessor->site || cell->kind != accessor->kind) {
    if (!cell->next)
      return true;
    cell = &pool->at[cell->next];
  }
  return false;
}

/* Compares the touch with all others, and keeps it if it adds information. */
static void touch_all(const struct accessor *accessor, struct touch *cell, bool may_conflict) {
  struct touch_pool *pool = &accessor->unit->checker->pool;
  struct witnesses count;
  struct touch *place = NULL;
  count.own = count.foreign = count.copies = 0;
  count.spare = count.copy = NULL;
  for (uint32_t index = 0, next = cell->next;; index = next, next = pool->at[index].next) {
    struct touch *touch = index ? &pool->at[index] : cell;
    const enum relation relation = relation_to(accessor, touch);
    if (may_conflict && relation <= IN_STEP) {
      const struct judged judged = judge(accessor, touch, relation);
      if (judged.rule != HAZARDS)
        report(accessor, touch, judged);
    }
    if (touch_site(touch) == accessor->site && touch->kind == accessor->kind) {
      if (!place && replaces(accessor, touch, relation))
        place = touch;
      else
        count_witness(accessor, touch, &count);
    }
    if (!next)
      break;
  }
  const bool wanted = accessor->ahead || (count.own < 2 && count.foreign < most_witnesses(accessor));
  if (!place && wanted && count.spare) /* the second witness of a group makes room */
    place = count.spare;
  if (!place && count.copies >= CHECK_COPIES)
    place = count.copy;
  if (place)
    put_in_place(accessor, cell, place);
  else if (wanted)
    put_first(accessor, cell);
  note_all(accessor, cell);
}

/* Are all touches of the cell over? Then nothing can conflict with them. None is later than the first. */
static bool all_over(const struct accessor *accessor, const struct touch *cell) {
  if (accessor->space != CHECK_LDS)
    return cell->group <= accessor->unit->checker->base;
  if (cell->group != accessor->fresh.group)
    return true;
  if (cell->next)
    return cell->when < accessor->epoch && cell->when < accessor->oldest;
  return cell->when < (touch_is_copy(cell->kind) ? accessor->oldest : accessor->epoch);
}

static inline void touch_cell(const struct accessor *accessor, struct touch *cell) {
  const uint32_t group = accessor->fresh.group;
  if (!cell->group) {
    *cell = accessor->fresh;
    return;
  }
  if (accessor->warp && cell->group == group && cell->kind == accessor->kind && !cell->next &&
      cell->who == accessor->fresh.who && !accessor->ahead && !accessor->since) {
    cell->when = accessor->when;
    return;
  }
  const bool only_reads = cell->only_reads && accessor->fresh.only_reads;
  if (only_reads && accessor->kind == TOUCH_READ && cell->kind == TOUCH_READ && touch_site(cell) == accessor->site &&
      cell->group > accessor->unit->checker->base && !accessor->ahead &&
      (cell->settled_groups || (cell->settled_items && cell->group == group && cell->when >= accessor->epoch)) &&
      (accessor->space != CHECK_LDS || cell->group == group))
    return;
  if (!accessor->since && all_over(accessor, cell)) {
    if (cell->next)
      touch_pool_give(&accessor->unit->checker->pool, cell->next);
    *cell = accessor->fresh;
    return;
  }
  if (only_reads && is_new_site(accessor, cell))
    put_first(accessor, cell);
  else
    touch_all(accessor, cell, !only_reads);
}

/* ---- runs and lanes ------------------------------------------------------------------------- */

static struct shadow *shadow_of(const struct accessor *accessor) {
  return accessor->space == CHECK_LDS ? &accessor->unit->lds : &accessor->unit->checker->global;
}

/* Touches bytes within a page. Returns the page, which may have been replaced. */
static inline struct shadow_page *touch_piece(struct accessor *accessor, struct shadow_page *page, uint64_t address,
                                              uint32_t bytes) {
  if (page->ignored)
    return page;
  if (!page->bytes && (address | bytes) % 4)
    page = shadow_refine(shadow_of(accessor), address, &accessor->unit->checker->pool);
  const uint32_t unit = page->bytes ? 1 : 4, offset = (uint32_t)(address % SHADOW_PAGE_BYTES);
  struct touch *cell = &page->cell[offset / unit];
  accessor->cell = unit;
  for (uint32_t done = 0; done < bytes; done += unit, cell++) {
    accessor->at = address + done;
    touch_cell(accessor, cell);
  }
  return page;
}

static void touch_bytes(struct accessor *accessor, uint64_t address, uint64_t bytes) {
  while (bytes) {
    const uint64_t room = SHADOW_PAGE_BYTES - address % SHADOW_PAGE_BYTES, piece = bytes < room ? bytes : room;
    touch_piece(accessor, shadow_page(shadow_of(accessor), address), address, (uint32_t)piece);
    address += piece;
    bytes -= piece;
  }
}

void touch_run(struct accessor *accessor, uint64_t address, uint64_t bytes) {
  begin(accessor);
  touch_bytes(accessor, address, bytes);
}

void touch_lanes(struct accessor *accessor, uint64_t mask, const uint64_t *address) {
  struct shadow *shadow = shadow_of(accessor);
  struct shadow_page *page = NULL;
  const uint32_t first_item = accessor->warp->index * lanes_of(accessor), who = accessor->site << SHADOW_ITEM_BITS;
  uint64_t number = UINT64_MAX; /* of `page` */
  begin(accessor);
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
    const uint64_t at = address[lane];
    accessor->item = first_item + lane;
    accessor->fresh.who = who | accessor->item;
    if (at % SHADOW_PAGE_BYTES + accessor->bytes > SHADOW_PAGE_BYTES) {
      touch_bytes(accessor, at, accessor->bytes);
      number = UINT64_MAX;
      continue;
    }
    if (at / SHADOW_PAGE_BYTES != number) {
      page = shadow_page(shadow, at);
      number = at / SHADOW_PAGE_BYTES;
    }
    page = touch_piece(accessor, page, at, accessor->bytes);
  }
}
