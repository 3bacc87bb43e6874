/* Predecessors, dominators, loops, and an order of the blocks.
 *
 * Dominators follow Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm", 2001). A loop is every block from
 * which an edge back to a dominating block, the header, can be reached. Headers are processed innermost first, and a
 * loop inside another is skipped by stepping to its header. The order is reverse post-order, with each loop's blocks
 * grouped behind its header: predecessors still come first, except along back edges. */
#include "opencl/ir/ir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

static uint32_t successors(const struct ir_block *block) {
  return block->end == IR_END_GOTO ? 1 : block->end == IR_END_IF ? 2 : 0;
}

static void post_order(struct ir *ir) {
  uint32_t *stack = need(ir->blocks, sizeof *stack), depth = 0, left = ir->blocks;
  uint8_t *tried = need(ir->blocks, 1); /* successors visited, plus one once the block is seen */
  for (uint32_t i = 0; i < ir->blocks; i++)
    ir->block[i].order = IR_NOWHERE;
  stack[depth++] = 0;
  tried[0] = 1;
  while (depth) {
    const uint32_t at = stack[depth - 1];
    const struct ir_block *block = &ir->block[at];
    if (tried[at] > successors(block)) {
      ir->order[--left] = at;
      depth--;
      continue;
    }
    /* Visit the last successor first, so that the first one comes first in reverse post-order. */
    const uint32_t to = block->to[successors(block) - tried[at]++];
    if (!tried[to]) {
      tried[to] = 1;
      stack[depth++] = to;
    }
  }
  ir->ordered = ir->blocks - left;
  memmove(ir->order, ir->order + left, ir->ordered * sizeof *ir->order);
  for (uint32_t i = 0; i < ir->ordered; i++)
    ir->block[ir->order[i]].order = i;
  free(tried);
  free(stack);
}

/* All lists are in one array, rebuilt each time. */
static void predecessors(struct ir *ir) {
  uint32_t edges = 0;
  for (uint32_t i = 0; i < ir->blocks; i++) {
    struct ir_block *block = &ir->block[i];
    if (block->own_from)
      free(block->from);
    block->from = NULL;
    block->from_count = 0;
    block->own_from = false;
  }
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    for (uint32_t k = 0; k < successors(block); k++, edges++)
      ir->block[block->to[k]].from_count++;
  }
  if (ir->from_room < edges) {
    ir->from_room = edges;
    ir->from = need_more(ir->from, edges, sizeof *ir->from);
  }
  uint32_t *next = ir->from;
  for (uint32_t i = 0; i < ir->ordered; i++) {
    struct ir_block *block = &ir->block[ir->order[i]];
    block->from = next;
    next += block->from_count;
    block->from_count = 0;
  }
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    for (uint32_t k = 0; k < successors(block); k++) {
      struct ir_block *to = &ir->block[block->to[k]];
      to->from[to->from_count++] = ir->order[i];
    }
  }
}

void ir_from_add(struct ir *ir, uint32_t block, uint32_t from) {
  struct ir_block *in = &ir->block[block];
  uint32_t *const old = in->from;
  in->from = need_more(in->own_from ? old : NULL, in->from_count + 1u, sizeof *old);
  if (!in->own_from && in->from_count)
    memcpy(in->from, old, in->from_count * sizeof *old);
  in->from[in->from_count++] = from;
  in->own_from = true;
}

/* The lowest block that dominates both `a` and `b`. Blocks that an earlier `b` of the same `mark` walked through lie
 * below that answer, so below `a`. A block with a thousand predecessors in a row visits each block above it
 * once. */
static uint32_t common(const struct ir *ir, uint32_t a, uint32_t b, uint32_t *seen, uint32_t mark) {
  while (a != b) {
    while (ir->block[a].order > ir->block[b].order)
      a = ir->block[a].dominator;
    while (ir->block[b].order > ir->block[a].order) {
      if (seen[b] == mark)
        return a;
      seen[b] = mark;
      b = ir->block[b].dominator;
    }
  }
  return a;
}

