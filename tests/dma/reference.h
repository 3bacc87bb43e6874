/* A copy's requests and when they land, computed slowly, byte by byte, from the sentences of docs/closed-forms.md. */
#ifndef TESTS_DMA_REFERENCE_H
#define TESTS_DMA_REFERENCE_H

#include "tests/dma/rig.h"

struct slow_request {
  uint64_t global;
  uint32_t lds, bytes, lines; /* `lines` lines of `bytes` */
  uint32_t first_line;        /* number of its first line in the copy */
  bool zero, dropped;
  bool new_line, new_plane; /* it starts a line or plane other than the copy's first */
  bool ends_line;
  uint32_t addresses;
};

enum { SLOW_REQUESTS = 1 << 16 };

/* Fills `requests` and returns how many there are; `normal` receives the copy's normal form. */
uint32_t slow_cut(const struct dma_params *params, struct flat_copy *normal, struct slow_request *requests);

/* When the copy's event completes: sent at 0 to an idle engine, an LDS with rows of 128 bytes, a memory that answers
 * after `memory` cycles. Not for copies with zeros or in parts. */
cycle_t slow_done(const struct dma_params *params, struct flat_copy copy, cycle_t memory);

/* Whether the element of one byte on the copy's global side lies in the buffer. */
bool slow_inside(const struct dma_params *params, const struct flat_copy *copy, uint64_t line_global, uint32_t i);

struct flat_copy random_copy(uint64_t *random);
struct dma_params random_params(uint64_t *random);

#endif
