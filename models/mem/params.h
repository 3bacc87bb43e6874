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

/* In the order of the words in the ENUM rows. */
enum l1_hash { L1_MODULO, L1_XOR };
enum l1_join { L1_ALONE, L1_JOIN };
enum l1_banks { L1_NO_BANKS, L1_LDS_BANKS };
enum l2_hash { L2_MODULO, L2_XOR };
enum l2_write { L2_ALLOCATE, L2_AROUND };
enum mshr_prefetch { MSHR_WAIT, MSHR_DROP };
enum dram_kind { DRAM_SIMPLE, DRAM_BANKED };

#endif
