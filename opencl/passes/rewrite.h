/* How passes change a kernel: once over its blocks, dominators first, each block's list of instructions made anew.
 *
 * A pass gives a *rule*. It is shown every instruction, operands already replaced, and says what stands for it: the
 * instruction itself (perhaps changed in place), or any value that is known here. Instructions that the rule makes
 * with rewrite_put() go through the rule too and land in front of the one that it was shown. So a rule sees the
 * simplest form of everything before it, and only has to look at an instruction and its operands. */
#ifndef OPENCL_PASSES_REWRITE_H
#define OPENCL_PASSES_REWRITE_H

#include "opencl/passes/kinds.h"

struct rewrite {
  struct ir *ir;
  ir_ref (*rule)(struct rewrite *, ir_ref);
  void (*enter)(struct rewrite *, uint32_t block); /* may be NULL; before a block's first instruction */
  void *context;
  uint32_t block;        /* that is being made */
  struct ir_place place; /* of the instruction that the rule was shown */
  bool changed;
  ir_ref *with; /* replacements, with_room of them */
  uint32_t with_room;
  ir_ref *list; /* of the block so far */
  uint32_t count, room;
};

/* Over all reachable blocks of an analysed ir; replaces in the end. Says whether anything was replaced or put. */
bool rewrite_run(struct rewrite *rewrite, struct ir *ir);

/* What stands for `ref` so far. */
ir_ref rewrite_find(struct rewrite *rewrite, ir_ref ref);

/* The value of a new instruction, or of what the rule makes of it. */
ir_ref rewrite_put(struct rewrite *rewrite, uint16_t op, ir_ref a, ir_ref b, ir_ref c);
/* The same for one with imm, and any operands. */
ir_ref rewrite_make(struct rewrite *rewrite, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count,
                    uint64_t imm);
/* Word `word` of a pair. */
ir_ref rewrite_word(struct rewrite *rewrite, ir_ref pair, unsigned word);

/* Makes `ref` another operation, in place; the number of operands does not grow. Returns ref. */
ir_ref rewrite_as(struct rewrite *rewrite, ir_ref ref, uint16_t op, ir_ref a, ir_ref b, ir_ref c);

static inline ir_ref rewrite_32(struct rewrite *rewrite, uint64_t bits) { return ir_const(rewrite->ir, IR_W1, bits); }
static inline ir_ref rewrite_64(struct rewrite *rewrite, uint64_t bits) { return ir_const(rewrite->ir, IR_W2, bits); }

/* ---- asking -------------------------------------------------------------------------------------- */

static inline bool is_op(const struct ir *ir, ir_ref ref, uint16_t op) { return ref && ir->inst[ref].op == op; }
static inline bool is_value(const struct ir *ir, ir_ref ref, uint64_t bits) {
  return ir_is_const(ir, ref) && ir->inst[ref].imm == bits;
}
/* Operands that a phi has, and instructions have, that are values. */
static inline uint32_t first_value(const struct ir_inst *inst) { return inst->op == IR_PHI ? 1 : 0; }
static inline uint32_t value_step(const struct ir_inst *inst) { return inst->op == IR_PHI ? 2 : 1; }

/* The block where a value is first known: 0 for constants. */
static inline uint32_t home_of(const struct ir *ir, ir_ref ref) {
  return ir->inst[ref].block == IR_NOWHERE ? 0 : ir->inst[ref].block;
}
/* Is a value known at the start of `block` and in all below? */
static inline bool known_above(const struct ir *ir, ir_ref ref, uint32_t block) {
  const struct ir_inst *inst = &ir->inst[ref];
  return inst->op == IR_CONST || inst->op == IR_UNDEF ||
         (inst->block != block && inst->block != IR_NOWHERE && ir_dominates(ir, inst->block, block));
}

/* How often each value is named, by instructions in blocks and by ends; ir->count entries, the caller's. */
uint32_t *count_uses(const struct ir *ir);

/* Does it only look at what the lane has in registers, so that running it needlessly harms nobody? Loads of
 * constants at computed addresses do not: they may lie outside the table. */
bool may_speculate(const struct ir *ir, ir_ref ref);

/* A load of memory that others may write, but no volatile or guarded one. */
bool is_plain_load(const struct ir *ir, ir_ref ref);

/* May the plain load `load` give something else once `ref` has run: is that a store to its space, or does it wait for
 * somebody who stores? */
bool may_change(const struct ir *ir, ir_ref ref, ir_ref load);

/* How many low bits of a value are zero for certain, from what it is computed of; 64 of a zero. */
unsigned zero_bits(const struct ir *ir, ir_ref ref);

/* About how many issue slots an instruction takes; slow units count for many. */
uint32_t cost_of(const struct ir *ir, ir_ref ref);

/* Takes out what nobody uses. Says whether there was anything. */
bool remove_unused(struct ir *ir);

/* ---- the graph ------------------------------------------------------------------------------------ */

static inline uint32_t ends(const struct ir_block *block) {
  return block->end == IR_END_GOTO ? 1 : block->end == IR_END_IF ? 2 : 0;
}

/* What the phi gets from `from`, which leads to its block. */
ir_ref phi_value(const struct ir *ir, ir_ref phi, uint32_t from);
void phi_set(struct ir *ir, ir_ref phi, uint32_t from, ir_ref value);
/* Pairs of `old` in the phis of `block` become pairs of `from`. */
void phis_rename(struct ir *ir, uint32_t block, uint32_t old, uint32_t from);
/* Pairs of `from` leave the phis of `block`. */
void phis_drop(struct ir *ir, uint32_t block, uint32_t from);
/* Moves all instructions of `from` to the end of `to`. */
void append_all(struct ir *ir, uint32_t to, uint32_t from);
/* Puts `count` phis in front of a block. */
void prepend(struct ir *ir, uint32_t block, const ir_ref *phi, uint32_t count);

/* Branches whose way is known, blocks that only lead on, chains of blocks; then ir_analyse(). `ir` is analysed.
 * TIDY_BLOCKS: what dominates what, and what phis get, is the same for all that is left (branches.c). */
enum tidy { TIDY_NOTHING, TIDY_BLOCKS, TIDY_VALUES };
enum tidy simplify_branches(struct ir *ir);

#endif
