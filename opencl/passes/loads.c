/* A load of what was just loaded or stored becomes that value.
 *
 * Along straight lines: within a block, and into a block from its only predecessor. And only if nothing in between may
 * change that memory (a store to the same space that may be elsewhere) or wait for someone who does (atomics, barriers,
 * copies). So a loop that waits for another work-item loads again in every iteration. Volatile loads stay as they are.
 * By now, generic pointers have become accesses to each space (build_spaces()).
 *
 * From level 2 on, also what was stored, and also around a loop: where each iteration loads what the one before has
 * stored, as in y[i] += a[j] with an i that the loop does not change, a phi brings the stored value, and only the first
 * iteration's value is loaded, in front of the loop. If the loop may run zero times, that load has the loop's first
 * test as its guard, so no lane loads what it did not load before. The stores remain.
 *
 * Not for the LDS, because a lane may read there what another lane of its warp has just written, and not if hazards are
 * checked, because then each load counts. */
#include "opencl/ir/log.h"
#include "opencl/passes/ir_loop.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

/* MOST_KNOWN: values remembered; the oldest is dropped. MOST_ROOM: instructions that the first test, or an address, may
 * take. */
enum { MOST_KNOWN = 16, MOST_ROOM = 16 };

/* What a place in memory holds since this access. */
struct known {
  ir_ref access, value;
};

struct memory {
  struct known known[MOST_KNOWN];
  uint32_t count;
};

/* ---- straight lines --------------------------------------------------------------------------------- */

static bool same_address(const struct ir *ir, ir_ref one, ir_ref two) {
  return ir->inst[one].imm == ir->inst[two].imm && ir_operand(ir, one, 0) == ir_operand(ir, two, 0) &&
         ir_operand(ir, one, 1) == ir_operand(ir, two, 1);
}

/* Does the load return the known value? A stored value must fill its register: a narrower one is not yet extended. */
static bool returns(const struct ir *ir, ir_ref load, const struct known *known) {
  const struct isa_row *row = ir_row(ir, load), *past = ir_row(ir, known->access);
  if (!same_address(ir, load, known->access))
    return false;
  if (past->access == ISA_ACCESS_LOAD)
    return ir->inst[load].op == ir->inst[known->access].op;
  static const uint32_t bytes[] = {[IR_W1] = 4, [IR_W2] = 8, [IR_W4] = 16};
  const uint8_t width = ir->inst[load].width;
  return row->space == past->space && row->via == past->via && ir->inst[known->value].width == width &&
         isa_types[row->a].bytes == bytes[width] && isa_types[past->a].bytes == bytes[width];
}

/* Are both at constant distances from one address, and do not overlap? */
static bool are_apart(const struct ir *ir, ir_ref one, ir_ref two) {
  const struct isa_row *a = ir_row(ir, one), *b = ir_row(ir, two);
  if (a->via != ISA_VIA_PLAIN || b->via != ISA_VIA_PLAIN || ir_operand(ir, one, 0) != ir_operand(ir, two, 0) ||
      ir_operand(ir, one, 1) != ir_operand(ir, two, 1))
    return false;
  const int64_t distance = (int32_t)((uint32_t)ir->inst[two].imm - (uint32_t)ir->inst[one].imm);
  return distance >= isa_types[a->a].bytes || -distance >= isa_types[b->a].bytes;
}

static bool changes(const struct ir *ir, ir_ref ref, ir_ref access) {
  return may_change(ir, ref, access) && !(ir_row(ir, ref)->access == ISA_ACCESS_STORE && are_apart(ir, ref, access));
}

static void forget(struct memory *memory, const struct ir *ir, ir_ref ref) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < memory->count; i++)
    if (!changes(ir, ref, memory->known[i].access))
      memory->known[kept++] = memory->known[i];
  memory->count = kept;
}

static void enter(struct rewrite *rw, uint32_t block) {
  struct memory *memory = rw->context;
  const struct ir_block *in = &rw->ir->block[block];
  memory[block].count = 0;
  if (in->from_count == 1)
    memory[block] = memory[in->from[0]];
}

