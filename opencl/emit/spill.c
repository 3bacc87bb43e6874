/* Moves what found no register: words to private memory, predicates to words. Results of instructions without operands
 * (constants, arguments, queries) are recomputed for each use. A bundle moves as a whole and becomes one run of its new
 * kind, so moves within it stay free. Each use loads into its own vreg, which lives for one instruction, and each
 * definition stores from one. Parallel copies access memory directly, with two scratch words.
 *
 * It terminates: a value moves at most from a predicate to a word and from a word to memory, and vregs that live for
 * one instruction are never chosen. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

enum how { STAYS, TO_MEMORY, TO_WORD, REMATERIALIZE };

struct home {
  uint8_t how;   /* enum how */
  bool copied;   /* a move reads its register (a constant in a move is its `value` instead) */
  uint32_t head; /* first vreg of the new run */
};

/* Stands in for another vreg in one instruction. */
struct temp {
  uint32_t of, words, vreg;
};

struct spill {
  struct machine_function *m;
  struct home *home; /* by first vreg of a bundle's root */
  struct home stays;
  struct machine_block out;
  struct temp temp[MACHINE_OPERANDS];
  uint32_t temps;
};

static struct home *home_of(struct spill *s, uint32_t vreg, uint32_t *offset) {
  if (vreg >= s->m->ranged) /* made in this round */
    return &s->stays;
  return &s->home[bundle_of(s->m, vreg, offset)->up];
}

static uint32_t new_unspillable(struct machine_function *m, enum vreg_kind kind, uint32_t words) {
  const uint32_t head = machine_run(m, kind, words);
  for (uint32_t i = 0; i < words; i++)
    m->vreg[head + i].unspillable = true;
  return head;
}

/* ---- new homes ------------------------------------------------------------------------------------- */

static void note_copied(struct spill *s) {
  struct machine_function *m = s->m;
  uint32_t offset;
  for (uint32_t i = 0; i < m->ordered; i++)
    for (uint32_t k = 0; k < m->block[m->order[i]].count; k++) {
      const struct machine_inst *inst = &m->block[m->order[i]].inst[k];
      for (uint32_t j = 0; inst->op == MACHINE_COPY && j < inst->count; j++)
        if (m->move[inst->list + j].from)
          home_of(s, m->move[inst->list + j].from, &offset)->copied = true;
    }
}

static bool can_rematerialize(const struct spill *s, const struct bundle *bundle) {
  return s->m->vreg[bundle->up].remat && bundle->next == bundle->up && !s->home[bundle->up].copied;
}

static bool choose(struct spill *s, enum vreg_kind kind) {
  struct machine_function *m = s->m;
  bool any = false;
  for (uint32_t v = 1; v < m->ranged; v += m->vreg[v].words) {
    const struct bundle *bundle = &m->bundle[v];
    if (bundle->up != v || m->vreg[v].kind != kind || !bundle->alive || bundle->place != UINT32_MAX ||
        bundle->unspillable)
      continue;
    any = true;
    struct home *home = &s->home[v];
    home->how = can_rematerialize(s, bundle) ? REMATERIALIZE : kind == VREG_PRED ? TO_WORD : TO_MEMORY;
    if (home->how != REMATERIALIZE)
      home->head = machine_run(m, kind == VREG_PRED ? VREG_WORD : VREG_MEMORY, bundle->words);
  }
  return any;
}

/* ---- instructions ----------------------------------------------------------------------------------- */

static void append(struct spill *s, struct machine_inst inst) { machine_append(&s->out, &inst); }

static void memory_access(struct spill *s, bool store, uint32_t vreg, uint32_t memory, uint32_t words,
                          struct ir_place place) {
  const uint32_t each = s->m->vreg[memory].index % words ? 1 : words;
  for (uint32_t i = 0; i < words; i += each) {
    struct machine_inst inst = {
        .op = (store ? isa_store : isa_load)(ISA_SPACE_PRIVATE, 4 * each), .memory = memory + i, .place = place};
    if (store)
      inst.c = vreg + i;
    else
      inst.d = vreg + i;
    append(s, inst);
  }
}

static uint32_t make_again(struct spill *s, uint32_t vreg, struct ir_place place) {
  struct machine_function *m = s->m;
  struct machine_inst inst = m->remat[m->vreg[vreg].remat - 1];
  inst.d = new_unspillable(m, m->vreg[vreg].kind, m->vreg[vreg].words);
  inst.place = place;
  append(s, inst);
  return inst.d + m->vreg[vreg].index;
}

