/* Touches of bytes, and which pairs of them are a hazard.
 *
 * touch_cell() decides the common cases by the first touch of a cell alone: the cell is empty; the same work-item was
 * there, at the same instruction; all touches are over; or all are reads, and there are enough witnesses. New touches
 * go to the front, so the first is the latest of its group. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/check/check_parts.h"

/* ---- parties ------------------------------------------------------------------------------ */

struct party party_of_warp(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                           enum check_space space, uint32_t site, uint32_t kind, uint32_t bytes) {
  return (struct party){.unit = unit,
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

struct party party_of_copy(struct check_unit *unit, struct check_group *group, const struct pending_call *call,
                           enum check_space space, uint32_t site, uint32_t kind) {
  return (struct party){.unit = unit,
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

static uint32_t lanes_of(const struct party *party) { return party->group->shape->launch->warp_size; }

/* ---- order -------------------------------------------------------------------------------- */

static enum relation relation_to_copy(const struct party *party, const struct touch *touch) {
  const struct copy_in_flight *copy = order_find_copy(party->group, touch->when);
  if (!copy)
    return OVER;
  if (party->warp)
    return copy->waited < party->warp->calls ? ORDERED : OPEN;
  return touch->when < party->group->fenced[party->space] ? ORDERED : OPEN;
}

static bool writes(uint32_t kind) { return !touch_is_read(kind); }

static const struct act_row *row_at(const struct checker *checker, uint32_t site) {
  return &checker->acts[checker->sites[site].launch][checker->sites[site].pc];
}

static bool is_of_image(const struct checker *checker, const struct touch *touch) {
  return row_at(checker, touch_site(touch))->space == CHECK_IMAGE;
}

/* Program order does not order a work-item's store and later read of a texel. */
static bool is_unfenced(const struct party *party, const struct touch *touch) {
  return party->space == CHECK_IMAGE && !writes(party->kind) && writes(touch->kind) &&
         touch->when >= party->warp->image_fenced && touch->when >= party->warp->epoch[CHECK_IMAGE] &&
         is_of_image(party->unit->checker, touch);
}

static enum relation relation_of_items(const struct party *party, const struct touch *touch) {
  const struct check_group *group = party->group;
  const uint32_t item = touch_item(touch), warp = item / lanes_of(party);
  if (item == party->item)
    return is_unfenced(party, touch) ? OPEN : ORDERED;
  if (warp == party->warp->index && touch->when < party->warp->epoch[party->space])
    return ORDERED;
  return handover_in_group(group, party->warp, party->item % lanes_of(party), touch, memory_of(party->space));
}

/* A touch of another group, which atomics may have handed over. */
static enum relation relation_of_groups(const struct party *party, const struct touch *touch) {
  if (party->warp)
    return handover_from_group(party->group, party->warp, party->item % lanes_of(party), touch);
  return handover_knows(&party->group->known, touch, lanes_of(party)) ? ORDERED : OPEN;
}

/* Has the warp of a copy.lane touched the destination after the issue? The wait does not order that touch. */
static bool is_in_flight(const struct party *party, const struct touch *touch) {
  return party->since && touch->group == party->group->number && touch->when > party->since &&
         !touch_is_copy(touch->kind) && touch_item(touch) / lanes_of(party) == party->warp->index;
}

static enum relation relation_to(const struct party *party, const struct touch *touch) {
  if (is_in_flight(party, touch))
    return OPEN;
  if (touch->group != party->group->number) {
    if (party->space == CHECK_LDS || touch->group <= party->unit->checker->base)
      return OVER;
    return relation_of_groups(party, touch);
  }
  if (touch_is_copy(touch->kind))
    return relation_to_copy(party, touch);
  if (touch->when < party->epoch)
    return OVER;
  return party->warp ? relation_of_items(party, touch) : OPEN;
}

/* ---- hazards ------------------------------------------------------------------------------ */

/* A rule, and whether `here` is the new touch. */
struct judged {
  enum isa_hazard_rule rule; /* HAZARDS: none */
  bool party_is_here;
};

/* A work-item's touch during a copy. */
static enum isa_hazard_rule while_in_flight(uint32_t item_kind, uint32_t copy_kind) {
  if (copy_kind == TOUCH_COPY_WRITE)
    return writes(item_kind) ? HAZARD_X6 : HAZARD_X5;
  return writes(item_kind) ? HAZARD_X7 : HAZARDS;
}

/* Was the touch's warp ahead, and had already reached a wait for the copy? */
static bool has_waited(const struct party *party, const struct touch *touch, uint32_t warp) {
  const struct check_group *group = party->group;
  for (uint32_t number = group->calls + 1; number < group->calls + CHECK_AHEAD; number++) {
    const struct pending_call *call = &group->pending[number % CHECK_AHEAD];
    if (call->arrived && call->act == ACT_WAIT && call->stamp[warp] && call->stamp[warp] <= touch->when &&
        order_waits_for(&call->wait, party->call->copy.event))
      return true;
  }
  return false;
}

static struct judged copy_and_item(const struct party *party, const struct touch *touch) {
  const uint32_t warp = touch_item(touch) / lanes_of(party);
  if (touch->group == party->group->number && has_waited(party, touch, warp))
    return (struct judged){HAZARDS, false};
  const bool before = touch->group == party->group->number && touch->when < party->call->stamp[warp];
  if (!before)
    return (struct judged){while_in_flight(touch->kind, party->kind), false};
  if (party->group->shape->items == 1)
    return (struct judged){HAZARDS, false};
  if (party->kind == TOUCH_COPY_READ)
    return (struct judged){writes(touch->kind) ? HAZARD_X8 : HAZARDS, true};
  return writes(touch->kind) ? (struct judged){HAZARD_X6, false} : (struct judged){HAZARD_X16, true};
}

static struct judged two_copies(const struct party *party, const struct touch *touch) {
  const bool one_group = touch->group == party->group->number;
  if (writes(party->kind) && writes(touch->kind))
    return (struct judged){HAZARD_X9, one_group || party->site >= touch_site(touch)};
  if (!writes(party->kind) && !writes(touch->kind))
    return (struct judged){HAZARDS, false};
  if (!one_group)
    return (struct judged){HAZARD_X7, writes(party->kind)};
  return (struct judged){writes(party->kind) ? HAZARD_X7 : HAZARD_X5, true};
}

/* Is it a texel that one reads and the other writes? */
static bool wants_image_fence(const struct party *party, const struct touch *touch) {
  return party->space == CHECK_IMAGE && touch->group == party->group->number &&
         writes(party->kind) != writes(touch->kind) && is_of_image(party->unit->checker, touch);
}

/* The scope that includes both the party and the work-item of a touch. */
static enum isa_scope scope_of_both(const struct party *party, const struct touch *touch) {
  if (touch->group != party->group->number)
    return ISA_SCOPE_DEVICE;
  return touch_item(touch) / lanes_of(party) == party->warp->index ? ISA_SCOPE_SUB_GROUP : ISA_SCOPE_WORK_GROUP;
}

/* Two atomics do not race if the scope of each includes the other. */
static bool are_inclusive(const struct party *party, const struct touch *touch) {
  const struct checker *checker = party->unit->checker;
  const enum isa_scope both = scope_of_both(party, touch);
  return row_at(checker, party->site)->scope >= both && row_at(checker, touch_site(touch))->scope >= both;
}

static struct judged judge(const struct party *party, const struct touch *touch, enum relation relation) {
  const bool copy = !party->warp, other = touch_is_copy(touch->kind);
  if (is_in_flight(party, touch))
    return (struct judged){while_in_flight(touch->kind, TOUCH_COPY_WRITE), false};
  if (copy)
    return other ? two_copies(party, touch) : copy_and_item(party, touch);
  if (other && relation == OPEN)
    return (struct judged){while_in_flight(party->kind, touch->kind), true};
  if (wants_image_fence(party, touch) && relation == OPEN) /* `here` is the read */
    return (struct judged){HAZARD_I4, writes(touch->kind)};
  const bool atomics = touch_is_atomic(party->kind) && touch_is_atomic(touch->kind);
  const bool race = (writes(party->kind) || writes(touch->kind)) && !(atomics && are_inclusive(party, touch));
  const enum isa_hazard_rule rule = relation == IN_STEP         ? HAZARD_M10
                                    : party->space == CHECK_LDS ? HAZARD_M5
                                                                : HAZARD_M6;
  return (struct judged){race ? rule : HAZARDS, party->site >= touch_site(touch)};
}

/* Does a site store this byte as it has loaded it, or load it for such a store? */
static bool keeps(const struct party *party, uint32_t site, uint64_t at) {
  struct checker *checker = party->unit->checker;
  const struct site *place = &checker->sites[site];
  const uint8_t bytes = checker->launch[place->launch].program->info[place->pc].bytes;
  return bytes && unwritten_kept(checker, party->group, site) >> at % bytes & 1;
}

/* Do the two share only bytes that one of them does not change? */
static bool is_of_components(const struct party *party, const struct touch *touch) {
  const uint64_t base = party->space == CHECK_LDS ? party->group->shape->lds_base : 0;
  for (uint64_t at = party->at - base; at < party->at - base + party->cell; at++)
    if (!keeps(party, party->site, at) && !keeps(party, touch_site(touch), at))
      return false;
  return true;
}

/* The first fence, barrier or atomic that would order the two if its scope were wider; NULL: none. */
static const struct act_row *narrow_scope(const struct party *party, const struct touch *touch) {
  const struct checker *checker = party->unit->checker;
  const uint32_t launch = party->group->launch;
  for (unsigned scope = scope_of_both(party, touch); scope--;) {
    const uint32_t narrow = checker->narrow[launch][memory_of(party->space)][scope];
    if (narrow)
      return &checker->acts[launch][narrow - 1];
  }
  return NULL;
}

static enum check_why why(const struct party *party, const struct touch *touch, enum isa_hazard_rule rule) {
  if (rule != HAZARD_M5 && rule != HAZARD_M6)
    return WHY_NOTHING;
  return is_of_components(party, touch) ? WHY_COMPONENT : narrow_scope(party, touch) ? WHY_SCOPE : WHY_NOTHING;
}

static void explain_component(const struct party *party, const struct touch *touch, struct check_hazard *hazard) {
  const bool mine =
      keeps(party, party->site, party->at - (party->space == CHECK_LDS ? party->group->shape->lds_base : 0));
  const struct site *site = &party->unit->checker->sites[mine ? party->site : touch_site(touch)];
  snprintf(hazard->detail, sizeof hazard->detail,
           "a component store is modeled as rewriting the whole vector: line %" PRIu32
           " loads these bytes and stores them unchanged",
           party->unit->checker->launch[site->launch].program->line[site->pc]);
}

static void explain_scope(const struct party *party, const struct touch *touch, struct check_hazard *hazard) {
  static const char *const scopes[] = {"work_item", "sub_group", "work_group", "device"};
  const struct act_row *row = narrow_scope(party, touch);
  const uint32_t launch = party->group->launch,
                 line = party->unit->checker->launch[launch].program->line[row - party->unit->checker->acts[launch]];
  char at[32] = "";
  if (line)
    snprintf(at, sizeof at, " at line %" PRIu32, line);
  snprintf(hazard->detail, sizeof hazard->detail, "the %s%s has memory_scope_%s, so it orders nothing between %s",
           row->act == ACT_ACCESS  ? "atomic operation"
           : row->act == ACT_FENCE ? "fence"
                                   : "barrier",
           at, scopes[row->scope], scope_of_both(party, touch) == ISA_SCOPE_DEVICE ? "work-groups" : "sub-groups");
}

static void explain(const struct party *party, const struct touch *touch, struct check_hazard *hazard) {
  hazard->why = why(party, touch, hazard->rule);
  if (hazard->why == WHY_COMPONENT)
    explain_component(party, touch, hazard);
  if (hazard->why == WHY_SCOPE)
    explain_scope(party, touch, hazard);
}

static void report(const struct party *party, const struct touch *touch, struct judged judged) {
  struct checker *checker = party->unit->checker;
  const struct check_side mine = check_side_of(checker, party->site, party->group->number, party->item, !party->warp);
  const struct check_side theirs =
      check_side_of(checker, touch_site(touch), touch->group, touch_item(touch), touch_is_copy(touch->kind));
  const uint64_t base = party->space == CHECK_LDS ? party->group->shape->lds_base : 0;
  const struct check_hazard hazard = {
      .rule = judged.rule,
      .launch = checker->filters.first + checker->sites[judged.party_is_here ? party->site : touch_site(touch)].launch,
      .here = judged.party_is_here ? mine : theirs,
      .other = judged.party_is_here ? theirs : mine,
      .space = party->space == CHECK_LDS ? CHECK_LDS : CHECK_GLOBAL,
      .address = party->at - base,
      .bytes = party->bytes};
  struct check_hazard *listed = hazards_add(checker, &hazard);
  if (listed->count == 1)
    explain(party, touch, listed);
  else if (listed->why != WHY_NOTHING && listed->why != why(party, touch, judged.rule))
    hazards_drop_why(listed);
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Prepares the touch before its first cell. */
static void begin(struct party *party) {
  party->fresh = (struct touch){.group = party->group->number,
                                .when = party->when,
                                .who = party->site << SHADOW_ITEM_BITS | party->item,
                                .kind = party->kind & 7,
                                .only_reads = touch_is_read(party->kind)};
}

static void put_first(const struct party *party, struct touch *cell) {
  struct touch_pool *pool = &party->unit->checker->pool;
  const uint32_t index = touch_pool_take(pool);
  if (!index)
    return;
  pool->at[index] = *cell;
  *cell = party->fresh;
  cell->next = index & SHADOW_MOST_NEXT;
}

/* Puts the party's touch first, and moves the touch that was first to `place`. */
static void put_in_place(const struct party *party, struct touch *cell, struct touch *place) {
  place->group = cell->group;
  place->when = cell->when;
  place->who = cell->who;
  place->kind = cell->kind;
  cell->group = party->group->number;
  cell->when = party->when;
  cell->who = party->fresh.who;
  cell->kind = party->kind & 7;
}

/* Updates the flags in a cell's first touch, which describe all touches. */
static void note_all(const struct party *party, struct touch *cell) {
  const struct touch_pool *pool = &party->unit->checker->pool;
  cell->only_reads = touch_is_read(cell->kind);
  cell->settled_items = cell->settled_groups = 0;
  for (uint32_t index = cell->next; index; index = pool->at[index].next) {
    const struct touch *touch = &pool->at[index];
    cell->only_reads = cell->only_reads && touch_is_read(touch->kind);
    if (cell->kind != TOUCH_READ || touch->kind != TOUCH_READ || touch_site(touch) != touch_site(cell))
      continue;
    if (touch->group != cell->group)
      cell->settled_groups = !party->unit->checker->hands_over;
    else if (touch->when >= party->epoch && cell->when >= party->epoch && touch->who != cell->who)
      cell->settled_items = !party->unit->checker->orders_warps;
  }
}

/* Has the warp, between the touch and now, passed a copy's call that others have not reached? The copy is later
 * compared with touches before and after its call, so both touches must stay. */
static bool crosses_a_call(const struct party *party, const struct touch *touch) {
  const struct check_group *group = party->group;
  for (uint32_t number = group->calls; party->ahead && number < party->warp->calls; number++) {
    const struct pending_call *call = &group->pending[number % CHECK_AHEAD];
    if (call->act == ACT_COPY && touch->when < call->stamp[party->warp->index])
      return true;
  }
  return false;
}

/* For two copies with the same event: every wait or fence that covers the later one also covers the earlier one. */
static bool is_covered(const struct party *party, const struct touch *touch) {
  const struct copy_in_flight *copy = party->warp ? NULL : order_find_copy(party->group, touch->when);
  return copy && copy->waited == UINT32_MAX && copy->event == party->call->copy.event;
}

/* Can the party's new touch replace this one? It can if this one precedes it: anything ordered after the new touch is
 * then ordered after both. */
static bool replaces(const struct party *party, const struct touch *touch, enum relation relation) {
  if (touch->group != party->group->number)
    return touch->group <= party->unit->checker->base || relation == ORDERED;
  if (relation == OVER || is_covered(party, touch))
    return true;
  return party->warp && relation == ORDERED && touch_item(touch) / lanes_of(party) == party->warp->index &&
         !crosses_a_call(party, touch);
}

/* Touches from the party's instruction that stay, as witnesses of other parties. */
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
static void count_witness(const struct party *party, struct touch *touch, struct witnesses *count) {
  if (touch->group == party->group->number) {
    const bool same_warp = party->warp && touch_item(touch) / lanes_of(party) == party->warp->index;
    count->own += same_warp || (party->warp && !party->unit->checker->orders_warps);
    if (!party->warp && !count->copies++)
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
 * unless a later party may know about some groups. */
static uint32_t most_witnesses(const struct party *party) {
  if (party->kind == TOUCH_WRITE || party->kind == TOUCH_COPY_WRITE)
    return CHECK_MOST_WITNESSES;
  return party->kind == TOUCH_ATOMIC || party->unit->checker->hands_over ? CHECK_WITNESSES : 2;
}

/* Is this the first touch of this kind from the party's site? */
static bool is_new_site(const struct party *party, const struct touch *cell) {
  const struct touch_pool *pool = &party->unit->checker->pool;
  while (touch_site(cell) != party->site || cell->kind != party->kind) {
    if (!cell->next)
      return true;
    cell = &pool->at[cell->next];
  }
  return false;
}

/* Compares the touch with all others, and keeps it if it adds information. */
static void touch_all(const struct party *party, struct touch *cell, bool may_conflict) {
  struct touch_pool *pool = &party->unit->checker->pool;
  struct witnesses count;
  struct touch *place = NULL;
  count.own = count.foreign = count.copies = 0;
  count.spare = count.copy = NULL;
  for (uint32_t index = 0, next = cell->next;; index = next, next = pool->at[index].next) {
    struct touch *touch = index ? &pool->at[index] : cell;
    const enum relation relation = relation_to(party, touch);
    if (may_conflict && relation <= IN_STEP) {
      const struct judged judged = judge(party, touch, relation);
      if (judged.rule != HAZARDS)
        report(party, touch, judged);
    }
    if (touch_site(touch) == party->site && touch->kind == party->kind) {
      if (!place && replaces(party, touch, relation))
        place = touch;
      else
        count_witness(party, touch, &count);
    }
    if (!next)
      break;
  }
  const bool wanted = party->ahead || (count.own < 2 && count.foreign < most_witnesses(party));
  if (!place && wanted && count.spare) /* the second witness of a group makes room */
    place = count.spare;
  if (!place && count.copies >= CHECK_COPIES)
    place = count.copy;
  if (place)
    put_in_place(party, cell, place);
  else if (wanted)
    put_first(party, cell);
  note_all(party, cell);
}

/* Are all touches of the cell over? Then nothing can conflict with them. None is later than the first. */
static bool all_over(const struct party *party, const struct touch *cell) {
  if (party->space != CHECK_LDS)
    return cell->group <= party->unit->checker->base;
  if (cell->group != party->fresh.group)
    return true;
  if (cell->next)
    return cell->when < party->epoch && cell->when < party->oldest;
  return cell->when < (touch_is_copy(cell->kind) ? party->oldest : party->epoch);
}

static inline void touch_cell(const struct party *party, struct touch *cell) {
  const uint32_t group = party->fresh.group;
  if (!cell->group) {
    *cell = party->fresh;
    return;
  }
  if (party->warp && cell->group == group && cell->kind == party->kind && !cell->next &&
      cell->who == party->fresh.who && !party->ahead && !party->since) {
    cell->when = party->when;
    return;
  }
  const bool only_reads = cell->only_reads && party->fresh.only_reads;
  if (only_reads && party->kind == TOUCH_READ && cell->kind == TOUCH_READ && touch_site(cell) == party->site &&
      cell->group > party->unit->checker->base && !party->ahead &&
      (cell->settled_groups || (cell->settled_items && cell->group == group && cell->when >= party->epoch)) &&
      (party->space != CHECK_LDS || cell->group == group))
    return;
  if (!party->since && all_over(party, cell)) {
    if (cell->next)
      touch_pool_give(&party->unit->checker->pool, cell->next);
    *cell = party->fresh;
    return;
  }
  if (only_reads && is_new_site(party, cell))
    put_first(party, cell);
  else
    touch_all(party, cell, !only_reads);
}

/* ---- runs and lanes ------------------------------------------------------------------------- */

static struct shadow *shadow_of(const struct party *party) {
  return party->space == CHECK_LDS ? &party->unit->lds : &party->unit->checker->global;
}

/* Touches bytes within a page. Returns the page, which may have been replaced. */
static inline struct shadow_page *touch_piece(struct party *party, struct shadow_page *page, uint64_t address,
                                              uint32_t bytes) {
  if (page->ignored)
    return page;
  if (!page->bytes && (address | bytes) % 4)
    page = shadow_refine(shadow_of(party), address, &party->unit->checker->pool);
  const uint32_t unit = page->bytes ? 1 : 4, offset = (uint32_t)(address % SHADOW_PAGE_BYTES);
  struct touch *cell = &page->cell[offset / unit];
  party->cell = unit;
  for (uint32_t done = 0; done < bytes; done += unit, cell++) {
    party->at = address + done;
    touch_cell(party, cell);
  }
  return page;
}

static void touch_bytes(struct party *party, uint64_t address, uint64_t bytes) {
  while (bytes) {
    const uint64_t room = SHADOW_PAGE_BYTES - address % SHADOW_PAGE_BYTES, piece = bytes < room ? bytes : room;
    touch_piece(party, shadow_page(shadow_of(party), address), address, (uint32_t)piece);
    address += piece;
    bytes -= piece;
  }
}

void touch_run(struct party *party, uint64_t address, uint64_t bytes) {
  begin(party);
  touch_bytes(party, address, bytes);
}

void touch_lanes(struct party *party, uint64_t mask, const uint64_t *address) {
  struct shadow *shadow = shadow_of(party);
  struct shadow_page *page = NULL;
  const uint32_t first_item = party->warp->index * lanes_of(party), who = party->site << SHADOW_ITEM_BITS;
  uint64_t number = UINT64_MAX; /* of `page` */
  begin(party);
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
    const uint64_t at = address[lane];
    party->item = first_item + lane;
    party->fresh.who = who | party->item;
    if (at % SHADOW_PAGE_BYTES + party->bytes > SHADOW_PAGE_BYTES) {
      touch_bytes(party, at, party->bytes);
      number = UINT64_MAX;
      continue;
    }
    if (at / SHADOW_PAGE_BYTES != number) {
      page = shadow_page(shadow, at);
      number = at / SHADOW_PAGE_BYTES;
    }
    page = touch_piece(party, page, at, party->bytes);
  }
}
