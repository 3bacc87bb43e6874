/* Control flow: the order in which a function's blocks are lowered, branches, switches, phis.
 *
 * Phis are created when their block begins, and filled when the whole function is done, from the list of edges that
 * lowering produced. A switch becomes several edges, and a branch that cannot be taken becomes none. */
#include <stdlib.h>
#include <string.h>

#include "opencl/lower/build_core.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

/* ---- the order of blocks ------------------------------------------------------------------------- */

/* Number of words of a switch literal. */
static unsigned literal_words(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[1]);
  return type && type->kind == SPIRV_INT && type->bits == 64 ? 2 : 1;
}

/* Successor number `i` of a terminator; 0: no more. */
static uint32_t successor(struct build *b, const struct spirv_inst *inst, uint32_t i) {
  const unsigned pair = inst->op == OpSwitch ? literal_words(b, inst) + 1 : 0;
  switch (inst->op) {
  case OpBranch:
    return i == 0 ? inst->word[1] : 0;
  case OpBranchConditional:
    return i < 2 ? inst->word[2 + i] : 0;
  case OpSwitch:
    return i == 0 ? inst->word[2] : 2 + (uint64_t)i * pair < inst->words ? inst->word[2 + i * pair] : 0;
  default:
    return 0;
  }
}

static const struct spirv_inst *last(const struct build *b, const struct spirv_block *block) {
  return &b->module->inst[block->first + block->count - 1];
}

struct visit {
  uint32_t block, next;
};

/* Post-order with an explicit stack, because a hostile module may have a million blocks in a row. */
static uint32_t post_order(struct build *b, const struct spirv_function *function, uint32_t *order) {
  struct visit *stack = need(function->blocks, sizeof *stack);
  bool *seen = need(function->blocks, sizeof *seen);
  uint32_t depth = 1, count = 0;
  seen[0] = true;
  stack[0] = (struct visit){0, 0};
  while (depth) {
    struct visit *top = &stack[depth - 1];
    const uint32_t label = successor(b, last(b, &function->block[top->block]), top->next++);
    if (!label) {
      order[count++] = top->block;
      depth--;
    } else if (!seen[b->core->ids.block_of[label]]) {
      seen[b->core->ids.block_of[label]] = true;
      stack[depth++] = (struct visit){b->core->ids.block_of[label], 0};
    }
  }
  free(stack);
  free(seen);
  return count;
}

const uint32_t *core_order(struct build *b, const struct spirv_function *function, uint32_t *count) {
  struct core_plan *plan = &b->core->ids.plan[function - b->module->function];
  if (!plan->order) {
    for (uint32_t i = 0; i < function->blocks; i++)
      b->core->ids.block_of[function->block[i].label] = i;
    plan->order = need(function->blocks, sizeof *plan->order);
    plan->count = post_order(b, function, plan->order);
    for (uint32_t i = 0; i < plan->count / 2; i++) {
      const uint32_t other = plan->order[plan->count - 1 - i];
      plan->order[plan->count - 1 - i] = plan->order[i];
      plan->order[i] = other;
    }
  }
  *count = plan->count;
  return plan->order;
}

/* ---- branches ------------------------------------------------------------------------------------ */

uint32_t core_target(struct build *b, uint32_t label) {
  uint32_t *start = &b->core->frame->start[b->core->ids.block_of[label]];
  if (*start == IR_NOWHERE)
    *start = build_block(b);
  return *start;
}

/* Records that b->block leads to the label's block. */
void core_edge(struct build *b, uint32_t label) {
  struct core_frame *frame = b->core->frame;
  *vector_next(frame->edge, frame->edges, frame->edge_room) = (struct core_edge){frame->label, label, b->block};
}

void core_branch(struct build *b, uint32_t label) {
  core_edge(b, label);
  build_goto(b, core_target(b, label));
}

void core_branch_if(struct build *b, ir_ref predicate, uint32_t yes, uint32_t no) {
  if (yes == no) {
    core_branch(b, yes);
    return;
  }
  core_edge(b, yes);
  core_edge(b, no);
  const uint32_t yes_block = core_target(b, yes);
  build_if(b, predicate, yes_block, core_target(b, no));
}

/* Whether the block is only OpUnreachable. A branch to it would keep the sides of the branch from meeting again. */
static bool is_dead(struct build *b, uint32_t label) {
  const struct spirv_block *block = &b->core->frame->function->block[b->core->ids.block_of[label]];
  return last(b, block)->op == OpUnreachable && block->count == 1;
}

static bool conditional(struct build *b, const struct spirv_inst *inst) {
  const uint32_t yes = inst->word[2], no = inst->word[3];
  const struct spirv_type *type = build_type(b, inst->word[1]);
  if (!type || type->kind != SPIRV_BOOL)
    return core_misfit(b, inst);
  const ir_ref predicate = build_value(b, inst->word[1]);
  if (b->failed)
    return false;
  if (is_dead(b, yes) || is_dead(b, no))
    core_branch(b, is_dead(b, yes) ? no : yes);
  else
    core_branch_if(b, predicate, yes, no);
  return true;
}

