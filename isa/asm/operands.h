/* What the operand parsers share. literals.c takes numbers, operands.c registers, addresses and labels, call_operands.c
 * the operands that only copies, waits and operations on pipes have. All fail like fail(). */
#ifndef ISA_ASM_OPERANDS_H
#define ISA_ASM_OPERANDS_H

#include "isa/asm/assembler.h"

/* An integer without a sign, or the name of one. */
bool integer_term(struct assembler *as, uint64_t *value);

/* A sum of such integers, modulo 2^64. Sets *negative if it is below 0. */
bool take_integer(struct assembler *as, uint64_t *value, bool *negative);

/* A register that can hold the type; for TYPE_PRED, a predicate. */
bool take_register_of(struct assembler *as, enum isa_type type, uint8_t *field);

/* A register, or an integer up to `most` that goes into imm from bit `shift` on and sets `flag`. */
bool take_packed(struct assembler *as, const char *what, uint32_t most, unsigned shift, unsigned flag, uint8_t *field,
                 struct isa_inst *inst);

bool take_stride(struct assembler *as, struct isa_inst *inst);
bool take_copy_count(struct assembler *as, struct isa_inst *inst);
bool take_copy_size(struct assembler *as, struct isa_inst *inst);
bool take_lds_side(struct assembler *as, struct isa_inst *inst);
bool take_copy_fields(struct assembler *as, unsigned count, struct isa_inst *inst); /* the first `count` fields */
bool take_events(struct assembler *as, struct isa_inst *inst);
/* name=WORD with one of `count` words. The word's index goes into the high half of imm. */
bool take_word(struct assembler *as, const char *name, const char *const words[], unsigned count,
               struct isa_inst *inst);
bool take_packet_size(struct assembler *as, struct isa_inst *inst);
bool take_high(struct assembler *as, const char *name, uint64_t most, struct isa_inst *inst); /* name=N */

#endif
