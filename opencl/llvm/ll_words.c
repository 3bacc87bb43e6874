/* Writes SPIR-V: instructions as words, in the section that the order of a module prescribes. Types and constants,
 * which a module names often, are written once: an instruction of LL_DEFINITIONS that equals an earlier one but for
 * its result is taken back. */
#include "opencl/llvm/ll.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { MOST_WORDS = 65535, VERSION = 0x00010400, HEADER_WORDS = 5 };

uint32_t ll_id(struct ll *ll) { return ll->bound++; }

static struct ll_words *here(struct ll *ll) { return &ll->section[ll->where]; }

void ll_put(struct ll *ll, uint32_t word) { *vector_next(here(ll)->at, here(ll)->count, here(ll)->room) = word; }

void ll_begin(struct ll *ll, enum ll_section section, uint16_t op) {
  ll->where = section;
  ll->start = here(ll)->count;
  ll_put(ll, op);
}

/* The first character is in the lowest byte; at least one zero byte ends the text. */
void ll_put_text(struct ll *ll, const char *text, size_t length) {
  uint32_t word = 0;
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = text[i] ? (unsigned char)text[i] : '?';
    word |= (uint32_t)c << 8 * (i % 4);
    if (i % 4 == 3) {
      ll_put(ll, word);
      word = 0;
    }
  }
  ll_put(ll, word);
}

void ll_finish(struct ll *ll) {
  const size_t words = here(ll)->count - ll->start;
  if (words > MOST_WORDS) {
    ll_fail(ll, "a list of %zu parts is too long; legal: up to %d", words, MOST_WORDS - 4);
    here(ll)->count = ll->start;
    return;
  }
  here(ll)->at[ll->start] |= (uint32_t)words << 16;
}

void ll_write_name(struct ll *ll, uint32_t id, const struct ll_token *name) {
  ll_begin(ll, LL_NAMES, OpName);
  ll_put(ll, id);
  ll_put_text(ll, name->at, name->length);
  ll_finish(ll);
}

void ll_write_linkage(struct ll *ll, uint32_t id, const struct ll_token *name, uint32_t linkage) {
  if (linkage == LL_INTERNAL)
    return;
  ll_begin(ll, LL_DECORATIONS, OpDecorate);
  ll_put(ll, id);
  ll_put(ll, DecorationLinkageAttributes);
  ll_put_text(ll, name->at, name->length);
  ll_put(ll, linkage);
  ll_finish(ll);
}

uint32_t ll_linkage(const struct ll *ll, uint32_t linkage) {
  static const struct {
    const char *word;
    uint32_t linkage;
  } rows[] = {{"internal", LL_INTERNAL},
              {"private", LL_INTERNAL},
              {"available_externally", LL_INTERNAL}, /* the code is here, too */
              {"external", LinkageTypeImport},
              {"extern_weak", LinkageTypeImport},
              {"linkonce", LinkageTypeLinkOnceODR},
              {"linkonce_odr", LinkageTypeLinkOnceODR},
              {"weak", LinkageTypeLinkOnceODR},
              {"weak_odr", LinkageTypeLinkOnceODR}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (ll_is(ll, rows[i].word))
      return rows[i].linkage;
  return linkage;
}

static uint64_t hash_of(const uint32_t *word, unsigned result) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < word[0] >> 16; i++)
    hash = hash_join(hash, i == result ? 0 : word[i]);
  return hash;
}

static bool equal(const uint32_t *a, const uint32_t *b, unsigned result) {
  if (a[0] != b[0])
    return false;
  for (uint32_t i = 1; i < a[0] >> 16; i++)
    if (i != result && a[i] != b[i])
      return false;
  return true;
}

uint32_t ll_finish_once(struct ll *ll, unsigned result) {
  struct ll_words *words = here(ll);
  ll_finish(ll);
  if (words->count == ll->start)
    return ll->bound - 1;
  uint32_t *mine = words->at + ll->start;
  const uint64_t hash = hash_of(mine, result);
  for (size_t step = 0, i; map_next(&ll->once, hash, &step, &i);)
    if (equal(words->at + i, mine, result)) {
      words->count = ll->start;
      return words->at[i + result];
    }
  mine[result] = ll_id(ll);
  map_add(&ll->once, hash, ll->start);
  map_add(&ll->where_is, hash_number(mine[result]), ll->start);
  return mine[result];
}

const uint32_t *ll_definition(const struct ll *ll, uint32_t id, unsigned result) {
  for (size_t step = 0, at; map_next(&ll->where_is, hash_number(id), &step, &at);)
    if (ll->section[LL_DEFINITIONS].at[at + result] == id)
      return ll->section[LL_DEFINITIONS].at + at;
  return NULL;
}

bool ll_constant_value(const struct ll *ll, uint32_t id, uint64_t *value) {
  const uint32_t *word = ll_definition(ll, id, 2);
  if (!word || ((uint16_t)word[0] != OpConstant && (uint16_t)word[0] != OpConstantNull))
    return false;
  *value = (uint16_t)word[0] == OpConstant ? word[3] : 0;
  if (word[0] >> 16 > 4)
    *value |= (uint64_t)word[4] << 32;
  return true;
}

void ll_emit_words(struct ll *ll, enum ll_section section, uint16_t op, const uint32_t *word, size_t count) {
  ll_begin(ll, section, op);
  for (size_t i = 0; i < count; i++)
    ll_put(ll, word[i]);
  ll_finish(ll);
}

uint32_t ll_make_words(struct ll *ll, uint16_t op, uint32_t type, const uint32_t *word, size_t count) {
  const uint32_t id = ll->folding ? 0 : ll_id(ll);
  ll_begin(ll, ll->folding ? LL_DEFINITIONS : LL_CODE, ll->folding ? OpSpecConstantOp : op);
  ll_put(ll, type);
  ll_put(ll, id);
  if (ll->folding)
    ll_put(ll, op);
  for (size_t i = 0; i < count; i++)
    ll_put(ll, word[i]);
  if (ll->folding)
    return ll_finish_once(ll, 2);
  ll_finish(ll);
  return id;
}

uint8_t *ll_module_bytes(struct ll *ll, size_t *size) {
  size_t count = HEADER_WORDS;
  for (int i = 0; i < LL_SECTIONS; i++)
    count += ll->section[i].count;
  uint32_t *words = need(count, sizeof *words), *to = words + HEADER_WORDS;
  words[0] = SPIRV_MAGIC;
  words[1] = VERSION;
  words[3] = ll->bound;
  for (int i = 0; i < LL_SECTIONS; i++) {
    if (ll->section[i].count)
      memcpy(to, ll->section[i].at, ll->section[i].count * sizeof *to);
    to += ll->section[i].count;
  }
  *size = count * sizeof *words;
  return (uint8_t *)words;
}
