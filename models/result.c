/* Results of launches: what CUs, LDS, engines, memory and pipes have counted, and which warps are stuck. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "isa/steering.h"
#include "models/simulation_parts.h"
#include "sim/base/map.h"
#include "sim/base/need.h"

/* clang-format off */
#define STALL(id, ...) {__VA_ARGS__},
const struct stall_row stall_rows[STALLS] = {
#include "models/stalls.def"
};
#undef STALL

#define STAT(...) STAT_ROW(struct cu_stats, __VA_ARGS__)
static const struct stat_row cu_stat_rows[] = {
#include "models/cu.stats.def"
};
#undef STAT
/* clang-format on */

const struct stat_group cu_stat_group = {"cu", "Compute units", cu_stat_rows,
                                         sizeof cu_stat_rows / sizeof *cu_stat_rows};

const char *const launch_end_names[] = {[END_FINISHED] = "finished",
                                        [END_DEADLOCK] = "deadlock",
                                        [END_CYCLE_LIMIT] = "cycle_limit",
                                        [END_STOPPED] = "stopped"};

/* Merges hazards of a CU into those of other CUs. The earliest occurrence stays; the lower CU among equals. */
static void merge_hazards(struct launch_result *result, cycle_t *cycles, const struct cu_kernel *kernel) {
  result->hazards_dropped += kernel->hazards_dropped;
  for (size_t i = 0; i < kernel->hazard_count; i++) {
    const struct hazard_result *found = &kernel->hazards[i];
    size_t at = 0;
    while (at < result->hazard_count &&
           (result->hazards[at].first.rule != found->first.rule || result->hazards[at].first.pc != found->first.pc))
      at++;
    if (at == RESULT_HAZARDS) {
      result->hazards_dropped += found->count;
    } else if (at == result->hazard_count) {
      cycles[at] = kernel->hazard_cycle[i];
      result->hazards[result->hazard_count++] = *found;
    } else {
      result->hazards[at].count += found->count;
      if (kernel->hazard_cycle[i] < cycles[at]) {
        cycles[at] = kernel->hazard_cycle[i];
        result->hazards[at].first = found->first;
      }
    }
  }
}

static uint32_t missing_event(const struct cu_group *group) {
  for (uint32_t i = 0; i < group->call.wait.count; i++)
    if (group->call.wait.event[i] > group->events_made)
      return group->call.wait.event[i];
  return 0;
}

/* Warps of the group that wait at the call at `pc`. */
static uint32_t arrived_at(const struct cu *cu, const struct cu_group *group, uint32_t pc) {
  uint32_t count = 0;
  for (uint64_t arrived = group->waiting; arrived; arrived &= arrived - 1)
    count += cu->warps[__builtin_ctzll(arrived)].charged == pc;
  return count;
}

/* The warp waits for a pipe: it tries again and again, or its request is parked. */
static void blame_pipe(struct stuck_warp *stuck, const struct cu_warp *warp, bool spins) {
  const struct cu_kernel *kernel = warp->kernel;
  stuck->pc = warp->refused_pc;
  stuck->stall = isa_is_pipe_write(kernel->program->code[stuck->pc].op) ? STALL_PIPE_FULL : STALL_PIPE_EMPTY;
  stuck->pipe = isa_pipe_find(kernel->launch->memory, warp->refused_by);
  stuck->spins = spins;
  stuck->missing = 0;
}

void simulation_mark_refused(struct cu_warp *warp, const struct isa_access *access) {
  warp->refused_at = NEVER;
  warp->refused_pc = access->pc;
  warp->refused_by = access->address[__builtin_ctzll(access->pipe.waiting)];
  if (warp->stall == STALL_PIPE)
    warp->stall = isa_is_pipe_write(access->inst->op) ? STALL_PIPE_FULL : STALL_PIPE_EMPTY;
}

