/* Unrolls loops, in three ways:
 *
 *     fully        the number of iterations is known and small: only copies remain
 *     by a factor  the number is known: the iterations left over by the factor go in front, then a loop of `factor`
 *                  bodies
 *     ahead        a counter with a fixed step: a loop of `factor` bodies runs while that many iterations are left,
 *                  and the original loop behind it does the rest
 *
 * The source may request it (`#pragma unroll`, opencl_unroll_hint). From level 2 on, other loops are unrolled, too, if
 * the copies stay small: then loads of several iterations are in flight at once, addresses become a base plus
 * constants, and there are fewer tests at the end of iterations. Sizes and factors are those of NVIDIA's compiler for
 * an H200, as seen with some fifty loops. Reports name lines, not copies, so all copies of a load count together.
 *
 * Left alone: a loop that contains a loop, unless it unrolls fully; loops with exits other than from their header;
 * ahead, loops with operations across lanes, because lanes with different numbers of iterations would diverge; and, if
 * the run looks for hazards, loops with operations of the whole work-group, all of whose work-items must reach each
 * iteration. */
#include "opencl/ir/log.h"
#include "opencl/passes/address.h"
#include "opencl/passes/ir_loop.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum {
  MOST_TURNS = 400,  /* iterations executed to count them */
  ASKED_TURNS = 64,  /* copies at most, if the source requests them */
  ASKED_SIZE = 2048, /* instructions of all these copies */
  WHOLE_SIZE = 400,  /* not requested: of a loop that unrolls fully */
  ARRAY_SIZE = 2000, /* of one that uses private memory: an array with only constant indices needs none */
  FACTOR_SIZE = 150, /* of a loop with a known number of iterations that remains */
  AHEAD_SIZE = 240,  /* of one with an unknown number */
  BATCH_SIZE = 144,  /* of one that only loads and computes, so that many loads are in flight at once */
  AHEAD_FACTOR = 4,
  BATCH_FACTOR = 16,
  MOST_FACTOR = 8,
};

/* What is in a loop, as far as unrolling depends on it. */
struct contents {
  uint32_t size; /* instructions, without those that become part of an addressing mode */
  bool loads, writes, lanes, private, together;
};

struct unroll {
  struct ir *ir;
  bool *leads; /* by value: it only leads to an address */
  uint32_t known;
  ir_ref *with;         /* replaces the phis of loops that are gone */
  struct ranges ranges; /* from before any loop changed; newer values may be anything */
  bool *stale;          /* by header: something in the loop has changed since the analysis */
};

/* ---- costs ------------------------------------------------------------------------------------------ */

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
  const struct isa_row *row = &isa_rows[inst->op];
  contents->loads |= row->access == ISA_ACCESS_LOAD && (row->space == ISA_SPACE_GLOBAL || row->space == ISA_SPACE_LDS);
  contents->lanes |= across_lanes(inst);
  contents->together |= ir_is_convergent(ir, ref) && !across_lanes(inst);
  contents->private |= row->space == ISA_SPACE_PRIVATE;
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

/* Redirects the entry's edge to the header. */
static void enter_at(struct ir *ir, const struct ir_loop *loop, uint32_t to) {
  struct ir_block *block = &ir->block[loop->entry];
  for (uint32_t side = 0; side < ends(block); side++)
    if (block->to[side] == loop->header)
      block->to[side] = to;
}

/* Inserts `turns` copies between the entry and the header. */
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

/* All iterations are in front. The header's own instructions remain as the last test. */
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

/* Appends `factor` - 1 copies to the body, without tests. */
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

static ir_ref append_op(struct ir *ir, uint32_t block, uint16_t op, ir_ref a, ir_ref b, ir_ref c,
                        struct ir_place place) {
  const ir_ref operand[] = {a, b, c};
  const ir_ref made = ir_make(ir, op, ir_width_of((enum isa_op)op), operand, c ? 3 : b ? 2 : 1, 0, place);
  ir_append(ir, block, made);
  return made;
}

/* Are `ahead` more iterations certain, at the counter's value `now`? A predicate in `block`; what depends only on the
 * bound is computed in `before`. Exact for every bound: if bound - ahead * step would wrap, the answer is no. */
static ir_ref are_left(struct ir *ir, const struct counter *counter, uint32_t before, uint32_t block, ir_ref now,
                       uint64_t ahead, struct ir_place place) {
  const unsigned bits = counter->bits;
  const enum ir_width width = kind_width(bits);
  if (counter->kind == KIND_NE_U) {
    const ir_ref left = append_op(ir, block, kind_op(KIND_SUB, bits), counter->down ? now : counter->bound,
                                  counter->down ? counter->bound : now, 0, place);
    return append_op(ir, block, kind_op(KIND_GT_U, bits), left, ir_const(ir, width, ahead), 0, place);
  }
  const bool up = !counter->down;
  const bool is_signed = counter->kind == KIND_LT_S || counter->kind == KIND_LE_S || counter->kind == KIND_GT_S ||
                         counter->kind == KIND_GE_S;
  const ir_ref by = append_op(ir, before, kind_op(KIND_MUL, bits), counter->by, ir_const(ir, width, ahead), 0, place);
  const ir_ref bound = append_op(ir, before, kind_op(up ? KIND_SUB : KIND_ADD, bits), counter->bound, by, 0, place);
  const enum kind nearer = up ? (is_signed ? KIND_LT_S : KIND_LT_U) : is_signed ? KIND_GT_S : KIND_GT_U;
  const ir_ref holds = append_op(ir, before, kind_op(nearer, bits), bound, counter->bound, 0, place);
  if (counter->kind != nearer)
    return append_op(ir, block, ISA_AND_P, append_op(ir, block, kind_op(counter->kind, bits), now, bound, 0, place),
                     holds, 0, place);
  /* Nothing is below the smallest number or above the largest: one comparison instead of two. */
  const uint64_t low = is_signed ? UINT64_C(1) << (bits - 1) : 0, high = (low - 1) & kind_mask(bits);
  const ir_ref never = ir_const(ir, width, up ? low : high);
  const ir_ref limit = append_op(ir, before, kind_op(KIND_SEL, bits), bound, never, holds, place);
  return append_op(ir, block, kind_op(counter->kind, bits), now, limit, 0, place);
}

/* Inserts a loop of `factor` bodies in front of the loop. */
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

/* ---- choices ------------------------------------------------------------------------------------- */

/* Below level 2, only straight-line code is copied. */
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

/* The largest power of two up to `most` with which the loop stays small; 1 for none. */
static uint32_t factor_for(uint32_t most, uint32_t size, uint32_t room) {
  uint32_t factor = 1;
  while (2 * factor <= most && 2 * factor * size <= room)
    factor *= 2;
  return factor;
}

/* How large a loop may become if the source requests nothing; twice that at level 3. */
static uint32_t room_for(const struct ir *ir, uint32_t size) { return ir->target.optimize > 2 ? 2 * size : size; }

/* How large the copies of a loop that unrolls fully may become. */
static uint32_t whole_room(const struct ir *ir, const struct contents *contents) {
  return room_for(ir, contents->private ? ARRAY_SIZE : WHOLE_SIZE);
}

/* A hostile source cannot request more copies than this. */
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

/* Will the loop around it unroll fully, so that this one's number of iterations may become known? */
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
  ir_analyze(ir);
}

static bool has_any_loop(const struct ir *ir) {
  for (uint32_t i = 0; i < ir->ordered; i++)
    if (ir->block[ir->order[i]].loop == ir->order[i])
      return true;
  return false;
}

void pass_unroll(struct ir *ir) {
  ir_analyze(ir);
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
