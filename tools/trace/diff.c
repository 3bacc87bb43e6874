#include "tools/trace/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/machine_groups.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/report/report.h"

enum { CONTEXT = TRACE_DIFF_CONTEXT, WHERE = 160, VALUE = 240 };

/* One of the two traces. */
struct side {
  const char *path;
  struct recording opened;
  struct trace_warp *warp;
  struct trace_op op; /* the current operation, if `is` */
  bool is;
};

struct comparison {
  const struct trace_diff *settings;
  const struct sink *sink;
  struct message *message;
  struct side side[2];
  uint64_t found; /* differences of the current kind */
  bool differ, failed;
  struct text text;
  struct {
    uint32_t pc;
    uint64_t mask;
  } before[CONTEXT]; /* operations that both sides have; the last is at (number - 1) % CONTEXT */
};

/* ---- differences ------------------------------------------------------------------------------------ */

/* Differences are counted by kind: machine, buffers, programs, launches, operations. */
static void end_kind(struct comparison *diff, const char *kind) {
  if (diff->found > diff->settings->most)
    text_print(&diff->text, "%s: %" PRIu64 " more; --all shows them\n", kind, diff->found - diff->settings->most);
  diff->found = 0;
}

/* Counts a difference; true: show it. */
static bool shown(struct comparison *diff) {
  diff->differ = true;
  return diff->found++ < diff->settings->most;
}

static bool enough(const struct comparison *diff) { return diff->found >= diff->settings->most || diff->failed; }

static void report(struct comparison *diff, const char *where, const char *what, const char *a, const char *b) {
  if (shown(diff))
    text_print(&diff->text, "%s, %s: %s | %s\n", where, what, a, b);
  diff->failed |= !sink_some(diff->sink, &diff->text, diff->message);
}

static void compare_text(struct comparison *diff, const char *where, const char *what, const char *a, const char *b) {
  if (strcmp(a, b) != 0)
    report(diff, where, what, a, b);
}

static void compare_number(struct comparison *diff, const char *where, const char *what, uint64_t a, uint64_t b) {
  char text[2][VALUE];
  snprintf(text[0], VALUE, "%" PRIu64, a);
  snprintf(text[1], VALUE, "%" PRIu64, b);
  compare_text(diff, where, what, text[0], text[1]);
}

static void compare_triple(struct comparison *diff, const char *where, const char *what, const uint32_t a[3],
                           const uint32_t b[3]) {
  char text[2][VALUE];
  snprintf(text[0], VALUE, "%u x %u x %u", a[0], a[1], a[2]);
  snprintf(text[1], VALUE, "%u x %u x %u", b[0], b[1], b[2]);
  compare_text(diff, where, what, text[0], text[1]);
}

/* ---- machine and buffers ------------------------------------------------------------------------------ */

static const struct job *job_of(const struct comparison *diff, int side) { return &diff->side[side].opened.job; }

static void compare_machines(struct comparison *diff) {
  const struct machine *a = job_of(diff, 0)->machine, *b = job_of(diff, 1)->machine;
  compare_text(diff, "machine", "name", machine_name(a), machine_name(b));
  for (struct machine_param at = {0}; machine_param_next(&at);) {
    char text[2][32];
    param_text(at.group, at.row, a, text[0]);
    param_text(at.group, at.row, b, text[1]);
    compare_text(diff, "machine", at.key, text[0], text[1]);
  }
  compare_number(diff, "run", "cycle limit", diff->side[0].opened.max_cycles, diff->side[1].opened.max_cycles);
  end_kind(diff, "machine");
}

static void buffer_text(const struct isa_memory *memory, size_t i, char text[VALUE]) {
  if (i >= memory->count)
    snprintf(text, VALUE, "(none)");
  else
    snprintf(text, VALUE, "%s, %" PRIu64 " bytes at 0x%" PRIx64, memory->buffers[i].name, memory->buffers[i].bytes,
             memory->buffers[i].base);
}

