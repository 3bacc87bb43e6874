#include "tests/opencl/maker.h"
#include "isa/ops.h"
#include "tests/opencl/lane.h"

#include <stdlib.h>
#include <string.h>

struct maker begin(void) {
  return (struct maker){ir_new("k"), 0};
}

ir_ref make(struct maker *m, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  const ir_ref operand[] = {a, b, c};
  const enum ir_width width = op == IR_SLOT || op == IR_WORD ? IR_W1 : ir_width_of((enum isa_op)op);
  const ir_ref ref = ir_make(m->ir, op, width, operand, c ? 3 : b ? 2 : a ? 1 : 0, imm, (struct ir_place){.line = 1});
  ir_append(m->ir, m->block, ref);
  return ref;
}

ir_ref word(struct maker *m, uint64_t bits) { return ir_const(m->ir, IR_W1, bits); }
ir_ref pair(struct maker *m, uint64_t bits) { return ir_const(m->ir, IR_W2, bits); }
ir_ref arg_word(struct maker *m, uint32_t offset) { return make(m, ISA_LD_ARG_32, 0, 0, 0, offset); }

void store(struct maker *m, uint16_t op, ir_ref address, ir_ref value) {
  const ir_ref operand[] = {address, 0, value};
  ir_append(m->ir, m->block, ir_make(m->ir, op, IR_NOTHING, operand, 3, 0, (struct ir_place){.line = 1}));
}

uint32_t new_block(struct maker *m) { return ir_block_new(m->ir); }
void go(struct maker *m, uint32_t to) { ir_goto(m->ir, m->block, to, (struct ir_place){.line = 1}); }
void branch(struct maker *m, ir_ref p, uint32_t yes, uint32_t no) {
  ir_if(m->ir, m->block, p, yes, no, (struct ir_place){.line = 1});
}

void expect_text(struct maker *m, void (*pass)(struct ir *), const char *expected) {
  ir_exit(m->ir, m->block, (struct ir_place){.line = 1});
  pass(m->ir);
  char room[IR_FAULT];
  const char *fault = ir_fault(m->ir, room);
  EXPECT_STREQ(fault ? fault : "", "");
  ct_freed(ct_free) char *text = ir_text(m->ir);
  EXPECT_STREQ(strchr(text, '\n') + 1, expected);
  ir_free(m->ir);
}

uint32_t same_after(struct maker *m, void (*pass)(struct ir *)) {
  ir_exit(m->ir, m->block, (struct ir_place){.line = 1});
  lane_same_after(m->ir, pass);
  const uint32_t blocks = m->ir->ordered;
  ir_free(m->ir);
  return blocks;
}

ir_ref is_odd(struct maker *m, ir_ref value) {
  return make(m, ISA_SETP_NE_U32, make(m, ISA_AND_32, value, word(m, 1), 0, 0), word(m, 0), 0, 0);
}