void simulation_mark_parked(struct simulation *simulation) {
  const struct mem_pipes *pipes = &simulation->memory.pipes;
  for (uint32_t i = 0; i < pipes->parked_count; i++) {
    const struct mem_event *event = &simulation->memory.events[pipes->parked[i]];
    struct cu *cu = &simulation->nodes[event->client]->cu;
    simulation_mark_refused(cu_warp(cu, cu->lsu.accesses[event->message.tag]->warp), event->message.access);
  }
}

static void note_stuck(struct launch_result *result, const struct cu *cu, const struct cu_kernel *kernel,
                       cycle_t changed) {
  for (uint32_t slot = 0; slot < cu->params->warps; slot++) {
    const struct cu_warp *warp = &cu->warps[slot];
    if (!cu_is_resident(warp) || warp->kernel != kernel)
      continue;
    const struct cu_group *group = &cu->groups[warp->group];
    if (result->stuck_count < RESULT_STUCK) {
      result->stuck[result->stuck_count] = (struct stuck_warp){
          .cu = cu->index,
          .group = {group->id[0], group->id[1], group->id[2]},
          .warp = warp->index,
          .pc = warp->charged,
          .stall = warp->stall,
          .missing = warp->suspended ? 0 : group->warp_count - arrived_at(cu, group, warp->charged),
          .mismatched = group->call.mismatched && !warp->suspended,
          .phase = warp->suspended,
          .elsewhere_pc = group->call.pc,
          .exited = group->exited,
          .event = warp->stall == STALL_COPY_WAIT ? missing_event(group) : 0,
      };
      if (warp->refused_at && warp->refused_at >= changed && !(group->waiting & cu_bit(slot)))
        blame_pipe(&result->stuck[result->stuck_count], warp, warp->refused_at != NEVER);
    }
    result->stuck_count++;
  }
}

/* Does the warp wait at a call for others of its work-group? */
static bool waits_at_call(const struct cu *cu, uint32_t slot) {
  return cu->groups[cu->warps[slot].group].waiting & cu_bit(slot);
}

/* At the cycle limit: notes which warps of a launch poll, and which wait for others. Nothing if none polls. */
static void note_polls(struct simulation *simulation, const struct at_once *all, size_t index) {
  struct launch_result *result = &all->results[index];
  struct isa_steering steering;
  size_t polling = 0;
  isa_steering_find(all->launches[index]->program, &steering);
  for (uint32_t i = 0; i < simulation->built; i++) {
    const struct node *node = simulation->nodes[i];
    for (uint32_t slot = 0; node->polls && slot < node->cu.params->warps; slot++) {
      const struct cu_warp *warp = &node->cu.warps[slot];
      struct warp_poll poll;
      if (!cu_is_resident(warp) || warp->exited || warp->kernel != &node->cu.kernels[index])
        continue;
      const bool polls = polls_find(node->polls, slot, steering.steers, &poll);
      polling += polls;
      if (!polls && !waits_at_call(&node->cu, slot)) {
        result->all_stuck = false;
        continue;
      }
      /* The last place is for the first warp that shows who holds a lock. */
      const size_t place = result->stuck_count < RESULT_STUCK - 1 ? result->stuck_count : RESULT_STUCK - 1;
      if (result->stuck_count < RESULT_STUCK || (polls && poll.waiting && !result->stuck[place].poll.waiting)) {
        const struct cu_group *group = &node->cu.groups[warp->group];
        result->stuck[place] =
            (struct stuck_warp){.cu = node->cu.index,
                                .group = {group->id[0], group->id[1], group->id[2]},
                                .warp = warp->index,
                                .pc = polls ? poll.pc : warp->charged,
                                .stall = warp->stall,
                                .missing = polls ? 0 : group->warp_count - arrived_at(&node->cu, group, warp->charged),
                                .exited = group->exited};
        if (polls)
          result->stuck[place].poll = poll;
      }
      result->stuck_count++;
    }
  }
  free(steering.steers);
  result->stuck_count = polling ? result->stuck_count : 0;
}

