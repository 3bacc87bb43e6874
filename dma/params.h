/* The parameters of DMA engines. */
#ifndef DMA_PARAMS_H
#define DMA_PARAMS_H

#include "sim/core/params.h"

#define PARAMS_FILE "dma/dma.params.def"
#define PARAMS_STRUCT dma_params
#define PARAMS_ENUM(name) dma_##name
#include "sim/core/params_struct.def"

extern const struct param_row dma_param_rows[];
extern const size_t dma_param_count;

#endif
