/* Programs as text: assembled, disassembled, and the operations' manual. docs/assembly.md has the language. */
#ifndef ISA_ASM_ASM_H
#define ISA_ASM_ASM_H

#include "isa/isa.h"

/* Assembles `text`. NULL on bad input, with *error filled. `file` names it in messages. */
struct isa_program *isa_assemble(const char *text, size_t length, const char *file, struct isa_error *error);

/* Assembly text of a program, such that isa_assemble() gives the same bytes; caller frees. */
char *isa_disassemble(const struct isa_program *program);

/* The reference manual of all operations, as markdown; caller frees. */
char *isa_manual(void);

/* Text of one instruction, without its newline, e.g. for reports. */
void isa_print(const struct isa_program *program, uint32_t pc, char *text, size_t size);

#endif
