#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/simulation_parts.h"
#include "sim/base/need.h"

/* ---- occupancy -------------------------------------------------------------------------- */

static uint32_t round_up(uint32_t value, uint32_t unit) { return (uint32_t)(div_up(value, unit) * unit); }

static uint32_t fit(uint32_t have, uint64_t need) { return need ? (uint32_t)(have / need) : UINT32_MAX; }

struct occupancy simulation_occupancy(const struct machine *machine, const struct isa_launch *launch) {
  const struct cu_params *cu = &machine->cu;
  uint64_t groups = isa_launch_groups(launch);
  uint32_t row = machine->lds.banks * machine->lds.bank_bytes;
  uint64_t items = (uint64_t)launch->local[0] * launch->local[1] * launch->local[2];
  struct occupancy occupancy = {
      .warps_per_group = (uint32_t)div_up(items, launch->warp_size),
      .registers_per_warp = round_up(launch->kernel->registers * launch->warp_size, cu->register_unit),
      .lds_per_group = round_up(launch->lds_bytes + cu->lds_reserved, cu->lds_unit > row ? cu->lds_unit : row),
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
  node->source->commit.call(node->source->commit.self, &node->cu.lsu.accesses[tag]->isa);
}

static void lds_commit_dma(void *context, unsigned engine, uint32_t tag) {
  struct node *node = context;
  node->source->commit_dma_lds.call(node->source->commit_dma_lds.self, engine, tag);
}

static void add_probes(struct island *island, struct node *node) {
  island_probe(island, &node->cu.component, "resident_warps", &node->cu.probe_resident, 7);
  island_probe(island, &node->cu.component, "issued", &node->cu.probe_issued, 4);
  island_probe(island, &node->lds.component, "warp_banks", &node->lds.probe_warp_banks, 7);
  island_probe(island, &node->lds.component, "dma_banks", &node->lds.probe_dma_banks, 7);
  island_probe(island, &node->port.component, "messages", &node->port.probe_messages, 32);
  for (unsigned engine = 0; engine < node->engines; engine++) {
    struct dma *dma = &node->dma[engine];
    island_probe(island, &dma->component, "queue", &dma->probe_queue, 10);
    island_probe(island, &dma->component, "channels", &dma->probe_channels, 7);
    island_probe(island, &dma->component, "outstanding", &dma->probe_outstanding, 13);
  }
}

/* Component names of engines, for waveforms and reports. */
static const char *const engine_names[LDS_ENGINES] = {"dma0", "dma1", "dma2", "dma3", "dma4", "dma5", "dma6", "dma7"};

/* Groups of CUs that share engines. */
static uint32_t clusters(const struct machine *machine) {
  return (uint32_t)div_up(machine->cu.count, machine->dma.cus);
}

static bool shares(const struct machine *machine) { return machine->dma.cus > 1; }

/* The first of the CUs that share engines with this one. */
static uint32_t home_of(const struct simulation *simulation, uint32_t index) {
  return index - index % simulation->machine.dma.cus;
}

/* Makes engines for one CU, between it and its LDS. */
static void make_engines(struct node *node, const struct machine *machine) {
  for (unsigned engine = 0; engine < machine->dma.engines; engine++) {
    struct dma *dma = &node->dma[engine];
    dma_init(dma, &machine->dma, &node->cu.component, &node->port.component, machine->mem.link_latency,
             &node->lds.from_dma[engine], &node->lds.to_dma[engine]);
    node->cu.copy.to_dma[engine] = &dma->from_cu;
    node->cu.copy.from_dma[engine] = &dma->to_cu;
  }
}

/* Makes engines for several CUs, behind hubs. */
static void make_shared_engines(struct node *home, const struct machine *machine) {
  for (unsigned engine = 0; engine < machine->dma.engines; engine++) {
    struct dma_hub *hub = &home->hub[engine];
    struct dma *dma = &home->dma[engine];
    dma_hub_init(hub, dma, &machine->dma);
    dma_init(dma, &machine->dma, &hub->component, &home->port.component, machine->mem.link_latency, &hub->from_engine,
             &hub->to_engine);
  }
}

static void join_engines(struct node *home, struct node *node, const struct machine *machine) {
  for (unsigned engine = 0; engine < machine->dma.engines; engine++) {
    struct dma_hub *hub = &home->hub[engine];
    unsigned client = hub->clients;
    dma_hub_connect(hub, &machine->dma, &node->cu.component, &node->lds.from_dma[engine], &node->lds.to_dma[engine]);
    node->cu.copy.to_dma[engine] = &hub->from_cu[client];
    node->cu.copy.from_dma[engine] = &hub->to_cu[client];
  }
}

static void node_engines(struct node *home, struct node *node, const struct machine *machine) {
  node->engines = node == home ? machine->dma.engines : 0;
  if (!shares(machine)) {
    make_engines(node, machine);
    return;
  }
  if (node == home)
    make_shared_engines(home, machine);
  join_engines(home, node, machine);
}

/* Numbers the names of components, for several CUs in an island. */
static void name_parts(struct node *node, uint32_t index) {
  struct component *const parts[] = {&node->cu.component, &node->lds.component, &node->port.component};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    snprintf(node->cu_name[i], sizeof node->cu_name[i], "%.11s%u", parts[i]->name, index);
    parts[i]->name = node->cu_name[i];
  }
}

