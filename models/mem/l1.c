#include "models/mem/l1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

/* ---- sets and ways ------------------------------------------------------------------------ */

/* An odd number of sets spreads rows of a power of two without help. The hash handles the power of two in the number of
 * sets. */
static uint64_t hashed(const struct l1 *l1, uint64_t line) {
  uint64_t set = line >> 32 ? line % l1->sets : (uint32_t)line % (uint32_t)l1->sets;
  const unsigned bits = (unsigned)__builtin_ctzll(l1->sets);
  if (l1->params->l1_hash == L1_XOR && bits) /* without bits, the loop would not end */
    for (uint64_t upper = line >> bits; upper; upper >>= bits)
      set ^= upper & ((UINT64_C(1) << bits) - 1);
  return set;
}

static struct l1_line *set_of(const struct l1 *l1, uint64_t line) {
  return l1->lines + hashed(l1, line) * l1->geometry.ways;
}

static struct l1_line *find_in(const struct l1 *l1, struct l1_line *set, uint64_t line) {
  for (uint32_t way = 0; way < l1->geometry.ways; way++)
    if (set[way].line == line + 1)
      return &set[way];
  return NULL;
}

static struct l1_line *find(const struct l1 *l1, uint64_t line) {
  return l1->sets ? find_in(l1, set_of(l1, line), line) : NULL; /* no sets: the LDS has all of the SRAM */
}

/* The least recently used way of a set that is neither coming nor waited for; NULL: none. */
static struct l1_line *victim(const struct l1 *l1, struct l1_line *set) {
  struct l1_line *oldest = NULL;
  for (uint32_t way = 0; way < l1->geometry.ways; way++)
    if (!set[way].coming && !set[way].waits && (!oldest || set[way].used < oldest->used))
      oldest = &set[way];
  return oldest;
}

static void evict(struct l1_line *entry) {
  if (entry->coming || entry->waits)
    entry->evicted = true;
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

/* Sectors of a line that must be fetched; takes a way for them if there is one. *join: sectors that are coming for
 * others. */
static uint32_t missing(struct l1 *l1, struct mem_line *line, uint32_t *join) {
  struct l1_line *const set = set_of(l1, line->line), *entry = find_in(l1, set, line->line);
  uint32_t sectors = line->sectors;
  if (entry) {
    sectors &= ~entry->valid;
    entry->used = ++l1->uses;
    if (entry->evicted)
      return sectors;
    *join = l1->params->l1_join == L1_JOIN ? sectors & entry->coming : 0;
  } else {
    entry = victim(l1, set);
    if (!entry)
      return sectors;
    *entry = (struct l1_line){.line = line->line + 1, .used = ++l1->uses};
  }
  line->fills = (uint16_t)(sectors & ~entry->coming);
  line->way = (uint8_t)(entry - set);
  entry->coming |= line->fills;
  l1->taken = true;
  return sectors & ~*join;
}

uint32_t l1_miss(struct l1 *l1, struct mem_line *lines, uint32_t count, uint32_t *joined) {
  struct mem_line here[MEM_TEXEL_LINES];
  uint32_t left = 0, waits = 0, found = 0, all = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct mem_line line = lines[i];
    uint32_t join = 0;
    const uint32_t sectors = missing(l1, &line, &join);
    if (join || !sectors)
      here[all++] = (struct mem_line){.line = line.line, .sectors = join};
    waits += join != 0;
    line.sectors = sectors;
    if (sectors)
      lines[left++] = line;
  }
  /* Hits are read here if no line is left; otherwise the L2 commits all of the load. */
  for (uint32_t i = 0; waits && i < all; i++)
    if (here[i].sectors || !left) {
      find(l1, here[i].line)->waits++;
      lines[left + found++] = here[i];
    }
  *joined = found;
  return left;
}

bool l1_wait(struct l1 *l1, const struct mem_line *joined, uint32_t count, uint32_t access) {
  for (uint32_t i = 0; i < count; i++) {
    struct l1_line *entry = find(l1, joined[i].line);
    if (!(entry->coming & joined[i].sectors))
      continue;
    *(entry->first ? &l1->next[entry->last - 1] : &entry->first) = access + 1;
    entry->last = access + 1;
    l1->next[access] = 0;
    return true;
  }
  return false;
}

void l1_release(struct l1 *l1, const struct mem_line *joined, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct l1_line *entry = find(l1, joined[i].line);
    assert(entry && entry->waits && "a line stays while loads wait for it");
    if (!--entry->waits && entry->evicted && !entry->coming)
      *entry = (struct l1_line){0};
  }
}

/* The way that a load took for a line that it fills. */
static struct l1_line *filled_by(const struct l1 *l1, const struct mem_line *line) {
  return set_of(l1, line->line) + line->way;
}