static void dominators(struct ir *ir) {
  for (uint32_t i = 0; i < ir->blocks; i++)
    ir->block[i].dominator = IR_NOWHERE;
  ir->block[0].dominator = 0;
  uint32_t *seen = need(ir->blocks, sizeof *seen), mark = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 1; i < ir->ordered; i++, mark++) {
      struct ir_block *block = &ir->block[ir->order[i]];
      uint32_t least = IR_NOWHERE;
      for (uint32_t k = 0; k < block->from_count; k++)
        if (ir->block[block->from[k]].dominator != IR_NOWHERE)
          least = least == IR_NOWHERE ? block->from[k] : common(ir, least, block->from[k], seen, mark + 1);
      changed |= least != block->dominator;
      block->dominator = least;
    }
  }
  free(seen);
}

/* Numbers the dominator tree, so that ir_dominates() is two comparisons. A block's subtree is [enter, leave]; children
 * are chained through arrays. */
static void tree_numbers(struct ir *ir) {
  uint32_t *child = need(ir->blocks, sizeof *child), *sibling = need(ir->blocks, sizeof *sibling);
  memset(child, 0xff, ir->blocks * sizeof *child);
  for (uint32_t i = ir->ordered; i-- > 1;) {
    const uint32_t block = ir->order[i], above = ir->block[block].dominator;
    sibling[block] = child[above];
    child[above] = block;
  }
  uint32_t number = 0;
  for (uint32_t at = 0;;) {
    ir->block[at].enter = number++;
    if (child[at] != IR_NOWHERE) {
      at = child[at];
      continue;
    }
    ir->block[at].leave = number - 1;
    while (at && sibling[at] == IR_NOWHERE) {
      at = ir->block[at].dominator;
      ir->block[at].leave = number - 1;
    }
    if (!at)
      break;
    at = sibling[at];
  }
  free(sibling);
  free(child);
}

bool ir_dominates(const struct ir *ir, uint32_t above, uint32_t below) {
  const struct ir_block *a = &ir->block[above], *b = &ir->block[below];
  return a->order != IR_NOWHERE && b->order != IR_NOWHERE && a->enter <= b->enter && b->enter <= a->leave;
}

bool ir_in_loop(const struct ir *ir, uint32_t block, uint32_t header) {
  for (uint32_t at = ir->block[block].loop; at != IR_NOWHERE; at = ir->block[at].outer)
    if (at == header)
      return true;
  return false;
}

/* The header of the outermost loop found so far around `block`, or the block itself. */
static uint32_t outermost(const struct ir *ir, uint32_t block) {
  uint32_t header = ir->block[block].loop;
  if (header == IR_NOWHERE)
    return block;
  while (ir->block[header].outer != IR_NOWHERE)
    header = ir->block[header].outer;
  return header;
}

static void collect(struct ir *ir, uint32_t header, uint32_t latch, uint32_t *stack) {
  uint32_t depth = 0;
  stack[depth++] = latch;
  while (depth) {
    const uint32_t at = outermost(ir, stack[--depth]);
    if (at == header || ir->block[at].order == IR_NOWHERE)
      continue;
    struct ir_block *block = &ir->block[at];
    if (block->loop == at)
      block->outer = header;
    else
      block->loop = header;
    for (uint32_t k = 0; k < block->from_count; k++)
      if (outermost(ir, block->from[k]) != header)
        stack[depth++] = block->from[k];
  }
}

static void loops(struct ir *ir) {
  size_t edges = 1;
  for (uint32_t i = 0; i < ir->blocks; i++) {
    ir->block[i].loop = ir->block[i].outer = IR_NOWHERE;
    ir->block[i].depth = 0;
    edges += ir->block[i].from_count + 1;
  }
  uint32_t *stack = need(edges, sizeof *stack);
  for (uint32_t i = ir->ordered; i--;) {
    const uint32_t header = ir->order[i];
    for (uint32_t k = 0; k < ir->block[header].from_count; k++) {
      const uint32_t latch = ir->block[header].from[k];
      if (!ir_dominates(ir, header, latch))
        continue;
      ir->block[header].loop = header;
      collect(ir, header, latch, stack);
    }
  }
  free(stack);
  for (uint32_t i = 0; i < ir->ordered; i++) { /* headers precede the rest of their loops */
    struct ir_block *block = &ir->block[ir->order[i]];
    const uint32_t around = block->loop == ir->order[i] ? block->outer : block->loop;
    block->depth = (around == IR_NOWHERE ? 0 : ir->block[around].depth) + (block->loop == ir->order[i]);
  }
}

