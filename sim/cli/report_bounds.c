/* How near resources came to their peaks, and the sentence that says what bounds a launch: its rule is in
 * docs/report.md. */
#include <inttypes.h>
#include <string.h>

#include "sim/cli/report.h"
#include "sim/cli/text.h"

/* A resource this busy is called the limit: whatever else is mended, the launch gets faster by a quarter at most. */
static const double SATURATED = 0.8;

/* A resource this busy is what warps wait for when they wait for its services: requests come in bursts. */
static const double BUSY = 0.6;

/* Conflicts that add this share of the LDS's passes are told. */
static const double CONFLICTS = 0.1;

/* A bucket with this share of its cause's waiting stands for all of it. */
static const double NEARLY_ALL = 0.95;

/* A unit below this share of its peak is left out of the text report. */
static const double MINOR_UNIT = 0.1;

static const struct {
  const char *key, *name, *said;
} unit_words[ISA_CLASSES] = {
#define CLASS(id, name, text) {"unit_" name, name " unit", "the " name " unit"},
#include "isa/classes.def"
#undef CLASS
};

/* A unit that takes an instruction in every cycle is never busier than the issue slots, and so minor. */
static void unit_utilisations(const struct machine *machine, const struct launch_result *result,
                              struct utilisation units[REPORT_UNITS]) {
  double peak = (double)result->cu.active_cycles * machine->cu.schedulers;
  for (size_t i = 0; i < REPORT_UNITS; i++) {
    double used = (double)result->unit_cycles[i];
    units[i] = (struct utilisation){.key = unit_words[i].key,
                                    .name = unit_words[i].name,
                                    .said = unit_words[i].said,
                                    .unit = "busy cycles",
                                    .used = used < peak ? used : peak, /* the last interval may outlive the warps */
                                    .peak = peak,
                                    .serves = SERVES_UNITS,
                                    .minor = used < MINOR_UNIT * peak || !result->unit_holds[i]};
  }
}

/* On average at least half a descriptor waited for a channel while an engine worked. */
static bool channels_wanted(const struct dma_stats *dma) { return 2 * dma->queue_cycles >= dma->busy_cycles; }

/* Bytes that DRAM passed in the launch: it may have been asked for more than it could. */
static double dram_passed(const struct machine *machine, const struct launch_result *result) {
  double passed = (double)(result->mem.dram_early_bytes + result->mem.dram_bytes) - (double)result->mem.dram_late_bytes;
  double peak = (double)result->together_cycles * machine->mem.dram_width;
  return passed < 0 ? 0 : passed < peak ? passed : peak;
}

/* What links of `width` pass in `active` cycles of CUs, and no more than the clusters' ports do in `cycles`. */
static double link_peak(const struct mem_params *mem, double active, double cycles, uint32_t width, uint32_t port) {
  double links = active * width, ports = cycles * mem->clusters * port;
  return mem->clusters && ports < links ? ports : links;
}

/* What engines pass in so many cycles at their narrower side, which outbound copies may have to themselves. */
static double engines_peak(const struct dma_params *dma, const struct launch_result *result, double cycles) {
  const double narrow = dma->read_width < dma->write_width ? dma->read_width : dma->write_width;
  const double all = (double)result->dma.bytes, out = (double)result->dma_out_bytes;
  if (!dma->out_width || !result->dma_out_bytes)
    return cycles * narrow;
  return cycles * all / ((all - out) / narrow + out / dma->out_width);
}

void report_utilisations(const struct machine *machine, const struct launch_result *result,
                         struct utilisation all[UTILISATIONS]) {
  double active = (double)result->together_active, cycles = (double)result->together_cycles;
  double own = (double)result->cu.active_cycles;
  /* Shared engines serve whichever of their CUs hold work-groups: all cycles count. */
  double clusters = (double)div_up(machine->cu.count, machine->dma.cus);
  double engines = (machine->dma.cus > 1 ? cycles * clusters : active) * machine->dma.engines;
  const struct mem_params *mem = &machine->mem;
  double down = link_peak(mem, active, cycles, mem->link_width, mem->cluster_width),
         up = link_peak(mem, active, cycles, mem->link_up_width ? mem->link_up_width : mem->link_width,
                        mem->cluster_up_width);
#define OF(count) (double)result->count
  enum { MEMORY = SERVES_MEMORY | SERVES_COPIES };
  const struct utilisation rows[UTILISATIONS - REPORT_UNITS] = {
      {"issue_slots", "issue slots", "issue slots", "instructions",
       (double)(result->cu.warp_instructions + result->cu.copy_slots + result->cu.copy_retries),
       own * machine->cu.schedulers, .serves = SERVES_ISSUE},
      {"lds_passes", "LDS passes", "LDS passes", "passes", OF(lds.passes), active, .serves = SERVES_LDS},
      {"dma_engines", "DMA engines", "the DMA engines", "bytes", OF(dma.bytes),
       engines_peak(&machine->dma, result, engines), .serves = SERVES_COPIES},
      {"dma_channels", "DMA channels", "the DMA channels", "channel-cycles", OF(dma.channel_cycles),
       engines * machine->dma.channels, .serves = SERVES_COPIES, .idle_held = !channels_wanted(&result->dma)},
      /* Held back, not merely under way: a full window that nobody waits for is no limit. */
      {"dma_outstanding", "dma.outstanding", "dma.outstanding", "cycles at the limit", OF(dma.outstanding_full_cycles),
       engines, .serves = SERVES_COPIES},
      {"link_down", "link from L2", "the link from L2", "bytes", OF(mem.link_down_bytes), down, .serves = MEMORY},
      {"link_up", "link to L2", "the link to L2", "bytes", OF(mem.link_up_bytes), up, .serves = MEMORY},
      {"l2", "L2", "the L2", "bytes", OF(mem.l2_bytes), cycles * machine->mem.l2_width, .serves = MEMORY},
      {"dram", "DRAM", "DRAM", "bytes", dram_passed(machine, result), cycles * machine->mem.dram_width,
       .serves = MEMORY},
  };
#undef OF
  memcpy(all, rows, sizeof rows);
  unit_utilisations(machine, result, all + UTILISATIONS - REPORT_UNITS);
}

