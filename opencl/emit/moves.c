/* A parallel copy reads everything before it writes anything. Sequential moves have the same effect if none overwrites
 * a place that is still to be read: moves whose target has no readers go first, and each frees its source. Only cycles
 * are left then. For each, one place is saved in a register that is free at that moment; if none is free, exclusive or
 * exchanges two places without a third.
 *
 * Consecutive moves of neighboring words become one instruction where there is one. */
#include "opencl/emit/moves.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <assert.h>
#include <stdlib.h>

/* Words, predicates and memory share one numbering. */
enum { PREDICATES_FROM = 256, MEMORY_FROM = PREDICATES_FROM + ISA_PREDICATES };
#define NO_SPOT UINT32_MAX

struct step {
  uint32_t to, from; /* spots; NO_SPOT: `value` */
  uint32_t value;
  bool done;
};

struct moves {
  const struct machine_function *m;
  uint32_t *readers; /* by spot: remaining moves that read it */
  uint32_t *writer;  /* by spot: 1 + the move that writes it; 0 for none */
  uint32_t *reader;  /* by spot: 1 + a remaining move that reads it */
  struct step *step;
  uint32_t steps;
  size_t room;
  /* Of the current copy: */
  struct code *code;
  struct ir_place place;
  uint32_t spare[2]; /* words for values in transit, or NO_SPOT */
  uint32_t fusible;  /* 1 + index in the code of this copy's last plain move of a word; 0 for none */
};

static enum vreg_kind kind_of(uint32_t spot) {
  return spot < PREDICATES_FROM ? VREG_WORD : spot < MEMORY_FROM ? VREG_PRED : VREG_MEMORY;
}

static uint32_t spot_of(const struct machine_function *m, uint32_t vreg) {
  static const uint32_t from[VREG_KINDS] = {0, PREDICATES_FROM, MEMORY_FROM};
  return from[m->vreg[vreg].kind] + machine_place(m, vreg);
}

struct moves *moves_new(const struct machine_function *m) {
  struct moves *x = need(1, sizeof *x);
  const size_t spots = MEMORY_FROM + m->used[VREG_MEMORY] + 1;
  x->m = m;
  x->readers = need(3 * spots, sizeof *x->readers);
  x->writer = x->readers + spots;
  x->reader = x->writer + spots;
  return x;
}

void moves_free(struct moves *x) {
  free(x->readers);
  free(x->step);
  free(x);
}

bool moves_are_none(const struct machine_function *m, const struct machine_inst *copy) {
  for (uint32_t i = 0; i < copy->count; i++) {
    const struct machine_move *move = &m->move[copy->list + i];
    if (!move->undefined && (!move->from || spot_of(m, move->from) != spot_of(m, move->to)))
      return false;
  }
  return true;
}

/* ---- instructions ------------------------------------------------------------------------------------- */

static void emit_inst(struct moves *x, enum isa_op op, uint8_t flags, uint32_t d, uint32_t a, uint32_t b,
                      uint64_t imm) {
  const struct isa_inst inst = {.op = (uint16_t)op,
                                .flags = flags,
                                .d = (uint8_t)d,
                                .a = (uint8_t)a,
                                .b = (uint8_t)b,
                                .c = ISA_NO_REGISTER,
                                .imm = imm};
  code_add(x->code, inst, x->place);
}

/* Merges two moves to neighboring words; neither reads what the other writes. */
static struct isa_inst fused(const struct isa_inst *low, const struct isa_inst *high) {
  struct isa_inst out = *low;
  const bool low_imm = low->flags, high_imm = high->flags;
  if (low_imm && high_imm) {
    out.op = ISA_MOV_64;
    out.imm = high->imm << 32 | low->imm;
  } else if (!low_imm && !high_imm && high->a == low->a + 1) {
    out.op = ISA_MOV_64;
  } else if (!low_imm && high_imm && high->imm == 0) {
    out.op = ISA_CVT_U64_U32;
  } else {
    out.op = ISA_PACK;
    out.b = high->a;
    out.imm = low_imm ? low->imm : high->imm;
    out.flags = low_imm ? ISA_FLAG_IMM_A : high_imm ? ISA_FLAG_IMM_B : 0;
  }
  return out;
}

