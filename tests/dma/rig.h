/* A DMA engine between a CU that follows a script, the real LDS, and a memory of constant latency. */
#ifndef TESTS_DMA_RIG_H
#define TESTS_DMA_RIG_H

#include "dma/dma.h"
#include "lds/lds.h"
#include "tests/ct.h"

/* A copy as tests write it: the fields of a descriptor, with both sides in one. */
struct flat_copy {
  uint64_t tag, number;
  uint32_t owner, element_bytes, line_bytes, lines, planes;
  uint8_t after;
  bool to_lds, fetch;
  uint64_t global, global_pitch, global_plane, global_from, global_to;
  uint32_t lds, lds_pitch, lds_plane;
  cycle_t issued;
};
struct dma_descriptor descriptor_of(const struct flat_copy *copy);

enum { COPIES = 256, GLOBAL_BYTES = 1 << 18, LDS_BYTES = 1 << 18, MEMORY_LATENCY = 2 };

struct rig {
  struct island island;
  struct histogram latency;
  struct dma_params dma_params;
  struct lds_params lds_params;
  struct dma dma;
  struct lds lds;
  struct component cu, memory;
  /* the CU's script, and its record: when each copy was sent and when its event completed */
  struct flat_copy copy[COPIES];
  cycle_t at[COPIES], sent[COPIES], done[COPIES], landed[COPIES];
  uint64_t requests[COPIES], asked[COPIES]; /* what the completion reports */
  uint32_t order[COPIES];                   /* tags in the order of completion */
  unsigned planned, next_copy, completed;
  /* memory: a reply arrives `read` or `write` cycles after the request was sent; it accepts one request every `gap`
   * cycles */
  cycle_t read, write, gap, last_taken;
  cycle_t lds_now;
  cycle_t (*lds_step)(void *self, cycle_t now);
  uint64_t read_requests, write_requests, bypasses, largest, hash;
  struct {
    cycle_t first[2], last[2]; /* when the LDS and global memory were touched, + 1: 0 means never */
  } diary[COPIES];             /* by tag */
  uint8_t touched_global[GLOBAL_BYTES], touched_lds[LDS_BYTES]; /* how often each byte was read or written */
};

struct dma_params usual_dma(void);
struct rig *make_rig(struct dma_params params);
void free_rig(struct rig *rig);
struct flat_copy *plan(struct rig *rig, cycle_t at, struct flat_copy copy);
struct flat_copy *plan_plain(struct rig *rig, cycle_t at, bool to_lds, uint64_t global, uint32_t lds, uint32_t bytes);
void run(struct rig *rig);

/* The cycle in which the event of a single copy, sent at 0 to an idle engine, completes. */
cycle_t alone(struct dma_params params, struct flat_copy copy, cycle_t memory);
struct flat_copy plain(bool to_lds, uint64_t global, uint32_t lds, uint32_t bytes);

#endif