static void place_node(struct island *island, struct node *node, uint32_t index, const struct machine *machine) {
  if (shares(machine))
    name_parts(node, index);
  island_add(island, &node->cu.component);
  island_add(island, &node->lds.component);
  for (unsigned engine = 0; engine < node->engines; engine++) {
    node->dma[engine].component.name = engine_names[engine];
    island_add(island, &node->dma[engine].component);
    if (!shares(machine))
      continue;
    snprintf(node->hub_name[engine], sizeof node->hub_name[engine], "hub%u", engine);
    node->hub[engine].component.name = node->hub_name[engine];
    island_add(island, &node->hub[engine].component);
  }
  island_add(island, &node->port.component);
  add_probes(island, node);
}

/* Its executor, or the source that `sources` makes. */
static const struct warp_source *source_of(struct simulation *simulation, struct node *node, uint32_t index) {
  const struct source_maker *sources = &simulation->sources;
  return sources->make
             ? sources->make(sources->self, index, &simulation->machine, sources->executes ? &node->executor : NULL)
             : &node->executor.source;
}

static void node_init(struct simulation *simulation, struct node *home, struct node *node, uint32_t index) {
  const struct machine *machine = &simulation->machine;
  struct component *cu = &node->cu.component, *engine_components[LDS_ENGINES] = {0};
  for (unsigned engine = 0; engine < machine->dma.engines; engine++)
    engine_components[engine] = shares(machine) ? &home->hub[engine].component : &node->dma[engine].component;
  struct lds_commit commit = {node, lds_commit_warp, lds_commit_dma};

  if (simulation->executes)
    executor_init(&node->executor, machine, home->dma, &home->executor);
  node->source = source_of(simulation, node, index);
  cu_init(&node->cu, index, machine, &simulation->dispatcher.component, &node->lds, &node->port, node->source);
  lds_init(&node->lds, &machine->lds, &commit, cu, engine_components, machine->dma.engines);
  node_engines(home, node, machine);
  mem_port_init(&node->port, machine, cu, node->dma, node->engines, &simulation->memory.component);
  memory_connect(&simulation->memory, index, &node->port, cu, node->dma, node->engines, node->source, machine);
}

static void join_node(struct simulation *simulation, struct node *node, uint32_t index) {
  node->cu.lsu.commits = &simulation->memory.commits;
  node->cu.lsu.from_memory = &simulation->memory.clients[index].to_cu;
  simulation->cus[index] = &node->cu;
}

static void node_free(struct node *node) {
  cu_free(&node->cu);
  executor_free(&node->executor);
  mem_port_free(&node->port);
  for (unsigned engine = 0; engine < node->engines; engine++) {
    dma_free(&node->dma[engine]);
    dma_hub_free(&node->hub[engine]);
  }
  lds_free(&node->lds);
  free(node);
}

static void emit_node(struct simulation *simulation, uint32_t index);

/* Builds the next compute unit. Its components are first due at the start of the next launch, like those of earlier
 * CUs. */