static void put_word(struct moves *x, uint32_t d, uint32_t a, bool imm, uint32_t value) {
  const struct isa_inst now = {.op = ISA_MOV_32,
                               .flags = imm ? ISA_FLAG_IMM_A : 0,
                               .d = (uint8_t)d,
                               .a = (uint8_t)a,
                               .b = ISA_NO_REGISTER,
                               .c = ISA_NO_REGISTER,
                               .imm = value};
  struct isa_inst *last = x->fusible && x->fusible == x->code->count ? &x->code->at[x->fusible - 1].inst : NULL;
  if (last && (last->d + 1 == now.d || now.d + 1 == last->d) && (imm || now.a != last->d)) {
    *last = last->d < now.d ? fused(last, &now) : fused(&now, last);
    x->fusible = 0;
    return;
  }
  code_add(x->code, now, x->place);
  x->fusible = x->code->count;
}

static void put_memory(struct moves *x, bool store, uint32_t word, uint32_t spot) {
  const uint32_t address = code_spill_base(x->m) + 4 * (spot - MEMORY_FROM);
  const struct isa_inst inst = {.op = store ? ISA_ST_PRIVATE_32 : ISA_LD_PRIVATE_32,
                                .d = store ? ISA_NO_REGISTER : (uint8_t)word,
                                .a = ISA_NO_REGISTER,
                                .b = ISA_NO_REGISTER,
                                .c = store ? (uint8_t)word : ISA_NO_REGISTER,
                                .imm = address};
  code_add(x->code, inst, x->place);
}

static void to_word(struct moves *x, uint32_t to, const struct step *step) {
  if (step->from == NO_SPOT)
    put_word(x, to, ISA_NO_REGISTER, true, step->value);
  else if (kind_of(step->from) == VREG_WORD)
    put_word(x, to, step->from, false, 0);
  else if (kind_of(step->from) == VREG_PRED)
    emit_inst(x, ISA_CVT_U32_P, 0, to, step->from - PREDICATES_FROM, ISA_NO_REGISTER, 0);
  else
    put_memory(x, false, to, step->from);
}

static void to_predicate(struct moves *x, const struct step *step) {
  const uint32_t to = step->to - PREDICATES_FROM;
  uint32_t word = step->from;
  if (step->from == NO_SPOT) {
    emit_inst(x, ISA_MOV_P, ISA_FLAG_IMM_A, to, ISA_NO_REGISTER, ISA_NO_REGISTER, step->value & 1);
    return;
  }
  if (kind_of(step->from) == VREG_PRED) {
    emit_inst(x, ISA_MOV_P, 0, to, step->from - PREDICATES_FROM, ISA_NO_REGISTER, 0);
    return;
  }
  if (kind_of(step->from) == VREG_MEMORY)
    to_word(x, word = x->spare[1], step);
  emit_inst(x, ISA_SETP_NE_U32, ISA_FLAG_IMM_B, to, word, ISA_NO_REGISTER, 0);
}

static void to_memory(struct moves *x, const struct step *step) {
  uint32_t word = step->from;
  if (step->from == NO_SPOT || kind_of(step->from) != VREG_WORD)
    to_word(x, word = x->spare[1], step);
  put_memory(x, true, word, step->to);
}

static void put_step(struct moves *x, const struct step *step) {
  if (kind_of(step->to) == VREG_WORD)
    to_word(x, step->to, step);
  else if (kind_of(step->to) == VREG_PRED)
    to_predicate(x, step);
  else
    to_memory(x, step);
}

/* ---- the order ---------------------------------------------------------------------------------------- */