/* Groups each loop's blocks: chains blocks to their loop, then walks the chains. */
static void gather_loops(struct ir *ir) {
  uint32_t *first = need(ir->blocks + 1, sizeof *first), *next = need(ir->blocks, sizeof *next);
  uint32_t *stack = need(ir->blocks + 1, sizeof *stack), depth = 0, count = 0;
  const uint32_t top = ir->blocks; /* the chain of blocks in no loop */
  memset(first, 0xff, (ir->blocks + 1) * sizeof *first);
  for (uint32_t i = ir->ordered; i--;) {
    const uint32_t at = ir->order[i];
    const uint32_t loop = ir->block[at].loop == at ? ir->block[at].outer : ir->block[at].loop;
    const uint32_t chain = loop == IR_NOWHERE ? top : loop;
    next[at] = first[chain];
    first[chain] = at;
  }
  stack[depth++] = first[top];
  while (depth) {
    const uint32_t at = stack[depth - 1];
    if (at == IR_NOWHERE) {
      depth--;
      continue;
    }
    stack[depth - 1] = next[at];
    ir->block[at].order = count;
    ir->order[count++] = at;
    if (ir->block[at].loop == at)
      stack[depth++] = first[at];
  }
  assert(count == ir->ordered && "every reachable block is in one chain");
  free(stack);
  free(next);
  free(first);
}

/* Removes phi pairs of blocks that are no longer predecessors. Marks make this linear in the number of predecessors. */
static void drop_pairs(struct ir *ir, struct ir_block *block, uint32_t *mark, uint32_t stamp) {
  for (uint32_t k = 0; k < block->from_count; k++)
    mark[block->from[k]] = stamp;
  for (uint32_t k = 0; k < block->count && ir->inst[block->inst[k]].op == IR_PHI; k++) {
    struct ir_inst *phi = &ir->inst[block->inst[k]];
    ir_ref *pair = ir->operand + phi->operands;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < phi->count; i += 2)
      if (mark[pair[i]] == stamp) {
        pair[kept] = pair[i];
        pair[kept + 1] = pair[i + 1];
        kept += 2;
      }
    phi->count = kept;
  }
}

/* Instructions of unreachable blocks are removed from the IR. */
static void drop_unreachable(struct ir *ir) {
  for (uint32_t i = 0; i < ir->blocks; i++) {
    struct ir_block *block = &ir->block[i];
    if (block->order != IR_NOWHERE)
      continue;
    for (uint32_t k = 0; k < block->count; k++)
      ir->inst[block->inst[k]].block = IR_NOWHERE;
    block->count = 0;
    block->condition = 0;
    block->end = IR_END_EXIT;
  }
}

/* Whether the graph equals the one analyzed last; records the current one. */
static bool is_known(struct ir *ir) {
  bool known = ir->known_blocks == ir->blocks;
  if (!known)
    ir->known = need_more(ir->known, ir->blocks, sizeof *ir->known);
  for (uint32_t i = 0; i < ir->blocks; i++) {
    const struct ir_block *block = &ir->block[i];
    const uint32_t count = successors(block);
    const struct ir_ways ways = {{count > 0 ? block->to[0] : IR_NOWHERE, count > 1 ? block->to[1] : IR_NOWHERE}};
    known = known && ways.to[0] == ir->known[i].to[0] && ways.to[1] == ir->known[i].to[1];
    ir->known[i] = ways;
  }
  ir->known_blocks = ir->blocks;
  return known;
}

void ir_analyze(struct ir *ir) {
  if (is_known(ir))
    return;
  ir->order = need_more(ir->order, ir->blocks, sizeof *ir->order);
  post_order(ir);
  predecessors(ir);
  dominators(ir);
  tree_numbers(ir);
  loops(ir);
  gather_loops(ir);
  uint32_t *mark = need(ir->blocks, sizeof *mark);
  for (uint32_t i = 0; i < ir->ordered; i++)
    drop_pairs(ir, &ir->block[ir->order[i]], mark, i + 1);
  free(mark);
  drop_unreachable(ir);
}