static void build_node(struct simulation *simulation) {
  const uint32_t index = simulation->built, home = home_of(simulation, index);
  struct node *node = simulation->nodes[index] = need(1, sizeof *node);
  simulation->built++;
  node_init(simulation, simulation->nodes[home], node, index);
  struct island *island = simulation->islands[1 + home / simulation->machine.dma.cus];
  const size_t parts = island->parts;
  join_node(simulation, node, index);
  place_node(island, node, index, &simulation->machine);
  for (size_t i = parts; i < island->parts; i++)
    island->part[i]->next = simulation->start;
  island_wake(island, simulation->start);
  if (simulation->timeline)
    emit_node(simulation, index);
}

/* Builds the compute units for `groups` work-groups. CUs that share engines are built together. */
static void build(struct simulation *simulation, uint64_t groups) {
  const struct machine *machine = &simulation->machine;
  const uint64_t wanted = div_up(groups, machine->dma.cus) * machine->dma.cus;
  while (simulation->built < wanted && simulation->built < machine->cu.count)
    build_node(simulation);
  dispatcher_set_cus(&simulation->dispatcher, simulation->built);
}

void simulation_build(struct simulation *simulation) { build(simulation, simulation->machine.cu.count); }

static void uncore_init(struct simulation *simulation) {
  const struct machine *machine = &simulation->machine;
  struct island *uncore = &simulation->uncore;
  memory_init(&simulation->memory, machine);
  dispatcher_init(&simulation->dispatcher, simulation->cus, machine);
  snprintf(uncore->name, sizeof uncore->name, "uncore");
  uncore->lookahead = cycle_min(machine->mem.link_latency, machine->cu.dispatch_latency);
  uncore->hub = true;
  island_add(uncore, &simulation->dispatcher.component);
  island_add(uncore, &simulation->memory.component);
  island_probe(uncore, &simulation->dispatcher.component, "groups_left", &simulation->dispatcher.probe_left, 32);
  island_probe(uncore, &simulation->memory.component, "in_flight", &simulation->memory.probe_events, 16);
}

struct simulation *simulation_new(const struct machine *machine) {
  return simulation_new_with(machine, NULL);
}

/* Makes the islands of compute units, which are empty at first. */
static void make_islands(struct simulation *simulation) {
  const struct machine *machine = &simulation->machine;
  simulation->islands[0] = &simulation->uncore;
  for (uint32_t i = 0; i < clusters(machine); i++) {
    struct island *island = simulation->islands[1 + i] = &simulation->units[i];
    snprintf(island->name, sizeof island->name, "cu%u", i * machine->dma.cus);
    island->lookahead = cycle_min(machine->mem.link_latency, machine->cu.dispatch_latency);
    island->next = NEVER;
  }
}

struct simulation *simulation_new_with(const struct machine *machine, const struct source_maker *sources) {
  struct simulation *simulation = need(1, sizeof *simulation);
  uint32_t count = machine->cu.count;
  simulation->machine = *machine;
  if (sources)
    simulation->sources = *sources;
  simulation->executes = !sources || sources->executes;
  simulation->nodes = need(count, sizeof *simulation->nodes);
  simulation->cus = need(count, sizeof *simulation->cus);
  simulation->units = need(clusters(machine), sizeof *simulation->units);
  simulation->islands = need(clusters(machine) + 1, sizeof(struct island *));
  uncore_init(simulation);
  make_islands(simulation);
  return simulation;
}

void simulation_free(struct simulation *simulation) {
  if (!simulation)
    return;
  for (uint32_t i = 0; i < simulation->built; i++)
    node_free(simulation->nodes[i]);
  dispatcher_free(&simulation->dispatcher);
  memory_free(&simulation->memory);
  free(simulation->tallies);
  free(simulation->nodes);
  free(simulation->cus);
  free(simulation->units);
  free(simulation->islands);
  free(simulation);
}

struct island **simulation_islands(struct simulation *simulation, size_t *count) {
  *count = clusters(&simulation->machine) + 1;
  return simulation->islands;
}

cycle_t simulation_start(const struct simulation *simulation) { return simulation->start; }

