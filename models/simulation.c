#include "models/simulation.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/dispatcher.h"
#include "models/executor.h"

/* A compute unit with all that advances together with it. */
struct node {
  struct island island;
  struct cu cu;
  struct lds lds;
  struct dma dma[LDS_ENGINES];
  struct mem_port port;
  struct executor executor;
};

struct simulation {
  struct machine machine;
  struct island uncore;
  struct memory memory;
  struct dispatcher dispatcher;
  struct node *nodes;
  struct cu **cus; /* of the nodes, for the dispatcher */
  struct island **islands;
  cycle_t start; /* of the next launch */
};

/* ---- occupancy -------------------------------------------------------------------------- */

static uint32_t round_up(uint32_t value, uint32_t unit) { return (uint32_t)(div_up(value, unit) * unit); }

static uint32_t fit(uint32_t have, uint64_t need) { return need ? (uint32_t)(have / need) : UINT32_MAX; }

struct occupancy simulation_occupancy(const struct machine *machine, const struct isa_launch *launch) {
  const struct cu_params *cu = &machine->cu;
  uint64_t groups = (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2];
  uint32_t row = machine->lds.banks * machine->lds.bank_bytes;
  uint64_t items = (uint64_t)launch->local[0] * launch->local[1] * launch->local[2];
  struct occupancy occupancy = {
      .warps_per_group = (uint32_t)div_up(items, launch->warp_size),
      .registers_per_warp = round_up(launch->kernel->registers * launch->warp_size, cu->register_unit),
      .lds_per_group = round_up(launch->lds_bytes, cu->lds_unit > row ? cu->lds_unit : row),
  };
  uint64_t work = div_up(groups, cu->count);
  occupancy.groups[LIMIT_WARPS] = fit(cu->warps, occupancy.warps_per_group);
  occupancy.groups[LIMIT_GROUPS] = cu->groups;
  occupancy.groups[LIMIT_REGISTERS] =
      fit(cu->registers, (uint64_t)occupancy.registers_per_warp * occupancy.warps_per_group);
  occupancy.groups[LIMIT_LDS] = fit(machine->lds.size, occupancy.lds_per_group);
  occupancy.groups[LIMIT_WORK] = work < UINT32_MAX ? (uint32_t)work : UINT32_MAX;
  occupancy.groups_per_cu = UINT32_MAX;
  for (unsigned i = 0; i < OCCUPANCY_LIMITS; i++)
    if (occupancy.groups[i] < occupancy.groups_per_cu) {
      occupancy.groups_per_cu = occupancy.groups[i];
      occupancy.limit = (enum occupancy_limit)i;
    }
  return occupancy;
}

/* ---- construction ----------------------------------------------------------------------- */

static void lds_commit_warp(void *context, uint32_t tag) {
  struct node *node = context;
  const struct warp_source *source = &node->executor.source;
  source->commit(source->self, &node->cu.accesses[tag].isa);
}

static void lds_commit_dma(void *context, unsigned engine, uint32_t tag) {
  struct node *node = context;
  const struct warp_source *source = &node->executor.source;
  source->commit_dma_lds(source->self, engine, tag);
}

static void add_probes(struct node *node, unsigned engines) {
  struct island *island = &node->island;
  island_probe(island, &node->cu.component, "resident_warps", &node->cu.probe_resident, 7);
  island_probe(island, &node->cu.component, "issued", &node->cu.probe_issued, 4);
  island_probe(island, &node->lds.component, "warp_banks", &node->lds.probe_warp_banks, 7);
  island_probe(island, &node->lds.component, "dma_banks", &node->lds.probe_dma_banks, 7);
  island_probe(island, &node->port.component, "messages", &node->port.probe_messages, 32);
  for (unsigned engine = 0; engine < engines; engine++) {
    struct dma *dma = &node->dma[engine];
    island_probe(island, &dma->component, "queue", &dma->probe_queue, 10);
    island_probe(island, &dma->component, "channels", &dma->probe_channels, 7);
    island_probe(island, &dma->component, "outstanding", &dma->probe_outstanding, 13);
  }
}

