/* The order of instructions. A warp issues in order and stops at the first instruction whose operand is not available,
 * so loads move ahead of what does not need them, and several are in flight before the first result is needed.
 *
 * Only within a block, between two instructions whose order other work-items may observe (barriers, atomics, copies,
 * operations across lanes, volatile loads, ...). Loads and stores keep their order if they may touch the same bytes:
 * accesses to the same space, unless both are at constant offsets from the same base. In the LDS, which other lanes of
 * the warp access in the same order, only at constant addresses.
 *
 * This is list scheduling for one warp. Among the instructions that miss nothing, the next is the one whose operands
 * are available and that starts the longest chain of latencies. Results with readers to come hold registers. When they
 * hold as many as emit.c allows, instructions that free registers go first, and several limits on how far to look ahead
 * in the source's order are tried. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_MOST = 512 /* instructions considered together */, WORD_BITS = 64 };

static const uint32_t NOBODY = UINT32_MAX;

enum space { SPACE_NONE, SPACE_GLOBAL, SPACE_LDS, SPACE_PRIVATE, SPACE_IMAGE, SPACES };

struct edge {
  uint32_t before, after; /* before is NOBODY: the value comes from above the region, and nothing below reads it; after
                             is NOBODY: something below the region reads it */
  uint32_t next_before;   /* 1 + the next edge to the same `after` */
  uint32_t next_after;    /* 1 + the next edge from the same `before` */
  uint32_t vreg;          /* written by `before` and read by `after`; 0: only the order matters */
};

struct reader {
  uint32_t at, next; /* 1 + the next reader of the same vreg */
};

struct node {
  uint32_t needs, needed; /* 1 + the first edge to it, and from it */
  uint32_t missing;       /* predecessors that are not placed yet */
  uint32_t words;         /* of its result that have readers */
  uint32_t latency, height, ready;
  uint32_t rank;        /* its index in schedule.ranked */
  uint32_t base, index; /* memory: 1 + the instruction of the region that wrote the address register; 0 for none */
  uint32_t before;      /* memory: 1 + the previous access to the same space; 0 for none */
  bool writes;          /* memory */
};

/* An instruction and the longest chain of latencies that it starts. */
struct rank {
  uint32_t height, at;
};

/* A region of instructions that may be reordered. */
struct schedule {
  struct machine_function *m;
  uint32_t *writer;  /* by vreg: 1 + the latest instruction of the region that writes it */
  uint32_t *readers; /* by vreg: 1 + a reader since */
  uint32_t *wanted;  /* by vreg: readers that are not placed yet */
  /* Of the original order: */
  const struct machine_inst *was; /* instructions, by number */
  struct live *range;             /* by vreg: machine.range at that time */
  struct segment *segment;
  uint32_t ranged;
  uint32_t *pressure; /* words live at each time */
  uint32_t allowed;
  uint32_t *made; /* by block: 1 + how many registers fewer than allowed it was scheduled for; 0: not scheduled */
  bool *changed;  /* by block: does its order differ from the original? */
  struct node node[REGION_MOST];
  struct rank ranked[REGION_MOST];
  uint64_t free[REGION_MOST / WORD_BITS]; /* one bit per rank: misses nothing and is not placed yet */
  struct edge *edge;
  uint32_t edges;
  size_t edge_room;
  struct reader *reader;
  uint32_t reader_count;
  size_t reader_room;
  const struct machine_inst *inst;
  uint32_t accesses[SPACES];                      /* 1 + the latest access to each space */
  uint32_t count, at;                             /* at: the instruction that machine_each() visits */
  uint32_t end;                                   /* the time at the end of the region, as live.c counts */
  uint32_t order[REGION_MOST], best[REGION_MOST]; /* the order being made, and the one that ends first so far */
  uint32_t placed;
  uint32_t now;    /* cycle, for the one warp */
  int32_t words;   /* words held in addition to those at the start: results with readers to come */
  uint32_t window; /* how many instructions from the first unplaced one may be next */
  bool refused;    /* the result of some instruction did not fit */
};