static void compare_buffers(struct comparison *diff) {
  const struct isa_memory *a = &job_of(diff, 0)->memory, *b = &job_of(diff, 1)->memory;
  for (size_t i = 0; i < a->count || i < b->count; i++) {
    char where[WHERE], text[2][VALUE];
    snprintf(where, sizeof where, "buffer %zu", i + 1);
    buffer_text(a, i, text[0]);
    buffer_text(b, i, text[1]);
    compare_text(diff, where, "what it is", text[0], text[1]);
  }
  compare_number(diff, "run", "pipes", a->pipe_count, b->pipe_count);
  end_kind(diff, "buffers");
}

/* ---- programs ----------------------------------------------------------------------------------------- */

static const struct isa_program *program_of(const struct comparison *diff, int side, uint32_t number) {
  const struct job *job = job_of(diff, side);
  return number ? job->refitted[number - 1] : job->program.isa;
}

static void instruction_text(const struct isa_program *program, uint32_t pc, char text[VALUE]) {
  if (pc < program->count)
    isa_print(program, pc, text, VALUE);
  else
    snprintf(text, VALUE, "(none)");
}

/* Reports only the first differing instruction: after an inserted one, all others differ in place. */
static void compare_program(struct comparison *diff, uint32_t number) {
  const struct isa_program *a = program_of(diff, 0, number), *b = program_of(diff, 1, number);
  char where[WHERE + PROGRAM_PLACE], place[PROGRAM_PLACE], text[2][VALUE];
  snprintf(where, sizeof where, "program %u", number + 1);
  for (uint32_t pc = 0; pc < a->count || pc < b->count; pc++) {
    instruction_text(a, pc, text[0]);
    instruction_text(b, pc, text[1]);
    if (strcmp(text[0], text[1]) == 0)
      continue;
    program_place(pc < a->count ? a : b, pc, place);
    snprintf(where, sizeof where, "program %u, instruction %u, %s", number + 1, pc, place);
    report(diff, where, "instruction", text[0], text[1]);
    return;
  }
}

