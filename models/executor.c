#include "models/executor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "models/machine.h"
#include "sim/base/need.h"

enum { LDS_FIRST = 64 /* no machine has less */, LARGE_WARP = 8 << 20 };

/* Grows the LDS as work-groups use it, because a machine may have far more. The rest is zeros. */
static void grow_lds(struct executor *executor, uint32_t end) {
  const uint64_t doubled = 2 * (uint64_t)executor->lds_room;
  const uint32_t room = doubled < end ? end : doubled < executor->lds_size ? (uint32_t)doubled : executor->lds_size;
  assert(end <= executor->lds_size && "what is used of the LDS lies in it");
  executor->lds = need_more(executor->lds, room, 1);
  memset(executor->lds + executor->lds_room, 0, room - executor->lds_room);
  executor->lds_room = room;
  for (uint32_t slot = 0; slot < executor->group_count; slot++)
    executor->groups[slot].lds = executor->lds + executor->groups[slot].lds_base;
}

/* Valid until the next call. */
static uint8_t *lds_at(struct executor *executor, uint64_t place, uint64_t bytes) {
  if (place + bytes > executor->lds_room)
    grow_lds(executor, (uint32_t)(place + bytes));
  return executor->lds + place;
}

/* Large private memory is allocated as warps start: the host may not have enough for all warp slots of the machine.
 * Each warp gets new storage, because memory from the host is zero, and the host provides only the pages that are
 * touched. */
static void free_large(struct executor *executor) {
  for (uint32_t slot = 0; executor->large_storage && slot < executor->warp_count; slot++)
    free(executor->large_storage[slot]);
  free(executor->large_storage);
  executor->large_storage = NULL;
}

static void *large_again(struct executor *executor, uint32_t slot) {
  void **storage = &executor->large_storage[slot];
  free(*storage);
  *storage = NULL;
  return *storage = need(1, executor->warp_bytes);
}

static void launch(void *self, const struct isa_launch *launches, size_t count) {
  struct executor *executor = self;
  executor->launches = launches;
  executor->warp_bytes = 0;
  for (size_t i = 0; i < count; i++) {
    size_t bytes = isa_warp_bytes(&launches[i]);
    assert(launches[i].memory == launches[0].memory && "launches that run at once share one memory");
    executor->warp_bytes = bytes > executor->warp_bytes ? bytes : executor->warp_bytes;
  }
  free_large(executor);
  if (executor->warp_bytes >= LARGE_WARP) {
    executor->large_storage = need(executor->warp_count, sizeof *executor->large_storage);
  } else if (executor->warp_bytes > executor->warp_room) {
    free(executor->warp_storage);
    executor->warp_storage = need_more(NULL, executor->warp_count, executor->warp_bytes);
    executor->warp_room = executor->warp_bytes;
  }
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t number, uint32_t linear,
                                           uint32_t lds_base, cycle_t now) {
  struct executor *executor = self;
  struct isa_group *group = &executor->groups[slot];
  (void)now;
  isa_group_place(group, &executor->launches[number], linear);
  group->lds_base = lds_base;
  group->lds = lds_at(executor, lds_base, group->launch->lds_bytes);
  /* The LDS keeps what the last work-group left there, as in hardware. */
  return group;
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct executor *executor = self;
  struct isa_group *group = &executor->groups[group_slot];
  struct isa_warp *warp = &executor->warps[slot];
  const bool large = executor->large_storage != NULL;
  isa_warp_place(warp, group->launch,
                 large ? large_again(executor, slot) : executor->warp_storage + slot * executor->warp_bytes);
  (large ? isa_warp_start_in_zeros : isa_warp_start)(warp, group, index);
  return warp->pc;
}

static uint64_t live(void *self, uint32_t slot) {
  const struct executor *executor = self;
  return executor->warps[slot].live;
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  struct executor *executor = self;
  executor->warps[slot].clock = now;
  isa_step(&executor->warps[slot], access, result);
  return executor->warps[slot].pc;
}

/* A step of a copy that work-items carry out. Between its two sides, its bytes are in the access, lane by lane. */
static void commit_copy(struct executor *executor, struct isa_access *access) {
  uint8_t *staged = (uint8_t *)access->data;
  bool global = access->copy & ISA_COPY_GLOBAL, store = access->copy & ISA_COPY_STORE;
  for (uint64_t left = access->mask; left; left &= left - 1) {
    unsigned lane = (unsigned)__builtin_ctzll(left);
    uint8_t *bytes = staged + (size_t)lane * access->bytes;
    uint8_t *memory = global ? isa_memory_at(executor->launches[0].memory, access->address[lane], access->bytes)
                             : lds_at(executor, access->address[lane], access->bytes);
    assert(memory && "a copy stays in its buffer");
    if (access->zeros >> lane & 1)
      memset(memory, 0, access->bytes);
    else
      memcpy(store ? memory : bytes, store ? bytes : memory, access->bytes);
  }
}

