/* A machine: every parameter of every block, and the checks that span blocks. */
#ifndef MODELS_MACHINE_H
#define MODELS_MACHINE_H

#include "dma/dma.h"
#include "isa/features.h"
#include "lds/lds.h"
#include "models/mem/params.h"
#include "sim/core/params.h"

struct cu_params {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#include "models/cu.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};

struct host_params {
#define PARAM PARAM_FIELD
#include "models/host.params.def"
#undef PARAM
};

struct texture_params {
#define PARAM PARAM_FIELD
#define ENUM PARAM_FIELD
#include "models/texture.params.def"
#undef PARAM
#undef ENUM
};

extern const struct stat_group mem_stat_group;

enum cu_dependence { CU_SCOREBOARD, CU_FIXED };
enum cu_meet { MEET_CALLS, MEET_BARRIERS };
enum cu_local_fence { CU_FENCE_WAITS, CU_FENCE_ORDERS };
enum cu_barrier_blocks { CU_BARRIER_BLOCKS_ALL, CU_BARRIER_BLOCKS_ACCESSES };
enum cu_functions { CU_SINGLE, CU_NVIDIA };
enum cu_off { CU_OFF_SKIP, CU_OFF_PASS };
enum texture_layout { TEXTURE_ROWS, TEXTURE_BLOCKS };
enum cu_policy { CU_ROUND_ROBIN, CU_GREEDY_OLDEST, CU_OLDEST, CU_GREEDY_FAIR };

struct machine {
  char name[64];
  struct cu_params cu;
  struct lds_params lds;
  struct dma_params dma;
  struct mem_params mem;
  struct texture_params texture;
  struct isa_features isa;
  struct host_params host;
};

/* The groups cu, lds, dma, mem, texture, isa and host, with offsets into struct machine. The models read the first
 * five. */
enum { MACHINE_GROUPS = 7, MACHINE_MODEL_GROUPS = 5 };
extern const struct param_group machine_groups[MACHINE_GROUPS];

/* Sets every parameter to its default. */
void machine_defaults(struct machine *machine);

/* False if parameters are invalid together, with what and why in `message`. */
bool machine_check(const struct machine *machine, char message[PARAM_MESSAGE]);

/* The most work-items of a work-group whose warps have `warp_size` lanes. */
uint32_t machine_group_size(const struct machine *machine, uint32_t warp_size);

#endif
