/* A transfer: the message by which one block requests another to read or write bytes, for example a DMA engine the LDS
 * or the memory port. It describes bytes and never contains them. */
#ifndef SIM_CORE_TRANSFER_H
#define SIM_CORE_TRANSFER_H

#include "sim/core/rect.h"

struct transfer {
  uint32_t tag;     /* chosen by the sender, returned in the reply */
  struct rect rect; /* lines of one plane */
  uint32_t width;   /* most bytes of a beat, and beats end at multiples of it; 0: no limit */
  bool train;       /* its lines arrive one per cycle, the first with the message, and are not joined */
  bool write;
  bool bypass;     /* of global memory: what is not in the L2 bypasses it */
  uint16_t launch; /* for timelines only: number of the launch among concurrent ones */
  uint32_t origin; /* for timelines only: the instruction */
};

struct transfer_reply {
  uint32_t tag;
};

#endif
