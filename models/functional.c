#include "models/functional.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "isa/ops.h"
#include "models/group.h"
#include "models/machine.h"
#include "models/mbarrier.h"
#include "models/simulation_parts.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum {
  TURN = 500,            /* most instructions of a warp per turn */
  GROUP_TURN = 8000,     /* and of a work-group */
  REPORT_EVERY = 100000, /* instructions between two progress reports */
  SPIN_ROUNDS = PIPES_SPIN_CYCLES / TURN,
  QUIET_ROUNDS = PIPES_QUIET_CYCLES / TURN,
};

/* What the files of models/cu.h get for the cycle: it never passes, so the accounts of warps stay empty. */
static const cycle_t NO_TIME = 0;

/* One of the launches that run at once. */
struct work {
  uint64_t first, groups, sent; /* number of its first group; how many there are; how many have started */
  uint32_t lds;                 /* of a group */
  uint32_t per_unit;            /* groups that fit into a unit */
  uint64_t open, most;          /* group slots in use; maximum in the machine */
  struct unit *last;            /* the launch's latest unit */
};

/* A compute unit with work-groups of one launch. */
struct unit {
  struct cu cu;
  struct executor executor;
  struct isa_launch launch; /* a copy, whose `report` leads to this unit */
  size_t number;            /* of the launch */
  uint32_t open;            /* group slots in use */
  uint64_t idle;            /* warp slots */
  uint64_t steps[CU_WARPS]; /* instructions executed by each warp */
};

struct parked {
  struct unit *unit;
  struct cu_access *access;
};

struct functional {
  struct machine machine;
  struct unit **units; /* all that were ever needed; the first `used` are in use */
  size_t unit_count, unit_room, used;
  struct isa_access access;      /* of the current instruction, unless it may have to wait */
  struct isa_access_lanes lanes; /* of `access` */
  struct parked *parked;         /* requests that wait for a pipe, oldest first */
  size_t parked_count, parked_room;
  uint64_t clock; /* instructions executed since the start */
  /* Of the current launches: */
  const struct at_once *all;
  struct work work[RESULT_TOGETHER];
  const struct progress *progress;
  uint64_t limit, report_at;
  uint64_t groups, done;
  cycle_t round;         /* starts at 1 */
  bool dismissed;        /* the autorun kernels must end: models/pipes.h */
  cycle_t changed;       /* last round in which global memory or a pipe changed, or a group started or ended */
  bool stopped;          /* ended before all groups did */
  enum launch_end ended; /* if stopped: why */
};

/* ---- units -------------------------------------------------------------------------------------- */

static void unit_free(struct unit *unit) {
  for (uint32_t i = 0; unit->cu.groups && i < unit->cu.params->groups; i++)
    free(unit->cu.groups[i].events);
  cu_free_accesses(&unit->cu);
  free(unit->cu.groups);
  free(unit->cu.warps);
  free(unit->cu.operands);
  free(unit->cu.kernels);
  executor_free(&unit->executor);
  free(unit);
}

static void copy_now(struct cu *cu, const struct dma_descriptor *copy) {
  struct unit *unit = (struct unit *)(void *)cu;
  executor_copy_now(&unit->executor, cu->dma_params, copy);
}

static void unit_new(struct functional *functional) {
  const struct machine *machine = &functional->machine;
  struct unit *unit = need(1, sizeof *unit);
  *vector_next(functional->units, functional->unit_count, functional->unit_room) = unit;
  executor_init(&unit->executor, machine, NULL, NULL);
  unit->cu = (struct cu){
      .params = &machine->cu,
      .all_lanes = machine->cu.warp_size == 64 ? UINT64_MAX : (UINT64_C(1) << machine->cu.warp_size) - 1,
      .dma_params = &machine->dma,
      .source = &unit->executor.source,
      .warps = need(machine->cu.warps, sizeof *unit->cu.warps),
      .groups = need(machine->cu.groups, sizeof *unit->cu.groups),
      .lsu.accesses = need(machine->cu.warps, sizeof *unit->cu.lsu.accesses),
      .copy = {.engines = 1, .copy_now = copy_now},
  };
}

