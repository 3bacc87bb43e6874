/* Lanes reconverge before a barrier, even if some edges bypass the point where they would.
 *
 *     for (...) {                              A ? {B} : M,   B ? out : M,   M: barrier, ...
 *       if (mine) {             // A
 *         if (count < 0) break; // B
 *       }
 *       barrier(...);           // M
 *     }
 *
 * Every work-item reaches the barrier or none does, so `count` is the same for all. The machine does not know that: the
 * two sides of a branch reconverge at its immediate post-dominator, and because of the `break`, that of A is behind the
 * loop. Half of a warp would run the whole loop alone. So the exit edge waits until the lanes have reconverged: it
 * leads to a new block in front of M, as do A's other edges, and a predicate there selects the lanes that exit.
 *
 * Lanes should reconverge before these goals, from the inside out: an operation that lanes execute together (barrier,
 * copy, wait, sub-group operations), the next iteration of each loop around it, and each of these loops. `within` are
 * the blocks that reach the goal in the same iteration of the loop around it. Edges that leave them are exits. If both
 * edges of a branch stay within, its post-dominator, ignoring exits, is on the way to the goal; exits between the two
 * are redirected there. Each single lane still does the same.
 *
 * A value whose definition no longer dominates a use goes through a private variable, which pass_promote() turns into
 * phis. Left alone: branches whose condition is computed from arguments only, and exits that only end the work-item. */
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum {
  MOST_LED = 256, /* branches per kernel; real kernels have one or two */
  MOST_DEEP = 8,  /* how many operations deep a condition is examined */
};

struct meet {
  struct ir *ir;
  uint32_t blocks;     /* before the pass adds any */
  uint32_t goal, loop; /* block numbers; `loop` is the loop around the goal, or the goal itself, or IR_NOWHERE */
  bool *within;
  uint32_t *between, stamp; /* a block is in between if its stamp is the current one */
  uint32_t *order, count;   /* within, in post-order of a walk back from the goal, whose start is node `blocks` */
  uint32_t *number;         /* position in `order` */
  uint32_t *nearest;        /* immediate post-dominator on the way to the goal, plus 1 */
  uint32_t *stack, *next;
};

/* ---- where lanes should reconverge --------------------------------------------------------------------- */

static bool is_together(const struct ir *ir, uint32_t block) {
  for (uint32_t k = 0; k < ir->block[block].count; k++) {
    const ir_ref ref = ir->block[block].inst[k];
    if (ir_is_convergent(ir, ref) && isa_rows[ir->inst[ref].op].class_ != ISA_CLASS_FENCE)
      return true;
  }
  return false;
}

static bool in_loop(const struct ir *ir, uint32_t block, uint32_t header) {
  uint32_t at = ir->block[block].loop;
  while (at != IR_NOWHERE && at != header)
    at = ir->block[at].outer;
  return at == header;
}

/* The node that an edge leads to; IR_NOWHERE for an exit. */
static uint32_t edge_target(const struct meet *meet, uint32_t block, uint32_t which) {
  const uint32_t to = meet->ir->block[block].to[which];
  if (to == meet->goal)
    return meet->blocks;
  return meet->within[to] && to != meet->loop ? to : IR_NOWHERE;
}

/* Fills within, order and number: depth first against the edges, without recursion. */
static void find_within(struct meet *meet) {
  const struct ir *ir = meet->ir;
  uint32_t depth = 0, node = meet->blocks;
  memset(meet->within, 0, meet->blocks * sizeof *meet->within);
  meet->count = 0;
  meet->next[node] = 0;
  for (;;) {
    const struct ir_block *block = &ir->block[node == meet->blocks ? meet->goal : node];
    const bool first = node == meet->goal || node == meet->loop; /* its predecessors belong to another iteration */
    if (first || meet->next[node] == block->from_count) {
      meet->number[node] = meet->count;
      meet->order[meet->count++] = node;
      if (!depth)
        return;
      node = meet->stack[--depth];
      continue;
    }
    const uint32_t from = block->from[meet->next[node]++];
    if (meet->within[from] || !in_loop(ir, from, meet->loop))
      continue;
    meet->within[from] = true;
    meet->stack[depth++] = node;
    meet->next[from] = 0;
    node = from;
  }
}

static uint32_t common(const struct meet *meet, uint32_t a, uint32_t b) {
  while (a != b) {
    while (meet->number[a] < meet->number[b])
      a = meet->nearest[a] - 1;
    while (meet->number[b] < meet->number[a])
      b = meet->nearest[b] - 1;
  }
  return a;
}

