#include "sim/replay/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "isa/rows.h"
#include "isa/steering.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

const struct mark_row mark_rows[MARKS] = {
#define MARK(id, name, text) {name, text},
#include "sim/replay/marks.def"
#undef MARK
};

struct noted {
  uint32_t launch, pc;
  enum mark mark;
};

/* For each word of a buffer, who wrote it and who read it in the current launches. */
struct shadow {
  uint64_t base, words;
  uint32_t *writer; /* a work-group, with PLAIN unless all its writes commute; see below */
  uint64_t *reader; /* a work-group in the low half; in the high half the first place that reads it: launch and pc */
};

enum { GRAIN = 4, PLACE = 32, LAUNCH = 24, MOST_LINES = 1 << 20 };

/* Numbers of work-groups increase from launch to launch. The first number of those that run at once (`since`) means
 * several of their work-groups. RACY means that several wrote the word in an order that matters; it stays for later
 * launches. */
#define PLAIN (UINT32_C(1) << 31)
#define RACY UINT32_MAX
#define NO_PLACE UINT32_MAX

struct marks {
  struct noted *noted;
  size_t count, room;
  struct shadow *shadows;
  size_t shadow_count;
  uint32_t since; /* the first number of the current launches */
  uint32_t next;
  uint32_t first[8];     /* for each of them, the number of its first work-group */
  uint32_t launch;       /* number of the first of them */
  uint32_t shared_place; /* their first place that reads what another work-group wrote; NO_PLACE: none */
};

/* ---- results ------------------------------------------------------------------------------------------ */

/* Records a mark unless it is known. Marks of the current launches are at the end of the list. */
static void record_mark(struct marks *marks, uint32_t launch, uint32_t pc, enum mark mark) {
  for (size_t i = marks->count; i && marks->noted[i - 1].launch >= marks->launch; i--)
    if (marks->noted[i - 1].pc == pc && marks->noted[i - 1].launch == launch && marks->noted[i - 1].mark == mark)
      return;
  *vector_next(marks->noted, marks->count, marks->room) = (struct noted){launch, pc, mark};
}

static int in_order(const void *left, const void *right) {
  const struct noted *a = left, *b = right;
  if (a->launch != b->launch)
    return a->launch < b->launch ? -1 : 1;
  if (a->pc != b->pc)
    return a->pc < b->pc ? -1 : 1;
  return (a->mark > b->mark) - (a->mark < b->mark);
}

/* Records the shared place of the launches that have ended. */
static void note_shared(struct marks *marks) {
  if (marks->shared_place != NO_PLACE)
    record_mark(marks, marks->launch + (marks->shared_place >> LAUNCH), marks->shared_place & ((1u << LAUNCH) - 1),
                MARK_SHARED);
  marks->shared_place = NO_PLACE;
}

char *marks_text(struct marks *marks) {
  note_shared(marks);
  char *text = need(48 * marks->count + 1, 1);
  size_t length = 0;
  if (marks->count)
    qsort(marks->noted, marks->count, sizeof *marks->noted, in_order);
  for (size_t i = 0; i < marks->count; i++)
    length += (size_t)sprintf(text + length, "%u %u %s\n", marks->noted[i].launch, marks->noted[i].pc,
                              mark_rows[marks->noted[i].mark].name);
  return text;
}

/* ---- what to check ------------------------------------------------------------------------------------ */

/* Atomic operations that leave the same value in any order. */
static bool commutes(enum isa_op op) {
  const char *name = isa_op_name(op);
  const bool sum = strstr(name, ".add.i") || strstr(name, ".sub.i"),
             logic = strstr(name, ".and.") || strstr(name, ".or.") || strstr(name, ".xor.");
  return sum || logic || strstr(name, ".min.") || strstr(name, ".max.");
}

