#include "isa/ops.h"
#include "sim/replay/replayer_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/image.h"
#include "models/machine.h"
#include "models/result.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { REGISTERS = 256 };

/* ---- faults ---------------------------------------------------------------------------------------- */

void replayer_damage(struct replayer *replayer, const char *what) {
  if (replayer->faulty)
    return;
  const struct message *error = trace_failed(replayer->trace);
  replayer->faulty = replayer->damaged = true;
  snprintf(replayer->fault, sizeof replayer->fault, "%.599s", error ? error->text : what);
}

static void ended(struct unit *unit, const struct isa_warp *warp) {
  struct replayer *replayer = unit->replayer;
  if (trace_failed(replayer->trace)) {
    replayer_damage(replayer, "");
    return;
  }
  if (replayer->faulty)
    return;
  if (replayer->prefix) {
    replayer->cut_short++;
    return;
  }
  const struct isa_group *group = warp->group;
  replayer->faulty = true;
  snprintf(replayer->fault, sizeof replayer->fault,
           "launch %u, work-group (%u, %u, %u), warp %u: the recording ends here, but the replay does not",
           replayer->first + group->launch->number + 1, group->id[0], group->id[1], group->id[2], warp->index);
}

const char *replayer_fault(const struct replayer *replayer) { return replayer->faulty ? replayer->fault : NULL; }

struct replayer *replayer_of_job(struct trace *trace, const struct job *job, bool prefix, struct message *message) {
  struct replayer *replayer = replayer_new(trace, message);
  if (!replayer)
    return NULL;
  for (size_t i = 0; i < job->launch_count && i < trace_launches(trace); i++)
    replayer->shift[i] = job->launches[i].shift;
  replayer->prefix = prefix;
  replayer->decoder = prefix ? trace_warp_new(trace) : NULL;
  return replayer;
}

uint64_t replayer_cut_short(const struct replayer *replayer) { return replayer->cut_short; }

bool replayer_damaged(const struct replayer *replayer) { return replayer->damaged; }

/* ---- incomplete traces ---- */

/* Where bytes were lost, each stream ends at a different operation. All warps of a work-group must make a call that
 * they make together (a barrier, a copy, a wait), or none, so that none waits forever for another: a warp ends before
 * the first such call that is missing in another warp's stream.
 *
 * Not modeled: other things that warps wait for, such as an mbarrier or packets of a pipe. */

static bool prefix_is_call(const struct isa_program *program, uint32_t pc, uint64_t mask) {
  switch ((enum isa_class)program->info[pc].class_) {
  case ISA_CLASS_BARRIER:
  case ISA_CLASS_COPY_FENCE:
  case ISA_CLASS_COPY:
  case ISA_CLASS_WAIT:
    return mask;
  default:
    return false;
  }
}

/* The number of calls that all warps of the group reach; UINT64_MAX when all of its streams are complete. */
static uint64_t prefix_calls(struct trace_warp *decoder, const struct isa_program *program, uint32_t launch,
                             uint32_t group, uint32_t warps) {
  uint64_t all = UINT64_MAX;
  for (uint32_t i = 0; i < warps && all; i++) {
    struct trace_op op = {0};
    uint64_t calls = 0;
    uint32_t pc;
    if (trace_warp_start(decoder, launch, group, i, &pc))
      while (trace_decode(decoder, &op))
        calls += prefix_is_call(program, op.pc, op.mask);
    if (!(op.flags & TRACE_DONE) && calls < all)
      all = calls;
  }
  return all;
}

/* ---- notes ----------------------------------------------------------------------------------------- */