/* Prepares the next unit for groups of launch `number`. */
static void add_unit(struct functional *functional, size_t number) {
  const struct at_once *all = functional->all;
  struct work *work = &functional->work[number];
  if (functional->used == functional->unit_count)
    unit_new(functional);
  struct unit *unit = work->last = functional->units[functional->used++];
  struct cu *cu = &unit->cu;
  unit->number = number;
  unit->open = 0;
  unit->idle = UINT64_MAX >> (CU_WARPS - cu->params->warps);
  cu_launch(cu, 1, 0);
  unit->launch = *all->launches[number];
  unit->launch.report = cu_report;
  unit->launch.report_context = cu->kernels;
  cu_launch_kernel(cu, &unit->launch, work->lds, all->copies[number], all->results[number].by_pc);
  cu->source->launch.call(cu->source->launch.self, &unit->launch, 1);
}

/* Doubles the group slots of each launch, up to the groups that are left. Returns whether there are more slots. */
static bool widen(struct functional *functional) {
  bool wider = false;
  for (size_t i = 0; i < functional->all->count; i++) {
    struct work *work = &functional->work[i];
    const uint64_t more = cycle_min(work->open ? work->open : 1, work->groups - work->sent);
    for (uint64_t slot = 0; slot < more && work->open < work->most; slot++) {
      if (!work->last || work->last->open == work->per_unit)
        add_unit(functional, i);
      work->last->open++;
      work->open++;
      wider = true;
    }
  }
  return wider;
}

/* ---- work-groups ----------------------------------------------------------------------------------- */

static void start_warp(struct unit *unit, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct cu *cu = &unit->cu;
  struct cu_warp *warp = cu_warp(cu, slot);
  *warp =
      (struct cu_warp){.kernel = cu->kernels, .scheduler = cu->issue.schedulers, .group = group_slot, .index = index};
  cu_give_operands(cu, slot);
  warp->pc = cu->source->start_warp.call(cu->source->start_warp.self, slot, group_slot, index);
  cu->groups[group_slot].warps |= cu_bit(slot);
  unit->idle &= ~cu_bit(slot);
  unit->steps[slot] = 0;
  cu_plan(cu, slot, NO_TIME, NO_TIME);
}

/* Starts the launch's next group in the slot. False: there is none. */
static bool start_group(struct functional *functional, struct unit *unit, uint32_t slot) {
  struct work *work = &functional->work[unit->number];
  if (work->sent == work->groups)
    return false;
  const struct cu_start start = {.linear = (uint32_t)(work->first + work->sent++)};
  const struct isa_group *shape = cu_open_group(&unit->cu, slot, &start, NO_TIME);
  for (uint32_t index = 0; index < shape->warps; index++)
    start_warp(unit, (uint32_t)__builtin_ctzll(unit->idle), slot, index);
  return true;
}

static void exit_warp(struct unit *unit, uint32_t slot) {
  struct cu *cu = &unit->cu;
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  group_exit(cu, slot);
  warp->state = WARP_DONE;
  cu->issue.schedulers[0].ready &= ~cu_bit(slot);
  group->finished++;
  group_finish(cu, warp->group, NO_TIME);
  if (!group->active)
    unit->idle |= group->warps;
}

/* ---- accesses --------------------------------------------------------------------------------------- */

/* Whether the access may have to wait for other warps. It must not share functional->access then. */
static bool may_wait(const struct isa_info *info) { return info->class_ == ISA_CLASS_PIPE || is_mbarrier(info); }

static struct isa_access *own_access(struct cu *cu, uint32_t slot) {
  if (!cu->lsu.accesses[slot])
    cu_make_access(cu, slot);
  cu->lsu.accesses[slot]->warp = slot;
  return &cu->lsu.accesses[slot]->isa;
}