static void compare_programs(struct comparison *diff) {
  const uint32_t a = trace_programs(diff->side[0].opened.trace), b = trace_programs(diff->side[1].opened.trace);
  compare_number(diff, "run", "programs", a, b);
  for (uint32_t i = 0; i < a && i < b; i++)
    compare_program(diff, i);
  end_kind(diff, "programs");
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static void compare_launches(struct comparison *diff) {
  const struct job *a = job_of(diff, 0), *b = job_of(diff, 1);
  compare_number(diff, "run", "launches", a->launch_count, b->launch_count);
  for (size_t i = 0; i < a->launch_count && i < b->launch_count; i++) {
    const struct isa_launch *one = &a->launches[i].isa, *other = &b->launches[i].isa;
    char where[WHERE];
    snprintf(where, sizeof where, "launch %zu", i + 1);
    compare_text(diff, where, "kernel", one->kernel->name, other->kernel->name);
    compare_triple(diff, where, "work-items", one->global, other->global);
    compare_triple(diff, where, "work-items of a work-group", one->local, other->local);
    compare_triple(diff, where, "offset", one->offset, other->offset);
    compare_number(diff, where, "lanes of a warp", one->warp_size, other->warp_size);
    compare_number(diff, where, "first work-group", one->first_group, other->first_group);
    compare_number(diff, where, "work-groups", isa_launch_groups(one), isa_launch_groups(other));
    compare_number(diff, where, "bytes of LDS", one->lds_bytes, other->lds_bytes);
    compare_number(diff, where, "launches at once", a->launches[i].together, b->launches[i].together);
    compare_number(diff, where, "shift of global memory", a->launches[i].shift, b->launches[i].shift);
  }
  end_kind(diff, "launches");
}

/* ---- operations ---------------------------------------------------------------------------------------- */

/* The place of the operation that differs, and the operations before it. */
struct spot {
  uint32_t launch, group, warp;
  uint64_t number; /* of the operation in its warp */
};

static const struct isa_program *running(const struct comparison *diff, const struct spot *spot) {
  return job_of(diff, 0)->launches[spot->launch].isa.program;
}

static void print_line(struct comparison *diff, const struct spot *spot, uint64_t number, uint32_t pc, uint64_t mask) {
  const struct isa_launch *launch = &job_of(diff, 0)->launches[spot->launch].isa;
  char place[PROGRAM_PLACE], text[VALUE] = "";
  program_place(launch->program, pc, place);
  instruction_text(launch->program, pc, text);
  text_print(&diff->text, "%10" PRIu64 "  %6u  %0*" PRIx64 "  %-20s %s\n", number, pc, (int)(launch->warp_size + 3) / 4,
             mask, place, text);
}

static void report_operation(struct comparison *diff, const struct spot *spot, uint32_t pc, const char *what,
                             const char *a, const char *b) {
  char where[WHERE + PROGRAM_PLACE], place[PROGRAM_PLACE] = "";
  const uint64_t before = spot->number < diff->settings->context ? spot->number : diff->settings->context;
  if (pc < running(diff, spot)->count)
    program_place(running(diff, spot), pc, place);
  snprintf(where, sizeof where, "launch %u, work-group %u, warp %u, operation %" PRIu64 ", pc %u, %s", spot->launch + 1,
           spot->group, spot->warp, spot->number, pc, place);
  const bool show = diff->found < diff->settings->most;
  report(diff, where, what, a, b);
  for (uint64_t i = spot->number - before; show && i < spot->number; i++)
    print_line(diff, spot, i, diff->before[i % CONTEXT].pc, diff->before[i % CONTEXT].mask);
  if (show && pc < running(diff, spot)->count)
    print_line(diff, spot, spot->number, pc, diff->side[0].is ? diff->side[0].op.mask : diff->side[1].op.mask);
}

static bool differ_number(struct comparison *diff, const struct spot *spot, const char *what, const char *format,
                          uint64_t a, uint64_t b) __attribute__((format(printf, 4, 0)));

/* Reports a difference; returns whether there is one. */
static bool differ_number(struct comparison *diff, const struct spot *spot, const char *what, const char *format,
                          uint64_t a, uint64_t b) {
  char text[2][VALUE];
  if (a == b)
    return false;
  snprintf(text[0], VALUE, format, a);
  snprintf(text[1], VALUE, format, b);
  report_operation(diff, spot, diff->side[0].op.pc, what, text[0], text[1]);
  return true;
}

/* The first lane in which vector `i` of the two differs, and its values; false: none. */
static bool other_lane(const struct trace_op *a, const struct trace_op *b, unsigned i, uint32_t lanes, unsigned *lane,
                       uint64_t here[2]) {
  const struct trace_vector *of_a = &a->vector[i], *of_b = &b->vector[i];
  uint64_t value[2][TRACE_LANES];
  if (!of_a->offset && !of_b->offset && of_a->base == of_b->base && of_a->stride == of_b->stride)
    return false;
  trace_spread(of_a, lanes, value[0]);
  trace_spread(of_b, lanes, value[1]);
  for (uint64_t left = trace_lanes(a); left; left &= left - 1) {
    *lane = (unsigned)__builtin_ctzll(left);
    here[0] = value[0][*lane];
    here[1] = value[1][*lane];
    if (here[0] != here[1])
      return true;
  }
  return false;
}

static bool differ_notes(struct comparison *diff, const struct spot *spot) {
  const struct trace_op *a = &diff->side[0].op, *b = &diff->side[1].op;
  if (differ_number(diff, spot, "notes", "%" PRIu64, a->notes, b->notes))
    return true;
  for (uint32_t i = 0; i < a->notes; i++) {
    const struct trace_note *one = &a->note[i], *other = &b->note[i];
    if (one->kind != other->kind) {
      report_operation(diff, spot, a->pc, "kind of a note", trace_note_names[one->kind], trace_note_names[other->kind]);
      return true;
    }
    if (strcmp(one->text, other->text) != 0) {
      char text[2][VALUE];
      snprintf(text[0], VALUE, "'%.200s'", one->text);
      snprintf(text[1], VALUE, "'%.200s'", other->text);
      report_operation(diff, spot, a->pc, trace_note_names[one->kind], text[0], text[1]);
      return true;
    }
    if (differ_number(diff, spot, "values of a note", "%" PRIu64, one->values, other->values))
      return true;
    for (uint32_t v = 0; v < one->values; v++)
      if (differ_number(diff, spot, trace_note_names[one->kind], "%" PRIu64, one->value[v], other->value[v]))
        return true;
  }
  return false;
}

/* Compares the fields that depend on the operation's kind. */
static bool differ_fields(struct comparison *diff, const struct spot *spot) {
  const struct trace_op *a = &diff->side[0].op, *b = &diff->side[1].op;
  const struct trace_kind_row *row = &trace_kind_rows[a->kind];
  if (a->kind != b->kind) {
    report_operation(diff, spot, a->pc, "kind", row->name, trace_kind_rows[b->kind].name);
    return true;
  }
  for (unsigned i = 0; a->mask && i < row->fields; i++)
    if (differ_number(diff, spot, row->field[i].name,
                      strcmp(row->field[i].name, "global") == 0 ? "0x%" PRIx64 : "%" PRIu64, a->field[i], b->field[i]))
      return true;
  for (unsigned i = 0, lane; a->mask && i < row->vectors; i++) {
    char what[64];
    uint64_t here[2];
    if (!other_lane(a, b, i, job_of(diff, 0)->launches[spot->launch].isa.warp_size, &lane, here))
      continue;
    snprintf(what, sizeof what, "%s of lane %u", row->vector[i].name, lane);
    return differ_number(diff, spot, what, "0x%" PRIx64, here[0], here[1]);
  }
  return false;
}

static bool same_vectors(const struct trace_op *a, const struct trace_op *b, uint32_t lanes) {
  uint64_t here[2];
  for (unsigned i = 0, lane; a->mask && i < trace_kind_rows[a->kind].vectors; i++)
    if (other_lane(a, b, i, lanes, &lane, here))
      return false;
  return true;
}

static bool same_notes(const struct trace_op *a, const struct trace_op *b) {
  for (uint32_t i = 0; i < a->notes; i++) {
    const struct trace_note *one = &a->note[i], *other = &b->note[i];
    if (one->kind != other->kind || one->values != other->values || strcmp(one->text, other->text) != 0 ||
        (one->values && memcmp(one->value, other->value, one->values * sizeof *one->value) != 0))
      return false;
  }
  return true;
}

static bool same_operation(const struct trace_op *a, const struct trace_op *b, uint32_t lanes) {
  const unsigned fields = a->mask ? trace_kind_rows[a->kind].fields : 0;
  return a->pc == b->pc && a->next == b->next && a->mask == b->mask && a->flags == b->flags && a->kind == b->kind &&
         a->notes == b->notes && (!fields || memcmp(a->field, b->field, fields * sizeof *a->field) == 0) &&
         same_vectors(a, b, lanes) && (!a->notes || same_notes(a, b));
}

static bool differ_operation(struct comparison *diff, const struct spot *spot) {
  const struct trace_op *a = &diff->side[0].op, *b = &diff->side[1].op;
  return differ_number(diff, spot, "pc", "%" PRIu64, a->pc, b->pc) ||
         differ_number(diff, spot, "mask", "%" PRIx64, a->mask, b->mask) || differ_fields(diff, spot) ||
         differ_number(diff, spot, "flags", "%" PRIu64, a->flags, b->flags) || differ_notes(diff, spot) ||
         differ_number(diff, spot, "next pc", "%" PRIu64, a->next, b->next);
}

/* False if the side's trace could not be read. */
static bool readable(struct comparison *diff, const struct side *side) {
  const struct message *error = trace_failed(side->opened.trace);
  if (error && !diff->failed)
    *diff->message = *error;
  diff->failed |= error != NULL;
  return !error;
}

static bool advance(struct comparison *diff, struct side *side) {
  side->is = trace_decode(side->warp, &side->op);
  return readable(diff, side);
}

/* Compares one warp to its end or its first difference. Returns whether they differ. */
static bool differ_warp(struct comparison *diff, struct spot *spot) {
  struct side *a = &diff->side[0], *b = &diff->side[1];
  const uint32_t lanes = job_of(diff, 0)->launches[spot->launch].isa.warp_size;
  uint32_t pc[2] = {0, 0};
  a->is = trace_warp_start(a->warp, spot->launch, spot->group, spot->warp, &pc[0]);
  b->is = trace_warp_start(b->warp, spot->launch, spot->group, spot->warp, &pc[1]);
  if (!readable(diff, a) || !readable(diff, b))
    return false;
  for (spot->number = 0; a->is && b->is; spot->number++) {
    if (!advance(diff, a) || !advance(diff, b))
      return false;
    if (!a->is || !b->is)
      break;
    if (!same_operation(&a->op, &b->op, lanes) && differ_operation(diff, spot))
      return true;
    diff->before[spot->number % CONTEXT].pc = a->op.pc;
    diff->before[spot->number % CONTEXT].mask = a->op.mask;
  }
  if (a->is == b->is)
    return false;
  const struct side *longer = a->is ? a : b;
  report_operation(diff, spot, spot->number ? longer->op.pc : pc[a->is ? 0 : 1], "operation",
                   a->is ? "there" : "(none)", b->is ? "there" : "(none)");
  return true;
}

static uint32_t warps_of(const struct side *side, const struct spot *spot) {
  uint32_t warps = 0;
  return trace_group_warps(side->opened.trace, spot->launch, spot->group, &warps) ? warps : 0;
}

/* The range of work-groups that either trace may have. */
static void range_of(const struct comparison *diff, uint32_t launch, uint64_t *first, uint64_t *end) {
  *first = UINT64_MAX;
  *end = 0;
  for (int side = 0; side < 2; side++) {
    const struct isa_launch *isa = &job_of(diff, side)->launches[launch].isa;
    const uint64_t last = isa->first_group + isa_launch_groups(isa);
    *first = isa->first_group < *first ? isa->first_group : *first;
    *end = last > *end ? last : *end;
  }
}

static void compare_group(struct comparison *diff, struct spot *spot) {
  const uint32_t a = warps_of(&diff->side[0], spot), b = warps_of(&diff->side[1], spot);
  char where[WHERE];
  if (!readable(diff, &diff->side[0]) || !readable(diff, &diff->side[1]))
    return;
  snprintf(where, sizeof where, "launch %u, work-group %u", spot->launch + 1, spot->group);
  compare_number(diff, where, "warps", a, b);
  for (spot->warp = 0; spot->warp < a && spot->warp < b && !enough(diff); spot->warp++)
    differ_warp(diff, spot);
}

static bool same_piece(const struct trace_piece *a, const struct trace_piece *b, uint32_t lanes) {
  bool same = a->launch == b->launch && a->group == b->group && a->warp == b->warp && a->operations == b->operations;
  for (uint64_t left = a->operations; same && left; left--) {
    struct trace_op of_a, of_b;
    same = trace_decode(a->decoder, &of_a) && trace_decode(b->decoder, &of_b) && same_operation(&of_a, &of_b, lanes);
  }
  return same;
}

/* Whether both traces have the same pieces in the same order. This is the common case of equal traces, and reads each
 * file once. Traces that fail this may still be equal. */
static bool same_in_order(const struct comparison *diff) {
  struct trace_walk *a = trace_walk_new(diff->side[0].opened.trace), *b = trace_walk_new(diff->side[1].opened.trace);
  bool same = true, more = true;
  while (same && more) {
    struct trace_piece of_a = {0}, of_b = {0};
    more = trace_walk_next(a, &of_a);
    same = trace_walk_next(b, &of_b) == more;
    if (same && more)
      same = same_piece(&of_a, &of_b, job_of(diff, 0)->launches[of_a.launch].isa.warp_size);
  }
  trace_walk_free(a);
  trace_walk_free(b);
  return same && !trace_failed(diff->side[0].opened.trace) && !trace_failed(diff->side[1].opened.trace);
}

static uint32_t lanes_of(const struct comparison *diff, int side, uint32_t launch) {
  return job_of(diff, side)->launches[launch].isa.warp_size;
}

/* Whether both have the same number of launches, and the same warp size in each; if not, only the launches are
 * compared. */
static bool comparable(const struct comparison *diff, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; a == b && i < a; i++)
    if (lanes_of(diff, 0, i) != lanes_of(diff, 1, i))
      return false;
  return a == b;
}