void simulation_attach(struct simulation *simulation, struct outside *outside) {
  memory_attach(&simulation->memory, outside);
  /* Completions arrive at the host's present time, so the memory must not be ahead of it. */
  simulation->uncore.lookahead = 1;
}

void simulation_show_every_cycle(struct simulation *simulation) {
  simulation_build(simulation);
  for (uint32_t i = 0; i < simulation->built; i++) {
    simulation->nodes[i]->lds.every_cycle = true;
    simulation->nodes[i]->cu.every_cycle = true;
  }
  simulation->every_cycle = true;
}

/* ---- timelines and warp sources ------------------------------------------------------------- */

static void mute_taps(struct simulation *simulation) {
  const struct timeline_tap closed = {NULL, 0, 0};
  simulation->timeline = NULL;
  for (uint32_t i = 0; i < simulation->built; i++) {
    struct node *node = simulation->nodes[i];
    emit_close(&node->cu);
    node->lds.tap = node->port.tap = simulation->memory.clients[i].tap = closed;
    node->lds.every_cycle = false;
    for (unsigned engine = 0; engine < node->engines; engine++)
      node->dma[engine].tap = closed;
  }
}

enum { NODE_TAPS = 4 /* of a CU, its LDS, its memory port and its client in the memory; engines have one each */ };

/* Taps of all earlier CUs, built or not. The first of the CUs that share engines has the engines' taps. */
static uint32_t taps_before(const struct simulation *simulation, uint32_t index) {
  const struct dma_params *dma = &simulation->machine.dma;
  return index * NODE_TAPS + (uint32_t)div_up(index, dma->cus) * dma->engines;
}

static void emit_node(struct simulation *simulation, uint32_t index) {
  struct node *node = simulation->nodes[index];
  struct timeline_tap tap = {simulation->timeline, index, simulation->first_tap + taps_before(simulation, index)};
  emit_open(&node->cu, tap);
  tap.stream++;
  node->lds.tap = tap;
  node->lds.every_cycle |= timeline_wants(&tap, TIMELINE_BANKS);
  for (unsigned engine = 0; engine < node->engines; engine++) {
    tap.stream++;
    node->dma[engine].tap = tap;
    node->dma[engine].number = engine;
  }
  tap.stream++;
  node->port.tap = tap;
  tap.stream++;
  simulation->memory.clients[index].tap = tap;
}

void simulation_emit(struct simulation *simulation, struct timeline *timeline) {
  simulation->timeline = timeline;
  simulation->first_tap = timeline->streams;
  timeline->streams += taps_before(simulation, simulation->machine.cu.count);
  for (uint32_t i = 0; i < simulation->built; i++)
    emit_node(simulation, i);
}

void simulation_watch(struct simulation *simulation, const struct source_maker *sources, struct timeline *timeline) {
  mute_taps(simulation);
  simulation->sources = sources ? *sources : (struct source_maker){0};
  for (uint32_t i = 0; i < simulation->built; i++) {
    struct node *node = simulation->nodes[i];
    node->source = node->cu.source = simulation->memory.commits.source[i] = source_of(simulation, node, i);
  }
  if (timeline)
    simulation_emit(simulation, timeline);
}

/* ---- launches --------------------------------------------------------------------------- */

void simulation_prepare_result(const struct machine *machine, const struct at_once *all, size_t index) {
  const struct isa_launch *launch = all->launches[index];
  struct launch_result *result = &all->results[index];
  const size_t pipes = launch->memory ? launch->memory->pipe_count : 0;
  launch_result_clear(result);
  result->occupancy = simulation_occupancy(machine, launch);
  result->together = (uint32_t)all->count;
  result->work_groups = isa_launch_groups(launch);
  result->by_pc = need(launch->program->count, sizeof *result->by_pc);
  result->pipes = need(pipes + 1, sizeof *result->pipes);
  result->pipe_count = pipes;
  assert(result->occupancy.groups_per_cu && "the caller has checked that a work-group fits into a CU");
}

