/* Loops become several copies of their body.
 *
 *     wholly       turns that are known, few enough: as many copies, no loop
 *     by a factor  turns that are known: those that the factor leaves over go in front, then a loop of `factor` bodies
 *     ahead        a counter with a fixed step: a loop of `factor` bodies that runs while as many turns are left, in
 *                  front of the loop as it was, which does the rest
 *
 * Where the source asks (`#pragma unroll`, opencl_unroll_hint), as far as it asks. From level 2 on also elsewhere, if
 * the copies stay small: loads of several turns are under way at once then, addresses become constants beside a base,
 * and the question at the end of a turn is asked less often. What is small, and by which factors, is what NVIDIA's
 * compiler for an H200 was seen to do with some fifty loops. A report names lines, not copies, so the copies of a
 * line's load are told together.
 *
 * Left alone: loops within which there is one more, until that is unrolled wholly; loops with other ways out than their
 * header; ahead, loops with operations across lanes, as lanes with different numbers of turns would part; and, where
 * hazards are looked for, loops with what a work-group does together, of which each turn must be reached by all. */
#include "opencl/ir/log.h"
#include "opencl/passes/address.h"
#include "opencl/passes/ir_loop.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum {
  MOST_TURNS = 400,  /* that are tried out one by one */
  ASKED_TURNS = 64,  /* copies at most, where the source asks */
  ASKED_SIZE = 2048, /* instructions of all copies, likewise */
  WHOLE_SIZE = 400,  /* where it does not ask: of a loop that goes */
  ARRAY_SIZE = 2000, /* of one that uses private memory: an array of which every index is known needs none */
  FACTOR_SIZE = 150, /* of a loop of known turns that stays */
  AHEAD_SIZE = 240,  /* of one whose turns nobody knows */
  BATCH_SIZE = 144,  /* of one that only loads and computes: many loads at once */
  AHEAD_FACTOR = 4,
  BATCH_FACTOR = 16,
  MOST_FACTOR = 8,
};

/* What is in a loop, as far as it matters here. */
struct contents {
  uint32_t size; /* instructions, without what becomes part of addressing modes */
  bool loads, writes, lanes, private, together;
};

struct unroll {
  struct ir *ir;
  bool *leads; /* by value: only to an address */
  uint32_t known;
  ir_ref *with;         /* what stands for phis of loops that are gone */
  struct ranges ranges; /* of before any loop was changed: what was made since is not in them, and may be anything */
  bool *stale;          /* by header: something in the loop is not as it was when it was analysed */
};

/* ---- what it would cost ----------------------------------------------------------------------------- */

static uint32_t size_of(const struct unroll *unroll, ir_ref ref) {
  const struct ir_inst *inst = &unroll->ir->inst[ref];
  if (inst->op >= ISA_OPS || (ref < unroll->known && unroll->leads[ref]))
    return 0;
  return 1;
}

static bool across_lanes(const struct ir_inst *inst) {
  return isa_rows[inst->op].class_ == ISA_CLASS_LANE || isa_rows[inst->op].class_ == ISA_CLASS_VOTE;
}

static void look_at(const struct unroll *unroll, ir_ref ref, struct contents *contents) {
  const struct ir *ir = unroll->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  contents->size += size_of(unroll, ref);
  if (inst->op >= ISA_OPS)
    return;
  const uint8_t format = isa_rows[inst->op].format;
  contents->loads |= format == FORMAT_LOAD_GLOBAL || format == FORMAT_LOAD_LDS;
  contents->lanes |= across_lanes(inst);
  contents->together |= ir_is_convergent(ir, ref) && !across_lanes(inst);
  contents->private |= format == FORMAT_LOAD_PRIVATE || format == FORMAT_STORE_PRIVATE;
  contents->writes |= !ir_is_removable(ir, ref);
}

static struct contents contents_of(const struct unroll *unroll, const struct ir_loop *loop) {
  const struct ir *ir = unroll->ir;
  struct contents contents = {.size = 1};
  for (uint32_t i = 0; i < loop->blocks; i++) {
    const struct ir_block *block = &ir->block[loop->block[i]];
    for (uint32_t k = 0; k < block->count; k++)
      look_at(unroll, block->inst[k], &contents);
  }
  return contents;
}

/* ---- the three ways --------------------------------------------------------------------------------- */

/* Where the edge from the entry to the header leads now. */
static void enter_at(struct ir *ir, const struct ir_loop *loop, uint32_t to) {
  struct ir_block *block = &ir->block[loop->entry];
  for (uint32_t side = 0; side < ends(block); side++)
    if (block->to[side] == loop->header)
      block->to[side] = to;
}

