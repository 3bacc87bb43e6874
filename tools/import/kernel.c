#include "tools/import/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/map.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum sass_space sass_space_of(const struct sass_header *header, uint64_t address) {
  if (header->shared_base && address - header->shared_base < SASS_SHARED_BYTES)
    return SASS_SHARED_SPACE;
  if (header->local_base && address - header->local_base < SASS_SHARED_BYTES)
    return SASS_LOCAL_SPACE;
  return SASS_GLOBAL_SPACE;
}

bool sass_is_shared(const struct sass_inst *inst) {
  return sass_families[inst->family].space == SASS_SHARED_SPACE || inst->family == SASS_MBARRIER;
}

bool sass_is_place(const struct sass_line *line) {
  return line->mask && line->address[__builtin_ctz(line->mask)] < SASS_SHARED_BYTES;
}

bool sass_is_matrix(const struct sass_inst *inst) {
  return inst->family == SASS_MATRIX_LOAD || inst->family == SASS_MATRIX_STORE;
}

/* ---- classifying an instruction ------------------------------------------------------------------------ */

/* The family of a generic access in the space that it accesses. */
static enum sass_family in_space(enum sass_family family, enum sass_space space) {
  static const enum sass_family families[][SASS_SPACES] = {
      [SASS_GENERIC_LOAD] = {SASS_GLOBAL_LOAD, SASS_SHARED_LOAD, SASS_LOCAL_LOAD},
      [SASS_GENERIC_STORE] = {SASS_GLOBAL_STORE, SASS_SHARED_STORE, SASS_LOCAL_STORE},
      [SASS_GENERIC_ATOMIC] = {SASS_GLOBAL_ATOMIC, SASS_SHARED_ATOMIC,
                               SASS_LOCAL_STORE}, /* memory of one lane needs no atomics */
  };
  return families[family][space];
}

bool sass_is_generic(const struct sass_inst *inst) {
  const struct sass_opcode *opcode = inst->opcode;
  return opcode && sass_families[opcode->family].space == SASS_GENERIC_SPACE;
}

/* Accesses whose addresses are kept. */
static bool wants_addresses(enum sass_family family) {
  const enum sass_space space = sass_families[family].space;
  return (space != SASS_NO_SPACE && space != SASS_LOCAL_SPACE) || family == SASS_LANE_COPY;
}

/* Number of matrices, each with 8 rows of 16 bytes; also the number of registers. */
static uint8_t matrices(const char *name) { return sass_modified(name, "4") ? 4 : sass_modified(name, "2") ? 2 : 1; }

static bool is_prefetch(const char *name) {
  return sass_modified(name, "PF1") || sass_modified(name, "PF2") || sass_modified(name, "PF1_5");
}

/* Whether a barrier is not for the whole block. The immediate is the barrier's number or, from a warp's size on, a
 * count of threads. */
static bool is_partial(const struct sass_header *header, const struct sass_inst *inst) {
  const int64_t threads = (int64_t)header->warps * SASS_LANES;
  return sass_modified(inst->name, "ARV") ||
         (inst->has_immediate && inst->immediate >= SASS_LANES && inst->immediate != threads);
}

static void find_width(struct sass_inst *inst) {
  uint32_t bytes = sass_width(inst->name, &inst->is_signed);
  if (sass_is_matrix(inst))
    bytes = 4u * matrices(inst->name);
  if (inst->family == SASS_MBARRIER)
    bytes = 8;
  if (bytes > 16) {
    bytes = 16;
    inst->loss = SASS_LOST_WIDTH;
  }
  inst->bytes = (uint8_t)bytes;
}

/* Fills what the opcode's row and the modifiers imply. */
static void classify(struct sass_inst *inst, const struct sass_header *header) {
  inst->opcode = sass_find(inst->name);
  inst->family = inst->opcode ? inst->opcode->family : SASS_INT;
  inst->loss = inst->opcode ? inst->opcode->loss : -1;
  if (sass_is_generic(inst))
    inst->family = in_space(inst->opcode->family, inst->space);
  if (inst->family == SASS_MUL && sass_modified(inst->name, "WIDE"))
    inst->family = SASS_WIDE;
  find_width(inst);
  if (inst->family == SASS_CACHE && !(is_prefetch(inst->name) && inst->memory))
    inst->family = SASS_INT;
  if (inst->family == SASS_MBARRIER && !inst->memory)
    inst->family = SASS_INT;
  if (inst->family == SASS_BARRIER && (inst->partial = is_partial(header, inst))) {
    inst->family = SASS_INT;
    inst->loss = SASS_LOST_PARTIAL;
  }
  if (inst->family == SASS_LANE_WAIT && !inst->has_immediate)
    inst->loss = SASS_LOST_BATCHES;
  if (wants_addresses(inst->family) && !inst->memory) {
    inst->family = SASS_INT;
    inst->loss = SASS_LOST_ADDRESS;
  }
}

