#include "traces/stream.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

#define SAME 0
#define STEP 1
#define FIELD(kind, id, name, predictor, text) +predictor
#define VECTOR(...)
#define KIND(id, name, text, fields, vectors) enum { id##_STEPPING = 0 fields };
#include "traces/rows.def"
#undef KIND
#undef VECTOR
#undef FIELD

#define FIELD(kind, id, name, predictor, text) {name, text, predictor},
#define VECTOR(kind, id, name, text) {name, text, true},
#define ROW_END                                                                                                        \
  { NULL, NULL, false }
#define KIND(id, name, text, fields, vectors)                                                                          \
  {name, text, TRACE_##id##_FIELDS, id##_STEPPING, TRACE_##id##_VECTORS, {fields ROW_END}, {vectors ROW_END}},
const struct trace_kind_row trace_kind_rows[TRACE_KINDS] = {
#include "traces/rows.def"
};
#undef KIND
#undef ROW_END
#undef VECTOR
#undef FIELD
#undef STEP
#undef SAME

#define FLAG(id, name, text) name,
const char *const trace_flag_names[TRACE_FLAG_BITS] = {
#include "traces/rows.def"
};
#undef FLAG

#define NOTE(id, name, text) name,
const char *const trace_note_names[TRACE_NOTE_KINDS] = {
#include "traces/rows.def"
};
#undef NOTE

void trace_spread(const struct trace_vector *vector, unsigned lanes, uint64_t *value) {
  const uint64_t base = vector->base, stride = vector->stride;
  uint64_t at = base;
  const uint64_t *offset = vector->offset;
  if (offset)
    for (unsigned lane = 0; lane < lanes; lane++)
      value[lane] = base + offset[lane];
  else
    for (unsigned lane = 0; lane < lanes; lane++, at += stride)
      value[lane] = at;
}

static void forget(struct stream *stream) {
  stream->used = 0;
  stream->last = STREAM_NONE;
  map_clear(&stream->contexts);
}

void stream_start(struct stream *stream, const uint8_t *kinds, uint32_t count, uint32_t lanes) {
  if (stream->shapes && stream->lanes < lanes) {
    free(stream->shapes);
    stream->shapes = NULL;
  }
  stream->kinds = kinds;
  stream->count = count;
  stream->lanes = lanes;
  stream->pc = 0;
  stream->last = STREAM_NONE;
  stream->mask = all_lanes(lanes);
  stream->shape = stream->shapes_made = 0;
  forget(stream);
}

void stream_free(struct stream *stream) {
  free(stream->arena);
  map_free(&stream->contexts);
  free(stream->shapes);
  *stream = (struct stream){0};
}

/* ---- contexts ------------------------------------------------------------------------------- */

static struct stream_context *new_context(struct stream *stream) {
  if (stream->pc >= stream->count)
    return NULL;
  const struct trace_kind_row *row = &trace_kind_rows[stream->kinds[stream->pc]];
  uint32_t values = (uint32_t)(row->fields + row->stepping * STREAM_STEP_WORDS + row->vectors * STREAM_VECTOR_WORDS);
  uint32_t words = (uint32_t)(sizeof(struct stream_context) / sizeof(uint64_t)) + values;
  if (stream->contexts.count == STREAM_CONTEXTS)
    forget(stream);
  stream->arena = vector_room(stream->arena, &stream->room, stream->used + words, sizeof *stream->arena);
  map_add(&stream->contexts, hash_number(stream->pc), stream->used);
  if (stream->last != STREAM_NONE)
    stream_context(stream, stream->last)->follower = stream->used;
  stream->last = stream->used;
  struct stream_context *context = stream_context(stream, stream->used);
  stream->used += words;
  *context = (struct stream_context){.common = {.pc = stream->pc, .next = stream->pc + 1, .mask = stream->mask},
                                     .follower = STREAM_NONE,
                                     .fresh = true,
                                     .kind = stream->kinds[stream->pc],
                                     .bare = !row->fields};
  memset(context->value, 0, values * sizeof *context->value);
  return context;
}

struct stream_context *stream_find(struct stream *stream) {
  size_t at = 0, found;
  if (!map_next(&stream->contexts, hash_number(stream->pc), &at, &found))
    return new_context(stream);
  if (stream->last != STREAM_NONE)
    stream_context(stream, stream->last)->follower = (uint32_t)found;
  stream->last = (uint32_t)found;
  return stream_context(stream, stream->last);
}

/* A value whose last step was predicted may jump once before its step changes. */
void stream_missed(struct stream_context *context, unsigned number, uint64_t last, struct stream_step *step,
                   uint64_t value) {
  const uint16_t mine = (uint16_t)(1u << number);
  const uint32_t turn = context->turns >> 2 * number & 3;
  uint32_t other = 0;
  for (uint32_t i = 3; i > 0; i--)
    other = value == step->before[i - 1] ? i : other;
  if (!other && (turn || !(context->sure & mine)))
    step->step = value - last;
  context->sure &= (uint16_t)~mine;
  context->turns = (context->turns & ~(UINT32_C(3) << 2 * number)) | other << 2 * number;
}

/* ---- shapes --------------------------------------------------------------------------------- */

uint64_t *stream_new_shape(struct stream *stream) {
  if (!stream->shapes)
    stream->shapes = need((size_t)STREAM_SHAPES * stream->lanes, sizeof *stream->shapes);
  uint64_t *shape = stream->shapes + (size_t)stream->shape * stream->lanes;
  stream->shape = (stream->shape + 1) % STREAM_SHAPES;
  stream->shapes_made += stream->shapes_made < STREAM_SHAPES;
  return shape;
}
