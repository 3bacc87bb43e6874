#include "isa/asm/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/nearest.h"
#include "sim/core/params.h"

enum { FIRST_BUCKETS = 1024, MOST_CANDIDATES = 4096 /* a suggestion is not worth more comparisons */ };

static size_t hash(uint32_t scope, const char *name, size_t length) {
  uint64_t h = UINT64_C(14695981039346656037) ^ scope; /* FNV-1a */
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
  return (size_t)(h ^ h >> 29);
}

const struct symbol *symbols_find(const struct symbols *symbols, uint32_t scope, const char *name, size_t length) {
  if (!symbols->bucket_count)
    return NULL;
  uint32_t i = symbols->buckets[hash(scope, name, length) & (symbols->bucket_count - 1)];
  for (; i; i = symbols->list[i - 1].next) {
    const struct symbol *symbol = &symbols->list[i - 1];
    if (symbol->scope == scope && strncmp(symbol->name, name, length) == 0 && !symbol->name[length])
      return symbol;
  }
  return NULL;
}

static void enter(struct symbols *symbols, size_t i) {
  struct symbol *symbol = &symbols->list[i];
  uint32_t *bucket =
      &symbols->buckets[hash(symbol->scope, symbol->name, strlen(symbol->name)) & (symbols->bucket_count - 1)];
  symbol->next = *bucket;
  *bucket = (uint32_t)i + 1;
}

static bool grow(struct symbols *symbols) {
  const size_t room = symbols->room ? 2 * symbols->room : FIRST_BUCKETS;
  struct symbol *list = realloc(symbols->list, room * sizeof *list);
  if (!list)
    return false;
  symbols->list = list;
  uint32_t *buckets = calloc(room, sizeof *buckets);
  if (!buckets)
    return false;
  free(symbols->buckets);
  symbols->buckets = buckets;
  symbols->room = symbols->bucket_count = room;
  for (size_t i = 0; i < symbols->count; i++)
    enter(symbols, i);
  return true;
}

bool symbols_add(struct symbols *symbols, const char *name, size_t length, struct symbol symbol) {
  if (symbols->count == symbols->room && !grow(symbols))
    return false;
  symbol.name = strndup(name, length);
  if (!symbol.name)
    return false;
  symbols->list[symbols->count] = symbol;
  enter(symbols, symbols->count++);
  return true;
}

const char *symbols_nearest(const struct symbols *symbols, uint32_t scope, bool and_program, unsigned kinds,
                            const char *name) {
  const char **words = malloc(MOST_CANDIDATES * sizeof *words);
  size_t count = 0;
  for (size_t i = 0; words && i < symbols->count && count < MOST_CANDIDATES; i++) {
    const struct symbol *symbol = &symbols->list[i];
    bool in_scope = symbol->scope == scope || (and_program && symbol->scope == SCOPE_PROGRAM);
    if (in_scope && kinds >> symbol->kind & 1)
      words[count++] = symbol->name;
  }
  const char *nearest = words ? nearest_word(name, words, count, sizeof *words) : NULL;
  free(words);
  return nearest;
}

void symbols_free(struct symbols *symbols) {
  for (size_t i = 0; i < symbols->count; i++)
    free(symbols->list[i].name);
  free(symbols->list);
  free(symbols->buckets);
}
