/* The opcodes of NVIDIA's machine instructions (SASS), as rows: sass.def.
 *
 * An opcode is the part of an instruction's name before the first dot; modifiers follow, such as the width of an access
 * (LDG.E.128) or a rounding mode. The opcode's family determines its operation of the ISA, which takes the time of such
 * an instruction, and reads and writes the registers that the trace names. It is never executed.
 *
 * Not modeled: what an instruction computes. */
#ifndef TOOLS_IMPORT_OPCODES_H
#define TOOLS_IMPORT_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an access touches. GENERIC: the address decides which of the first three. */
enum sass_space {
  SASS_GLOBAL_SPACE,
  SASS_SHARED_SPACE,
  SASS_LOCAL_SPACE,
  SASS_SPACES,
  SASS_GENERIC_SPACE,
  SASS_NO_SPACE
};

enum sass_family {
#define ALU_FAMILY(id, ...) SASS_##id,
#define FAMILY(id, ...) SASS_##id,
#include "tools/import/sass.def"
#undef FAMILY
#undef ALU_FAMILY
  SASS_FAMILIES
};

/* Counted because the trace does not contain it, or because it is not modeled. */
enum sass_loss {
#define LOSS(id, ...) SASS_LOST_##id,
#include "tools/import/sass.def"
#undef LOSS
  SASS_LOSSES
};

struct sass_family_row {
  const char *name;
  enum sass_space space;
  const char *operations; /* legal beginnings of their mnemonics, or the name of an ALU family; NULL for ALU families */
  uint16_t op[4];         /* of an ALU family: for one register read, for two, for three, and without a result */
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

/* The row of an instruction's name, ignoring modifiers; NULL: there is none. */
const struct sass_opcode *sass_find(const char *name);

/* Whether `word` is one of the name's modifiers. */
bool sass_modified(const char *name, const char *word);

/* Bytes per lane that an access moves, by its modifiers; 4 by default. *is_signed: the loaded value is signed. */
uint32_t sass_width(const char *name, bool *is_signed);

/* The page of families, opcodes and losses, in Markdown; the caller frees it. */
char *sass_manual(void);

#endif