/* LDS of all groups of a launch that fit into a CU at once; with several launches, the maximum. */
static uint64_t most_lds(const struct at_once *all) {
  uint64_t most = 0;
  for (size_t i = 0; i < all->count; i++) {
    const struct occupancy *fit = &all->results[i].occupancy;
    uint64_t groups = UINT32_MAX;
    for (unsigned limit = 0; limit < LIMIT_WORK; limit++)
      groups = fit->groups[limit] < groups ? fit->groups[limit] : groups;
    most = cycle_max(most, groups * fit->lds_per_group);
  }
  return most;
}

/* Whether a program has copies to or from the LDS, or mbarriers: they use the LDS in addition to the warps'
 * accesses. */
static bool copies(const struct isa_program *program) {
  for (uint32_t pc = 0; pc < program->count; pc++)
    switch ((enum isa_class)program->info[pc].class_) {
    case ISA_CLASS_COPY:
    case ISA_CLASS_COPY_LANE:
    case ISA_CLASS_MBARRIER:
      return true;
    default:
      break;
    }
  return false;
}

/* The tally of the share that has the node. */
static struct tally *tally_of(const struct simulation *simulation, const struct node *node) {
  const struct island *island = node->cu.component.island;
  return &simulation->tallies[simulation->tally_count > 1 ? island->share : 0];
}

static void prepare_node(const struct simulation *simulation, struct node *node, const struct at_once *all) {
  struct tally *tally = tally_of(simulation, node);
  cu_launch(&node->cu, (uint32_t)all->count, most_lds(all));
  for (size_t i = 0; i < all->count; i++) {
    all->launches[i]->number = (uint32_t)i;
    all->launches[i]->report = cu_report;
    all->launches[i]->report_context = &node->cu.kernels[i];
    node->launches[i] = *all->launches[i];
    if (all->launches[i]->memory) {
      node->memory = *all->launches[i]->memory;
      node->launches[i].memory = &node->memory;
    }
  }
  node->source->launch.call(node->source->launch.self, node->launches, all->count);
  for (size_t i = 0; i < all->count; i++)
    cu_launch_kernel(&node->cu, &node->launches[i], all->results[i].occupancy.lds_per_group, all->copies[i],
                     tally->by_pc[i]);
  node->cu.copy.latency = &tally->copy_latency;
  node->lds.stats = (struct lds_stats){0};
  for (unsigned engine = 0; engine < node->engines; engine++) {
    struct dma *dma = &node->dma[engine];
    dma->stats = (struct dma_stats){0};
    dma->queue_peak = 0;
    dma->out_bytes = 0;
    dma->latency = &tally->copy_latency;
    dma_timeline_start(&dma->timeline, simulation->start);
  }
  if (simulation->timeline)
    emit_launch(&node->cu, simulation->start);
}

static void prepare_dispatcher(struct simulation *simulation, const struct at_once *all) {
  dispatcher_launch(&simulation->dispatcher, simulation->start);
  for (size_t i = 0; i < all->count; i++) {
    const struct occupancy *fit = &all->results[i].occupancy;
    const struct cu_room need = {
        .warps = fit->warps_per_group,
        .groups = 1,
        .registers = fit->warps_per_group * fit->registers_per_warp,
        .lds = fit->lds_per_group,
    };
    dispatcher_add(&simulation->dispatcher, all->launches[i]->first_group, all->results[i].work_groups, &need);
  }
}

static bool has_pipes(const struct isa_memory *memory) { return memory && memory->pipe_count; }

/* Whether several threads may step the islands: nothing watches that expects one thread, and only memory is shared. */
static bool threadable(const struct simulation *simulation, const struct at_once *all) {
  return !simulation->timeline && !simulation->sources.make && !has_pipes(all->launches[0]->memory);
}

static uint64_t groups_of(const struct at_once *all) {
  uint64_t groups = 0;
  for (size_t i = 0; i < all->count; i++)
    groups += all->results[i].work_groups;
  return groups;
}

/* Whether something reads the memory's state in each cycle: a timeline, a waveform, or the search for kernels that spin
 * on pipes. */
static bool watched(const struct simulation *simulation, const struct isa_memory *memory) {
  return simulation->timeline || simulation->every_cycle || has_pipes(memory);
}

