/* A machine: every parameter of every block. machine_groups.h has its functions. */
#ifndef MODELS_MACHINE_H
#define MODELS_MACHINE_H

#include "dma/params.h"
#include "isa/features.h"
#include "lds/lds.h"
#include "models/machine_groups.h"
#include "models/mem/params.h"
#include "models/params.h"

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

#endif