static uint8_t watch_of(const struct isa_program *program, const struct isa_steering *steering, uint32_t pc) {
  const struct isa_inst *inst = &program->code[pc];
  const struct isa_info *info = &program->info[pc];
  const bool steers = steering->steers[pc];
  const unsigned reads = steers ? WATCH_READS : 0, lds = steering->lds ? WATCH_LDS : 0,
                 global = steering->global ? WATCH_GLOBAL : 0;
  unsigned watch = 0;
  switch ((enum isa_format)isa_rows[inst->op].format) {
  case FORMAT_CLOCK:
    return steers ? WATCH_CLOCK : 0;
  case FORMAT_PIPE_RESERVE:
  case FORMAT_PIPE_NUM:
    return steers ? WATCH_PIPE : 0;
  case FORMAT_ATOMIC_LDS:
  case FORMAT_CAS_LDS:
  case FORMAT_ATOMIC_GLOBAL:
  case FORMAT_CAS_GLOBAL:
    watch = (steers ? WATCH_ATOMIC : 0) | (commutes((enum isa_op)inst->op) ? WATCH_COMMUTE : 0);
    watch |= info->class_ == ISA_CLASS_LDS ? lds : global;
    return (uint8_t)watch;
  case FORMAT_MBARRIER_TEST: /* a try to wait has only one outcome */
    return inst->op == ISA_MBARRIER_TEST && steers ? WATCH_ATOMIC : 0;
  case FORMAT_LOAD_LDS:
    return (uint8_t)(reads ? lds | reads : 0);
  case FORMAT_LOAD_GLOBAL:
    return (uint8_t)(reads ? global | reads : 0);
  case FORMAT_STORE_LDS:
    return (uint8_t)lds;
  case FORMAT_STORE_GLOBAL:
    return (uint8_t)global;
  default:
    break;
  }
  if (info->class_ == ISA_CLASS_BARRIER || info->class_ == ISA_CLASS_WAIT)
    return lds ? WATCH_ORDER : 0;
  if (info->class_ == ISA_CLASS_COPY || info->class_ == ISA_CLASS_COPY_LANE)
    return (uint8_t)(lds | global ? lds | global | reads | WATCH_ORDER : 0);
  return 0;
}

uint8_t *marks_watch(const struct isa_program *program) {
  struct isa_steering steering;
  uint8_t *watch = need(program->count + 1, 1);
  isa_steering_find(program, &steering);
  for (uint32_t pc = 0; pc < program->count; pc++)
    watch[pc] = watch_of(program, &steering, pc);
  free(steering.steers);
  return watch;
}

/* ---- global memory ------------------------------------------------------------------------------------------ */

static struct shadow *shadow_of(struct marks *marks, uint64_t address) {
  for (size_t i = 0; i < marks->shadow_count; i++)
    if (address - marks->shadows[i].base < marks->shadows[i].words * GRAIN)
      return &marks->shadows[i];
  return NULL;
}

/* Checks whether one work-group writes what another reads. The reported place must not depend on their order: it is the
 * first place in the program that reads the word, over all reads. */
static void look_at_word(struct marks *marks, const struct shadow *shadow, uint64_t word) {
  const uint32_t writer = shadow->writer[word], reader = (uint32_t)shadow->reader[word];
  const uint32_t place = (uint32_t)(shadow->reader[word] >> PLACE);
  const bool written = writer == RACY || (writer & ~PLAIN) >= marks->since;
  const bool alone = writer != RACY && (writer & ~PLAIN) == reader && reader != marks->since;
  if (written && reader >= marks->since && !alone && place < marks->shared_place)
    marks->shared_place = place;
}

static void read_word(struct marks *marks, const struct marked_group *group, uint32_t pc, struct shadow *shadow,
                      uint64_t word) {
  const uint32_t before = (uint32_t)shadow->reader[word], own = (group->launch - marks->launch) << LAUNCH | pc;
  uint32_t place = (uint32_t)(shadow->reader[word] >> PLACE), reader = group->id;
  if (before < marks->since || own < place)
    place = own;
  if (before >= marks->since && before != group->id)
    reader = marks->since;
  shadow->reader[word] = (uint64_t)place << PLACE | reader;
  look_at_word(marks, shadow, word);
}

static void write_word(struct marks *marks, const struct marked_group *group, struct shadow *shadow, uint64_t word,
                       bool plain) {
  uint32_t *writer = &shadow->writer[word];
  const uint32_t before = *writer & ~PLAIN, any = *writer & PLAIN || plain ? PLAIN : 0;
  if (*writer != RACY) {
    if (before < marks->since)
      *writer = group->id | (plain ? PLAIN : 0);
    else if (before == group->id)
      *writer = group->id | any;
    else
      *writer = any ? RACY : marks->since;
  }
  look_at_word(marks, shadow, word);
}

static void touch_global(struct marks *marks, const struct marked_group *group, uint32_t pc, uint8_t watch, bool write,
                         uint64_t address, uint64_t bytes) {
  for (uint64_t at = address & ~(uint64_t)(GRAIN - 1); at < address + bytes;) {
    struct shadow *shadow = shadow_of(marks, at);
    if (!shadow)
      return;
    const uint64_t end = shadow->base + shadow->words * GRAIN;
    for (; at < address + bytes && at < end; at += GRAIN)
      if (write)
        write_word(marks, group, shadow, (at - shadow->base) / GRAIN, !(watch & WATCH_COMMUTE));
      else
        read_word(marks, group, pc, shadow, (at - shadow->base) / GRAIN);
  }
}