static double share_of(const struct utilisation *resource) { return per(resource->used, resource->peak); }

/* The resource nearest to its peak of those that serve any of `services`; NULL if it is none. */
static const struct utilisation *busiest_of(const struct utilisation all[UTILISATIONS], unsigned services, bool held) {
  const struct utilisation *busiest = NULL;
  for (size_t i = 0; i < UTILISATIONS; i++)
    if ((all[i].serves & services) && (held || !all[i].idle_held) &&
        (!busiest || share_of(&all[i]) > share_of(busiest)))
      busiest = &all[i];
  return busiest;
}

/* Buckets of waiting for the same thing are weighed together. */
enum cause { CAUSE_UNITS, CAUSE_ISSUE, CAUSE_LDS, CAUSE_MEMORY, CAUSE_COPIES, CAUSE_WARPS, CAUSE_PIPES, CAUSES };

static const char *const cause_names[CAUSES] = {[CAUSE_UNITS] = "execution units",
                                                [CAUSE_ISSUE] = "issue slots",
                                                [CAUSE_LDS] = "the LDS",
                                                [CAUSE_MEMORY] = "global memory",
                                                [CAUSE_COPIES] = "asynchronous copies",
                                                [CAUSE_WARPS] = "other warps of the work-group",
                                                [CAUSE_PIPES] = "pipes"};

/* Of each bucket, its cause, and what the waiting may be owed to when that is busy: 0 if no bandwidth would end it. */
static const struct {
  enum cause cause;
  unsigned services;
} waiting[STALLS] = {
    [STALL_DEPENDENCY] = {CAUSE_UNITS, 0},
    [STALL_UNIT] = {CAUSE_UNITS, SERVES_UNITS},
    [STALL_NOT_SELECTED] = {CAUSE_ISSUE, SERVES_ISSUE},
    [STALL_LDS] = {CAUSE_LDS, SERVES_LDS},
    [STALL_LDS_CONFLICT] = {CAUSE_LDS, 0},
    [STALL_LDS_CONTENTION] = {CAUSE_LDS, 0},
    [STALL_LDS_QUEUE] = {CAUSE_LDS, SERVES_LDS},
    [STALL_MEMORY] = {CAUSE_MEMORY, SERVES_MEMORY},
    [STALL_MEMORY_QUEUE] = {CAUSE_MEMORY, SERVES_MEMORY},
    [STALL_FENCE] = {CAUSE_MEMORY, SERVES_MEMORY},
    [STALL_BARRIER] = {CAUSE_WARPS, 0},
    [STALL_COPY_JOIN] = {CAUSE_WARPS, 0},
    [STALL_DMA_QUEUE] = {CAUSE_COPIES, SERVES_COPIES},
    [STALL_COPY_DATA] = {CAUSE_COPIES, SERVES_COPIES},
    [STALL_COPY_WAIT] = {CAUSE_COPIES, SERVES_COPIES},
    [STALL_WAIT_JOIN] = {CAUSE_WARPS, 0},
    [STALL_PIPE] = {CAUSE_PIPES, SERVES_MEMORY},
    [STALL_PIPE_EMPTY] = {CAUSE_PIPES, 0},
    [STALL_PIPE_FULL] = {CAUSE_PIPES, 0},
    [STALL_DRAIN] = {CAUSE_MEMORY, SERVES_MEMORY},
};