static void wake(struct cu *cu, uint32_t slot) {
  cu_warp(cu, slot)->suspended = false;
  cu_plan(cu, slot, NO_TIME, NO_TIME);
}

/* Returns whether the warp continues. */
static bool commit_mbarrier(struct cu *cu, uint32_t slot, struct isa_access *access) {
  isa_access_commit(access);
  isa_mbarrier_report(access);
  if (access->inst->op == ISA_MBARRIER_TRY_WAIT && access->suspended) {
    cu_warp(cu, slot)->suspended = true;
    cu_block(cu, slot, STALL_BARRIER, NO_TIME);
    return false;
  }
  for (struct isa_access *wait = access->inst->op == ISA_MBARRIER_ARRIVE ? access->waits : NULL, *next; wait;
       wait = next) {
    next = wait->waits;
    wake(cu, ((struct cu_access *)(void *)wait)->warp);
  }
  return true;
}

/* A request of a pipe has been served. */
static void end_pipe(const struct functional *functional, struct cu_warp *warp, const struct isa_access *access) {
  isa_pipe_report(access);
  if (!access->pipe.refused)
    return;
  warp->refused_at = functional->round;
  warp->refused_pc = access->pc;
  warp->refused_by = access->address[__builtin_ctzll(access->pipe.refused)];
}

static void park(struct functional *functional, struct unit *unit, uint32_t slot) {
  *vector_next(functional->parked, functional->parked_count, functional->parked_room) =
      (struct parked){unit, unit->cu.lsu.accesses[slot]};
  cu_block(&unit->cu, slot, STALL_PIPE, NO_TIME);
}

/* Like pipes_serve() in timed runs. */
static void commit_or_refuse(const struct functional *functional, struct isa_access *access) {
  isa_access_commit(access);
  if (functional->dismissed)
    isa_pipe_dismiss(access);
}

/* Serves the oldest request that can be served now, as in models/pipes.h. False: none can. */
static bool unpark(struct functional *functional) {
  for (size_t i = 0; i < functional->parked_count; i++) {
    const struct parked parked = functional->parked[i];
    commit_or_refuse(functional, &parked.access->isa);
    if (parked.access->isa.pipe.waiting)
      continue;
    memmove(&functional->parked[i], &functional->parked[i + 1],
            (--functional->parked_count - i) * sizeof *functional->parked);
    end_pipe(functional, cu_warp(&parked.unit->cu, parked.access->warp), &parked.access->isa);
    wake(&parked.unit->cu, parked.access->warp);
    return true;
  }
  return false;
}

static bool commit_pipe(struct functional *functional, struct unit *unit, uint32_t slot, struct isa_access *access) {
  commit_or_refuse(functional, access);
  if (access->pipe.changed)
    functional->changed = functional->round;
  if (access->pipe.waiting) {
    park(functional, unit, slot);
    return false;
  }
  end_pipe(functional, cu_warp(&unit->cu, slot), access);
  while (access->pipe.changed && unpark(functional))
    continue;
  return true;
}

/* ---- instructions ------------------------------------------------------------------------------------ */

static inline void count(const struct cu *cu, struct cu_kernel *kernel, const struct isa_result *result) {
  struct pc_result *by_pc = &kernel->by_pc[result->pc];
  const uint64_t lanes =
      result->mask == cu->all_lanes ? cu->params->warp_size : (uint64_t)__builtin_popcountll(result->mask);
  kernel->stats.warp_instructions++;
  kernel->stats.lane_instructions += lanes;
  kernel->stats.divergent_branches += result->diverged;
  by_pc->issues++;
  by_pc->lanes += lanes;
}