/* ---- the LDS --------------------------------------------------------------------------------------------------- */

/* An entry of the LDS shadow has the work-group's serial number; what orders it (number of barriers passed, or a copy's
 * event); and who: a warp, with COMMUTED if all its operations commute; SUM, several warps with operations that
 * commute; COPY; or MANY. */
enum { WHO = 8, WHEN = 24, COMMUTED = 64, SUM = 253, COPY = 254, MANY = 255 };
static uint64_t entry(const struct marked_group *group, uint32_t when, uint32_t who) {
  return group->serial << (WHO + WHEN) | (uint64_t)(when & ((1u << WHEN) - 1)) << WHO | who;
}
static uint32_t who_of(uint64_t word) { return word & ((1u << WHO) - 1); }
static uint32_t when_of(uint64_t word) { return word >> WHO & ((1u << WHEN) - 1); }
static bool of_group(uint64_t word, const struct marked_group *group) { return word >> (WHO + WHEN) == group->serial; }

static bool has_waited(const struct marked_warp *warp, uint32_t event) {
  return warp->waited[event % MARK_COPIES] >= event;
}

static bool is_warp(uint32_t who, const struct marked_warp *warp) { return (who & ~(uint32_t)COMMUTED) == warp->index; }

static uint32_t time_of(const struct marked_warp *warp) { return warp->barriers & ((1u << WHEN) - 1); }

static void read_place(struct marks *marks, struct marked_lds *lds, const struct marked_group *group,
                       const struct marked_warp *warp, uint32_t pc, uint32_t place) {
  const uint64_t writer = lds->writer[place];
  uint64_t *reader = &lds->reader[place];
  const uint32_t who = who_of(writer), now = time_of(warp);
  if (!of_group(writer, group) || who == MANY || (who != COPY && when_of(writer) == now && !is_warp(who, warp)) ||
      (who == COPY && !has_waited(warp, when_of(writer))))
    record_mark(marks, group->launch, pc, MARK_LOCAL);
  const bool others = of_group(*reader, group) && when_of(*reader) == now && who_of(*reader) != warp->index;
  *reader = entry(group, now, others ? MANY : warp->index);
}

/* The `who` of a word after a write by the warp. */
static uint32_t writer_with(uint64_t before, const struct marked_group *group, const struct marked_warp *warp,
                            bool commutes_) {
  const uint32_t who = who_of(before), own = warp->index | (commutes_ ? COMMUTED : 0);
  if (!of_group(before, group))
    return commutes_ ? MANY : own; /* the operation adds to a value that this work-group did not write */
  if (who == COPY || when_of(before) != time_of(warp))
    return own;
  if (is_warp(who, warp))
    return own & who;
  return commutes_ && (who == SUM || (who < SUM && who & COMMUTED)) ? SUM : MANY;
}

static void write_place(struct marks *marks, struct marked_lds *lds, const struct marked_group *group,
                        const struct marked_warp *warp, uint32_t pc, uint8_t watch, uint32_t place) {
  const uint64_t reader = lds->reader[place];
  if (of_group(reader, group) && when_of(reader) == time_of(warp) && who_of(reader) != warp->index)
    record_mark(marks, group->launch, pc, MARK_LOCAL);
  lds->writer[place] = entry(group, time_of(warp), writer_with(lds->writer[place], group, warp, watch & WATCH_COMMUTE));
}