static bool any_copies(const struct at_once *all) {
  bool any = false;
  for (size_t i = 0; i < all->count; i++)
    any |= all->copies[i];
  return any;
}

/* `end`: the latest cycle, in which launches are cut short. */
static void prepare(struct simulation *simulation, const struct at_once *all, unsigned shares, cycle_t end) {
  const struct machine *machine = &simulation->machine;
  struct isa_memory *memory = all->launches[0]->memory;
  for (size_t i = 0; i < all->count; i++)
    simulation_prepare_result(machine, all, i);
  build(simulation, groups_of(all));
  pipes_launch(&simulation->memory.pipes, memory, machine->mem.pipe_reservations,
               machine->cu.count * machine->cu.accesses, simulation->start);
  memory_launch(&simulation->memory, memory, simulation->start, watched(simulation, memory) ? simulation->start : end);
  simulation->uncore.hub_lookahead =
      cycle_min(machine->cu.dispatch_latency, memory_lookahead(&simulation->memory, any_copies(all)));
  simulation_open_tallies(simulation, all, shares);
  for (uint32_t i = 0; i < simulation->built; i++)
    prepare_node(simulation, simulation->nodes[i], all);
  prepare_dispatcher(simulation, all);
}

/* Work-groups of a launch that have ended, including those that the dispatcher does not know about yet. */
static uint64_t ended(const struct simulation *simulation, size_t index) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < simulation->built; i++)
    count += simulation->nodes[i]->cu.kernels[index].stats.work_groups;
  return count;
}

static bool all_ended(const struct simulation *simulation) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < simulation->dispatcher.launch_count; i++)
    count += ended(simulation, i);
  return count == simulation->dispatcher.groups;
}

static bool any_autorun(const struct at_once *all) {
  for (size_t i = 0; i < all->count; i++)
    if (all->launches[i]->kernel->autorun[0])
      return true;
  return false;
}

/* Only autorun kernels are left, and they have not been dismissed. */
static bool dismissible(const struct simulation *simulation, const struct at_once *all) {
  for (size_t i = 0; i < all->count; i++)
    if (!all->launches[i]->kernel->autorun[0] && ended(simulation, i) < all->results[i].work_groups)
      return false;
  return !simulation->memory.pipes.dismissed;
}

/* Warps of a CU with parked requests. */
static uint64_t parked_in(const struct simulation *simulation, uint32_t client) {
  const struct mem_pipes *pipes = &simulation->memory.pipes;
  uint64_t parked = 0;
  for (uint32_t i = 0; i < pipes->parked_count; i++) {
    const struct mem_event *event = &simulation->memory.events[pipes->parked[i]];
    if (event->client == client)
      parked |= cu_bit(simulation->nodes[client]->cu.lsu.accesses[event->message.tag]->warp);
  }
  return parked;
}

/* Kernels have spun on pipes for `cycles`, and no pipe has changed: models/pipes.h. */
static bool spins(const struct simulation *simulation, cycle_t now, cycle_t cycles) {
  const cycle_t changed = cycle_max(simulation->memory.pipes.changed, simulation->dispatcher.last_end);
  bool refused = false;
  if (!simulation->memory.pipes.memory || !simulation->memory.pipes.memory->pipe_count ||
      now < cycles + cycle_max(changed, simulation->start))
    return false;
  for (uint32_t i = 0; i < simulation->built; i++)
    if (!cu_only_refused(&simulation->nodes[i]->cu, now - cycles / 2, parked_in(simulation, i), &refused))
      return false;
  return refused;
}

static bool report_progress(const struct simulation *simulation, const struct progress *progress, cycle_t now) {
  const struct dispatcher *dispatcher = &simulation->dispatcher;
  return !progress ||
         progress->report(progress->context, now - simulation->start, dispatcher->done, dispatcher->groups);
}

/* Cycles between two progress reports: few for a large machine, whose cycles take long to simulate, and few with a
 * timeline. */
static cycle_t progress_interval(const struct simulation *simulation) {
  enum { WATCHED = 1000, LEAST = 4000, MOST = 100000 };
  return simulation->timeline ? WATCHED : cycle_max(LEAST, MOST / simulation->machine.cu.count);
}

