/* Moves loads ahead of arithmetic that does not need them and changes nothing else. This is for level 0, whose code is
 * meant to be read beside its source; schedule.c is for the other levels.
 *
 * Only within a block, between two instructions with an effect (stores, barriers, operations across lanes, ...). Loads
 * keep their order; what moves down is arithmetic. A load takes the computation of its address along. Steps of that
 * computation alternate with arithmetic whose operands are available, so that neither waits for its own results. The
 * registers that pending results may hold limit how far loads move. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_MOST = 512 }; /* instructions considered together */

struct edge {
  uint32_t before; /* must come first */
  uint32_t next;   /* 1 + the next edge of the same instruction, or of the same vreg's readers */
  bool value;      /* its result is read */
};

struct node {
  uint32_t edges; /* 1 + the first edge */
  uint32_t users; /* readers of a load's result that are not placed yet */
  uint32_t words; /* of a load's result */
  uint32_t at;    /* its new position */
  bool near;      /* a load from the LDS */
  bool read;      /* a reader has been placed */
  bool done;
};

/* A region of instructions without effects. */
struct schedule {
  struct machine_function *m;
  uint32_t *writer;  /* by vreg: 1 + the latest instruction of the region that writes it */
  uint32_t *readers; /* by vreg: 1 + an edge to each instruction that has read it since */
  struct node node[REGION_MOST];
  struct edge *edge;
  uint32_t edges;
  size_t edge_room;
  const struct machine_inst *inst;
  uint32_t count, at; /* at: the instruction that machine_each() visits */
  struct machine_inst out[REGION_MOST];
  uint32_t placed;
  bool moved;       /* some instruction has a new position */
  uint32_t waiting; /* words of loads with readers that are not placed yet */
};

static uint32_t new_edge(struct schedule *s, uint32_t before, uint32_t next, bool value) {
  *vector_next(s->edge, s->edges, s->edge_room) = (struct edge){before, next, value};
  return s->edges;
}

static void after(struct schedule *s, uint32_t at, uint32_t before, bool value) {
  if (before == at)
    return;
  s->node[at].edges = new_edge(s, before, s->node[at].edges, value);
  s->node[before].users += value;
}

static void reads(void *self, uint32_t vreg) {
  struct schedule *s = self;
  const uint32_t at = s->at;
  if (s->writer[vreg])
    after(s, at, s->writer[vreg] - 1, true);
  s->readers[vreg] = new_edge(s, at, s->readers[vreg], false);
}

/* An instruction that writes a vreg again is tied: it also reads the vreg, so it already comes after the earlier write.
 */
static void writes(void *self, uint32_t vreg) {
  struct schedule *s = self;
  const uint32_t at = s->at;
  for (uint32_t edge = s->readers[vreg]; edge; edge = s->edge[edge - 1].next)
    after(s, at, s->edge[edge - 1].before, false);
  s->readers[vreg] = 0;
  s->writer[vreg] = at + 1;
}

static void forget(void *self, uint32_t vreg) {
  struct schedule *s = self;
  s->writer[vreg] = s->readers[vreg] = 0;
}

/* The words of a slow load's result; 0 for anything else. */
static uint32_t load_words(const struct machine_inst *inst) {
  if (inst->op == MACHINE_COPY)
    return 0;
  const struct isa_row *row = &isa_rows[inst->op];
  return row->access == ISA_ACCESS_LOAD && (row->space == ISA_SPACE_GLOBAL || row->space == ISA_SPACE_LDS)
             ? isa_types[row->d].registers
             : 0;
}

static bool has_effect(const struct machine_inst *inst) {
  if (inst->op == MACHINE_COPY)
    return false;
  switch ((enum isa_format)isa_rows[inst->op].format) {
  case FORMAT_ALU:
  case FORMAT_QUERY:
  case FORMAT_QUERY_AXIS:
  case FORMAT_LOAD_ARG:
  case FORMAT_LOAD_CONST:
  case FORMAT_LOAD_GLOBAL:
  case FORMAT_LOAD_LDS:
    return false;
  default:
    return true;
  }
}