static bool lower_return(struct build *b, const struct spirv_inst *inst) {
  struct core_frame *frame = b->core->frame;
  const ir_ref *part = NULL;
  if (!frame->call) {
    if (b->ir->autorun[0])
      core_branch(b, frame->function->block[0].label);
    else
      ir_exit(b->ir, b->block, b->place);
    return true;
  }
  if (inst->op == OpReturnValue) {
    const struct spirv_type *type = build_type(b, inst->word[1]), *wanted = build_type(b, frame->call->word[2]);
    part = build_parts(b, inst->word[1]);
    if (!part || !core_same_shape(type, wanted))
      return part ? core_misfit(b, inst) : false;
    if (type->kind == SPIRV_POINTER) {
      ir_ref *pointer = core_room(b, 1);
      const uint32_t result = frame->call->word[2];
      *pointer = core_convert(b, build_pointer(b, inst->word[1]), core_space(wanted, core_spaces(b, result)));
      part = pointer;
    }
  }
  *vector_next(frame->back, frame->backs, frame->back_room) = (struct core_return){b->block, part, b->place};
  return true;
}

bool lower_flow(struct build *b, const struct spirv_inst *inst) {
  switch (inst->op) {
  case OpBranch:
    core_branch(b, inst->word[1]);
    return true;
  case OpBranchConditional:
    return conditional(b, inst);
  case OpSwitch:
    return lower_switch(b, inst);
  case OpUnreachable:
    ir_exit(b->ir, b->block, b->place);
    return true;
  default:
    return lower_return(b, inst);
  }
}

/* ---- switches ------------------------------------------------------------------------------------ */

/* Values from low to high, both included, that lead to a label. */
struct range {
  uint64_t low, high;
  uint32_t label;
  uint32_t place; /* position in the instruction: for a duplicate value the first one counts */
};

struct chooser {
  const struct range *range;
  ir_ref selector;
  bool wide;
  uint32_t otherwise;
};

static int by_low(const void *left, const void *right) {
  const struct range *a = left, *b = right;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static struct range *read_ranges(struct build *b, const struct spirv_inst *inst, unsigned bits, uint32_t *count) {
  const unsigned words = bits == 64 ? 2 : 1;
  const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  const uint32_t most = (inst->words - 3u) / (words + 1);
  struct range *range = need(most + 1, sizeof *range);
  *count = 0;
  for (uint32_t i = 0; i < most; i++) {
    const uint32_t *word = inst->word + 3 + (size_t)i * (words + 1);
    const uint64_t value = (words == 2 ? (uint64_t)word[1] << 32 | word[0] : word[0]) & mask;
    if (word[words] != inst->word[2] && !is_dead(b, word[words]))
      range[(*count)++] = (struct range){value, value, word[words], i};
  }
  qsort(range, *count, sizeof *range, by_low);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *count; i++)
    if (kept && range[kept - 1].label == range[i].label && range[kept - 1].high + 1 == range[i].low)
      range[kept - 1].high = range[i].high;
    else
      range[kept++] = range[i];
  *count = kept;
  return range;
}

static ir_ref number(struct build *b, const struct chooser *chooser, uint64_t value) {
  return chooser->wide ? build_64(b, value) : build_32(b, (uint32_t)value);
}

static ir_ref is_in(struct build *b, const struct chooser *chooser, const struct range *range) {
  const bool wide = chooser->wide;
  if (range->low == range->high)
    return build_op(b, wide ? ISA_SETP_EQ_U64 : ISA_SETP_EQ_U32, chooser->selector, number(b, chooser, range->low), 0);
  const ir_ref above =
      build_op(b, wide ? ISA_SUB_64 : ISA_SUB_32, chooser->selector, number(b, chooser, range->low), 0);
  return build_op(b, wide ? ISA_SETP_LE_U64 : ISA_SETP_LE_U32, above, number(b, chooser, range->high - range->low), 0);
}

/* Few ranges: compares with one after another, those of one label together. */
static void choose_in_turn(struct build *b, const struct chooser *chooser, uint32_t from, uint32_t to) {
  bool done[8] = {false};
  for (uint32_t i = from; i < to; i++) {
    ir_ref here = 0;
    if (done[i - from])
      continue;
    for (uint32_t k = i; k < to; k++)
      if (chooser->range[k].label == chooser->range[i].label) {
        const ir_ref in = is_in(b, chooser, &chooser->range[k]);
        here = here ? build_op(b, ISA_OR_P, here, in, 0) : in;
        done[k - from] = true;
      }
    bool more = false;
    for (uint32_t k = from; k < to; k++)
      more |= !done[k - from];
    const bool sure = !more && is_dead(b, chooser->otherwise);
    if (sure) {
      core_branch(b, chooser->range[i].label);
      return;
    }
    if (!more) {
      core_branch_if(b, here, chooser->range[i].label, chooser->otherwise);
      return;
    }
    const uint32_t next = build_block(b);
    core_edge(b, chooser->range[i].label);
    build_if(b, here, core_target(b, chooser->range[i].label), next);
    build_enter(b, next);
  }
  core_branch(b, chooser->otherwise);
}