static uint32_t fetch(struct spill *s, const struct home *home, uint32_t vreg, uint32_t offset, uint32_t words,
                      struct ir_place place) {
  if (home->how == REMATERIALIZE)
    return make_again(s, vreg, place);
  const uint32_t temp = new_unspillable(s->m, s->m->vreg[vreg].kind, words);
  if (home->how == TO_MEMORY)
    memory_access(s, false, temp, home->head + offset, words, place);
  else
    append(s, (struct machine_inst){
                  .op = ISA_SETP_NE_U32, .flags = ISA_FLAG_IMM_B, .d = temp, .a = home->head, .place = place});
  return temp;
}

static void store_spilled(struct spill *s, const struct home *home, uint32_t temp, uint32_t offset, uint32_t words,
                          struct ir_place place) {
  if (home->how == TO_MEMORY)
    memory_access(s, true, temp, home->head + offset, words, place);
  else
    append(s, (struct machine_inst){.op = ISA_CVT_U32_P, .d = home->head, .a = temp, .place = place});
}

static uint32_t read_temp(struct spill *s, const struct home *home, const struct machine_operand *operand,
                          uint32_t offset, struct ir_place place) {
  for (uint32_t i = 0; i < s->temps; i++)
    if (s->temp[i].of == *operand->vreg && s->temp[i].words == operand->words)
      return s->temp[i].vreg;
  const uint32_t vreg = fetch(s, home, *operand->vreg, offset, operand->words, place);
  s->temp[s->temps++] = (struct temp){*operand->vreg, operand->words, vreg};
  return vreg;
}

static void instruction(struct spill *s, struct machine_inst inst) {
  struct machine_operand operand[MACHINE_OPERANDS];
  const uint32_t count = machine_operands(s->m, &inst, operand);
  struct home written = {0};
  uint32_t offset = 0, written_offset = 0, written_words = 0;
  s->temps = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct home home = *home_of(s, *operand[i].vreg, &offset);
    if (home.how == STAYS)
      continue;
    if (home.how == REMATERIALIZE && operand[i].writes)
      return; /* each use makes its own */
    if (operand[i].writes) {
      written = home;
      written_offset = offset;
      written_words = operand[i].words;
    }
    *operand[i].vreg = operand[i].reads ? read_temp(s, &home, &operand[i], offset, inst.place)
                                        : new_unspillable(s->m, s->m->vreg[*operand[i].vreg].kind, operand[i].words);
  }
  append(s, inst);
  if (written.how != STAYS)
    store_spilled(s, &written, inst.d, written_offset, written_words, inst.place);
}

/* ---- copies ----------------------------------------------------------------------------------------- */

static uint32_t moved(struct spill *s, uint32_t vreg) {
  uint32_t offset = 0;
  const struct home *home = home_of(s, vreg, &offset);
  return home->how == STAYS ? vreg : home->head + offset;
}

static void copy(struct spill *s, struct machine_inst inst) {
  struct machine_function *m = s->m;
  bool room = inst.a != 0;
  bool wants = false;
  for (uint32_t i = 0; i < inst.count; i++) {
    struct machine_move *move = &m->move[inst.list + i];
    move->from = move->from ? moved(s, move->from) : 0;
    move->to = moved(s, move->to);
    wants |=
        m->vreg[move->to].kind == VREG_MEMORY || (move->from && m->vreg[move->from].kind != m->vreg[move->to].kind);
  }
  if (wants && !room) {
    inst.a = new_unspillable(m, VREG_WORD, 1);
    inst.b = new_unspillable(m, VREG_WORD, 1);
  }
  append(s, inst);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void block(struct spill *s, struct machine_block *at) {
  uint32_t offset = 0;
  s->out = (struct machine_block){0};
  for (uint32_t i = 0; i < at->count; i++)
    if (at->inst[i].op == MACHINE_COPY)
      copy(s, at->inst[i]);
    else
      instruction(s, at->inst[i]);
  if (at->condition) {
    const struct home home = *home_of(s, at->condition, &offset);
    if (home.how != STAYS)
      at->condition = fetch(s, &home, at->condition, offset, 1, at->place);
  }
  free(at->inst);
  at->inst = s->out.inst;
  at->count = s->out.count;
  at->room = s->out.room;
}

bool machine_spill(struct machine_function *m, enum vreg_kind kind) {
  struct spill s = {.m = m, .home = need(m->ranged, sizeof *s.home)};
  note_copied(&s);
  const bool any = choose(&s, kind);
  for (uint32_t i = 0; any && i < m->ordered; i++)
    block(&s, &m->block[m->order[i]]);
  free(s.home);
  return any;
}
