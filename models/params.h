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

#define PARAM(...)
#define POW2(...)
#define CHOICE(id, word) id,
#define ENUM(name, initial, choices, ...) enum cu_##name{choices};
#include "models/cu.params.def"
#undef PARAM
#undef POW2
#undef CHOICE
#undef ENUM
#define PARAM(...)
#define CHOICE(id, word) id,
#define ENUM(name, initial, choices, ...) enum texture_##name{choices};
#include "models/texture.params.def"
#undef PARAM
#undef CHOICE
#undef ENUM

#endif