static uint8_t *bytes_of(const struct l1 *l1, const struct l1_line *entry) {
  return l1->bytes + (size_t)(entry - l1->lines) * l1->params->line;
}

/* A buffer may start or end within a line; no lane reads the sectors outside it. Sectors that this load does not fill
 * are not touched, because they may be read now, or filled for another load. */
static void copy_sectors(const struct l1 *l1, const struct mem_line *line, const struct isa_buffer *buffer) {
  const uint64_t size = l1->params->sector, begin = buffer->base, end = buffer->base + buffer->bytes;
  const uint64_t from = line->line * l1->params->line;
  uint8_t *const bytes = bytes_of(l1, filled_by(l1, line));
  for (uint32_t left = line->fills; left; left &= left - 1) {
    const uint64_t sector = from + (uint64_t)__builtin_ctz(left) * size;
    const uint64_t first = sector > begin ? sector : begin, last = sector + size < end ? sector + size : end;
    if (first < last)
      memcpy(bytes + (first - from), buffer->data + (first - begin), (size_t)(last - first));
  }
}

void l1_capture(const struct l1 *l1, struct isa_memory *memory, const struct mem_line *lines, uint32_t count) {
  uint64_t size = l1->params->line;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t from = lines[i].line * size;
    const struct isa_buffer *buffer = lines[i].fills ? isa_memory_near(memory, from + size - 1) : NULL;
    if (buffer && buffer->data && buffer->base + buffer->bytes > from) /* a replay has no bytes */
      copy_sectors(l1, &lines[i], buffer);
  }
}

/* Moves the loads in a line's queue to the end of another queue. */
static void splice_waiters(struct l1 *l1, struct l1_line *entry, uint32_t *first, uint32_t *last) {
  if (!entry->first)
    return;
  *(*first ? &l1->next[*last - 1] : first) = entry->first;
  *last = entry->last;
  entry->first = entry->last = 0;
}

uint32_t l1_filled(struct l1 *l1, const struct mem_line *lines, uint32_t count) {
  uint32_t first = 0, last = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!lines[i].fills)
      continue;
    struct l1_line *entry = filled_by(l1, &lines[i]);
    entry->valid |= entry->evicted ? 0 : lines[i].fills;
    entry->coming &= ~(uint32_t)lines[i].fills;
    splice_waiters(l1, entry, &first, &last);
    if (entry->evicted && !entry->waits && !entry->coming)
      *entry = (struct l1_line){0};
  }
  return first;
}

void l1_written(struct l1 *l1, const struct mem_line *lines, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct l1_line *entry = find(l1, lines[i].line);
    if (entry)
      evict(entry);
  }
}

/* ---- construction ------------------------------------------------------------------------- */

static const uint8_t *line_at(const void *self, uint64_t address) {
  const struct l1 *l1 = self;
  const struct l1_line *entry = find(l1, address / l1->params->line);
  assert(entry && "a load is committed here only if it hits");
  return bytes_of(l1, entry);
}

static uint64_t sets_of(const struct l1 *l1, uint64_t bytes) {
  return bytes / ((uint64_t)l1->params->line * l1->geometry.ways);
}

void l1_init(struct l1 *l1, const struct mem_params *params, struct l1_geometry geometry, uint32_t accesses) {
  *l1 = (struct l1){
      .params = params,
      .geometry = geometry,
      .width = {.per_cycle = params->l1_width},
      .cache = {.self = l1, .line = params->line, .at = line_at},
  };
  l1->sets = sets_of(l1, geometry.size);
  if (!l1->sets)
    return;
  l1->entries = (size_t)l1->sets * geometry.ways;
  l1->lines = need(l1->entries, sizeof *l1->lines);
  l1->bytes = need_more(NULL, l1->entries, params->line); /* bytes are filled before they are read */
  l1->next = need(accesses, sizeof *l1->next);
}

void l1_share(struct l1 *l1, uint64_t lds) {
  const struct l1_geometry *geometry = &l1->geometry;
  l1_clear(l1);
  if (!geometry->step)
    return;
  uint64_t taken = div_up(lds, geometry->step) * geometry->step;
  uint64_t sets = sets_of(l1, taken < geometry->size ? geometry->size - taken : 0);
  if (sets == l1->sets)
    return;
  if (l1->uses)
    memset(l1->lines, 0, l1->entries * sizeof *l1->lines);
  l1->sets = sets;
}

void l1_free(struct l1 *l1) {
  free(l1->lines);
  free(l1->bytes);
  free(l1->next);
  *l1 = (struct l1){0};
}

void l1_clear(struct l1 *l1) {
  for (uint64_t i = 0; l1->taken && i < l1->sets * l1->geometry.ways; i++)
    evict(&l1->lines[i]);
  l1->taken = false;
}