/* The earliest instruction that must precede `at` and is not placed yet; UINT32_MAX if there is none. */
static uint32_t missing(const struct schedule *s, uint32_t at) {
  uint32_t first = UINT32_MAX;
  for (uint32_t edge = s->node[at].edges; edge; edge = s->edge[edge - 1].next)
    if (!s->node[s->edge[edge - 1].before].done && s->edge[edge - 1].before < first)
      first = s->edge[edge - 1].before;
  return first;
}

/* Places an instruction after everything that it needs. That comes earlier in the region, so the recursion ends. */
static void schedule_node(struct schedule *s, uint32_t at) {
  for (uint32_t before = missing(s, at); before != UINT32_MAX; before = missing(s, at))
    schedule_node(s, before);
  struct node *node = &s->node[at];
  node->done = true;
  s->moved |= s->placed != at;
  node->at = s->placed;
  s->out[s->placed++] = s->inst[at];
  s->waiting += node->words;
  for (uint32_t edge = node->edges; edge; edge = s->edge[edge - 1].next) {
    struct node *before = &s->node[s->edge[edge - 1].before];
    before->read |= s->edge[edge - 1].value;
    if (s->edge[edge - 1].value && --before->users == 0)
      s->waiting -= before->words;
  }
}

/* The first instruction to place on the way to `at`; `at` itself if nothing is missing. */
static uint32_t needed(const struct schedule *s, uint32_t at) {
  for (uint32_t before = missing(s, at); before != UINT32_MAX; before = missing(s, at))
    at = before;
  return at;
}

/* May an instruction go between the steps of a load's address? Yes if its operands seem to be available. */
static bool takes_turns(const struct schedule *s, uint32_t at) {
  enum { LDS_AWAY = 8 }; /* instructions after which a load from the LDS is assumed complete */
  if (s->node[at].done || s->node[at].words || missing(s, at) != UINT32_MAX)
    return false;
  bool reads_load = false;
  for (uint32_t edge = s->node[at].edges; edge; edge = s->edge[edge - 1].next) {
    const struct node *before = &s->node[s->edge[edge - 1].before];
    if (!s->edge[edge - 1].value || !before->words)
      continue;
    reads_load = true;
    if (!before->read && (!before->near || s->placed - before->at < LDS_AWAY))
      return false;
  }
  return reads_load;
}

/* Returns whether any instruction has a new position. */
static bool schedule_region(struct schedule *s, struct machine_inst *inst, uint32_t count, uint32_t most) {
  uint32_t loads = 0, next_load = 0, next = 0;
  s->inst = inst;
  s->count = count;
  s->edges = s->placed = s->waiting = 0;
  s->moved = false;
  for (uint32_t i = 0; i < count; i++)
    loads += load_words(&inst[i]) != 0;
  if (loads < 2)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    s->node[i] = (struct node){.words = load_words(&inst[i])};
    s->node[i].near = s->node[i].words && isa_rows[inst[i].op].space == ISA_SPACE_LDS;
    s->at = i;
    machine_each(s->m, &inst[i], reads, writes, s);
  }
  while (s->placed < count) {
    while (next_load < count && (s->node[next_load].done || !s->node[next_load].words))
      next_load++;
    while (next < count && s->node[next].done)
      next++;
    if (next_load == count || s->waiting + s->node[next_load].words > most) {
      schedule_node(s, next);
      continue;
    }
    const uint32_t step = needed(s, next_load);
    schedule_node(s, step);
    if (step != next_load && takes_turns(s, next))
      schedule_node(s, next);
  }
  for (uint32_t i = 0; i < count; i++)
    machine_each(s->m, &inst[i], forget, forget, s);
  memcpy(inst, s->out, count * sizeof *inst);
  return s->moved;
}

bool machine_load_ahead(struct machine_function *m, uint32_t most) {
  struct schedule *s = need(1, sizeof *s);
  s->m = m;
  s->writer = need(2 * (size_t)m->vregs, sizeof *s->writer);
  s->readers = s->writer + m->vregs;
  bool changed = false;
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    uint32_t start = 0;
    for (uint32_t at = 0; at <= block->count; at++)
      if (at == block->count || at - start == REGION_MOST || has_effect(&block->inst[at])) {
        changed |= at > start && schedule_region(s, block->inst + start, at - start, most);
        start = at < block->count && has_effect(&block->inst[at]) ? at + 1 : at;
      }
  }
  free(s->writer);
  free(s->edge);
  free(s);
  return changed;
}
