/* Operands in assembly: what their parsers share. literals.c takes numbers, operands.c registers, addresses and labels,
 * call_operands.c what only copies, waits and operations on pipes have. All fail as fail() does. */
#ifndef ISA_ASM_OPERANDS_H
#define ISA_ASM_OPERANDS_H

#include "isa/asm/assembler.h"

/* A whole number without a sign, or a name that stands for one. */
bool integer_term(struct assembler *as, uint64_t *value);

/* A sum of such numbers, modulo 2^64; *negative: it is below 0. */
bool take_integer(struct assembler *as, uint64_t *value, bool *negative);

/* A register that can hold the type; a predicate where that is the type. */
bool take_register_of(struct assembler *as, enum isa_type type, uint8_t *field);

/* A register, or a number of at most `most` that goes into imm from bit `shift` on and sets `flag`. */
bool take_packed(struct assembler *as, const char *what, uint32_t most, unsigned shift, unsigned flag, uint8_t *field,
                 struct isa_inst *inst);

bool take_stride(struct assembler *as, struct isa_inst *inst);
bool take_copy_count(struct assembler *as, struct isa_inst *inst);
bool take_copy_size(struct assembler *as, struct isa_inst *inst);
bool take_lds_side(struct assembler *as, struct isa_inst *inst);
bool take_copy_fields(struct assembler *as, unsigned count, struct isa_inst *inst); /* the first `count` of them, all */
bool take_events(struct assembler *as, struct isa_inst *inst);
/* name=WORD, one of `count`: its number goes into the high half of imm. */
bool take_word(struct assembler *as, const char *name, const char *const words[], unsigned count,
               struct isa_inst *inst);
bool take_packet_size(struct assembler *as, struct isa_inst *inst);
bool take_high(struct assembler *as, const char *name, uint64_t most, struct isa_inst *inst); /* name=N */

#endif
