/* Handmade kernels for tests of passes, and what a pass makes of them. */
#ifndef TESTS_OPENCL_MAKER_H
#define TESTS_OPENCL_MAKER_H

#include "opencl/passes/passes.h"
#include "tests/ct.h"

/* Makes instructions of line 1 at the end of `block`. */
struct maker {
  struct ir *ir;
  uint32_t block;
};

struct maker begin(void);
ir_ref make(struct maker *m, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm);
ir_ref word(struct maker *m, uint64_t bits);
ir_ref pair(struct maker *m, uint64_t bits);
ir_ref arg_word(struct maker *m, uint32_t offset);
void store(struct maker *m, uint16_t op, ir_ref address, ir_ref value);
uint32_t new_block(struct maker *m);
void go(struct maker *m, uint32_t to);
void branch(struct maker *m, ir_ref p, uint32_t yes, uint32_t no);

/* Compares the text after some passes, without its first line; finishes the kernel. */
void expect_text(struct maker *m, void (*pass)(struct ir *), const char *expected);

/* A predicate: the lowest bit of the value is set. */
ir_ref is_odd(struct maker *m, ir_ref value);

/* Finishes the kernel, checks it with lane_same_after() and frees it. Returns how many blocks are reachable after the
 * pass. */
uint32_t same_after(struct maker *m, void (*pass)(struct ir *));

#endif
