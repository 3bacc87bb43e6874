/* Computes loop invariants once, in front of the loop.
 *
 * Blocks are visited from the outside in, so an operand has moved before its user is checked. Each pure instruction
 * moves to the end of the preheader of the outermost loop in which it is invariant. From level 2 on, a load also moves
 * if nothing in the loop may change what it loads and the loop is known to run at least once, so that the load would
 * run anyway. Slow operations leave only blocks that every iteration runs, so that a division that hardly ever runs is
 * not always paid for. A loop gets a preheader only when something moves there.
 *
 * A hoisted value occupies its registers throughout the loop. So the number of words and predicates that leave a loop
 * is limited (MOST_WORDS, MOST_PREDICATES; assumed, about a third of what a lane has on a well-filled machine), and
 * what emit can recompute at will (constants, slots' addresses) stays. */
#include "opencl/passes/ir_loop.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"

#include <stdlib.h>

#include "sim/base/need.h"

enum { MOST_WORDS = 32, MOST_PREDICATES = 4, SLOW = 16 };

enum turns { UNASKED, NONE_KNOWN, SOME };

struct hoist {
  struct ir *ir;
  uint32_t *preheader;          /* by header: its block; IR_NOWHERE until it is needed */
  uint32_t *words, *predicates; /* by header: how many have left it */
  enum turns *turns;            /* by header */
};

/* The header of the loop that a block is in. Also works for new preheaders. */
static uint32_t loop_of(const struct hoist *hoist, uint32_t block) { return hoist->ir->block[block].loop; }

static bool is_invariant(const struct hoist *hoist, ir_ref ref, uint32_t header) {
  const struct ir *ir = hoist->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  for (uint32_t i = 0; i < inst->count; i++) {
    const ir_ref operand = ir->operand[inst->operands + i];
    if (operand && ir->inst[operand].block != IR_NOWHERE && ir_in_loop(ir, ir->inst[operand].block, header))
      return false;
  }
  return true;
}

/* Does every iteration of the loop pass through the block? */
static bool always_runs(const struct ir *ir, uint32_t block, uint32_t header) {
  for (uint32_t k = 0; k < ir->block[header].from_count; k++)
    if (ir_dominates(ir, header, ir->block[header].from[k]) && !ir_dominates(ir, block, ir->block[header].from[k]))
      return false;
  return true;
}

static uint32_t words_of(const struct ir_inst *inst) {
  return inst->width == IR_W4 ? 4 : inst->width == IR_W2 ? 2 : inst->width == IR_W1;
}

static bool has_room(const struct hoist *hoist, ir_ref ref, uint32_t header) {
  const struct ir_inst *inst = &hoist->ir->inst[ref];
  if (inst->width == IR_PRED)
    return hoist->predicates[header] < MOST_PREDICATES;
  return hoist->words[header] + words_of(inst) <= MOST_WORDS;
}

/* Does the loop run at least once, whenever it is reached? */
static bool has_a_turn(struct hoist *hoist, uint32_t header) {
  struct ir_loop loop;
  if (hoist->turns[header] == UNASKED) {
    hoist->turns[header] = NONE_KNOWN;
    if (ir_loop_find(hoist->ir, header, &loop)) {
      hoist->turns[header] = ir_loop_begins(hoist->ir, &loop) ? SOME : NONE_KNOWN;
      ir_loop_free(&loop);
    }
  }
  return hoist->turns[header] == SOME;
}

static bool stays_the_same(const struct ir *ir, ir_ref load, uint32_t header) {
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    for (uint32_t k = 0; k < block->count && ir_in_loop(ir, ir->order[i], header); k++)
      if (may_change(ir, block->inst[k], load))
        return false;
  }
  return true;
}

static bool may_leave(struct hoist *hoist, ir_ref ref, uint32_t block, uint32_t header) {
  return is_invariant(hoist, ref, header) && has_room(hoist, ref, header) &&
         (cost_of(hoist->ir, ref) < SLOW || always_runs(hoist->ir, block, header)) &&
         (!is_plain_load(hoist->ir, ref) || (always_runs(hoist->ir, block, header) && has_a_turn(hoist, header) &&
                                             stays_the_same(hoist->ir, ref, header)));
}

/* ---- preheaders ------------------------------------------------------------------------------------ */

static bool enters(const struct ir *ir, uint32_t header, uint32_t from) { return !ir_dominates(ir, header, from); }

/* If several edges enter the loop, the preheader gets phis that merge the values they bring. */
static ir_ref gathered(struct ir *ir, ir_ref phi, uint32_t header, uint32_t preheader) {
  uint32_t count = 0, kept = 0;
  ir_ref *outside = need(ir->inst[phi].count + 2, sizeof *outside);
  struct ir_inst *inst = &ir->inst[phi];
  ir_ref *operand = ir->operand + inst->operands;
  for (uint32_t i = 0; i < inst->count; i += 2) {
    const bool out = enters(ir, header, operand[i]);
    ir_ref *to = out ? outside + count : operand + kept;
    const ir_ref from = operand[i], value = operand[i + 1]; /* `to` may be the same place as operand + i */
    to[0] = from;
    to[1] = value;
    *(out ? &count : &kept) += 2;
  }
  ir_ref entry = outside[1];
  if (count > 2)
    entry = ir_make(ir, IR_PHI, (enum ir_width)inst->width, outside, count, 0, inst->place);
  free(outside);
  ir->inst[phi].count = kept;
  ir_phi_add(ir, phi, preheader, entry);
  return count > 2 ? entry : 0;
}