static void touch_lds(struct marks *marks, struct marked_lds *lds, const struct marked_group *group,
                      const struct marked_warp *warp, uint32_t pc, uint8_t watch, bool write, uint64_t address,
                      uint32_t bytes) {
  if (address + bytes > lds->bytes)
    return;
  for (uint64_t at = address / GRAIN; at * GRAIN < address + bytes; at++)
    if (write)
      write_place(marks, lds, group, warp, pc, watch, (uint32_t)at);
    else
      read_place(marks, lds, group, warp, pc, (uint32_t)at);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* The number of lines to check. In a copy with more, lines overlap or lie outside memory. */
static uint64_t lines_of_copy(const struct isa_copy *copy) {
  const uint64_t lines = copy->element_bytes ? (uint64_t)copy->global.lines * copy->global.planes : 0;
  return lines < MOST_LINES ? lines : MOST_LINES;
}

/* Touches every line of the copy's global side. */
static void walk_global(struct marks *marks, const struct marked_group *group, uint32_t pc, uint8_t watch,
                        const struct isa_copy *copy) {
  const struct rect *side = &copy->global;
  for (uint64_t i = 0; i < lines_of_copy(copy); i++)
    touch_global(marks, group, pc, watch, !copy->to_lds, rect_line(side, i / side->lines, i % side->lines),
                 side->bytes);
}

static void walk_lds(struct marked_lds *lds, const struct marked_group *group, uint32_t base,
                     const struct isa_copy *copy) {
  const struct rect *side = &copy->lds;
  for (uint64_t i = 0; i < lines_of_copy(copy); i++) {
    const uint64_t at = base + rect_line(side, i / side->lines, i % side->lines);
    if (at + side->bytes > lds->bytes)
      return;
    for (uint64_t place = at / GRAIN; place * GRAIN < at + side->bytes; place++)
      lds->writer[place] = entry(group, copy->event, COPY);
  }
}

/* A copy begins when all warps have reached it. */
static void step_copy(struct marks *marks, struct marked_lds *lds, struct marked_group *group, struct marked_warp *warp,
                      const struct isa_group *shape, uint8_t watch, const struct isa_result *result) {
  uint8_t *arrived = &group->arrived[warp->copies++ % MARK_COPIES];
  if (++*arrived < group->warps)
    return;
  *arrived = 0;
  if (watch & WATCH_GLOBAL && (watch & WATCH_READS || !result->copy.to_lds))
    walk_global(marks, group, result->pc, watch, &result->copy);
  if (watch & WATCH_LDS && result->copy.to_lds && lds->writer)
    walk_lds(lds, group, shape->lds_base, &result->copy);
}

static void step_wait(struct marked_warp *warp, const struct isa_wait *wait) {
  for (uint32_t i = 0; i < wait->count; i++)
    if (warp->waited[wait->event[i] % MARK_COPIES] < wait->event[i])
      warp->waited[wait->event[i] % MARK_COPIES] = wait->event[i];
}

/* ---- steps ---------------------------------------------------------------------------------------------------------
 */

static void step_access(struct marks *marks, struct marked_lds *lds, const struct marked_group *group,
                        const struct marked_warp *warp, const struct isa_info *info, uint8_t watch,
                        const struct isa_access *access) {
  const bool atomic = info->atomic, write = info->store || atomic, local = info->class_ == ISA_CLASS_LDS;
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint64_t address = access->address[__builtin_ctzll(left)];
    if (local && lds->writer)
      touch_lds(marks, lds, group, warp, access->pc, watch, write, address, access->bytes);
    else if (!local)
      touch_global(marks, group, access->pc, watch, write, address, access->bytes);
  }
}

static void step_lane_copy(struct marks *marks, struct marked_lds *lds, const struct marked_group *group,
                           const struct marked_warp *warp, uint8_t watch, const struct isa_access *access) {
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const unsigned lane = (unsigned)__builtin_ctzll(left);
    if (watch & WATCH_GLOBAL && watch & WATCH_READS)
      touch_global(marks, group, access->pc, watch, false, access->address[lane], access->bytes);
    if (watch & WATCH_LDS && lds->writer)
      touch_lds(marks, lds, group, warp, access->pc, watch, true, access->lds[lane], access->bytes);
  }
}

void marks_step(struct marks *marks, struct marked_lds *lds, struct marked_group *group, struct marked_warp *warp,
                const struct isa_group *shape, uint8_t watch, const struct isa_access *access,
                const struct isa_result *result) {
  const struct isa_info *info = &shape->launch->program->info[result->pc];
  if (!result->mask)
    return;
  for (unsigned mark = MARK_CLOCK; mark <= MARK_PIPE; mark++)
    if (watch & 1u << mark)
      record_mark(marks, group->launch, result->pc, (enum mark)mark);
  if (info->class_ == ISA_CLASS_COPY)
    step_copy(marks, lds, group, warp, shape, watch, result);
  else if (info->class_ == ISA_CLASS_COPY_LANE)
    step_lane_copy(marks, lds, group, warp, watch, access);
  else if (info->class_ == ISA_CLASS_WAIT)
    step_wait(warp, &result->wait);
  else if (info->class_ == ISA_CLASS_BARRIER)
    warp->barriers++;
  else if (watch & (WATCH_GLOBAL | WATCH_LDS))
    step_access(marks, lds, group, warp, info, watch, access);
}

