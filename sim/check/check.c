#include "isa/ops.h"
#include "models/machine.h"
#include "sim/base/need.h"
#include "sim/check/check_parts.h"
#include "sim/check/directions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- instructions ------------------------------------------------------------------------- */

static uint8_t kind_of(const struct isa_info *info) {
  if (info->indivisible)
    return info->atomic || info->store ? TOUCH_ATOMIC : TOUCH_ATOMIC_READ;
  return info->store ? TOUCH_WRITE : TOUCH_READ;
}

static bool is_warp_barrier(uint16_t op) {
  return op == ISA_BAR_WARP_LDS || op == ISA_BAR_WARP_GLOBAL || op == ISA_BAR_WARP_ALL || op == ISA_BAR_WARP_IMAGE;
}

/* Barriers inside an operation of the work-group: in OpenCL the work-items meet there, but the program's memory is not
 * fenced. */
static bool is_of_operation(uint16_t op) { return op == ISA_BAR_GROUP || isa_rows[op].format == FORMAT_PIPE_BAR; }

static struct act_row row_of(const struct isa_inst *inst, const struct isa_info *info) {
  if (inst->guard && (inst->op == ISA_BRA || inst->op == ISA_EXIT))
    return (struct act_row){.act = ACT_BRANCH};
  const uint8_t sync = (uint8_t)isa_row_sync(inst->op);
  switch ((enum isa_class)info->class_) {
  case ISA_CLASS_LDS:
    return (struct act_row){.act = ACT_ACCESS, .space = CHECK_LDS, .kind = kind_of(info)};
  case ISA_CLASS_GLOBAL:
    return (struct act_row){.act = ACT_ACCESS,
                            .space = isa_rows[inst->op].format == FORMAT_IMAGE_STORE ? CHECK_IMAGE : CHECK_GLOBAL,
                            .kind = kind_of(info)};
  case ISA_CLASS_TEXTURE:
    return (struct act_row){.act = ACT_TEXELS, .space = CHECK_IMAGE, .kind = TOUCH_READ};
  case ISA_CLASS_COPY_LANE:
    return (struct act_row){.act = ACT_LANE_COPY};
  case ISA_CLASS_LANE_COMMIT:
    return (struct act_row){.act = ACT_LANE_COMMIT};
  case ISA_CLASS_LANE_WAIT:
    return (struct act_row){.act = ACT_LANE_WAIT};
  case ISA_CLASS_MBARRIER:
  case ISA_CLASS_PHASE:
    return (struct act_row){.act = ACT_MBARRIER, .space = CHECK_LDS};
  case ISA_CLASS_BARRIER:
    return (struct act_row){.act = ACT_BARRIER, .sync = is_of_operation(inst->op) ? 0 : sync};
  case ISA_CLASS_COPY_FENCE:
    return (struct act_row){.act = ACT_COPY_FENCE, .sync = sync};
  case ISA_CLASS_COPY:
    return (struct act_row){.act = ACT_COPY};
  case ISA_CLASS_WAIT:
    return (struct act_row){.act = ACT_WAIT};
  case ISA_CLASS_FENCE:
    if (inst->op == ISA_FENCE_IMAGE)
      return (struct act_row){.act = ACT_IMAGE_FENCE};
    return (struct act_row){.act = is_warp_barrier(inst->op) ? ACT_WARP_BARRIER : ACT_FENCE, .sync = sync};
  case ISA_CLASS_PIPE:
    return (struct act_row){.act = isa_rows[inst->op].format == FORMAT_PIPE_RESERVE  ? ACT_PIPE_RESERVE
                                   : isa_rows[inst->op].format == FORMAT_PIPE_COMMIT ? ACT_PIPE_COMMIT
                                                                                     : ACT_NONE};
  default:
    return (struct act_row){.act = isa_rows[inst->op].format == FORMAT_PIPE_SLOT ? ACT_PIPE_SLOT
                                   : isa_rows[inst->op].format == FORMAT_SHUFFLE ? ACT_SHUFFLE
                                                                                 : ACT_NONE};
  }
}

static bool is_atomic_access(const struct act_row *row) { return row->act == ACT_ACCESS && touch_is_atomic(row->kind); }

/* Sets what the program promises by a fence, a barrier or an atomic. A fence without an order is none, or is a part of
 * an atomic that has one. */
