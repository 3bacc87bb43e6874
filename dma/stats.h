/* What DMA engines count. */
#ifndef DMA_STATS_H
#define DMA_STATS_H

#include "sim/core/stats.h"

struct dma_stats {
#define STAT STAT_FIELD
#include "dma/dma.stats.def"
#undef STAT
};
extern const struct stat_group dma_stat_group;

#endif