/* Executes an instruction that leaves the execution units. Returns whether the warp continues. */
static bool execute(struct functional *functional, struct unit *unit, uint32_t slot, const struct isa_info *info,
                    struct isa_access *access, const struct isa_result *result) {
  struct cu *cu = &unit->cu;
  struct cu_warp *warp = cu_warp(cu, slot);
  switch ((enum isa_class)info->class_) {
  case ISA_CLASS_GLOBAL:
    if (info->store || info->atomic)
      functional->changed = functional->round;
    if (access->mask)
      isa_access_commit(access);
    return true;
  case ISA_CLASS_LDS:
  case ISA_CLASS_COPY_LANE:
  case ISA_CLASS_TEXTURE:
    if (access->mask)
      isa_access_commit(access);
    return true;
  case ISA_CLASS_MBARRIER:
  case ISA_CLASS_PHASE:
    warp->charged = result->pc;
    return !access->mask || commit_mbarrier(cu, slot, access);
  case ISA_CLASS_PIPE:
    warp->charged = result->pc;
    return !access->mask || commit_pipe(functional, unit, slot, access);
  case ISA_CLASS_BARRIER:
  case ISA_CLASS_COPY_FENCE:
  case ISA_CLASS_COPY:
  case ISA_CLASS_WAIT:
    if (!result->mask)
      return true;
    if (info->to_global)
      functional->changed = functional->round;
    warp->charged = result->pc;
    warp->pc = unit->executor.warps[slot].pc;
    group_arrive(cu, slot, result->pc, result, NO_TIME);
    return cu->issue.schedulers[0].ready & cu_bit(slot);
  default:
    return true;
  }
}

static void report_progress(struct functional *functional) {
  const struct progress *progress = functional->progress;
  functional->report_at = functional->clock + REPORT_EVERY;
  if (!progress || progress->report(progress->context, 0, functional->done, functional->groups))
    return;
  functional->stopped = true;
  functional->ended = END_STOPPED;
}

/* Runs the warp for a turn. Returns whether it stopped because it waits or has ended. */
static bool run_warp(struct functional *functional, struct unit *unit, uint32_t slot) {
  struct cu *cu = &unit->cu;
  struct cu_scheduler *scheduler = cu->issue.schedulers;
  struct isa_warp *warp = &unit->executor.warps[slot];
  const struct isa_info *infos = cu->kernels->info;
  const uint64_t start = functional->clock;
  uint64_t end = start + cycle_min(TURN, functional->limit - unit->steps[slot]);
  bool goes_on = true;
  cu->now = start;
  while (goes_on && functional->clock < end) {
    const struct isa_info *info = &infos[warp->pc];
    struct isa_access *access = may_wait(info) ? own_access(cu, slot) : &functional->access;
    struct isa_result result;
    warp->clock = functional->clock++;
    isa_step(warp, access, &result);
    count(cu, cu->kernels, &result);
    if (result.done) {
      cu_warp(cu, slot)->charged = result.pc;
      exit_warp(unit, slot);
      goes_on = false;
    } else if (!cu_on_unit(info)) {
      scheduler->ready &= ~cu_bit(slot);
      goes_on = execute(functional, unit, slot, info, access, &result);
      end = info->class_ == ISA_CLASS_YIELD ? functional->clock : end;
    }
  }
  unit->steps[slot] += functional->clock - start;
  if (goes_on) {
    cu_warp(cu, slot)->charged = warp->pc;
    scheduler->ready |= cu_bit(slot);
  }
  if (goes_on && unit->steps[slot] == functional->limit) {
    functional->stopped = true;
    functional->ended = END_CYCLE_LIMIT;
  }
  if (functional->clock >= functional->report_at && !functional->stopped)
    report_progress(functional);
  return !goes_on;
}

/* Runs the group for a turn: in passes over its warps that can continue, while at least one of them stops at a wait. */
static void run_group(struct functional *functional, struct unit *unit, uint32_t slot) {
  const struct cu_group *group = &unit->cu.groups[slot];
  const struct cu_scheduler *scheduler = unit->cu.issue.schedulers;
  const uint64_t end = functional->clock + GROUP_TURN;
  bool waits = true;
  while (waits && group->active && functional->clock < end) {
    waits = false;
    for (uint64_t left = scheduler->ready & group->warps; left && !functional->stopped; left &= left - 1)
      waits |= run_warp(functional, unit, (uint32_t)__builtin_ctzll(left));
  }
}

