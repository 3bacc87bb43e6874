/* Writes nodes to a writer. An operation is held back until the next one says where it leads. */
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/stream.h"
#include "traces/text_nodes.h"
#include "traces/writer.h"

#include <inttypes.h>

enum {
  SPLIT_BYTES = 16 << 20, /* of a batch: much more than a recorder's, and still little memory */
  BEGUN = 1,
  ENDED = 2,
};

/* The operation that is held back, and everything that its pointers refer to. */
struct held {
  struct trace_op op;
  bool there, next_given;
  uint64_t line;
  uint64_t field[TRACE_FIELDS], lane[TRACE_VECTORS][TRACE_LANES];
  struct bytes note, value, text;
};

struct text_run {
  struct trace_writer *writer;
  struct lex lex; /* for messages */
  struct text_resident *residents;
  size_t resident_count, resident_room;
  uint64_t warps;  /* of all residents */
  uint8_t **ended; /* for each launch, a bit per work-group: has ended */
  uint32_t ended_count;
  struct text_group head; /* of the current batch */
  uint32_t group, warp;
  struct text_resident *resident;
  const struct trace_launch *launch;
  struct held held;
  uint64_t turn[TEXT_LOOPS];
  unsigned loops;
};

struct text_run *text_run_new(struct trace_writer *writer, const char *path, struct message *error) {
  struct text_run *run = need(1, sizeof *run);
  run->writer = writer;
  run->lex = (struct lex){.path = path, .error = error};
  return run;
}

static void free_resident(struct text_run *run, struct text_resident *resident) {
  if (resident->streams)
    writer_release(resident->streams);
  free(resident->state);
  free(resident->pc);
  run->warps -= resident->warps;
  *resident = run->residents[--run->resident_count];
}

void text_run_free(struct text_run *run) {
  while (run->resident_count)
    free_resident(run, &run->residents[run->resident_count - 1]);
  for (uint32_t i = 0; i < run->ended_count; i++)
    free(run->ended[i]);
  free(run->residents);
  free(run->ended);
  free(run->held.note.at);
  free(run->held.value.at);
  free(run->held.text.at);
  free(run);
}

/* ---- work-groups ------------------------------------------------------------------------------- */

static struct text_resident *find_resident(const struct text_run *run, uint32_t launch, uint32_t group) {
  for (size_t i = 0; i < run->resident_count; i++)
    if (run->residents[i].group == group && run->residents[i].launch == launch)
      return &run->residents[i];
  return NULL;
}

const struct text_resident *text_run_resident(const struct text_run *run, uint32_t launch, uint32_t group) {
  return find_resident(run, launch, group);
}

/* A bit for each work-group of a launch: has ended. NULL: there is no memory for as many as the file says. */
static uint8_t *ended_of(struct text_run *run, uint32_t launch) {
  if (launch >= run->ended_count) {
    run->ended = need_more(run->ended, launch + 1u, sizeof(uint8_t *));
    while (run->ended_count <= launch)
      run->ended[run->ended_count++] = NULL;
  }
  if (!run->ended[launch])
    run->ended[launch] = calloc(writer_launch(run->writer, launch)->groups / 8u + 1, 1);
  return run->ended[launch];
}

static struct text_resident *new_resident(struct text_run *run, const struct text_group *head, uint32_t group) {
  struct text_resident *resident = vector_next(run->residents, run->resident_count, run->resident_room);
  *resident =
      (struct text_resident){.launch = head->launch, .group = group, .warps = head->warps, .cu = head->cu, .to = 0};
  run->warps += head->warps;
  resident->streams = trace_group_begin(run->writer, head->launch, group, head->warps, head->cu, head->from);
  resident->state = need(head->warps, sizeof *resident->state);
  resident->pc = need(head->warps, sizeof *resident->pc);
  return resident;
}

bool text_run_begin(struct text_run *run, const struct text_group *head, uint32_t group, uint64_t line) {
  struct text_resident *resident = find_resident(run, head->launch, group);
  const uint8_t *ended = ended_of(run, head->launch);
  run->lex.line = line;
  if (!ended)
    return lex_fail(&run->lex, "out of memory");
  if (ended[group / 8] >> group % 8 & 1)
    return lex_fail(&run->lex, "work-group %" PRIu32 " has already ended; legal: `more` where it continues", group);
  if (!resident && run->warps + head->warps > TEXT_WARPS)
    return lex_fail(&run->lex, "more than %d warps of unfinished work-groups", TEXT_WARPS);
  resident = resident ? resident : new_resident(run, head, group);
  if (resident->warps != head->warps || resident->cu != head->cu)
    return lex_fail(&run->lex, "work-group %" PRIu32 " must keep its warps and cu (%" PRIu32 ", %" PRIu32 ")", group,
                    resident->warps, resident->cu);
  run->head = *head;
  run->head.from = head->from_given ? head->from : resident->to;
  if (run->head.to < run->head.from)
    return lex_fail(&run->lex, "field 'to': '%" PRIu64 "' is before 'from'; legal: %" PRIu64 " or more", head->to,
                    run->head.from);
  run->resident = resident;
  run->group = group;
  run->launch = writer_launch(run->writer, head->launch);
  run->loops = 0;
  run->held.there = false;
  return true;
}

