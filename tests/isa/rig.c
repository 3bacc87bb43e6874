#include "tests/isa/rig.h"
#include "isa/asm/asm.h"
#include "tests/ct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note_hazard(void *context, const struct isa_hazard *hazard) {
  struct rig *rig = context;
  if (rig->hazards < RIG_HAZARDS)
    rig->hazard[rig->hazards] = *hazard;
  rig->hazards++;
}

bool rig_open_range(struct rig *rig, const char *source, uint32_t dimensions, const uint32_t global[3],
                    const uint32_t local[3], const uint32_t offset[3], uint32_t linear, uint32_t warp_size) {
  *rig = (struct rig){0};
  struct isa_error error;
  rig->program = isa_assemble(source, strlen(source), "test.wws", &error);
  if (!rig->program) {
    ct_true(false, error.text, __FILE__, __LINE__);
    return false;
  }
  rig->access = isa_access_with(&rig->lanes);
  rig->lds = calloc(RIG_LDS, 1);
  for (int i = 0; i < 2; i++) {
    struct isa_buffer *buffer = &rig->buffers[i];
    snprintf(buffer->name, sizeof buffer->name, "%c", 'a' + i);
    buffer->base = ISA_GLOBAL_BASE + (uint64_t)i * 2 * RIG_BYTES;
    buffer->bytes = RIG_BYTES;
    buffer->data = calloc(RIG_BYTES, 1);
    memcpy(rig->args + 8 * i, &buffer->base, 8);
  }
  rig->memory = (struct isa_memory){.buffers = rig->buffers, .count = 2};
  struct isa_launch *launch = &rig->launch;
  *launch = (struct isa_launch){.program = rig->program,
                                .kernel = &rig->program->kernels[0],
                                .dimensions = dimensions,
                                .warp_size = warp_size,
                                .args = rig->args,
                                .memory = &rig->memory,
                                .lds_bytes = RIG_LDS,
                                .report = note_hazard,
                                .report_context = rig};
  for (int axis = 0; axis < 3; axis++) {
    launch->global[axis] = global[axis];
    launch->local[axis] = local[axis];
    launch->offset[axis] = offset[axis];
    launch->groups[axis] = (global[axis] + local[axis] - 1) / local[axis];
  }
  rig->group.lds = rig->lds;
  rig->group.lds_base = 4096;
  isa_group_place(&rig->group, launch, linear);
  for (uint32_t i = 0; i < rig->group.warps && i < RIG_WARPS; i++) {
    rig->storage[i] = aligned_alloc(64, isa_warp_bytes(launch));
    isa_warp_place(&rig->warp[i], launch, rig->storage[i]);
    isa_warp_start(&rig->warp[i], &rig->group, i);
  }
  return true;
}

bool rig_open(struct rig *rig, const char *source, uint32_t items, uint32_t warp_size) {
  const uint32_t size[3] = {items, 1, 1}, zero[3] = {0};
  return rig_open_range(rig, source, 1, size, size, zero, 0, warp_size);
}

void rig_step(struct rig *rig, uint32_t index) {
  struct isa_warp *warp = &rig->warp[index];
  isa_step(warp, &rig->access, &rig->last);
  const uint8_t class_ = rig->program->info[rig->last.pc].class_;
  if (class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_GLOBAL || class_ == ISA_CLASS_PIPE ||
      class_ == ISA_CLASS_COPY_LANE || class_ == ISA_CLASS_MBARRIER || class_ == ISA_CLASS_PHASE)
    isa_access_commit(&rig->access);
  rig->steps++;
  if (warp->depth > rig->deepest)
    rig->deepest = warp->depth;
}

bool rig_run(struct rig *rig, uint64_t most) {
  bool running = true;
  while (running) {
    running = false;
    for (uint32_t i = 0; i < rig->group.warps; i++)
      while (rig->warp[i].live) { /* to the next barrier or the end */
        if (rig->steps >= most)
          return false;
        rig_step(rig, i);
        running = true;
        if (rig->program->info[rig->last.pc].class_ == ISA_CLASS_BARRIER)
          break;
      }
  }
  return true;
}

void rig_close(struct rig *rig) {
  for (int i = 0; i < RIG_WARPS; i++)
    free(rig->storage[i]);
  for (int i = 0; i < 2; i++)
    free(rig->buffers[i].data);
  free(rig->lds);
  isa_program_free(rig->program);
}