/* After Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001), on the reversed graph. */
static void find_nearest(struct meet *meet) {
  const uint32_t root = meet->blocks;
  memset(meet->nearest, 0, (root + 1) * sizeof *meet->nearest);
  meet->nearest[root] = root + 1;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = meet->count - 1; i--;) {
      const uint32_t node = meet->order[i];
      uint32_t found = IR_NOWHERE;
      for (uint32_t k = 0; k < ends(&meet->ir->block[node]); k++) {
        const uint32_t to = edge_target(meet, node, k);
        if (to != IR_NOWHERE && meet->nearest[to])
          found = found == IR_NOWHERE ? to : common(meet, found, to);
      }
      again |= meet->nearest[node] != found + 1;
      meet->nearest[node] = found + 1;
    }
  }
}

/* ---- exits -------------------------------------------------------------------------------------------- */

/* Is the value the same in all lanes because it is computed from arguments? */
static bool is_same(const struct ir *ir, ir_ref ref, unsigned deep) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (inst->op == IR_CONST)
    return true;
  if (deep == MOST_DEEP || inst->guard || inst->op >= ISA_OPS)
    return false;
  if (isa_rows[inst->op].format == FORMAT_LOAD_ARG)
    return true;
  if (isa_rows[inst->op].format != FORMAT_ALU)
    return false;
  for (uint32_t i = 0; i < inst->count; i++)
    if (ir->operand[inst->operands + i] && !is_same(ir, ir->operand[inst->operands + i], deep + 1))
      return false;
  return true;
}

static bool is_exit(const struct meet *meet, uint32_t block, uint32_t which) {
  if (edge_target(meet, block, which) != IR_NOWHERE)
    return false;
  const struct ir_block *to = &meet->ir->block[meet->ir->block[block].to[which]];
  return to->count || to->end != IR_END_EXIT; /* just ends: delays nobody; see isa/cfg.h */
}

/* Stamps the blocks between a branch and the node where its lanes should reconverge. Returns the number of exits. */
static uint32_t find_between(struct meet *meet, uint32_t branch, uint32_t node) {
  uint32_t depth = 0, out = 0;
  meet->between[branch] = ++meet->stamp;
  meet->stack[depth++] = branch;
  while (depth) {
    const uint32_t block = meet->stack[--depth];
    for (uint32_t k = 0; k < ends(&meet->ir->block[block]); k++) {
      const uint32_t to = edge_target(meet, block, k);
      out += is_exit(meet, block, k);
      if (to == IR_NOWHERE || to == node || to == meet->blocks || meet->between[to] == meet->stamp)
        continue;
      meet->between[to] = meet->stamp;
      meet->stack[depth++] = to;
    }
  }
  return out;
}

/* ---- redirecting exits ---------------------------------------------------------------------------------- */

/* Edges that are redirected to the new block: their sources, and their old targets. */
struct edges {
  uint32_t *from, *to, count;
};

static ir_ref new_phi(struct ir *ir, uint32_t block, enum ir_width width) {
  const ir_ref phi = ir_make(ir, IR_PHI, width, NULL, 0, 0, (struct ir_place){.line = 0});
  ir_append(ir, block, phi);
  return phi;
}

/* Phis of `to` get one value from `last`: a phi in the new block that merges the values of the edges that led to `to`.
 */
static void gather_phis(struct ir *ir, const struct edges *edges, uint32_t new, uint32_t to, uint32_t last) {
  for (uint32_t k = 0; k < ir->block[to].count; k++) {
    const ir_ref phi = ir->block[to].inst[k];
    if (ir->inst[phi].op != IR_PHI)
      break;
    const enum ir_width width = (enum ir_width)ir->inst[phi].width;
    const ir_ref gathered = new_phi(ir, new, width);
    for (uint32_t i = 0; i < edges->count; i++) {
      const ir_ref value = edges->to[i] == to ? phi_value(ir, phi, edges->from[i]) : 0;
      ir_phi_add(ir, gathered, edges->from[i], value ? value : ir_undef(ir, width));
    }
    ir_phi_add(ir, phi, last, gathered);
  }
}

static void redirect(struct ir *ir, uint32_t block, uint32_t from, uint32_t to) {
  for (uint32_t k = 0; k < ends(&ir->block[block]); k++)
    if (ir->block[block].to[k] == from)
      ir->block[block].to[k] = to;
}

/* Each edge gets its own block, because the branch's other edge may lead to the new block, too. */
static void take_edge(struct meet *meet, struct edges *edges, uint32_t block, uint32_t which, uint32_t new) {
  struct ir *ir = meet->ir;
  const uint32_t to = ir->block[block].to[which], own = ir_block_new(ir);
  ir_goto(ir, own, new, ir->block[block].place);
  redirect(ir, block, to, own);
  phis_rename(ir, to, block, own);
  edges->from[edges->count] = own;
  edges->to[edges->count++] = to;
}

