/* Constants that need a register are made right before their use and shared over a short distance. For uses in loops,
 * they are made once, before the outermost loop. spill.c makes them again at their uses when registers run out. */
#include "opencl/emit/select.h"
#include "sim/base/map.h"
#include "sim/base/vector.h"

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

void select_can_be_made_again(struct machine_function *m, const struct machine_inst *inst) {
  *vector_next(m->remat, m->remats, m->remat_room) = *inst;
  for (uint32_t i = 0; i < m->vreg[inst->d].words; i++)
    m->vreg[inst->d + i].remat = m->remats;
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

uint32_t select_constant_vreg(struct select *s, uint64_t imm, enum vreg_kind kind, uint32_t words) {
  const uint32_t block = above_loops(s->ir, s->at), key = kind == VREG_PRED ? 0 : words, now = s->m->block[block].count;
  const uint64_t hash = hash_join(hash_join(imm ^ imm >> 29, block), key);
  struct shared *row = NULL;
  for (size_t at = 0, i; !row && map_next(&s->by_imm, hash, &at, &i);)
    if (s->shared[i].imm == imm && s->shared[i].kind == key && s->shared[i].block == block)
      row = &s->shared[i];
  if (row && (block != s->at || now - row->used <= SHARED_WITHIN)) {
    row->used = now;
    return row->vreg;
  }
  if (!row) {
    map_add(&s->by_imm, hash, s->shared_count);
    row = vector_next(s->shared, s->shared_count, s->shared_room);
  }
  *row = (struct shared){imm, key, block, make_constant(s, block, imm, kind, words), now};
  return row->vreg;
}
