#include "models/executor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool executor_launch(struct executor *executor, const struct machine *machine, const struct isa_launch *launch,
                     uint32_t lds_per_group) {
  free(executor->warp_storage);
  size_t bytes = isa_warp_bytes(launch);
  executor->warp_storage = calloc(machine->cu.warps, bytes);
  if (!executor->warp_storage)
    return false;
  executor->launch = *launch;
  executor->lds_per_group = lds_per_group;
  for (uint32_t slot = 0; slot < machine->cu.warps; slot++)
    isa_warp_place(&executor->warps[slot], &executor->launch, executor->warp_storage + slot * bytes);
  return true;
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t linear) {
  struct executor *executor = self;
  struct isa_group *group = &executor->groups[slot];
  isa_group_place(group, &executor->launch, linear);
  group->lds_base = slot * executor->lds_per_group;
  group->lds = executor->lds + group->lds_base;
  /* The LDS keeps what the last work-group left there, as on hardware. */
  return group;
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct executor *executor = self;
  isa_warp_start(&executor->warps[slot], &executor->groups[group_slot], index);
  return executor->warps[slot].pc;
}

static uint32_t step(void *self, uint32_t slot, struct isa_access *access, struct isa_result *result) {
  struct executor *executor = self;
  isa_step(&executor->warps[slot], access, result);
  return executor->warps[slot].pc;
}

static void commit(void *self, struct isa_access *access) {
  (void)self;
  isa_access_commit(access);
}

/* Copies are cut to what exists on both sides before an engine sees them (group.c). */
static void commit_dma_lds(void *self, unsigned engine, uint32_t tag) {
  struct executor *executor = self;
  struct dma_request request = dma_covers(&executor->dma[engine], tag);
  uint8_t *bytes = executor->staging[engine] + (size_t)tag * executor->granularity;
  uint8_t *lds = executor->lds + request.lds;
  assert(request.lds + request.bytes <= executor->lds_size && "a copy stays in its work-group's LDS");
  memcpy(request.to_lds ? lds : bytes, request.to_lds ? bytes : lds, request.bytes);
}

static void commit_dma_memory(void *self, unsigned engine, uint32_t tag) {
  struct executor *executor = self;
  struct dma_request request = dma_covers(&executor->dma[engine], tag);
  uint8_t *bytes = executor->staging[engine] + (size_t)tag * executor->granularity;
  uint8_t *memory = isa_memory_at(executor->launch.memory, request.global, request.bytes);
  assert(memory && "a copy stays in its buffer");
  memcpy(request.to_lds ? bytes : memory, request.to_lds ? memory : bytes, request.bytes);
}

bool executor_init(struct executor *executor, const struct machine *machine, const struct dma *dma) {
  *executor = (struct executor){
      .source = {executor, start_group, start_warp, step, commit, commit_dma_lds, commit_dma_memory},
      .warps = calloc(machine->cu.warps, sizeof *executor->warps),
      .groups = calloc(machine->cu.groups, sizeof *executor->groups),
      .lds = calloc(1, machine->lds.size),
      .lds_size = machine->lds.size,
      .granularity = machine->dma.granularity,
      .dma = dma,
  };
  bool complete = executor->warps && executor->groups && executor->lds;
  for (unsigned engine = 0; engine < machine->dma.engines; engine++) {
    executor->staging[engine] = calloc(machine->dma.outstanding, machine->dma.granularity);
    complete = complete && executor->staging[engine];
  }
  if (!complete)
    executor_free(executor);
  return complete;
}

void executor_free(struct executor *executor) {
  free(executor->warps);
  free(executor->groups);
  free(executor->warp_storage);
  free(executor->lds);
  for (unsigned engine = 0; engine < LDS_ENGINES; engine++)
    free(executor->staging[engine]);
  *executor = (struct executor){0};
}