/* Many ranges: binary search. */
static void choose(struct build *b, const struct chooser *chooser, uint32_t from, uint32_t to) {
  if (to - from <= 4) {
    choose_in_turn(b, chooser, from, to);
    return;
  }
  const uint32_t middle = from + (to - from) / 2;
  const ir_ref below = build_op(b, chooser->wide ? ISA_SETP_LT_U64 : ISA_SETP_LT_U32, chooser->selector,
                                number(b, chooser, chooser->range[middle].low), 0);
  const uint32_t left = build_block(b), right = build_block(b);
  build_if(b, below, left, right);
  build_enter(b, left);
  choose(b, chooser, from, middle);
  build_enter(b, right);
  choose(b, chooser, middle, to);
}

static uint32_t labels_of(const struct range *range, uint32_t count) {
  uint32_t labels = 0;
  for (uint32_t i = 0; i < count && labels <= 8; i++) {
    bool seen = false;
    for (uint32_t k = 0; k < i; k++)
      seen |= range[k].label == range[i].label;
    labels += !seen;
  }
  return labels;
}

bool lower_switch(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[1]);
  if (!type || type->kind != SPIRV_INT)
    return core_misfit(b, inst);
  const ir_ref selector = build_extended(b, build_value(b, inst->word[1]), type->bits, false);
  if (b->failed)
    return false;
  uint32_t count = 0;
  struct range *range = read_ranges(b, inst, type->bits, &count);
  const struct chooser chooser = {range, selector, type->bits == 64, inst->word[2]};
  if (count <= 8 && labels_of(range, count) <= 4)
    choose_in_turn(b, &chooser, 0, count);
  else
    choose(b, &chooser, 0, count);
  free(range);
  return !b->failed;
}

/* ---- phis ---------------------------------------------------------------------------------------- */

static void make_phi(struct build *b, enum ir_width width, ir_ref *part) {
  *part = ir_make(b->ir, IR_PHI, width, NULL, 0, 0, b->place);
  ir_append(b->ir, b->block, *part);
}

static bool make_phis(struct build *b, const struct spirv_inst *inst) {
  const uint32_t id = inst->word[2];
  const struct spirv_type *type = build_type(b, id);
  uint8_t width[SPIRV_MOST_PARTS];
  b->place = inst->place;
  if (!type || !core_widths(b, type, width))
    return core_misfit(b, inst);
  ir_ref *part = build_define(b, id);
  if (type->kind == SPIRV_POINTER) {
    const enum build_space space = core_space(type, core_spaces(b, id));
    width[0] = space == SPACE_LOCAL || space == SPACE_PRIVATE ? IR_W1 : IR_W2;
  }
  for (uint32_t i = 0; i < type->parts; i++)
    make_phi(b, (enum ir_width)width[i], &part[i]);
  return !b->failed;
}

/* Creates all phis of a block before lowering its other instructions. */
bool core_phis(struct build *b, const struct spirv_block *block) {
  for (uint32_t i = 0; i < block->count; i++) {
    const struct spirv_inst *inst = &b->module->inst[block->first + i];
    if (inst->op == OpPhi && !make_phis(b, inst))
      return false;
  }
  return true;
}

/* The parts that a phi receives along one edge, in the phi's form. */
static const ir_ref *incoming(struct build *b, const struct spirv_inst *inst, uint32_t from, ir_ref *room) {
  const uint32_t id = inst->word[2];
  const struct spirv_type *type = build_type(b, id);
  for (unsigned i = 3; i + 1 < inst->words; i += 2) {
    if (inst->word[i + 1] != from)
      continue;
    const ir_ref *part = build_parts(b, inst->word[i]);
    if (!part || !core_same_shape(build_type(b, inst->word[i]), type)) {
      core_misfit(b, inst);
      return NULL;
    }
    if (type->kind != SPIRV_POINTER)
      return part;
    *room = core_convert(b, build_pointer(b, inst->word[i]), core_space(type, core_spaces(b, id)));
    return room;
  }
  core_misfit(b, inst);
  return NULL;
}

static bool fill_phi(struct build *b, const struct spirv_inst *inst, const struct core_edge *edge) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  const ir_ref *phi = b->core->ids.part[inst->word[2]];
  ir_ref room = 0;
  b->place = inst->place;
  build_enter(b, edge->block);
  const ir_ref *part = incoming(b, inst, edge->from, &room);
  for (uint32_t i = 0; part && i < type->parts; i++)
    ir_phi_add(b->ir, phi[i], edge->block, part[i]);
  return part && !b->failed;
}

/* Adds every edge of the frame to the phis of its target. */
bool core_fill_phis(struct build *b) {
  const struct core_frame *frame = b->core->frame;
  for (uint32_t i = 0; i < frame->edges; i++) {
    const struct spirv_block *block = &frame->function->block[b->core->ids.block_of[frame->edge[i].to]];
    for (uint32_t k = 0; k < block->count; k++) {
      const struct spirv_inst *inst = &b->module->inst[block->first + k];
      if (inst->op == OpPhi && !fill_phi(b, inst, &frame->edge[i]))
        return false;
    }
  }
  return true;
}
