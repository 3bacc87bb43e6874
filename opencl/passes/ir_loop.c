#include "opencl/passes/ir_loop.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

/* ---- shape ------------------------------------------------------------------------------------------- */

static bool find_entries(const struct ir *ir, struct ir_loop *loop) {
  const struct ir_block *header = &ir->block[loop->header];
  if (header->from_count != 2)
    return false;
  const bool first = ir_in_loop(ir, header->from[0], loop->header);
  if (first == ir_in_loop(ir, header->from[1], loop->header))
    return false;
  loop->latch = header->from[!first];
  loop->entry = header->from[first];
  return ir->block[loop->latch].end == IR_END_GOTO;
}

static bool find_exit(const struct ir *ir, struct ir_loop *loop) {
  const struct ir_block *header = &ir->block[loop->header];
  if (header->end != IR_END_IF)
    return false;
  const bool first = ir_in_loop(ir, header->to[0], loop->header);
  if (first == ir_in_loop(ir, header->to[1], loop->header))
    return false;
  loop->body = header->to[!first];
  loop->after = header->to[first];
  return loop->body != loop->header;
}

/* Collects the blocks; false if a block other than the header leads out. */
static bool gather(const struct ir *ir, struct ir_loop *loop) {
  loop->block = need(ir->ordered, sizeof *loop->block);
  for (uint32_t i = ir->block[loop->header].order; i < ir->ordered; i++) {
    const uint32_t number = ir->order[i];
    if (!ir_in_loop(ir, number, loop->header))
      break; /* the order keeps a loop's blocks together */
    loop->block[loop->blocks++] = number;
    for (uint32_t side = 0; number != loop->header && side < ends(&ir->block[number]); side++)
      if (!ir_in_loop(ir, ir->block[number].to[side], loop->header))
        return false;
    if (ir->block[number].end == IR_END_EXIT)
      return false;
  }
  return true;
}

bool ir_loop_find(const struct ir *ir, uint32_t header, struct ir_loop *loop) {
  *loop = (struct ir_loop){.header = header};
  if (find_entries(ir, loop) && find_exit(ir, loop) && gather(ir, loop))
    return true;
  ir_loop_free(loop);
  return false;
}

void ir_loop_free(struct ir_loop *loop) {
  free(loop->block);
  loop->block = NULL;
  loop->blocks = 0;
}

/* ---- counters ---------------------------------------------------------------------------------------- */

static bool changes(const struct ir *ir, const struct ir_loop *loop, ir_ref ref) {
  const uint32_t block = ir->inst[ref].block;
  return block != IR_NOWHERE && ir_in_loop(ir, block, loop->header);
}

static bool is_phi_of(const struct ir *ir, const struct ir_loop *loop, ir_ref ref) {
  return ir->inst[ref].op == IR_PHI && ir->inst[ref].block == loop->header;
}

/* Is the phi increased or decreased by a value that is not constant? */
static bool grows_by_values(const struct ir *ir, ir_ref phi) {
  const struct ir_inst *inst = &ir->inst[phi];
  for (uint32_t i = 1; i < inst->count; i += 2) {
    const ir_ref next = ir->operand[inst->operands + i];
    for (uint32_t side = 0; side < 2; side++)
      if (ir_operand(ir, next, side) == phi && !ir_is_const(ir, ir_operand(ir, next, !side)))
        return true;
  }
  return false;
}

bool ir_loops_ask(const struct ir *ir) {
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const uint32_t header = ir->order[i];
    for (uint32_t side = 0; side < 2 && ir->block[header].loop == header; side++) {
      const ir_ref ref = ir_operand(ir, ir->block[header].condition, side);
      if (ref && ir->inst[ref].op == IR_PHI && ir->inst[ref].block == header && grows_by_values(ir, ref))
        return true;
    }
  }
  return false;
}

/* Finds how much the phi changes per iteration; false if it does not change, or by an unsuitable amount. */
static bool find_step(const struct ranges *ranges, const struct ir_loop *loop, struct counter *counter) {
  const struct ir *ir = ranges->ir;
  const ir_ref next = phi_value(ir, counter->phi, loop->latch);
  const enum kind kind = kind_of(ir->inst[next].op);
  const bool swapped = kind == KIND_ADD && ir_operand(ir, next, 1) == counter->phi;
  const ir_ref with = ir_operand(ir, next, swapped), by = ir_operand(ir, next, !swapped);
  if ((kind != KIND_ADD && kind != KIND_SUB) || with != counter->phi || changes(ir, loop, by))
    return false;
  counter->by = by;
  counter->down = kind == KIND_SUB;
  const struct range range = range_of(ranges, by);
  return !range_empty(range) && range.least >= 1 && range.most <= MOST_STEP;
}

