/* Assembler, disassembler and the manual of operations. docs/assembly.md describes the language. */
#ifndef ISA_ASM_ASM_H
#define ISA_ASM_ASM_H

#include "isa/isa.h"

/* Assembles `text`. Returns NULL on wrong input and sets *error. `file` names the text in messages. */
struct isa_program *isa_assemble(const char *text, size_t length, const char *file, struct isa_error *error);

/* The assembly text of a program. isa_assemble() turns it into the same bytes. The caller frees it. */
char *isa_disassemble(const struct isa_program *program);

/* The reference manual of all operations, as markdown. The caller frees it. */
char *isa_manual(void);

/* The text of one instruction without its newline, for reports. */
void isa_print(const struct isa_program *program, uint32_t pc, char *text, size_t size);

#endif
