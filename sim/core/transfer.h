/* A transfer: the message by which one block asks another to read or write bytes, e.g. a DMA engine the LDS or the
 * memory port: `lines` runs of `bytes`, `pitch` bytes from the start of one to the start of the next. It names bytes
 * and never holds them. */
#ifndef SIM_CORE_TRANSFER_H
#define SIM_CORE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

struct transfer {
  uint32_t tag;   /* the sender's name for it, given back in the reply */
  uint32_t bytes; /* of a line */
  uint32_t lines; /* at least one */
  uint64_t address, pitch;
  uint32_t width; /* most bytes a beat may carry; beats end at multiples of it. 0: not cut */
  bool train;     /* its lines come one a cycle, the first with the message; none is joined to the next */
  bool write;
  bool bypass;     /* of global memory: what is not in the L2 goes past it */
  uint16_t launch; /* for a timeline alone: of those at once, whose bytes they are, */
  uint32_t origin; /* and the instruction there */
};

struct transfer_reply {
  uint32_t tag;
};

#endif