/* The cause with the most waiting, its warp-cycles, and the longest of its buckets; false: nothing waits. */
static bool longest_wait(const struct launch_result *result, enum cause *cause, uint64_t *cycles, enum stall *stall) {
  uint64_t sum[CAUSES] = {0};
  *cause = CAUSE_UNITS;
  *stall = STALL_ISSUED;
  for (enum stall i = STALL_ISSUED + 1; i < STALLS; i++)
    sum[waiting[i].cause] += result->stalls[i];
  for (enum cause i = 0; i < CAUSES; i++)
    if (sum[i] > sum[*cause])
      *cause = i;
  for (enum stall i = STALL_ISSUED + 1; i < STALLS; i++)
    if (waiting[i].cause == *cause && (*stall == STALL_ISSUED || result->stalls[i] > result->stalls[*stall]))
      *stall = i;
  *cycles = sum[*cause];
  return *cycles > 0;
}

/* A launch that was cut short has no limit to name. */
static bool unfinished(const struct launch_result *result, struct text *text) {
  if (result->end == END_DEADLOCK)
    text_print(text, "Deadlock: %zu warp%s for ever. The figures are of an unfinished launch.", result->stuck_count,
               result->stuck_count == 1 ? " waits" : "s wait");
  if (result->end == END_DEADLOCK && result->together > 1 && result->never_started)
    text_print(text, " %" PRIu64 " of its work-groups %s never started: no CU had room for %s.", result->never_started,
               result->never_started == 1 ? "was" : "were", result->never_started == 1 ? "it" : "them");
  if (result->end == END_CYCLE_LIMIT)
    text_print(text, "Cut short at the cycle limit: the figures are of an unfinished launch.");
  return result->end != END_FINISHED;
}

/* Many passes are no need of the kernel's when conflicts made them. */
static void say_conflicts(const struct launch_result *result, struct text *text) {
  double share = per((double)result->lds.conflict_cycles, (double)result->lds.passes);
  if (share >= CONFLICTS)
    text_print(text, " Bank conflicts added %.1f %% of the passes.", 100 * share);
}

static void say_limit(const struct utilisation *limit, const struct launch_result *result, struct text *text) {
  text_print(text, "Bound by %s: %.1f %% of peak.", limit->said, 100 * share_of(limit));
  if (limit->serves == SERVES_LDS)
    say_conflicts(result, text);
}

/* "waiting for the LDS, mostly for room in the LDS's queue", or for the bucket alone when it is all. */
static void say_waiting(const struct launch_result *result, enum cause cause, uint64_t cycles, enum stall stall,
                        struct text *text) {
  text_print(text, ": warps spend %.1f %% of their time waiting for ",
             100 * per((double)cycles, (double)result->resident_cycles));
  if ((double)result->stalls[stall] < NEARLY_ALL * (double)cycles)
    text_print(text, "%s, mostly for ", cause_names[cause]);
  text_print(text, "%s.", stall_rows[stall].text);
}

/* Nothing is near its peak: what warps wait for most is the limit, or what that is owed to. False: nothing waits. */
static bool say_longest(const struct utilisation all[UTILISATIONS], const struct launch_result *result,
                        struct text *text) {
  enum cause cause = CAUSES;
  enum stall stall = STALL_ISSUED;
  uint64_t cycles = 0;
  if (!longest_wait(result, &cause, &cycles, &stall))
    return false;
  const struct utilisation *owed = busiest_of(all, waiting[stall].services, false);
  const struct utilisation *busiest = busiest_of(all, ~0u, true);
  if (owed && share_of(owed) >= BUSY) {
    text_print(text, "Bound by %s, at %.1f %% of peak", owed->said, 100 * share_of(owed));
    say_waiting(result, cause, cycles, stall, text);
    if (owed->serves == SERVES_LDS)
      say_conflicts(result, text);
    return true;
  }
  text_print(text, "Bound by %s", stall_rows[stall].limit);
  say_waiting(result, cause, cycles, stall, text);
  text_print(text, " The busiest resource, %s, is at %.1f %% of peak%s.", busiest->said, 100 * share_of(busiest),
             busiest->idle_held && share_of(busiest) >= BUSY ? ", but copies hardly waited for one" : "");
  return true;
}

char *report_bottleneck(const struct machine *machine, const struct launch_result *result) {
  struct utilisation all[UTILISATIONS];
  struct text text = {0};
  if (unfinished(result, &text))
    return text.data;
  report_utilisations(machine, result, all);
  /* What launches at once share may be busy with the others' work: only waiting tells whose limit it is. */
  const unsigned own = SERVES_ISSUE | SERVES_UNITS;
  const struct utilisation *busiest = busiest_of(all, result->together > 1 ? own : ~0u, false);
  if (share_of(busiest) >= SATURATED)
    say_limit(busiest, result, &text);
  else if (!say_longest(all, result, &text))
    text_print(&text, "Nothing waits: every warp issues in every cycle in which it is resident.");
  return text.data;
}
