/* A warp's encoder: operations in, bytes out (docs/trace-format.md, Streams). */
#ifndef TRACES_ENCODE_H
#define TRACES_ENCODE_H

#include "traces/bytes.h"
#include "traces/stream.h"

struct encoder {
  struct stream stream;
  uint64_t run;        /* operations that matched the prediction since the last exception */
  uint64_t operations; /* since the last encode_flush() */
  struct bytes bytes;
};

void encode_start(struct encoder *encoder, uint32_t pc);
void encode(struct encoder *encoder, const struct trace_op *op);

/* Writes the count of the latest predicted operations, so that the bytes contain everything that was encoded. The code
 * that takes the bytes sets bytes.size and operations to 0. */
void encode_flush(struct encoder *encoder);

#endif
