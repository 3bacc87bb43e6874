/* What both reports work out from a result. */
#include "sim/cli/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/text.h"

/* A resource this busy is called the limit: queues in front of it never run dry for long. */
static const double SATURATED = 0.6;

const char *const occupancy_limit_names[OCCUPANCY_LIMITS] = {
    [LIMIT_WARPS] = "cu.warps",
    [LIMIT_GROUPS] = "cu.groups",
    [LIMIT_REGISTERS] = "registers",
    [LIMIT_LDS] = "LDS",
    [LIMIT_WORK] = "the number of work-groups",
};

void report_utilisations(const struct machine *machine, const struct launch_result *result,
                         struct utilisation all[UTILISATIONS]) {
  double active = (double)result->cu.active_cycles, cycles = (double)result->cycles;
  uint32_t narrow =
      machine->dma.read_width < machine->dma.write_width ? machine->dma.read_width : machine->dma.write_width;
  const struct utilisation rows[UTILISATIONS] = {
      {"issue slots", "instructions", (double)result->cu.warp_instructions, active * machine->cu.schedulers},
      {"LDS passes", "passes", (double)result->lds.passes, active},
      {"DMA engines", "bytes", (double)result->dma.bytes, active * machine->dma.engines * narrow},
      /* Held back, not merely under way: a full window that nobody waits for is no limit. */
      {"dma.outstanding", "cycles at the limit", (double)result->dma.outstanding_full_cycles,
       active * machine->dma.engines},
      {"link from L2", "bytes", (double)result->mem.link_down_bytes, active * machine->mem.link_width},
      {"link to L2", "bytes", (double)result->mem.link_up_bytes, active * machine->mem.link_width},
      {"L2", "bytes", (double)result->mem.l2_bytes, cycles * machine->mem.l2_width},
      {"DRAM", "bytes", (double)result->mem.dram_bytes, cycles * machine->mem.dram_width},
  };
  for (size_t i = 0; i < UTILISATIONS; i++)
    all[i] = rows[i];
}

static enum stall longest_stall(const struct launch_result *result) {
  enum stall longest = STALL_DEPENDENCY;
  for (enum stall i = 0; i < STALLS; i++)
    if (i != STALL_ISSUED && result->stalls[i] > result->stalls[longest])
      longest = i;
  return longest;
}

char *report_bottleneck(const struct machine *machine, const struct launch_result *result) {
  struct utilisation all[UTILISATIONS];
  struct text text = {0};
  report_utilisations(machine, result, all);
  const struct utilisation *busiest = &all[0];
  for (size_t i = 1; i < UTILISATIONS; i++)
    if (per(all[i].used, all[i].peak) > per(busiest->used, busiest->peak))
      busiest = &all[i];
  double share = per(busiest->used, busiest->peak);
  enum stall stall = longest_stall(result);
  if (share >= SATURATED)
    text_print(&text, "Bound by %s: %.1f %% of peak.", busiest->name, 100 * share);
  else if (result->stalls[stall])
    text_print(&text,
               "Bound by latency: the busiest resource, %s, is at %.1f %% of its peak; warps spend %.1f %% of their "
               "time waiting for %s.",
               busiest->name, 100 * share, 100 * per((double)result->stalls[stall], (double)result->resident_cycles),
               stall_rows[stall].text);
  else
    text_print(&text, "Nothing waits: every warp issues in every cycle in which it is resident.");
  return text.data;
}