/* Redirects the exits of all blocks in between, and their edges to `target`. */
static void take_edges(struct meet *meet, struct edges *edges, uint32_t target, uint32_t new) {
  for (uint32_t block = 0; block < meet->blocks; block++)
    for (uint32_t k = 0; meet->between[block] == meet->stamp && k < ends(&meet->ir->block[block]); k++) {
      const uint32_t to = meet->ir->block[block].to[k];
      if (to < meet->blocks && (to == target || is_exit(meet, block, k)))
        take_edge(meet, edges, block, k, new);
    }
}

/* A predicate that holds for the edges that led to `to`. */
static ir_ref led_to(struct ir *ir, const struct edges *edges, uint32_t new, uint32_t to) {
  const ir_ref phi = new_phi(ir, new, IR_PRED);
  for (uint32_t i = 0; i < edges->count; i++)
    ir_phi_add(ir, phi, edges->from[i], ir_const(ir, IR_PRED, edges->to[i] == to));
  return phi;
}

static bool is_first(const struct edges *edges, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (edges->to[k] == edges->to[i])
      return false;
  return true;
}

/* Branches from the new block to each old target of the edges, and otherwise to `target`. */
static void lead_on(struct ir *ir, const struct edges *edges, uint32_t new, uint32_t target) {
  const struct ir_place place = ir->block[target].place;
  uint32_t last = new;
  for (uint32_t i = 0; i < edges->count; i++) {
    if (edges->to[i] == target || !is_first(edges, i))
      continue;
    const ir_ref condition = led_to(ir, edges, new, edges->to[i]);
    gather_phis(ir, edges, new, edges->to[i], last);
    const uint32_t rest = ir_block_new(ir);
    ir_if(ir, last, condition, edges->to[i], rest, place);
    last = rest;
  }
  gather_phis(ir, edges, new, target, last);
  ir_goto(ir, last, target, place);
}

static void lead(struct meet *meet, uint32_t node) {
  struct ir *ir = meet->ir;
  const uint32_t target = node == meet->blocks ? meet->goal : node, new = ir_block_new(ir);
  struct edges edges = {need(2 * meet->blocks, sizeof(uint32_t)), need(2 * meet->blocks, sizeof(uint32_t)), 0};
  take_edges(meet, &edges, target, new);
  lead_on(ir, &edges, new, target);
  free(edges.from);
  free(edges.to);
}

/* ---- values that no longer dominate their uses ------------------------------------------------------------ */

struct repair {
  struct ir *ir;
  uint32_t *slot; /* by value: its slot, plus 1 */
  ir_ref refs;
};

static ir_ref slot_address(struct repair *repair, ir_ref value) {
  const uint32_t slot = repair->slot[value] - 1;
  return ir_make(repair->ir, IR_SLOT, IR_W1, NULL, 0, slot, repair->ir->inst[value].place);
}

static bool is_above(const struct ir *ir, ir_ref value, uint32_t block) {
  const uint32_t made = ir->inst[value].block;
  return !value || made == IR_NOWHERE || made == block || ir_dominates(ir, made, block);
}

/* Inserts an instruction before position *at, which then points behind it. */
static ir_ref insert_at(struct ir *ir, uint32_t block, uint32_t *at, ir_ref ref) {
  ir_insert(ir, block, (*at)++, ref);
  return ref;
}

static uint32_t bytes_of(uint8_t width) { return width == IR_W4 ? 16 : width == IR_W2 ? 8 : 4; }

static ir_ref fetched(struct repair *repair, ir_ref value, uint32_t block, uint32_t *at) {
  struct ir *ir = repair->ir;
  const struct ir_inst inst = ir->inst[value];
  if (!repair->slot[value])
    repair->slot[value] = ir_slot_new(ir, 16, 16) + 1;
  const ir_ref address = insert_at(ir, block, at, slot_address(repair, value));
  const enum ir_width width = inst.width == IR_PRED ? IR_W1 : (enum ir_width)inst.width;
  const ir_ref word = insert_at(
      ir, block, at, ir_make(ir, isa_load(ISA_SPACE_PRIVATE, bytes_of(inst.width)), width, &address, 1, 0, inst.place));
  if (inst.width != IR_PRED)
    return word;
  const ir_ref pair[] = {word, ir_const(ir, IR_W1, 0)};
  return insert_at(ir, block, at, ir_make(ir, ISA_SETP_NE_U32, IR_PRED, pair, 2, 0, inst.place));
}

