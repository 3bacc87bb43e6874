/* Reads of LDS bytes that no one in the work-group has written.
 *
 * Such a read is not reported at once. If another work-item writes the bytes before the next barrier, the two race, and
 * their order in this run is chance. So the read is recorded, and reported at the barrier if the bytes are still
 * unwritten. A later write by the reader itself, or by a copy that was issued after the read, proves that the read came
 * first, so it is reported immediately. Exception: if the reader writes back what it read, in the same line, it only
 * sets a component of a vector.
 *
 * An access, or an element of a copy, may be a structure or a vector with padding, so it counts only if none of its
 * bytes are written. If a structure is copied byte by byte, its padding is read alone. So a byte that is loaded and
 * stored elsewhere in the LDS, in the same line, is not reported. Its destination then counts as unwritten, and reads
 * of that are reported. */
#include <stdlib.h>
#include <string.h>

#include "sim/check/check_parts.h"

enum { MOST_NOTED = 4096 /* of a group at a time; more are not reported */ };

void unwritten_start(struct check_unit *unit, struct check_group *group) {
  const uint32_t base = group->shape->lds_base, bytes = group->shape->launch->lds_bytes;
  memset(unit->written + base, 0, bytes);
}

void unwritten_free(struct check_group *group) { free(group->unwritten); }

static bool is_unwritten(const struct check_unit *unit, uint64_t address, uint32_t bytes) {
  const uint8_t *written = unit->written + address;
  uint32_t word = 0;
  if (bytes == sizeof word) {
    memcpy(&word, written, sizeof word);
    return !word;
  }
  for (uint32_t i = 0; i < bytes; i++)
    if (written[i])
      return false;
  return true;
}

static void report(struct check_unit *unit, const struct check_group *group, const struct unwritten *read) {
  struct checker *checker = unit->checker;
  const struct check_hazard hazard = {.rule = HAZARD_M7,
                                      .launch = checker->first_launch + checker->sites[read->site].launch,
                                      .here = check_side_of(checker, read->site, group->number, read->item, read->copy),
                                      .space = CHECK_LDS,
                                      .address = read->address - group->shape->lds_base,
                                      .bytes = read->bytes};
  hazards_add(checker, &hazard);
}

/* Is the reader's warp ahead of others, and past the call of a copy that fills the bytes? */
static bool is_on_its_way(const struct party *party, uint64_t address) {
  const struct check_group *group = party->group;
  for (uint32_t number = group->calls; party->ahead && number < party->warp->calls; number++) {
    const struct pending_call *call = &group->pending[number % CHECK_AHEAD];
    if (call->act == ACT_COPY && call->copy.to_lds && copies_fill(group, &call->copy, address, party->bytes))
      return true;
  }
  return false;
}

static void note(struct party *party, uint64_t address, uint32_t item) {
  struct check_group *group = party->group;
  if (is_on_its_way(party, address))
    return;
  if (group->unwritten_count == MOST_NOTED)
    return;
  if (group->unwritten_count == group->unwritten_room) {
    group->unwritten_room = 2 * group->unwritten_room + 16;
    group->unwritten = need_more(group->unwritten, group->unwritten_room, sizeof *group->unwritten);
  }
  group->unwritten[group->unwritten_count++] = (struct unwritten){.address = (uint32_t)address,
                                                                  .bytes = party->bytes,
                                                                  .site = party->site,
                                                                  .item = item,
                                                                  .when = party->when,
                                                                  .copy = !party->warp};
}

void unwritten_read(struct party *party, uint64_t address, uint32_t bytes) {
  if (is_unwritten(party->unit, address, bytes))
    note(party, address, 0);
}

void unwritten_lanes_read(struct party *party, uint64_t mask, const uint64_t *address) {
  const uint32_t first_item = party->warp->index * party->group->shape->launch->warp_size;
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
    if (is_unwritten(party->unit, address[lane], party->bytes))
      note(party, address[lane], first_item + lane);
  }
}

/* Was the copy that read over when the party wrote? Otherwise the two race (X7). */
static bool copy_is_over(const struct party *party, const struct unwritten *read) {
  const struct copy_in_flight *copy = order_find_copy(party->group, read->when);
  if (!copy)
    return true;
  return party->warp ? copy->waited < party->warp->calls : read->when < party->group->fenced[CHECK_LDS];
}

