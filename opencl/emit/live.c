/* When each vreg is live, exactly. The first step works between blocks: from a vreg's reads backward to its writes
 * ("path exploration", Appel and Palsberg, Modern Compiler Implementation, 10.1), for many vregs at once with one bit
 * each, because vregs with neighboring numbers are mostly live in the same blocks. Its result stays valid when
 * instructions move within blocks or other vregs are spilled, so it is computed once per vreg. The second step runs in
 * every round: a walk along a vreg's reads and writes makes sorted, disjoint segments; those of adjacent blocks in the
 * layout merge.
 *
 * A write without a read occupies its register for that one moment, and so does a read without a write. Lanes that are
 * switched off keep their registers, so only each lane's own path through the graph matters. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <stdlib.h>
#include <string.h>

/* Here and below, `at` is the position of a block in machine.order. */
struct event {
  uint32_t time;
  uint32_t at : 31, write : 1;
};

enum { TOGETHER = 64 /* vregs analyzed at once */ };

/* By block: one bit for each of these vregs, live at its end, and written in it. */
struct mark {
  uint64_t lives, written;
  bool waits; /* is on the stack */
};

/* Vregs that are live across blocks. */
struct group {
  uint32_t vreg[TOGETHER], count;
  uint32_t open[TOGETHER];  /* by vreg: the start of its unfinished span */
  uint32_t spans[TOGETHER]; /* by vreg: how many so far */
};

/* A span and the index of its vreg in the group. */
struct part {
  struct span span;
  uint32_t of;
};

struct analysis {
  struct machine_function *m;
  uint32_t *first; /* the events of vreg v, in order: event[first[v] .. first[v + 1]) */
  struct event *event;
  bool counting;        /* the first of two walks over the instructions */
  uint32_t *start;      /* by block: its start time; one more entry for the end of the kernel */
  uint32_t *from_first; /* by block: its first predecessor in `from`; one more entry */
  uint32_t *from;
  struct mark *mark;
  uint32_t *stack, depth; /* blocks to visit */
  uint32_t *found, count; /* blocks with marks */
  struct part *part;
  uint32_t parts;
  size_t part_room;
  uint32_t segments;
};

/* ---- events ------------------------------------------------------------------------------------------- */

static void record_event(struct analysis *a, uint32_t vreg, uint32_t words, uint32_t time, uint32_t at, bool write) {
  for (uint32_t i = 0; i < words; i++)
    if (a->counting)
      a->first[vreg + i + 1]++;
    else
      a->event[a->first[vreg + i]++] = (struct event){time, at & INT32_MAX, write};
}

static void note_copy(struct analysis *a, const struct machine_inst *inst, uint32_t time, uint32_t at) {
  const struct machine_move *move = &a->m->move[inst->list];
  const uint32_t room[2] = {inst->a, inst->b};
  for (uint32_t i = 0; i < 2; i++)
    if (room[i])
      record_event(a, room[i], 1, time, at, true);
  for (uint32_t i = 0; i < inst->count; i++)
    if (move[i].from)
      record_event(a, move[i].from, 1, time, at, false);
  for (uint32_t i = 0; i < inst->count; i++)
    record_event(a, move[i].to, 1, time + 1, at, true);
  for (uint32_t i = 0; i < 2; i++)
    if (room[i])
      record_event(a, room[i], 1, time + 1, at, false);
}

static void note_instruction(struct analysis *a, struct machine_inst *inst, uint32_t time, uint32_t at) {
  struct machine_operand operand[MACHINE_OPERANDS];
  const uint32_t count = machine_operands(a->m, inst, operand);
  for (uint32_t i = 0; i < count; i++)
    if (operand[i].reads)
      record_event(a, *operand[i].vreg, operand[i].words, time, at, false);
  for (uint32_t i = 0; i < count; i++)
    if (operand[i].writes)
      record_event(a, *operand[i].vreg, operand[i].words, time + 1, at, true);
}

static void note_all(struct analysis *a, bool counting) {
  struct machine_function *m = a->m;
  a->counting = counting;
  for (uint32_t at = 0; at < m->ordered; at++) {
    struct machine_block *block = &m->block[m->order[at]];
    uint32_t time = 2 * block->first;
    for (uint32_t k = 0; k < block->count; k++, time += 2)
      if (block->inst[k].op == MACHINE_COPY)
        note_copy(a, &block->inst[k], time, at);
      else
        note_instruction(a, &block->inst[k], time, at);
    if (block->condition)
      record_event(a, block->condition, 1, time, at, false);
  }
}

