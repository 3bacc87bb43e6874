#include "traces/timeline_code.h"

#include <assert.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

struct timeline_layout timeline_layout(void) {
  struct timeline_layout layout = {.kinds = TIMELINE_KINDS};
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
    const struct timeline_kind_row *row = &timeline_kind_rows[kind];
    layout.fields[kind] = (uint8_t)row->fields;
    for (unsigned i = 0; i < row->fields; i++)
      layout.guess[kind][i] = strcmp(row->field[i].type, "cycle") == 0  ? GUESS_CYCLE
                              : strcmp(row->field[i].type, "mask") == 0 ? GUESS_BITS
                                                                        : GUESS_SAME;
  }
  return layout;
}

struct timeline_context *timeline_context(struct timeline_contexts *contexts, uint32_t unit, cycle_t base) {
  if (unit >= contexts->room) {
    const size_t before = contexts->room;
    contexts->of = vector_room(contexts->of, &contexts->room, unit + 1u, sizeof *contexts->of);
    memset(contexts->of + before, 0, (contexts->room - before) * sizeof *contexts->of);
  }
  struct timeline_context *context = &contexts->of[unit];
  if (context->batch != contexts->batch)
    *context = (struct timeline_context){.batch = contexts->batch, .to = base};
  return context;
}

/* ---- an event ------------------------------------------------------------------------------- */

static void put(struct timeline_column *column, uint64_t value) {
  column->others += value != 0;
  bytes_varint(&column->bytes, value);
}

static uint64_t difference(enum timeline_guess guess, uint64_t value, uint64_t last, cycle_t from) {
  return guess == GUESS_BITS ? value ^ last : zigzag(value - (guess == GUESS_CYCLE ? from : last));
}

static void begin_kind(struct timeline_encoder *encoder, unsigned kind) {
  if (!encoder->of[kind].column)
    encoder->of[kind].column = need(timeline_columns(&encoder->layout, kind), sizeof(struct timeline_column));
  encoder->order[encoder->occur++] = (uint8_t)kind;
  encoder->of[kind].last_unit = 0;
  encoder->of[kind].contexts.batch = encoder->batch;
}

static void begin_batch(struct timeline_encoder *encoder, const struct timeline_event *event) {
  if (!encoder->batch)
    encoder->layout = timeline_layout();
  encoder->batch++;
  encoder->cu = event->cu;
  encoder->base = event->from;
  encoder->last_kind = 0;
  encoder->occur = 0;
}

void timeline_encode(struct timeline_encoder *encoder, const struct timeline_event *event) {
  const unsigned kind = event->kind;
  assert(event->to >= event->from && event->unit < TIMELINE_UNITS && event->cu < TIMELINE_CUS &&
         "an event is one that can be read");
  if (!encoder->events)
    begin_batch(encoder, event);
  if (!encoder->of[kind].events)
    begin_kind(encoder, kind);
  struct timeline_column *column = encoder->of[kind].column;
  struct timeline_context *context = timeline_context(&encoder->of[kind].contexts, event->unit, encoder->base);
  put(&encoder->kinds, zigzag((uint64_t)kind - encoder->last_kind));
  put(&column[COLUMN_UNIT], zigzag((uint64_t)event->unit - encoder->of[kind].last_unit));
  put(&column[COLUMN_FROM], zigzag(event->from - context->to));
  put(&column[COLUMN_LENGTH], event->to - event->from);
  for (unsigned i = 0; i < encoder->layout.fields[kind]; i++) {
    put(&column[COLUMN_FIELD + i],
        difference(encoder->layout.guess[kind][i], event->field[i], context->field[i], event->from));
    context->field[i] = event->field[i];
  }
  context->to = event->to;
  encoder->last_kind = kind;
  encoder->of[kind].last_unit = event->unit;
  encoder->of[kind].events++;
  encoder->events++;
}

/* ---- a batch -------------------------------------------------------------------------------- */

/* Writes the values that are not 0, each after the number of zeros before it. Returns false if that is not shorter.
 * `to` has room for the whole column and two more numbers. */
static bool put_sparse(const struct bytes *dense, uint8_t *to, size_t *size) {
  uint8_t *const first = to, *const last = to + dense->size;
  uint64_t zeros = 0;
  for (const uint8_t *at = dense->at, *end = at + dense->size; at < end && to < last;) {
    if (!*at) {
      at++;
      zeros++;
      continue;
    }
    to = varint_put(to, zeros);
    zeros = 0;
    do
      *to++ = *at;
    while (*at++ & 0x80);
  }
  *size = (size_t)(to - first);
  return to < last;
}

/* Appends the column in the shorter of its two forms, and empties it. */
static void put_column(struct timeline_column *column, uint32_t values, struct bytes *into) {
  const struct bytes dense = column->bytes;
  const uint32_t others = column->others;
  size_t size = 0;
  column->bytes.size = column->others = 0;
  bytes_reserve(into, 3 * VARINT_MOST + dense.size);
  /* The head is written afterwards, because it contains the size. */
  uint8_t head[VARINT_MOST], *const to = into->at + into->size + VARINT_MOST;
  const bool sparse = others <= values / 2 && (!others || put_sparse(&dense, to, &size));
  if (!sparse) {
    bytes_varint(into, 2 * dense.size);
    bytes_add(into, dense.at, dense.size);
    return;
  }
  const size_t length = (size_t)(varint_put(head, 2 * size + 1) - head);
  memcpy(into->at + into->size, head, length);
  memmove(into->at + into->size + length, to, size);
  into->size += length + size;
}

void timeline_encode_batch(struct timeline_encoder *encoder, uint32_t stream, struct bytes *into) {
  struct bytes body = {0};
  put_column(&encoder->kinds, encoder->events, &body);
  for (unsigned i = 0; i < encoder->occur; i++) {
    const unsigned kind = encoder->order[i];
    for (unsigned c = 0; c < timeline_columns(&encoder->layout, kind); c++)
      put_column(&encoder->of[kind].column[c], encoder->of[kind].events, &body);
    encoder->of[kind].events = 0;
  }
  const uint64_t head[] = {stream, encoder->cu, encoder->base, encoder->events, body.size};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    bytes_varint(into, head[i]);
  bytes_add(into, body.at, body.size);
  free(body.at);
  encoder->events = 0;
}

void timeline_encoder_free(struct timeline_encoder *encoder) {
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
    for (unsigned i = 0; encoder->of[kind].column && i < timeline_columns(&encoder->layout, kind); i++)
      free(encoder->of[kind].column[i].bytes.at);
    free(encoder->of[kind].column);
    free(encoder->of[kind].contexts.of);
  }
  free(encoder->kinds.bytes.at);
}
