/* The opcodes of NVIDIA's machine instructions (SASS), as rows: sass.def.
 *
 * An opcode is what stands before the first dot of an instruction's name; what follows are modifiers, such as the width
 * of an access (LDG.E.128) or a rounding. Its family says what it becomes here: an operation of the ISA that takes the
 * time that such an instruction takes, and that reads and writes the registers that the trace names. It is never
 * executed.
 *
 * Not modelled: what an instruction computes. */
#ifndef SIM_IMPORT_OPCODES_H
#define SIM_IMPORT_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sass_family {
#define ALU_FAMILY(id, ...) SASS_##id,
#define FAMILY(id, ...) SASS_##id,
#include "sim/import/sass.def"
#undef FAMILY
#undef ALU_FAMILY
  SASS_FAMILIES
};

/* What is counted because the trace does not say it, or because it is not modelled. */
enum sass_loss {
#define LOSS(id, ...) SASS_LOST_##id,
#include "sim/import/sass.def"
#undef LOSS
  SASS_LOSSES
};

struct sass_family_row {
  const char *name;
  const char *operations; /* what their mnemonics may begin with, or an ALU family's name; NULL of an ALU family */
  uint16_t op[4];         /* of an ALU family: for one register read, two, three, and without a result */
  const char *text;
};
extern const struct sass_family_row sass_families[SASS_FAMILIES];

static inline bool sass_is_alu(enum sass_family family) { return !sass_families[family].operations; }

struct sass_loss_row {
  const char *name, *text;
};
extern const struct sass_loss_row sass_losses[SASS_LOSSES];

struct sass_opcode {
  const char *name;
  enum sass_family family;
  bool result_first;
  int loss; /* enum sass_loss, or -1 */
};
extern const struct sass_opcode sass_opcodes[];
extern const size_t sass_opcode_count;

/* The row of an instruction's name, modifiers and all; NULL when there is none. */
const struct sass_opcode *sass_find(const char *name);

/* Whether `word` is one of the name's modifiers. */
bool sass_modified(const char *name, const char *word);

/* Bytes a lane that an access moves, as the modifiers say: 4 if none does. *is_signed: the loaded value is. */
uint32_t sass_width(const char *name, bool *is_signed);

/* The page of families, opcodes and what is counted as lost, in Markdown; the caller frees it. */
char *sass_manual(void);

#endif