/* `turns` copies go in the way from the entry to the header. */
static void peel(struct unroll *unroll, struct ir_loop *loop, uint32_t turns) {
  struct ir *ir = unroll->ir;
  struct copies copies;
  uint32_t first, last;
  if (!turns)
    return;
  copies_begin(&copies, ir, loop);
  copies_start(&copies, NULL);
  copies_turn(&copies, loop->entry);
  copies_add(&copies, turns, &first, &last);
  enter_at(ir, loop, first);
  ir_goto(ir, last, loop->header, ir->block[loop->latch].place);
  copies_bring(&copies, loop->entry, last);
  loop->entry = last;
}

/* All turns are in front: the header's own instructions remain as the last question. */
static void unroll_wholly(struct unroll *unroll, struct ir_loop *loop, uint32_t turns) {
  struct ir *ir = unroll->ir;
  peel(unroll, loop, turns);
  struct ir_block *header = &ir->block[loop->header];
  uint32_t phis = 0;
  for (; phis < header->count && ir->inst[header->inst[phis]].op == IR_PHI; phis++) {
    unroll->with[header->inst[phis]] = phi_value(ir, header->inst[phis], loop->entry);
    ir->inst[header->inst[phis]].block = IR_NOWHERE;
  }
  header->count -= phis;
  memmove(header->inst, header->inst + phis, header->count * sizeof *header->inst);
  ir_goto(ir, loop->header, loop->after, header->place);
}

/* The body is followed by `factor` - 1 copies of itself, none of which asks. */
static void multiply(struct unroll *unroll, const struct ir_loop *loop, uint32_t factor) {
  struct ir *ir = unroll->ir;
  const struct ir_place place = ir->block[loop->latch].place;
  struct copies copies;
  uint32_t first, last;
  copies_begin(&copies, ir, loop);
  copies_start(&copies, NULL);
  copies_turn(&copies, loop->latch);
  copies_add(&copies, factor - 1, &first, &last);
  ir_goto(ir, loop->latch, first, place);
  ir_goto(ir, last, loop->header, place);
  copies_bring(&copies, loop->latch, last);
}

static ir_ref put(struct ir *ir, uint32_t block, uint16_t op, ir_ref a, ir_ref b, ir_ref c, struct ir_place place) {
  const ir_ref operand[] = {a, b, c};
  const ir_ref made = ir_make(ir, op, ir_width_of((enum isa_op)op), operand, c ? 3 : b ? 2 : 1, 0, place);
  ir_append(ir, block, made);
  return made;
}

/* Whether `ahead` further turns are certain, at the counter's value `now`: a predicate in `block`. What only depends on
 * the bound is computed in `before`. Exact whatever the bound is: where it is so near the end of all numbers that
 * bound - ahead * step would wrap, the answer is no. */
static ir_ref are_left(struct ir *ir, const struct counter *counter, uint32_t before, uint32_t block, ir_ref now,
                       uint64_t ahead, struct ir_place place) {
  const unsigned bits = counter->bits;
  const enum ir_width width = kind_width(bits);
  if (counter->kind == KIND_NE_U) {
    const ir_ref left = put(ir, block, kind_op(KIND_SUB, bits), counter->down ? now : counter->bound,
                            counter->down ? counter->bound : now, 0, place);
    return put(ir, block, kind_op(KIND_GT_U, bits), left, ir_const(ir, width, ahead), 0, place);
  }
  const bool up = !counter->down;
  const bool is_signed = counter->kind == KIND_LT_S || counter->kind == KIND_LE_S || counter->kind == KIND_GT_S ||
                         counter->kind == KIND_GE_S;
  const ir_ref by = put(ir, before, kind_op(KIND_MUL, bits), counter->by, ir_const(ir, width, ahead), 0, place);
  const ir_ref bound = put(ir, before, kind_op(up ? KIND_SUB : KIND_ADD, bits), counter->bound, by, 0, place);
  const enum kind nearer = up ? (is_signed ? KIND_LT_S : KIND_LT_U) : is_signed ? KIND_GT_S : KIND_GT_U;
  const ir_ref holds = put(ir, before, kind_op(nearer, bits), bound, counter->bound, 0, place);
  if (counter->kind != nearer)
    return put(ir, block, ISA_AND_P, put(ir, block, kind_op(counter->kind, bits), now, bound, 0, place), holds, 0,
               place);
  /* Nothing is below the least number, and nothing above the most: one question instead of two. */
  const uint64_t low = is_signed ? UINT64_C(1) << (bits - 1) : 0, high = (low - 1) & kind_mask(bits);
  const ir_ref never = ir_const(ir, width, up ? low : high);
  const ir_ref limit = put(ir, before, kind_op(KIND_SEL, bits), bound, never, holds, place);
  return put(ir, block, kind_op(counter->kind, bits), now, limit, 0, place);
}

