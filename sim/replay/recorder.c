#include "sim/replay/recorder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"
#include "models/executor.h"
#include "models/machine.h"
#include "models/result.h"
#include "models/source_filter.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/replay/kinds.h"
#include "sim/replay/marks.h"

/* An operation on its way to the trace, with the data that its pointers refer to. */
struct operation {
  struct trace_op op;
  uint64_t field[TRACE_FIELDS];
  uint64_t lane[TRACE_VECTORS][TRACE_LANES]; /* values that are not in the access itself */
  struct trace_note *note;
  uint64_t (*value)[TRACE_NOTE_VALUES];
  char **text;
  uint32_t notes, room;
};

/* An operation that waits for its outcome, or for an earlier one. */
struct kept {
  struct kept *next;
  const struct isa_access *awaited; /* NULL: complete */
  struct operation operation;
};

struct recorded_warp {
  uint32_t group; /* slot */
  uint32_t index;
  struct kept *first, **last; /* held-back operations, in order */
  struct marked_warp marked;
};

struct recorded_group {
  struct trace_group *group;
  const struct isa_group *shape;
  const uint8_t *kinds, *watch; /* of the group's program */
  uint32_t left;                /* warps that have not ended */
  struct marked_group marked;
};

/* The recorder's part of a compute unit. */
struct unit {
  struct source_filter filter;
  struct recorder *recorder;
  const uint8_t *kinds[RESULT_TOGETHER], *watch[RESULT_TOGETHER]; /* of their programs */
  struct marked_lds lds;
  uint32_t lds_bytes;
  struct recorded_warp *warps;
  uint32_t warp_count;
  struct recorded_group *groups;
  cycle_t now;   /* cycle of the last step */
  bool stepping; /* reports now belong to the current operation */
  struct operation operation;
};

/* Programs are identified by their contents: another run may have the same program at another address. */
struct recorded_program {
  const struct isa_program *now; /* its address in this run; NULL: not used yet */
  uint8_t *object;               /* the object file in the trace */
  size_t size;
  uint8_t *kinds, *watch;
};

struct recorder {
  struct trace_writer *writer;
  struct marks *marks;
  struct source_filters filters;
  struct recorded_program *programs;
  uint32_t program_count;
  size_t program_room;
};

/* ---- programs and launches ---------------------------------------------------------------------- */

static char *base_of(char *path) {
  char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Encodes the program as an object file, without the folders of its files. The caller frees it. */
static uint8_t *encode_object(const struct isa_program *program, size_t *size) {
  struct isa_program copy = *program;
  struct isa_source *sources = need(program->source_count + 1, sizeof *sources);
  copy.file = base_of(program->file);
  copy.sources = sources;
  for (uint32_t i = 0; i < program->source_count; i++) {
    sources[i] = program->sources[i];
    sources[i].name = base_of(sources[i].name);
  }
  uint8_t *bytes = isa_encode(&copy, size);
  free(sources);
  return bytes;
}

static void write_object(struct trace_writer *writer, const uint8_t *object, size_t size, uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "program%u", number);
  trace_write_meta(writer, name, object, size);
}

void recorder_write_program(struct trace_writer *writer, const struct isa_program *program, const uint8_t *kinds,
                            uint32_t number) {
  size_t size = 0;
  if (kinds)
    trace_write_program(writer, kinds, program->count);
  uint8_t *object = encode_object(program, &size);
  write_object(writer, object, size, number);
  free(object);
}

/* The number of the program with this object file, which it takes over. A new program is written. */
static uint32_t number_of_object(struct recorder *recorder, const struct isa_program *program, uint8_t *object,
                                 size_t size) {
  uint32_t number = 0;
  for (; number < recorder->program_count; number++) {
    const struct recorded_program *known = &recorder->programs[number];
    if (known->size == size && memcmp(known->object, object, size) == 0) {
      free(object);
      return number;
    }
  }
  *vector_next(recorder->programs, recorder->program_count, recorder->program_room) = (struct recorded_program){
      .object = object, .size = size, .kinds = replay_kinds(program), .watch = marks_watch(program)};
  trace_write_program(recorder->writer, recorder->programs[number].kinds, program->count);
  write_object(recorder->writer, object, size, number);
  return number;
}

static uint32_t number_of_program(struct recorder *recorder, const struct isa_program *program) {
  size_t size = 0;
  for (uint32_t number = 0; number < recorder->program_count; number++)
    if (recorder->programs[number].now == program)
      return number;
  uint8_t *object = encode_object(program, &size);
  const uint32_t number = number_of_object(recorder, program, object, size);
  recorder->programs[number].now = program;
  return number;
}

