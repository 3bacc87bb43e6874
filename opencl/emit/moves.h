/* Turns parallel copies into a sequence of instructions. */
#ifndef OPENCL_EMIT_MOVES_H
#define OPENCL_EMIT_MOVES_H

#include "opencl/emit/machine.h"

/* Code that is not in a program yet. */
struct code {
  struct code_inst {
    struct isa_inst inst;
    struct ir_place place;
    uint8_t order; /* ISA_ORDERS_* */
  } * at;
  uint32_t count;
  size_t room;
};

void code_add(struct code *code, struct isa_inst inst, struct ir_place place);

/* Private address of the first spilled word. */
static inline uint32_t code_spill_base(const struct machine_function *m) { return (m->frame + 15u) / 16 * 16; }

struct moves;
struct moves *moves_new(const struct machine_function *m);
void moves_free(struct moves *moves);

/* With all places known, does the copy do nothing? */
bool moves_are_none(const struct machine_function *m, const struct machine_inst *copy);

/* Emits the instructions of copy number `number`. */
void moves_emit(struct moves *moves, const struct machine_inst *copy, uint32_t number, struct code *code);

#endif