static void set_order(struct act_row *row, uint8_t order) {
  const bool fence = row->act == ACT_FENCE || row->act == ACT_WARP_BARRIER || row->act == ACT_BARRIER;
  row->scope = ISA_SCOPE_DEVICE;
  if (!fence && !is_atomic_access(row))
    return;
  row->scope = order ? order >> ISA_ORDERS_SCOPE : ISA_SCOPE_DEVICE;
  row->order = order   ? order & (ISA_ORDERS_ACQUIRE | ISA_ORDERS_RELEASE)
               : fence ? ISA_ORDERS_ACQUIRE | ISA_ORDERS_RELEASE
                       : 0;
  if (row->scope == ISA_SCOPE_ITEM)
    row->order = 0;
  if (row->act == ACT_FENCE && !row->order)
    row->act = ACT_NONE;
  if (!fence)
    row->sync = (uint8_t)((row->space == CHECK_LDS || order & ISA_ORDERS_LDS ? SYNC_LDS : 0) |
                          (row->space != CHECK_LDS || order & ISA_ORDERS_GLOBAL ? SYNC_GLOBAL : 0));
}

/* Can atomics synchronize because of this fence, barrier or atomic? A barrier orders its own work-group by itself. */
static bool may_synchronize(const struct act_row *row) {
  return row->order && (row->act != ACT_BARRIER || (row->sync & SYNC_GLOBAL && row->scope >= ISA_SCOPE_DEVICE));
}

static void note_scope(struct checker *checker, uint32_t number, uint32_t pc) {
  const struct act_row *row = &checker->acts[number][pc];
  for (enum memory memory = 0; memory < MEMORIES; memory++) {
    uint32_t *first = &checker->narrow[number][memory][row->scope];
    if (row->order && memory_in(row->sync, memory) && !*first)
      *first = pc + 1;
  }
}

static bool touches(enum act act) {
  return act == ACT_ACCESS || act == ACT_TEXELS || act == ACT_LANE_COPY || act == ACT_MBARRIER || act == ACT_COPY ||
         act == ACT_PIPE_RESERVE || act == ACT_PIPE_SLOT;
}

static uint32_t add_site(struct checker *checker, uint32_t launch, uint32_t pc) {
  if (checker->site_count == SHADOW_MOST_SITES) /* more than a touch can name */
    heap_out(sizeof *checker->sites);
  *vector_next(checker->sites, checker->site_count, checker->site_room) = (struct site){.launch = launch, .pc = pc};
  return checker->site_count - 1;
}

static bool is_one_place(const struct isa_program *program, uint32_t a, uint32_t b) {
  return program->line[a] && program->line[a] == program->line[b] && program->column[a] == program->column[b] &&
         program->source[a] == program->source[b];
}

static void make_acts(struct checker *checker, uint32_t number) {
  const struct isa_program *program = checker->launch[number].program;
  free(checker->acts[number]);
  struct act_row *acts = checker->acts[number] = need(program->count + 1, sizeof *acts);
  bool atomics = false;
  uint32_t expected = 0; /* the last expect.lane */
  checker->branch_count[number] = 0;
  memset(checker->narrow[number], 0, sizeof checker->narrow[number]);
  for (uint32_t pc = 0; pc < program->count; pc++) {
    acts[pc] = row_of(&program->code[pc], &program->info[pc]);
    set_order(&acts[pc], program->order ? program->order[pc] : 0);
    note_scope(checker, number, pc);
    checker->has_fences |= may_synchronize(&acts[pc]);
    atomics |= acts[pc].space == CHECK_GLOBAL && touch_is_atomic(acts[pc].kind);
    checker->orders_warps |=
        may_synchronize(&acts[pc]) || acts[pc].act == ACT_WARP_BARRIER || acts[pc].act == ACT_MBARRIER;
    if (program->code[pc].op == ISA_EXPECT_LANE)
      expected = pc;
    if (acts[pc].act == ACT_SHUFFLE)
      acts[pc].kind = program->code[expected].op == ISA_EXPECT_LANE && is_one_place(program, expected, pc);
    if (acts[pc].act == ACT_BRANCH)
      acts[pc].site = checker->branch_count[number]++;
    if (touches((enum act)acts[pc].act))
      acts[pc].site = add_site(checker, number, pc);
  }
  checker->syncs_groups |= atomics && checker->has_fences;
}