/* Collects what the kernels of a CU share. */
static void collect_shared(struct launch_result *result, const struct node *node, unsigned engines) {
  stats_add(&lds_stat_group, &result->lds, &node->lds.stats);
  for (unsigned engine = 0; engine < engines; engine++) {
    const struct dma *dma = &node->dma[engine];
    stats_add(&dma_stat_group, &result->dma, &dma->stats);
    dma_timeline_add(&result->dma_timeline, &dma->timeline, result->together_cycles);
    result->dma_out_bytes += dma->out_bytes;
    if (dma->queue_peak > result->dma_queue_peak)
      result->dma_queue_peak = dma->queue_peak;
  }
  result->together_active += node->cu.active_cycles;
  if (node->cu.lds_max_ways > result->lds_max_ways)
    result->lds_max_ways = node->cu.lds_max_ways;
}

static void join_hash(struct launch_result *result, uint64_t hash) {
  result->trace_hash = hash_join(result->trace_hash, hash);
}

void simulation_collect_kernel(struct launch_result *result, cycle_t *hazard_cycles, const struct cu *cu,
                               const struct cu_kernel *kernel, cycle_t changed) {
  stats_add(&cu_stat_group, &result->cu, &kernel->stats);
  for (unsigned i = 0; i < STALLS; i++)
    result->stalls[i] += kernel->stalls[i];
  result->resident_cycles += kernel->resident_cycles;
  join_hash(result, kernel->trace_hash);
  merge_hazards(result, hazard_cycles, kernel);
  if (result->end == END_DEADLOCK)
    note_stuck(result, cu, kernel, changed);
}

/* When a launch is over, reports reservations that will never be committed. */
static void collect_pipes(struct simulation *simulation, struct launch_result *result, size_t index) {
  pipes_count(&simulation->memory.pipes, simulation->start + result->together_cycles);
  for (size_t i = 0; i < result->pipe_count; i++) {
    const struct isa_pipe *pipe = &simulation->memory.commits.memory->pipes[i];
    if (result->end == END_FINISHED)
      isa_pipe_end(pipe, (uint32_t)index, cu_report, &simulation->nodes[0]->cu.kernels[index]);
    result->pipes[i] =
        (struct pipe_result){.pipe = pipe, .stats = pipe->stats, .left = isa_pipe_available(pipe, ISA_PIPE_READ)};
  }
}

/* From its issue, an instruction occupies its scheduler's unit for its interval. */
static void count_units(const struct isa_program *program, const struct cu *cu, struct launch_result *result) {
  for (uint32_t pc = 0; pc < program->count; pc++) {
    uint8_t class_ = program->info[pc].class_;
    result->unit_cycles[cu->issue.unit[class_]] += result->by_pc[pc].issues * cu_interval(cu, &program->info[pc]);
    result->unit_holds[cu->issue.unit[class_]] |= result->by_pc[pc].issues && cu_interval(cu, &program->info[pc]) > 1;
  }
}

/* ---- tallies of shares ---------------------------------------------------------------------- */

static void open_tally(struct tally *tally, const struct at_once *all, bool first) {
  if (tally->copy_latency.count)
    memset(&tally->copy_latency, 0, sizeof tally->copy_latency);
  for (size_t i = 0; i < all->count; i++)
    tally->by_pc[i] = first ? all->results[i].by_pc : need(all->launches[i]->program->count, sizeof **tally->by_pc);
}

void simulation_open_tallies(struct simulation *simulation, const struct at_once *all, unsigned shares) {
  if (shares != simulation->tally_count) {
    free(simulation->tallies);
    simulation->tallies = need(shares, sizeof *simulation->tallies);
    simulation->tally_count = shares;
  }
  for (unsigned share = 0; share < simulation->tally_count; share++)
    open_tally(&simulation->tallies[share], all, share == 0);
}

