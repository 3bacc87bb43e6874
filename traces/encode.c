#include "traces/encode.h"

#include <assert.h>

/* Whether all `lanes` have base + lane * stride. The loops have no early exit, so that the compiler vectorizes them. */
static bool has_stride(const struct trace_vector *vector, uint64_t lanes, uint64_t base, uint64_t stride) {
  const uint64_t *offset = vector->offset;
  uint64_t differ = 0;
  if (!(lanes & (lanes + 1))) { /* contiguous lanes from lane 0 on */
    const unsigned count = (unsigned)__builtin_popcountll(lanes);
    for (unsigned lane = 0; lane < count; lane++)
      differ |= offset[lane] ^ (base + lane * stride);
  } else {
    for (uint64_t left = lanes; left; left &= left - 1)
      differ |= offset[first_lane(left)] ^ (base + first_lane(left) * stride);
  }
  return !differ;
}

static bool has_row(const struct trace_vector *vector, uint64_t lanes, uint64_t base, const uint64_t *row) {
  const uint64_t *offset = vector->offset;
  uint64_t differ = 0;
  if (!(lanes & (lanes + 1))) {
    const unsigned count = (unsigned)__builtin_popcountll(lanes);
    for (unsigned lane = 0; lane < count; lane++)
      differ |= offset[lane] ^ (base + row[lane]);
  } else {
    for (uint64_t left = lanes; left; left &= left - 1)
      differ |= offset[first_lane(left)] ^ (base + row[first_lane(left)]);
  }
  return !differ;
}

/* Whether `shape` is the vector's. Sets *base to the base that goes with it. */
static bool fits(const struct stream *stream, const struct trace_vector *vector, uint64_t lanes, uint64_t shape,
                 uint64_t *base) {
  const unsigned first = first_lane(lanes);
  struct trace_vector want;
  stream_shape(stream, shape, &want);
  want.base = vector->offset[first] - (want.offset ? want.offset[first] : first * want.stride);
  *base = vector->base + want.base;
  return want.offset ? has_row(vector, lanes, want.base, want.offset)
                     : has_stride(vector, lanes, want.base, want.stride);
}

/* The stride between the first two lanes. Returns false if it cannot be coded. */
static bool stride_of(const struct trace_vector *vector, uint64_t lanes, uint64_t *stride) {
  const unsigned first = first_lane(lanes), second = first_lane(lanes & (lanes - 1));
  const int64_t apart = (int64_t)(vector->offset[second] - vector->offset[first]);
  *stride = (uint64_t)(apart / (int)(second - first));
  return stride_of_shape(shape_of_stride(*stride)) == *stride;
}

/* The shape of a vector of at least two lanes (one lane has any shape): a stride, a row, or SHAPE_NEW. */
static uint64_t find_shape(const struct stream *stream, const struct trace_vector *vector, uint64_t lanes,
                           uint64_t *base) {
  uint64_t stride;
  if (stride_of(vector, lanes, &stride) && fits(stream, vector, lanes, shape_of_stride(stride), base))
    return shape_of_stride(stride);
  /* Mostly the first two lanes suffice to reject a row. */
  const unsigned first = first_lane(lanes), second = first_lane(lanes & (lanes - 1));
  const uint64_t apart = vector->offset[second] - vector->offset[first];
  const uint64_t *offset = stream->shapes;
  for (uint32_t row = 0; row < stream->shapes_made; row++, offset += stream->lanes)
    if (offset[second] - offset[first] == apart && fits(stream, vector, lanes, shape_of_row(row), base))
      return shape_of_row(row);
  *base = vector->base + vector->offset[first_lane(lanes)];
  return SHAPE_NEW;
}

/* Writes a new shape: the number of low zero bits that all differences between lanes have in common, then the
 * differences without them. Lanes that do not take part continue the lane before. */
static uint8_t *put_shape(uint8_t *to, uint64_t *row, unsigned width, const struct trace_vector *vector,
                          uint64_t lanes) {
  const unsigned first = first_lane(lanes);
  uint64_t all = 0, last = vector->offset[first], delta = 0;
  for (uint64_t left = lanes; left; left &= left - 1)
    all |= vector->offset[first_lane(left)] - last;
  const unsigned zeros = first_lane(all);
  to = varint_put(to, zeros);
  for (unsigned lane = 0; lane < width; lane++) {
    if (lanes >> lane & 1) {
      delta = vector->offset[lane] - last;
      last = vector->offset[lane];
      if (lane != first)
        to = varint_put(to, zigzag((uint64_t)((int64_t)delta >> zeros)));
    }
    row[lane] = lane < first ? 0 : last - vector->offset[first];
  }
  return to;
}

static uint64_t encode_number(uint64_t value, uint64_t predicted) { return zigzag(value - predicted); }

/* The length of the longest exception, without notes. */
enum {
  LONGEST = VARINT_MOST * (2 + MISS_FIELD + TRACE_FIELDS + TRACE_VECTORS * (2 + 1 + TRACE_LANES)),
};