/* ---- dependences ------------------------------------------------------------------------------------ */

static struct edge *add_edge(struct schedule *s, uint32_t at, uint32_t before, uint32_t vreg) {
  struct edge *edge = vector_next(s->edge, s->edges, s->edge_room);
  *edge = (struct edge){.before = before, .after = at, .vreg = vreg};
  if (at != NOBODY) {
    edge->next_before = s->node[at].needs;
    s->node[at].needs = s->edges;
  }
  return edge;
}

static void after(struct schedule *s, uint32_t at, uint32_t before, uint32_t vreg) {
  if (before == at)
    return;
  add_edge(s, at, before, vreg)->next_after = s->node[before].needed;
  s->node[before].needed = s->edges;
  if (vreg && !s->wanted[vreg]++)
    s->node[before].words += s->m->vreg[vreg].kind == VREG_WORD;
}

/* Is the vreg's value not read after the region? */
static bool ends_here(const struct schedule *s, uint32_t vreg) {
  const struct live *live = &s->range[vreg];
  uint32_t low = 0, high = vreg < s->ranged ? live->count : 0;
  const uint32_t count = high;
  while (low < high) { /* the first segment that does not end earlier */
    const uint32_t middle = (low + high) / 2;
    if (live->segment[middle].end >= s->end)
      high = middle;
    else
      low = middle + 1;
  }
  return low == count || live->segment[low].start >= s->end;
}

static void reads(void *self, uint32_t vreg) {
  struct schedule *s = self;
  const uint32_t at = s->at;
  if (s->readers[vreg] && s->reader[s->readers[vreg] - 1].at == at)
    return; /* the instruction reads it twice */
  if (s->writer[vreg])
    after(s, at, s->writer[vreg] - 1, vreg);
  else if (ends_here(s, vreg))
    add_edge(s, at, NOBODY, vreg);
  *vector_next(s->reader, s->reader_count, s->reader_room) = (struct reader){at, s->readers[vreg]};
  s->readers[vreg] = s->reader_count;
}

static void writes(void *self, uint32_t vreg) {
  struct schedule *s = self;
  const uint32_t at = s->at;
  for (uint32_t i = s->readers[vreg]; i; i = s->reader[i - 1].next)
    after(s, at, s->reader[i - 1].at, 0);
  if (s->writer[vreg])
    after(s, at, s->writer[vreg] - 1, 0);
  s->readers[vreg] = 0;
  s->writer[vreg] = at + 1;
}

/* A value written here and read after the region is held until its end. */
static void hold_to_end(void *self, uint32_t vreg) {
  struct schedule *s = self;
  if (s->writer[vreg] != s->at + 1 || ends_here(s, vreg))
    return;
  add_edge(s, NOBODY, s->at, vreg);
  if (!s->wanted[vreg]++)
    s->node[s->at].words += s->m->vreg[vreg].kind == VREG_WORD;
}

