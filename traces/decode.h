/* A warp's decoder: bytes in, operations out (docs/trace-format.md, streams). It trusts no byte. */
#ifndef TRACES_DECODE_H
#define TRACES_DECODE_H

#include "traces/bytes.h"
#include "traces/stream.h"

/* Notes of the last operation that had some, and what they point to, one behind the other. */
struct decoder_notes {
  struct bytes note, value, text; /* struct trace_note, uint64_t, char */
};

struct decoder {
  struct stream stream;
  struct cursor bytes; /* of the piece */
  uint64_t run;        /* operations that are as predicted, before the next exception */
  uint64_t operations; /* that the piece has after these */
  const char *wrong;   /* what is wrong with the bytes; NULL: nothing */
  /* Offsets of a vector whose row a later one of the same operation has taken. */
  uint64_t spare[TRACE_VECTORS - 1][TRACE_LANES];
  struct decoder_notes notes;
};

/* A piece, of so many operations; the one before is at its end. Then decode_start() for a stream's first piece, which
 * takes the first pc from it, and decode_go_on() for the others. */
void decode_piece(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t operations);
bool decode_start(struct decoder *decoder, uint32_t *pc);
bool decode_go_on(struct decoder *decoder);

/* Operations that the piece still has. */
static inline uint64_t decode_left(const struct decoder *decoder) { return decoder->run + decoder->operations; }

/* The next operation of a piece that has one: as predicted, while decoder->run is not 0, or an exception. False when
 * the bytes are wrong. */
bool decode_predicted(struct decoder *decoder, struct trace_op *op);
bool decode_exception(struct decoder *decoder, struct trace_op *op);
static inline bool decode(struct decoder *decoder, struct trace_op *op) {
  return decoder->run ? decode_predicted(decoder, op) : decode_exception(decoder, op);
}

/* Whether a piece whose operations have all been taken has no bytes left over. */
bool decode_at_end(const struct decoder *decoder);

void decode_free(struct decoder *decoder);

#endif