void recorder_write_launch(struct trace_writer *writer, const struct isa_launch *launch, uint32_t program) {
  const uint64_t items = (uint64_t)launch->local[0] * launch->local[1] * launch->local[2];
  const struct trace_launch row = {.program = program,
                                   .lanes = launch->warp_size,
                                   .groups = launch->groups[0] * launch->groups[1] * launch->groups[2],
                                   .warps = (uint32_t)((items + launch->warp_size - 1) / launch->warp_size)};
  trace_write_launch(writer, &row);
}

/* ---- notes --------------------------------------------------------------------------------------- */

static uint64_t *add_note(struct operation *operation, enum trace_note_kind kind, uint32_t values, const char *text,
                          size_t length) {
  if (operation->notes == operation->room) {
    operation->room = 2 * operation->room + 4;
    operation->note = need_more(operation->note, operation->room, sizeof *operation->note);
    operation->value = need_more(operation->value, operation->room, sizeof *operation->value);
    operation->text = need_more(operation->text, operation->room, sizeof *operation->text);
  }
  const uint32_t number = operation->notes++;
  operation->note[number] = (struct trace_note){.kind = kind, .values = values};
  operation->text[number] = length ? need(length + 1, 1) : NULL;
  if (length)
    memcpy(operation->text[number], text, length);
  return operation->value[number];
}

static void forget_notes(struct operation *operation) {
  while (operation->notes)
    free(operation->text[--operation->notes]);
}

static void free_operation(struct operation *operation) {
  forget_notes(operation);
  free(operation->note);
  free(operation->value);
  free(operation->text);
}

static void note_hazard(void *self, const struct isa_launch *launch, const struct isa_hazard *hazard) {
  struct unit *unit = self;
  if (unit->stepping) {
    const uint64_t values[] = {hazard->rule,     hazard->pc,       hazard->group[0],
                               hazard->group[1], hazard->group[2], hazard->item};
    uint64_t *value = add_note(&unit->operation, TRACE_NOTE_HAZARD, sizeof values / sizeof *values, hazard->detail,
                               strlen(hazard->detail));
    memcpy(value, values, sizeof values);
  }
  source_filter_report(launch, hazard);
}

/* The text of a note ends at a zero byte, which output may contain. Then another note continues after it. */
static void note_print(void *self, const struct isa_launch *launch, const struct isa_group *group, uint32_t item,
                       const char *text, size_t length) {
  struct unit *unit = self;
  enum { PIECE = 1024 };
  for (size_t at = 0; at < length;) {
    const size_t room = length - at < PIECE ? length - at : PIECE, piece = strnlen(text + at, room);
    const bool zero = piece < room;
    uint64_t *value = add_note(&unit->operation, TRACE_NOTE_PRINT, 3, text + at, piece);
    at += piece + zero;
    value[0] = item;
    value[1] = zero;
    value[2] = at < length;
  }
  source_filter_print(launch, group, item, text, length);
}

/* ---- operations ------------------------------------------------------------------------------------ */

/* Makes the pointers of an operation refer to its own data. */
static void point_to_own(struct operation *operation) {
  for (uint32_t i = 0; i < operation->notes; i++) {
    operation->note[i].value = operation->value[i];
    operation->note[i].text = operation->text[i];
  }
  operation->op.note = operation->note;
  operation->op.notes = operation->notes;
  operation->op.field = operation->field;
}

/* Stores a vector of 32-bit numbers. */
static void take_words(struct operation *operation, unsigned vector, const uint32_t *word, uint32_t lanes) {
  for (uint32_t lane = 0; lane < lanes; lane++)
    operation->lane[vector][lane] = word[lane];
  operation->op.vector[vector] = (struct trace_vector){.offset = operation->lane[vector]};
}

static uint64_t pair_of(const struct isa_warp *warp, uint8_t reg, uint32_t lane, uint32_t lanes) {
  const uint32_t *row = warp->reg + (size_t)reg * lanes + lane;
  return (uint64_t)row[lanes] << 32 | row[0];
}