void simulation_add_tallies(struct simulation *simulation, const struct at_once *all) {
  for (unsigned share = 1; share < simulation->tally_count; share++) {
    struct tally *tally = &simulation->tallies[share];
    histogram_add_all(&simulation->tallies[0].copy_latency, &tally->copy_latency);
    for (size_t i = 0; i < all->count; i++)
      for (uint32_t pc = 0; pc < all->launches[i]->program->count; pc++)
        pc_result_add(&all->results[i].by_pc[pc], &tally->by_pc[i][pc]);
  }
}

void simulation_close_tallies(struct simulation *simulation) {
  for (unsigned share = 0; share < simulation->tally_count; share++)
    for (size_t i = 0; i < RESULT_TOGETHER; i++) {
      if (share > 0)
        free(simulation->tallies[share].by_pc[i]);
      simulation->tallies[share].by_pc[i] = NULL;
    }
}

void simulation_collect(struct simulation *simulation, const struct at_once *all, size_t index) {
  struct launch_result *result = &all->results[index];
  cycle_t hazard_cycles[RESULT_HAZARDS] = {0};
  result->mem = memory_stats(&simulation->memory, simulation->start + result->together_cycles);
  /* all CUs are the same, and by_pc[] covers all of them */
  count_units(all->launches[index]->program, &simulation->nodes[0]->cu, result);
  collect_pipes(simulation, result, index);
  for (uint32_t i = 0; i < simulation->built; i++) {
    const struct node *node = simulation->nodes[i];
    collect_shared(result, node, node->engines);
    simulation_collect_kernel(result, hazard_cycles, &node->cu, &node->cu.kernels[index],
                              simulation->memory.pipes.changed);
  }
  /* A CU that did nothing has its number as its hash. */
  for (uint32_t i = simulation->built; i < simulation->machine.cu.count; i++)
    join_hash(result, i);
  result->all_stuck = true;
  const struct histogram *latency = &simulation->tallies[0].copy_latency;
  if (latency->count) { /* it is large, and most launches copy nothing */
    result->dma_latency = need_more(NULL, 1, sizeof *latency);
    *result->dma_latency = *latency;
  }
  if (result->end == END_CYCLE_LIMIT)
    note_polls(simulation, all, index);
}

void pc_result_add(struct pc_result *sum, const struct pc_result *at) {
  sum->issues += at->issues;
  sum->lanes += at->lanes;
  for (unsigned i = 0; i < STALLS; i++)
    sum->stalls[i] += at->stalls[i];
  sum->lds_accesses += at->lds_accesses;
  sum->lds_passes += at->lds_passes;
  sum->lds_conflict_cycles += at->lds_conflict_cycles;
  sum->lds_contention_cycles += at->lds_contention_cycles;
  sum->lds_max_ways = cycle_max(sum->lds_max_ways, at->lds_max_ways);
  sum->sectors += at->sectors;
  sum->copies += at->copies;
  sum->copy_bytes += at->copy_bytes;
  sum->copy_forms |= at->copy_forms;
  sum->copies_done += at->copies_done;
  sum->copy_cycles += at->copy_cycles;
  sum->copy_requests += at->copy_requests;
  sum->copy_moved += at->copy_moved;
  sum->copy_max = cycle_max(sum->copy_max, at->copy_max);
}

const struct histogram *launch_copy_latency(const struct launch_result *result) {
  static const struct histogram none;
  return result->dma_latency ? result->dma_latency : &none;
}

void launch_result_clear(struct launch_result *result) { memset(result, 0, offsetof(struct launch_result, hazards)); }

void launch_result_free(struct launch_result *result) {
  free(result->by_pc);
  free(result->pipes);
  free(result->dma_latency);
  result->by_pc = NULL;
  result->pipes = NULL;
  result->dma_latency = NULL;
}