/* ---- launches ------------------------------------------------------------------------------- */

static void add_clash(struct checker *checker, uint32_t number, enum isa_hazard_rule rule, const char *what,
                      const char *name, const struct check_clash *clash) {
  const struct isa_launch *launch = &checker->launch[number];
  struct check_hazard hazard = {.rule = rule,
                                .launch = checker->filters.first + number,
                                .here = {.program = launch->program, .pc = clash->here.pc, .whole_group = true},
                                .other = {.program = launch->program, .pc = clash->other.pc, .whole_group = true}};
  snprintf(hazard.detail, sizeof hazard.detail, "%s '%.40s' is argument '%.40s' and argument '%.40s'", what, name,
           launch->kernel->args[clash->other.arg].name, launch->kernel->args[clash->here.arg].name);
  hazards_add(checker, &hazard);
}

static void check_directions(struct checker *checker, uint32_t number) {
  const struct isa_launch *launch = &checker->launch[number];
  struct check_clash clash;
  if (check_pipe_directions(launch, &clash)) {
    const struct isa_pipe *pipe = isa_pipe_find(launch->memory, clash.address);
    add_clash(checker, number, HAZARD_P5, "pipe", pipe ? pipe->name : "?", &clash);
  }
  if (check_image_directions(launch, &clash)) {
    const struct isa_image *image = isa_image_find(launch->memory, clash.address);
    add_clash(checker, number, HAZARD_I5, "image", image ? image->name : "?", &clash);
  }
}

static struct check_unit *unit_of(const struct checker *checker, size_t number) {
  return (struct check_unit *)checker->filters.unit[number];
}

/* Groups are numbered across all launches, to distinguish touches of earlier launches. */
static void number_groups(struct checker *checker) {
  uint64_t groups = 0;
  for (uint32_t i = 0; i < checker->launch_count; i++)
    groups += (uint64_t)checker->launch[i].groups[0] * checker->launch[i].groups[1] * checker->launch[i].groups[2];
  checker->base = checker->next_base;
  if (groups + checker->base >= UINT32_MAX) {
    shadow_free(&checker->global);
    for (uint32_t i = 0; i < checker->filters.count; i++)
      shadow_free(&unit_of(checker, i)->lds);
    touch_pool_free(&checker->pool);
    checker->base = 0;
  }
  uint32_t next = checker->base;
  for (uint32_t i = 0; i < checker->launch_count; i++) {
    const struct isa_launch *launch = &checker->launch[i];
    checker->first_group[i] = next;
    next += launch->groups[0] * launch->groups[1] * launch->groups[2];
  }
  checker->next_base = next;
}

static void ignore_pipes(struct checker *checker) {
  const struct isa_memory *memory = checker->launch[0].memory;
  for (size_t i = 0; i < memory->pipe_count; i++)
    shadow_ignore(&checker->global, memory->pipes[i].base,
                  isa_pipe_bytes(memory->pipes[i].packet_size, memory->pipes[i].max_packets));
}

static void begin(struct checker *checker, const struct isa_launch *launches, size_t count) {
  checker->launch_count = (uint32_t)count;
  checker->site_count = 0;
  checker->flow.found = false;
  checker->has_fences = checker->syncs_groups = checker->orders_warps = false;
  hb_free(checker);
  packets_free(checker);
  memcpy(checker->launch, launches, count * sizeof *launches);
  number_groups(checker);
  ignore_pipes(checker);
  for (uint32_t i = 0; i < count; i++) {
    make_acts(checker, i);
    check_directions(checker, i);
  }
}

static void launch(void *self, const struct isa_launch *launches, size_t count) {
  const struct check_unit *unit = self;
  if (unit->filter.cu == 0)
    begin(unit->checker, launches, count);
}

/* ---- groups and warps ------------------------------------------------------------------------ */

/* All its warps have ended. Its data must stay, because replies about pipes may still arrive. */
static void end_group(struct check_unit *unit, struct check_group *group) {
  const bool diverged = group->pending[group->calls % CHECK_AHEAD].arrived; /* some warps wait at a call that others
                                                                             * never reached */
  if (group->broken || diverged)
    return;
  unwritten_settle(unit, group);
  events_end(unit, group);
}