/* Runs groups in the slot, one after the other, while each one ends within its turn. */
static void run_slot(struct functional *functional, struct unit *unit, uint32_t slot) {
  const struct cu_group *group = &unit->cu.groups[slot];
  while (!functional->stopped && (group->active || start_group(functional, unit, slot))) {
    run_group(functional, unit, slot);
    if (group->active)
      return;
    functional->done++;
    functional->changed = functional->round;
  }
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

/* Kernels have spun for `rounds` rounds on pipes, and nothing has changed. */
static bool spins(const struct functional *functional, cycle_t rounds) {
  bool refused = false;
  if (functional->round < functional->changed + rounds || !functional->all->results[0].pipe_count)
    return false;
  for (size_t i = 0; i < functional->used; i++) {
    const struct unit *unit = functional->units[i];
    uint64_t parked = 0;
    for (size_t j = 0; j < functional->parked_count; j++)
      parked |= functional->parked[j].unit == unit ? cu_bit(functional->parked[j].access->warp) : 0;
    if (!cu_only_refused(&unit->cu, functional->round, parked, &refused))
      return false;
  }
  return refused;
}

/* Work-groups of a launch that have ended. */
static uint64_t ended(const struct functional *functional, size_t index) {
  uint64_t count = 0;
  for (size_t i = 0; i < functional->used; i++)
    if (functional->units[i]->number == index)
      count += functional->units[i]->cu.kernels->stats.work_groups;
  return count;
}

/* As in timed runs. */
static bool dismissible(const struct functional *functional) {
  const struct at_once *all = functional->all;
  for (size_t i = 0; i < all->count; i++)
    if (!all->launches[i]->kernel->autorun[0] && ended(functional, i) < functional->work[i].groups)
      return false;
  return !functional->dismissed;
}

static void dismiss(struct functional *functional) {
  functional->dismissed = true;
  while (unpark(functional))
    continue;
}

static enum launch_end run_rounds(struct functional *functional) {
  while (functional->done < functional->groups) {
    const uint64_t before = functional->clock;
    const bool wider = widen(functional);
    functional->round++;
    for (size_t i = 0; i < functional->used; i++)
      for (uint32_t slot = 0; slot < functional->units[i]->open; slot++)
        run_slot(functional, functional->units[i], slot);
    if (functional->done == functional->groups)
      break;
    if (functional->stopped)
      return functional->ended;
    if (wider)
      functional->changed = functional->round;
    const bool stuck = !wider && functional->clock == before;
    if ((stuck || spins(functional, QUIET_ROUNDS)) && dismissible(functional))
      dismiss(functional);
    else if (stuck || spins(functional, SPIN_ROUNDS))
      return END_DEADLOCK;
  }
  return END_FINISHED;
}

/* ---- launches ----------------------------------------------------------------------------------------- */

static struct work work_of(const struct machine *machine, const struct at_once *all, size_t index) {
  const struct occupancy *fit = &all->results[index].occupancy;
  uint32_t per_unit = UINT32_MAX;
  for (unsigned limit = 0; limit < LIMIT_WORK; limit++)
    per_unit = fit->groups[limit] < per_unit ? fit->groups[limit] : per_unit;
  return (struct work){.first = all->launches[index]->first_group,
                       .groups = all->results[index].work_groups,
                       .lds = fit->lds_per_group,
                       .per_unit = per_unit,
                       .most = (uint64_t)per_unit * machine->cu.count};
}

static void begin(struct functional *functional, const struct at_once *all) {
  struct isa_memory *memory = all->launches[0]->memory;
  functional->groups = functional->done = 0;
  for (size_t i = 0; i < all->count; i++) {
    all->launches[i]->number = (uint32_t)i;
    functional->work[i] = work_of(&functional->machine, all, i);
    functional->groups += functional->work[i].groups;
  }
  for (size_t i = 0; memory && i < memory->pipe_count; i++)
    isa_pipe_launch(&memory->pipes[i], functional->machine.mem.pipe_reservations);
  functional->used = functional->parked_count = 0;
  functional->round = functional->changed = 0;
  functional->stopped = functional->dismissed = false;
  functional->report_at = functional->clock + REPORT_EVERY;
}

/* Like collect_pipes() in models/result.c. */
static void collect_pipes(const struct functional *functional, struct launch_result *result, size_t index) {
  for (size_t i = 0; i < result->pipe_count; i++) {
    const struct isa_pipe *pipe = &functional->all->launches[index]->memory->pipes[i];
    size_t unit = 0;
    while (unit < functional->used && functional->units[unit]->number != index)
      unit++;
    if (result->end == END_FINISHED && unit < functional->used)
      isa_pipe_end(pipe, (uint32_t)index, cu_report, functional->units[unit]->cu.kernels);
    result->pipes[i] =
        (struct pipe_result){.pipe = pipe, .stats = pipe->stats, .left = isa_pipe_available(pipe, ISA_PIPE_READ)};
  }
}

static void collect(const struct functional *functional, size_t index, enum launch_end end) {
  struct launch_result *result = &functional->all->results[index];
  const struct work *work = &functional->work[index];
  cycle_t hazard_cycles[RESULT_HAZARDS] = {0};
  result->functional = true;
  result->end = ended(functional, index) == work->groups ? END_FINISHED : end;
  result->never_started = work->groups - work->sent;
  collect_pipes(functional, result, index);
  for (size_t i = 0; i < functional->used; i++)
    if (functional->units[i]->number == index)
      simulation_collect_kernel(result, hazard_cycles, &functional->units[i]->cu, functional->units[i]->cu.kernels,
                                functional->changed);
}

/* Ends the accounts of groups that are left, in a deadlock or when cut short. */
static void abandon(const struct functional *functional, enum launch_end end) {
  for (size_t i = 0; end == END_DEADLOCK && i < functional->parked_count; i++) {
    const struct parked *parked = &functional->parked[i];
    simulation_mark_refused(cu_warp(&parked->unit->cu, parked->access->warp), &parked->access->isa);
  }
  for (size_t i = 0; i < functional->used; i++)
    cu_abandon(&functional->units[i]->cu, NO_TIME);
}

void functional_run(struct functional *functional, struct isa_launch *const *launches, size_t count, uint64_t limit,
                    const struct progress *progress, struct launch_result *results) {
  const struct at_once all = {launches, results, count, {false}};
  assert(count && count <= RESULT_TOGETHER && "the caller has counted them");
  functional->all = &all;
  functional->progress = progress;
  functional->limit = limit;
  for (size_t i = 0; i < count; i++)
    simulation_prepare_result(&functional->machine, &all, i);
  begin(functional, &all);
  const enum launch_end end = run_rounds(functional);
  if (end != END_FINISHED)
    abandon(functional, end);
  for (size_t i = 0; i < count; i++)
    collect(functional, i, end);
}

struct functional *functional_new(const struct machine *machine) {
  struct functional *functional = need(1, sizeof *functional);
  functional->access = isa_access_with(&functional->lanes);
  functional->machine = *machine;
  /* Without time, no warp issues between its arrival at a barrier and its release. */
  functional->machine.cu.barrier_blocks = CU_BARRIER_BLOCKS_ALL;
  return functional;
}

void functional_free(struct functional *functional) {
  if (!functional)
    return;
  for (size_t i = 0; i < functional->unit_count; i++)
    unit_free(functional->units[i]);
  free(functional->units);
  free(functional->parked);
  free(functional);
}