/* A loop of `factor` bodies in front of the loop. */
static void unroll_ahead(struct unroll *unroll, struct ir_loop *loop, const struct counter *counter, uint32_t factor) {
  struct ir *ir = unroll->ir;
  const struct ir_place place = ir->block[loop->header].place;
  const uint32_t before = ir_block_new(ir), front = ir_block_new(ir);
  struct copies copies;
  uint32_t phis = 0, first, last;
  ir_ref now = 0;
  copies_begin(&copies, ir, loop);
  ir_ref *phi = need(ir->block[loop->header].count + 1, sizeof *phi);
  for (; phis < ir->block[loop->header].count; phis++) {
    const ir_ref old = ir->block[loop->header].inst[phis];
    if (ir->inst[old].op != IR_PHI)
      break;
    phi[phis] = ir_make(ir, IR_PHI, (enum ir_width)ir->inst[old].width, NULL, 0, 0, ir->inst[old].place);
    ir_phi_add(ir, phi[phis], before, phi_value(ir, old, loop->entry));
    ir_append(ir, front, phi[phis]);
    if (old == counter->phi)
      now = phi[phis];
  }
  enter_at(ir, loop, before);
  ir_goto(ir, before, front, place);
  const ir_ref left = are_left(ir, counter, before, front, now, factor - 1, place);
  copies_start(&copies, phi);
  copies_add(&copies, factor, &first, &last);
  ir_goto(ir, last, front, ir->block[loop->latch].place);
  for (uint32_t k = 0; k < phis; k++) {
    const ir_ref old = ir->block[loop->header].inst[k];
    ir_phi_add(ir, phi[k], last, copies_value(&copies, old));
    phi_set(ir, old, loop->entry, phi[k]);
  }
  ir_if(ir, front, left, first, loop->header, place);
  phis_rename(ir, loop->header, loop->entry, front);
  ir->block[front].copies = 1;
  loop->entry = front;
  free(phi);
}

/* ---- which --------------------------------------------------------------------------------------- */

/* Below level 2, only straight lines are copied. */
static bool may_copy(const struct ir *ir, const struct ir_loop *loop) {
  if (ir->target.optimize >= 2)
    return true;
  for (uint32_t i = 0; i < loop->blocks; i++)
    for (uint32_t k = 0; k < ir->block[loop->block[i]].count; k++)
      if (ir_is_convergent(ir, ir->block[loop->block[i]].inst[k]))
        return false;
  return loop->blocks <= 2;
}

static bool has_loops(const struct ir *ir, const struct ir_loop *loop) {
  for (uint32_t i = 0; i < loop->blocks; i++)
    if (ir->block[loop->block[i]].loop != loop->header)
      return true;
  return false;
}

/* The largest power of two up to `most` by which the loop stays small; 1: none. */
static uint32_t factor_for(uint32_t most, uint32_t size, uint32_t room) {
  uint32_t factor = 1;
  while (2 * factor <= most && 2 * factor * size <= room)
    factor *= 2;
  return factor;
}

/* How large a loop may become where the source does not ask; twice that at level 3. */
static uint32_t room_for(const struct ir *ir, uint32_t size) { return ir->target.optimize > 2 ? 2 * size : size; }

/* How large the copies of a loop that goes may become. */
static uint32_t whole_room(const struct ir *ir, const struct contents *contents) {
  return room_for(ir, contents->private ? ARRAY_SIZE : WHOLE_SIZE);
}

/* As many copies as the source asks for, or it is hostile. */
static bool is_modest(uint32_t copies, const struct contents *contents) {
  return copies <= ASKED_SIZE && copies * contents->size <= ASKED_SIZE;
}

static bool unroll_known(struct unroll *unroll, struct ir_loop *loop, const struct contents *contents, uint32_t turns) {
  struct ir *ir = unroll->ir;
  const uint32_t asked = ir->block[loop->header].copies;
  const bool own = ir->target.optimize >= 2;
  if ((turns <= asked && turns <= ASKED_TURNS && is_modest(turns, contents)) ||
      (own && !asked && turns <= MOST_TURNS && turns * contents->size <= whole_room(ir, contents))) {
    ir_note(ir, ir->block[loop->header].place, "%u turns, no loop", turns);
    unroll_wholly(unroll, loop, turns);
    return true;
  }
  uint32_t factor = 1;
  if (has_loops(ir, loop))
    return false;
  if (own && asked && asked != UINT32_MAX)
    factor = is_modest(asked, contents) ? asked : 1;
  else if (own)
    factor = factor_for(MOST_FACTOR, contents->size, room_for(ir, FACTOR_SIZE));
  if (factor < 2 || turns / 2 < factor)
    return false;
  ir_note(ir, ir->block[loop->header].place, "%u turns in front, %u bodies a turn", turns % factor, factor);
  peel(unroll, loop, turns % factor);
  multiply(unroll, loop, factor);
  ir->block[loop->header].copies = 1;
  return true;
}