/* Stores the operands of pipe.slot before the step, which may overwrite them. */
static void take_slots(struct operation *operation, const struct isa_warp *warp, const struct isa_inst *inst,
                       uint32_t lanes) {
  for (uint32_t lane = 0; lane < lanes; lane++) {
    operation->lane[TRACE_PIPE_SLOT_ID][lane] = pair_of(warp, inst->b, lane, lanes);
    operation->lane[TRACE_PIPE_SLOT_INDEX][lane] =
        inst->flags & ISA_FLAG_IMM_C ? (uint32_t)inst->imm : warp->reg[(size_t)inst->c * lanes + lane];
  }
  operation->op.vector[TRACE_PIPE_SLOT_ID] = (struct trace_vector){.offset = operation->lane[TRACE_PIPE_SLOT_ID]};
  operation->op.vector[TRACE_PIPE_SLOT_INDEX] = (struct trace_vector){.offset = operation->lane[TRACE_PIPE_SLOT_INDEX]};
}

/* Stores which lanes got no packet, that is, address 0. */
static void leave_out_slots(struct operation *operation, const struct isa_warp *warp, const struct isa_inst *inst,
                            uint32_t lanes) {
  operation->field[TRACE_PIPE_SLOT_LEFT_OUT] = 0;
  for (uint64_t left = operation->op.mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    if (!pair_of(warp, inst->d, lane, lanes))
      operation->field[TRACE_PIPE_SLOT_LEFT_OUT] |= UINT64_C(1) << lane;
  }
}

/* ---- held-back operations -------------------------------------------------------------------------- */

static void encode(struct unit *unit, const struct recorded_warp *warp, struct operation *operation) {
  struct recorded_group *group = &unit->groups[warp->group];
  point_to_own(operation);
  trace_encode(group->group, warp->index, unit->now, &operation->op);
  if (operation->op.flags & TRACE_DONE && !--group->left)
    trace_group_end(group->group, unit->now);
}

/* Holds the current operation back: copies its data and takes over its notes. */
static void hold_back(struct unit *unit, struct recorded_warp *warp, const struct isa_access *awaited, uint32_t lanes) {
  struct kept *kept = need(1, sizeof *kept);
  kept->operation = unit->operation;
  kept->awaited = awaited;
  for (unsigned i = 0; i < TRACE_VECTORS; i++) {
    struct trace_vector *vector = &kept->operation.op.vector[i];
    if (!vector->offset)
      continue;
    if (vector->offset != unit->operation.lane[i])
      memcpy(kept->operation.lane[i], vector->offset, lanes * sizeof(uint64_t));
    vector->offset = kept->operation.lane[i];
  }
  unit->operation.note = NULL;
  unit->operation.value = NULL;
  unit->operation.text = NULL;
  unit->operation.notes = unit->operation.room = 0;
  *warp->last = kept;
  warp->last = &kept->next;
}

/* Writes operations until one that still waits; with `all`, at the end of the launch, writes all. */
static void write_kept(struct unit *unit, struct recorded_warp *warp, bool all) {
  struct kept *kept;
  while ((kept = warp->first) && (all || !kept->awaited)) {
    warp->first = kept->next;
    if (!warp->first)
      warp->last = &warp->first;
    encode(unit, warp, &kept->operation);
    free_operation(&kept->operation);
    free(kept);
  }
}

static void write_all_kept(struct unit *unit) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++)
    if (unit->warps[slot].first)
      write_kept(unit, &unit->warps[slot], true);
}

/* The note has two masks, then an id for each lane of the access. */
static void note_outcome(struct kept *kept, const struct isa_access *access) {
  const struct isa_warp *warp = access->warp;
  const uint32_t lanes = warp->group->launch->warp_size;
  uint64_t *value = add_note(&kept->operation, TRACE_NOTE_OUTCOME, 2, NULL, 0);
  uint32_t count = 0;
  value[count++] = access->pipe.refused;
  value[count++] = access->pipe.held ? access->mask : 0;
  for (uint64_t left = access->mask; left; left &= left - 1)
    value[count++] = pair_of(warp, access->inst->d, (uint32_t)__builtin_ctzll(left), lanes);
  kept->operation.note[kept->operation.notes - 1].values = count;
}

static void replied(void *self, struct isa_access *access) {
  struct unit *unit = self;
  struct recorded_warp *warp = &unit->warps[access->warp - unit->filter.executor->warps];
  struct kept *kept = warp->first;
  while (kept && kept->awaited != access)
    kept = kept->next;
  if (!kept)
    return;
  note_outcome(kept, access);
  kept->awaited = NULL;
  write_kept(unit, warp, false);
}

/* ---- the warp source -------------------------------------------------------------------------------- */