static void remember(struct memory *memory, ir_ref access, ir_ref value) {
  if (memory->count == MOST_KNOWN)
    memmove(memory->known, memory->known + 1, --memory->count * sizeof *memory->known);
  memory->known[memory->count++] = (struct known){access, value};
}

static bool follows_stores(const struct ir *ir) { return ir->target.optimize >= 2 && !ir->target.checked; }

static bool is_plain_store(const struct ir *ir, ir_ref ref) {
  const struct isa_row *row = ir_row(ir, ref);
  return row->access == ISA_ACCESS_STORE && row->via == ISA_VIA_PLAIN && !ir->inst[ref].guard &&
         !ir->inst[ref].is_volatile && (row->space == ISA_SPACE_GLOBAL || row->space == ISA_SPACE_PRIVATE);
}

static ir_ref load_rule(struct rewrite *rw, ir_ref ref) {
  enum { STORED = 2 };
  struct memory *memory = (struct memory *)rw->context + rw->block;
  if (!ir_is_removable(rw->ir, ref))
    forget(memory, rw->ir, ref);
  if (follows_stores(rw->ir) && is_plain_store(rw->ir, ref))
    remember(memory, ref, ir_operand(rw->ir, ref, STORED));
  if (!is_plain_load(rw->ir, ref))
    return ref;
  for (uint32_t i = 0; i < memory->count; i++)
    if (returns(rw->ir, ref, &memory->known[i]))
      return memory->known[i].value;
  remember(memory, ref, ref);
  return ref;
}

/* ---- around loops ----------------------------------------------------------------------------------- */

static bool is_outside(const struct ir *ir, const struct ir_loop *loop, ir_ref ref) {
  return !ref || ir->inst[ref].block == IR_NOWHERE || !ir_in_loop(ir, ir->inst[ref].block, loop->header);
}

/* The load that returns the known value of the last iteration, if each iteration starts with it. */
static ir_ref load_at_start(const struct ir *ir, const struct ir_loop *loop, const struct known *known) {
  for (uint32_t number = loop->header;;) {
    const struct ir_block *block = &ir->block[number];
    for (uint32_t k = 0; k < block->count; k++) {
      if (is_plain_load(ir, block->inst[k]) && returns(ir, block->inst[k], known))
        return block->inst[k];
      if (changes(ir, block->inst[k], known->access))
        return 0;
    }
    number = number == loop->header ? loop->body : block->end == IR_END_GOTO ? block->to[0] : IR_NOWHERE;
    if (number == IR_NOWHERE || ir->block[number].from_count != 1)
      return 0;
  }
}

/* Can the entry compute what `ref` is in the first iteration, by arithmetic and with at most *room instructions?
 * *phis: whether it changes from one iteration to the next. */
static bool is_known_at_entry(const struct ir *ir, const struct ir_loop *loop, ir_ref ref, unsigned *room, bool *phis) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (is_outside(ir, loop, ref))
    return true;
  if (inst->op == IR_PHI) {
    *phis = true;
    return inst->block == loop->header;
  }
  if (!may_speculate(ir, ref) || !*room)
    return false;
  --*room;
  for (uint32_t i = 0; i < inst->count; i++)
    if (!is_known_at_entry(ir, loop, ir->operand[inst->operands + i], room, phis))
      return false;
  return true;
}

static bool stays(const struct ir *ir, const struct ir_loop *loop, ir_ref access) {
  unsigned room = MOST_ROOM;
  bool phis = false;
  return is_known_at_entry(ir, loop, ir_operand(ir, access, 0), &room, &phis) &&
         is_known_at_entry(ir, loop, ir_operand(ir, access, 1), &room, &phis) && !phis;
}

/* Computes it at the end of the entry. */
static ir_ref at_entry(struct ir *ir, const struct ir_loop *loop, ir_ref ref) {
  if (is_outside(ir, loop, ref))
    return ref;
  if (ir->inst[ref].op == IR_PHI)
    return phi_value(ir, ref, loop->entry);
  const struct ir_inst inst = ir->inst[ref];
  ir_ref operand[IR_MOST_OPERANDS];
  for (uint32_t i = 0; i < inst.count; i++)
    operand[i] = at_entry(ir, loop, ir->operand[inst.operands + i]);
  const ir_ref made = ir_make(ir, inst.op, (enum ir_width)inst.width, operand, inst.count, inst.imm, inst.place);
  ir_append(ir, loop->entry, made);
  return made;
}