/* ---- lookup ---------------------------------------------------------------------------------------------- */

static uint32_t hash_of(const struct sass_line *line) {
  uint64_t hash = hash_number(line->pc) + line->result;
  for (const char *c = line->opcode; *c; c++)
    hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
  for (unsigned i = 0; i < line->sources; i++)
    hash = (hash ^ line->source[i]) * UINT64_C(0x100000001b3);
  return (uint32_t)(hash >> 32 ^ hash);
}

static bool is_of(const struct sass_inst *inst, const struct sass_header *header, const struct sass_line *line) {
  if (inst->pc != line->pc || inst->memory != line->memory || inst->result != line->result ||
      inst->sources != line->sources || memcmp(inst->source, line->source, line->sources) != 0 ||
      strcmp(inst->name, line->opcode) != 0)
    return false;
  if (inst->opcode && inst->opcode->family == SASS_BARRIER)
    return inst->has_immediate == line->has_immediate && inst->immediate == line->immediate;
  if (!sass_is_generic(inst) || !line->mask || !line->memory)
    return true;
  return inst->space == sass_space_of(header, line->address[__builtin_ctz(line->mask)]);
}

/* The slot of a line's instruction, or the empty slot where it belongs. */
static uint32_t *slot_of(const struct sass_kernel *kernel, const struct sass_header *header,
                         const struct sass_line *line) {
  uint32_t at = hash_of(line);
  for (;; at++) {
    uint32_t *slot = &kernel->slots[at & (kernel->slot_count - 1)];
    if (!*slot || is_of(&kernel->insts[*slot - 1], header, line))
      return slot;
  }
}

struct sass_inst *sass_kernel_find(const struct sass_kernel *kernel, const struct sass_header *header,
                                   const struct sass_line *line) {
  const uint32_t slot = kernel->slot_count ? *slot_of(kernel, header, line) : 0;
  return slot ? &kernel->insts[slot - 1] : NULL;
}

static struct sass_inst made(const struct sass_header *header, const struct sass_line *line) {
  struct sass_inst inst = {
      .pc = line->pc,
      .name = need_copy(line->opcode),
      .result = line->result,
      .sources = line->sources,
      .memory = line->memory,
      .has_immediate = line->has_immediate,
      .immediate = line->immediate,
      .source_line = line->source_line,
  };
  memcpy(inst.source, line->source, sizeof inst.source);
  if (line->memory && line->mask)
    inst.space = sass_space_of(header, line->address[__builtin_ctz(line->mask)]);
  classify(&inst, header);
  return inst;
}

/* Keeps at least half of the slots free. */
static void grow(struct sass_kernel *kernel) {
  const uint32_t old = kernel->slot_count, count = old ? 2 * old : 256;
  uint32_t *slots = need(count, sizeof *slots);
  for (uint32_t i = 0; i < kernel->count; i++) {
    uint32_t at = kernel->insts[i].hash;
    while (slots[at & (count - 1)])
      at++;
    slots[at & (count - 1)] = i + 1;
  }
  free(kernel->slots);
  kernel->slots = slots;
  kernel->slot_count = count;
}

struct sass_inst *sass_kernel_add(struct sass_kernel *kernel, const struct sass_header *header,
                                  const struct sass_line *line) {
  if (2 * kernel->count >= kernel->slot_count)
    grow(kernel);
  uint32_t *slot = slot_of(kernel, header, line);
  if (*slot)
    return &kernel->insts[*slot - 1];
  struct sass_inst *inst = vector_next(kernel->insts, kernel->count, kernel->room);
  *inst = made(header, line);
  inst->hash = hash_of(line);
  kernel->lane_copies |= inst->family == SASS_LANE_COPY;
  *slot = kernel->count;
  return inst;
}

void sass_kernel_free(struct sass_kernel *kernel) {
  for (uint32_t i = 0; i < kernel->count; i++)
    free(kernel->insts[i].name);
  free(kernel->insts);
  free(kernel->slots);
  free(kernel->name);
}