/* The same for a sum with a negative constant, the canonical form of a difference. */
static bool find_negative_step(struct ir *ir, const struct ir_loop *loop, struct counter *counter) {
  const ir_ref next = phi_value(ir, counter->phi, loop->latch), by = ir_operand(ir, next, 1);
  if (kind_of(ir->inst[next].op) != KIND_ADD || ir_operand(ir, next, 0) != counter->phi || !ir_is_const(ir, by))
    return false;
  const int64_t step = kind_signed(ir->inst[by].imm, counter->bits);
  if (step >= 0 || step < -MOST_STEP)
    return false;
  counter->by = ir_const(ir, kind_width(counter->bits), (uint64_t)-step);
  return counter->down = true;
}

/* A loop that counts up continues while below its bound; one that counts down, while above. */
static bool leads_there(const struct ir *ir, const struct counter *counter) {
  switch (counter->kind) {
  case KIND_LT_S:
  case KIND_LT_U:
  case KIND_LE_S:
  case KIND_LE_U:
    return !counter->down;
  case KIND_GT_S:
  case KIND_GT_U:
  case KIND_GE_S:
  case KIND_GE_U:
    return counter->down;
  case KIND_NE_U:
    return is_value(ir, counter->by, 1);
  default:
    return false;
  }
}

bool ir_loop_counter(struct ir *ir, const struct ranges *ranges, const struct ir_loop *loop, struct counter *counter) {
  const struct ir_block *header = &ir->block[loop->header];
  const ir_ref question = header->condition;
  uint16_t op = ir->inst[question].op;
  if (kind_of(op) == KIND_OTHER || !kind_is_compare(kind_of(op)))
    return false;
  counter->bits = kind_bits(op);
  if (header->to[0] != loop->body)
    op = (uint16_t)op_complement(op);
  counter->kind = kind_of(op);
  counter->phi = ir_operand(ir, question, 0);
  counter->bound = ir_operand(ir, question, 1);
  if (!is_phi_of(ir, loop, counter->phi)) {
    counter->phi = ir_operand(ir, question, 1);
    counter->bound = ir_operand(ir, question, 0);
    counter->kind = kind_swapped(counter->kind);
  }
  return is_phi_of(ir, loop, counter->phi) && !changes(ir, loop, counter->bound) &&
         (find_negative_step(ir, loop, counter) || find_step(ranges, loop, counter)) && leads_there(ir, counter);
}

uint32_t ir_loop_count(const struct ir *ir, const struct ir_loop *loop, const struct counter *counter) {
  const ir_ref first = phi_value(ir, counter->phi, loop->entry);
  if (!ir_is_const(ir, first) || !ir_is_const(ir, counter->bound) || !ir_is_const(ir, counter->by))
    return UINT32_MAX;
  const unsigned bits = counter->bits;
  const uint64_t from = ir->inst[first].imm, to = ir->inst[counter->bound].imm, by = ir->inst[counter->by].imm;
  const bool is_signed = counter->kind == KIND_LT_S || counter->kind == KIND_GT_S;
  if (counter->kind != KIND_NE_U && !is_signed && counter->kind != KIND_LT_U && counter->kind != KIND_GT_U)
    return UINT32_MAX;
  /* Flipping the sign bit puts signed numbers into unsigned order. */
  const uint64_t sign = is_signed ? UINT64_C(1) << (bits - 1) : 0, mask = kind_mask(bits);
  const uint64_t low = (counter->down ? to : from) ^ sign, high = (counter->down ? from : to) ^ sign;
  if (counter->kind != KIND_NE_U && (high <= low || (counter->down ? low < by : high > mask - by)))
    return UINT32_MAX;
  const uint64_t distance = ((high & mask) - (low & mask)) & mask;
  const uint64_t turns = distance / by + (distance % by != 0);
  return turns < UINT32_MAX ? (uint32_t)turns : UINT32_MAX;
}

/* ---- counting by execution ------------------------------------------------------------------------------ */

enum { MOST_DEEP = 32 };

/* Clears the room for `count` values or blocks. The arrays stay with the kernel: allocating them for each of a thousand
 * loops takes longer than the work on the loops. */
static struct ir_room *room_begin(struct ir_room *room, uint32_t count) {
  const size_t before = room->room;
  room->at = vector_room(room->at, &room->room, count, sizeof *room->at);
  if (room->room > before)
    memset(room->at + before, 0, (room->room - before) * sizeof *room->at);
  room->now++;
  return room;
}

static void room_set(struct ir_room *room, uint32_t at, uint32_t value) {
  room->at[at].value = value;
  room->at[at].stamp = room->now;
}

static bool room_has(const struct ir_room *room, uint32_t at) { return room->at[at].stamp == room->now; }

/* Values in one iteration: the ref of a constant, or 0 if unknown. */
struct turn {
  struct ir *ir;
  const struct ir_loop *loop;
  struct ir_room *room;
  uint32_t known; /* values with this ref or above were made later: unknown */
};

