#include "traces/decode.h"

static bool wrong(struct decoder *decoder, const char *what) {
  decoder->wrong = decoder->wrong ? decoder->wrong : what;
  return false;
}

/* A number: as predicted, or if its bit says so, with a difference. */
static inline uint64_t number(struct cursor *bytes, uint64_t misses, unsigned bit, uint64_t predicted) {
  return misses >> bit & 1 ? predicted + unzigzag(cursor_varint(bytes)) : predicted;
}

static void decode_fields(struct cursor *bytes, uint64_t misses, struct stream_context *context,
                          const struct trace_kind_row *row) {
  uint64_t *last = context->value;
  struct stream_step *step = stream_steps(context, row);
  for (unsigned i = 0; i < row->fields; i++) {
    const bool steps = row->field[i].steps;
    const uint64_t predicted = steps ? stream_predict(context, i, last[i], step) : last[i];
    const uint64_t value = number(bytes, misses, MISS_FIELD + i, predicted);
    if (steps)
      stream_learn(context, i, &last[i], step++, predicted, value);
    else
      last[i] = value;
  }
}

/* The counterpart of encode.c's put_shape(). */
static bool take_shape(struct cursor *bytes, uint64_t *row, unsigned width, uint64_t lanes) {
  const unsigned first = first_lane(lanes);
  const uint64_t zeros = cursor_varint(bytes);
  uint64_t offset = 0, delta = 0;
  if (zeros > 63)
    return false;
  for (unsigned lane = 0; lane < width; lane++) {
    if (lanes >> lane & 1 && lane != first)
      delta = unzigzag(cursor_varint(bytes)) << zeros, offset += delta;
    row[lane] = lane < first ? 0 : offset;
  }
  return !bytes->bad;
}

/* A shape that was not predicted. Returns its number, or SHAPE_NEW if it is wrong. */
static uint64_t decode_shape(struct decoder *decoder, uint64_t lanes, struct trace_op *op, unsigned vector) {
  struct stream *stream = &decoder->stream;
  const uint64_t shape = cursor_varint(&decoder->bytes);
  if (shape == SHAPE_NEW) {
    const uint32_t number_of_row = stream->shape;
    const uint64_t *before = stream->shapes;
    uint64_t *row = stream_new_shape(stream);
    for (unsigned i = 0; i < vector && before; i++)
      if (op->vector[i].offset == row) {
        memcpy(decoder->spare[i], row, stream->lanes * sizeof *row);
        op->vector[i].offset = decoder->spare[i];
      }
    if (!take_shape(&decoder->bytes, row, stream->lanes, lanes))
      return wrong(decoder, "a shape for each active lane"), SHAPE_NEW;
    return shape_of_row(number_of_row);
  }
  if (shape & 1 && shape >> 1 >= stream->shapes_made)
    return wrong(decoder, "a shape that the stream has"), SHAPE_NEW;
  return shape;
}

static inline bool decode_vector(struct decoder *decoder, uint64_t misses, struct stream_context *context,
                                 const struct trace_kind_row *row, unsigned vector, uint64_t lanes,
                                 struct trace_op *op) {
  uint64_t *value = stream_vector(context, row, vector);
  const unsigned bit = miss_vector(row, vector);
  if (misses >> bit & 1) {
    const uint64_t shape = decode_shape(decoder, lanes, op, vector);
    if (shape == SHAPE_NEW)
      return false;
    value[0] = shape;
  }
  struct stream_step *step = (struct stream_step *)(void *)(value + 2);
  const unsigned own = TRACE_FIELDS - 1 - vector;
  const uint64_t predicted = stream_predict(context, own, value[1], step);
  const uint64_t base = number(&decoder->bytes, misses, bit + 1, predicted);
  stream_learn(context, own, &value[1], step, predicted, base);
  stream_shape(&decoder->stream, value[0], &op->vector[vector]);
  op->vector[vector].base = base;
  return true;
}

static bool decode_note(struct decoder *decoder) {
  struct cursor *bytes = &decoder->bytes;
  struct decoder_notes *notes = &decoder->notes;
  const uint64_t kind = cursor_varint(bytes), values = cursor_varint(bytes);
  if (kind >= TRACE_NOTE_KINDS || values > TRACE_NOTE_VALUES)
    return wrong(decoder, "a note that the schema has");
  for (uint64_t i = 0; i < values; i++) {
    const uint64_t value = cursor_varint(bytes);
    bytes_add(&notes->value, &value, sizeof value);
  }
  const uint64_t length = cursor_varint(bytes);
  const uint8_t *text = cursor_bytes(bytes, length);
  if (!text)
    return wrong(decoder, "a note's text");
  if (memchr(text, 0, (size_t)length))
    return wrong(decoder, "a note's text without zero bytes");
  const struct trace_note note = {.kind = (enum trace_note_kind)kind, .values = (uint32_t)values};
  bytes_add(&notes->note, &note, sizeof note);
  bytes_add(&notes->text, text, (size_t)length);
  bytes_add(&notes->text, "", 1);
  return true;
}

static bool decode_notes(struct decoder *decoder, struct trace_op *op) {
  const uint64_t count = cursor_varint(&decoder->bytes);
  struct decoder_notes *notes = &decoder->notes;
  if (!count || count > (uint64_t)(decoder->bytes.end - decoder->bytes.at))
    return wrong(decoder, "notes");
  notes->note.size = notes->value.size = notes->text.size = 0;
  bytes_reserve(&notes->value, 1); /* so that the pointer is valid for notes without values */
  for (uint64_t i = 0; i < count; i++)
    if (!decode_note(decoder))
      return false;
  /* The arrays do not move anymore, so pointers into them are valid. */
  struct trace_note *note = (struct trace_note *)(void *)notes->note.at;
  const uint64_t *value = (const uint64_t *)(const void *)notes->value.at;
  const char *text = (const char *)notes->text.at;
  for (uint64_t i = 0; i < count; i++) {
    note[i].value = value;
    note[i].text = text;
    value += note[i].values;
    text += strlen(text) + 1;
  }
  op->notes = (uint32_t)count;
  op->note = note;
  return true;
}