static void launch(void *self, const struct isa_launch *launches, size_t count) {
  struct unit *unit = self;
  struct recorder *recorder = unit->recorder;
  write_all_kept(unit);
  for (size_t i = 0; unit->filter.cu == 0 && i < count; i++)
    recorder_write_launch(recorder->writer, &launches[i], number_of_program(recorder, launches[i].program));
  for (size_t i = 0; i < count; i++) {
    const uint32_t program = number_of_program(recorder, launches[i].program);
    unit->kinds[i] = recorder->programs[program].kinds;
    unit->watch[i] = recorder->programs[program].watch;
    marks_lds(&unit->lds, launches[i].program, unit->watch[i], unit->lds_bytes);
  }
  if (unit->filter.cu == 0)
    marks_launch(recorder->marks, recorder->filters.first, launches, count, unit->watch);
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t number, uint32_t linear,
                                           uint32_t lds_base, cycle_t now) {
  struct unit *unit = self;
  const uint32_t first = unit->recorder->filters.first;
  const struct isa_group *shape =
      warp_source_call(unit->filter.inner, start_group, slot, number, linear, lds_base, now);
  struct trace_group *group =
      trace_group_begin(unit->recorder->writer, first + number, linear, shape->warps, unit->filter.cu, now);
  unit->now = now;
  unit->groups[slot] = (struct recorded_group){
      .group = group, .shape = shape, .kinds = unit->kinds[number], .watch = unit->watch[number], .left = shape->warps};
  marks_group(unit->recorder->marks, &unit->lds, &unit->groups[slot].marked, first + number, number, linear,
              shape->warps);
  return shape;
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct unit *unit = self;
  const uint32_t pc = warp_source_call(unit->filter.inner, start_warp, slot, group_slot, index);
  struct recorded_warp *warp = &unit->warps[slot];
  *warp = (struct recorded_warp){.group = group_slot, .index = index, .last = &warp->first};
  marks_warp(&warp->marked, index);
  trace_warp_begin(unit->groups[group_slot].group, index, pc);
  return pc;
}

/* Stores the fields of a kind, for an operation whose mask is not empty. Addresses in the LDS count from the group's.
 */