static void gather_events(struct analysis *a) {
  const uint32_t vregs = a->m->vregs;
  note_all(a, true);
  for (uint32_t v = 0; v < vregs; v++)
    a->first[v + 1] += a->first[v];
  a->event = need(a->first[vregs] + 1u, sizeof *a->event);
  note_all(a, false);
  memmove(a->first + 1, a->first, vregs * sizeof *a->first); /* now each is the next vreg's start */
  a->first[0] = 0;
}

/* ---- the graph ---------------------------------------------------------------------------------------- */

static uint32_t ways(const struct machine_block *block) {
  return block->end == IR_END_IF ? 2 : block->end == IR_END_GOTO ? 1 : 0;
}

/* The predecessors of each block. */
static void find_from(struct analysis *a) {
  struct machine_function *m = a->m;
  uint32_t *place = need(m->blocks, sizeof *place);
  for (uint32_t at = 0; at < m->ordered; at++)
    place[m->order[at]] = at;
  for (int filling = 0; filling < 2; filling++) {
    for (uint32_t at = 0; at < m->ordered; at++) {
      const struct machine_block *block = &m->block[m->order[at]];
      for (uint32_t way = 0; way < ways(block); way++)
        if (filling)
          a->from[a->from_first[place[block->to[way]]]++] = at;
        else
          a->from_first[place[block->to[way]] + 1]++;
    }
    for (uint32_t at = 0; !filling && at < m->ordered; at++)
      a->from_first[at + 1] += a->from_first[at];
  }
  memmove(a->from_first + 1, a->from_first, m->ordered * sizeof *a->from_first);
  a->from_first[0] = 0;
  for (uint32_t at = 0; at < m->ordered; at++)
    m->block[m->order[at]].from_count = a->from_first[at + 1] - a->from_first[at];
  free(place);
}

/* ---- from block to block ------------------------------------------------------------------------------ */

static bool is_written(const struct analysis *a, uint32_t v) {
  for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++)
    if (a->event[i].write)
      return true;
  return false;
}

/* Is event `i` a read that no write in its block precedes? */
static bool is_exposed(const struct analysis *a, uint32_t i, uint32_t v) {
  return !a->event[i].write && (i == a->first[v] || a->event[i - 1].at != a->event[i].at);
}

static bool crosses(const struct analysis *a, uint32_t v) {
  for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++)
    if (is_exposed(a, i, v))
      return is_written(a, v);
  return false;
}

static struct mark *mark_of(struct analysis *a, uint32_t at) {
  struct mark *mark = &a->mark[at];
  if (!(mark->lives | mark->written))
    a->found[a->count++] = at;
  return mark;
}

/* The vregs in `bits` are live at the ends of all predecessors of `at`. */
static void spread(struct analysis *a, uint32_t at, uint64_t bits) {
  for (uint32_t i = a->from_first[at]; i < a->from_first[at + 1]; i++) {
    const uint32_t from = a->from[i];
    if (!(bits & ~a->mark[from].lives))
      continue;
    struct mark *mark = mark_of(a, from);
    mark->lives |= bits;
    if (!mark->waits)
      a->stack[a->depth++] = from;
    mark->waits = true;
  }
}

static void explore(struct analysis *a, const struct group *group) {
  for (uint32_t k = 0; k < group->count; k++)
    for (uint32_t v = group->vreg[k], i = a->first[v]; i < a->first[v + 1]; i++)
      if (a->event[i].write)
        mark_of(a, a->event[i].at)->written |= UINT64_C(1) << k;
  for (uint32_t k = 0; k < group->count; k++)
    for (uint32_t v = group->vreg[k], i = a->first[v]; i < a->first[v + 1]; i++)
      if (is_exposed(a, i, v))
        spread(a, a->event[i].at, UINT64_C(1) << k);
  while (a->depth) {
    const uint32_t at = a->stack[--a->depth];
    a->mark[at].waits = false;
    spread(a, at, a->mark[at].lives & ~a->mark[at].written);
  }
}

static int by_number(const void *x, const void *y) {
  const uint32_t *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

/* If many blocks of a stretch have marks, scanning the stretch is cheaper than sorting them. */
static void sort_found(struct analysis *a) {
  enum { SPARSE = 16 };
  uint32_t low = UINT32_MAX, high = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    low = a->found[i] < low ? a->found[i] : low;
    high = a->found[i] > high ? a->found[i] : high;
  }
  if (a->count && (high - low) / SPARSE > a->count) {
    qsort(a->found, a->count, sizeof *a->found, by_number);
    return;
  }
  a->count = 0;
  for (uint32_t at = low; low != UINT32_MAX && at <= high; at++)
    if (a->mark[at].lives | a->mark[at].written)
      a->found[a->count++] = at;
}