/* Reads the common fields that differ. */
static bool take_common(struct decoder *decoder, uint64_t misses, struct stream_context *context) {
  struct cursor *bytes = &decoder->bytes;
  struct trace_common *common = &context->common;
  const uint64_t next = number(bytes, misses, 0, common->next), mask = number(bytes, misses, 1, common->mask),
                 flags = number(bytes, misses, 2, common->flags);
  common->next = (uint32_t)next;
  common->mask = mask;
  common->flags = (uint8_t)flags;
  if (next > UINT32_MAX)
    return wrong(decoder, "a pc of 32 bits");
  if (mask & ~all_lanes(decoder->stream.lanes))
    return wrong(decoder, "lanes that the warp has");
  return !(flags >> TRACE_FLAG_BITS) || wrong(decoder, "flags that the schema has");
}

/* Whether everything that is said to differ exists: fields if there is a mask, vectors if there are lanes. */
static bool may_differ(struct decoder *decoder, uint64_t misses, const struct trace_kind_row *row, uint64_t mask,
                       uint64_t lanes) {
  const unsigned notes = miss_notes(row), vectors = miss_vector(row, 0);
  const uint64_t without = misses & ~(UINT64_C(1) << notes);
  return !(lanes  ? misses >> notes >> 1
           : mask ? without >> vectors
                  : without >> MISS_FIELD) ||
         wrong(decoder, "fields that the operation has");
}

/* Reads fields and vectors of the operation, where they differ from their predictions. */
static inline bool take_fields(struct decoder *decoder, uint64_t misses, struct stream_context *context,
                               struct trace_op *op) {
  const struct trace_kind_row *row = &trace_kind_rows[context->kind];
  uint64_t lanes = 0;
  if (!context->bare && op->mask) {
    if (misses || row->stepping) /* otherwise they are unchanged */
      decode_fields(&decoder->bytes, misses, context, row);
    op->field = context->value;
    lanes = row->vectors ? trace_lanes(op) : 0;
    for (unsigned i = 0; lanes && i < row->vectors; i++)
      if (!decode_vector(decoder, misses, context, row, i, lanes, op))
        return false;
    context->fresh = false;
  }
  return !misses || may_differ(decoder, misses, row, op->mask, lanes);
}

/* Copies the context's operation, except for its fields. */
static inline void take_context(struct stream *stream, const struct stream_context *context, struct trace_op *op) {
  op->kind = context->kind;
  const struct trace_common *common = &context->common;
  op->pc = common->pc;
  op->next = stream->pc = common->next;
  op->mask = stream->mask = common->mask;
  op->flags = common->flags;
  op->notes = 0;
}

static bool no_context(struct decoder *decoder) { return wrong(decoder, "an operation of the program"); }

bool decode_predicted(struct decoder *decoder, struct trace_op *op) {
  struct stream_context *context = stream_visit(&decoder->stream);
  if (!context)
    return no_context(decoder);
  decoder->run--;
  take_context(&decoder->stream, context, op);
  return context->bare || take_fields(decoder, 0, context, op);
}

/* Reads the count of operations before the next exception. */
static bool take_run(struct decoder *decoder) {
  const uint64_t run = decoder->bytes.at < decoder->bytes.end ? cursor_varint(&decoder->bytes) : 0;
  if (decoder->bytes.bad || run > decoder->operations)
    return wrong(decoder, "a count of operations");
  decoder->run = run;
  decoder->operations -= run;
  return true;
}

bool decode_exception(struct decoder *decoder, struct trace_op *op) {
  const uint64_t misses = cursor_varint(&decoder->bytes);
  if (!misses)
    return wrong(decoder, "what differs in an operation");
  struct stream_context *context = stream_visit(&decoder->stream);
  if (!context)
    return no_context(decoder);
  if (!take_common(decoder, misses, context))
    return false;
  decoder->operations--;
  take_context(&decoder->stream, context, op);
  if (!take_fields(decoder, misses, context, op) ||
      (misses >> miss_notes(&trace_kind_rows[op->kind]) && !decode_notes(decoder, op)))
    return false;
  if (decoder->bytes.bad)
    return wrong(decoder, "more bytes of an operation");
  return take_run(decoder);
}

void decode_piece(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t operations) {
  decoder->bytes = (struct cursor){bytes, bytes + size, false};
  decoder->run = 0;
  decoder->operations = operations;
}

bool decode_go_on(struct decoder *decoder) { return take_run(decoder); }

bool decode_start(struct decoder *decoder, uint32_t *pc) {
  const uint64_t first = cursor_varint(&decoder->bytes);
  *pc = decoder->stream.pc = (uint32_t)first;
  if (decoder->bytes.bad || first >= decoder->stream.count)
    return wrong(decoder, "the stream's first pc");
  return decode_go_on(decoder);
}

bool decode_at_end(const struct decoder *decoder) {
  return !decode_left(decoder) && decoder->bytes.at == decoder->bytes.end;
}

void decode_free(struct decoder *decoder) {
  stream_free(&decoder->stream);
  free(decoder->notes.note.at);
  free(decoder->notes.value.at);
  free(decoder->notes.text.at);
}
