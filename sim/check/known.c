#include "sim/check/known.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum { LOG2_WAYS = 4, WAYS = 1 << LOG2_WAYS, ROOT_LEVEL = KNOWN_PART_BITS / LOG2_WAYS - 1 };

/* A leaf, at level 0, has `when`. */
struct known_node {
  uint32_t references;
  union {
    struct known_node *child[WAYS];
    uint32_t when[WAYS];
  };
};

static struct known_node *new_node(uint32_t level) {
  const size_t entry = level ? sizeof(struct known_node *) : sizeof(uint32_t);
  struct known_node *node = need(1, offsetof(struct known_node, child) + WAYS * entry);
  node->references = 1;
  return node;
}

static struct known_node *hold(struct known_node *node) {
  if (node)
    node->references++;
  return node;
}

static void release(struct known_node *node, uint32_t level) {
  if (!node || --node->references)
    return;
  for (uint32_t i = 0; level && i < WAYS; i++)
    release(node->child[i], level - 1);
  free(node);
}

static uint32_t way_of(uint64_t part, uint32_t level) { return (uint32_t)(part >> level * LOG2_WAYS) % WAYS; }

/* Returns the node, or a copy, with no other reference. Takes over the caller's reference. */
static struct known_node *own(struct known_node *node, uint32_t level) {
  if (node && node->references == 1)
    return node;
  struct known_node *copy = new_node(level);
  for (uint32_t i = 0; node && i < WAYS; i++)
    if (level)
      copy->child[i] = hold(node->child[i]);
    else
      copy->when[i] = node->when[i];
  release(node, level);
  return copy;
}

void known_set(struct known *known, uint64_t part, uint32_t when) {
  if (known_has(known, part, when))
    return;
  struct known_node **place = &known->root;
  for (uint32_t level = ROOT_LEVEL; level; level--) {
    *place = own(*place, level);
    place = &(*place)->child[way_of(part, level)];
  }
  *place = own(*place, 0);
  (*place)->when[way_of(part, 0)] = when;
}

/* Joins leaves; returns one of them if it knows everything. */
static struct known_node *join_leaves(struct known_node *a, struct known_node *b) {
  bool is_a = true, is_b = true;
  for (uint32_t i = 0; i < WAYS; i++) {
    is_a &= a->when[i] >= b->when[i];
    is_b &= a->when[i] <= b->when[i];
  }
  if (is_a || is_b)
    return hold(is_a ? a : b);
  struct known_node *both = new_node(0);
  for (uint32_t i = 0; i < WAYS; i++)
    both->when[i] = a->when[i] > b->when[i] ? a->when[i] : b->when[i];
  return both;
}

/* What either knows; returns one of them if it knows everything. */
static struct known_node *join(struct known_node *a, struct known_node *b, uint32_t level) {
  if (a == b || !a || !b)
    return hold(a ? a : b);
  if (!level)
    return join_leaves(a, b);
  struct known_node *child[WAYS];
  bool is_a = true, is_b = true;
  for (uint32_t i = 0; i < WAYS; i++) {
    child[i] = a->child[i] == b->child[i] ? hold(a->child[i]) : join(a->child[i], b->child[i], level - 1);
    is_a &= child[i] == a->child[i];
    is_b &= child[i] == b->child[i];
  }
  if (!is_a && !is_b) {
    struct known_node *both = new_node(level);
    memcpy(both->child, child, sizeof child);
    return both;
  }
  for (uint32_t i = 0; i < WAYS; i++)
    release(child[i], level - 1);
  return hold(is_a ? a : b);
}

/* The same, into a node without other references. */
static struct known_node *join_into(struct known_node *a, struct known_node *b, uint32_t level) {
  bool is_b = true;
  if (a == b || !b)
    return a;
  if (!a || a->references > 1) {
    struct known_node *both = join(a, b, level);
    release(a, level);
    return both;
  }
  for (uint32_t i = 0; i < WAYS; i++)
    if (level && a->child[i] != b->child[i]) {
      a->child[i] = join_into(a->child[i], b->child[i], level - 1);
      is_b &= a->child[i] == b->child[i];
    } else if (!level) {
      a->when[i] = a->when[i] > b->when[i] ? a->when[i] : b->when[i];
      is_b &= a->when[i] == b->when[i];
    }
  if (!is_b)
    return a;
  release(a, level);
  return hold(b);
}

void known_join(struct known *into, const struct known *from) {
  into->root = join_into(into->root, from->root, ROOT_LEVEL);
}

bool known_has(const struct known *known, uint64_t part, uint32_t when) {
  const struct known_node *node = known->root;
  for (uint32_t level = ROOT_LEVEL; node && level; level--)
    node = node->child[way_of(part, level)];
  return !when || (node && node->when[way_of(part, 0)] >= when);
}

void known_free(struct known *known) {
  release(known->root, ROOT_LEVEL);
  known->root = NULL;
}