/* Starts spans of some vregs at block `at` and ends spans of others with block `last`. */
static void update_spans(struct analysis *a, struct group *group, uint64_t begin, uint64_t end, uint32_t at,
                         uint32_t last) {
  for (; end; end &= end - 1) {
    const uint32_t k = (uint32_t)__builtin_ctzll(end);
    *vector_next(a->part, a->parts, a->part_room) = (struct part){{group->open[k], last}, k};
    group->spans[k]++;
  }
  for (; begin; begin &= begin - 1)
    group->open[__builtin_ctzll(begin)] = at;
}

/* Turns the marks into spans and clears them. */
static void part(struct analysis *a, struct group *group) {
  uint64_t lives = 0;
  uint32_t last = 0;
  a->parts = 0;
  sort_found(a);
  for (uint32_t i = 0; i < a->count; i++) {
    const uint32_t at = a->found[i];
    const uint64_t now = a->mark[at].lives, stay = at == last + 1 ? lives & now : 0;
    update_spans(a, group, now & ~stay, lives & ~stay, at, last);
    lives = now;
    last = at;
    a->mark[at] = (struct mark){0};
  }
  update_spans(a, group, 0, lives, 0, last);
  a->count = 0;
}

/* Stores the spans of the vregs from `first` up to `end`, some of which are in the group. */
static void store(struct analysis *a, const struct group *group, uint32_t first, uint32_t end) {
  struct machine_function *m = a->m;
  uint32_t next[TOGETHER], k = 0;
  m->span = vector_room(m->span, &m->span_room, m->spans + a->parts, sizeof *m->span);
  for (uint32_t v = first; v < end; v++) {
    if (k < group->count && group->vreg[k] == v) {
      next[k] = m->spans;
      m->spans += group->spans[k++];
    }
    m->span_of[v + 1] = m->spans;
  }
  for (uint32_t i = 0; i < a->parts; i++)
    m->span[next[a->part[i].of]++] = a->part[i].span;
}

/* Finds the spans of vregs that are new since the last time. */
static void find_spans(struct analysis *a) {
  struct machine_function *m = a->m;
  uint32_t edges = 0;
  if (!m->span) /* pointers are formed from it even if there are no spans */
    m->span = need(m->span_room = 1, sizeof *m->span);
  for (uint32_t at = 0; at < m->ordered; at++)
    edges += ways(&m->block[m->order[at]]);
  const size_t ordered = m->ordered;
  uint32_t *room = need(3 * ordered + 1 + (size_t)edges, sizeof *room);
  a->mark = need(ordered, sizeof *a->mark);
  a->found = room;
  a->stack = room + ordered;
  a->from_first = room + 2 * ordered;
  a->from = room + 3 * ordered + 1;
  find_from(a);
  m->span_of = need_more(m->span_of, m->vregs + 1u, sizeof *m->span_of);
  if (!m->spanned)
    m->span_of[0] = m->span_of[1] = 0;
  for (uint32_t v = m->spanned ? m->spanned : 1; v < m->vregs;) {
    const uint32_t first = v;
    struct group group = {.count = 0};
    for (; v < m->vregs && group.count < TOGETHER; v++)
      if (crosses(a, v))
        group.vreg[group.count++] = v;
    explore(a, &group);
    part(a, &group);
    store(a, &group, first, v);
  }
  m->spanned = m->vregs;
  free(a->part);
  free(a->mark);
  free(room);
}

/* ---- segments ----------------------------------------------------------------------------------------- */

static void push(struct live *out, struct segment next) {
  struct segment *last = out->count ? &out->segment[out->count - 1] : NULL;
  if (last && last->end >= next.start && last->same == next.same)
    last->end = last->end > next.end ? last->end : next.end;
  else
    out->segment[out->count++] = next;
}

/* The words of a load arrive together. A word without readers keeps its register until another word of the run is
 * read; otherwise the next load into that register would wait for this one. */
static uint32_t in_flight(const struct analysis *a, uint32_t v, const struct event *write) {
  const uint32_t head = machine_head(a->m, v);
  uint32_t until = UINT32_MAX;
  for (uint32_t w = head; w < head + a->m->vreg[head].words; w++)
    for (uint32_t i = a->first[w]; i < a->first[w + 1]; i++) {
      const struct event *event = &a->event[i];
      if (!event->write && event->at == write->at && event->time > write->time && event->time < until)
        until = event->time;
    }
  return until == UINT32_MAX ? write->time + 1 : until + 1;
}

/* Adds the segments of `v` inside the block of event `i`. `end` is the block's end if `v` is live there, else 0.
 * Returns the next event after the block. */