static void store_fields(struct unit *unit, const struct recorded_group *group, enum trace_kind kind,
                         const struct isa_access *access, const struct isa_result *result) {
  const struct isa_launch *launch = group->shape->launch;
  const uint32_t lanes = launch->warp_size;
  const uint64_t from_group = 0 - (uint64_t)group->shape->lds_base;
  struct operation *operation = &unit->operation;
  struct trace_vector *vector = operation->op.vector;
  uint64_t *field = operation->field;
  switch (kind) {
  case TRACE_ACCESS: {
    const bool lds = launch->program->info[result->pc].class_ == ISA_CLASS_LDS;
    field[TRACE_ACCESS_LEFT_OUT] = operation->op.mask & ~access->mask;
    vector[TRACE_ACCESS_ADDRESS] = (struct trace_vector){.offset = access->address, .base = lds ? from_group : 0};
    break;
  }
  case TRACE_PREFETCH:
    field[TRACE_PREFETCH_LEFT_OUT] = operation->op.mask & ~access->mask;
    vector[TRACE_PREFETCH_ADDRESS] = (struct trace_vector){.offset = access->address};
    if (access->inst->flags & ISA_FLAG_IMM_C)
      vector[TRACE_PREFETCH_BYTES] = (struct trace_vector){.base = access->data[0]};
    else
      take_words(operation, TRACE_PREFETCH_BYTES, access->data, lanes);
    break;
  case TRACE_LANE_COPY:
    field[TRACE_LANE_COPY_LEFT_OUT] = operation->op.mask & ~access->mask;
    vector[TRACE_LANE_COPY_ADDRESS] = (struct trace_vector){.offset = access->address};
    take_words(operation, TRACE_LANE_COPY_PLACE, access->lds, lanes);
    vector[TRACE_LANE_COPY_PLACE].base = from_group;
    break;
  case TRACE_MBARRIER:
    field[TRACE_MBARRIER_LEFT_OUT] = operation->op.mask & ~access->mask;
    vector[TRACE_MBARRIER_ADDRESS] = (struct trace_vector){.offset = access->address, .base = from_group};
    if (isa_rows[access->inst->op].c == TYPE_NONE)
      vector[TRACE_MBARRIER_OPERAND] = (struct trace_vector){.base = 0};
    else
      take_words(operation, TRACE_MBARRIER_OPERAND, access->data, lanes);
    break;
  case TRACE_IMAGE: { /* the coordinates of a read are in the access's data, those of a store in registers */
    const struct isa_memory *memory = access->warp->group->launch->memory;
    const bool reads = isa_rows[access->inst->op].format == FORMAT_IMAGE_READ;
    const unsigned coordinates = access->image ? isa_image_kinds[access->image->kind].coordinates : 0;
    const uint32_t *word = reads ? access->data : access->warp->reg + (size_t)access->inst->b * lanes;
    field[TRACE_IMAGE_LEFT_OUT] = operation->op.mask & ~access->mask;
    field[TRACE_IMAGE_IMAGE] = access->image ? (uint64_t)(access->image - memory->images) : 0;
    field[TRACE_IMAGE_SAMPLER] = reads && access->image ? access->sampler : 0;
    for (unsigned i = 0; i < TRACE_VECTORS; i++)
      if (i < coordinates)
        take_words(operation, i, word + (size_t)i * lanes, lanes);
      else
        vector[i] = (struct trace_vector){.base = 0};
    break;
  }
  case TRACE_PIPE: { /* the operand is an id, in two words, or a count, in one */
    const enum isa_type type = isa_rows[access->inst->op].c;
    field[TRACE_PIPE_LEFT_OUT] = operation->op.mask & ~access->mask;
    vector[TRACE_PIPE_ADDRESS] = (struct trace_vector){.offset = access->address};
    for (uint32_t lane = 0; lane < lanes; lane++)
      operation->lane[TRACE_PIPE_OPERAND][lane] =
          type == TYPE_NONE
              ? 0
              : access->data[2 * lane] | (type == TYPE_U64 ? (uint64_t)access->data[2 * lane + 1] << 32 : 0);
    vector[TRACE_PIPE_OPERAND] = (struct trace_vector){.offset = operation->lane[TRACE_PIPE_OPERAND]};
    break;
  }
  case TRACE_COPY:
    isa_copy_fields(&result->copy, field);
    break;
  case TRACE_WAIT:
    field[TRACE_WAIT_COUNT] = result->wait.count;
    field[TRACE_WAIT_MORE] = result->wait.more;
    for (uint32_t i = 0; i < ISA_WAIT_EVENTS; i++)
      field[TRACE_WAIT_EVENT + i] = i < result->wait.count ? result->wait.event[i] : 0;
    break;
  case TRACE_PIPE_BARRIER:
    field[TRACE_PIPE_BARRIER_PIPE] = result->pipe[0];
    field[TRACE_PIPE_BARRIER_VALUE] = result->pipe[1];
    break;
  case TRACE_CONSTANTS:
    field[TRACE_CONSTANTS_ADDRESSES] = result->addresses;
    break;
  default:
    break;
  }
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  struct unit *unit = self;
  struct recorded_warp *recorded = &unit->warps[slot];
  struct recorded_group *group = &unit->groups[recorded->group];
  const struct isa_warp *warp = &unit->filter.executor->warps[slot];
  const struct isa_launch *launch = group->shape->launch;
  const struct isa_inst *inst = &launch->program->code[warp->pc];
  const enum trace_kind kind = (enum trace_kind)group->kinds[warp->pc];
  struct operation *operation = &unit->operation;
  unit->now = now;
  if (kind == TRACE_PIPE_SLOT)
    take_slots(operation, warp, inst, launch->warp_size);
  unit->stepping = true;
  const uint32_t next = warp_source_call(unit->filter.inner, step, slot, now, access, result);
  unit->stepping = false;
  operation->op.pc = result->pc;
  operation->op.next = next;
  operation->op.mask = result->mask;
  operation->op.flags = (result->done ? TRACE_DONE : 0) | (result->diverged ? TRACE_DIVERGED : 0);
  if (result->mask && kind == TRACE_PIPE_SLOT)
    leave_out_slots(operation, warp, inst, launch->warp_size);
  else if (result->mask && kind != TRACE_PLAIN)
    store_fields(unit, group, kind, access, result);
  if (group->watch[result->pc])
    marks_step(unit->recorder->marks, &unit->lds, &group->marked, &recorded->marked, group->shape,
               group->watch[result->pc], access, result);
  const bool awaited =
      kind == TRACE_PIPE && isa_rows[inst->op].format == FORMAT_PIPE_RESERVE && result->mask && access->mask;
  if (awaited || recorded->first)
    hold_back(unit, recorded, awaited ? access : NULL, launch->warp_size);
  else
    encode(unit, recorded, operation);
  forget_notes(operation);
  return next;
}