static void report_hazard(struct unit *unit, const struct isa_launch *launch, const struct trace_note *note) {
  struct replayer *replayer = unit->replayer;
  if (note->values < 6 || note->value[0] >= replayer->rule_count || note->value[1] >= launch->program->count) {
    replayer_damage(replayer, "a hazard in the trace has an unknown rule or instruction");
    return;
  }
  struct isa_hazard hazard = {
      .rule = (enum isa_hazard_rule)replayer->rules[note->value[0]],
      .pc = (uint32_t)note->value[1],
      .group = {(uint32_t)note->value[2], (uint32_t)note->value[3], (uint32_t)note->value[4]},
      .item = (uint32_t)note->value[5],
  };
  snprintf(hazard.detail, sizeof hazard.detail, "%s", note->text);
  if (launch->report)
    launch->report(launch->report_context, &hazard);
}

/* Passes on the output of one call, which may be in several notes. Returns their number. */
static uint32_t report_print(struct unit *unit, const struct isa_warp *warp, const struct trace_note *note,
                             uint32_t notes) {
  const struct isa_launch *launch = warp->group->launch;
  char *text = NULL;
  size_t length = 0;
  uint32_t used = 0;
  bool more = true;
  for (; more && used < notes && note[used].kind == TRACE_NOTE_PRINT && note[used].values >= 3; used++) {
    const size_t piece = strlen(note[used].text), zero = note[used].value[1] != 0;
    text = need_more(text, length + piece + 1, 1);
    memcpy(text + length, note[used].text, piece + 1);
    length += piece + zero;
    more = note[used].value[2];
  }
  if (more)
    replayer_damage(unit->replayer, "a work-item's printed text is incomplete in the trace");
  else if (launch->print)
    launch->print(launch->print_context, warp->group, (uint32_t)note->value[0], text, length);
  free(text);
  return used ? used : 1;
}

__attribute__((noinline)) static void report_notes(struct unit *unit, const struct isa_warp *warp,
                                                   const struct trace_op *op) {
  for (uint32_t i = 0; i < op->notes;) {
    const struct trace_note *note = &op->note[i];
    if (note->kind == TRACE_NOTE_HAZARD)
      report_hazard(unit, warp->group->launch, note);
    i += note->kind == TRACE_NOTE_PRINT ? report_print(unit, warp, note, op->notes - i) : 1;
  }
}

/* ---- a step ------------------------------------------------------------------------------------------ */

/* How far global memory lies above the recording's. */
static uint64_t shift_of(const struct replayer *replayer, const struct isa_launch *launch) {
  const uint32_t number = replayer->first + launch->number;
  return number < trace_launches(replayer->trace) ? replayer->shift[number] : 0;
}

static void give_words(const struct trace_vector *vector, uint32_t lanes, uint64_t base, uint32_t *word) {
  uint64_t value[TRACE_LANES];
  trace_spread(vector, lanes, value);
  for (uint32_t lane = 0; lane < lanes; lane++)
    word[lane] = (uint32_t)(value[lane] + base);
}

static bool in_lds(const struct isa_access *access) {
  const struct isa_group *group = access->warp->group;
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint64_t offset = access->address[__builtin_ctzll(left)] - group->lds_base;
    if (offset > group->launch->lds_bytes || group->launch->lds_bytes - offset < access->bytes)
      return false;
  }
  return true;
}

/* Sets everything that determines which texels an access requests. */
static void give_image(struct unit *unit, const struct isa_warp *warp, const struct trace_op *op,
                       struct isa_access *access) {
  const struct isa_launch *launch = warp->group->launch;
  const struct isa_memory *memory = launch->memory;
  const uint64_t number = op->field[TRACE_IMAGE_IMAGE], sampler = op->field[TRACE_IMAGE_SAMPLER];
  const uint32_t lanes = launch->warp_size;
  access->mask = trace_lanes(op);
  access->image = NULL;
  if (!access->mask)
    return;
  if (number >= memory->image_count || sampler >= ISA_SAMPLERS || !isa_sampler_good((uint32_t)sampler) ||
      shift_of(unit->replayer, launch)) {
    replayer_damage(unit->replayer, "the trace has an access to an unknown image");
    access->mask = 0;
    return;
  }
  access->image = &memory->images[number];
  access->sampler = (uint32_t)sampler;
  struct isa_image room;
  const struct isa_image *image = isa_image_as(access->image, access->inst, &room);
  access->bytes = (uint8_t)image->texel_bytes;
  for (unsigned i = 0; i < TRACE_VECTORS; i++)
    give_words(&op->vector[i], lanes, 0, access->data + i * lanes);
  const bool reads = isa_is_image_read(access);
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    access->address[lane] = 0;
    if (!reads && !isa_image_place(image, access->data + lane, lanes, &access->address[lane])) {
      replayer_damage(unit->replayer, "a store in the trace is outside its image");
      access->mask &= ~(UINT64_C(1) << lane);
    }
  }
}

