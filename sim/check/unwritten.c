/* Reads of LDS bytes that no one in the work-group has written.
 *
 * Such a read is not reported at once. If another work-item writes the bytes before the next barrier, the two race, and
 * their order in this run is chance. So the read is recorded, and reported at the barrier if the bytes are still
 * unwritten. A later write by the reader itself, or by a copy that was issued after the read, proves that the read came
 * first, so it is reported immediately. Exception: if the reader writes back part of what it read, in the same line,
 * and the rest does not depend on it, it only sets a component of a vector. What it writes back stays unwritten.
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
                                      .launch = checker->filters.first + checker->sites[read->site].launch,
                                      .here = check_side_of(checker, read->site, group->number, read->item, read->copy),
                                      .space = CHECK_LDS,
                                      .address = read->address - group->shape->lds_base,
                                      .bytes = read->bytes};
  hazards_add(checker, &hazard);
}

/* Is the reader's warp ahead of others, and past the call of a copy that fills the bytes? */
static bool is_on_its_way(const struct accessor *accessor, uint64_t address) {
  const struct check_group *group = accessor->group;
  for (uint32_t number = group->calls; accessor->ahead && number < accessor->warp->calls; number++) {
    const struct pending_call *call = &group->pending[number % CHECK_AHEAD];
    if (call->act == ACT_COPY && call->copy.to_lds && copies_fill(group, &call->copy, address, accessor->bytes))
      return true;
  }
  return false;
}

static void record_read(struct accessor *accessor, uint64_t address, uint32_t item) {
  struct check_group *group = accessor->group;
  if (is_on_its_way(accessor, address))
    return;
  if (group->unwritten_count == MOST_NOTED)
    return;
  *vector_next(group->unwritten, group->unwritten_count, group->unwritten_room) =
      (struct unwritten){.address = (uint32_t)address,
                         .bytes = accessor->bytes,
                         .site = accessor->site,
                         .item = item,
                         .when = accessor->when,
                         .copy = !accessor->warp};
}

void unwritten_read(struct accessor *accessor, uint64_t address, uint32_t bytes) {
  if (is_unwritten(accessor->unit, address, bytes))
    record_read(accessor, address, 0);
}

void unwritten_lanes_read(struct accessor *accessor, uint64_t mask, const uint64_t *address) {
  const uint32_t first_item = accessor->warp->index * accessor->group->shape->launch->warp_size;
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
    if (is_unwritten(accessor->unit, address[lane], accessor->bytes))
      record_read(accessor, address[lane], first_item + lane);
  }
}

/* Was the copy that read over when the accessor wrote? Otherwise the two race (X7). */
static bool copy_is_over(const struct accessor *accessor, const struct unwritten *read) {
  const struct copy_in_flight *copy = order_find_copy(accessor->group, read->when);
  if (!copy)
    return true;
  return accessor->warp ? copy->waited < accessor->warp->calls : read->when < accessor->group->fenced[CHECK_LDS];
}

/* Does this write prove that the bytes were unwritten when they were read? It does if it is by the same work-item, or
 * by a copy that the reader's warp reached after the read. */
static bool comes_after(const struct accessor *accessor, const struct unwritten *read) {
  if (read->copy)
    return copy_is_over(accessor, read);
  if (accessor->warp)
    return read->item == accessor->item;
  return read->when < accessor->call->stamp[read->item / accessor->group->shape->launch->warp_size];
}

static uint32_t line_at(const struct accessor *accessor, uint32_t site) {
  const struct checker *checker = accessor->unit->checker;
  const struct site *place = &checker->sites[site];
  return checker->launch[place->launch].program->line[place->pc];
}

/* Does the reader store to what it read, in the same line? */
static bool is_same_statement(const struct accessor *accessor, const struct unwritten *read) {
  return accessor->access && !read->copy && read->item == accessor->item && read->when <= accessor->when &&
         line_at(accessor, accessor->site) && line_at(accessor, accessor->site) == line_at(accessor, read->site);
}

/* ---- what a store writes back ------------------------------------------------------------------ */

enum { MOST_BYTES = 16, MOST_WORDS = MOST_BYTES / 4 };

/* A flow does not follow from the values of one run: what is added may be 0. So the instructions from the load to the
 * store are executed again, with random values, each lane with its own. */

static uint32_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 32);
}

