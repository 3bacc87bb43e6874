#include "models/machine.h"

#include <stdio.h>

#include "sim/base/need.h"
#include "sim/core/time.h"

/* clang-format off */
static const struct param_row cu_rows[] = {
#define PARAMS_FILE "models/cu.params.def"
#define PARAMS_STRUCT cu_params
#include "sim/core/params_rows.def"
};

static const struct param_row mem_rows[] = {
#define PARAMS_FILE "models/mem/mem.params.def"
#define PARAMS_STRUCT mem_params
#include "sim/core/params_rows.def"
};

static const struct param_row texture_rows[] = {
#define PARAMS_FILE "models/texture.params.def"
#define PARAMS_STRUCT texture_params
#include "sim/core/params_rows.def"
};

static const struct param_row isa_feature_rows[] = {
#define PARAMS_FILE "isa/isa.params.def"
#define PARAMS_STRUCT isa_features
#include "sim/core/params_rows.def"
};

static const struct param_row host_rows[] = {
#define PARAMS_FILE "models/host.params.def"
#define PARAMS_STRUCT host_params
#include "sim/core/params_rows.def"
};

#define PARAM(...) +1
#define POW2(...) +1
#define ENUM(...) +1
enum {
  LDS_ROWS = 0
#include "lds/lds.params.def"
  ,
  DMA_ROWS = 0
#include "dma/dma.params.def"
};
#undef PARAM
#undef POW2
#undef ENUM

const struct param_group machine_groups[MACHINE_GROUPS] = {
  {"cu", "Compute units", cu_rows, sizeof cu_rows / sizeof *cu_rows, offsetof(struct machine, cu)},
  {"lds", "Local data store", lds_param_rows, LDS_ROWS, offsetof(struct machine, lds)},
  {"dma", "DMA engine", dma_param_rows, DMA_ROWS, offsetof(struct machine, dma)},
  {"mem", "Global memory", mem_rows, sizeof mem_rows / sizeof *mem_rows, offsetof(struct machine, mem)},
  {"texture", "Texture unit", texture_rows, sizeof texture_rows / sizeof *texture_rows, offsetof(struct machine, texture)},
  {"isa", "Instruction set", isa_feature_rows, sizeof isa_feature_rows / sizeof *isa_feature_rows, offsetof(struct machine, isa)},
  {"host", "Host", host_rows, sizeof host_rows / sizeof *host_rows, offsetof(struct machine, host)},
};

#define STAT(...) STAT_ROW(struct mem_stats, __VA_ARGS__)
static const struct stat_row mem_stat_rows[] = {
#include "models/mem/mem.stats.def"
};
#undef STAT
/* clang-format on */

const struct stat_group mem_stat_group = {"memory", "Global memory", mem_stat_rows,
                                          sizeof mem_stat_rows / sizeof *mem_stat_rows};

const char *machine_name(const struct machine *machine) { return machine->name; }

const struct cu_params *machine_cu(const struct machine *machine) { return &machine->cu; }

struct machine *machine_copy(const struct machine *machine) {
  struct machine *copy = need(1, sizeof *copy);
  *copy = *machine;
  return copy;
}

bool machine_param_next(struct machine_param *at) {
  while (at->in < MACHINE_GROUPS && at->next == machine_groups[at->in].count) {
    at->in++;
    at->next = 0;
  }
  if (at->in == MACHINE_GROUPS)
    return false;
  at->group = &machine_groups[at->in];
  at->row = &at->group->rows[at->next++];
  snprintf(at->key, sizeof at->key, "%s.%s", at->group->name, at->row->name);
  return true;
}

void machine_defaults(struct machine *machine) {
  *machine = (struct machine){.name = "default"};
  param_defaults(machine_groups, MACHINE_GROUPS, machine);
}

