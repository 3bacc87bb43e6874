/* Checks branches and phis: no branch leads to the entry block, and phis come first in their block and name each
 * predecessor once. Some translators repeat a phi's pair if a switch has several edges to one block. This file removes
 * the repeated pairs. */
#include "opencl/spirv/spirv_reader.h"
#include "sim/base/need.h"

#include <stdlib.h>

/* Blocks are identified by their index in module->block. */
struct flow {
  uint32_t *block_of; /* indexed by label id */
  uint32_t *first;    /* by block: where its predecessors start in `from`, with one more element at the end */
  uint32_t *from;
  uint32_t *stamp;    /* by block: the last block (+ 1) that visited it */
  uint32_t *phi;      /* by block: the last phi that named it, its index in module->inst + 1 */
  uint32_t *position; /* by block: the pair's word in that phi */
};

static const struct spirv_inst *terminator(const struct spirv *module, uint32_t block) {
  return &module->inst[module->block[block].first + module->block[block].count - 1];
}

/* The first label in a terminator, and the step to the next one. The words after a conditional branch's labels may be
 * weights. */
static uint32_t label_step(const struct spirv *module, const struct spirv_inst *inst, uint32_t *first, uint32_t *end) {
  *end = inst->words;
  switch (inst->op) {
  case OpBranch:
    *first = 1;
    return 1;
  case OpBranchConditional:
    *first = 2;
    *end = 4;
    return 1;
  case OpSwitch:
    *first = 2;
    return spirv_type_of(module, inst->word[1])->bits == 64 ? 3 : 2;
  default:
    *first = *end;
    return 1;
  }
}

static uint32_t count_edges(const struct spirv *module, uint32_t blocks) {
  uint32_t count = 0, first, end;
  for (uint32_t i = 0; i < blocks; i++) {
    const uint32_t step = label_step(module, terminator(module, i), &first, &end);
    count += (end - first + step - 1) / step;
  }
  return count;
}

/* Calls `edge` once for each successor of `block`. */
static void each_edge(struct flow *flow, const struct spirv *module, uint32_t block,
                      void (*edge)(struct flow *flow, uint32_t from, uint32_t to)) {
  const struct spirv_inst *inst = terminator(module, block);
  uint32_t first, end;
  const uint32_t step = label_step(module, inst, &first, &end);
  for (uint32_t i = first; i < end; i += step) {
    const uint32_t to = flow->block_of[inst->word[i]];
    if (flow->stamp[to] != block + 1)
      edge(flow, block, to);
    flow->stamp[to] = block + 1;
  }
}

static void count_edge(struct flow *flow, uint32_t from, uint32_t to) {
  (void)from;
  flow->first[to]++;
}

/* Fills each block's list from its end, so that `first` ends up at the start of the list. */
static void put_edge(struct flow *flow, uint32_t from, uint32_t to) { flow->from[--flow->first[to]] = from; }

static void make_edges(struct flow *flow, const struct spirv *module, uint32_t blocks) {
  for (uint32_t i = 0; i < blocks; i++)
    each_edge(flow, module, i, count_edge);
  for (uint32_t i = 0; i < blocks; i++) {
    flow->first[i + 1] += flow->first[i];
    flow->stamp[i] = 0;
  }
  for (uint32_t i = 0; i < blocks; i++)
    each_edge(flow, module, i, put_edge);
}

/* ---- phis ---------------------------------------------------------------------------------------- */

/* Checks the pair at word `position` of phi number `number`: 1 new, 0 repeated, -1 wrong. */
static int check_pair(struct reader *r, struct flow *flow, uint32_t block, uint32_t number, uint32_t position) {
  const uint32_t label = reader_word(r, position + 1), from = flow->block_of[label];
  if (flow->stamp[from] != block + 1) {
    reader_fail(r, "label %u does not lead here", label);
    return -1;
  }
  if (flow->phi[from] == number + 1) {
    if (reader_word(r, flow->position[from]) == reader_word(r, position))
      return 0;
    reader_fail(r, "two values come from label %u", label);
    return -1;
  }
  flow->phi[from] = number + 1;
  flow->position[from] = position;
  return 1;
}

static bool check_phi(struct reader *r, struct flow *flow, uint32_t block, uint32_t number) {
  struct spirv_inst *inst = &r->module->inst[number];
  uint32_t *word = r->module->words + r->at, to = 3;
  for (uint32_t i = 3; i < inst->words; i += 2) {
    const int pair = check_pair(r, flow, block, number, i);
    if (pair < 0)
      return false;
    if (pair) {
      word[to] = word[i];
      word[to + 1] = word[i + 1];
      flow->position[flow->block_of[word[to + 1]]] = to;
      to += 2;
    }
  }
  inst->words = (uint16_t)to;
  return (to - 3) / 2 == flow->first[block + 1] - flow->first[block] ||
         reader_fail(r, "some block that leads here has no value");
}

static bool check_block(struct reader *r, struct flow *flow, uint32_t block) {
  const struct spirv *module = r->module;
  const struct spirv_block *row = &module->block[block];
  for (uint32_t i = flow->first[block]; i < flow->first[block + 1]; i++)
    flow->stamp[flow->from[i]] = block + 1;
  bool leading = true;
  for (uint32_t i = 0; i < row->count; i++) {
    const bool phi = module->inst[row->first + i].op == OpPhi;
    r->at = (uint32_t)(module->inst[row->first + i].word - module->words);
    if (phi && !leading)
      return reader_fail(r, "follows other instructions of its block");
    if (phi && !check_phi(r, flow, block, row->first + i))
      return false;
    leading = phi;
  }
  return true;
}

static bool check_flow(struct reader *r, struct flow *flow, uint32_t blocks) {
  const struct spirv *module = r->module;
  for (uint32_t i = 0; i < module->functions; i++) {
    const uint32_t entry = module->function[i].first_block;
    if (module->function[i].blocks && flow->first[entry + 1] != flow->first[entry]) {
      r->at = (uint32_t)(terminator(module, flow->from[flow->first[entry]])->word - module->words);
      return reader_fail(r, "leads to the first block of the function");
    }
  }
  for (uint32_t i = 0; i < blocks; i++)
    flow->stamp[i] = 0;
  for (uint32_t i = 0; i < blocks; i++)
    if (!check_block(r, flow, i))
      return false;
  return true;
}

bool reader_check_flow(struct reader *r) {
  const struct spirv *module = r->module;
  const struct spirv_function *last = module->functions ? &module->function[module->functions - 1] : NULL;
  const uint32_t blocks = last ? last->first_block + last->blocks : 0;
  struct flow flow = {.block_of = need(module->bound, sizeof(uint32_t)),
                      .first = need(blocks + 1u, sizeof(uint32_t)),
                      .from = need(count_edges(module, blocks), sizeof(uint32_t)),
                      .stamp = need(blocks, sizeof(uint32_t)),
                      .phi = need(blocks, sizeof(uint32_t)),
                      .position = need(blocks, sizeof(uint32_t))};
  for (uint32_t i = 0; i < blocks; i++)
    flow.block_of[module->block[i].label] = i;
  make_edges(&flow, module, blocks);
  const bool good = check_flow(r, &flow, blocks);
  free(flow.block_of);
  free(flow.first);
  free(flow.from);
  free(flow.stamp);
  free(flow.phi);
  free(flow.position);
  return good;
}