/* `mask` keeps what is not loaded small: the compiler may know that a value fits a byte, and not cut it off. */
static void randomize(struct isa_warp *warp, uint32_t first, uint32_t count, uint32_t mask, uint64_t *state) {
  const uint32_t lanes = warp->group->launch->warp_size;
  for (uint32_t i = 0; i < count * lanes; i++)
    warp->reg[first * lanes + i] = next_random(state) & mask;
}

/* Loads widen bytes and halves into a register. */
static void narrow(uint32_t *value, uint32_t count, enum isa_type type) {
  for (uint32_t i = 0; i < count && isa_types[type].bytes < sizeof(uint32_t); i++) {
    const uint32_t bits = 8 * isa_types[type].bytes;
    value[i] &= (UINT32_C(1) << bits) - 1;
    if ((type == TYPE_S8 || type == TYPE_S16) && value[i] >> (bits - 1))
      value[i] |= UINT32_MAX << bits;
  }
}

/* Executes an instruction between the two, or makes up its result. */
static bool execute_between(struct isa_warp *warp, uint32_t pc, struct isa_access *access, uint64_t *others) {
  const struct isa_inst *inst = &warp->group->launch->program->code[pc];
  const struct isa_row *row = &isa_rows[inst->op];
  struct isa_result result = {0};
  switch ((enum isa_format)row->format) {
  case FORMAT_BRANCH:
  case FORMAT_EXIT:
  case FORMAT_STORE_PRIVATE:
    return false;
  case FORMAT_ALU:
  case FORMAT_LOGIC:
  case FORMAT_SHIFT:
    warp->pc = pc;
    isa_step(warp, access, &result);
    return true;
  default:
    randomize(warp, inst->d, isa_types[row->d].registers, UINT8_MAX, others);
    return true;
  }
}

static uint32_t block_of(const struct isa_program *program, uint32_t pc) {
  while (pc && isa_rows[program->code[pc - 1].op].format != FORMAT_BRANCH)
    pc--;
  return pc;
}

/* Writes what the lanes load and then store, for one seed of the loaded values. A seed of 0 keeps *loaded. */
static bool run_between(struct isa_warp *warp, uint32_t load, uint32_t store, struct isa_access *access, uint64_t seed,
                        uint32_t *loaded, uint32_t *stored) {
  const struct isa_launch *launch = warp->group->launch;
  const struct isa_inst *from = &launch->program->code[load], *to = &launch->program->code[store];
  const enum isa_type type = (enum isa_type)isa_rows[from->op].a;
  const uint32_t lanes = launch->warp_size, words = isa_types[type].registers;
  uint64_t others = 1, state = seed;
  randomize(warp, 0, launch->kernel->registers, UINT8_MAX, &others);
  for (uint32_t i = 0; i < ISA_PREDICATES; i++)
    warp->pred[i] = (uint64_t)next_random(&others) << 32 | next_random(&others);
  for (uint32_t pc = block_of(launch->program, load); pc < load; pc++) /* operands computed ahead of the load */
    execute_between(warp, pc, access, &others);
  randomize(warp, from->d, words, UINT32_MAX, &state);
  narrow(&warp->reg[from->d * lanes], lanes, type);
  if (seed)
    memcpy(loaded, &warp->reg[from->d * lanes], words * lanes * sizeof *loaded);
  else
    memcpy(&warp->reg[from->d * lanes], loaded, words * lanes * sizeof *loaded);
  for (uint32_t pc = load + 1; pc < store; pc++)
    if (!execute_between(warp, pc, access, &others))
      return false;
  if (to->flags & ISA_FLAG_IMM_C)
    for (uint32_t i = 0; i < MOST_WORDS * lanes; i++)
      stored[i] = i / lanes ? (uint32_t)(to->imm >> 32) : (uint32_t)to->imm;
  else
    memcpy(stored, &warp->reg[to->c * lanes], isa_types[isa_rows[to->op].a].registers * lanes * sizeof *stored);
  return true;
}

static uint8_t byte_of(const uint32_t *value, uint32_t lanes, uint32_t lane, uint32_t byte) {
  return (uint8_t)(value[byte / 4 * lanes + lane] >> byte % 4 * 8);
}

static void put_byte(uint32_t *value, uint32_t lanes, uint32_t lane, uint32_t byte, uint8_t to) {
  uint32_t *word = &value[byte / 4 * lanes + lane];
  *word = (*word & ~(UINT32_C(0xff) << byte % 4 * 8)) | (uint32_t)to << byte % 4 * 8;
}

