/* A transfer: the message by which one block asks another to read or write a run of bytes, e.g. a
 * DMA engine the LDS or the memory port. It names bytes and never holds them. */
#ifndef SIM_CORE_TRANSFER_H
#define SIM_CORE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

struct transfer {
  uint32_t tag; /* the sender's name for it, given back in the reply */
  uint32_t bytes;
  uint64_t address;
  uint32_t width; /* most bytes a beat may carry; beats end at multiples of it. 0: not cut */
  bool write;
};

struct transfer_reply {
  uint32_t tag;
};

#endif