struct exception {
  uint64_t misses;
  uint8_t *end;
  uint8_t bytes[LONGEST];
};

static void miss(struct exception *exception, unsigned bit, uint64_t code) {
  exception->misses |= UINT64_C(1) << bit;
  exception->end = varint_put(exception->end, code);
}

static inline void encode_fields(struct exception *exception, struct stream_context *context,
                                 const struct trace_kind_row *row, const uint64_t *field) {
  uint64_t *last = context->value;
  struct stream_step *step = stream_steps(context, row);
  for (unsigned i = 0; i < row->fields; i++) {
    const bool steps = row->field[i].steps;
    const uint64_t predicted = steps ? stream_predict(context, i, last[i], step) : last[i];
    if (field[i] != predicted)
      miss(exception, MISS_FIELD + i, encode_number(field[i], predicted));
    if (steps)
      stream_learn(context, i, &last[i], step++, predicted, field[i]);
    else
      last[i] = field[i];
  }
}

static inline void encode_vector(struct exception *exception, struct stream *stream, struct stream_context *context,
                                 const struct trace_kind_row *row, unsigned number, const struct trace_vector *vector,
                                 uint64_t lanes) {
  uint64_t *value = stream_vector(context, row, number), base, shape = value[0];
  struct trace_vector spread;
  uint64_t values[TRACE_LANES];
  if (!vector->offset) {
    spread = (struct trace_vector){.offset = values};
    trace_spread(vector, stream->lanes, values);
    vector = &spread;
  }
  if (!fits(stream, vector, lanes, shape, &base)) {
    shape = find_shape(stream, vector, lanes, &base);
    miss(exception, miss_vector(row, number), shape);
    if (shape == SHAPE_NEW) {
      shape = shape_of_row(stream->shape);
      exception->end = put_shape(exception->end, stream_new_shape(stream), stream->lanes, vector, lanes);
    }
    value[0] = shape;
  }
  struct stream_step *step = (struct stream_step *)(void *)(value + 2);
  const unsigned own = TRACE_FIELDS - 1 - number;
  const uint64_t predicted = stream_predict(context, own, value[1], step);
  if (base != predicted)
    miss(exception, miss_vector(row, number) + 1, encode_number(base, predicted));
  stream_learn(context, own, &value[1], step, predicted, base);
}

static void encode_notes(struct bytes *bytes, const struct trace_op *op) {
  bytes_varint(bytes, op->notes);
  for (uint32_t i = 0; i < op->notes; i++) {
    const struct trace_note *note = &op->note[i];
    const size_t length = note->text ? strlen(note->text) : 0;
    assert(note->values <= TRACE_NOTE_VALUES && "a note has room for its values");
    bytes_varint(bytes, note->kind);
    bytes_varint(bytes, note->values);
    for (uint32_t v = 0; v < note->values; v++)
      bytes_varint(bytes, note->value[v]);
    bytes_varint(bytes, length);
    bytes_add(bytes, note->text, length);
  }
}

void encode_start(struct encoder *encoder, uint32_t pc) {
  encoder->stream.pc = pc;
  bytes_varint(&encoder->bytes, pc);
}

void encode(struct encoder *encoder, const struct trace_op *op) {
  struct stream *stream = &encoder->stream;
  assert(op->pc == stream->pc && "an operation is where the one before led");
  assert(op->pc < stream->count && "an operation is one of the program's");
  struct stream_context *context = stream_visit(stream);
  const struct trace_kind_row *row = &trace_kind_rows[stream->kinds[op->pc]];
  struct exception exception;
  exception.misses = 0;
  exception.end = exception.bytes;
  struct trace_common *common = &context->common;
  if (op->next != common->next)
    miss(&exception, 0, encode_number(op->next, common->next));
  if (op->mask != common->mask)
    miss(&exception, 1, encode_number(op->mask, common->mask));
  if (op->flags != common->flags)
    miss(&exception, 2, encode_number(op->flags, common->flags));
  common->next = stream->pc = op->next;
  common->mask = stream->mask = op->mask;
  common->flags = (uint8_t)op->flags;
  if (row->fields && op->mask) {
    encode_fields(&exception, context, row, op->field);
    const uint64_t lanes = row->vectors ? trace_lanes(op) : 0;
    for (unsigned i = 0; lanes && i < row->vectors; i++)
      encode_vector(&exception, stream, context, row, i, &op->vector[i], lanes);
    context->fresh = false;
  }
  if (op->notes)
    exception.misses |= UINT64_C(1) << miss_notes(row);
  encoder->operations++;
  if (!exception.misses) {
    encoder->run++;
    return;
  }
  bytes_varint(&encoder->bytes, encoder->run);
  bytes_varint(&encoder->bytes, exception.misses);
  bytes_add(&encoder->bytes, exception.bytes, (size_t)(exception.end - exception.bytes));
  encoder->run = 0;
  if (op->notes)
    encode_notes(&encoder->bytes, op);
}

void encode_flush(struct encoder *encoder) {
  if (encoder->run)
    bytes_varint(&encoder->bytes, encoder->run);
  encoder->run = 0;
}
