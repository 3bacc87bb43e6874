/* Loops that are entered in one place, led back from one place, and left at their header alone; what turns them; and
 * copies of them.
 *
 *     entry ──► header ──► body ... latch ──► header
 *                  └─────► after
 *
 * So what is known behind the loop is known in its header, and a copy of the other blocks can be put in the way. */
#ifndef OPENCL_PASSES_IR_LOOP_H
#define OPENCL_PASSES_IR_LOOP_H

#include "opencl/passes/range.h"

struct ir_loop {
  uint32_t header, entry, latch, body, after; /* body: where the header leads to inside */
  uint32_t *block, blocks;                    /* all of them, the header first */
};

/* False if the loop of `header`, which is one's, is of another shape. The caller frees with ir_loop_free(). */
bool ir_loop_find(const struct ir *ir, uint32_t header, struct ir_loop *loop);
void ir_loop_free(struct ir_loop *loop);

/* A loop that goes on while `phi kind bound` holds, where the phi is one of the header that grows by `by` in each turn,
 * or shrinks, and neither `by`, from 1 to MOST_STEP, nor the bound changes. */
enum { MOST_STEP = 1 << 20 };

struct counter {
  ir_ref phi, bound, by;
  enum kind kind; /* LT, LE, GT, GE, of either sign, or NE, then by 1 */
  bool down;
  unsigned bits;
};

/* Does that ask `ranges` about any loop? Not where all grow by constants. */
bool ir_loops_ask(const struct ir *ir);
bool ir_loop_counter(struct ir *ir, const struct ranges *ranges, const struct ir_loop *loop, struct counter *counter);

/* How often it runs, from the counter's numbers; UINT32_MAX if they are not known, or might wrap. */
uint32_t ir_loop_count(const struct ir *ir, const struct ir_loop *loop, const struct counter *counter);

/* How often the body runs, tried out, at most `most` times; UINT32_MAX if that is not known. */
uint32_t ir_loop_turns(struct ir *ir, const struct ir_loop *loop, uint32_t most);

/* Is it known that the body runs at least once? */
bool ir_loop_begins(struct ir *ir, const struct ir_loop *loop);

/* ---- copies ---------------------------------------------------------------------------------------- */

/* What stands for each value and block of a loop in the copy that is being made; 0: itself. */
struct copies {
  struct ir *ir;
  const struct ir_loop *loop;
  struct ir_room *value, *block; /* the copy's */
  uint32_t values, blocks;       /* that there were when it began */
};

void copies_begin(struct copies *copies, struct ir *ir, const struct ir_loop *loop);
ir_ref copies_value(const struct copies *copies, ir_ref ref);

/* The header's phis stand for themselves (`phi` NULL), or for these, in their order. */
void copies_start(struct copies *copies, const ir_ref *phi);
/* They stand for what `from` brings to the header, in terms of the copy before. */
void copies_turn(struct copies *copies, uint32_t from);

/* `turns` further turns, at least one: the header's instructions and all of the body, in new blocks that lead from one
 * turn to the next. *first is the first block, *last the last, which is yet to lead on. */
void copies_add(struct copies *copies, uint32_t turns, uint32_t *first, uint32_t *last);
/* What `old` brought to the header comes from `from` now, and is what the phis stand for. */
void copies_bring(const struct copies *copies, uint32_t old, uint32_t from);

#endif