static void compare_operations(struct comparison *diff) {
  struct spot spot = {0};
  const uint32_t a = trace_launches(diff->side[0].opened.trace), b = trace_launches(diff->side[1].opened.trace);
  compare_number(diff, "run", "launches that were begun", a, b);
  if (comparable(diff, a, b) && same_in_order(diff))
    return;
  for (; spot.launch < a && spot.launch < b && !enough(diff); spot.launch++) {
    uint64_t first, end;
    range_of(diff, spot.launch, &first, &end);
    if (lanes_of(diff, 0, spot.launch) != lanes_of(diff, 1, spot.launch))
      continue;
    for (uint64_t group = first; group < end && !enough(diff); group++) {
      spot.group = (uint32_t)group;
      compare_group(diff, &spot);
    }
  }
  end_kind(diff, "operations");
}

/* ---- time ----------------------------------------------------------------------------------------------- */

static void compare_batch(struct comparison *diff, const struct trace_batch *a, const struct trace_batch *b) {
  char where[WHERE];
  snprintf(where, sizeof where, "launch %u, work-group %u, batch to cycle %" PRIu64, a->launch + 1, a->group, a->to);
  compare_number(diff, where, "launch", a->launch + 1, b->launch + 1);
  compare_number(diff, where, "work-group", a->group, b->group);
  compare_number(diff, where, "compute unit", a->cu, b->cu);
  compare_number(diff, where, "from cycle", a->from, b->from);
  compare_number(diff, where, "to cycle", a->to, b->to);
  compare_number(diff, where, "operations", a->operations, b->operations);
}

