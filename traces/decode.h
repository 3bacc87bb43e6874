/* A warp's decoder: bytes in, operations out (docs/trace-format.md, Streams). It trusts no byte. */
#ifndef TRACES_DECODE_H
#define TRACES_DECODE_H

#include "traces/bytes.h"
#include "traces/stream.h"

/* The notes of the last operation that had notes, and what they point to. Each array is contiguous. */
struct decoder_notes {
  struct bytes note, value, text; /* struct trace_note, uint64_t, char */
};

struct decoder {
  struct stream stream;
  struct cursor bytes; /* the rest of the piece */
  uint64_t run;        /* operations that match the prediction, before the next exception */
  uint64_t operations; /* in the piece after these */
  const char *wrong;   /* what was expected instead of the bytes; NULL: no error */
  /* The offsets of a vector whose row was taken by a later vector of the same operation. */
  uint64_t spare[TRACE_VECTORS - 1][TRACE_LANES];
  struct decoder_notes notes;
};

/* Sets the next piece, of `operations` operations; the previous one must be at its end. Then call decode_start() for
 * the first piece of a stream, which reads the first pc from it, or decode_go_on() for the others. */
void decode_piece(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t operations);
bool decode_start(struct decoder *decoder, uint32_t *pc);
bool decode_go_on(struct decoder *decoder);

/* The operations that the piece still has. */
static inline uint64_t decode_left(const struct decoder *decoder) { return decoder->run + decoder->operations; }

/* The next operation of a piece that has one: predicted while decoder->run is not 0, otherwise an exception. Returns
 * false if the bytes are wrong. */
bool decode_predicted(struct decoder *decoder, struct trace_op *op);
bool decode_exception(struct decoder *decoder, struct trace_op *op);
static inline bool decode(struct decoder *decoder, struct trace_op *op) {
  return decoder->run ? decode_predicted(decoder, op) : decode_exception(decoder, op);
}

/* Whether no bytes are left, after all operations of the piece were decoded. */
bool decode_at_end(const struct decoder *decoder);

void decode_free(struct decoder *decoder);

#endif
