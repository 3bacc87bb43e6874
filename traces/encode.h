/* A warp's encoder: operations in, bytes out (docs/trace-format.md, streams). */
#ifndef TRACES_ENCODE_H
#define TRACES_ENCODE_H

#include "traces/bytes.h"
#include "traces/stream.h"

struct encoder {
  struct stream stream;
  uint64_t run;        /* operations as predicted since the last exception */
  uint64_t operations; /* since the last encode_flush() */
  struct bytes bytes;
};

/* All are false when memory has run out. */
bool encode_start(struct encoder *encoder, uint32_t pc);
bool encode(struct encoder *encoder, const struct trace_op *op);

/* Puts the count of operations that are as predicted: the bytes then hold all that was encoded, and whoever takes them
 * sets bytes.size and operations to 0. */
bool encode_flush(struct encoder *encoder);

#endif