/* Steps the islands up to `until`, and reports progress in between. Returns the cycle of the next step: `until` or
 * later, unless progress has stopped the launch. */
static cycle_t run_slice(struct simulation *simulation, struct host *host, cycle_t until,
                         const struct progress *progress) {
  const cycle_t interval = progress_interval(simulation);
  for (;;) {
    simulation->stepped = cycle_min(simulation->stepped + interval, until);
    cycle_t next = host->run(host, simulation->stepped);
    if (next >= until)
      return next;
    simulation->stepped = cycle_max(simulation->stepped, next);
    if (!report_progress(simulation, progress, simulation->stepped))
      return next;
  }
}

/* Watches warps from now on, because the launch may reach its limit. */
static void watch_polls(struct simulation *simulation) {
  for (uint32_t i = 0; i < simulation->built; i++) {
    struct node *node = simulation->nodes[i];
    node->polls = polls_new(&node->cu, node->source);
  }
}

static void unwatch_polls(struct simulation *simulation) {
  for (uint32_t i = 0; i < simulation->built; i++) {
    polls_free(simulation->nodes[i]->polls);
    simulation->nodes[i]->polls = NULL;
  }
}

/* run_slice(), which begins to watch warps in cycle `watch`. */
static cycle_t run_watched(struct simulation *simulation, struct host *host, cycle_t until, cycle_t watch,
                           const struct progress *progress) {
  if (simulation->stepped <= watch && watch < until && !simulation->nodes[0]->polls) {
    const cycle_t next = watch > simulation->stepped ? run_slice(simulation, host, watch, progress) : watch;
    if (next < watch || next == NEVER)
      return next;
    watch_polls(simulation);
  }
  return run_slice(simulation, host, until, progress);
}

/* Cycles from the start of the launch to the last action of any compute unit. */
static cycle_t abandoned_after(const struct simulation *simulation) {
  cycle_t end = simulation->start + 1;
  for (uint32_t i = 0; i < simulation->built; i++)
    end = cycle_max(end, cu_last_end(&simulation->nodes[i]->cu));
  return end - simulation->start;
}

/* Steps the islands in slices, with progress reports in between. If cut short, `*cycles` is the end. */
static enum launch_end run_slices(struct simulation *simulation, const struct at_once *all, struct host *host,
                                  cycle_t end, const struct progress *progress, cycle_t *cycles) {
  enum { SLICE = 100000 };
  const cycle_t slice = any_autorun(all) ? PIPES_QUIET_CYCLES : SLICE;
  const struct dispatcher *dispatcher = &simulation->dispatcher;
  struct memory *memory = &simulation->memory;
  const cycle_t watch = end == NEVER ? NEVER : polls_from(simulation->start, end);
  simulation->stepped = simulation->start;
  for (cycle_t until = simulation->start;;) {
    until = cycle_min(until + slice, end);
    cycle_t next = run_watched(simulation, host, until, watch, progress);
    if (next == NEVER && !dispatcher_finished(dispatcher) && dismissible(simulation, all)) {
      memory_dismiss(memory, cycle_max(simulation->start + abandoned_after(simulation), memory->last_arrival));
      continue;
    }
    if (next == NEVER)
      return dispatcher_finished(dispatcher) ? END_FINISHED : END_DEADLOCK;
    if (next >= end) {
      *cycles = end - simulation->start;
      if (!all_ended(simulation))
        return END_CYCLE_LIMIT;
      simulation->uncore.hub_lookahead = simulation->uncore.lookahead; /* replies are not sent ahead any more */
      host->run(host, NEVER);                                          /* delivers the last messages */
      return END_FINISHED;
    }
    const bool stopped = next < until;
    if (!stopped)
      until = simulation->stepped = cycle_max(until, next);
    if (!stopped && dismissible(simulation, all) && spins(simulation, until, PIPES_QUIET_CYCLES))
      memory_dismiss(memory, until);
    else if (!stopped && spins(simulation, until, PIPES_SPIN_CYCLES))
      return END_DEADLOCK;
    *cycles = simulation->stepped - simulation->start;
    if (!stopped && report_progress(simulation, progress, until))
      continue;
    if (!all_ended(simulation))
      return END_STOPPED;
    host->run(host, NEVER);
    return END_FINISHED; /* it ended before it could be stopped */
  }
}

