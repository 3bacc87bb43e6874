/* The parameters of compute units, of their texture units, and of the host. */
#ifndef MODELS_PARAMS_H
#define MODELS_PARAMS_H

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

enum cu_dependence { CU_SCOREBOARD, CU_FIXED };
enum cu_meet { MEET_CALLS, MEET_BARRIERS };
enum cu_local_fence { CU_FENCE_WAITS, CU_FENCE_ORDERS };
enum cu_barrier_blocks { CU_BARRIER_BLOCKS_ALL, CU_BARRIER_BLOCKS_ACCESSES };
enum cu_functions { CU_SINGLE, CU_NVIDIA };
enum cu_off { CU_OFF_SKIP, CU_OFF_PASS };
enum texture_layout { TEXTURE_ROWS, TEXTURE_BLOCKS };
enum cu_policy { CU_ROUND_ROBIN, CU_GREEDY_OLDEST, CU_OLDEST, CU_GREEDY_FAIR };

#endif