/* Names of engines' components, for waveforms and reports. */
static const char *const engine_names[LDS_ENGINES] = {"dma0", "dma1", "dma2", "dma3", "dma4", "dma5", "dma6", "dma7"};

static bool node_init(struct simulation *simulation, uint32_t index) {
  const struct machine *machine = &simulation->machine;
  struct node *node = &simulation->nodes[index];
  const struct warp_source *source = &node->executor.source;
  struct component *cu = &node->cu.component, *engine_components[LDS_ENGINES] = {0};
  unsigned engines = machine->dma.engines;
  for (unsigned engine = 0; engine < engines; engine++)
    engine_components[engine] = &node->dma[engine].component;
  struct lds_commit commit = {node, lds_commit_warp, lds_commit_dma};

  bool built = lds_init(&node->lds, &machine->lds, &commit, cu, engine_components, engines);
  for (unsigned engine = 0; built && engine < engines; engine++)
    built = dma_init(&node->dma[engine], &machine->dma, cu, &node->port.component, machine->mem.link_latency,
                     &node->lds.from_dma[engine], &node->lds.to_dma[engine]);
  built = built && mem_port_init(&node->port, machine, cu, node->dma, &simulation->memory.component) &&
          executor_init(&node->executor, machine, node->dma) &&
          cu_init(&node->cu, index, machine, &simulation->dispatcher.component, &node->lds, node->dma, &node->port,
                  source) &&
          memory_connect(&simulation->memory, index, &node->port, cu, node->dma, engines, source, machine);
  if (!built)
    return false;
  node->cu.from_memory = &simulation->memory.clients[index].to_cu;
  simulation->cus[index] = &node->cu;

  struct island *island = &node->island;
  snprintf(island->name, sizeof island->name, "cu%u", index);
  island->lookahead = cycle_min(machine->mem.link_latency, machine->cu.dispatch_latency);
  island_add(island, cu);
  island_add(island, &node->lds.component);
  for (unsigned engine = 0; engine < engines; engine++) {
    node->dma[engine].component.name = engine_names[engine];
    island_add(island, &node->dma[engine].component);
  }
  island_add(island, &node->port.component);
  add_probes(node, engines);
  return true;
}

static void node_free(struct node *node, unsigned engines) {
  cu_free(&node->cu);
  executor_free(&node->executor);
  mem_port_free(&node->port);
  for (unsigned engine = 0; engine < engines; engine++)
    dma_free(&node->dma[engine]);
  lds_free(&node->lds);
}

static bool uncore_init(struct simulation *simulation) {
  const struct machine *machine = &simulation->machine;
  struct island *uncore = &simulation->uncore;
  if (!memory_init(&simulation->memory, machine) ||
      !dispatcher_init(&simulation->dispatcher, simulation->cus, machine->cu.count))
    return false;
  snprintf(uncore->name, sizeof uncore->name, "uncore");
  uncore->lookahead = cycle_min(machine->mem.link_latency, machine->cu.dispatch_latency);
  island_add(uncore, &simulation->dispatcher.component);
  island_add(uncore, &simulation->memory.component);
  island_probe(uncore, &simulation->dispatcher.component, "groups_left", &simulation->dispatcher.probe_left, 32);
  island_probe(uncore, &simulation->memory.component, "under_way", &simulation->memory.probe_events, 16);
  return true;
}

struct simulation *simulation_new(const struct machine *machine) {
  struct simulation *simulation = calloc(1, sizeof *simulation);
  if (!simulation)
    return NULL;
  uint32_t count = machine->cu.count;
  simulation->machine = *machine;
  simulation->nodes = calloc(count, sizeof *simulation->nodes);
  simulation->cus = calloc(count, sizeof *simulation->cus);
  simulation->islands = calloc(count + 1, sizeof(struct island *));
  bool built = simulation->nodes && simulation->cus && simulation->islands && uncore_init(simulation);
  for (uint32_t i = 0; built && i < count; i++)
    built = node_init(simulation, i);
  if (!built) {
    simulation_free(simulation);
    return NULL;
  }
  simulation->islands[0] = &simulation->uncore;
  for (uint32_t i = 0; i < count; i++)
    simulation->islands[1 + i] = &simulation->nodes[i].island;
  return simulation;
}