/* Does this write prove that the bytes were unwritten when they were read? It does if it is by the same work-item, or
 * by a copy that the reader's warp reached after the read. */
static bool comes_after(const struct party *party, const struct unwritten *read) {
  if (read->copy)
    return copy_is_over(party, read);
  if (party->warp)
    return read->item == party->item;
  return read->when < party->call->stamp[read->item / party->group->shape->launch->warp_size];
}

static uint32_t line_at(const struct party *party, uint32_t site) {
  const struct checker *checker = party->unit->checker;
  const struct site *place = &checker->sites[site];
  return checker->launch[place->launch].program->line[place->pc];
}

/* Does the reader store to what it read, in the same line? */
static bool is_same_statement(const struct party *party, const struct unwritten *read) {
  return party->access && !read->copy && read->item == party->item && read->when <= party->when &&
         line_at(party, party->site) && line_at(party, party->site) == line_at(party, read->site);
}

/* Is part of the stored value what was there? Then it assigns other components of a vector. */
static bool writes_back(const struct party *party, uint64_t address, uint32_t bytes) {
  const struct isa_group *group = party->group->shape;
  const uint32_t lanes = group->launch->warp_size, lane = party->item % lanes;
  const uint8_t *there = group->lds + (address - group->lds_base);
  const uint32_t unit = bytes < sizeof(uint32_t) ? bytes : (uint32_t)sizeof(uint32_t);
  for (uint32_t word = 0; word < bytes / unit; word++)
    if (!memcmp(&party->access->data[word * lanes + lane], there + word * unit, unit))
      return true;
  return false;
}

enum { COPIED_BACK = 512 /* reads that are searched for the one whose byte is stored */ };

/* Removes the read whose byte the party stores. */
static bool take_copied(const struct party *party) {
  struct check_group *group = party->group;
  const struct checker *checker = party->unit->checker;
  for (uint32_t back = 1; back <= group->unwritten_count && back <= COPIED_BACK; back++) {
    struct unwritten *read = &group->unwritten[group->unwritten_count - back];
    const struct site *site = &checker->sites[read->site];
    if (read->bytes != 1 || !is_same_statement(party, read) ||
        checker->launch[site->launch].program->code[site->pc].d != party->access->inst->c)
      continue;
    memmove(read, read + 1, (back - 1) * sizeof *read);
    group->unwritten_count--;
    return true;
  }
  return false;
}

static void settle_with(struct party *party, uint64_t address, uint32_t bytes) {
  struct check_group *group = party->group;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->unwritten_count; i++) {
    const struct unwritten read = group->unwritten[i];
    if (read.address >= address + bytes || address >= (uint64_t)read.address + read.bytes)
      group->unwritten[kept++] = read;
    else if (is_same_statement(party, &read) && writes_back(party, address, bytes))
      continue;
    else if (is_same_statement(party, &read) && bytes < read.bytes) /* the rest may follow */
      group->unwritten[kept++] = read;
    else if (comes_after(party, &read))
      report(party->unit, group, &read);
    else if (is_unwritten(party->unit, read.address, read.bytes)) /* nothing of it is written */
      group->unwritten[kept++] = read;
  }
  group->unwritten_count = kept;
}

void unwritten_filled(struct party *party, uint64_t address, uint32_t bytes) {
  memset(party->unit->written + address, 1, bytes);
  if (party->group->unwritten_count)
    settle_with(party, address, bytes);
}

void unwritten_lanes_filled(struct party *party, uint64_t mask, const uint64_t *address) {
  const uint32_t first_item = party->warp->index * party->group->shape->launch->warp_size;
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
    party->item = first_item + lane;
    if (party->access && party->bytes == 1 && take_copied(party))
      party->unit->written[address[lane]] = 0;
    else
      unwritten_filled(party, address[lane], party->bytes);
  }
}

void unwritten_settle(struct check_unit *unit, struct check_group *group) {
  for (uint32_t i = 0; i < group->unwritten_count; i++)
    report(unit, group, &group->unwritten[i]);
  group->unwritten_count = 0;
}