/* `ahead`: by how much the store's address is above that of the load. */
static struct flow flow_between(const struct isa_group *group, uint32_t load, uint32_t store, int64_t ahead) {
  const struct isa_launch *launch = group->launch;
  const uint32_t lanes = launch->warp_size;
  const int64_t from = isa_types[isa_rows[launch->program->code[load].op].a].bytes;
  const uint32_t to = isa_types[isa_rows[launch->program->code[store].op].a].bytes;
  struct isa_group alone = *group;
  struct isa_warp warp = {.group = &alone};
  struct isa_access access = {0};
  uint32_t loaded[2][MOST_WORDS * ISA_LANES], stored[2][MOST_WORDS * ISA_LANES];
  void *storage = need(isa_warp_bytes(launch), 1);
  struct flow flow = {.known = load < store};
  isa_warp_place(&warp, launch, storage);
  isa_warp_start_in_zeros(&warp, &alone, 0);
  warp.all = warp.live = warp.active = UINT64_MAX >> (64 - lanes);
  for (uint32_t run = 0; run < 2 && flow.known; run++)
    flow.known = run_between(&warp, load, store, &access, 2 + run, loaded[run], stored[run]);
  for (uint32_t byte = 0; byte < to && flow.known; byte++) {
    const int64_t source = byte + ahead;
    bool same = source >= 0 && source < from, depends = false;
    for (uint32_t lane = 0; lane < lanes; lane++) {
      const uint8_t first = byte_of(stored[0], lanes, lane, byte), second = byte_of(stored[1], lanes, lane, byte);
      depends |= first != second;
      same = same && first == byte_of(loaded[0], lanes, lane, (uint32_t)source) &&
             second == byte_of(loaded[1], lanes, lane, (uint32_t)source);
    }
    flow.copied |= (uint32_t)same << byte;
    flow.used |= (uint32_t)(depends && !same) << byte;
  }
  if (flow.known && flow.copied && flow.used) { /* the copied bytes of one run, with the others of the other one */
    for (uint32_t byte = 0; byte < to; byte++)
      for (uint32_t lane = 0; lane < lanes && flow.copied >> byte & 1; lane++)
        put_byte(loaded[0], lanes, lane, (uint32_t)(byte + ahead),
                 byte_of(loaded[1], lanes, lane, (uint32_t)(byte + ahead)));
    run_between(&warp, load, store, &access, 0, loaded[0], stored[1]);
    for (uint32_t byte = 0; byte < to; byte++)
      for (uint32_t lane = 0; lane < lanes && !(flow.copied >> byte & 1); lane++)
        flow.mixed |= byte_of(stored[0], lanes, lane, byte) != byte_of(stored[1], lanes, lane, byte);
  }
  free(storage);
  return flow;
}

/* The same for a read and the accessor's store, remembered from one pair of instructions to the next. */
static struct flow flow_of(const struct accessor *accessor, const struct unwritten *read, uint64_t address) {
  struct checker *checker = accessor->unit->checker;
  struct cached_flow *last = &checker->flow;
  const int64_t ahead = (int64_t)address - (int64_t)read->address;
  if (!last->found || last->load != read->site || last->store != accessor->site || last->ahead != ahead)
    *last = (struct cached_flow){.found = true,
                                 .load = read->site,
                                 .store = accessor->site,
                                 .ahead = ahead,
                                 .flow = flow_between(accessor->group->shape, checker->sites[read->site].pc,
                                                      checker->sites[accessor->site].pc, ahead)};
  return last->flow;
}

enum { COPIED_BACK = 512 /* reads that are searched for the one whose byte is stored */ };

/* Removes the read whose byte the accessor stores. */
static bool take_copied(const struct accessor *accessor) {
  struct check_group *group = accessor->group;
  const struct checker *checker = accessor->unit->checker;
  for (uint32_t back = 1; back <= group->unwritten_count && back <= COPIED_BACK; back++) {
    struct unwritten *read = &group->unwritten[group->unwritten_count - back];
    const struct site *site = &checker->sites[read->site];
    if (read->bytes != 1 || !is_same_statement(accessor, read) ||
        checker->launch[site->launch].program->code[site->pc].d != accessor->access->inst->c)
      continue;
    memmove(read, read + 1, (back - 1) * sizeof *read);
    group->unwritten_count--;
    return true;
  }
  return false;
}