/* ---- launches, work-groups, warps ----------------------------------------------------------------------- */

static bool watches(const struct isa_program *program, const uint8_t *watch, unsigned what) {
  for (uint32_t pc = 0; pc < program->count; pc++)
    if (watch[pc] & what)
      return true;
  return false;
}

static size_t words_of(const struct isa_buffer *buffer) { return need_size((buffer->bytes + GRAIN - 1) / GRAIN); }

static bool shadows_fit(const struct marks *marks, const struct isa_memory *memory) {
  bool fit = marks->shadow_count == memory->count;
  for (size_t i = 0; fit && i < memory->count; i++)
    fit = marks->shadows[i].base == memory->buffers[i].base && marks->shadows[i].words == words_of(&memory->buffers[i]);
  return fit;
}

/* Keeps the shadow of a buffer that existed before, or creates one. */
static struct shadow take_shadow(struct marks *marks, const struct isa_buffer *buffer) {
  const size_t words = words_of(buffer);
  for (size_t i = 0; i < marks->shadow_count; i++)
    if (marks->shadows[i].base == buffer->base && marks->shadows[i].words == words) {
      const struct shadow shadow = marks->shadows[i];
      marks->shadows[i].words = 0;
      return shadow;
    }
  return (struct shadow){buffer->base, words, need(words, sizeof(uint32_t)), need(words, sizeof(uint64_t))};
}

static void free_shadows(struct marks *marks) {
  for (size_t i = 0; i < marks->shadow_count; i++)
    if (marks->shadows[i].words) {
      free(marks->shadows[i].writer);
      free(marks->shadows[i].reader);
    }
  free(marks->shadows);
}

/* The buffers may differ from those of an earlier run. */
static void make_shadows(struct marks *marks, const struct isa_memory *memory) {
  if (!memory || shadows_fit(marks, memory))
    return;
  struct shadow *shadows = need(memory->count + 1, sizeof *shadows);
  for (size_t i = 0; i < memory->count; i++)
    shadows[i] = take_shadow(marks, &memory->buffers[i]);
  free_shadows(marks);
  marks->shadows = shadows;
  marks->shadow_count = memory->count;
}

static void forget(struct marks *marks) {
  for (size_t i = 0; i < marks->shadow_count; i++) {
    struct shadow *shadow = &marks->shadows[i];
    memset(shadow->writer, 0, (size_t)shadow->words * sizeof *shadow->writer);
    memset(shadow->reader, 0, (size_t)shadow->words * sizeof *shadow->reader);
  }
}

void marks_lds(struct marked_lds *lds, const struct isa_program *program, const uint8_t *watch, uint32_t bytes) {
  if (lds->writer || !watches(program, watch, WATCH_LDS))
    return;
  lds->bytes = bytes;
  lds->writer = need(bytes / GRAIN + 1, sizeof *lds->writer);
  lds->reader = need(bytes / GRAIN + 1, sizeof *lds->reader);
}

void marks_launch(struct marks *marks, uint32_t first, const struct isa_launch *launches, size_t count,
                  const uint8_t *const *watched) {
  uint64_t groups = 1;
  note_shared(marks);
  marks->launch = first;
  for (size_t i = 0; i < count; i++)
    groups += (uint64_t)launches[i].groups[0] * launches[i].groups[1] * launches[i].groups[2];
  if (marks->next + groups >= PLAIN) { /* numbers start again */
    forget(marks);
    marks->next = 1;
  }
  marks->since = marks->next;
  for (size_t i = 0; i < count; i++) {
    marks->first[i] = marks->next + 1;
    marks->next += launches[i].groups[0] * launches[i].groups[1] * launches[i].groups[2];
    if (watches(launches[i].program, watched[i], WATCH_GLOBAL))
      make_shadows(marks, launches[i].memory);
  }
  marks->next++;
}

void marks_group(struct marks *marks, struct marked_lds *lds, struct marked_group *group, uint32_t launch,
                 uint32_t number, uint32_t linear, uint32_t warps) {
  *group = (struct marked_group){
      .launch = launch, .id = marks->first[number] + linear, .serial = ++lds->serials, .warps = warps};
}

void marks_warp(struct marked_warp *warp, uint32_t index) { *warp = (struct marked_warp){.index = index}; }

struct marks *marks_new(void) {
  struct marks *marks = need(1, sizeof *marks);
  marks->next = 1;
  marks->shared_place = NO_PLACE;
  return marks;
}

void marks_free(struct marks *marks) {
  free_shadows(marks);
  free(marks->noted);
  free(marks);
}
