#include "models/mem/l1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets and ways ------------------------------------------------------------------------ */

static struct l1_line *set_of(const struct l1 *l1, uint64_t line) {
  return l1->lines + line % l1->sets * l1->params.l1_ways;
}

static struct l1_line *find(const struct l1 *l1, uint64_t line) {
  if (!l1->sets) /* what a launch has left on its way, while this one has no L1 */
    return NULL;
  struct l1_line *set = set_of(l1, line);
  for (uint32_t way = 0; way < l1->params.l1_ways; way++)
    if (set[way].line == line + 1)
      return &set[way];
  return NULL;
}

/* The least recently used way that is not coming; NULL if all are. */
static struct l1_line *victim(const struct l1 *l1, uint64_t line) {
  struct l1_line *set = set_of(l1, line), *oldest = NULL;
  for (uint32_t way = 0; way < l1->params.l1_ways; way++)
    if (!set[way].coming && (!oldest || set[way].used < oldest->used))
      oldest = &set[way];
  return oldest;
}

static void throw_out(struct l1_line *entry) {
  if (entry->coming)
    entry->thrown = true;
  else
    entry->line = 0;
  entry->valid = 0;
}

/* ---- a load ------------------------------------------------------------------------------- */

bool l1_hit(struct l1 *l1, const struct mem_line *lines, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct l1_line *entry = find(l1, lines[i].line);
    if (!entry || lines[i].sectors & ~entry->valid)
      return false;
  }
  for (uint32_t i = 0; i < count; i++)
    find(l1, lines[i].line)->used = ++l1->uses;
  return true;
}

/* Sectors of a line that have to come; takes a way for them if there is one. */
static uint32_t missing(struct l1 *l1, const struct mem_line *line, uint32_t access) {
  struct l1_line *entry = find(l1, line->line);
  uint32_t sectors = line->sectors;
  if (entry) {
    sectors &= ~entry->valid;
    entry->used = ++l1->uses;
    if (!sectors || entry->coming)
      return sectors;
  } else {
    entry = victim(l1, line->line);
    if (!entry)
      return sectors;
    *entry = (struct l1_line){.line = line->line + 1, .used = ++l1->uses};
  }
  entry->coming = sectors;
  entry->filler = access;
  l1->taken = true;
  return sectors;
}

uint32_t l1_miss(struct l1 *l1, struct mem_line *lines, uint32_t count, uint32_t access) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t sectors = missing(l1, &lines[i], access);
    if (sectors)
      lines[left++] = (struct mem_line){.line = lines[i].line, .sectors = sectors};
  }
  return left;
}

/* The entry that is coming for this access, or NULL. */
static struct l1_line *coming(const struct l1 *l1, uint64_t line, uint32_t access) {
  struct l1_line *entry = find(l1, line);
  return entry && entry->coming && entry->filler == access ? entry : NULL;
}

static uint8_t *bytes_of(const struct l1 *l1, const struct l1_line *entry) {
  return l1->bytes + (size_t)(entry - l1->lines) * l1->params.line;
}

void l1_capture(struct l1 *l1, struct isa_memory *memory, const struct mem_line *lines, uint32_t count,
                uint32_t access) {
  uint64_t size = l1->params.line;
  for (uint32_t i = 0; i < count; i++) {
    const struct l1_line *entry = coming(l1, lines[i].line, access);
    const uint64_t from = lines[i].line * size;
    const struct isa_buffer *buffer = entry ? isa_memory_near(memory, from + size - 1) : NULL;
    if (!buffer || !buffer->data || buffer->base + buffer->bytes <= from) /* a replay has no bytes */
      continue;
    /* A buffer may begin or end within a line; sectors outside of it hold nothing that a lane reads. */
    uint64_t first = buffer->base > from ? buffer->base - from : 0;
    uint64_t end = buffer->base + buffer->bytes - from;
    end = end < size ? end : size;
    memcpy(bytes_of(l1, entry) + first, buffer->data + (from + first - buffer->base), (size_t)(end - first));
  }
}

void l1_filled(struct l1 *l1, const struct mem_line *lines, uint32_t count, uint32_t access) {
  for (uint32_t i = 0; i < count; i++) {
    struct l1_line *entry = coming(l1, lines[i].line, access);
    if (!entry)
      continue;
    entry->valid |= entry->coming;
    entry->coming = 0;
    if (entry->thrown)
      *entry = (struct l1_line){0};
  }
}

void l1_written(struct l1 *l1, const struct mem_line *lines, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct l1_line *entry = find(l1, lines[i].line);
    if (entry)
      throw_out(entry);
  }
}

/* ---- construction ------------------------------------------------------------------------- */

static const uint8_t *bytes_at(const void *self, uint64_t address) {
  const struct l1 *l1 = self;
  const struct l1_line *entry = find(l1, address / l1->params.line);
  assert(entry && "a load is committed here only if it hits");
  return bytes_of(l1, entry) + address % l1->params.line;
}

bool l1_init(struct l1 *l1, const struct mem_params *params) {
  *l1 = (struct l1){
      .params = *params,
      .sets = params->l1_size / ((uint64_t)params->line * params->l1_ways),
      .width = {.per_cycle = params->l1_width},
      .cache = {.self = l1, .at = bytes_at},
  };
  if (!l1->sets)
    return true;
  l1->entries = (size_t)l1->sets * params->l1_ways;
  l1->lines = calloc(l1->entries, sizeof *l1->lines);
  l1->bytes = calloc(l1->entries, params->line);
  return l1->lines && l1->bytes;
}

void l1_share(struct l1 *l1, uint64_t lds) {
  const struct mem_params *params = &l1->params;
  l1_clear(l1);
  if (!params->l1_step)
    return;
  uint64_t taken = div_up(lds, params->l1_step) * params->l1_step;
  uint64_t left = taken < params->l1_size ? params->l1_size - taken : 0;
  uint64_t sets = left / ((uint64_t)params->line * params->l1_ways);
  if (sets == l1->sets)
    return;
  if (l1->uses)
    memset(l1->lines, 0, l1->entries * sizeof *l1->lines); /* what is still coming has nowhere to go */
  l1->sets = sets;
}

void l1_free(struct l1 *l1) {
  free(l1->lines);
  free(l1->bytes);
  *l1 = (struct l1){0};
}

void l1_clear(struct l1 *l1) {
  for (uint64_t i = 0; l1->taken && i < l1->sets * l1->params.l1_ways; i++)
    throw_out(&l1->lines[i]);
  l1->taken = false;
}