void simulation_free(struct simulation *simulation) {
  if (!simulation)
    return;
  for (uint32_t i = 0; simulation->nodes && i < simulation->machine.cu.count; i++)
    node_free(&simulation->nodes[i], simulation->machine.dma.engines);
  dispatcher_free(&simulation->dispatcher);
  memory_free(&simulation->memory);
  free(simulation->nodes);
  free(simulation->cus);
  free(simulation->islands);
  free(simulation);
}

struct island **simulation_islands(struct simulation *simulation, size_t *count) {
  *count = simulation->machine.cu.count + 1;
  return simulation->islands;
}

void simulation_attach(struct simulation *simulation, struct outside *outside) {
  memory_attach(&simulation->memory, outside);
  /* Completions come from the host's present: the memory must not be ahead of it. */
  simulation->uncore.lookahead = 1;
}

void simulation_show_every_cycle(struct simulation *simulation) {
  for (uint32_t i = 0; i < simulation->machine.cu.count; i++) {
    simulation->nodes[i].lds.every_cycle = true;
    simulation->nodes[i].cu.every_cycle = true;
  }
}

/* ---- a launch --------------------------------------------------------------------------- */

static bool prepare(struct simulation *simulation, struct isa_launch *launch, struct launch_result *result) {
  const struct machine *machine = &simulation->machine;
  *result = (struct launch_result){
      .occupancy = simulation_occupancy(machine, launch),
      .work_groups = (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2],
      .by_pc = calloc(launch->program->count, sizeof *result->by_pc),
  };
  const size_t pipes = launch->memory ? launch->memory->pipe_count : 0;
  result->pipes = calloc(pipes + 1, sizeof *result->pipes);
  result->pipe_count = pipes;
  if (!result->by_pc || !result->pipes || !result->occupancy.groups_per_cu)
    return false;
  if (!pipes_launch(&simulation->memory.pipes, launch->memory, machine->mem.pipe_reservations,
                    machine->cu.count * machine->cu.accesses, simulation->start))
    return false;
  memory_launch(&simulation->memory, launch->memory, simulation->start);
  for (uint32_t i = 0; i < machine->cu.count; i++) {
    struct node *node = &simulation->nodes[i];
    launch->report = cu_report;
    launch->report_context = &node->cu;
    if (!executor_launch(&node->executor, machine, launch, result->occupancy.lds_per_group))
      return false;
    cu_launch(&node->cu, &node->executor.launch, result->occupancy.groups_per_cu, result->by_pc);
    node->lds.stats = (struct lds_stats){0};
    for (unsigned engine = 0; engine < machine->dma.engines; engine++) {
      struct dma *dma = &node->dma[engine];
      dma->stats = (struct dma_stats){0};
      dma->latency = (struct histogram){0};
      dma->queue_peak = 0;
      dma_timeline_start(&dma->timeline, simulation->start);
    }
  }
  return true;
}

/* Hazards of one CU join those of others; the earliest occurrence stays, ties go to the lower CU. */
static void merge_hazards(struct launch_result *result, cycle_t *cycles, const struct cu *cu) {
  result->hazards_dropped += cu->hazards_dropped;
  for (size_t i = 0; i < cu->hazard_count; i++) {
    const struct hazard_result *found = &cu->hazards[i];
    size_t at = 0;
    while (at < result->hazard_count &&
           (result->hazards[at].first.rule != found->first.rule || result->hazards[at].first.pc != found->first.pc))
      at++;
    if (at == RESULT_HAZARDS) {
      result->hazards_dropped += found->count;
    } else if (at == result->hazard_count) {
      cycles[at] = cu->hazard_cycle[i];
      result->hazards[result->hazard_count++] = *found;
    } else {
      result->hazards[at].count += found->count;
      if (cu->hazard_cycle[i] < cycles[at]) {
        cycles[at] = cu->hazard_cycle[i];
        result->hazards[at].first = found->first;
      }
    }
  }
}