static void close_batch(struct text_run *run, bool last) {
  writer_close_batch(run->resident->streams, run->head.from, run->head.to, last);
  run->head.from = run->resident->to = run->head.to;
}

/* ---- operations ----------------------------------------------------------------------------------- */

static bool begin_warp(struct text_run *run, uint32_t warp, uint32_t pc) {
  uint32_t count;
  writer_kinds(run->writer, run->launch->program, &count);
  if (pc >= count)
    return lex_fail(&run->lex,
                    "field 'pc': '%" PRIu32 "' is not an instruction of the program; legal: 0 to %" PRIu32 "", pc,
                    count ? count - 1 : 0);
  trace_warp_begin(run->resident->streams, warp, pc);
  run->resident->state[warp] = BEGUN;
  run->resident->pc[warp] = pc;
  return true;
}

/* Sets the pointers of the notes. Notes, their values and their texts are contiguous, and do not move anymore. */
static void settle_notes(struct held *held) {
  struct trace_note *note = (struct trace_note *)(void *)held->note.at;
  const uint64_t *value = (const uint64_t *)(const void *)held->value.at;
  const char *text = (const char *)held->text.at;
  for (uint32_t i = 0; i < held->op.notes; i++) {
    note[i].value = value;
    note[i].text = text;
    value += note[i].values;
    text += strlen(text) + 1;
  }
  held->op.note = note;
}

/* Writes the held operation, which is now complete: `next` comes from the next operation or from its own line. */
static void put_held(struct text_run *run, uint32_t next) {
  struct held *held = &run->held;
  struct text_resident *resident = run->resident;
  if (!held->there)
    return;
  held->there = false;
  held->op.next = next;
  settle_notes(held);
  writer_encode(resident->streams, run->warp, &held->op);
  resident->pc[run->warp] = next;
  if (held->op.flags & TRACE_DONE)
    resident->state[run->warp] = ENDED;
  if (writer_bytes(resident->streams) >= SPLIT_BYTES)
    close_batch(run, false);
}

/* The warp has no more operations in this batch. */
static void finish_warp(struct text_run *run) {
  const struct held *held = &run->held;
  put_held(run, held->next_given ? held->op.next : held->op.pc + 1);
}

static bool put_before(struct text_run *run, uint32_t pc, uint64_t line) {
  const struct held *held = &run->held;
  if (held->there && held->next_given && held->op.next != pc) {
    run->lex.line = held->line;
    return lex_fail(&run->lex,
                    "field 'next': '%" PRIu32 "' is not the pc of the warp's next operation; legal: %" PRIu32 "",
                    held->op.next, pc);
  }
  put_held(run, pc);
  run->lex.line = line;
  const uint8_t state = run->resident->state[run->warp];
  if (state == ENDED)
    return lex_fail(&run->lex, "warp %" PRIu32 " has already ended, with `done`", run->warp);
  if (!state)
    return begin_warp(run, run->warp, pc);
  return run->resident->pc[run->warp] == pc ||
         lex_fail(&run->lex, "field 'pc': '%" PRIu32 "' is not where the warp's last operation led; legal: %" PRIu32 "",
                  pc, run->resident->pc[run->warp]);
}

static uint64_t value_of(const struct text_run *run, const struct text_value *value) {
  uint64_t sum = value->base + value->warp * run->warp + value->group * run->group;
  for (unsigned i = 0; i < run->loops; i++)
    sum += value->step[i] * run->turn[run->loops - 1 - i];
  return sum;
}

static bool take_vector(struct text_run *run, const struct text_op *op, unsigned number, uint64_t lanes) {
  struct held *held = &run->held;
  const char *name = op->row->vector[number].name;
  const unsigned count = (unsigned)__builtin_popcountll(lanes);
  const uint64_t base = value_of(run, &op->vector[number]);
  if (!op->given[number])
    return lex_fail(&run->lex, "field '%s' is missing, but %u lanes are active", name, count);
  held->op.vector[number] = (struct trace_vector){.base = base, .stride = op->vector[number].lane};
  if (!op->listed[number])
    return true;
  if (op->listed[number] != count)
    return lex_fail(&run->lex, "field '%s': a list of %u values, but it needs one for each active lane; legal: %u",
                    name, op->listed[number], count);
  memset(held->lane[number], 0, sizeof held->lane[number]);
  for (unsigned i = 0; lanes; lanes &= lanes - 1)
    held->lane[number][first_lane(lanes)] = op->list[number][i++];
  held->op.vector[number] = (struct trace_vector){.offset = held->lane[number], .base = base};
  return true;
}