static void commit(void *self, struct isa_access *access) {
  if (access->copy)
    commit_copy(self, access);
  else
    isa_access_commit(access);
}

/* ---- bytes of DMA requests ------------------------------------------------------------------ */

/* Moves packed lines to or from lines at `pitch`. Element sizes have loops of their own, which are faster. */
#define MOVE_LINES(BYTES)                                                                                              \
  for (; lines; lines--, to += to_pitch, from += from_pitch)                                                           \
  memcpy(to, from, BYTES)

static void move_lines(uint8_t *to, uint64_t to_pitch, const uint8_t *from, uint64_t from_pitch, uint32_t bytes,
                       uint32_t lines) {
  switch (bytes) {
  case 1:
    MOVE_LINES(1);
    break;
  case 2:
    MOVE_LINES(2);
    break;
  case 4:
    MOVE_LINES(4);
    break;
  case 8:
    MOVE_LINES(8);
    break;
  default:
    MOVE_LINES(bytes);
  }
}
#undef MOVE_LINES

/* Moves one run between the staging bytes and the LDS, in 16-byte pieces at their swizzled places. Bytes that padding
 * or a swizzle puts beyond the LDS are lost: the kernel was not written for it. */
static void move_pieces(struct executor *executor, const struct dma *dma, uint32_t lds, uint8_t *staged, uint32_t bytes,
                        bool to_lds) {
  for (uint32_t moved = 0, piece; moved < bytes; moved += piece) {
    uint32_t at = lds + moved, place = dma_swizzled(dma->params, at), room = 16 - at % 16;
    piece = bytes - moved < room ? bytes - moved : room;
    if (place >= executor->lds_size || piece > executor->lds_size - place)
      continue;
    uint8_t *there = lds_at(executor, place, piece);
    memcpy(to_lds ? there : staged + moved, to_lds ? staged + moved : there, piece);
  }
}

/* Only few tags are ever used, because an engine takes the lowest. */
static uint8_t *staged_bytes(const struct executor *executor, unsigned engine, uint32_t tag) {
  uint8_t **bytes = &executor->owner->staging[engine][tag];
  if (!*bytes)
    *bytes = need(executor->staged, 1);
  return *bytes;
}

/* A copy that reaches an engine is already limited to what exists on both sides (copy_check.c). */
static void commit_dma_lds(void *self, unsigned engine, uint32_t tag) {
  struct executor *executor = self;
  const struct dma *dma = &executor->dma[engine];
  const struct dma_request *request = dma_covers(dma, tag);
  const struct rect *side = &request->lds;
  const uint32_t length = (uint32_t)side->bytes;
  uint8_t *bytes = staged_bytes(executor, engine, tag);
  const uint64_t end = rect_line(side, 0, side->lines - 1) + length;
  if (request->zero)
    memset(bytes, 0, (size_t)length * side->lines);
  if (dma->params->swizzle != DMA_LINEAR || end > executor->lds_size) {
    for (uint32_t line = 0; line < side->lines; line++)
      move_pieces(executor, dma, (uint32_t)rect_line(side, 0, line), bytes + line * length, length, request->to_lds);
    return;
  }
  uint8_t *lds = lds_at(executor, side->base, end - side->base);
  if (request->to_lds)
    move_lines(lds, side->pitch, bytes, length, length, side->lines);
  else
    move_lines(bytes, length, lds, side->pitch, length, side->lines);
}

static void commit_dma_memory(void *self, unsigned engine, uint32_t tag, const struct rect *side, bool write) {
  struct executor *executor = self;
  const uint32_t length = (uint32_t)side->bytes;
  uint8_t *bytes = staged_bytes(executor, engine, tag);
  uint8_t *memory = isa_memory_at(executor->launches[0].memory, side->base, (side->lines - 1) * side->pitch + length);
  assert(memory && "a copy stays in its buffer");
  if (write)
    move_lines(memory, side->pitch, bytes, length, length, side->lines);
  else
    move_lines(bytes, length, memory, side->pitch, length, side->lines);
}