static void forget_group(struct check_group *group) {
  order_forget(group);
  hb_free_group(group);
  unwritten_free(group);
  packets_free_group(group);
  *group = (struct check_group){0};
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t number, uint32_t linear,
                                           uint32_t lds_base, cycle_t now) {
  struct check_unit *unit = self;
  const struct isa_group *shape =
      warp_source_call(unit->filter.inner, start_group, slot, number, linear, lds_base, now);
  struct check_group *group = &unit->groups[slot];
  forget_group(group);
  *group = (struct check_group){.shape = shape,
                                .number = unit->checker->first_group[number] + linear + 1,
                                .launch = number,
                                .warps = shape->warps,
                                .left = shape->warps};
  order_start(group);
  unwritten_start(unit, group);
  return shape;
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct check_unit *unit = self;
  struct check_warp *warp = &unit->warps[slot];
  hb_free_warp(warp);
  packets_free_warp(warp);
  divergence_free_warp(warp);
  undefined_free_warp(warp);
  copies_free_warp(warp);
  *warp = (struct check_warp){.number = unit->groups[group_slot].number, .group = group_slot, .index = index};
  return warp_source_call(unit->filter.inner, start_warp, slot, group_slot, index);
}

/* ---- hazards that the executor found ----------------------------------------------------------- */

/* Functions of a sub-group have no part in the order of the group's accesses. */
static bool parts_the_group(enum isa_hazard_rule rule) {
  return rule == HAZARD_G1 || (check_is_divergence(rule) && rule != HAZARD_S1);
}

/* The group of a hazard, if it is in this unit. */
static struct check_group *group_of(struct check_unit *unit, uint32_t launch, const uint32_t id[3]) {
  for (uint32_t slot = 0; slot < unit->group_count; slot++) {
    struct check_group *group = &unit->groups[slot];
    if (group->shape && group->launch == launch && !memcmp(group->shape->id, id, sizeof group->shape->id))
      return group;
  }
  return NULL;
}

static const struct check_warp *warp_of(const struct check_unit *unit, const struct check_group *group,
                                        uint32_t index) {
  for (uint32_t slot = 0; slot < unit->warp_count; slot++)
    if (unit->warps[slot].number == group->number && unit->warps[slot].index == index)
      return &unit->warps[slot];
  return NULL;
}

/* Hazards of an id. After work-items diverged at a reserve call, their id is invalid, so its hazards mean nothing. */
static bool is_of_an_id(enum isa_hazard_rule rule) {
  return rule == HAZARD_R2 || rule == HAZARD_R3 || rule == HAZARD_R4 || rule == HAZARD_R8 || rule == HAZARD_R9 ||
         rule == HAZARD_R11;
}

/* The executor's hazards arrive here first, because the checker knows more about ids of pipes. */
static void take_report(void *self, const struct isa_launch *launch, const struct isa_hazard *hazard) {
  struct check_unit *unit = self;
  unit->reported |= parts_the_group(hazard->rule);
  if (check_is_divergence(hazard->rule) && !unit->has_missing) {
    unit->has_missing = true;
    unit->missing = *hazard;
    return;
  }
  struct check_group *group = is_of_an_id(hazard->rule) ? group_of(unit, launch->number, hazard->group) : NULL;
  if (group && group->broken)
    return;
  if (hazard->rule == HAZARD_R2 || hazard->rule == HAZARD_R4 || hazard->rule == HAZARD_R8) {
    const struct check_warp *warp = group ? warp_of(unit, group, hazard->item / group->shape->launch->warp_size) : NULL;
    if (warp && packets_take(unit, group, warp, hazard))
      return;
  }
  source_filter_report(launch, hazard);
}

