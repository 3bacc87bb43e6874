/* How passes change a kernel: one walk over its blocks, dominators first, that rebuilds each block's list of
 * instructions.
 *
 * A pass supplies a *rule*. The walk calls it for every instruction, operands already replaced, and the rule returns
 * the replacement: the instruction itself (perhaps changed in place), or any value that is available here. Instructions
 * that the rule makes with rewrite_put() go through the rule, too, and are placed in front of the current one. So a
 * rule sees the simplest form of everything before, and only needs to examine an instruction and its operands. */
#ifndef OPENCL_PASSES_REWRITE_H
#define OPENCL_PASSES_REWRITE_H

#include "opencl/passes/kinds.h"

struct rewrite {
  struct ir *ir;
  ir_ref (*rule)(struct rewrite *, ir_ref);
  void (*enter)(struct rewrite *, uint32_t block); /* called before a block's first instruction; may be NULL */
  void *context;
  uint32_t block;        /* the block being rebuilt */
  struct ir_place place; /* of the current instruction */
  bool changed;
  ir_ref *with; /* by ref: its replacement, or 0; with_room entries */
  size_t with_room;
  ir_ref *list; /* the block's new instructions so far */
  uint32_t count;
  size_t room;
};

/* Rewrites all reachable blocks of an analyzed ir. Returns whether anything was replaced or made. */
bool rewrite_run(struct rewrite *rewrite, struct ir *ir);

/* The current replacement of `ref`. */
ir_ref rewrite_find(struct rewrite *rewrite, ir_ref ref);

/* Makes an instruction and returns its value, or what the rule turns it into. */
ir_ref rewrite_put(struct rewrite *rewrite, uint16_t op, ir_ref a, ir_ref b, ir_ref c);
/* The same with imm and any number of operands. */
ir_ref rewrite_make(struct rewrite *rewrite, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count,
                    uint64_t imm);
/* Word `word` of a pair. */
ir_ref rewrite_word(struct rewrite *rewrite, ir_ref pair, unsigned word);

/* Turns `ref` into another operation in place; the number of operands must not grow. Returns ref. */
ir_ref rewrite_as(struct rewrite *rewrite, ir_ref ref, uint16_t op, ir_ref a, ir_ref b, ir_ref c);

static inline ir_ref rewrite_32(struct rewrite *rewrite, uint64_t bits) { return ir_const(rewrite->ir, IR_W1, bits); }
static inline ir_ref rewrite_64(struct rewrite *rewrite, uint64_t bits) { return ir_const(rewrite->ir, IR_W2, bits); }

/* ---- queries ------------------------------------------------------------------------------------ */

static inline bool is_op(const struct ir *ir, ir_ref ref, uint16_t op) { return ref && ir->inst[ref].op == op; }
static inline bool is_value(const struct ir *ir, ir_ref ref, uint64_t bits) {
  return ir_is_const(ir, ref) && ir->inst[ref].imm == bits;
}
/* Positions of the operands that are values: first one and step. */
static inline uint32_t first_value(const struct ir_inst *inst) { return inst->op == IR_PHI ? 1 : 0; }
static inline uint32_t value_step(const struct ir_inst *inst) { return inst->op == IR_PHI ? 2 : 1; }

/* The block that defines a value; 0 for constants. */
static inline uint32_t home_of(const struct ir *ir, ir_ref ref) {
  return ir->inst[ref].block == IR_NOWHERE ? 0 : ir->inst[ref].block;
}
/* Is the value available at the start of `block`, and so in all blocks that it dominates? */
static inline bool known_above(const struct ir *ir, ir_ref ref, uint32_t block) {
  const struct ir_inst *inst = &ir->inst[ref];
  return inst->op == IR_CONST || inst->op == IR_UNDEF ||
         (inst->block != block && inst->block != IR_NOWHERE && ir_dominates(ir, inst->block, block));
}

/* How often each value is used by instructions and by ends of blocks. The array has ir->count entries; the caller frees
 * it. */
uint32_t *count_uses(const struct ir *ir);

/* May the instruction run although its result is not needed? Yes if it only uses the lane's own registers. Loads of
 * constants at computed addresses may not: they may lie outside the table. */
bool may_speculate(const struct ir *ir, ir_ref ref);

/* A load of memory that others may write, neither volatile nor guarded. */
bool is_plain_load(const struct ir *ir, ir_ref ref);

/* May `ref` change what the plain load `load` returns: does it store to the same space, or wait for someone who does?
 */
bool may_change(const struct ir *ir, ir_ref ref, ir_ref load);

/* The number of low bits that are certainly zero, from how the value is computed; 64 for the value zero. */
unsigned zero_bits(const struct ir *ir, ir_ref ref);

/* About how many issue slots an instruction takes; slow units count as many. */
uint32_t cost_of(const struct ir *ir, ir_ref ref);

/* Removes unused instructions. Returns whether there were any. */
bool remove_unused(struct ir *ir);

/* ---- the graph ------------------------------------------------------------------------------------ */

static inline uint32_t ends(const struct ir_block *block) {
  return block->end == IR_END_GOTO ? 1 : block->end == IR_END_IF ? 2 : 0;
}

/* The phi's value for the predecessor `from` of its block. */
ir_ref phi_value(const struct ir *ir, ir_ref phi, uint32_t from);
void phi_set(struct ir *ir, ir_ref phi, uint32_t from, ir_ref value);
/* In the phis of `block`, replaces the predecessor `old` by `from`. */
void phis_rename(struct ir *ir, uint32_t block, uint32_t old, uint32_t from);
/* Removes the predecessor `from` from the phis of `block`. */
void phis_drop(struct ir *ir, uint32_t block, uint32_t from);
/* Moves all instructions of `from` to the end of `to`. */
void append_all(struct ir *ir, uint32_t to, uint32_t from);
/* Inserts `count` phis at the start of a block. */
void prepend(struct ir *ir, uint32_t block, const ir_ref *phi, uint32_t count);

/* Resolves known branches, skips blocks that only lead on, and merges chains of blocks (branches.c); `ir` must be
 * analyzed and is analyzed again. TIDY_BLOCKS: for everything that remains, dominance and the values of phis are
 * unchanged. */
enum tidy { TIDY_NOTHING, TIDY_BLOCKS, TIDY_VALUES };
enum tidy simplify_branches(struct ir *ir);

#endif