/* Latencies must grow with the work of a bank, and DRAM must not always be refreshing. */
static bool check_dram(const struct mem_params *mem, char message[PARAM_MESSAGE]) {
  if (mem->dram_row_miss < mem->dram_row_hit)
    snprintf(message, PARAM_MESSAGE, "mem.dram_row_miss: %u is less than mem.dram_row_hit, %u cycles",
             mem->dram_row_miss, mem->dram_row_hit);
  else if (mem->dram_row_conflict < mem->dram_row_miss)
    snprintf(message, PARAM_MESSAGE, "mem.dram_row_conflict: %u is less than mem.dram_row_miss, %u cycles",
             mem->dram_row_conflict, mem->dram_row_miss);
  else if (mem->dram_refresh && mem->dram_refresh_cycles >= mem->dram_refresh)
    snprintf(message, PARAM_MESSAGE, "mem.dram_refresh_cycles: %u must be less than mem.dram_refresh, %u cycles",
             mem->dram_refresh_cycles, mem->dram_refresh);
  else
    return true;
  return false;
}

uint32_t machine_group_size(const struct machine *machine, uint32_t warp_size) {
  const uint32_t of_warps = machine->cu.warps * warp_size, own = machine->cu.group_size;
  return own && own < of_warps ? own : of_warps;
}

bool machine_check(const struct machine *machine, char message[PARAM_MESSAGE]) {
  const struct mem_params *mem = &machine->mem;
  if (mem->sector > mem->line) {
    snprintf(message, PARAM_MESSAGE, "mem.sector: %u is larger than mem.line, %u bytes", mem->sector, mem->line);
    return false;
  }
  if (mem->l1_size && mem->l1_size < mem->line * mem->l1_ways) {
    snprintf(message, PARAM_MESSAGE,
             "mem.l1_size: %u is less than one set of mem.l1_ways x mem.line, %u bytes; 0 means no L1", mem->l1_size,
             mem->line * mem->l1_ways);
    return false;
  }
  const struct texture_params *texture = &machine->texture;
  if (texture->cache_size && texture->cache_size < mem->line * texture->cache_ways) {
    snprintf(message, PARAM_MESSAGE,
             "texture.cache_size: %u is less than one set of texture.cache_ways x mem.line, %u bytes; 0 means that the "
             "L1 holds texels",
             texture->cache_size, mem->line * texture->cache_ways);
    return false;
  }
  if (mem->l2_size && mem->l2_size < mem->line * mem->l2_ways) {
    snprintf(message, PARAM_MESSAGE,
             "mem.l2_size: %u is less than one set of mem.l2_ways x mem.line, %u bytes; 0 means no L2", mem->l2_size,
             mem->line * mem->l2_ways);
    return false;
  }
  uint32_t slices = mem->l2_slices * mem->l2_partitions;
  if (mem->l2_size && mem->l2_size < mem->line * mem->l2_ways * slices) {
    snprintf(message, PARAM_MESSAGE,
             "mem.l2_size: %u is less than one set of mem.l2_ways x mem.line in each of mem.l2_slices, %u bytes",
             mem->l2_size, mem->line * mem->l2_ways * slices);
    return false;
  }
  if ((mem->dram == DRAM_BANKED || mem->dram_refresh) && !check_dram(mem, message))
    return false;
  const struct dma_params *dma = &machine->dma;
  if (dma->copy != DMA_BY_ENGINE && (dma->swizzle != DMA_LINEAR || (dma->pad_interval && dma->pad))) {
    snprintf(message, PARAM_MESSAGE, "dma.copy: only an engine pads and swizzles; with %s, dma.%s must be %s",
             dma->copy == DMA_BY_LANES ? "lanes" : "blocking", dma->swizzle != DMA_LINEAR ? "swizzle" : "pad",
             dma->swizzle != DMA_LINEAR ? "none" : "0");
    return false;
  }
  if (machine->cu.lds_unit > machine->lds.size) {
    snprintf(message, PARAM_MESSAGE, "cu.lds_unit: %u is larger than lds.size, %u bytes", machine->cu.lds_unit,
             machine->lds.size);
    return false;
  }
  return true;
}