static void give_access(struct unit *unit, const struct isa_warp *warp, const struct trace_op *op,
                        struct isa_access *access) {
  const struct isa_launch *launch = warp->group->launch;
  const struct isa_info *info = &launch->program->info[op->pc];
  const uint64_t lds = warp->group->lds_base;
  const uint32_t lanes = launch->warp_size;
  access->mask = trace_lanes(op);
  access->bytes = info->bytes;
  access->suspended = false;
  access->waiting = access->broken = 0;
  access->waits = NULL;
  if (!access->mask)
    return;
  const bool local = info->class_ == ISA_CLASS_LDS || op->kind == TRACE_MBARRIER;
  struct trace_vector address = op->vector[0];
  address.base += local ? lds : shift_of(unit->replayer, launch);
  trace_spread(&address, lanes, access->address);
  if (op->kind == TRACE_PREFETCH)
    give_words(&op->vector[TRACE_PREFETCH_BYTES], lanes, 0, access->data);
  else if (op->kind == TRACE_LANE_COPY)
    give_words(&op->vector[TRACE_LANE_COPY_PLACE], lanes, lds, access->lds);
  else if (op->kind == TRACE_PIPE)
    replayer_give_pipe(unit, access, op, launch);
  else if (op->kind == TRACE_MBARRIER) {
    give_words(&op->vector[TRACE_MBARRIER_OPERAND], lanes, 0, access->data);
    if (!in_lds(access)) {
      replayer_damage(unit->replayer, "an mbarrier in the trace is outside its work-group's LDS");
      access->mask = 0;
    }
  }
}

/* Ends the warp when it has no more operations, so that the run ends. */
__attribute__((noinline)) static uint32_t give_up(struct unit *unit, struct isa_warp *warp, struct isa_access *access,
                                                  struct isa_result *result) {
  ended(unit, warp);
  *result = (struct isa_result){.pc = warp->pc, .done = true};
  if (access)
    access->mask = 0;
  return warp->pc;
}

/* Sets the fields of a kind, for an operation whose mask is not empty. Most operations have none, so this is not
 * inlined, to keep step() from saving registers. */
__attribute__((noinline)) static void give(struct unit *unit, const struct isa_warp *warp, const struct trace_op *op,
                                           struct isa_access *access, struct isa_result *result) {
  const struct isa_launch *launch = warp->group->launch;
  switch (op->kind) {
  case TRACE_COPY:
    result->copy = isa_copy_of(op->field);
    result->copy.global.base += shift_of(unit->replayer, launch);
    break;
  case TRACE_WAIT:
    result->wait.count =
        op->field[TRACE_WAIT_COUNT] < ISA_WAIT_EVENTS ? (uint32_t)op->field[TRACE_WAIT_COUNT] : ISA_WAIT_EVENTS;
    result->wait.more = op->field[TRACE_WAIT_MORE];
    for (uint32_t i = 0; i < ISA_WAIT_EVENTS; i++)
      result->wait.event[i] = (uint32_t)op->field[TRACE_WAIT_EVENT + i];
    break;
  case TRACE_PIPE_BARRIER:
    result->pipe[0] = op->field[TRACE_PIPE_BARRIER_PIPE];
    result->pipe[1] = replayer_id_here(unit->replayer, launch->memory, op->field[TRACE_PIPE_BARRIER_VALUE]);
    break;
  case TRACE_CONSTANTS:
    result->addresses = (uint32_t)op->field[TRACE_CONSTANTS_ADDRESSES];
    break;
  case TRACE_PIPE_SLOT:
    replayer_name_slots(unit, op, launch);
    break;
  case TRACE_IMAGE:
    give_image(unit, warp, op, access);
    break;
  default:
    give_access(unit, warp, op, access);
    break;
  }
}

