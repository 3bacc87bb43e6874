/* The order of blocks in the code.
 *
 * Reverse post-order with loops contiguous, as in ir.h. But a loop that starts with its exit test and ends with a jump
 * back is rotated so that the test comes last: the test then is the jump back, and an iteration costs one branch. The
 * entry jumps to the test once.
 *
 *     header: test, leave ─┐        body
 *     body                 │        header: test, back to body
 *     goto header          │        what follows
 *     what follows       ◄─┘ */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

struct layout {
  const struct ir *ir;
  uint32_t *list;
  uint32_t count;
};

static uint32_t around(const struct ir *ir, uint32_t block) { return ir->block[block].loop; }

static bool inside(const struct ir *ir, uint32_t block, uint32_t header) {
  uint32_t loop = around(ir, block);
  while (loop != IR_NOWHERE && loop != header)
    loop = ir->block[loop].outer;
  return loop == header;
}

static bool dominates_latches(const struct ir *ir, uint32_t block, uint32_t header) {
  const struct ir_block *row = &ir->block[header];
  for (uint32_t i = 0; i < row->from_count; i++)
    if (inside(ir, row->from[i], header) && !ir_dominates(ir, block, row->from[i]))
      return false;
  return true;
}

/* Does the loop laid out from `first` gain by ending with the block at `at`? The block's other edge must lead to the
 * next block. */
static bool is_exit(const struct layout *l, uint32_t at, uint32_t header) {
  const struct ir_block *block = &l->ir->block[l->list[at]];
  if (block->end != IR_END_IF || block->loop != header || at + 1 == l->count)
    return false;
  const bool out[2] = {!inside(l->ir, block->to[0], header), !inside(l->ir, block->to[1], header)};
  return out[0] != out[1] && block->to[out[0]] == l->list[at + 1] && dominates_latches(l->ir, l->list[at], header);
}

static void turn(struct layout *l, uint32_t first, uint32_t header) {
  const struct ir_block *last = &l->ir->block[l->list[l->count - 1]];
  if (last->end != IR_END_GOTO || last->to[0] != header)
    return;
  uint32_t at = first;
  while (at < l->count && !is_exit(l, at, header))
    at++;
  if (at == l->count)
    return;
  const uint32_t before = at + 1 - first, size = l->count - first;
  uint32_t *turned = need(size, sizeof *turned);
  memcpy(turned, l->list + at + 1, (size - before) * sizeof *turned);
  memcpy(turned + size - before, l->list + first, before * sizeof *turned);
  memcpy(l->list + first, turned, size * sizeof *turned);
  free(turned);
}

uint32_t *layout_order(const struct ir *ir) {
  struct layout l = {.ir = ir, .list = need(ir->ordered, sizeof *l.list)};
  uint32_t *start = need(ir->blocks, sizeof *start), open = IR_NOWHERE; /* the innermost loop being laid out */
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const uint32_t block = ir->order[i];
    for (; open != IR_NOWHERE && !inside(ir, block, open); open = ir->block[open].outer)
      turn(&l, start[open], open);
    if (ir->block[block].loop == block) {
      open = block;
      start[block] = l.count;
    }
    l.list[l.count++] = block;
  }
  for (; open != IR_NOWHERE; open = ir->block[open].outer)
    turn(&l, start[open], open);
  free(start);
  return l.list;
}