static void add_steps(struct moves *x, const struct machine_inst *copy) {
  const struct machine_function *m = x->m;
  x->step = vector_room(x->step, &x->room, copy->count, sizeof *x->step);
  x->steps = 0;
  for (uint32_t i = 0; i < copy->count; i++) {
    const struct machine_move *move = &m->move[copy->list + i];
    const uint32_t to = spot_of(m, move->to), from = move->from ? spot_of(m, move->from) : NO_SPOT;
    if (move->undefined || to == from)
      continue;
    x->step[x->steps++] = (struct step){to, from, move->value, false};
    x->writer[to] = x->steps;
    if (from != NO_SPOT)
      x->readers[from]++;
  }
}

/* Makes a move whose target has no readers left, and then the moves that this frees. */
static void do_chain(struct moves *x, uint32_t at) {
  for (uint32_t left = at + 1; left && !x->step[left - 1].done && !x->readers[x->step[left - 1].to];) {
    struct step *step = &x->step[left - 1];
    put_step(x, step);
    step->done = true;
    if (step->from == NO_SPOT)
      return;
    x->readers[step->from]--;
    left = x->writer[step->from];
  }
}

static void exchange(struct moves *x, uint32_t a, uint32_t b) {
  const bool words = kind_of(a) == VREG_WORD;
  const enum isa_op op = words ? ISA_XOR_32 : ISA_XOR_P;
  if (!words) {
    a -= PREDICATES_FROM;
    b -= PREDICATES_FROM;
  }
  emit_inst(x, op, 0, a, a, b, 0);
  emit_inst(x, op, 0, b, a, b, 0);
  emit_inst(x, op, 0, a, a, b, 0);
}

static uint32_t idle_spot(const struct moves *x, enum vreg_kind kind, uint32_t number) {
  if (x->spare[0] != NO_SPOT)
    return x->spare[0];
  const uint32_t idle = machine_idle(x->m, kind, number);
  return idle == UINT32_MAX ? NO_SPOT : kind == VREG_PRED ? PREDICATES_FROM + idle : idle;
}

/* A cycle of places of one kind, resolved by exchanges; each exchange settles one place. */
static void turn_circle(struct moves *x, uint32_t at) {
  const uint32_t first = x->step[at].to;
  for (;;) {
    struct step *step = &x->step[at];
    step->done = true;
    x->readers[step->from]--;
    if (step->from == first)
      return;
    exchange(x, step->to, step->from);
    at = x->writer[step->from] - 1;
  }
}

static void do_circle(struct moves *x, uint32_t at, uint32_t number) {
  const uint32_t to = x->step[at].to;
  const uint32_t idle = idle_spot(x, kind_of(to), number);
  if (idle == NO_SPOT) {
    turn_circle(x, at);
    return;
  }
  struct step aside = {idle, to, 0, false};
  put_step(x, &aside);
  x->step[x->reader[to] - 1].from = idle;
  x->readers[to]--;
  x->readers[idle]++;
  do_chain(x, at);
}

static void forget(struct moves *x) {
  for (uint32_t i = 0; i < x->steps; i++) {
    x->writer[x->step[i].to] = 0;
    assert(x->step[i].done && "every move of a copy is made");
  }
}

void moves_emit(struct moves *x, const struct machine_inst *copy, uint32_t number, struct code *code) {
  x->code = code;
  x->place = copy->place;
  x->fusible = 0;
  x->spare[0] = copy->a ? machine_place(x->m, copy->a) : NO_SPOT;
  x->spare[1] = copy->b ? machine_place(x->m, copy->b) : NO_SPOT;
  add_steps(x, copy);
  for (uint32_t i = 0; i < x->steps; i++)
    do_chain(x, i);
  for (uint32_t i = 0; i < x->steps; i++)
    if (!x->step[i].done)
      x->reader[x->step[i].from] = i + 1;
  for (uint32_t i = 0; i < x->steps; i++)
    if (!x->step[i].done)
      do_circle(x, i, number);
  forget(x);
}
