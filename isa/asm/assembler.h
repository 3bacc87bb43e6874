/* The state of the assembler, shared by its files: assemble.c (lines, labels, joins), directives.c and operands.c. It
 * makes one pass over the lines; references to labels are noted and filled in when the kernel ends. It stops at the
 * first error: functions set *error and return false. */
#ifndef ISA_ASM_ASSEMBLER_H
#define ISA_ASM_ASSEMBLER_H

#include "isa/asm/lexer.h"
#include "isa/asm/symbols.h"
#include "isa/rows.h"

/* A branch whose target and join are filled in when its kernel ends. */
struct fixup {
  uint32_t pc;
  struct token target, join; /* join.kind is TOKEN_END if the source names none */
};

struct assembler {
  struct isa_program *program;
  struct isa_error *error;
  const char *file;
  struct lexer lexer;
  struct symbols symbols;
  size_t code_room, line_room, column_room, constant_room, variable_room;

  /* The kernel being read; `scope` is 0 before the first. */
  uint32_t scope;
  struct token kernel_name;
  uint32_t registers, predicates;           /* declared by name */
  uint32_t bare_registers, bare_predicates; /* highest bare one used, plus 1 */
  uint32_t registers_wanted;                /* the .registers directive */
  struct fixup *fixups;
  size_t fixup_count, fixup_room;
};

/* Sets the error "file:line:column: message 'offending'; suggestion" and returns false. The offending text is `at`. */
bool fail(struct assembler *as, struct token at, const char *suggestion, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with "did you mean 'NEAREST'?" unless `nearest` is NULL. */
bool fail_nearest(struct assembler *as, struct token at, const char *nearest, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Takes a sign or fails. */
bool expect_sign(struct assembler *as, char sign);

static inline struct isa_kernel *current_kernel(struct assembler *as) {
  return &as->program->kernels[as->program->kernel_count - 1];
}

/* A name in the current kernel or the program. */
const struct symbol *find_name(const struct assembler *as, const char *name, size_t length);

/* Declares a name, which must be new. */
bool declare(struct assembler *as, struct token name, struct symbol symbol);

bool directive(struct assembler *as, struct token name);
bool begin_kernel(struct assembler *as);
bool end_kernel(struct assembler *as);

/* Takes an integer in [0, most]. `what` is for the message. */
bool take_count(struct assembler *as, const char *what, uint64_t most, uint64_t *value);

/* Takes a number of a type as the bits that such an operand holds. */
bool take_number(struct assembler *as, enum isa_type type, uint64_t *bits);

/* Takes the operands of `row` into *inst. Notes labels as fixups of `pc`. */
bool take_operands(struct assembler *as, const struct isa_row *row, uint32_t pc, struct isa_inst *inst);

/* Takes the predicate of a guard. */
bool take_predicate(struct assembler *as, uint8_t *predicate);

#endif