static void redirect(struct ir *ir, uint32_t header, uint32_t preheader) {
  struct ir_block *block = &ir->block[header];
  uint32_t kept = 0;
  for (uint32_t k = 0; k < block->from_count; k++) {
    const uint32_t from = block->from[k];
    if (!enters(ir, header, from)) {
      block->from[kept++] = from;
      continue;
    }
    for (uint32_t i = 0; i < ends(&ir->block[from]); i++)
      if (ir->block[from].to[i] == header)
        ir->block[from].to[i] = preheader;
    if (ir->block[from].end == IR_END_GOTO)
      ir->block[from].to[1] = ir->block[from].to[0];
  }
  block->from[kept++] = preheader;
  block->from_count = kept;
}

/* The new block is not part of the analyzed graph yet: its loop is set by hand. */
static uint32_t make_preheader(struct hoist *hoist, uint32_t header) {
  struct ir *ir = hoist->ir;
  const uint32_t made = ir_block_new(ir);
  for (uint32_t k = 0; k < ir->block[header].count && ir->inst[ir->block[header].inst[k]].op == IR_PHI; k++) {
    const ir_ref phi = gathered(ir, ir->block[header].inst[k], header, made);
    if (phi)
      ir_append(ir, made, phi);
  }
  ir_goto(ir, made, header, ir->block[header].place);
  ir->block[made].loop = ir->block[header].outer;
  redirect(ir, header, made);
  return made;
}

static uint32_t preheader_of(struct hoist *hoist, uint32_t header) {
  const struct ir *ir = hoist->ir;
  if (hoist->preheader[header] != IR_NOWHERE)
    return hoist->preheader[header];
  uint32_t only = IR_NOWHERE, count = 0;
  for (uint32_t k = 0; k < ir->block[header].from_count; k++)
    if (enters(ir, header, ir->block[header].from[k])) {
      only = ir->block[header].from[k];
      count++;
    }
  if (count != 1 || ir->block[only].end != IR_END_GOTO)
    only = make_preheader(hoist, header);
  return hoist->preheader[header] = only;
}

/* ---- the pass -------------------------------------------------------------------------------------- */

static bool worth(const struct ir *ir, ir_ref ref) {
  return (may_speculate(ir, ref) || (ir->target.optimize >= 2 && is_plain_load(ir, ref))) &&
         ir->inst[ref].op != IR_SLOT && ir->inst[ref].op != IR_PHI && ir->inst[ref].op != IR_CONST;
}

/* The outermost loop that the instruction may leave, or IR_NOWHERE. */
static uint32_t hoist_target(struct hoist *hoist, ir_ref ref, uint32_t block) {
  uint32_t found = IR_NOWHERE;
  for (uint32_t at = loop_of(hoist, block); at != IR_NOWHERE; at = hoist->ir->block[at].outer) {
    if (!may_leave(hoist, ref, block, at))
      break;
    found = at;
  }
  return found;
}

static void hoist_to(struct hoist *hoist, ir_ref ref, uint32_t block, uint32_t header) {
  const struct ir_inst *inst = &hoist->ir->inst[ref];
  for (uint32_t at = loop_of(hoist, block);; at = hoist->ir->block[at].outer) {
    hoist->words[at] += words_of(inst);
    hoist->predicates[at] += inst->width == IR_PRED;
    if (at == header)
      break;
  }
  ir_append(hoist->ir, preheader_of(hoist, header), ref);
}

static void hoist_block(struct hoist *hoist, uint32_t number) {
  struct ir *ir = hoist->ir;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < ir->block[number].count; k++) {
    const ir_ref ref = ir->block[number].inst[k];
    const uint32_t header = worth(ir, ref) ? hoist_target(hoist, ref, number) : IR_NOWHERE;
    if (header == IR_NOWHERE)
      ir->block[number].inst[kept++] = ref;
    else
      hoist_to(hoist, ref, number, header);
  }
  ir->block[number].count = kept;
}

void pass_hoist(struct ir *ir) {
  ir_analyze(ir);
  const uint32_t ordered = ir->ordered;
  struct hoist hoist = {ir, need(ir->blocks, sizeof(uint32_t)), need(ir->blocks, sizeof(uint32_t)),
                        need(ir->blocks, sizeof(uint32_t)), need(ir->blocks, sizeof(enum turns))};
  for (uint32_t i = 0; i < ir->blocks; i++)
    hoist.preheader[i] = IR_NOWHERE;
  for (uint32_t i = 0; i < ordered; i++)
    if (ir->block[ir->order[i]].loop != IR_NOWHERE)
      hoist_block(&hoist, ir->order[i]);
  free(hoist.preheader);
  free(hoist.words);
  free(hoist.predicates);
  free(hoist.turns);
  ir_analyze(ir);
}
