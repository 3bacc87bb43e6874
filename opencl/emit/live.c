/* When each vreg lives, exactly: vreg by vreg, from its reads up against the flow to its writes ("path
 * exploration", Appel and Palsberg, Modern Compiler Implementation, 10.1), so that the work is in proportion to
 * the answer. Segments are sorted and disjoint; where layout makes blocks neighbours they run together.
 *
 * A write that nobody reads takes its register for that one moment, and so does a read of what nobody wrote.
 * Lanes that are switched off keep their registers, so that each lane's own path through the graph is all that
 * counts. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, MANY = 128 /* segments, to sort by digits */ };

struct event {
  uint32_t time, block;
  bool write;
};

struct analysis {
  struct machine *m;
  uint32_t *first; /* events of a vreg: event[first[v] .. first[v + 1]) */
  struct event *event;
  bool counting;        /* the first of two walks over the instructions */
  uint32_t *read_in;    /* per block: the last vreg found to live at its start */
  uint32_t *read_out;   /* ditto at its end */
  uint32_t *written;    /* the last vreg found to be written in it, */
  uint32_t *write_time; /* last here */
  uint32_t *stack, depth;
  struct segment *segment; /* of the vreg at hand, not sorted */
  uint32_t segments, segment_room;
  struct segment *other; /* to sort them into */
  uint32_t other_room;
};

/* ---- events ------------------------------------------------------------------------------------------- */

static void note(struct analysis *a, uint32_t vreg, uint32_t words, uint32_t time, uint32_t block, bool write) {
  for (uint32_t i = 0; i < words; i++)
    if (a->counting)
      a->first[vreg + i + 1]++;
    else
      a->event[a->first[vreg + i]++] = (struct event){time, block, write};
}

static void note_copy(struct analysis *a, const struct machine_inst *inst, uint32_t time, uint32_t block) {
  const struct machine_move *move = &a->m->move[inst->list];
  const uint32_t room[2] = {inst->a, inst->b};
  for (uint32_t i = 0; i < 2; i++)
    if (room[i])
      note(a, room[i], 1, time, block, true);
  for (uint32_t i = 0; i < inst->count; i++)
    if (move[i].from)
      note(a, move[i].from, 1, time, block, false);
  for (uint32_t i = 0; i < inst->count; i++)
    note(a, move[i].to, 1, time + 1, block, true);
  for (uint32_t i = 0; i < 2; i++)
    if (room[i])
      note(a, room[i], 1, time + 1, block, false);
}

static void note_instruction(struct analysis *a, struct machine_inst *inst, uint32_t time, uint32_t block) {
  struct machine_operand operand[MACHINE_OPERANDS];
  const uint32_t count = machine_operands(a->m, inst, operand);
  for (uint32_t i = 0; i < count; i++)
    if (operand[i].reads)
      note(a, *operand[i].vreg, operand[i].words, time, block, false);
  for (uint32_t i = 0; i < count; i++)
    if (operand[i].writes)
      note(a, *operand[i].vreg, operand[i].words, time + 1, block, true);
}

static void note_all(struct analysis *a, bool counting) {
  struct machine *m = a->m;
  a->counting = counting;
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    uint32_t time = 2 * block->first;
    for (uint32_t k = 0; k < block->count; k++, time += 2)
      if (block->inst[k].op == MACHINE_COPY)
        note_copy(a, &block->inst[k], time, m->order[i]);
      else
        note_instruction(a, &block->inst[k], time, m->order[i]);
    if (block->condition)
      note(a, block->condition, 1, time, m->order[i], false);
  }
}

static void gather_events(struct analysis *a) {
  const uint32_t vregs = a->m->vregs;
  note_all(a, true);
  for (uint32_t v = 0; v < vregs; v++)
    a->first[v + 1] += a->first[v];
  a->event = need(a->first[vregs] + 1u, sizeof *a->event);
  note_all(a, false);
  memmove(a->first + 1, a->first, vregs * sizeof *a->first); /* each has moved on to the next one's start */
  a->first[0] = 0;
}

/* ---- the graph ---------------------------------------------------------------------------------------- */

static uint32_t ways(const struct machine_block *block) {
  return block->end == IR_END_IF ? 2 : block->end == IR_END_GOTO ? 1 : 0;
}

static void number_blocks(struct machine *m) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    block->first = number;
    number += block->count + 1;
    block->from_count = 0;
  }
  m->times = 2 * number;
  for (uint32_t i = 0; i < m->ordered; i++)
    for (uint32_t w = 0; w < ways(&m->block[m->order[i]]); w++)
      m->block[m->block[m->order[i]].to[w]].from_count++;
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    block->from = need_more(block->from, block->from_count + 1u, sizeof *block->from);
    block->from_count = 0;
  }
  for (uint32_t i = 0; i < m->ordered; i++)
    for (uint32_t w = 0; w < ways(&m->block[m->order[i]]); w++) {
      struct machine_block *to = &m->block[m->block[m->order[i]].to[w]];
      to->from[to->from_count++] = m->order[i];
    }
}

