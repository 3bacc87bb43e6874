/* The names of an assembly source in one hash table, looked up by scope and text. Scope 0 is the whole program, scope k
 * its k-th kernel. Labels and mnemonics have their own scopes. */
#ifndef ISA_ASM_SYMBOLS_H
#define ISA_ASM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/map.h"

enum symbol_kind {
  SYMBOL_OP,        /* value: enum isa_op */
  SYMBOL_LABEL,     /* value: pc */
  SYMBOL_REGISTER,  /* value: first register; width and elements */
  SYMBOL_PREDICATE, /* value: predicate */
  SYMBOL_NUMBER,    /* value: the offset of an LDS block, constant or argument; a variable's address */
};

enum {
  SCOPE_PROGRAM = 0,
  SCOPE_LABELS = 1 << 30, /* plus the kernel's scope */
  SCOPE_OPS = 1 << 29,
};

struct symbol {
  char *name;
  uint32_t scope;
  enum symbol_kind kind;
  uint32_t value;
  uint32_t width;    /* registers per element */
  uint32_t elements; /* of a register array; 1 for a plain register */
};

struct symbols {
  struct symbol *list;
  size_t count, room;
  struct map map; /* from scope and name to the index */
};

/* The symbol, or NULL. Adding another one may move it. */
const struct symbol *symbols_find(const struct symbols *symbols, uint32_t scope, const char *name, size_t length);

/* Adds a name that is not in the table yet. */
void symbols_add(struct symbols *symbols, const char *name, size_t length, struct symbol symbol);

/* The name of `scope`, or with `and_program` also of the program, that `name` was most likely meant to be, or NULL.
 * `kinds` has a bit for each enum symbol_kind that is acceptable. */
const char *symbols_nearest(const struct symbols *symbols, uint32_t scope, bool and_program, unsigned kinds,
                            const char *name);

void symbols_free(struct symbols *symbols);

#endif