static uint32_t live_inside(const struct analysis *a, uint32_t v, uint32_t i, uint32_t end, struct live *out) {
  const struct event *event = a->event;
  const uint32_t at = event[i].at, first = i, same = a->m->vreg[v].same;
  uint32_t start = event[i].write ? event[i].time : a->start[at], until = 0;
  for (; i < a->first[v + 1] && event[i].at == at; i++) {
    const bool is_last = i + 1 == a->first[v + 1] || event[i + 1].at != at;
    if (event[i].write && i > first) {
      push(out, (struct segment){start, until, same});
      start = event[i].time;
    }
    if (is_last && end)
      until = end;
    else if (!event[i].write)
      until = event[i].time + 1;
    else if (is_last || event[i + 1].write)
      until = in_flight(a, v, &event[i]);
  }
  push(out, (struct segment){start, until, same});
  return i;
}

/* Adds the segments of `v`: in blocks with events, and in the blocks between them. */
static void live_between(const struct analysis *a, uint32_t v, struct live *out) {
  const struct machine_function *m = a->m;
  const struct span *span = &m->span[m->span_of[v]], *const end = &m->span[m->span_of[v + 1]];
  uint32_t i = a->first[v], done = 0; /* blocks so far */
  for (bool more = true; more;) {
    more = i < a->first[v + 1];
    const uint32_t at = more ? a->event[i].at : m->ordered;
    for (; span < end && span->first < at; span++) {
      const uint32_t low = span->first > done ? span->first : done, high = span->last < at ? span->last + 1 : at;
      if (low < high)
        push(out, (struct segment){a->start[low], a->start[high], m->vreg[v].same});
      if (span->last >= at)
        break;
    }
    if (more)
      i = live_inside(a, v, i, span < end && span->first <= at ? a->start[at + 1] : 0, out);
    done = at + 1;
  }
}

static void find_segments(struct analysis *a, uint32_t v) {
  struct machine_function *m = a->m;
  struct live *out = &m->range[v];
  out->segment = m->segment + a->segments;
  if (is_written(a, v))
    live_between(a, v, out);
  else
    for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++)
      push(out, (struct segment){a->event[i].time, a->event[i].time + 1, m->vreg[v].same});
  a->segments += out->count;
}

uint32_t *live_pressure(const struct machine_function *m, enum vreg_kind kind, bool distinct, uint32_t *most) {
  uint32_t *at = need(m->times + 1u, sizeof *at);
  *most = 0;
  for (uint32_t v = 1; v < m->ranged; v++) {
    const struct live *live = &m->range[v];
    if (m->vreg[v].kind != kind || (distinct && m->vreg[v].same != v))
      continue;
    for (uint32_t i = 0; i < live->count; i++) {
      at[live->segment[i].start]++;
      at[live->segment[i].end]--; /* may wrap; the running sum does not */
    }
  }
  for (uint32_t time = 0, now = 0; time < m->times; time++) {
    now = at[time] += now;
    *most = now > *most ? now : *most;
  }
  return at;
}

void machine_find_live(struct machine_function *m) {
  live_free(m);
  struct analysis a = {.m = m, .first = need(m->vregs + 2u, sizeof *a.first)};
  a.start = need(m->ordered + 1u, sizeof *a.start);
  machine_number(m);
  for (uint32_t at = 0; at < m->ordered; at++)
    a.start[at] = 2 * m->block[m->order[at]].first;
  a.start[m->ordered] = m->times;
  gather_events(&a);
  if (m->spanned < m->vregs)
    find_spans(&a);
  m->ranged = m->vregs;
  m->range = need(m->vregs, sizeof *m->range);
  /* An event starts at most one segment and splits at most one span. */
  m->segment = need(2 * (size_t)a.first[m->vregs] + m->spans + 1, sizeof *m->segment);
  for (uint32_t v = 1; v < m->vregs; v++)
    find_segments(&a, v);
  free(a.first);
  free(a.event);
  free(a.start);
  for (uint32_t kind = 0; kind < VREG_KINDS; kind++)
    free(live_pressure(m, kind, true, &m->least[kind]));
}

/* ---- pairs of live ranges ------------------------------------------------------------------------------ */