static uint32_t missing_event(const struct cu_group *group) {
  for (uint32_t i = 0; i < group->wait.count; i++)
    if (group->wait.event[i] > group->events_made)
      return group->wait.event[i];
  return 0;
}

/* Warps of the group that stand at the call at `pc`. */
static uint32_t arrived_at(const struct cu *cu, const struct cu_group *group, uint32_t pc) {
  uint32_t count = 0;
  for (uint64_t arrived = group->arrived; arrived; arrived &= arrived - 1)
    count += cu->warps[__builtin_ctzll(arrived)].charged == pc;
  return count;
}

/* What the warp waits for is a pipe: it asks again and again, or its request is parked. */
static void blame_pipe(struct stuck_warp *stuck, const struct cu *cu, const struct cu_warp *warp, bool spins) {
  stuck->pc = warp->refused_pc;
  stuck->stall = isa_is_pipe_write((enum isa_op)cu->program->code[stuck->pc].op) ? STALL_PIPE_FULL : STALL_PIPE_EMPTY;
  stuck->pipe = isa_pipe_find(cu->launch->memory, warp->refused_by);
  stuck->spins = spins;
  stuck->missing = 0;
}

/* Warps whose requests are parked have been waiting for the pipe, and are marked as refused for ever. */
static void mark_parked(struct simulation *simulation) {
  const struct mem_pipes *pipes = &simulation->memory.pipes;
  for (uint32_t i = 0; i < pipes->parked_count; i++) {
    const struct mem_event *event = &simulation->memory.events[pipes->parked[i]];
    const struct isa_access *access = event->message.access;
    struct cu *cu = &simulation->nodes[event->client].cu;
    struct cu_warp *warp = cu_warp(cu, cu->accesses[event->message.tag].warp);
    warp->refused_at = NEVER;
    warp->refused_pc = access->pc;
    warp->refused_by = access->address[__builtin_ctzll(access->pipe.waiting)];
    if (warp->stall == STALL_PIPE)
      warp->stall = isa_is_pipe_write((enum isa_op)access->inst->op) ? STALL_PIPE_FULL : STALL_PIPE_EMPTY;
  }
}

static void note_stuck(struct launch_result *result, const struct cu *cu, cycle_t changed) {
  for (uint32_t slot = 0; slot < cu->params.warps; slot++) {
    const struct cu_warp *warp = &cu->warps[slot];
    if (warp->state == WARP_FREE || warp->state == WARP_DONE)
      continue;
    const struct cu_group *group = &cu->groups[warp->group];
    if (result->stuck_count < RESULT_STUCK) {
      result->stuck[result->stuck_count] = (struct stuck_warp){
          .cu = cu->index,
          .group = {group->id[0], group->id[1], group->id[2]},
          .warp = warp->index,
          .pc = warp->charged,
          .stall = warp->stall,
          .missing = group->warp_count - arrived_at(cu, group, warp->charged),
          .mismatched = group->mismatched,
          .elsewhere_pc = group->arrived_pc,
          .exited = group->exited,
          .event = warp->stall == STALL_COPY_WAIT ? missing_event(group) : 0,
      };
      if (warp->refused_at && warp->refused_at >= changed && !(group->arrived & cu_bit(slot)))
        blame_pipe(&result->stuck[result->stuck_count], cu, warp, warp->refused_at != NEVER);
    }
    result->stuck_count++;
  }
}

