/* Values that the text and the JSON report both derive from a result. */
#include "sim/report/report.h"

#include <string.h>

#include "models/machine.h"

const struct limit_row occupancy_limit_rows[OCCUPANCY_LIMITS] = {
    [LIMIT_WARPS] = {"warps", "cu.warps"},
    [LIMIT_GROUPS] = {"groups", "cu.groups"},
    [LIMIT_REGISTERS] = {"registers", "registers"},
    [LIMIT_LDS] = {"lds", "LDS"},
    [LIMIT_WORK] = {"work", "the number of work-groups"},
};

#define KEY(key, unit, text) {key, unit, text},
const struct report_key report_keys[] = {
#include "sim/report/report.keys.def"
};
#undef KEY
const size_t report_key_count = sizeof report_keys / sizeof *report_keys;

/* The result names the place of the first warp to arrive. If this warp is at the same place, any other place will
 * do. */
uint32_t report_elsewhere(const struct launch_result *result, const struct stuck_warp *warp) {
  uint32_t pc = warp->elsewhere_pc;
  for (size_t i = 0; pc == warp->pc && i < result->stuck_count && i < RESULT_STUCK; i++) {
    const struct stuck_warp *other = &result->stuck[i];
    if (other->cu == warp->cu && memcmp(other->group, warp->group, sizeof warp->group) == 0)
      pc = other->pc;
  }
  return pc;
}

double report_l2_imbalance(const struct machine *machine, const struct mem_stats *mem) {
  return per((double)mem->l2_peak_slice_bytes * machine->mem.l2_slices, (double)mem->l2_bytes);
}

double report_dram_imbalance(const struct machine *machine, const struct mem_stats *mem) {
  return per((double)mem->dram_peak_channel_bytes * machine->mem.dram_channels, (double)mem->dram_bytes);
}

double report_engine_mean(const struct machine *machine, const struct launch_result *result,
                          const uint64_t sum[TIMELINE], uint32_t interval) {
  double cycles = (double)dma_timeline_length(&result->dma_timeline, result->together_cycles, interval);
  return per((double)sum[interval],
             cycles * machine->dma.engines * (double)div_up(machine->cu.count, machine->dma.cus));
}

const char *report_copy_kind(uint64_t forms) {
  static const char *const names[] = {
      [ISA_COPY_PLAIN] = "plain", [ISA_COPY_STRIDED] = "strided", [ISA_COPY_2D] = "2D", [ISA_COPY_3D] = "3D"};
  if (!forms)
    return NULL;
  return forms & (forms - 1) ? "mixed" : names[__builtin_ctzll(forms)];
}