/* Makes the entry a block that leads nowhere else. */
static void part_entry(struct ir *ir, struct ir_loop *loop) {
  if (ir->block[loop->entry].end == IR_END_GOTO)
    return;
  const uint32_t made = ir_block_new(ir);
  struct ir_block *entry = &ir->block[loop->entry];
  ir_goto(ir, made, loop->header, ir->block[loop->header].place);
  entry->to[entry->to[1] == loop->header] = made;
  phis_rename(ir, loop->header, loop->entry, made);
  loop->entry = made;
}

/* Loads the first iteration's value in front of the loop; 0 if the loop's first test cannot be made there. */
static ir_ref load_ahead(struct ir *ir, struct ir_loop *loop, ir_ref load) {
  const ir_ref test = ir->block[loop->header].condition;
  const bool tested = ir->inst[load].block != loop->header && !ir_loop_begins(ir, loop);
  unsigned room = MOST_ROOM;
  bool phis;
  if (tested && (ir->inst[test].op == IR_PHI || !is_known_at_entry(ir, loop, test, &room, &phis)))
    return 0;
  part_entry(ir, loop);
  const ir_ref guard = tested ? at_entry(ir, loop, test) : 0;
  const struct ir_inst inst = ir->inst[load];
  const ir_ref address[] = {at_entry(ir, loop, ir_operand(ir, load, 0)), at_entry(ir, loop, ir_operand(ir, load, 1))};
  const ir_ref made = ir_make(ir, inst.op, (enum ir_width)inst.width, address, inst.count, inst.imm, inst.place);
  ir->inst[made].guard = guard;
  ir->inst[made].guard_not = tested && ir->block[loop->header].to[0] != loop->body;
  ir_append(ir, loop->entry, made);
  return made;
}

static bool carry(struct ir *ir, struct ir_loop *loop, const struct known *known) {
  const bool stored = ir_row(ir, known->access)->access == ISA_ACCESS_STORE && !is_outside(ir, loop, known->access);
  const ir_ref load = stored && stays(ir, loop, known->access) ? load_at_start(ir, loop, known) : 0;
  const ir_ref first = load ? load_ahead(ir, loop, load) : 0;
  if (!first)
    return false;
  const struct ir_inst inst = ir->inst[load];
  const ir_ref phi = ir_make(ir, IR_PHI, (enum ir_width)inst.width, NULL, 0, 0, inst.place);
  ir_phi_add(ir, phi, loop->entry, first);
  ir_phi_add(ir, phi, loop->latch, known->value);
  prepend(ir, loop->header, &phi, 1);
  ir_ref *with = need(ir->count, sizeof *with);
  with[load] = phi;
  ir->inst[load].block = IR_NOWHERE;
  ir_replace(ir, with);
  ir_sweep(ir);
  free(with);
  ir_note(ir, inst.place, "the value that the last iteration stored");
  return true;
}

/* Values may have been replaced since the walk, so after each change the walk starts again. */
static bool carry_one(struct ir *ir, const struct memory *memory) {
  for (uint32_t i = 0; i < ir->ordered; i++) {
    struct ir_loop loop;
    bool carried = false;
    if (ir->block[ir->order[i]].loop != ir->order[i] || !ir_loop_find(ir, ir->order[i], &loop))
      continue;
    const struct memory *last = &memory[loop.latch];
    for (uint32_t k = 0; k < last->count && !carried; k++)
      carried = carry(ir, &loop, &last->known[k]);
    ir_loop_free(&loop);
    if (carried)
      return true;
  }
  return false;
}

void pass_loads(struct ir *ir) {
  bool again;
  do {
    ir_analyze(ir);
    struct memory *memory = need(ir->blocks, sizeof *memory);
    struct rewrite rewrite = {.rule = load_rule, .enter = enter, .context = memory};
    rewrite_run(&rewrite, ir);
    again = follows_stores(ir) && carry_one(ir, memory);
    free(memory);
  } while (again);
}