static uint32_t start_of(const struct machine_block *block) { return 2 * block->first; }
static uint32_t end_of(const struct machine_block *block) { return 2 * (block->first + block->count) + 2; }

/* ---- segments ----------------------------------------------------------------------------------------- */

static void add_segment(struct analysis *a, uint32_t start, uint32_t end) {
  if (a->segments == a->segment_room) {
    a->segment_room = a->segment_room ? 2 * a->segment_room : 64;
    a->segment = need_more(a->segment, a->segment_room, sizeof *a->segment);
  }
  a->segment[a->segments++] = (struct segment){start, end, 0};
}

static void live_at_start(struct analysis *a, uint32_t block, uint32_t v) {
  if (a->read_in[block] == v)
    return;
  a->read_in[block] = v;
  for (uint32_t i = 0; i < a->m->block[block].from_count; i++)
    a->stack[a->depth++] = a->m->block[block].from[i];
}

/* The words of a load come together. One that nobody reads keeps its register until another of its run is read, or the
 * next load into that register would wait for this one. */
static uint32_t under_way(const struct analysis *a, uint32_t v, const struct event *write) {
  const uint32_t head = machine_head(a->m, v);
  uint32_t until = UINT32_MAX;
  for (uint32_t w = head; w < head + a->m->vreg[head].words; w++)
    for (uint32_t i = a->first[w]; i < a->first[w + 1]; i++) {
      const struct event *event = &a->event[i];
      if (!event->write && event->block == write->block && event->time > write->time && event->time < until)
        until = event->time;
    }
  return until == UINT32_MAX ? write->time + 1 : until + 1;
}

/* What `v` does inside blocks, from its events in order. */
static void live_inside(struct analysis *a, uint32_t v) {
  uint32_t start = 0, end = 0, at = IR_NOWHERE;
  for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++) {
    const struct event *event = &a->event[i];
    if (event->write || event->block != at) {
      if (at != IR_NOWHERE)
        add_segment(a, start, end);
      start = event->write ? event->time : start_of(&a->m->block[event->block]);
    }
    if (!event->write && event->block != at)
      live_at_start(a, event->block, v);
    at = event->block;
    end = event->write ? under_way(a, v, event) : event->time + 1;
    if (event->write) {
      a->written[at] = v;
      a->write_time[at] = event->time;
    }
  }
  if (at != IR_NOWHERE)
    add_segment(a, start, end);
}

/* What lies between: from the blocks that read it back to those that write it. */
static void live_between(struct analysis *a, uint32_t v) {
  while (a->depth) {
    const uint32_t at = a->stack[--a->depth];
    const struct machine_block *block = &a->m->block[at];
    if (a->read_out[at] == v)
      continue;
    a->read_out[at] = v;
    if (a->written[at] == v) {
      add_segment(a, a->write_time[at], end_of(block));
      continue;
    }
    add_segment(a, start_of(block), end_of(block));
    live_at_start(a, at, v);
  }
}

static bool is_written(const struct analysis *a, uint32_t v) {
  for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++)
    if (a->event[i].write)
      return true;
  return false;
}

static int by_start(const void *x, const void *y) {
  const struct segment *a = x, *b = y;
  return a->start != b->start ? (a->start > b->start) - (a->start < b->start) : (a->end > b->end) - (a->end < b->end);
}

/* By one digit of their start, from `from` to `to`. */
static void sort_digit(const struct segment *from, struct segment *to, uint32_t count, unsigned shift) {
  uint32_t place[DIGITS + 1] = {0};
  for (uint32_t i = 0; i < count; i++)
    place[(from[i].start >> shift) % DIGITS + 1]++;
  for (uint32_t digit = 0; digit < DIGITS; digit++)
    place[digit + 1] += place[digit];
  for (uint32_t i = 0; i < count; i++)
    to[place[(from[i].start >> shift) % DIGITS]++] = from[i];
}

/* A value that lives through a large kernel has a segment for each block: digit by digit that is linear. Of equal
 * starts any order will do, as they are one. */
static void sort_segments(struct analysis *a) {
  if (a->segments < MANY) {
    qsort(a->segment, a->segments, sizeof *a->segment, by_start);
    return;
  }
  if (a->other_room < a->segment_room) {
    a->other_room = a->segment_room;
    a->other = need_more(a->other, a->other_room, sizeof *a->other);
  }
  for (unsigned shift = 0; a->m->times >> shift; shift += DIGIT_BITS) {
    sort_digit(a->segment, a->other, a->segments, shift);
    struct segment *sorted = a->other;
    a->other = a->segment;
    a->segment = sorted;
  }
}