static ir_ref fold(struct turn *turn, ir_ref ref, unsigned deep) {
  struct ir *ir = turn->ir;
  if (!ref || ir_is_const(ir, ref))
    return ref;
  if (ref >= turn->known || !changes(ir, turn->loop, ref))
    return 0;
  if (room_has(turn->room, ref))
    return turn->room->at[ref].value;
  const struct ir_inst inst = ir->inst[ref];
  uint64_t operand[3] = {0}, result;
  room_set(turn->room, ref, 0);
  if (inst.op == IR_PHI || inst.count > 3 || deep == MOST_DEEP)
    return 0;
  for (uint32_t i = 0; i < inst.count; i++) {
    const ir_ref given = ir->operand[inst.operands + i], value = fold(turn, given, deep + 1);
    if (given && !value)
      return 0;
    operand[i] = value ? ir->inst[value].imm : 0;
  }
  if (fold_alu(inst.op, operand, &result))
    room_set(turn->room, ref, ir_const(ir, (enum ir_width)inst.width, result));
  return turn->room->at[ref].value;
}

static uint32_t phis_of(const struct ir *ir, uint32_t block) {
  uint32_t count = 0;
  while (count < ir->block[block].count && ir->inst[ir->block[block].inst[count]].op == IR_PHI)
    count++;
  return count;
}

/* Computes the phis for the next iteration (for the first, if `from` is the entry) from the current values. */
static void next_turn(struct turn *turn, uint32_t from, ir_ref *next, uint32_t phis) {
  const ir_ref *phi = turn->ir->block[turn->loop->header].inst;
  for (uint32_t k = 0; k < phis; k++)
    next[k] = fold(turn, phi_value(turn->ir, phi[k], from), 0);
  room_begin(turn->room, turn->known);
  phi = turn->ir->block[turn->loop->header].inst;
  for (uint32_t k = 0; k < phis; k++)
    room_set(turn->room, phi[k], next[k]);
}

/* The first iteration. `next` has room for its phis. */
static struct turn first_turn(struct ir *ir, const struct ir_loop *loop, ir_ref *next, uint32_t phis) {
  struct turn turn = {ir, loop, room_begin(&ir->turn, ir->count), ir->count};
  next_turn(&turn, loop->entry, next, phis);
  return turn;
}

/* Does this iteration run the body? *known is false if that cannot be decided. */
static bool goes_on(struct turn *turn, bool *known) {
  const ir_ref question = fold(turn, turn->ir->block[turn->loop->header].condition, 0);
  *known = question != 0;
  return question && turn->ir->block[turn->loop->header].to[!turn->ir->inst[question].imm] == turn->loop->body;
}

uint32_t ir_loop_turns(struct ir *ir, const struct ir_loop *loop, uint32_t most) {
  const uint32_t phis = phis_of(ir, loop->header);
  ir_ref *next = need(phis + 1, sizeof *next);
  struct turn turn = first_turn(ir, loop, next, phis);
  uint32_t turns = 0;
  bool known;
  while (goes_on(&turn, &known) && turns <= most) {
    next_turn(&turn, loop->latch, next, phis);
    turns++;
  }
  free(next);
  return known && turns <= most ? turns : UINT32_MAX;
}