static void compare_time(struct comparison *diff) {
  const uint32_t a = trace_batches(diff->side[0].opened.trace), b = trace_batches(diff->side[1].opened.trace);
  compare_number(diff, "run", "batches", a, b);
  for (uint32_t i = 0; i < a && i < b && !enough(diff); i++) {
    struct trace_batch batch[2];
    for (int side = 0; side < 2 && !diff->failed; side++)
      diff->failed = !trace_batch(diff->side[side].opened.trace, i, &batch[side], diff->message);
    if (!diff->failed)
      compare_batch(diff, &batch[0], &batch[1]);
  }
  end_kind(diff, "time");
}

/* ---- the comparison ------------------------------------------------------------------------------------- */

static bool open_side(struct comparison *diff, struct side *side, const struct caller *caller) {
  if (!trace_look(side->path, diff->settings->mode, caller, &side->opened, diff->message))
    return false;
  side->warp = trace_warp_new(side->opened.trace);
  return true;
}

static bool compare(struct comparison *diff) {
  if (!diff->settings->any_machine)
    compare_machines(diff);
  compare_buffers(diff);
  compare_programs(diff);
  compare_launches(diff);
  compare_operations(diff);
  if (diff->settings->time && !diff->failed)
    compare_time(diff);
  return !diff->failed && sink_text(diff->sink, &diff->text, diff->message);
}

bool trace_diff(const struct trace_diff *settings, const struct sink *sink, const struct caller *caller, bool *differ,
                struct message *message) {
  struct comparison diff = {.settings = settings, .sink = sink, .message = message};
  bool good = true;
  for (int side = 0; side < 2; side++)
    diff.side[side].path = settings->path[side];
  for (int side = 0; good && side < 2; side++)
    good = open_side(&diff, &diff.side[side], caller);
  good = good && compare(&diff);
  for (int side = 0; side < 2; side++) {
    trace_warp_free(diff.side[side].warp);
    recording_close(&diff.side[side].opened);
  }
  free(diff.text.data);
  *differ = diff.differ;
  return good;
}