/* Takes fields and vectors of the operation. Fails if its mask does not allow them. */
static bool take_fields(struct text_run *run, const struct text_op *op) {
  struct held *held = &run->held;
  const struct trace_kind_row *row = op->row;
  for (unsigned i = 0; i < row->fields; i++)
    held->field[i] = value_of(run, &op->field[i]);
  held->op.field = held->field;
  for (unsigned i = 0; !op->mask && i < row->fields; i++)
    if (held->field[i])
      return lex_fail(&run->lex, "field '%s': an operation whose mask is 0 cannot have it", row->field[i].name);
  const uint64_t lanes = row->vectors ? trace_lanes(&held->op) : 0;
  for (unsigned i = 0; i < row->vectors; i++) {
    if (!lanes && op->given[i])
      return lex_fail(&run->lex, "field '%s': no lane is active", row->vector[i].name);
    if (lanes && !take_vector(run, op, i, lanes))
      return false;
  }
  return true;
}

static bool run_op(struct text_run *run, const struct text_op *op, uint64_t line) {
  struct held *held = &run->held;
  if (!put_before(run, op->pc, line))
    return false;
  held->op = (struct trace_op){.pc = op->pc, .next = op->next, .mask = op->mask, .flags = op->flags};
  held->line = line;
  held->next_given = op->next_given;
  held->note.size = held->value.size = held->text.size = 0;
  held->there = true;
  return take_fields(run, op);
}

static bool run_note(struct text_run *run, const struct text_note *note, uint64_t line) {
  struct held *held = &run->held;
  const struct trace_note row = {.kind = note->kind, .values = note->values};
  const char *text = note->text ? note->text : "";
  run->lex.line = line;
  if (!held->there)
    return lex_fail(&run->lex, "a note must follow an operation");
  if (held->note.size + held->value.size + held->text.size > TEXT_NOTE_BYTES)
    return lex_fail(&run->lex, "the operation's notes have more than %d bytes", TEXT_NOTE_BYTES);
  held->op.notes++;
  bytes_add(&held->note, &row, sizeof row);
  bytes_reserve(&held->value, 1);
  bytes_add(&held->value, note->value, note->values * sizeof *note->value);
  bytes_add(&held->text, text, strlen(text) + 1);
  return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static bool select_warp(struct text_run *run, const struct text_warp *warp, uint32_t number, uint64_t line) {
  finish_warp(run);
  run->lex.line = line;
  run->warp = number;
  if (!warp->pc_given)
    return true;
  if (!run->resident->state[number])
    return begin_warp(run, number, warp->pc);
  return lex_fail(&run->lex, "field 'pc': warp %" PRIu32 " has already begun", number);
}

static bool run_warps(struct text_run *run, const struct text_node *nodes, uint32_t at) {
  const struct text_node *node = &nodes[at];
  for (uint32_t warp = node->warp.first; warp <= node->warp.last; warp++)
    if (!select_warp(run, &node->warp, warp, node->line) || !text_run_nodes(run, nodes, at + 1, node->end))
      return false;
  return true;
}

static bool run_loop(struct text_run *run, const struct text_node *nodes, uint32_t at) {
  const struct text_node *node = &nodes[at];
  bool good = true;
  uint64_t *turn = &run->turn[run->loops++];
  for (*turn = 0; good && *turn < node->turns && trace_writer_good(run->writer); ++*turn)
    good = text_run_nodes(run, nodes, at + 1, node->end);
  run->loops--;
  return good;
}

bool text_run_nodes(struct text_run *run, const struct text_node *nodes, uint32_t from, uint32_t to) {
  bool good = true;
  for (uint32_t i = from; good && i < to;) {
    const struct text_node *node = &nodes[i];
    switch (node->type) {
    case TEXT_WARP:
      good = run_warps(run, nodes, i);
      break;
    case TEXT_REPEAT:
      good = run_loop(run, nodes, i);
      break;
    case TEXT_OP:
      good = run_op(run, &node->op, node->line);
      break;
    case TEXT_NOTE:
      good = run_note(run, &node->note, node->line);
      break;
    }
    i = node->type == TEXT_WARP || node->type == TEXT_REPEAT ? node->end : i + 1;
  }
  return good;
}

void text_run_end(struct text_run *run) {
  finish_warp(run);
  close_batch(run, !run->head.more);
  if (!run->head.more) {
    run->ended[run->head.launch][run->group / 8] |= (uint8_t)(1u << run->group % 8);
    free_resident(run, run->resident);
  }
  run->resident = NULL;
}