/* Is the next instruction in the program, or does the warp end at an exit? */
static bool possible(const struct isa_program *program, const struct trace_op *op) {
  return op->flags & TRACE_DONE ? program->code[op->pc].op == ISA_EXIT : op->next < program->count;
}

static void refuse_path(struct replayer *replayer, const struct isa_warp *warp, const struct trace_op *op) {
  char text[200], where[40];
  const struct isa_group *group = warp->group;
  if (op->flags & TRACE_DONE)
    snprintf(where, sizeof where, "ends at pc %u, which is not an exit", op->pc);
  else
    snprintf(where, sizeof where, "continues at pc %u after pc %u", op->next, op->pc);
  snprintf(text, sizeof text,
           "launch %u, work-group (%u, %u, %u), warp %u %s; legal: pc 0 to %u, and an exit at the end",
           replayer->first + group->launch->number + 1, group->id[0], group->id[1], group->id[2], warp->index, where,
           group->launch->program->count - 1);
  replayer_damage(replayer, text);
}

__attribute__((noinline)) static uint32_t step_with(struct unit *unit, uint32_t slot, struct isa_access *access,
                                                    struct isa_result *result) {
  struct isa_warp *warp = &unit->warps[slot];
  const struct isa_program *program = warp->group->launch->program;
  struct trace_op op;
  if (unit->replayer->faulty || !trace_decode(unit->streams[slot], &op))
    return give_up(unit, warp, access, result);
  if (unit->replayer->prefix && prefix_is_call(program, op.pc, op.mask) &&
      unit->made[slot]++ == unit->calls[warp->group - unit->groups])
    return give_up(unit, warp, access, result);
  if (!possible(program, &op)) {
    refuse_path(unit->replayer, warp, &op);
    return give_up(unit, warp, access, result);
  }
  result->pc = op.pc;
  result->mask = op.mask;
  result->done = op.flags & TRACE_DONE;
  result->diverged = op.flags & TRACE_DIVERGED;
  if (access) {
    access->warp = warp;
    access->inst = &program->code[op.pc];
    access->pc = op.pc;
    access->mask = 0;
    access->run = access->whole = false;
    access->image = NULL;
  }
  if (op.notes)
    report_notes(unit, warp, &op);
  if (op.mask && op.kind != TRACE_PLAIN)
    give(unit, warp, &op, access, result);
  warp->pc = op.next;
  return op.next;
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  struct unit *unit = self;
  (void)now;
  if (access || unit->replayer->faulty || unit->replayer->prefix)
    return step_with(unit, slot, access, result);
  const struct trace_common *op = trace_decode_again(unit->streams[slot]);
  if (!op)
    return step_with(unit, slot, NULL, result);
  /* It was checked when it was first decoded. */
  result->pc = op->pc;
  result->mask = op->mask;
  result->done = op->flags & TRACE_DONE;
  result->diverged = op->flags & TRACE_DIVERGED;
  return unit->warps[slot].pc = op->next;
}

static uint32_t linear_of(const struct isa_group *group) {
  const uint32_t *groups = group->launch->groups;
  return group->id[0] + groups[0] * (group->id[1] + groups[1] * group->id[2]);
}

