#include "sim/check/clock.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum { LOG2_WAYS = 4, WAYS = 1 << LOG2_WAYS, ROOT_LEVEL = CLOCK_PART_BITS / LOG2_WAYS - 1 };

/* A leaf, at level 0, has `when`. */
struct clock_node {
  uint32_t references;
  union {
    struct clock_node *child[WAYS];
    uint32_t when[WAYS];
  };
};

static struct clock_node *new_node(uint32_t level) {
  const size_t entry = level ? sizeof(struct clock_node *) : sizeof(uint32_t);
  struct clock_node *node = need(1, offsetof(struct clock_node, child) + WAYS * entry);
  node->references = 1;
  return node;
}

static struct clock_node *hold(struct clock_node *node) {
  if (node)
    node->references++;
  return node;
}

static void release(struct clock_node *node, uint32_t level) {
  if (!node || --node->references)
    return;
  for (uint32_t i = 0; level && i < WAYS; i++)
    release(node->child[i], level - 1);
  free(node);
}

static uint32_t way_of(uint64_t part, uint32_t level) { return (uint32_t)(part >> level * LOG2_WAYS) % WAYS; }

/* Returns the node, or a copy, with no other reference. Takes over the caller's reference. */
static struct clock_node *own(struct clock_node *node, uint32_t level) {
  if (node && node->references == 1)
    return node;
  struct clock_node *copy = new_node(level);
  for (uint32_t i = 0; node && i < WAYS; i++)
    if (level)
      copy->child[i] = hold(node->child[i]);
    else
      copy->when[i] = node->when[i];
  release(node, level);
  return copy;
}

void clock_set(struct vector_clock *clock, uint64_t part, uint32_t when) {
  if (clock_covers(clock, part, when))
    return;
  struct clock_node **place = &clock->root;
  for (uint32_t level = ROOT_LEVEL; level; level--) {
    *place = own(*place, level);
    place = &(*place)->child[way_of(part, level)];
  }
  *place = own(*place, 0);
  (*place)->when[way_of(part, 0)] = when;
}

/* Joins leaves; returns one of them if it covers the other. */
static struct clock_node *join_leaves(struct clock_node *a, struct clock_node *b) {
  bool is_a = true, is_b = true;
  for (uint32_t i = 0; i < WAYS; i++) {
    is_a &= a->when[i] >= b->when[i];
    is_b &= a->when[i] <= b->when[i];
  }
  if (is_a || is_b)
    return hold(is_a ? a : b);
  struct clock_node *both = new_node(0);
  for (uint32_t i = 0; i < WAYS; i++)
    both->when[i] = a->when[i] > b->when[i] ? a->when[i] : b->when[i];
  return both;
}

/* The later time of each part; returns one of them if it covers the other. */
static struct clock_node *join(struct clock_node *a, struct clock_node *b, uint32_t level) {
  if (a == b || !a || !b)
    return hold(a ? a : b);
  if (!level)
    return join_leaves(a, b);
  struct clock_node *child[WAYS];
  bool is_a = true, is_b = true;
  for (uint32_t i = 0; i < WAYS; i++) {
    child[i] = a->child[i] == b->child[i] ? hold(a->child[i]) : join(a->child[i], b->child[i], level - 1);
    is_a &= child[i] == a->child[i];
    is_b &= child[i] == b->child[i];
  }
  if (!is_a && !is_b) {
    struct clock_node *both = new_node(level);
    memcpy(both->child, child, sizeof child);
    return both;
  }
  for (uint32_t i = 0; i < WAYS; i++)
    release(child[i], level - 1);
  return hold(is_a ? a : b);
}

/* The same, into a node without other references. */
static struct clock_node *join_into(struct clock_node *a, struct clock_node *b, uint32_t level) {
  bool is_b = true;
  if (a == b || !b)
    return a;
  if (!a || a->references > 1) {
    struct clock_node *both = join(a, b, level);
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

void clock_join(struct vector_clock *into, const struct vector_clock *from) {
  into->root = join_into(into->root, from->root, ROOT_LEVEL);
}

bool clock_covers(const struct vector_clock *clock, uint64_t part, uint32_t when) {
  const struct clock_node *node = clock->root;
  for (uint32_t level = ROOT_LEVEL; node && level; level--)
    node = node->child[way_of(part, level)];
  return !when || (node && node->when[way_of(part, 0)] >= when);
}

void clock_free(struct vector_clock *clock) {
  release(clock->root, ROOT_LEVEL);
  clock->root = NULL;
}
