#include "sim/check/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { WORD = 4, TABLE = 1024 };

static struct shadow_page *new_page(bool bytes) {
  const size_t cells = bytes ? SHADOW_PAGE_BYTES : SHADOW_PAGE_BYTES / WORD;
  const size_t size = sizeof(struct shadow_page) + cells * sizeof(struct touch);
  struct shadow_page *page = need(1, size);
  page->bytes = bytes;
  return page;
}

static struct shadow_page **place_of(struct shadow *shadow, uint64_t address) {
  const size_t index = (size_t)((address - shadow->base) / SHADOW_PAGE_BYTES), table = index / TABLE;
  if (table >= shadow->table_count) {
    const size_t before = shadow->table_count;
    shadow->table = vector_room(shadow->table, &shadow->table_count, table + table / 2 + 1, sizeof *shadow->table);
    memset(shadow->table + before, 0, (shadow->table_count - before) * sizeof *shadow->table);
  }
  if (!shadow->table[table])
    shadow->table[table] = need(TABLE, sizeof **shadow->table);
  return &shadow->table[table][index % TABLE];
}

struct shadow_page *shadow_page(struct shadow *shadow, uint64_t address) {
  struct shadow_page **page = place_of(shadow, address);
  if (!*page)
    *page = new_page(false);
  return *page;
}

/* A copy of a cell, with its own copy of the touches. */
static struct touch copy_of(const struct touch *cell, struct touch_pool *pool) {
  struct touch copy = *cell;
  uint32_t from = cell->next, before = 0;
  copy.next = 0;
  while (from) {
    const uint32_t index = touch_pool_take(pool);
    if (!index)
      break;
    pool->at[index] = pool->at[from];
    pool->at[index].next = 0;
    if (before)
      pool->at[before].next = index & SHADOW_MOST_NEXT;
    else
      copy.next = index & SHADOW_MOST_NEXT;
    before = index;
    from = pool->at[from].next;
  }
  return copy;
}

struct shadow_page *shadow_refine(struct shadow *shadow, uint64_t address, struct touch_pool *pool) {
  struct shadow_page **place = place_of(shadow, address), *words = *place, *bytes = new_page(true);
  for (size_t i = 0; i < SHADOW_PAGE_BYTES; i++)
    bytes->cell[i] = i % WORD ? copy_of(&words->cell[i / WORD], pool) : words->cell[i / WORD];
  free(words);
  *place = bytes;
  return bytes;
}

void shadow_ignore(struct shadow *shadow, uint64_t address, uint64_t bytes) {
  for (uint64_t at = address / SHADOW_PAGE_BYTES * SHADOW_PAGE_BYTES; at < address + bytes; at += SHADOW_PAGE_BYTES) {
    struct shadow_page **page = place_of(shadow, at);
    if (!*page)
      *page = need(1, sizeof **page);
    (*page)->ignored = true;
  }
}

void shadow_free(struct shadow *shadow) {
  for (size_t t = 0; t < shadow->table_count; t++) {
    for (size_t i = 0; shadow->table[t] && i < TABLE; i++)
      free(shadow->table[t][i]);
    free(shadow->table[t]);
  }
  free(shadow->table);
  *shadow = (struct shadow){.base = shadow->base};
}

uint32_t touch_pool_take(struct touch_pool *pool) {
  uint32_t index = pool->unused;
  if (index) {
    pool->unused = pool->at[index].next;
    if (!pool->unused && pool->chain_count)
      pool->unused = pool->chains[--pool->chain_count];
    return index;
  }
  if (pool->count == SHADOW_MOST_NEXT)
    return 0;
  pool->at = vector_room(pool->at, &pool->room, pool->count + 2, sizeof *pool->at);
  return ++pool->count;
}

void touch_pool_give(struct touch_pool *pool, uint32_t first) {
  if (!pool->unused) {
    pool->unused = first;
    return;
  }
  *vector_next(pool->chains, pool->chain_count, pool->chain_room) = first;
}

void touch_pool_free(struct touch_pool *pool) {
  free(pool->at);
  free(pool->chains);
  *pool = (struct touch_pool){0};
}