/* Lanes that have not exited: the operations are read again, because no step needs to know. */
static uint64_t live_lanes(void *self, uint32_t slot) {
  struct unit *unit = self;
  const struct isa_warp *warp = &unit->warps[slot];
  const struct isa_launch *launch = warp->group->launch;
  const uint32_t left = warp->group->items - warp->index * launch->warp_size;
  const uint32_t lanes = left < launch->warp_size ? left : launch->warp_size;
  struct trace_warp *decoder = trace_warp_new(unit->replayer->trace);
  uint64_t live_lanes = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
  struct trace_op op;
  uint32_t pc;
  if (trace_warp_start(decoder, unit->replayer->first + launch->number, linear_of(warp->group), warp->index, &pc))
    while (trace_decode(decoder, &op))
      live_lanes &= ~(launch->program->code[op.pc].op == ISA_EXIT ? op.mask : 0);
  if (decoder)
    trace_warp_free(decoder);
  return live_lanes;
}

static void commit_nothing(void *self, unsigned engine, uint32_t tag) {
  (void)self;
  (void)engine;
  (void)tag;
}

static void commit_no_memory(void *self, unsigned engine, uint32_t tag, const struct rect *side, bool write) {
  (void)self;
  (void)engine;
  (void)tag;
  (void)side;
  (void)write;
}

/* ---- launches, work-groups, warps ------------------------------------------------------------------------- */

static void launch(void *self, const struct isa_launch *launches, size_t count) {
  struct unit *unit = self;
  struct replayer *replayer = unit->replayer;
  if (unit == replayer->units[0]) {
    replayer->first = replayer->next;
    replayer->next += (uint32_t)count;
  }
  unit->launches = launches;
  if (launches[0].memory && launches[0].memory->pipe_count && !unit->registers)
    unit->registers = need((REGISTERS + 1) * TRACE_LANES, sizeof *unit->registers);
  for (uint32_t slot = 0; slot < unit->warp_count; slot++)
    unit->warps[slot].reg = unit->registers;
}

/* The LDS of a work-group, for mbarriers. It has the size of the launch's, not of the machine's. */
static uint8_t *lds_of(struct unit *unit, uint32_t slot, uint32_t bytes) {
  if (unit->lds_bytes[slot] < bytes) {
    free(unit->lds[slot]);
    unit->lds[slot] = need(bytes, 1);
    unit->lds_bytes[slot] = bytes;
  }
  return unit->lds[slot];
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t number, uint32_t linear,
                                           uint32_t lds_base, cycle_t now) {
  struct unit *unit = self;
  struct isa_group *group = &unit->groups[slot];
  (void)now;
  isa_group_place(group, &unit->launches[number], linear);
  group->lds_base = lds_base;
  group->lds = lds_of(unit, slot, group->launch->lds_bytes);
  if (unit->replayer->prefix)
    unit->calls[slot] = prefix_calls(unit->replayer->decoder, unit->launches[number].program,
                                     unit->replayer->first + number, linear, group->warps);
  return group;
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct unit *unit = self;
  struct isa_warp *warp = &unit->warps[slot];
  struct replayer *replayer = unit->replayer;
  warp->group = &unit->groups[group_slot];
  warp->index = index;
  unit->made[slot] = 0;
  warp->pc = warp->group->launch->kernel->entry;
  if (!unit->streams[slot])
    unit->streams[slot] = trace_warp_new(replayer->trace);
  uint32_t pc = 0;
  if (trace_warp_start(unit->streams[slot], replayer->first + warp->group->launch->number, linear_of(warp->group),
                       index, &pc))
    warp->pc = pc;
  else if (!replayer->prefix) /* for a prefix, the first step ends the warp */
    ended(unit, warp);
  return warp->pc;
}

/* ---- construction -------------------------------------------------------------------------------------------- */

