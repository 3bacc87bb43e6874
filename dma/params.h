/* The parameters of DMA engines. */
#ifndef DMA_PARAMS_H
#define DMA_PARAMS_H

#include "sim/core/params.h"

struct dma_params {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#include "dma/dma.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};

extern const struct param_row dma_param_rows[];
extern const size_t dma_param_count;

#define PARAM(...)
#define POW2(...)
#define CHOICE(id, word) id,
#define ENUM(name, initial, choices, ...) enum dma_##name{choices};
#include "dma/dma.params.def"
#undef PARAM
#undef POW2
#undef CHOICE
#undef ENUM

#endif
