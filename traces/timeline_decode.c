#include "traces/timeline_code.h"

/* ---- columns -------------------------------------------------------------------------------- */

/* Reads how many zeros precede a sparse column's next value. After the last value, there is no limit. */
static void count_zeros(struct timeline_reader_column *column) {
  column->zeros = column->cursor.at < column->cursor.end ? cursor_varint(&column->cursor) : UINT64_MAX;
}

/* Begins the column at the cursor and moves the cursor past it. */
static void begin_column(struct timeline_reader_column *column, struct cursor *cursor) {
  const uint64_t head = cursor_varint(cursor);
  const uint8_t *at = cursor_bytes(cursor, head >> 1);
  *column = (struct timeline_reader_column){{at, at ? at + (head >> 1) : NULL, !at}, head & 1, 0};
  if (column->sparse)
    count_zeros(column);
}

static uint64_t next_value(struct timeline_reader_column *column) {
  if (!column->sparse)
    return cursor_varint(&column->cursor);
  if (column->zeros) {
    column->zeros--;
    return 0;
  }
  const uint64_t value = cursor_varint(&column->cursor);
  if (!value)
    return cursor_fail(&column->cursor);
  count_zeros(column);
  return value;
}

/* Whether the column had all values that were read from it and, if `all`, has none left. */
static bool column_done(const struct timeline_reader_column *column, bool all) {
  return !column->cursor.bad && (!all || (column->cursor.at == column->cursor.end &&
                                          (!column->sparse || column->zeros > UINT64_MAX - TIMELINE_BATCH_EVENTS - 1)));
}

/* ---- batches -------------------------------------------------------------------------------- */

bool timeline_decode_batch(struct timeline_decoder *decoder, struct cursor *cursor) {
  const uint64_t stream = cursor_varint(cursor), cu = cursor_varint(cursor), base = cursor_varint(cursor),
                 events = cursor_varint(cursor), size = cursor_varint(cursor);
  const uint8_t *at = cursor_bytes(cursor, size);
  decoder->left = 0;
  if (cursor->bad || stream > UINT32_MAX || cu >= TIMELINE_CUS || !events || events > TIMELINE_BATCH_EVENTS)
    return false;
  decoder->stream = (uint32_t)stream;
  decoder->cu = (uint32_t)cu;
  decoder->base = base;
  decoder->left = (uint32_t)events;
  decoder->batch++;
  decoder->last_kind = 0;
  decoder->rest = (struct cursor){at, at + size, false};
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++)
    decoder->of[kind].begun = false;
  begin_column(&decoder->kinds, &decoder->rest);
  return !decoder->rest.bad;
}

static void begin_kind(struct timeline_decoder *decoder, unsigned kind) {
  decoder->of[kind].begun = true;
  decoder->of[kind].last_unit = 0;
  decoder->of[kind].contexts.batch = decoder->batch;
  for (unsigned i = 0; i < timeline_columns(&decoder->layout, kind); i++)
    begin_column(&decoder->of[kind].column[i], &decoder->rest);
}

/* Whether the columns of all kinds that occur had exactly as many values as events. */
static bool batch_done(const struct timeline_decoder *decoder) {
  bool good = column_done(&decoder->kinds, true) && decoder->rest.at == decoder->rest.end && !decoder->rest.bad;
  for (unsigned kind = 0; kind < decoder->layout.kinds; kind++)
    for (unsigned i = 0; decoder->of[kind].begun && i < timeline_columns(&decoder->layout, kind); i++)
      good = good && column_done(&decoder->of[kind].column[i], true);
  return good;
}

static uint64_t value_of(enum timeline_guess guess, uint64_t difference, uint64_t last, cycle_t from) {
  return guess == GUESS_BITS ? difference ^ last : unzigzag(difference) + (guess == GUESS_CYCLE ? from : last);
}

bool timeline_decode(struct timeline_decoder *decoder, struct timeline_event *event) {
  const uint64_t kind = decoder->last_kind + unzigzag(next_value(&decoder->kinds));
  if (!column_done(&decoder->kinds, false) || kind >= decoder->layout.kinds)
    return false;
  if (!decoder->of[kind].begun)
    begin_kind(decoder, (unsigned)kind);
  struct timeline_reader_column *column = decoder->of[kind].column;
  const uint64_t unit = decoder->of[kind].last_unit + unzigzag(next_value(&column[COLUMN_UNIT]));
  struct timeline_context *context =
      unit < TIMELINE_UNITS ? timeline_context(&decoder->of[kind].contexts, (uint32_t)unit, decoder->base) : NULL;
  if (!context)
    return false;
  *event = (struct timeline_event){.kind = (enum timeline_kind)kind, .cu = decoder->cu, .unit = (uint32_t)unit};
  event->from = context->to + unzigzag(next_value(&column[COLUMN_FROM]));
  event->to = event->from + next_value(&column[COLUMN_LENGTH]);
  bool good = event->to >= event->from;
  for (unsigned i = 0; i < decoder->layout.fields[kind]; i++)
    event->field[i] = context->field[i] =
        value_of(decoder->layout.guess[kind][i], next_value(&column[COLUMN_FIELD + i]), context->field[i], event->from);
  context->to = event->to;
  decoder->last_kind = (unsigned)kind;
  decoder->of[kind].last_unit = (uint32_t)unit;
  decoder->left--;
  for (unsigned i = 0; i < timeline_columns(&decoder->layout, (unsigned)kind); i++)
    good = good && column_done(&column[i], false);
  return good && (decoder->left || batch_done(decoder));
}

void timeline_decoder_free(struct timeline_decoder *decoder) {
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++)
    free(decoder->of[kind].contexts.of);
}