static const struct warp_source *make_source(void *self, uint32_t cu, const struct machine *machine,
                                             const struct executor *executor) {
  struct replayer *replayer = self;
  (void)cu;
  (void)executor;
  struct unit *unit = need(1, sizeof *unit);
  *unit = (struct unit){
      .source = {.launch = {launch, unit},
                 .start_group = {start_group, unit},
                 .start_warp = {start_warp, unit},
                 .step = {step, unit},
                 .live = {live_lanes, unit},
                 .commit = {replayer_commit, unit},
                 .commit_dma_lds = {commit_nothing, unit},
                 .commit_dma_memory = {commit_no_memory, unit}},
      .replayer = replayer,
      .warps = need(machine->cu.warps, sizeof *unit->warps),
      .streams = need(machine->cu.warps, sizeof(void *)),
      .warp_count = machine->cu.warps,
      .groups = need(machine->cu.groups, sizeof *unit->groups),
      .calls = need(machine->cu.groups, sizeof *unit->calls),
      .made = need(machine->cu.warps, sizeof *unit->made),
      .group_count = machine->cu.groups,
      .lds = need(machine->cu.groups, sizeof *unit->lds),
      .lds_bytes = need(machine->cu.groups, sizeof *unit->lds_bytes),
  };
  *vector_next(replayer->units, replayer->unit_count, replayer->unit_room) = unit;
  return &unit->source;
}

struct source_maker replayer_sources(struct replayer *replayer) {
  return (struct source_maker){.self = replayer, .make = make_source};
}

static struct source_maker watcher_sources(void *self, const struct source_maker *inner) {
  (void)inner;
  return replayer_sources(self);
}

/* Ends the run after a fault. */
static bool end_faulty(void *self, cycle_t now, uint64_t done, uint64_t groups) {
  (void)done, (void)groups;
  (void)now;
  return !replayer_fault(self);
}

struct run_watcher replayer_watcher(struct replayer *replayer) {
  return (struct run_watcher){.self = replayer, .sources = watcher_sources, .settle = end_faulty};
}

static uint32_t rule_of(const char *name, size_t length) {
  uint32_t rule = 0;
  while (rule < HAZARDS &&
         (strlen(isa_hazard_rows[rule].rule) != length || memcmp(isa_hazard_rows[rule].rule, name, length) != 0))
    rule++;
  return rule;
}

/* Reads the names of the recording's rules, one per line. */
static bool read_rules(struct replayer *replayer, struct message *error) {
  const char *rules = trace_meta(replayer->trace, "rules", NULL);
  for (; rules && *rules; replayer->rule_count++) {
    const size_t length = strcspn(rules, "\n");
    const uint32_t rule = rule_of(rules, length);
    if (rule == HAZARDS)
      return message_fail(error, "the recording has hazards of an unknown rule, '%.*s'",
                          (int)(length < 60 ? length : 60), rules);
    replayer->rules = need_more(replayer->rules, replayer->rule_count + 1, sizeof *replayer->rules);
    replayer->rules[replayer->rule_count] = (uint16_t)rule;
    rules += length + (rules[length] == '\n');
  }
  return true;
}

struct replayer *replayer_new(struct trace *trace, struct message *error) {
  struct replayer *replayer = need(1, sizeof *replayer);
  replayer->trace = trace;
  replayer->shift = need(trace_launches(trace) + 1u, sizeof *replayer->shift);
  if (read_rules(replayer, error))
    return replayer;
  replayer_free(replayer);
  return NULL;
}

static void free_unit(struct unit *unit) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++)
    trace_warp_free(unit->streams[slot]);
  free(unit->streams);
  free(unit->warps);
  for (uint32_t slot = 0; slot < unit->group_count; slot++)
    free(unit->lds[slot]);
  free(unit->groups);
  free(unit->calls);
  free(unit->made);
  free(unit->lds);
  free(unit->lds_bytes);
  free(unit->registers);
  free(unit);
}

void replayer_free(struct replayer *replayer) {
  for (uint32_t i = 0; i < replayer->unit_count; i++)
    free_unit(replayer->units[i]);
  for (unsigned i = 0; i < ISA_MOST_PIPES; i++) {
    free(replayer->pipes[i].id[0]);
    free(replayer->pipes[i].id[1]);
  }
  trace_warp_free(replayer->decoder);
  free(replayer->shift);
  free(replayer->units);
  free(replayer->rules);
  free(replayer);
}