/* ---- whole copies ------------------------------------------------------------------------------ */

/* Moves bytes of a copy's line, from byte `offset` of its LDS side on, to or from `memory`; without memory, writes
 * zeros. They are cut where padding leaves a gap, and into pieces that a swizzle keeps whole or that may be beyond the
 * LDS. */
static void copy_bytes(struct executor *executor, const struct dma_params *params, const struct dma_descriptor *copy,
                       uint32_t offset, uint8_t *memory, uint32_t bytes) {
  const uint32_t interval = params->pad ? params->pad_interval : 0;
  for (uint32_t moved = 0, piece; moved < bytes; moved += piece) {
    const uint32_t at = offset + moved, place = dma_place(params, (uint32_t)copy->lds.base, at);
    piece = interval ? (uint32_t)cycle_min(bytes - moved, interval - at % interval) : bytes - moved;
    if (params->swizzle != DMA_LINEAR || (uint64_t)place + piece > executor->lds_size)
      piece = (uint32_t)cycle_min(piece, 16 - place % 16);
    if ((uint64_t)place + piece > executor->lds_size)
      continue;
    uint8_t *lds = lds_at(executor, place, piece);
    if (!memory)
      memset(lds, 0, piece);
    else
      memcpy(copy->to_lds ? lds : memory + moved, copy->to_lds ? memory + moved : lds, piece);
  }
}

/* Elements of the line that are outside the buffer become zeros or stay as they are. */
static void copy_line(struct executor *executor, const struct dma_params *params, const struct dma_descriptor *copy,
                      uint64_t global, uint32_t offset) {
  const bool zeros = copy->to_lds && params->out_of_bounds == DMA_ZERO;
  const uint32_t length = (uint32_t)copy->global.bytes;
  uint32_t from = 0, to = length;
  if (global < copy->from || global > copy->to || copy->to - global < to)
    dma_inside(copy, global, &from, &to);
  if (from < to) {
    uint8_t *memory = isa_memory_at(executor->launches[0].memory, global + from, to - from);
    assert(memory && "a copy stays in its buffer");
    copy_bytes(executor, params, copy, offset + from, memory, to - from);
  }
  if (!zeros)
    return;
  to = from < to ? to : from;
  copy_bytes(executor, params, copy, offset, NULL, from);
  copy_bytes(executor, params, copy, offset + to, NULL, length - to);
}

void executor_copy_now(struct executor *executor, const struct dma_params *params, const struct dma_descriptor *copy) {
  for (uint32_t plane = 0; plane < copy->global.planes; plane++)
    for (uint32_t line = 0; copy->global.bytes && line < copy->global.lines; line++)
      copy_line(executor, params, copy, rect_line(&copy->global, plane, line),
                (uint32_t)(rect_line(&copy->lds, plane, line) - copy->lds.base));
}

void executor_init(struct executor *executor, const struct machine *machine, const struct dma *dma,
                   const struct executor *owner) {
  *executor = (struct executor){
      .source = {.launch = {launch, executor},
                 .start_group = {start_group, executor},
                 .start_warp = {start_warp, executor},
                 .step = {step, executor},
                 .live = {live, executor},
                 .commit = {commit, executor},
                 .commit_dma_lds = {commit_dma_lds, executor},
                 .commit_dma_memory = {commit_dma_memory, executor}},
      .warps = need(machine->cu.warps, sizeof *executor->warps),
      .warp_count = machine->cu.warps,
      .groups = need(machine->cu.groups, sizeof *executor->groups),
      .group_count = machine->cu.groups,
      .lds = need(1, LDS_FIRST),
      .lds_room = LDS_FIRST,
      .lds_size = machine->lds.size,
      .tags = machine->dma.outstanding,
      .staged = (size_t)machine->dma.granularity * machine->dma.train,
      .dma = dma,
      .owner = owner,
  };
  for (unsigned engine = 0; owner == executor && engine < machine->dma.engines; engine++)
    executor->staging[engine] = need(executor->tags, sizeof *executor->staging[engine]);
}

void executor_free(struct executor *executor) {
  free(executor->warps);
  free(executor->groups);
  free(executor->warp_storage);
  free_large(executor);
  free(executor->lds);
  for (unsigned engine = 0; engine < LDS_ENGINES; engine++) {
    for (uint32_t tag = 0; executor->staging[engine] && tag < executor->tags; tag++)
      free(executor->staging[engine][tag]);
    free(executor->staging[engine]);
  }
  *executor = (struct executor){0};
}