static void keep_value(struct repair *repair, ir_ref value) {
  struct ir *ir = repair->ir;
  const struct ir_inst inst = ir->inst[value];
  const struct ir_block *block = &ir->block[inst.block];
  uint32_t at = 0;
  while (block->inst[at] != value)
    at++;
  while (at < block->count && (block->inst[at] == value || ir->inst[block->inst[at]].op == IR_PHI))
    at++;
  ir_ref word = value;
  if (inst.width == IR_PRED)
    word = insert_at(ir, inst.block, &at, ir_make(ir, ISA_CVT_U32_P, IR_W1, &value, 1, 0, inst.place));
  const ir_ref operand[] = {insert_at(ir, inst.block, &at, slot_address(repair, value)), 0, word};
  insert_at(ir, inst.block, &at,
            ir_make(ir, isa_store(ISA_SPACE_PRIVATE, bytes_of(inst.width)), IR_NOTHING, operand, 3, 0, inst.place));
}

static void repair_inst(struct repair *repair, uint32_t block, uint32_t *at) {
  struct ir *ir = repair->ir;
  const ir_ref ref = ir->block[block].inst[*at];
  const struct ir_inst inst = ir->inst[ref];
  for (uint32_t i = first_value(&inst); i < inst.count; i += value_step(&inst)) {
    const ir_ref value = ir->operand[inst.operands + i];
    const uint32_t from = inst.op == IR_PHI ? ir->operand[inst.operands + i - 1] : block;
    if (is_above(ir, value, from))
      continue;
    uint32_t end = ir->block[from].count;
    const ir_ref again = fetched(repair, value, from, inst.op == IR_PHI ? &end : at);
    ir->operand[inst.operands + i] = again;
  }
  if (!is_above(ir, inst.guard, block))
    ir->inst[ref].guard = fetched(repair, inst.guard, block, at);
  if (!is_above(ir, inst.keep, block))
    ir->inst[ref].keep = fetched(repair, inst.keep, block, at);
}

static void repair_values(struct ir *ir) {
  struct repair repair = {ir, need(ir->count, sizeof(uint32_t)), ir->count};
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const uint32_t block = ir->order[i];
    for (uint32_t at = 0; at < ir->block[block].count; at++)
      repair_inst(&repair, block, &at);
    uint32_t end = ir->block[block].count;
    if (!is_above(ir, ir->block[block].condition, block))
      ir->block[block].condition = fetched(&repair, ir->block[block].condition, block, &end);
  }
  for (ir_ref value = 0; value < repair.refs; value++)
    if (repair.slot[value])
      keep_value(&repair, value);
  free(repair.slot);
}

/* ---- the pass ------------------------------------------------------------------------------------------- */

/* Redirects the exits of one branch; false if no branch has any. */
static bool lead_one(struct meet *meet) {
  const struct ir *ir = meet->ir;
  find_within(meet);
  find_nearest(meet);
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const uint32_t block = ir->order[i];
    if (!meet->within[block] || ir->block[block].end != IR_END_IF || edge_target(meet, block, 0) == IR_NOWHERE ||
        edge_target(meet, block, 1) == IR_NOWHERE || is_same(ir, ir->block[block].condition, 0))
      continue;
    const uint32_t node = meet->nearest[block] - 1;
    if (find_between(meet, block, node)) {
      lead(meet, node);
      return true;
    }
  }
  return false;
}

static struct meet meet_open(struct ir *ir) {
  const uint32_t room = ir->blocks + 1;
  struct meet meet = {.ir = ir, .blocks = ir->blocks, .within = need(room, sizeof(bool))};
  uint32_t **list[] = {&meet.between, &meet.order, &meet.number, &meet.nearest, &meet.stack, &meet.next};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    *list[i] = need(room, sizeof **list[i]);
  return meet;
}

static void meet_close(struct meet *meet) {
  free(meet->within);
  free(meet->between);
  free(meet->order);
  free(meet->number);
  free(meet->nearest);
  free(meet->stack);
  free(meet->next);
}

static bool lead_to(struct meet *meet, uint32_t goal, uint32_t loop) {
  meet->goal = goal;
  meet->loop = loop;
  return lead_one(meet);
}

static bool lead_around(struct meet *meet, uint32_t block) {
  const struct ir *ir = meet->ir;
  uint32_t loop = ir->block[block].loop;
  while (!lead_to(meet, block, loop)) {
    if (loop == IR_NOWHERE)
      return false;
    if (lead_to(meet, loop, loop))
      return true;
    block = loop;
    loop = ir->block[loop].outer;
  }
  return true;
}

/* Handles one branch. The next call analyzes everything again. */
static bool lead_any(struct ir *ir) {
  struct meet meet = meet_open(ir);
  bool any = false;
  for (uint32_t i = 0; i < ir->ordered && !any; i++)
    any = is_together(ir, ir->order[i]) && lead_around(&meet, ir->order[i]);
  meet_close(&meet);
  return any;
}

void pass_meet(struct ir *ir) {
  ir_analyze(ir);
  for (uint32_t led = 0; led < MOST_LED && lead_any(ir); led++) {
    ir_analyze(ir);
    repair_values(ir);
    pass_promote(ir);
    ir_analyze(ir);
  }
}