static void emit_cut_short(struct simulation *simulation, cycle_t end) {
  const cycle_t now = simulation->stepped;
  for (uint32_t i = 0; i < simulation->built; i++) {
    struct node *node = simulation->nodes[i];
    emit_cut(&node->cu, end, now);
    for (unsigned engine = 0; engine < node->engines; engine++)
      dma_emit_cut(&node->dma[engine], end, now);
  }
  memory_emit_cut(&simulation->memory, end, now);
}

static void abandon(struct simulation *simulation, cycle_t end) {
  for (uint32_t i = 0; i < simulation->built; i++) {
    struct node *node = simulation->nodes[i];
    cu_abandon(&node->cu, end);
    lds_abandon(&node->lds, end);
    for (unsigned engine = 0; engine < node->engines; engine++)
      dma_abandon(&node->dma[engine], end);
  }
  if (simulation->timeline)
    emit_cut_short(simulation, end);
}

/* Sets how one of the launches ended, and when: it may have finished before another one deadlocked. */
static void conclude(const struct simulation *simulation, struct launch_result *result, size_t index,
                     enum launch_end end, cycle_t cycles) {
  const struct dispatched *launch = &simulation->dispatcher.launches[index];
  cycle_t last = simulation->start;
  for (uint32_t i = 0; i < simulation->built; i++)
    last = cycle_max(last, simulation->nodes[i]->cu.kernels[index].last_end);
  const bool finished = ended(simulation, index) == launch->groups;
  result->end = finished ? END_FINISHED : end;
  result->start = simulation->start;
  result->cycles = finished ? last - simulation->start : cycles;
  result->together_cycles = cycles;
  result->never_started = launch->groups - launch->sent;
}

void simulation_run_together(struct simulation *simulation, struct host *host, struct isa_launch *const *launches,
                             size_t count, cycle_t limit, const struct progress *progress,
                             struct launch_result *results) {
  struct at_once all = {launches, results, count, {false}};
  const cycle_t last = limit < NEVER - simulation->start ? simulation->start + limit : NEVER;
  assert(count && count <= RESULT_TOGETHER && "the caller has counted them");
  for (size_t i = 0; i < count; i++)
    all.copies[i] = copies(launches[i]->program);
  host->one_by_one = !threadable(simulation, &all);
  simulation->memory.commits.late.wanted = !host->one_by_one;
  prepare(simulation, &all, host->one_by_one || !host->shares ? 1 : host->shares, last);
  cycle_t cycles = 0;
  const enum launch_end end = run_slices(simulation, &all, host, last, progress, &cycles);
  if (end == END_DEADLOCK)
    simulation_mark_parked(simulation);
  if (end == END_FINISHED)
    cycles = simulation->dispatcher.last_end - simulation->start;
  else if (end == END_DEADLOCK)
    cycles = abandoned_after(simulation);
  if (end != END_FINISHED)
    abandon(simulation, simulation->start + cycles);
  simulation_add_tallies(simulation, &all);
  simulation_close_tallies(simulation);
  for (size_t i = 0; i < count; i++) {
    conclude(simulation, &results[i], i, end, cycles);
    simulation_collect(simulation, &all, i);
  }
  unwatch_polls(simulation);
  /* The next launch starts when the last messages of this one have arrived. The reply to a prefetch may arrive long
   * after the end of all groups. */
  simulation->start = cycle_max(simulation->dispatcher.last_end, simulation->memory.last_arrival) +
                      2 * (cycle_t)simulation->machine.cu.dispatch_latency +
                      2 * (cycle_t)simulation->machine.mem.link_latency;
  for (uint32_t i = 0; i < simulation->built && simulation->timeline && end == END_FINISHED; i++)
    emit_launch_end(&simulation->nodes[i]->cu, simulation->start);
}

void simulation_run(struct simulation *simulation, struct host *host, struct isa_launch *launch, cycle_t limit,
                    const struct progress *progress, struct launch_result *result) {
  simulation_run_together(simulation, host, &launch, 1, limit, progress, result);
}
