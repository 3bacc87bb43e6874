/* Joins runs that are connected by moves into one bundle, at the offset at which the move disappears, unless two words
 * that would share a register are live at the same time with different values. A copy has the same value as its source,
 * so both may share a register even while both are live (Boissinot et al., "Revisiting out-of-SSA translation for
 * correctness, code quality, and efficiency", 2009). Moves in inner loops go first.
 *
 * Not coalesced: vregs that live around one instruction (that would tie a long life to a place that must stay easy to
 * find), and private memory, which spill.c makes from whole bundles. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"

#include <stdlib.h>

struct affinity {
  uint32_t to, from;
  uint32_t depth, number;
};

static struct bundle *root_of(const struct machine_function *m, uint32_t head, int32_t *offset) {
  int32_t sum = 0;
  uint32_t at = head;
  for (; m->bundle[at].up != at; at = m->bundle[at].up)
    sum += m->bundle[at].offset;
  *offset = sum;
  while (m->bundle[head].up != at && head != at) { /* path compression */
    struct bundle *step = &m->bundle[head];
    const uint32_t up = step->up;
    const int32_t here = step->offset;
    step->up = at;
    step->offset = sum;
    sum -= here;
    head = up;
  }
  return &m->bundle[at];
}

struct bundle *bundle_of(const struct machine_function *m, uint32_t vreg, uint32_t *offset) {
  int32_t sum;
  struct bundle *root = root_of(m, machine_head(m, vreg), &sum);
  *offset = (uint32_t)(sum + m->vreg[vreg].index);
  return root;
}

static void begin(struct machine_function *m) {
  m->bundle = need(m->vregs, sizeof *m->bundle);
  for (uint32_t v = 1; v < m->vregs; v += m->vreg[v].words) {
    const struct vreg *vreg = &m->vreg[v];
    m->bundle[v] = (struct bundle){
        .up = v, .words = vreg->words, .next = v, .unspillable = vreg->unspillable, .word = &m->range[v]};
  }
}

/* Can word 0 of `b` share the register of word `shift` of `a`? */
static bool may_join(const struct bundle *a, const struct bundle *b, uint32_t shift, uint32_t most) {
  if (shift + b->words > most)
    return false;
  for (uint32_t i = 0; i < b->words && shift + i < a->words; i++)
    if (live_meet(&a->word[shift + i], &b->word[i]))
      return false;
  return true;
}

/* Gives a bundle that outgrows its run an array for RUN_MOST words. */
static void widen(struct bundle *bundle) {
  struct live *word = need(RUN_MOST, sizeof *word);
  for (uint32_t i = 0; i < bundle->words; i++) {
    word[i] = bundle->word[i];
    bundle->word[i] = (struct live){0};
  }
  bundle->word = word;
  bundle->own = true;
}

static void join(struct bundle *a, struct bundle *b, uint32_t shift) {
  if (shift + b->words > a->words && !a->own)
    widen(a);
  for (uint32_t i = 0; i < b->words; i++) {
    if (a->word[shift + i].count < b->word[i].count) { /* merge the short list into the long one */
      const struct live other = a->word[shift + i];
      a->word[shift + i] = b->word[i];
      b->word[i] = other;
    }
    live_merge(&a->word[shift + i], &b->word[i]);
    live_forget(&b->word[i]);
  }
  if (shift + b->words > a->words)
    a->words = shift + b->words;
  const uint32_t next = a->next;
  a->next = b->next;
  b->next = next;
  b->up = a->up;
  b->offset = (int32_t)shift;
}

static void try_join(struct machine_function *m, const struct affinity *affinity, uint32_t most) {
  uint32_t to_offset, from_offset;
  struct bundle *to = bundle_of(m, affinity->to, &to_offset), *from = bundle_of(m, affinity->from, &from_offset);
  if (to == from || to->unspillable || from->unspillable)
    return;
  if (to_offset >= from_offset) {
    if (may_join(to, from, to_offset - from_offset, most))
      join(to, from, to_offset - from_offset);
  } else if (may_join(from, to, from_offset - to_offset, most)) {
    join(from, to, from_offset - to_offset);
  }
}

static int hottest(const void *x, const void *y) {
  const struct affinity *a = x, *b = y;
  if (a->depth != b->depth)
    return a->depth > b->depth ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static uint32_t copy_affinities(const struct machine_function *m, const struct machine_inst *copy, uint32_t depth,
                                struct affinity *all, uint32_t count) {
  for (uint32_t i = 0; i < copy->count; i++) {
    const struct machine_move *move = &m->move[copy->list + i];
    if (!move->from || m->vreg[move->from].kind != m->vreg[move->to].kind || m->vreg[move->to].kind == VREG_MEMORY)
      continue;
    all[count] = (struct affinity){move->to, move->from, depth, count};
    count++;
  }
  return count;
}

static uint32_t find_affinities(const struct machine_function *m, struct affinity *all) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->ordered; i++) {
    const struct machine_block *block = &m->block[m->order[i]];
    for (uint32_t k = 0; k < block->count; k++)
      if (block->inst[k].op == MACHINE_COPY)
        count = copy_affinities(m, &block->inst[k], block->depth, all, count);
  }
  return count;
}

static void weigh_copy(const struct machine_function *m, const struct machine_inst *copy, double weight) {
  uint32_t offset;
  for (uint32_t i = 0; i < copy->count; i++) {
    const struct machine_move *move = &m->move[copy->list + i];
    struct bundle *to = bundle_of(m, move->to, &offset);
    struct bundle *from = move->from ? bundle_of(m, move->from, &offset) : NULL;
    if (to == from)
      continue;
    to->cost += weight;
    if (from)
      from->cost += weight;
  }
}

static void weigh_instruction(const struct machine_function *m, struct machine_inst *inst, double weight) {
  struct machine_operand operand[MACHINE_OPERANDS];
  uint32_t offset;
  for (uint32_t i = machine_operands(m, inst, operand); i--;)
    bundle_of(m, *operand[i].vreg, &offset)->cost += weight;
}

/* How often bundles are read and written; one level of loop nesting counts as eight times. */
static void weigh(struct machine_function *m) {
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    const uint32_t depth = block->depth < 8 ? block->depth : 8;
    const double weight = (double)(UINT64_C(1) << 3 * depth);
    uint32_t offset;
    for (uint32_t k = 0; k < block->count; k++)
      if (block->inst[k].op == MACHINE_COPY)
        weigh_copy(m, &block->inst[k], weight);
      else
        weigh_instruction(m, &block->inst[k], weight);
    if (block->condition)
      bundle_of(m, block->condition, &offset)->cost += weight;
  }
}

static void measure(struct machine_function *m) {
  for (uint32_t v = 1; v < m->vregs; v += m->vreg[v].words) {
    struct bundle *bundle = &m->bundle[v];
    bundle->start = UINT32_MAX;
    for (uint32_t i = 0; bundle->up == v && i < bundle->words; i++)
      for (uint32_t k = 0; k < bundle->word[i].count; k++) {
        const struct segment *segment = &bundle->word[i].segment[k];
        bundle->alive += segment->end - segment->start;
        bundle->start = segment->start < bundle->start ? segment->start : bundle->start;
      }
  }
}

void machine_coalesce(struct machine_function *m, uint32_t most) {
  begin(m);
  struct affinity *all = need(m->moves + 1u, sizeof *all);
  const uint32_t count = find_affinities(m, all);
  qsort(all, count, sizeof *all, hottest);
  for (uint32_t i = 0; i < count; i++)
    try_join(m, &all[i], most);
  free(all);
  weigh(m);
  measure(m);
}