/* Is the loop around it one that goes, so that its turns may soon be known? */
static bool waits_for_outer(struct unroll *unroll, const struct ir_loop *loop) {
  const uint32_t header = unroll->ir->block[loop->header].outer;
  struct ir_loop outer;
  if (header == IR_NOWHERE || unroll->stale[header] || !ir_loop_find(unroll->ir, header, &outer))
    return false;
  const uint32_t turns = ir_loop_turns(unroll->ir, &outer, MOST_TURNS);
  const struct contents contents = contents_of(unroll, &outer);
  const bool goes = turns != UINT32_MAX && !unroll->ir->block[header].copies &&
                    turns * contents.size <= whole_room(unroll->ir, &contents);
  ir_loop_free(&outer);
  return goes;
}

static bool unroll_unknown(struct unroll *unroll, struct ir_loop *loop, const struct contents *contents) {
  struct ir *ir = unroll->ir;
  const uint32_t asked = ir->block[loop->header].copies;
  struct counter counter;
  if (ir->target.optimize < 2 || contents->lanes || waits_for_outer(unroll, loop) ||
      !ir_loop_counter(ir, &unroll->ranges, loop, &counter))
    return false;
  const bool batch = contents->loads && !contents->writes && BATCH_FACTOR * contents->size <= room_for(ir, BATCH_SIZE);
  uint32_t factor = AHEAD_FACTOR;
  if (asked && asked != UINT32_MAX)
    factor = asked;
  else if (AHEAD_FACTOR * contents->size > room_for(ir, AHEAD_SIZE))
    return false;
  if (!is_modest(factor, contents))
    return false;
  ir_note(ir, ir->block[loop->header].place, "%u bodies a turn as long as as many are left",
          batch && !asked ? BATCH_FACTOR : factor);
  if (batch && !asked)
    unroll_ahead(unroll, loop, &counter, BATCH_FACTOR);
  unroll_ahead(unroll, loop, &counter, factor);
  ir->block[loop->header].copies = 1;
  return true;
}

static bool unroll_loop(struct unroll *unroll, struct ir_loop *loop) {
  struct ir *ir = unroll->ir;
  const bool own = ir->target.optimize >= 2;
  if (ir->block[loop->header].copies == 1 || (!own && !ir->block[loop->header].copies) || !may_copy(ir, loop))
    return false;
  const struct contents contents = contents_of(unroll, loop);
  if (ir->target.checked && contents.together)
    return false;
  const uint32_t turns = ir_loop_turns(ir, loop, own ? MOST_TURNS : ASKED_TURNS);
  if (turns != UINT32_MAX)
    return unroll_known(unroll, loop, &contents, turns);
  struct counter counter;
  const uint32_t more =
      own && ir_loop_counter(ir, &unroll->ranges, loop, &counter) ? ir_loop_count(ir, loop, &counter) : UINT32_MAX;
  if (more != UINT32_MAX && more > MOST_TURNS)
    return unroll_known(unroll, loop, &contents, more);
  return !has_loops(ir, loop) && unroll_unknown(unroll, loop, &contents);
}

static void replace_phis(struct ir *ir, const struct unroll *unroll) {
  ir_ref *with = need(ir->count, sizeof *with);
  memcpy(with, unroll->with, unroll->known * sizeof *with);
  ir_replace(ir, with);
  free(with);
  ir_sweep(ir);
  ir_analyse(ir);
}

static bool has_any_loop(const struct ir *ir) {
  for (uint32_t i = 0; i < ir->ordered; i++)
    if (ir->block[ir->order[i]].loop == ir->order[i])
      return true;
  return false;
}

void pass_unroll(struct ir *ir) {
  ir_analyse(ir);
  if (!has_any_loop(ir))
    return;
  struct unroll unroll = {.ir = ir,
                          .leads = address_values(ir),
                          .known = ir->count,
                          .with = need(ir->count, sizeof(ir_ref)),
                          .stale = need(ir->blocks, sizeof(bool)),
                          .ranges = {.ir = ir}};
  if (ir->target.optimize >= 2 && ir_loops_ask(ir))
    ranges_find(&unroll.ranges, ir);
  bool any = false;
  for (uint32_t i = ir->ordered; i--;) {
    struct ir_loop loop;
    const uint32_t header = ir->order[i];
    if (ir->block[header].loop != header || unroll.stale[header] || !ir_loop_find(ir, header, &loop))
      continue;
    if (unroll_loop(&unroll, &loop)) {
      any = true;
      for (uint32_t outer = ir->block[header].outer; outer != IR_NOWHERE; outer = ir->block[outer].outer)
        unroll.stale[outer] = true;
    }
    ir_loop_free(&loop);
  }
  if (any)
    replace_phis(ir, &unroll);
  free(unroll.leads);
  free(unroll.with);
  free(unroll.stale);
  ranges_free(&unroll.ranges);
}
