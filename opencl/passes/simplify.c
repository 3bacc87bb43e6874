/* Simplification: rules on one instruction (identity.h), and one instruction for all equal ones.
 *
 * Value numbering along the dominator tree: a table holds the pure instructions of the dominating blocks, and an equal
 * instruction further down is replaced by the one in the table. Entries form a stack; leaving a subtree pops its
 * entries. Phis are numbered, too, within their block. Loads are not, because memory changes. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/map.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { MOST_ROUNDS = 6 }; /* each simplifies what the one before exposed; two or three are usual */

/* Pure instructions of the dominating blocks, a stack. */
struct numbers {
  struct entry {
    ir_ref ref;
    uint64_t hash;
  } * entry;
  uint32_t count;
  size_t room;
  struct map map; /* to refs */
};

static uint64_t hash_of(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  uint64_t hash = hash_join(hash_number(inst->op), inst->imm);
  for (uint32_t i = 0; i < inst->count; i++)
    hash = hash_join(hash ^ hash >> 29, ir->operand[inst->operands + i]);
  return hash;
}

static bool equal(const struct ir *ir, ir_ref one, ir_ref two, uint32_t block) {
  const struct ir_inst *a = &ir->inst[one], *b = &ir->inst[two];
  if (a->op != b->op || a->width != b->width || a->imm != b->imm || a->count != b->count)
    return false;
  if (a->op == IR_PHI && a->block != block)
    return false;
  return !memcmp(ir->operand + a->operands, ir->operand + b->operands, a->count * sizeof(ir_ref));
}

/* Returns the equal instruction from the table, or `ref`, which is then added. */
static ir_ref number(struct rewrite *rw, ir_ref ref) {
  struct numbers *numbers = rw->context;
  const uint64_t hash = hash_of(rw->ir, ref);
  for (size_t at = 0, other; map_next(&numbers->map, hash, &at, &other);)
    if (equal(rw->ir, (ir_ref)other, ref, rw->block)) {
      rw->ir->inst[other].no_wrap &= rw->ir->inst[ref].no_wrap;
      return (ir_ref)other;
    }
  map_add(&numbers->map, hash, ref);
  *vector_next(numbers->entry, numbers->count, numbers->room) = (struct entry){ref, hash};
  rw->ir->inst[ref].block = rw->block; /* leave() needs it before the instruction is in the list */
  return ref;
}

/* Removes entries of blocks that do not dominate the new block. */
static void leave(struct rewrite *rw, uint32_t block) {
  struct numbers *numbers = rw->context;
  for (; numbers->count; numbers->count--) {
    const struct entry *last = &numbers->entry[numbers->count - 1];
    if (ir_dominates(rw->ir, rw->ir->inst[last->ref].block, block))
      break;
    map_remove(&numbers->map, last->hash, last->ref);
  }
}

/* ---- phis ------------------------------------------------------------------------------------------ */

/* The only value on all edges, ignoring undef and the phi itself; 0 if there are several. */
static ir_ref one_value(struct rewrite *rw, ir_ref phi) {
  const struct ir_inst *inst = &rw->ir->inst[phi];
  ir_ref only = 0;
  bool undef = false;
  for (uint32_t i = 1; i < inst->count; i += 2) {
    const ir_ref value = rw->ir->operand[inst->operands + i];
    if (value == phi || value == only)
      continue;
    if (is_op(rw->ir, value, IR_UNDEF)) {
      undef = true;
      continue;
    }
    if (only)
      return 0;
    only = value;
  }
  if (!only)
    return ir_undef(rw->ir, (enum ir_width)inst->width);
  return !undef || known_above(rw->ir, only, rw->block) ? only : 0;
}

/* The predicate whose number this word is, or 0. */
static ir_ref predicate_of(struct rewrite *rw, ir_ref word) {
  if (is_op(rw->ir, word, ISA_CVT_U32_P))
    return arg(rw, word, 0);
  return known(rw, word) && bits_of(rw, word) <= 1 ? ir_const(rw->ir, IR_PRED, bits_of(rw, word)) : 0;
}

/* A phi of predicates' numbers becomes the number of a phi of predicates. */
static ir_ref phi_of_flags(struct rewrite *rw, ir_ref phi) {
  const uint32_t count = rw->ir->inst[phi].count, operands = rw->ir->inst[phi].operands;
  bool any = false, all = rw->ir->inst[phi].width == IR_W1;
  for (uint32_t i = 1; i < count && all; i += 2) {
    any |= is_op(rw->ir, rw->ir->operand[operands + i], ISA_CVT_U32_P);
    all &= predicate_of(rw, rw->ir->operand[operands + i]) != 0;
  }
  if (!any || !all)
    return 0;
  ir_ref *pair = need(count, sizeof *pair);
  for (uint32_t i = 0; i < count; i += 2) {
    pair[i] = rw->ir->operand[operands + i];
    pair[i + 1] = predicate_of(rw, rw->ir->operand[operands + i + 1]);
  }
  const ir_ref predicates = rewrite_make(rw, IR_PHI, IR_PRED, pair, count, 0);
  free(pair);
  return rewrite_put(rw, ISA_CVT_U32_P, predicates, 0, 0);
}

static ir_ref simplify_phi(struct rewrite *rw, ir_ref phi) {
  const ir_ref only = one_value(rw, phi);
  if (only)
    return only;
  const ir_ref flags = phi_of_flags(rw, phi);
  return flags ? flags : number(rw, phi);
}

/* ---- the pass -------------------------------------------------------------------------------------- */

static ir_ref simplify_one(struct rewrite *rw, ir_ref ref) {
  if (rw->ir->inst[ref].op == IR_PHI)
    return simplify_phi(rw, ref);
  if (!ir_is_pure(rw->ir, ref))
    return ref;
  for (ir_ref next; (next = identity_of(rw, ref));)
    if (next != ref)
      return next;
  return number(rw, ref);
}

static bool simplify_values(struct ir *ir) {
  struct numbers numbers = {0};
  struct rewrite rewrite = {.rule = simplify_one, .enter = leave, .context = &numbers};
  const bool changed = rewrite_run(&rewrite, ir);
  free(numbers.entry);
  map_free(&numbers.map);
  return changed;
}

void pass_simplify(struct ir *ir) {
  bool again = !ir->simple, values = true; /* values: is there anything left to simplify in them? */
  ir_analyze(ir);
  for (int round = 0; again && round < MOST_ROUNDS; round++) {
    values = values && simplify_values(ir);
    const enum tidy tidy = simplify_branches(ir);
    again = values || tidy != TIDY_NOTHING;
    again |= remove_unused(ir);
    values |= tidy == TIDY_VALUES;
  }
  ir->simple = !again;
}
