/* Loads go ahead of arithmetic that does not need them, and all else stays as it was: what level 0 does, whose code is
 * to be read beside its source; schedule.c is for the other levels.
 *
 * Only within a block, between two instructions that have an effect (stores, barriers, operations across lanes, ...),
 * and loads keep their order among themselves: what moves down is arithmetic. Each load takes along what its address
 * is computed from; steps of that take turns with arithmetic whose operands are there, so that neither waits for its
 * own results. How far ahead is bounded by the registers that results on their way may hold. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

enum { STRETCH_MOST = 512 }; /* instructions looked at together */

struct edge {
  uint32_t before; /* the instruction that comes first */
  uint32_t next;   /* 1 + the next edge of the same instruction, or of the same vreg's readers */
  bool value;      /* its result is read */
};

struct node {
  uint32_t edges; /* 1 + the first */
  uint32_t users; /* that read a load's result and are still to come */
  uint32_t words; /* of a load's result */
  uint32_t at;    /* its place */
  bool near;      /* a load of the LDS */
  bool read;      /* somebody who reads it has been placed */
  bool done;
};

/* A stretch of instructions without effects. */
struct schedule {
  struct machine *m;
  uint32_t *writer;  /* per vreg: 1 + the latest instruction of the stretch that writes it */
  uint32_t *readers; /* per vreg: 1 + an edge to each instruction that reads it since */
  struct node node[STRETCH_MOST];
  struct edge *edge;
  uint32_t edges, edge_room;
  const struct machine_inst *inst;
  uint32_t count, at; /* at: which instruction machine_each() is shown */
  struct machine_inst out[STRETCH_MOST];
  uint32_t placed;
  bool moved;       /* something is not where it was */
  uint32_t waiting; /* words of loads whose users are still to come */
};

static uint32_t new_edge(struct schedule *s, uint32_t before, uint32_t next, bool value) {
  if (s->edges == s->edge_room) {
    s->edge_room = s->edge_room ? 2 * s->edge_room : 1024;
    s->edge = need_more(s->edge, s->edge_room, sizeof *s->edge);
  }
  s->edge[s->edges++] = (struct edge){before, next, value};
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

/* What writes a vreg again is tied to it: it reads it first, and so comes behind who wrote it before. */
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

/* Words that the result of a slow load takes; 0 for anything else. */
static uint32_t load_words(const struct machine_inst *inst) {
  if (inst->op == MACHINE_COPY)
    return 0;
  const struct isa_row *row = &isa_rows[inst->op];
  return row->format == FORMAT_LOAD_GLOBAL || row->format == FORMAT_LOAD_LDS ? isa_types[row->d].registers : 0;
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

/* The first in order of what must come before `at` and has not yet; UINT32_MAX if there is nothing. */
static uint32_t missing(const struct schedule *s, uint32_t at) {
  uint32_t first = UINT32_MAX;
  for (uint32_t edge = s->node[at].edges; edge; edge = s->edge[edge - 1].next)
    if (!s->node[s->edge[edge - 1].before].done && s->edge[edge - 1].before < first)
      first = s->edge[edge - 1].before;
  return first;
}

/* Places an instruction behind all that it needs. Needs come earlier in the stretch, so this ends. */
static void place(struct schedule *s, uint32_t at) {
  for (uint32_t before = missing(s, at); before != UINT32_MAX; before = missing(s, at))
    place(s, before);
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

/* What of all that `at` needs can be placed first: `at` itself when nothing is missing. */
static uint32_t needed(const struct schedule *s, uint32_t at) {
  for (uint32_t before = missing(s, at); before != UINT32_MAX; before = missing(s, at))
    at = before;
  return at;
}

/* Whether an instruction may go between the steps of a load's address: its operands are there, as far as one can tell.
 */
static bool takes_turns(const struct schedule *s, uint32_t at) {
  enum { LDS_AWAY = 8 }; /* instructions, after which a load of the LDS is taken to be done */
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

/* Returns whether anything has a new place. */
static bool stretch(struct schedule *s, struct machine_inst *inst, uint32_t count, uint32_t most) {
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
    s->node[i].near = s->node[i].words && isa_rows[inst[i].op].format == FORMAT_LOAD_LDS;
    s->at = i;
    machine_each(s->m, &inst[i], reads, writes, s);
  }
  while (s->placed < count) {
    while (next_load < count && (s->node[next_load].done || !s->node[next_load].words))
      next_load++;
    while (next < count && s->node[next].done)
      next++;
    if (next_load == count || s->waiting + s->node[next_load].words > most) {
      place(s, next);
      continue;
    }
    const uint32_t step = needed(s, next_load);
    place(s, step);
    if (step != next_load && takes_turns(s, next))
      place(s, next);
  }
  for (uint32_t i = 0; i < count; i++)
    machine_each(s->m, &inst[i], forget, forget, s);
  memcpy(inst, s->out, count * sizeof *inst);
  return s->moved;
}

bool machine_load_ahead(struct machine *m, uint32_t most) {
  struct schedule *s = need(1, sizeof *s);
  s->m = m;
  s->writer = need(2 * (size_t)m->vregs, sizeof *s->writer);
  s->readers = s->writer + m->vregs;
  bool changed = false;
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    uint32_t start = 0;
    for (uint32_t at = 0; at <= block->count; at++)
      if (at == block->count || at - start == STRETCH_MOST || has_effect(&block->inst[at])) {
        changed |= at > start && stretch(s, block->inst + start, at - start, most);
        start = at < block->count && has_effect(&block->inst[at]) ? at + 1 : at;
      }
  }
  free(s->writer);
  free(s->edge);
  free(s);
  return changed;
}