static void store(struct analysis *a, uint32_t v) {
  struct live *out = &a->m->range[v];
  uint32_t count = 0;
  bool sorted = true;
  for (uint32_t i = 1; i < a->segments; i++)
    sorted = sorted && a->segment[i - 1].start <= a->segment[i].start;
  if (!sorted)
    sort_segments(a);
  for (uint32_t i = 0; i < a->segments; i++)
    if (count && a->segment[i].start <= a->segment[count - 1].end) {
      if (a->segment[i].end > a->segment[count - 1].end)
        a->segment[count - 1].end = a->segment[i].end;
    } else {
      a->segment[count++] = a->segment[i];
    }
  out->count = out->room = count;
  out->segment = count ? need(count, sizeof *out->segment) : NULL;
  for (uint32_t i = 0; i < count; i++)
    out->segment[i] = (struct segment){a->segment[i].start, a->segment[i].end, a->m->vreg[v].same};
}

static void explore(struct analysis *a, uint32_t v) {
  a->segments = 0;
  if (is_written(a, v)) {
    live_inside(a, v);
    live_between(a, v);
  } else {
    for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++)
      add_segment(a, a->event[i].time, a->event[i].time + 1);
  }
  store(a, v);
}

void machine_find_live(struct machine *m) {
  live_free(m);
  number_blocks(m);
  uint32_t edges = 1;
  for (uint32_t i = 0; i < m->ordered; i++)
    edges += m->block[m->order[i]].from_count;
  struct analysis a = {.m = m, .first = need(m->vregs + 2u, sizeof *a.first)};
  uint32_t *room = need(4 * (size_t)m->blocks + edges, sizeof *room);
  a.read_in = room;
  a.read_out = room + m->blocks;
  a.written = room + 2 * (size_t)m->blocks;
  a.write_time = room + 3 * (size_t)m->blocks;
  a.stack = room + 4 * (size_t)m->blocks;
  gather_events(&a);
  m->ranged = m->vregs;
  m->range = need(m->vregs, sizeof *m->range);
  m->bundle = need(m->vregs, sizeof *m->bundle);
  for (uint32_t v = 1; v < m->vregs; v++)
    explore(&a, v);
  free(a.first);
  free(a.event);
  free(a.segment);
  free(a.other);
  free(room);
}

/* ---- two at a time ------------------------------------------------------------------------------------ */

/* The first segment that ends after `time`: it is not before `low`, nor after `high`. */
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

/* The same, sought from where the last one was found, in steps that double. */
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

/* From segment `i` of `a` on. */
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

static void push(struct live *out, struct segment next) {
  struct segment *last = out->count ? &out->segment[out->count - 1] : NULL;
  if (last && last->end >= next.start && last->same == next.same)
    last->end = last->end > next.end ? last->end : next.end;
  else
    out->segment[out->count++] = next;
}

/* One segment into a long list, in place. */
static void insert(struct live *into, struct segment next) {
  const uint32_t at = find(into, next.start);
  if (at < into->count && into->segment[at].start < next.end) { /* the same value: grows */
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
  if (into->count == into->room) {
    into->room = into->room ? 2 * into->room : 4;
    into->segment = need_more(into->segment, into->room, sizeof *into->segment);
  }
  memmove(into->segment + at + 1, into->segment + at, (into->count - at) * sizeof *into->segment);
  into->segment[at] = next;
  into->count++;
}

/* What comes behind all there is. */
static void append(struct live *into, const struct live *from) {
  if (into->count + from->count > into->room) {
    into->room = 2 * (into->count + from->count);
    into->segment = need_more(into->segment, into->room, sizeof *into->segment);
  }
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
    free(into->segment);
    *into = out;
  }
}

void live_free(struct machine *m) {
  for (uint32_t v = 0; m->range && v < m->ranged; v++)
    free(m->range[v].segment);
  for (uint32_t v = 0; m->bundle && v < m->ranged; v++) {
    for (uint32_t i = 0; m->bundle[v] && i < RUN_MOST; i++)
      free(m->bundle[v]->word[i].segment);
    free(m->bundle[v]);
  }
  for (uint32_t kind = 0; kind < VREG_KINDS; kind++) {
    for (uint32_t i = 0; m->file[kind] && i < m->bound[kind]; i++)
      free(m->file[kind][i].segment);
    free(m->file[kind]);
    m->file[kind] = NULL;
  }
  free(m->range);
  free(m->bundle);
  m->range = NULL;
  m->bundle = NULL;
}