/* Runs after the step that reported it: only then is it known which lanes are at the call. */
static void report_missing(struct check_unit *unit, const struct check_group *group, const struct check_warp *warp,
                           uint64_t here) {
  unit->has_missing = false;
  if (!divergence_report_lanes(unit, group, warp, &unit->missing, here))
    source_filter_report(unit->filter.filtered[group->launch].outer, &unit->missing);
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* Loads, and all atomics except atomic stores. */
static bool reads(const struct isa_inst *inst) { return isa_rows[inst->op].access != ISA_ACCESS_STORE; }

/* The lanes of an LDS access that are not in the compiler's scratch. */
static uint64_t beside_scratch(const struct check_group *group, const struct isa_access *access) {
  const struct isa_kernel *kernel = group->shape->launch->kernel;
  const uint64_t start = (uint64_t)group->shape->lds_base + kernel->scratch;
  uint64_t mask = access->mask;
  for (uint64_t left = kernel->scratch_bytes ? mask : 0; left; left &= left - 1) {
    const uint64_t address = access->address[__builtin_ctzll(left)];
    if (address >= start && address - start < kernel->scratch_bytes)
      mask &= ~(left & -left);
  }
  return mask;
}

static void step_access(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                        const struct act_row *row, const struct isa_access *access) {
  const uint64_t mask = row->space == CHECK_LDS ? beside_scratch(group, access) : access->mask;
  struct accessor accessor =
      accessor_of_warp(unit, group, warp, (enum check_space)row->space, row->site, row->kind, access->bytes);
  accessor.access = row->kind == TOUCH_WRITE ? access : NULL;
  unit->checker->counts.accesses += (uint64_t)__builtin_popcountll(access->mask);
  if (row->space == CHECK_LDS) {
    warp->lds_reads_issued += reads(access->inst) && touch_is_atomic(row->kind);
    if (reads(access->inst))
      unwritten_lanes_read(&accessor, mask, access->address);
    if (!touch_is_read(row->kind))
      unwritten_lanes_filled(&accessor, mask, access->address);
  }
  if (row->kind == TOUCH_ATOMIC && unit->checker->has_fences)
    hb_release(unit, group, warp, row, mask, access->address);
  touch_lanes(&accessor, mask, access->address);
}

/* A read of an image: touches the texels that lanes request, one of each lane at a time. */
static void step_texels(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                        const struct act_row *row, const struct isa_access *access) {
  uint64_t address[ISA_LANES];
  uint64_t left = access->mask;
  for (unsigned i = 0; left && i < ISA_IMAGE_TEXELS; i++) {
    struct accessor accessor = accessor_of_warp(unit, group, warp, CHECK_IMAGE, row->site, row->kind, access->bytes);
    uint64_t mask = 0, more = 0;
    for (uint64_t lanes = left; lanes; lanes &= lanes - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
      struct isa_samples samples;
      isa_access_samples(access, lane, &samples);
      address[lane] = samples.address[i];
      mask |= (uint64_t)!samples.border[i] << lane;
      more |= (uint64_t)(i + 1 < samples.count) << lane;
    }
    unit->checker->counts.accesses += (uint64_t)__builtin_popcountll(mask);
    touch_lanes(&accessor, mask, address);
    left = more;
  }
}

static void step_mbarrier(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                          const struct act_row *row, const struct isa_access *access) {
  const uint8_t format = isa_rows[access->inst->op].format;
  struct accessor accessor =
      accessor_of_warp(unit, group, warp, CHECK_LDS, row->site,
                       format == FORMAT_MBARRIER_INIT ? TOUCH_WRITE : TOUCH_ATOMIC, access->bytes);
  unwritten_lanes_filled(&accessor, access->mask, access->address);
  touch_lanes(&accessor, access->mask, access->address);
  for (uint64_t left = format == FORMAT_MBARRIER_ARRIVE ? access->mask : 0; left; left &= left - 1)
    hb_arrive(group, warp, (uint32_t)__builtin_ctzll(left), access->address[__builtin_ctzll(left)]);
}

static void step_call(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                      const struct act_row *row, const struct isa_result *result) {
  struct pending_call *call = order_arrive(unit, warp, row, result);
  if (!call)
    return;
  if (call->act == ACT_BARRIER && row->sync & SYNC_LDS)
    unwritten_settle(unit, group);
  events_check(unit, group, call);
  if (call->act == ACT_COPY && group->shape->items == 1) /* a single work-item's copies come after what it acquired */
    clock_join(&group->clock, &warp->clock);
  if (call->act == ACT_COPY) {
    group_ticks(group);
    copies_issue(unit, group, call, row->site);
    order_copy(group, call);
  }
  order_complete(unit, group, call, row);
}

/* Dispatches a step, once its operands are known. */
static void take_step(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                      const struct act_row *row, const struct isa_access *access, const struct isa_result *result) {
  switch ((enum act)row->act) {
  case ACT_NONE:
  case ACT_SHUFFLE:
  case ACT_BRANCH:
    break;
  case ACT_ACCESS:
    step_access(unit, group, warp, row, access);
    break;
  case ACT_TEXELS:
    step_texels(unit, group, warp, row, access);
    break;
  case ACT_LANE_COPY:
    copies_lanes(unit, group, warp, row->site, access);
    break;
  case ACT_LANE_COMMIT:
    warp->batches++;
    break;
  case ACT_LANE_WAIT:
    copies_lanes_over(unit, group, warp, (uint32_t)group->shape->launch->program->code[result->pc].imm);
    break;
  case ACT_MBARRIER:
    step_mbarrier(unit, group, warp, row, access);
    break;
  case ACT_BARRIER:
  case ACT_COPY_FENCE:
  case ACT_COPY:
  case ACT_WAIT:
    step_call(unit, group, warp, row, result);
    break;
  case ACT_FENCE:
    hb_fence(group, warp, row, result->mask);
    break;
  case ACT_IMAGE_FENCE:
    order_image_fence(group, warp);
    break;
  case ACT_WARP_BARRIER:
    order_warp_barrier(group, warp, row->sync);
    hb_fence(group, warp, row, result->mask);
    hb_converge(group, warp, row->sync);
    break;
  case ACT_PIPE_RESERVE:
    packets_reserve(group, warp, row->site, access);
    break;
  case ACT_PIPE_COMMIT:
    packets_commit(unit, warp, access);
    break;
  case ACT_PIPE_SLOT:
    packets_slot(unit, group, warp, row->site, &unit->filter.executor->warps[warp - unit->warps], result);
    break;
  }
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  struct check_unit *unit = self;
  struct check_warp *warp = &unit->warps[slot];
  struct check_group *group = &unit->groups[warp->group];
  const struct isa_warp *isa = &unit->filter.executor->warps[slot];
  const struct act_row *row = &unit->checker->acts[group->launch][isa->pc];
  if (row->act == ACT_PIPE_SLOT)
    packets_operands(warp, isa);
  if (row->act == ACT_SHUFFLE || warp->undefined)
    undefined_step(unit, group, warp, row, isa);
  const uint64_t active = isa->active;
  unit->reported = unit->has_missing = false;
  const uint32_t next = warp_source_call(unit->filter.inner, step, slot, now, access, result);
  if (row->act == ACT_BRANCH)
    divergence_branch(unit->checker, group, warp, row, active, result->mask);
  const bool calls = row->act >= ACT_BARRIER && row->act <= ACT_WAIT && result->mask;
  if (calls) {
    warp->call_pc[warp->call_count++ % CHECK_AHEAD] = result->pc;
    warp->call_lane = (uint32_t)__builtin_ctzll(result->mask);
  }
  if (unit->has_missing)
    report_missing(unit, group, warp, result->mask);
  if (row->act != ACT_NONE && result->mask && (!group->broken || row->act >= ACT_PIPE_RESERVE))
    take_step(unit, group, warp, row, access, result);
  if (result->done || (calls && (group->broken || group->left < group->warps)))
    divergence_note(unit, group);
  if (result->done) {
    if (!group->broken) {
      warp->batches++;
      copies_lanes_over(unit, group, warp, 0);
    }
    hb_free_warp(warp);
    group->last_pc = result->pc < group->last_pc || group->left == group->warps ? result->pc : group->last_pc;
    if (!--group->left)
      end_group(unit, group);
  }
  return next;
}

/* ---- what the machine reports ------------------------------------------------------------------- */

static struct check_warp *warp_at(struct check_unit *unit, const struct isa_access *access) {
  return &unit->warps[access->warp - unit->filter.executor->warps];
}

/* The warp has seen that a phase of the mbarrier is complete. */
static void pass_mbarrier(struct check_unit *unit, const struct isa_access *access) {
  struct check_warp *warp = warp_at(unit, access);
  struct check_group *group = &unit->groups[warp->group];
  if (!group->shape || (access->warp->pred[access->inst->d] & access->mask) != access->mask)
    return;
  for (uint64_t left = access->mask; left; left &= left - 1)
    hb_pass(group, warp, (uint32_t)__builtin_ctzll(left), access->address[__builtin_ctzll(left)]);
}

static void commit_atomic(struct check_unit *unit, const struct isa_access *access) {
  struct check_warp *warp = warp_at(unit, access);
  struct check_group *group = &unit->groups[warp->group];
  if (!group->shape || warp->number != group->number)
    return;
  const struct act_row *row = &unit->checker->acts[group->launch][access->pc];
  if (row->act != ACT_ACCESS || !touch_is_atomic(row->kind))
    return;
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    hb_atomic(unit, group, warp, row, lane, access->address[lane], reads(access->inst));
  }
  if (row->space == CHECK_LDS && reads(access->inst))
    hb_lds_reply(group, warp, access->mask);
}

