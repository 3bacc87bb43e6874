/* Phis become copies at the ends of predecessors. A critical edge, from a block with two successors to one with several
 * predecessors, gets its own block for them, right after the first. */
#include "opencl/emit/select.h"
#include "sim/base/need.h"

#include <assert.h>
#include <stdlib.h>

static ir_ref incoming(const struct ir *ir, ir_ref phi, uint32_t from, uint32_t hint) {
  if (ir_operand(ir, phi, 2 * hint) == from && 2 * hint < ir->inst[phi].count)
    return ir_operand(ir, phi, 2 * hint + 1);
  for (uint32_t i = 0; i < ir->inst[phi].count; i += 2)
    if (ir_operand(ir, phi, i) == from)
      return ir_operand(ir, phi, i + 1);
  assert(false && "a phi has a value for each predecessor");
  return 0;
}

static struct machine_inst phi_moves(struct select *s, uint32_t at, uint32_t hint) {
  const struct ir_block *block = &s->ir->block[at];
  struct machine_inst copy = {.op = MACHINE_COPY};
  for (uint32_t i = 0; i < block->count && s->ir->inst[block->inst[i]].op == IR_PHI; i++) {
    const ir_ref phi = block->inst[i];
    if (!s->value[phi].wanted)
      continue;
    const struct word *word = select_words(s, incoming(s->ir, phi, block->from[hint], hint));
    for (uint32_t k = 0; k < select_width_words(s->ir->inst[phi].width); k++)
      select_move(s, &copy, select_words(s, phi)[k].what, word[k]);
    copy.place = s->ir->inst[phi].place;
  }
  return copy;
}

/* Inserts a block between `from` and `to`. */
static uint32_t split(struct select *s, uint32_t from, uint32_t to) {
  const uint32_t between = machine_block_new(s->m);
  struct machine_block *above = &s->m->block[from], *row = &s->m->block[between];
  const uint32_t way = above->to[0] != to;
  above->to[way] = between;
  s->between[2 * from + way] = between;
  row->end = IR_END_GOTO;
  row->to[0] = to;
  row->place = above->place;
  row->depth = above->depth < s->m->block[to].depth ? above->depth : s->m->block[to].depth;
  return between;
}

void select_phi_copies(struct select *s, uint32_t at) {
  const struct ir_block *block = &s->ir->block[at];
  if (block->from_count < 2)
    return;
  for (uint32_t i = 0; i < block->from_count; i++) {
    const struct machine_inst copy = phi_moves(s, at, i);
    uint32_t from = block->from[i];
    struct machine_block *above = &s->m->block[from];
    if (!copy.count || (above->end == IR_END_GOTO && above->to[0] != at))
      continue;
    if (above->end == IR_END_IF)
      from = split(s, from, at);
    machine_append(&s->m->block[from], &copy);
  }
}

void select_order(struct select *s) {
  uint32_t *order = layout_order(s->ir);
  s->m->order = need(s->m->blocks, sizeof *s->m->order);
  for (uint32_t i = 0; i < s->ir->ordered; i++) {
    s->m->order[s->m->ordered++] = order[i];
    for (uint32_t way = 0; way < 2; way++)
      if (s->between[2 * order[i] + way])
        s->m->order[s->m->ordered++] = s->between[2 * order[i] + way];
  }
  free(order);
}