static void forget(void *self, uint32_t vreg) {
  struct schedule *s = self;
  s->writer[vreg] = s->readers[vreg] = s->wanted[vreg] = 0;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

/* What an instruction may be reordered around: none for atomic accesses, arguments and constants. */
static enum space space_of(const struct machine_inst *inst, bool *writes_it) {
  static const uint8_t spaces[ISA_SPACES] = {
      [ISA_SPACE_GLOBAL] = SPACE_GLOBAL, [ISA_SPACE_LDS] = SPACE_LDS, [ISA_SPACE_PRIVATE] = SPACE_PRIVATE};
  *writes_it = false;
  if (inst->op == MACHINE_COPY)
    return SPACE_NONE;
  const struct isa_row *row = &isa_rows[inst->op];
  *writes_it = row->access == ISA_ACCESS_STORE || row->format == FORMAT_IMAGE_STORE;
  return row->format == FORMAT_IMAGE_STORE || row->format == FORMAT_IMAGE_READ ? SPACE_IMAGE
         : row->via == ISA_VIA_PLAIN                                           ? spaces[row->space]
                                                                               : SPACE_NONE;
}

static uint32_t index_of(const struct machine_inst *inst, enum space space) {
  return space == SPACE_GLOBAL ? inst->b : 0;
}

/* Do both have the same base and no byte in common? In the LDS, one lane's base with one offset may be another lane's
 * with the other. */
static bool apart(const struct schedule *s, uint32_t one, uint32_t two, enum space space) {
  const struct machine_inst *a = &s->inst[one], *b = &s->inst[two];
  if (space == SPACE_IMAGE || a->a != b->a || index_of(a, space) != index_of(b, space) ||
      s->node[one].base != s->node[two].base || s->node[one].index != s->node[two].index || a->memory || b->memory ||
      (space == SPACE_LDS && a->a))
    return false;
  const int64_t distance = space == SPACE_GLOBAL ? (int64_t)(b->imm - a->imm) : (int32_t)(uint32_t)(b->imm - a->imm);
  return distance >= 0 ? distance >= isa_types[isa_rows[a->op].a].bytes
                       : -distance >= isa_types[isa_rows[b->op].a].bytes;
}

static void order_memory(struct schedule *s, uint32_t at) {
  struct node *node = &s->node[at];
  const enum space space = space_of(&s->inst[at], &node->writes);
  if (space == SPACE_NONE)
    return;
  const uint32_t index = index_of(&s->inst[at], space);
  node->base = s->inst[at].a ? s->writer[s->inst[at].a] : 0;
  node->index = index ? s->writer[index] : 0;
  node->before = s->accesses[space];
  s->accesses[space] = at + 1;
  for (uint32_t before = node->before; before; before = s->node[before - 1].before)
    if ((node->writes || s->node[before - 1].writes) && !apart(s, before - 1, at, space))
      after(s, at, before - 1, 0);
}

/* Might others notice if the instruction moved? */
static bool is_fixed(const struct machine_inst *inst) {
  if (inst->op == MACHINE_COPY)
    return false;
  bool writes_it;
  return !isa_formats[isa_rows[inst->op].format].pure && (inst->fixed || space_of(inst, &writes_it) == SPACE_NONE);
}

/* ---- choosing the next instruction -------------------------------------------------------------------- */

/* Cycles until a result may be used: typical of GPUs, because the machine is not known here. */
enum { GLOBAL = 300, NEAR = 25, SLOW = 40, USUAL = 4 };

static uint32_t latency_of(const struct machine_inst *inst) {
  if (inst->op == MACHINE_COPY)
    return 1;
  switch ((enum isa_class)isa_rows[inst->op].class_) {
  case ISA_CLASS_GLOBAL:
  case ISA_CLASS_TEXTURE:
    return GLOBAL;
  case ISA_CLASS_LDS:
  case ISA_CLASS_PRIVATE:
  case ISA_CLASS_CONSTANT:
    return NEAR;
  case ISA_CLASS_SPECIAL:
  case ISA_CLASS_MATH:
  case ISA_CLASS_DIV:
    return SLOW;
  default:
    return USUAL;
  }
}

static void find_heights(struct schedule *s) {
  for (uint32_t at = s->count; at--;) {
    struct node *node = &s->node[at];
    for (uint32_t i = node->needed; i; i = s->edge[i - 1].next_after) {
      const struct edge *edge = &s->edge[i - 1];
      const uint32_t height = s->node[edge->after].height + (edge->vreg ? node->latency : 1);
      node->height = height > node->height ? height : node->height;
    }
  }
}

/* How many fewer words are held once it is placed; negative for more. */
static int32_t freed(const struct schedule *s, uint32_t at) {
  const struct node *node = &s->node[at];
  int32_t words = -(int32_t)node->words;
  for (uint32_t i = node->needs; i; i = s->edge[i - 1].next_before) {
    const struct edge *edge = &s->edge[i - 1];
    words += edge->vreg && s->wanted[edge->vreg] == 1 && s->m->vreg[edge->vreg].kind == VREG_WORD;
  }
  return words;
}

/* The most urgent first. */
static int by_height(const void *x, const void *y) {
  const struct rank *a = x, *b = y;
  return a->height != b->height ? (a->height < b->height) - (a->height > b->height) : (a->at > b->at) - (a->at < b->at);
}

static void rank(struct schedule *s) {
  for (uint32_t i = 0; i < s->count; i++)
    s->ranked[i] = (struct rank){s->node[i].height, i};
  qsort(s->ranked, s->count, sizeof *s->ranked, by_height);
  for (uint32_t i = 0; i < s->count; i++)
    s->node[s->ranked[i].at].rank = i;
}

static uint32_t wait_of(const struct schedule *s, uint32_t at) {
  return s->node[at].ready > s->now ? s->node[at].ready : s->now;
}

/* Does its result fit? */
static bool fits(struct schedule *s, uint32_t at, uint32_t most) {
  const int32_t words = freed(s, at);
  const bool room = words >= 0 || s->words - words <= (int32_t)most;
  s->refused |= !room;
  return room;
}

/* The next free rank from `at` on; `count` or above if there is none. */
static uint32_t next_free(const struct schedule *s, uint32_t at) {
  while (at < s->count) {
    const uint64_t rest = s->free[at / WORD_BITS] >> at % WORD_BITS;
    if (rest)
      return at + (uint32_t)__builtin_ctzll(rest);
    at += WORD_BITS - at % WORD_BITS;
  }
  return at;
}

/* The best instruction that fits: the one whose operands are available first, then the most urgent. Loads much less
 * urgent than the most urgent instruction, while that one waits (for an address being computed), would only take its
 * registers, so they come second. The most urgent unplaced instruction is always free, because whatever it missed would
 * be more urgent. Returns NOBODY if the region cannot end before `late`, judging by the longest chain and by one cycle
 * per instruction. */
static uint32_t choose(struct schedule *s, uint32_t first, uint32_t most, uint32_t late) {
  enum { FAR = 8 }; /* cycles */
  uint32_t best = NOBODY, second = NOBODY, top = 0;
  const uint32_t end = s->window < s->count - first ? first + s->window : s->count;
  if (s->now + s->count - s->placed >= late)
    return NOBODY;
  for (uint32_t rank = next_free(s, 0); rank < s->count; rank = next_free(s, rank + 1)) {
    const uint32_t at = s->ranked[rank].at;
    const struct node *node = &s->node[at];
    if (at >= end)
      continue;
    if (!top && s->now + node->height + 1 >= late)
      return NOBODY;
    top = top ? top : node->height + 1;
    uint32_t *const to = node->latency == GLOBAL && node->height + FAR + 1 < top ? &second : &best;
    if ((*to != NOBODY && wait_of(s, at) >= wait_of(s, *to)) || !fits(s, at, most))
      continue;
    *to = at;
    if (to == &best && node->ready <= s->now)
      break; /* those that follow are less urgent */
  }
  if (best == NOBODY)
    best = second;
  return best != NOBODY ? best : first; /* the first unplaced instruction misses nothing */
}

static void set_free(struct schedule *s, uint32_t at, bool free) {
  const uint32_t rank = s->node[at].rank;
  const uint64_t bit = UINT64_C(1) << rank % WORD_BITS;
  s->free[rank / WORD_BITS] = free ? s->free[rank / WORD_BITS] | bit : s->free[rank / WORD_BITS] & ~bit;
}

static void schedule_node(struct schedule *s, uint32_t at) {
  struct node *node = &s->node[at];
  const uint32_t start = node->ready > s->now ? node->ready : s->now;
  set_free(s, at, false);
  s->now = start + 1;
  s->order[s->placed++] = at;
  s->words += (int32_t)node->words;
  for (uint32_t i = node->needs; i; i = s->edge[i - 1].next_before) {
    const uint32_t vreg = s->edge[i - 1].vreg;
    if (vreg && --s->wanted[vreg] == 0)
      s->words -= s->m->vreg[vreg].kind == VREG_WORD;
  }
  for (uint32_t i = node->needed; i; i = s->edge[i - 1].next_after) {
    struct node *later = &s->node[s->edge[i - 1].after];
    const uint32_t ready = start + (s->edge[i - 1].vreg ? node->latency : 1);
    if (--later->missing == 0)
      set_free(s, s->edge[i - 1].after, true);
    later->ready = ready > later->ready ? ready : later->ready;
  }
}

/* A phi's next value is computed after the reads of its current value if it originally was; otherwise both are live at
 * once and need two registers. */
static void order_phis(struct schedule *s, const struct machine_inst *copy) {
  const struct machine_move *move = &s->m->move[copy->list];
  for (uint32_t i = 0; i < copy->count; i++) {
    const uint32_t writer = move[i].from ? s->writer[move[i].from] : 0;
    for (uint32_t k = writer ? s->readers[move[i].to] : 0; k; k = s->reader[k - 1].next)
      if (s->reader[k - 1].at < writer - 1)
        after(s, writer - 1, s->reader[k - 1].at, 0);
  }
}

/* The same if the phi takes the value on an edge out of the block. */
static void order_later_phis(struct schedule *s, const struct machine_block *block) {
  const uint32_t ways = block->end == IR_END_IF ? 2 : block->end == IR_END_GOTO ? 1 : 0;
  for (uint32_t i = 0; i < ways; i++) {
    const struct machine_block *to = &s->m->block[block->to[i]];
    if (to->count && s->was[to->first].op == MACHINE_COPY && to->from_count == 1)
      order_phis(s, &s->was[to->first]);
  }
}

/* Places all instructions before `late`. Returns when the last one has started; UINT32_MAX if that is impossible. */
static uint32_t place_all(struct schedule *s, uint32_t most, uint32_t window, uint32_t late) {
  s->placed = s->now = 0;
  s->words = 0;
  s->refused = false;
  s->window = window;
  memset(s->free, 0, sizeof s->free);
  for (uint32_t i = 0; i < s->count; i++)
    s->node[i].missing = s->node[i].ready = 0;
  for (uint32_t i = 0; i < s->edges; i++) {
    if (s->edge[i].before != NOBODY && s->edge[i].after != NOBODY)
      s->node[s->edge[i].after].missing++;
    s->wanted[s->edge[i].vreg] = 0;
  }
  for (uint32_t i = 0; i < s->edges; i++)
    s->wanted[s->edge[i].vreg] += s->edge[i].vreg != 0;
  for (uint32_t i = 0; i < s->count; i++)
    if (!s->node[i].missing)
      set_free(s, i, true);
  bool done[REGION_MOST] = {false};
  for (uint32_t first = 0; s->placed < s->count;) {
    const uint32_t at = choose(s, first, most, late);
    if (at == NOBODY)
      return UINT32_MAX;
    schedule_node(s, at);
    done[at] = true;
    while (first < s->count && done[first])
      first++;
  }
  return s->now;
}

/* If the most urgent instructions go first, they may take the registers that later ones need, and little is in flight
 * then. So it tries several windows and keeps the order that ends first. */
static void place_best(struct schedule *s, uint32_t most) {
  enum { LEAST = 8 };
  uint32_t least = UINT32_MAX;
  bool refused = true;
  for (uint32_t window = s->count; refused && (window == s->count || window >= LEAST); window = window * 3 / 4) {
    const uint32_t time = place_all(s, most, window, least);
    if (least == UINT32_MAX) /* the first window is the whole region, and is enough if nothing was refused */
      refused = s->refused;
    if (time < least) {
      least = time;
      memcpy(s->best, s->order, s->count * sizeof *s->best);
    }
  }
}

/* Schedules `count` instructions into `out`. Returns whether any has a new position. `last`: the block if the region
 * is its end; else NULL. */
static bool schedule_region(struct schedule *s, struct machine_inst *out, const struct machine_inst *inst,
                            uint32_t count, uint32_t most, uint32_t end, const struct machine_block *last) {
  s->inst = inst;
  s->count = count;
  s->end = end;
  s->edges = s->reader_count = 0;
  memset(s->accesses, 0, sizeof s->accesses);
  for (uint32_t i = 0; i < count; i++)
    s->node[i] = (struct node){.latency = latency_of(&inst[i])};
  for (uint32_t i = 0; i < count; i++) {
    order_memory(s, i);
    if (inst[i].op == MACHINE_COPY)
      order_phis(s, &inst[i]);
    s->at = i;
    machine_each(s->m, &inst[i], reads, writes, s);
  }
  if (last)
    order_later_phis(s, last);
  for (s->at = 0; s->at < count; s->at++)
    machine_each(s->m, &inst[s->at], NULL, hold_to_end, s);
  find_heights(s);
  rank(s);
  place_best(s, most);
  bool moved = false;
  for (uint32_t i = 0; i < count; i++) {
    machine_each(s->m, &inst[i], forget, forget, s);
    out[i] = inst[s->best[i]];
    moved |= s->best[i] != i;
  }
  return moved;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

/* Registers that a lane may use without reducing occupancy: the number with which all warps fit anyway. If it needs
 * more, rounds up to the unit in which GPUs allocate registers and adds one unit. */
static uint32_t free_registers(uint32_t needed) {
  enum { FREE = 32, UNIT = 8 };
  return needed > FREE ? (needed + UNIT - 1) / UNIT * UNIT + UNIT : FREE;
}

struct schedule *schedule_new(struct machine_function *m, const struct machine_inst *was) {
  struct schedule *s = need(1, sizeof *s);
  uint32_t most;
  machine_find_live(m);
  s->m = m;
  s->was = was;
  s->pressure = live_pressure(m, VREG_WORD, false, &most);
  s->allowed = free_registers(most) < m->bound[VREG_WORD] ? free_registers(most) : m->bound[VREG_WORD];
  s->range = m->range;
  s->segment = m->segment;
  s->ranged = m->ranged;
  m->range = NULL;
  m->segment = NULL;
  s->writer = need(3 * (size_t)m->vregs, sizeof *s->writer);
  s->readers = s->writer + m->vregs;
  s->wanted = s->readers + m->vregs;
  s->made = need(m->blocks, sizeof *s->made);
  s->changed = need(m->blocks, sizeof *s->changed);
  return s;
}

uint32_t schedule_allowed(const struct schedule *s) { return s->allowed; }

/* Returns whether the block's order differs from the original. */
static bool one_block(struct schedule *s, struct machine_block *block, uint32_t less) {
  enum { LEAST = 3 };
  const struct machine_inst *was = s->was + block->first;
  bool changed = false;
  uint32_t start = 0;
  for (uint32_t at = 0; at <= block->count; at++)
    if (at == block->count || at - start == REGION_MOST || is_fixed(&was[at])) {
      const uint32_t taken = s->pressure[2 * (block->first + start)] + less;
      const uint32_t most = s->allowed > taken + LEAST ? s->allowed - taken : LEAST;
      changed |= at > start + 1 && schedule_region(s, block->inst + start, was + start, at - start, most,
                                                   2 * (block->first + at) - 1, at == block->count ? block : NULL);
      start = at < block->count && is_fixed(&was[at]) ? at + 1 : at;
    }
  return changed;
}

bool schedule_again(struct schedule *s, const uint32_t *less) {
  bool changed = false;
  for (uint32_t i = 0; i < s->m->ordered; i++) {
    const uint32_t at = s->m->order[i];
    if (s->made[at] != less[at] + 1)
      s->changed[at] = one_block(s, &s->m->block[at], less[at]);
    s->made[at] = less[at] + 1;
    changed |= s->changed[at];
  }
  return changed;
}

void schedule_free(struct schedule *s) {
  free(s->range);
  free(s->segment);
  free(s->pressure);
  free(s->made);
  free(s->changed);
  free(s->writer);
  free(s->edge);
  free(s->reader);
  free(s);
}