/* ---- construction ----------------------------------------------------------------------------------- */

static void start(void *self, const struct machine *machine) {
  struct unit *unit = self;
  unit->recorder = unit->filter.filters->watcher;
  unit->warps = need(machine->cu.warps, sizeof *unit->warps);
  unit->warp_count = machine->cu.warps;
  unit->groups = need(machine->cu.groups, sizeof *unit->groups);
  unit->lds_bytes = machine->lds.size;
}

static void end(void *self) {
  struct unit *unit = self;
  for (uint32_t slot = 0; slot < unit->warp_count; slot++)
    for (struct kept *kept; (kept = unit->warps[slot].first); free(kept)) {
      unit->warps[slot].first = kept->next;
      free_operation(&kept->operation);
    }
  free_operation(&unit->operation);
  free(unit->lds.writer);
  free(unit->lds.reader);
  free(unit->warps);
  free(unit->groups);
}

struct source_maker recorder_sources(struct recorder *recorder) {
  return source_filters_maker(&recorder->filters, NULL);
}

static struct source_maker watcher_sources(void *self, const struct source_maker *inner) {
  (void)inner;
  assert(!inner && "a recorder is around executors alone: it comes before all others that read sources");
  return recorder_sources(self);
}

/* A full disk is reported at the end, but ends the run at once. */
static bool settle_writer(void *self, cycle_t now, uint64_t done, uint64_t groups) {
  (void)done, (void)groups;
  struct trace_writer *writer = recorder_writer(self);
  trace_writer_settle(writer, now);
  return trace_writer_good(writer);
}

struct run_watcher recorder_watcher(struct recorder *recorder) {
  return (struct run_watcher){.self = recorder, .sources = watcher_sources, .settle = settle_writer};
}

void recorder_write_rules(struct trace_writer *writer) {
  char rules[HAZARDS * 64];
  size_t length = 0;
  for (unsigned i = 0; i < HAZARDS; i++)
    length += (size_t)snprintf(rules + length, sizeof rules - length, "%s\n", isa_hazard_rows[i].rule);
  trace_write_meta(writer, "rules", rules, length);
}

struct recorder *recorder_new(struct trace_writer *writer) {
  if (!writer)
    return NULL;
  struct recorder *recorder = need(1, sizeof *recorder);
  recorder->writer = writer;
  recorder->marks = marks_new();
  recorder->filters = (struct source_filters){.watcher = recorder,
                                              .unit_bytes = sizeof(struct unit),
                                              .calls = {.start_group.call = start_group,
                                                        .start_warp.call = start_warp,
                                                        .step.call = step,
                                                        .replied.call = replied},
                                              .start = start,
                                              .launch = launch,
                                              .report = note_hazard,
                                              .print = note_print,
                                              .end = end};
  recorder_write_rules(recorder->writer);
  return recorder;
}

struct trace_writer *recorder_writer(struct recorder *recorder) {
  return recorder->writer;
}

static void free_recorder(struct recorder *recorder) {
  source_filters_free(&recorder->filters);
  for (uint32_t i = 0; i < recorder->program_count; i++) {
    free(recorder->programs[i].object);
    free(recorder->programs[i].kinds);
    free(recorder->programs[i].watch);
  }
  free(recorder->programs);
  marks_free(recorder->marks);
  free(recorder);
}

void recorder_rest(struct recorder *recorder) {
  for (size_t i = 0; i < recorder->filters.count; i++)
    write_all_kept((struct unit *)recorder->filters.unit[i]);
  source_filters_free(&recorder->filters);
  for (uint32_t i = 0; i < recorder->program_count; i++)
    recorder->programs[i].now = NULL;
}

bool recorder_close(struct recorder *recorder, struct message *error) {
  recorder_rest(recorder);
  trace_writer_settle(recorder->writer, NEVER); /* marks come after all batches, also in a slice */
  char *marks = marks_text(recorder->marks);
  trace_write_meta(recorder->writer, "marks", marks, strlen(marks));
  free(marks);
  const bool good = trace_writer_close(recorder->writer, error);
  free_recorder(recorder);
  return good;
}

void recorder_abandon(struct recorder *recorder) {
  trace_writer_abandon(recorder->writer);
  free_recorder(recorder);
}
