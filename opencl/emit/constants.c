/* Constants that need a register are made right before their use and shared over a short distance. For uses in loops,
 * they are made once, before the outermost loop. spill.c makes them again at their uses when registers run out. */
#include "opencl/emit/select.h"
#include "sim/base/need.h"

#include <stdlib.h>

enum { SHARED_WITHIN = 32 }; /* instructions between two uses that share one constant */

bool select_constant(struct select *s, ir_ref ref, uint32_t words, uint64_t *imm) {
  *imm = 0;
  for (uint32_t i = 0; i < words; i++) {
    const struct word word = ref ? select_words(s, ref)[i] : (struct word){0};
    if (word.is == WORD_VREG || i >= 2)
      return false;
    *imm |= (uint64_t)(word.is == WORD_CONST ? word.what : 0) << 32 * i;
  }
  return true;
}

/* The block where a constant for `block` is made: outside all loops. */
static uint32_t above_loops(const struct ir *ir, uint32_t block) {
  while (ir->block[block].loop != IR_NOWHERE)
    block = ir->block[ir->block[block].loop].dominator;
  return block;
}

void select_can_be_made_again(struct machine *m, const struct machine_inst *inst) {
  if (m->agains == m->again_room) {
    m->again_room = m->again_room ? 2 * m->again_room : 32;
    m->again = need_more(m->again, m->again_room, sizeof *m->again);
  }
  m->again[m->agains++] = *inst;
  for (uint32_t i = 0; i < m->vreg[inst->d].words; i++)
    m->vreg[inst->d + i].again = m->agains;
}

static uint32_t make_constant(struct select *s, uint32_t block, uint64_t imm, enum vreg_kind kind, uint32_t words) {
  const uint32_t head = machine_run(s->m, kind, words);
  const struct machine_inst mov = {.op = kind == VREG_PRED ? ISA_MOV_P
                                         : words == 2      ? ISA_MOV_64
                                                           : ISA_MOV_32,
                                   .flags = ISA_FLAG_IMM_A,
                                   .d = head,
                                   .imm = imm,
                                   .place = s->place};
  machine_append(&s->m->block[block], &mov);
  select_can_be_made_again(s->m, &mov);
  return head;
}

static struct shared *find_shared(struct select *s, uint64_t imm, uint32_t kind, uint32_t block) {
  uint64_t hash = (imm ^ imm >> 29 ^ (uint64_t)block << 7 ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
    struct shared *row = &s->shared[at & (s->shared_room - 1)];
    if (!row->vreg || (row->imm == imm && row->kind == kind && row->block == block))
      return row;
  }
}

static void grow_shared(struct select *s) {
  struct shared *old = s->shared;
  const uint32_t room = s->shared_room;
  s->shared_room = room ? 2 * room : 64;
  s->shared = need(s->shared_room, sizeof *s->shared);
  for (uint32_t i = 0; i < room; i++)
    if (old[i].vreg)
      *find_shared(s, old[i].imm, old[i].kind, old[i].block) = old[i];
  free(old);
}

uint32_t select_constant_vreg(struct select *s, uint64_t imm, enum vreg_kind kind, uint32_t words) {
  if (2 * s->shared_count >= s->shared_room)
    grow_shared(s);
  const uint32_t block = above_loops(s->ir, s->at), key = kind == VREG_PRED ? 0 : words;
  struct shared *row = find_shared(s, imm, key, block);
  const uint32_t now = s->m->block[block].count;
  if (row->vreg && (block != s->at || now - row->used <= SHARED_WITHIN)) {
    row->used = now;
    return row->vreg;
  }
  s->shared_count += !row->vreg;
  *row = (struct shared){.imm = imm, .kind = key, .block = block, .used = now};
  row->vreg = make_constant(s, block, imm, kind, words);
  return row->vreg;
}
