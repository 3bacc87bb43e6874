/* The parameters of compute units, of their texture units, and of the host. */
#ifndef MODELS_PARAMS_H
#define MODELS_PARAMS_H

#include "sim/core/params.h"

#define PARAMS_FILE "models/cu.params.def"
#define PARAMS_STRUCT cu_params
#define PARAMS_ENUM(name) cu_##name
#include "sim/core/params_struct.def"

#define PARAMS_FILE "models/host.params.def"
#define PARAMS_STRUCT host_params
#define PARAMS_ENUM(name) host_##name
#include "sim/core/params_struct.def"

#define PARAMS_FILE "models/texture.params.def"
#define PARAMS_STRUCT texture_params
#define PARAMS_ENUM(name) texture_##name
#include "sim/core/params_struct.def"

#endif
