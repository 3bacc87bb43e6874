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

/* In the order of the words in the ENUM rows. */
enum dma_lines { DMA_JOINED, DMA_SEPARATE };
enum dma_cut { DMA_CUT_GLOBAL, DMA_CUT_BOTH };
enum dma_arbitration { DMA_ROUND_ROBIN, DMA_OLDEST, DMA_PRIORITY, DMA_QUOTA };
enum dma_full { DMA_STALL, DMA_RETRY };
enum dma_decoupling { DMA_DECOUPLED, DMA_COUPLED };
enum dma_misaligned { DMA_SHIFT, DMA_SPLIT, DMA_REFUSE };
enum dma_out_of_bounds { DMA_ERROR, DMA_ZERO, DMA_SKIP };
enum dma_swizzle { DMA_LINEAR, DMA_SWIZZLE_32, DMA_SWIZZLE_64, DMA_SWIZZLE_128 };
enum dma_l2 { DMA_ALLOCATE, DMA_BYPASS };
enum dma_copy { DMA_BY_ENGINE, DMA_BY_LANES, DMA_BLOCKING };

#endif
