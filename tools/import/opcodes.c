#include "tools/import/opcodes.h"

#include <string.h>

#include "isa/ops.h"

const struct sass_family_row sass_families[SASS_FAMILIES] = {
#define ALU_FAMILY(id, name, one, two, three, none, text)                                                              \
  [SASS_##id] = {name, SASS_NO_SPACE, NULL, {ISA_##one, ISA_##two, ISA_##three, ISA_##none}, text},
#define FAMILY(id, name, space, operations, text) [SASS_##id] = {name, SASS_##space##_SPACE, operations, {0}, text},
#include "tools/import/sass.def"
#undef FAMILY
#undef ALU_FAMILY
};

const struct sass_loss_row sass_losses[SASS_LOSSES] = {
#define LOSS(id, name, text) [SASS_LOST_##id] = {name, text},
#include "tools/import/sass.def"
#undef LOSS
};

/* Flags of a row: bit 0 for RESULT_FIRST, the others for the loss. */
#define RESULT_FIRST 1
#define LOSES(id) (2 * (SASS_LOST_##id + 1))
const struct sass_opcode sass_opcodes[] = {
#define SASS(opcode, id, flags) {opcode, SASS_##id, (flags)&RESULT_FIRST, (flags) / 2 - 1},
#include "tools/import/sass.def"
#undef SASS
};
const size_t sass_opcode_count = sizeof sass_opcodes / sizeof *sass_opcodes;

const struct sass_opcode *sass_find(const char *name) {
  const size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sass_opcode_count; i++)
    if (strncmp(sass_opcodes[i].name, name, length) == 0 && !sass_opcodes[i].name[length])
      return &sass_opcodes[i];
  return NULL;
}

/* The next modifier at or after `at`, and its length; NULL: there is none. */
static const char *next_modifier(const char *at, size_t *length) {
  at += strcspn(at, ".");
  if (!*at)
    return NULL;
  *length = strcspn(at + 1, ".");
  return at + 1;
}

bool sass_modified(const char *name, const char *word) {
  size_t length = 0;
  for (const char *at = name; (at = next_modifier(at, &length));)
    if (strlen(word) == length && strncmp(at, word, length) == 0)
      return true;
  return false;
}

uint32_t sass_width(const char *name, bool *is_signed) {
  static const char *const bits[] = {"8", "16", "32", "64", "128", "256"};
  size_t length = 0;
  *is_signed = false;
  for (const char *at = name; (at = next_modifier(at, &length));) {
    const size_t sign = *at == 'U' || *at == 'S';
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
      if (strlen(bits[i]) == length - sign && strncmp(at + sign, bits[i], length - sign) == 0) {
        *is_signed = *at == 'S';
        return 1u << i;
      }
  }
  return 4;
}
