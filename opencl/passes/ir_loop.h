/* Loops with one entry edge and one back edge that are left only from their header; their counters; and copies of them.
 *
 *     entry ──► header ──► body ... latch ──► header
 *                  └─────► after
 *
 * So what is known after the loop is known in its header, and copies of the other blocks can be inserted. */
#ifndef OPENCL_PASSES_IR_LOOP_H
#define OPENCL_PASSES_IR_LOOP_H

#include "opencl/passes/range.h"

struct ir_loop {
  uint32_t header, entry, latch, body, after; /* body: the header's successor inside the loop */
  uint32_t *block, blocks;                    /* all blocks, the header first */
};

/* False if the loop with this header has another shape. The caller frees it with ir_loop_free(). */
bool ir_loop_find(const struct ir *ir, uint32_t header, struct ir_loop *loop);
void ir_loop_free(struct ir_loop *loop);

/* A loop that continues while `phi kind bound` holds. Each iteration adds `by` to the header's phi, or subtracts it if
 * `down`. `by`, from 1 to MOST_STEP, and the bound do not change in the loop. */
enum { MOST_STEP = 1 << 20 };

struct counter {
  ir_ref phi, bound, by;
  enum kind kind; /* LT, LE, GT or GE, signed or unsigned; or NE if `by` is 1 */
  bool down;
  unsigned bits;
};

/* Does ir_loop_counter() need `ranges` for any loop? Not if all loops count by constants. */
bool ir_loops_ask(const struct ir *ir);
bool ir_loop_counter(struct ir *ir, const struct ranges *ranges, const struct ir_loop *loop, struct counter *counter);

/* The number of iterations, from the counter's constants; UINT32_MAX if they are unknown or might wrap. */
uint32_t ir_loop_count(const struct ir *ir, const struct ir_loop *loop, const struct counter *counter);

/* How often the body runs, found by executing the loop for up to `most` iterations; UINT32_MAX if unknown. */
uint32_t ir_loop_turns(struct ir *ir, const struct ir_loop *loop, uint32_t most);

/* Does the body certainly run at least once? */
bool ir_loop_begins(struct ir *ir, const struct ir_loop *loop);

/* ---- copies ---------------------------------------------------------------------------------------- */

/* Maps each value and block of a loop to its copy in the current iteration; 0: not copied, so itself. */
struct copies {
  struct ir *ir;
  const struct ir_loop *loop;
  struct ir_room *value, *block; /* maps from the original */
  uint32_t values, blocks;       /* how many existed at copies_begin() */
};

void copies_begin(struct copies *copies, struct ir *ir, const struct ir_loop *loop);
ir_ref copies_value(const struct copies *copies, ir_ref ref);

/* Starts an iteration: the header's phis map to themselves (`phi` is NULL) or to these values, in order. */
void copies_start(struct copies *copies, const ir_ref *phi);
/* Starts the next iteration: the phis map to the values that `from` brings to the header, as copied so far. */
void copies_turn(struct copies *copies, uint32_t from);

/* Adds copies of `turns` iterations, at least one, in new blocks that lead from one iteration to the next. *first is
 * the first block, *last the last one, whose end is still open. */
void copies_add(struct copies *copies, uint32_t turns, uint32_t *first, uint32_t *last);
/* Replaces the header's predecessor `old` with `from`, which brings the values that the phis map to now. */
void copies_bring(const struct copies *copies, uint32_t old, uint32_t from);

#endif
