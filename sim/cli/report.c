/* What both reports work out from a result. */
#include "sim/cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/file.h"
#include "sim/cli/text.h"

/* A resource this busy is called the limit: queues in front of it never run dry for long. */
static const double SATURATED = 0.6;

const struct limit_row occupancy_limit_rows[OCCUPANCY_LIMITS] = {
    [LIMIT_WARPS] = {"warps", "cu.warps"},
    [LIMIT_GROUPS] = {"groups", "cu.groups"},
    [LIMIT_REGISTERS] = {"registers", "registers"},
    [LIMIT_LDS] = {"lds", "LDS"},
    [LIMIT_WORK] = {"work", "the number of work-groups"},
};

#define KEY(key, unit, text) {key, unit, text},
const struct report_key report_keys[] = {
#include "sim/cli/report.keys.def"
};
#undef KEY
const size_t report_key_count = sizeof report_keys / sizeof *report_keys;

uint32_t report_line(const struct isa_program *program, uint32_t pc) {
  return program->line && pc < program->count ? program->line[pc] : 0;
}

void report_place(const struct isa_program *program, uint32_t pc, char text[REPORT_PLACE]) {
  uint32_t line = report_line(program, pc);
  const char *source = isa_source_name(program, pc);
  snprintf(text, REPORT_PLACE, "%.240s%s%u", file_base(source ? source : program->file), line ? ":" : ", instruction ",
           line ? line : pc);
}

/* The result names the first to arrive, which may be this warp's own place: then any other will do. */
uint32_t report_elsewhere(const struct launch_result *result, const struct stuck_warp *warp) {
  uint32_t pc = warp->elsewhere_pc;
  for (size_t i = 0; pc == warp->pc && i < result->stuck_count && i < RESULT_STUCK; i++) {
    const struct stuck_warp *other = &result->stuck[i];
    if (other->cu == warp->cu && memcmp(other->group, warp->group, sizeof warp->group) == 0)
      pc = other->pc;
  }
  return pc;
}

void report_utilisations(const struct machine *machine, const struct launch_result *result,
                         struct utilisation all[UTILISATIONS]) {
  double active = (double)result->cu.active_cycles, cycles = (double)result->cycles;
  uint32_t narrow =
      machine->dma.read_width < machine->dma.write_width ? machine->dma.read_width : machine->dma.write_width;
  const struct utilisation rows[UTILISATIONS] = {
      {"issue_slots", "issue slots", "instructions", (double)result->cu.warp_instructions,
       active * machine->cu.schedulers},
      {"lds_passes", "LDS passes", "passes", (double)result->lds.passes, active},
      {"dma_engines", "DMA engines", "bytes", (double)result->dma.bytes, active * machine->dma.engines * narrow},
      /* Held back, not merely under way: a full window that nobody waits for is no limit. */
      {"dma_outstanding", "dma.outstanding", "cycles at the limit", (double)result->dma.outstanding_full_cycles,
       active * machine->dma.engines},
      {"link_down", "link from L2", "bytes", (double)result->mem.link_down_bytes, active * machine->mem.link_width},
      {"link_up", "link to L2", "bytes", (double)result->mem.link_up_bytes, active * machine->mem.link_width},
      {"l2", "L2", "bytes", (double)result->mem.l2_bytes, cycles * machine->mem.l2_width},
      {"dram", "DRAM", "bytes", (double)result->mem.dram_bytes, cycles * machine->mem.dram_width},
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

/* A launch that was cut short has no limit to name. */
static bool unfinished(const struct launch_result *result, struct text *text) {
  if (result->end == END_DEADLOCK)
    text_print(text, "Deadlock: %zu warp%s for ever. The figures are of an unfinished launch.", result->stuck_count,
               result->stuck_count == 1 ? " waits" : "s wait");
  if (result->end == END_CYCLE_LIMIT)
    text_print(text, "Cut short at the cycle limit: the figures are of an unfinished launch.");
  return result->end != END_FINISHED;
}

char *report_bottleneck(const struct machine *machine, const struct launch_result *result) {
  struct utilisation all[UTILISATIONS];
  struct text text = {0};
  if (unfinished(result, &text))
    return text.data;
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