bool ir_loop_begins(struct ir *ir, const struct ir_loop *loop) {
  const uint32_t phis = phis_of(ir, loop->header);
  ir_ref *next = need(phis + 1, sizeof *next);
  struct turn turn = first_turn(ir, loop, next, phis);
  bool known;
  const bool begins = goes_on(&turn, &known);
  free(next);
  return begins;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

void copies_begin(struct copies *copies, struct ir *ir, const struct ir_loop *loop) {
  *copies = (struct copies){
      ir, loop, room_begin(&ir->copy, ir->count), room_begin(&ir->copy_block, ir->blocks), ir->count, ir->blocks};
}

ir_ref copies_value(const struct copies *copies, ir_ref ref) {
  const bool known = ref < copies->values && room_has(copies->value, ref) && copies->value->at[ref].value;
  return known ? copies->value->at[ref].value : ref;
}

void copies_start(struct copies *copies, const ir_ref *phi) {
  const struct ir_block *header = &copies->ir->block[copies->loop->header];
  const uint32_t phis = phis_of(copies->ir, copies->loop->header);
  for (uint32_t i = 0; i < copies->loop->blocks; i++) {
    const struct ir_block *block = &copies->ir->block[copies->loop->block[i]];
    for (uint32_t k = 0; k < block->count; k++)
      room_set(copies->value, block->inst[k], 0);
  }
  for (uint32_t k = 0; phi && k < phis; k++)
    room_set(copies->value, header->inst[k], phi[k]);
}

void copies_turn(struct copies *copies, uint32_t from) {
  const struct ir *ir = copies->ir;
  const uint32_t phis = phis_of(ir, copies->loop->header);
  ir_ref *next = need(phis + 1, sizeof *next);
  for (uint32_t k = 0; k < phis; k++)
    next[k] = copies_value(copies, phi_value(ir, ir->block[copies->loop->header].inst[k], from));
  copies_start(copies, next);
  free(next);
}

static void copy_inst(struct copies *copies, uint32_t block, ir_ref ref) {
  struct ir *ir = copies->ir;
  const struct ir_inst inst = ir->inst[ref];
  ir_ref *operand = need(inst.count + 1, sizeof *operand);
  for (uint32_t i = 0; i < inst.count; i++) /* bind() maps blocks and values once all copies exist */
    operand[i] = ir->operand[inst.operands + i];
  const ir_ref copy = ir_make(ir, inst.op, (enum ir_width)inst.width, operand, inst.count, inst.imm, inst.place);
  ir->inst[copy].guard = inst.guard;
  ir->inst[copy].guard_not = inst.guard_not;
  ir->inst[copy].is_volatile = inst.is_volatile;
  ir->inst[copy].no_wrap = inst.no_wrap;
  ir->inst[copy].order = inst.order;
  ir->inst[copy].keep = inst.keep;
  room_set(copies->value, ref, copy);
  ir_append(ir, block, copy);
  free(operand);
}

static uint32_t block_of(const struct copies *copies, uint32_t block) {
  return block < copies->blocks && room_has(copies->block, block) ? copies->block->at[block].value : IR_NOWHERE;
}

/* Maps an instruction's operands to their copies. */
static void bind(const struct copies *copies, ir_ref ref) {
  struct ir *ir = copies->ir;
  struct ir_inst *inst = &ir->inst[ref];
  ir_ref *operand = ir->operand + inst->operands;
  for (uint32_t i = 0; i < inst->count; i++)
    operand[i] = inst->op == IR_PHI && i % 2 == 0 ? block_of(copies, operand[i]) : copies_value(copies, operand[i]);
  inst->guard = copies_value(copies, inst->guard);
  inst->keep = copies_value(copies, inst->keep);
}

static void copy_end(struct copies *copies, uint32_t from, uint32_t to) {
  struct ir *ir = copies->ir;
  const struct ir_block block = ir->block[from];
  if (block.end == IR_END_IF)
    ir_if(ir, to, copies_value(copies, block.condition), block_of(copies, block.to[0]), block_of(copies, block.to[1]),
          block.place);
  else
    ir_goto(ir, to, block_of(copies, block.to[0]), block.place);
}

/* Copies one iteration, header and body, into new blocks. Returns the first of them; *latch is the last, whose end is
 * still open. */
static uint32_t add_turn(struct copies *copies, uint32_t *latch) {
  struct ir *ir = copies->ir;
  const struct ir_loop *loop = copies->loop;
  for (uint32_t i = 0; i < loop->blocks; i++) {
    const uint32_t from = loop->block[i], to = ir_block_new(ir);
    room_set(copies->block, from, to);
    ir->block[to].copies = i ? ir->block[from].copies : 0;
    for (uint32_t k = i ? 0 : phis_of(ir, from); k < ir->block[from].count; k++)
      copy_inst(copies, to, ir->block[from].inst[k]);
  }
  for (uint32_t i = 0; i < loop->blocks; i++) {
    const uint32_t from = loop->block[i], to = block_of(copies, from);
    for (uint32_t k = 0; k < ir->block[to].count; k++)
      bind(copies, ir->block[to].inst[k]);
    if (i && from != loop->latch)
      copy_end(copies, from, to);
  }
  const uint32_t first = block_of(copies, loop->header);
  ir_goto(ir, first, block_of(copies, loop->body), ir->block[loop->header].place);
  *latch = block_of(copies, loop->latch);
  return first;
}

void copies_add(struct copies *copies, uint32_t turns, uint32_t *first, uint32_t *last) {
  struct ir *ir = copies->ir;
  for (uint32_t turn = 0; turn < turns; turn++) {
    uint32_t latch;
    const uint32_t next = add_turn(copies, &latch);
    if (turn)
      ir_goto(ir, *last, next, ir->block[copies->loop->latch].place);
    else
      *first = next;
    *last = latch;
    copies_turn(copies, copies->loop->latch);
  }
}

void copies_bring(const struct copies *copies, uint32_t old, uint32_t from) {
  struct ir *ir = copies->ir;
  const struct ir_block *header = &ir->block[copies->loop->header];
  for (uint32_t k = 0; k < header->count && ir->inst[header->inst[k]].op == IR_PHI; k++)
    phi_set(ir, header->inst[k], old, copies_value(copies, header->inst[k]));
  phis_rename(ir, copies->loop->header, old, from);
}
