/* The parameters and counters of global memory: its links, caches and DRAM. */
#ifndef MODELS_MEM_PARAMS_H
#define MODELS_MEM_PARAMS_H

#include "sim/core/params.h"
#include "sim/core/stats.h"

struct mem_params {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#include "models/mem/mem.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};

struct mem_stats {
#define STAT STAT_FIELD
#include "models/mem/mem.stats.def"
#undef STAT
};
extern const struct stat_group mem_stat_group;

#define PARAM(...)
#define POW2(...)
#define CHOICE(id, word) id,
#define ENUM(name, initial, choices, ...) enum mem_##name{choices};
#include "models/mem/mem.params.def"
#undef PARAM
#undef POW2
#undef CHOICE
#undef ENUM

#endif