static void collect_node(struct launch_result *result, cycle_t *hazard_cycles, struct node *node, unsigned engines,
                         cycle_t changed) {
  stats_add(&cu_stat_group, &result->cu, &node->cu.stats);
  stats_add(&lds_stat_group, &result->lds, &node->lds.stats);
  for (unsigned engine = 0; engine < engines; engine++) {
    const struct dma *dma = &node->dma[engine];
    stats_add(&dma_stat_group, &result->dma, &dma->stats);
    histogram_merge(&result->dma_latency, &dma->latency);
    dma_timeline_add(&result->dma_timeline, &dma->timeline, result->cycles);
    if (dma->queue_peak > result->dma_queue_peak)
      result->dma_queue_peak = dma->queue_peak;
  }
  histogram_merge(&result->dma_latency, &node->cu.copy_latency);
  for (unsigned i = 0; i < STALLS; i++)
    result->stalls[i] += node->cu.stalls[i];
  result->resident_cycles += node->cu.resident_cycles;
  if (node->cu.lds_max_ways > result->lds_max_ways)
    result->lds_max_ways = node->cu.lds_max_ways;
  result->trace_hash = (result->trace_hash ^ node->cu.trace_hash) * UINT64_C(0x9e3779b97f4a7c15);
  merge_hazards(result, hazard_cycles, &node->cu);
  if (result->end == END_DEADLOCK)
    note_stuck(result, &node->cu, changed);
}

/* Reservations that nobody will commit any more are found when the launch is over. */
static void collect_pipes(struct simulation *simulation, struct launch_result *result) {
  pipes_count(&simulation->memory.pipes, simulation->start + result->cycles);
  for (size_t i = 0; i < result->pipe_count; i++) {
    const struct isa_pipe *pipe = &simulation->memory.mirror->pipes[i];
    if (result->end == END_FINISHED)
      isa_pipe_end(pipe, cu_report, &simulation->nodes[0].cu);
    result->pipes[i] =
        (struct pipe_result){.pipe = pipe, .stats = pipe->stats, .left = isa_pipe_available(pipe, ISA_PIPE_READ)};
  }
}

/* An instruction keeps its scheduler's unit from its issue until the next one may issue there: an interval. */
static void count_units(const struct isa_program *program, const struct cu *cu, struct launch_result *result) {
  for (uint32_t pc = 0; pc < program->count; pc++) {
    uint8_t class_ = program->info[pc].class_;
    result->unit_cycles[cu->unit[class_]] += result->by_pc[pc].issues * cu->interval[class_];
    result->unit_holds[cu->unit[class_]] |= result->by_pc[pc].issues && cu->interval[class_] > 1;
  }
}

static void collect(struct simulation *simulation, const struct isa_program *program, struct launch_result *result) {
  cycle_t hazard_cycles[RESULT_HAZARDS] = {0};
  result->mem = memory_stats(&simulation->memory, simulation->start + result->cycles);
  count_units(program, &simulation->nodes[0].cu, result); /* all CUs are alike, and by_pc[] is of them all */
  collect_pipes(simulation, result);
  for (uint32_t i = 0; i < simulation->machine.cu.count; i++)
    collect_node(result, hazard_cycles, &simulation->nodes[i], simulation->machine.dma.engines,
                 simulation->memory.pipes.changed);
}

/* Every work-group has ended, though the dispatcher may not know yet. */
static bool all_ended(const struct simulation *simulation) {
  uint64_t ended = 0;
  for (uint32_t i = 0; i < simulation->machine.cu.count; i++)
    ended += simulation->nodes[i].cu.stats.work_groups;
  return ended == simulation->dispatcher.groups;
}

/* Warps of a CU whose requests are parked. */
static uint64_t parked_in(const struct simulation *simulation, uint32_t client) {
  const struct mem_pipes *pipes = &simulation->memory.pipes;
  uint64_t parked = 0;
  for (uint32_t i = 0; i < pipes->parked_count; i++) {
    const struct mem_event *event = &simulation->memory.events[pipes->parked[i]];
    if (event->client == client)
      parked |= cu_bit(simulation->nodes[client].cu.accesses[event->message.tag].warp);
  }
  return parked;
}

