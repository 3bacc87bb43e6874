/* What a copy's requests are and when they land, worked out slowly: byte by byte, from the sentences of
 * docs/closed-forms.md. */
#ifndef TESTS_DMA_REFERENCE_H
#define TESTS_DMA_REFERENCE_H

#include "dma/dma.h"

struct slow_request {
  uint64_t global;
  uint32_t lds, bytes, lines; /* `lines` lines of `bytes` */
  uint32_t first_line;        /* its line's number in the copy */
  bool zero, dropped;
  bool new_line, new_plane; /* it starts a line, a plane, that is not the copy's first */
  bool ends_line;
  uint32_t addresses;
};

enum { SLOW_REQUESTS = 1 << 16 };

/* Fills `requests` and returns how many; `normal` becomes the copy's normal form. */
uint32_t slow_cut(const struct dma_params *params, struct dma_descriptor *normal, struct slow_request *requests);

/* When the copy's event completes, sent at 0 to an idle engine with an LDS of rows of 128 bytes and a memory
 * that answers after `memory` cycles. Not for copies with zeros or with parts. */
cycle_t slow_done(const struct dma_params *params, struct dma_descriptor copy, cycle_t memory);

/* One byte of the copy's global side: whether its element lies in the buffer. */
bool slow_inside(const struct dma_params *params, const struct dma_descriptor *copy, uint64_t line_global, uint32_t i);

struct dma_descriptor random_copy(uint64_t *random);
struct dma_params random_params(uint64_t *random);

#endif
