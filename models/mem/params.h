/* The parameters and counters of global memory: its links, caches and DRAM. */
#ifndef MODELS_MEM_PARAMS_H
#define MODELS_MEM_PARAMS_H

#include "sim/core/params.h"
#include "sim/core/stats.h"

#define PARAMS_FILE "models/mem/mem.params.def"
#define PARAMS_STRUCT mem_params
#define PARAMS_ENUM(name) mem_##name
#include "sim/core/params_struct.def"

struct mem_stats {
#define STAT STAT_FIELD
#include "models/mem/mem.stats.def"
#undef STAT
};
extern const struct stat_group mem_stat_group;

#endif