/* The first segment that ends after `time`; it is known to be in [low, high]. */
static uint32_t find_between(const struct live *ranges, uint32_t time, uint32_t low, uint32_t high) {
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (ranges->segment[middle].end > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static uint32_t find(const struct live *ranges, uint32_t time) { return find_between(ranges, time, 0, ranges->count); }

/* The same, searched from the last hit in doubling steps. */
static uint32_t find_near(struct live *ranges, uint32_t time) {
  uint32_t low = ranges->near < ranges->count ? ranges->near : ranges->count, high = low, step = 1;
  while (high < ranges->count && ranges->segment[high].end <= time) {
    low = high + 1;
    high = ranges->count - high > step ? high + step : ranges->count;
    step *= 2;
  }
  for (step = 1; low && ranges->segment[low - 1].end > time; step *= 2) {
    high = low - 1;
    low = low > step ? low - step : 0;
  }
  return ranges->near = find_between(ranges, time, low, high);
}

/* Starts with segment `i` of `a`. */
static bool meet_from(const struct live *a, const struct live *b, uint32_t i) {
  uint32_t j = find(b, a->segment[0].start);
  while (i < a->count && j < b->count) {
    const struct segment *x = &a->segment[i], *y = &b->segment[j];
    if (x->start < y->end && y->start < x->end && (x->same != y->same))
      return true;
    if (x->end < y->end)
      i++;
    else
      j++;
  }
  return false;
}

bool live_meet(const struct live *a, const struct live *b) {
  return a->count && b->count && meet_from(a, b, find(a, b->segment[0].start));
}

bool live_meet_near(struct live *a, const struct live *b) {
  return a->count && b->count && meet_from(a, b, find_near(a, b->segment[0].start));
}

static void make_room(struct live *live, uint32_t count) {
  if (count <= live->room)
    return;
  struct segment *old = live->segment;
  live->segment = need_more(live->room ? old : NULL, 2 * (size_t)count, sizeof *old);
  if (!live->room && live->count)
    memcpy(live->segment, old, live->count * sizeof *old);
  live->room = 2 * count;
}

void live_forget(struct live *live) {
  if (live->room)
    free(live->segment);
  *live = (struct live){0};
}

/* Inserts one segment into a long list, in place. */
static void insert(struct live *into, struct segment next) {
  const uint32_t at = find(into, next.start);
  if (at < into->count && into->segment[at].start < next.end) { /* has the same value: grow the segment */
    struct segment *here = &into->segment[at];
    uint32_t behind = at + 1;
    here->start = here->start < next.start ? here->start : next.start;
    here->end = here->end > next.end ? here->end : next.end;
    while (behind < into->count && into->segment[behind].start < here->end) {
      here->end = here->end > into->segment[behind].end ? here->end : into->segment[behind].end;
      behind++;
    }
    memmove(here + 1, into->segment + behind, (into->count - behind) * sizeof *here);
    into->count -= behind - at - 1;
    return;
  }
  make_room(into, into->count + 1);
  memmove(into->segment + at + 1, into->segment + at, (into->count - at) * sizeof *into->segment);
  into->segment[at] = next;
  into->count++;
}

/* Appends segments that come after all existing ones. */
static void append(struct live *into, const struct live *from) {
  make_room(into, into->count + from->count);
  memcpy(into->segment + into->count, from->segment, from->count * sizeof *from->segment);
  into->count += from->count;
}

void live_merge(struct live *into, const struct live *from) {
  if (!from->count)
    return;
  if (!into->count || into->segment[into->count - 1].end <= from->segment[0].start) {
    append(into, from);
  } else if (8 * (size_t)from->count < into->count) {
    for (uint32_t i = 0; i < from->count; i++)
      insert(into, from->segment[i]);
  } else {
    const uint32_t room = into->count + from->count;
    struct live out = {need(room, sizeof *out.segment), 0, room, 0};
    uint32_t i = 0, j = 0;
    while (i < into->count || j < from->count)
      push(&out, j == from->count || (i < into->count && into->segment[i].start <= from->segment[j].start)
                     ? into->segment[i++]
                     : from->segment[j++]);
    live_forget(into);
    *into = out;
  }
}

void live_free(struct machine_function *m) {
  for (uint32_t v = 0; m->range && v < m->ranged; v++)
    live_forget(&m->range[v]);
  for (uint32_t v = 0; m->bundle && v < m->ranged; v++) {
    for (uint32_t i = 0; m->bundle[v].own && i < RUN_MOST; i++)
      live_forget(&m->bundle[v].word[i]);
    if (m->bundle[v].own)
      free(m->bundle[v].word);
  }
  for (uint32_t kind = 0; kind < VREG_KINDS; kind++) {
    for (uint32_t i = 0; m->file[kind] && i < m->bound[kind]; i++)
      live_forget(&m->file[kind][i]);
    free(m->file[kind]);
    m->file[kind] = NULL;
  }
  free(m->range);
  free(m->segment);
  free(m->bundle);
  m->range = NULL;
  m->segment = NULL;
  m->bundle = NULL;
}