static void settle_with(struct accessor *accessor, uint64_t address, uint32_t bytes, uint32_t *kept_back) {
  struct check_group *group = accessor->group;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->unwritten_count; i++) {
    const struct unwritten read = group->unwritten[i];
    if (read.address >= address + bytes || address >= (uint64_t)read.address + read.bytes) {
      group->unwritten[kept++] = read;
      continue;
    }
    const bool same = is_same_statement(accessor, &read);
    const struct flow flow = same ? flow_of(accessor, &read, address) : (struct flow){.known = true};
    if (!flow.known || (flow.copied && !flow.used)) {
      *kept_back |= flow.copied;
      continue;
    }
    if (same && !flow.used && bytes < read.bytes) /* the rest may follow */
      group->unwritten[kept++] = read;
    else if (comes_after(accessor, &read))
      report(accessor->unit, group, &read);
    else if (is_unwritten(accessor->unit, read.address, read.bytes)) /* nothing of it is written */
      group->unwritten[kept++] = read;
  }
  group->unwritten_count = kept;
}

void unwritten_filled(struct accessor *accessor, uint64_t address, uint32_t bytes) {
  uint8_t *written = accessor->unit->written + address, before[MOST_BYTES];
  uint32_t kept_back = 0; /* bytes that are stored as they were */
  if (accessor->group->unwritten_count && bytes <= MOST_BYTES)
    memcpy(before, written, bytes);
  memset(written, 1, bytes);
  if (accessor->group->unwritten_count)
    settle_with(accessor, address, bytes, &kept_back);
  for (; kept_back; kept_back &= kept_back - 1)
    written[__builtin_ctz(kept_back)] = before[__builtin_ctz(kept_back)];
}

void unwritten_lanes_filled(struct accessor *accessor, uint64_t mask, const uint64_t *address) {
  const uint32_t first_item = accessor->warp->index * accessor->group->shape->launch->warp_size;
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
    accessor->item = first_item + lane;
    if (accessor->access && accessor->bytes == 1 && take_copied(accessor))
      accessor->unit->written[address[lane]] = 0;
    else
      unwritten_filled(accessor, address[lane], accessor->bytes);
  }
}

void unwritten_settle(struct check_unit *unit, struct check_group *group) {
  for (uint32_t i = 0; i < group->unwritten_count; i++)
    report(unit, group, &group->unwritten[i]);
  group->unwritten_count = 0;
}

/* ---- components of vectors --------------------------------------------------------------------- */

/* Does the one load a vector, and the other store it or a part of it, in one line? */
static bool is_one_statement(const struct isa_program *program, uint32_t load, uint32_t store) {
  const struct isa_inst *from = &program->code[load], *to = &program->code[store];
  const struct isa_info *read = &program->info[load], *write = &program->info[store];
  return read->class_ == write->class_ && (read->class_ == ISA_CLASS_LDS || read->class_ == ISA_CLASS_GLOBAL) &&
         !read->store && write->store && !read->atomic && !write->atomic && read->bytes <= MOST_BYTES &&
         write->bytes <= read->bytes && from->a == to->a && from->b == to->b &&
         to->imm - from->imm <= (uint64_t)(read->bytes - write->bytes) && program->line[load] &&
         program->line[load] == program->line[store];
}

uint16_t unwritten_kept(struct checker *checker, const struct check_group *group, uint32_t site) {
  enum { APART = 64 /* most instructions between the two */ };
  struct site *place = &checker->sites[site];
  const struct isa_program *program = checker->launch[place->launch].program;
  if (place->examined || place->launch != group->launch)
    return place->kept;
  const bool stores = program->info[place->pc].store;
  place->examined = true;
  for (uint32_t apart = 1; apart < APART; apart++) {
    const uint32_t load = stores ? place->pc - apart : place->pc, store = load + apart;
    if (load >= program->count || store >= program->count)
      break;
    if (!is_one_statement(program, load, store))
      continue;
    const uint32_t ahead = (uint32_t)(program->code[store].imm - program->code[load].imm);
    const uint32_t bytes = program->info[store].bytes, all = (UINT32_C(1) << bytes) - 1;
    const struct flow flow = flow_between(group->shape, load, store, ahead);
    /* A store of all that was loaded, unchanged, sets no component, unless it is a part of a longer vector. */
    if (!flow.known || (flow.copied == all && bytes == program->info[load].bytes && bytes < MOST_BYTES))
      continue;
    if (!stores && flow.mixed) {
      place->kept = 0;
      break;
    }
    place->kept |= (uint16_t)(stores ? flow.copied : flow.copied << ahead);
  }
  return place->kept;
}
