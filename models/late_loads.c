#include "models/late_loads.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

void late_init(struct late_loads *late, uint32_t compute_units) {
  *late = (struct late_loads){
      .queue = need(compute_units, sizeof *late->queue),
      .queues = compute_units,
      .round = 1,
      .stamp = need(LATE_STAMPS, sizeof *late->stamp),
  };
}

void late_free(struct late_loads *late) {
  for (uint32_t i = 0; late->queue && i < late->queues; i++)
    free(late->queue[i].load);
  free(late->queue);
  free(late->stamp);
  *late = (struct late_loads){0};
}

/* Adjacent lines have adjacent stamps, so that an access touches few host lines. */
static uint32_t stamp_of(const struct mem_line *line) {
  enum { TOGETHER = 16 };
  return (mem_hash(line->line / TOGETHER) * TOGETHER + line->line % TOGETHER) & (LATE_STAMPS - 1);
}

void late_add(struct late_loads *late, uint32_t compute_unit, const struct late_load *load) {
  struct late_queue *queue = &late->queue[compute_unit];
  *vector_next(queue->load, queue->count, queue->room) = *load;
  for (uint32_t i = 0; i < load->count; i++) {
    struct late_stamp *stamp = &late->stamp[stamp_of(&load->lines[i])];
    const bool others = stamp->round == late->round && stamp->whose != compute_unit;
    *stamp = (struct late_stamp){late->round, others ? LATE_SEVERAL : (uint16_t)compute_unit};
  }
}

void late_end_round(struct late_loads *late) {
  for (uint32_t i = 0; i < late->queues; i++)
    if (late->queue[i].count)
      return;
  if (++late->round)
    return;
  memset(late->stamp, 0, LATE_STAMPS * sizeof *late->stamp);
  late->round = 1;
}

uint32_t late_reader(const struct late_loads *late, const struct mem_line *line) {
  const struct late_stamp *stamp = &late->stamp[stamp_of(line)];
  return stamp->round == late->round ? stamp->whose : LATE_NOBODY;
}