static void commit(void *self, struct isa_access *access) {
  struct check_unit *unit = self;
  warp_source_call(unit->filter.inner, commit, access);
  if (access->copy)
    return;
  if (unit->checker->has_fences)
    commit_atomic(unit, access);
  const uint8_t format = isa_rows[access->inst->op].format;
  if (format == FORMAT_MBARRIER_TEST && !access->suspended)
    pass_mbarrier(unit, access);
  for (const struct isa_access *wait = format == FORMAT_MBARRIER_ARRIVE ? access->waits : NULL; wait;
       wait = wait->waits)
    pass_mbarrier(unit, wait);
}

static void replied(void *self, struct isa_access *access) {
  struct check_unit *unit = self;
  const struct check_warp *warp = warp_at(unit, access);
  struct check_group *group = &unit->groups[warp->group];
  if (group->shape && isa_rows[access->inst->op].format == FORMAT_PIPE_RESERVE)
    packets_reserved(unit, group, warp, access);
}

/* ---- construction ---------------------------------------------------------------------------------- */

static void start(void *self, const struct machine *machine) {
  struct check_unit *unit = self;
  unit->checker = unit->filter.filters->watcher;
  unit->written = need(machine->lds.size + 16, 1);
  unit->warps = need(machine->cu.warps, sizeof *unit->warps);
  unit->warp_count = machine->cu.warps;
  unit->groups = need(machine->cu.groups, sizeof *unit->groups);
  unit->group_count = machine->cu.groups;
}

