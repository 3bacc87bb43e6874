/* What a launch runs on: buffers, searched from the one found last; work-groups, placed in the NDRange; warps, placed
 * in their storage. */
#include "isa/rows.h"

#include <string.h>

/* ---- global memory ------------------------------------------------------------------------------ */

static bool holds(const struct isa_buffer *buffer, uint64_t address, uint64_t bytes) {
  return address >= buffer->base && bytes <= buffer->bytes && address - buffer->base <= buffer->bytes - bytes;
}

const struct isa_buffer *isa_memory_holding(struct isa_memory *memory, uint64_t address, uint64_t bytes) {
  for (size_t tried = 0, i = memory->last; tried < memory->count; tried++, i++) {
    if (i >= memory->count)
      i = 0;
    const struct isa_buffer *buffer = &memory->buffers[i];
    if (holds(buffer, address, bytes)) {
      memory->last = i;
      return buffer;
    }
  }
  return NULL;
}

uint8_t *isa_memory_at(struct isa_memory *memory, uint64_t address, uint64_t bytes) {
  const struct isa_buffer *buffer = isa_memory_holding(memory, address, bytes);
  return buffer ? buffer->data + (address - buffer->base) : NULL;
}

const struct isa_buffer *isa_memory_near(const struct isa_memory *memory, uint64_t address) {
  const struct isa_buffer *nearest = NULL;
  for (size_t i = 0; i < memory->count; i++) {
    const struct isa_buffer *buffer = &memory->buffers[i];
    if (buffer->base <= address && (!nearest || buffer->base > nearest->base))
      nearest = buffer;
  }
  return nearest;
}

/* ---- work-groups and warps ---------------------------------------------------------------------- */

/* Rounds up to whole cache lines of the host, so that parts of a warp's storage do not share one. */
static size_t lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t register_bytes(const struct isa_launch *launch) {
  return (size_t)launch->kernel->registers * launch->warp_size * sizeof(uint32_t);
}

static size_t id_bytes(const struct isa_launch *launch) { return (size_t)3 * launch->warp_size * sizeof(uint32_t); }

static size_t stack_bytes(const struct isa_launch *launch) {
  return (size_t)launch->program->stack_entries * sizeof(struct isa_frame);
}

static size_t private_bytes(const struct isa_launch *launch) {
  return (size_t)launch->kernel->private_bytes * launch->warp_size;
}

size_t isa_warp_bytes(const struct isa_launch *launch) {
  return lines(register_bytes(launch)) + lines(id_bytes(launch)) + lines(stack_bytes(launch)) +
         lines(private_bytes(launch));
}

void isa_warp_place(struct isa_warp *warp, const struct isa_launch *launch, void *storage) {
  uint8_t *at = storage;
  warp->reg = (uint32_t *)(void *)at;
  at += lines(register_bytes(launch));
  warp->local_id = (uint32_t *)(void *)at;
  at += lines(id_bytes(launch));
  warp->stack = (struct isa_frame *)(void *)at;
  at += lines(stack_bytes(launch));
  warp->private_memory = at;
}

void isa_warp_start_in_zeros(struct isa_warp *warp, struct isa_group *group, uint32_t index) {
  const struct isa_launch *launch = group->launch;
  const uint32_t first = index * launch->warp_size, left = group->items - first;
  const uint32_t lanes = left < launch->warp_size ? left : launch->warp_size;
  warp->group = group;
  warp->index = index;
  warp->pc = launch->kernel->entry;
  warp->all = warp->live = warp->active = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
  warp->depth = 0;
  warp->join = ISA_NEVER;
  warp->events = 0;
  warp->missed = warp->diverged = 0;
  memset(warp->pred, 0, sizeof warp->pred);
  for (uint32_t lane = 0; lane < lanes; lane++) {
    const uint32_t item = first + lane, row = item / group->size[0];
    warp->local_id[lane] = item % group->size[0];
    warp->local_id[launch->warp_size + lane] = row % group->size[1];
    warp->local_id[2 * launch->warp_size + lane] = row / group->size[1];
  }
}

void isa_warp_start(struct isa_warp *warp, struct isa_group *group, uint32_t index) {
  const struct isa_launch *launch = group->launch;
  memset(warp->reg, 0, register_bytes(launch));
  memset(warp->local_id, 0, id_bytes(launch));
  if (private_bytes(launch))
    memset(warp->private_memory, 0, private_bytes(launch));
  isa_warp_start_in_zeros(warp, group, index);
}

void isa_group_place(struct isa_group *group, const struct isa_launch *launch, uint32_t linear) {
  group->launch = launch;
  group->items = 1;
  for (uint32_t axis = 0; axis < 3; axis++) {
    group->id[axis] = linear % launch->groups[axis];
    linear /= launch->groups[axis];
    const uint32_t left = launch->global[axis] - group->id[axis] * launch->local[axis];
    group->size[axis] = left < launch->local[axis] ? left : launch->local[axis];
    group->items *= group->size[axis];
  }
  group->warps = (group->items + launch->warp_size - 1) / launch->warp_size;
  group->waits = NULL;
  if (launch->memory && launch->memory->pipe_count)
    memset(group->committed, 0, sizeof group->committed);
}
