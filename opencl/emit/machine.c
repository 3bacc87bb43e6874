/* Storage of the machine form, and the operands of an instruction: they follow from its format's letters, as everywhere
 * in isa/. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct machine_function *machine_new(uint32_t blocks) {
  struct machine_function *m = need(1, sizeof *m);
  m->block = need(blocks, sizeof *m->block);
  m->blocks = blocks;
  *vector_next(m->vreg, m->vregs, m->vreg_room) = (struct vreg){0};
  return m;
}

void machine_free(struct machine_function *m) {
  for (uint32_t i = 0; i < m->blocks; i++)
    free(m->block[i].inst);
  live_free(m);
  free(m->span);
  free(m->span_of);
  free(m->block);
  free(m->vreg);
  free(m->order);
  free(m->move);
  free(m->list);
  free(m->remat);
  free(m);
}

uint32_t machine_run(struct machine_function *m, enum vreg_kind kind, uint32_t words) {
  m->vreg = vector_room(m->vreg, &m->vreg_room, m->vregs + words, sizeof *m->vreg);
  const uint32_t head = m->vregs;
  for (uint32_t i = 0; i < words; i++, m->vregs++)
    m->vreg[m->vregs] =
        (struct vreg){.kind = (uint8_t)kind, .index = (uint8_t)i, .words = (uint8_t)words, .same = m->vregs};
  return head;
}

struct machine_inst *machine_append(struct machine_block *block, const struct machine_inst *inst) {
  struct machine_inst *made = vector_next(block->inst, block->count, block->room);
  *made = *inst;
  return made;
}

void machine_move(struct machine_function *m, struct machine_inst *copy, struct machine_move move) {
  if (!copy->count)
    copy->list = m->moves;
  assert(copy->list + copy->count == m->moves && "moves are added to the newest copy only");
  *vector_next(m->move, m->moves, m->move_room) = move;
  copy->count++;
}

uint32_t machine_block_new(struct machine_function *m) {
  m->block = need_more(m->block, m->blocks + 1u, sizeof *m->block);
  m->block[m->blocks] = (struct machine_block){0};
  return m->blocks++;
}

void machine_number(struct machine_function *m) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    block->first = number;
    number += block->count + 1;
  }
  m->times = 2 * number;
}

/* ---- operands ------------------------------------------------------------------------------------ */

struct operands {
  struct machine_operand *operand;
  uint32_t count;
};

static void add(struct operands *all, uint32_t *vreg, uint32_t words, bool reads, bool writes) {
  if (!*vreg || !words)
    return;
  assert(all->count < MACHINE_OPERANDS && "the widest format fits");
  all->operand[all->count++] = (struct machine_operand){vreg, (uint8_t)words, reads, writes};
}

static uint32_t words_of(enum isa_type type) { return type == TYPE_PRED ? 1 : isa_types[type].registers; }

uint32_t machine_operands(const struct machine_function *m, struct machine_inst *inst,
                          struct machine_operand operand[MACHINE_OPERANDS]) {
  struct operands all = {operand, 0};
  const struct isa_row *row = &isa_rows[inst->op];
  uint32_t *const fields[ISA_FIELDS] = {NULL, &inst->d, &inst->a, &inst->b, &inst->c};
  add(&all, &inst->guard, 1, true, false);
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++) {
    const struct isa_operand *letters = isa_operand(*letter);
    const bool result = letters->role == OPERAND_RESULT;
    for (unsigned i = 0; i < 2 && letters->named[i].field != FIELD_NONE; i++)
      add(&all, fields[letters->named[i].field], words_of(isa_operand_type(row, letters->named[i])),
          result ? inst->tied : true, result);
    for (uint32_t i = 0; letters->listed && i < inst->count; i++)
      add(&all, &m->list[inst->list + i], 1, true, false);
  }
  if (inst->memory)
    add(&all, &inst->memory, isa_types[row->a].registers, row->d != TYPE_NONE, row->d == TYPE_NONE);
  return all.count;
}

void machine_each(const struct machine_function *m, const struct machine_inst *inst, machine_visit *on_read,
                  machine_visit *on_write, void *self) {
  struct machine_inst copy = *inst;
  struct machine_operand operand[MACHINE_OPERANDS];
  if (copy.op == MACHINE_COPY) {
    const struct machine_move *move = &m->move[copy.list];
    for (uint32_t i = 0; on_read && i < copy.count; i++)
      if (move[i].from)
        on_read(self, move[i].from);
    for (uint32_t i = 0; i < copy.count; i++)
      on_write(self, move[i].to);
    return;
  }
  const uint32_t count = machine_operands(m, &copy, operand);
  for (uint32_t i = 0; on_read && i < count; i++)
    for (uint32_t k = 0; operand[i].reads && k < operand[i].words; k++)
      on_read(self, *operand[i].vreg + k);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; operand[i].writes && k < operand[i].words; k++)
      on_write(self, *operand[i].vreg + k);
}