static void end(void *self) {
  struct check_unit *unit = self;
  for (uint32_t slot = 0; slot < unit->group_count; slot++)
    forget_group(&unit->groups[slot]);
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    hb_free_warp(&unit->warps[slot]);
    packets_free_warp(&unit->warps[slot]);
    divergence_free_warp(&unit->warps[slot]);
    undefined_free_warp(&unit->warps[slot]);
    copies_free_warp(&unit->warps[slot]);
  }
  shadow_free(&unit->lds);
  free(unit->written);
  free(unit->warps);
  free(unit->groups);
}

static struct source_maker watcher_sources(void *self, const struct source_maker *inner) {
  struct checker *checker = self;
  (void)inner;
  return source_filters_maker(&checker->filters, NULL);
}

struct run_watcher checker_watcher(struct checker *checker) {
  return (struct run_watcher){.self = checker, .sources = watcher_sources};
}

struct check_counts checker_counts(const struct checker *checker) {
  return checker->counts;
}

struct checker *checker_new(void) {
  struct checker *checker = need(1, sizeof *checker);
  checker->global.base = ISA_VARIABLE_BASE;
  checker->filters = (struct source_filters){.watcher = checker,
                                             .unit_bytes = sizeof(struct check_unit),
                                             .calls = {.start_group.call = start_group,
                                                       .start_warp.call = start_warp,
                                                       .step.call = step,
                                                       .commit.call = commit,
                                                       .replied.call = replied},
                                             .start = start,
                                             .launch = launch,
                                             .report = take_report,
                                             .checked = true,
                                             .end = end};
  return checker;
}

void checker_free(struct checker *checker) {
  source_filters_free(&checker->filters);
  for (uint32_t i = 0; i < RESULT_TOGETHER; i++)
    free(checker->acts[i]);
  hb_free(checker);
  packets_free(checker);
  packets_free_reserved(checker);
  shadow_free(&checker->global);
  touch_pool_free(&checker->pool);
  hazards_free(checker);
  free(checker->sites);
  free(checker->diverged);
  free(checker);
}
