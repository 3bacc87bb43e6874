#include "isa/asm/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/core/params.h"

enum { MOST_CANDIDATES = 4096 /* a suggestion is not worth more comparisons */ };

static uint64_t hash(uint32_t scope, const char *name, size_t length) {
  return hash_join(hash_bytes(name, length), scope);
}

const struct symbol *symbols_find(const struct symbols *symbols, uint32_t scope, const char *name, size_t length) {
  for (size_t at = 0, i; map_next(&symbols->map, hash(scope, name, length), &at, &i);) {
    const struct symbol *symbol = &symbols->list[i];
    if (symbol->scope == scope && strncmp(symbol->name, name, length) == 0 && !symbol->name[length])
      return symbol;
  }
  return NULL;
}

void symbols_add(struct symbols *symbols, const char *name, size_t length, struct symbol symbol) {
  symbol.name = need_bytes(name, length);
  map_add(&symbols->map, hash(symbol.scope, name, length), symbols->count);
  *vector_next(symbols->list, symbols->count, symbols->room) = symbol;
}

const char *symbols_nearest(const struct symbols *symbols, uint32_t scope, bool and_program, unsigned kinds,
                            const char *name) {
  const char **words = need(MOST_CANDIDATES, sizeof *words);
  size_t count = 0;
  for (size_t i = 0; i < symbols->count && count < MOST_CANDIDATES; i++) {
    const struct symbol *symbol = &symbols->list[i];
    bool in_scope = symbol->scope == scope || (and_program && symbol->scope == SCOPE_PROGRAM);
    if (in_scope && kinds >> symbol->kind & 1)
      words[count++] = symbol->name;
  }
  const char *nearest = nearest_word(name, words, count, sizeof *words);
  free(words);
  return nearest;
}

void symbols_free(struct symbols *symbols) {
  for (size_t i = 0; i < symbols->count; i++)
    free(symbols->list[i].name);
  free(symbols->list);
  map_free(&symbols->map);
}