/* Kernels spin on pipes that nobody will change any more: see models/pipes.h. */
static bool spins(const struct simulation *simulation, cycle_t now) {
  const cycle_t changed = cycle_max(simulation->memory.pipes.changed, simulation->dispatcher.last_end);
  bool refused = false;
  if (!simulation->memory.pipes.memory || !simulation->memory.pipes.memory->pipe_count ||
      now < PIPES_SPIN_CYCLES + cycle_max(changed, simulation->start))
    return false;
  for (uint32_t i = 0; i < simulation->machine.cu.count; i++)
    if (!cu_only_refused(&simulation->nodes[i].cu, now - PIPES_SPIN_CYCLES / 2, parked_in(simulation, i), &refused))
      return false;
  return refused;
}

/* Steps the islands in slices, so that progress can be told. `*cycles` is where it ended, if cut short. */
static enum launch_end run_slices(struct simulation *simulation, struct host *host, cycle_t limit,
                                  const struct progress *progress, cycle_t *cycles) {
  enum { SLICE = 100000 };
  const struct dispatcher *dispatcher = &simulation->dispatcher;
  cycle_t end = limit < NEVER - simulation->start ? simulation->start + limit : NEVER;
  for (cycle_t until = simulation->start;;) {
    until = cycle_min(until + SLICE, end);
    cycle_t next = host->run(host, until);
    if (next == NEVER)
      return dispatcher_finished(dispatcher) ? END_FINISHED : END_DEADLOCK;
    if (next >= end) {
      *cycles = limit;
      if (!all_ended(simulation))
        return END_CYCLE_LIMIT;
      host->run(host, NEVER); /* the last messages home */
      return END_FINISHED;
    }
    until = cycle_max(until, next);
    if (spins(simulation, until))
      return END_DEADLOCK;
    *cycles = until - simulation->start;
    if (progress && !progress->tell(progress->context, *cycles, dispatcher->done, dispatcher->groups))
      return END_STOPPED;
  }
}

/* Cycles from the start of the launch to the last one in which any compute unit did something. */
static cycle_t abandoned_after(const struct simulation *simulation) {
  cycle_t last = simulation->start;
  for (uint32_t i = 0; i < simulation->machine.cu.count; i++)
    last = cycle_max(last, simulation->nodes[i].cu.last_active);
  return last + 1 - simulation->start;
}

static void abandon(struct simulation *simulation, cycle_t end) {
  for (uint32_t i = 0; i < simulation->machine.cu.count; i++) {
    struct node *node = &simulation->nodes[i];
    cu_abandon(&node->cu, end);
    for (unsigned engine = 0; engine < simulation->machine.dma.engines; engine++)
      dma_abandon(&node->dma[engine], end);
  }
}

bool simulation_run(struct simulation *simulation, struct host *host, struct isa_launch *launch, cycle_t limit,
                    const struct progress *progress, struct launch_result *result) {
  if (!prepare(simulation, launch, result)) {
    launch_result_free(result);
    return false;
  }
  dispatcher_launch(&simulation->dispatcher, result->work_groups, result->occupancy.groups_per_cu, simulation->start);
  cycle_t cut_at = 0;
  result->end = run_slices(simulation, host, limit, progress, &cut_at);
  if (result->end == END_DEADLOCK)
    mark_parked(simulation);
  result->cycles = result->end == END_FINISHED   ? simulation->dispatcher.last_end - simulation->start
                   : result->end == END_DEADLOCK ? abandoned_after(simulation)
                                                 : cut_at;
  if (result->end != END_FINISHED)
    abandon(simulation, simulation->start + result->cycles);
  collect(simulation, launch->program, result);
  /* The next launch starts when the last word of this one has reached everybody; a prefetch may be answered
   * long after the groups have ended. */
  simulation->start = cycle_max(simulation->dispatcher.last_end, simulation->memory.last_arrival) +
                      2 * (cycle_t)simulation->machine.cu.dispatch_latency +
                      2 * (cycle_t)simulation->machine.mem.link_latency;
  return true;
}
