/* What a warp's encoder and decoder have in common: the contexts that predict its next operation, and its shapes.
 *
 * Both see the same operations in the same order and change this state by the same functions, so that it is the same on
 * both sides at each operation.
 *
 * A context is what the operation at one pc held at its last visit. Contexts are made at a pc's first visit, at most
 * STREAM_CONTEXTS of them: when one more is wanted, all are forgotten. A value that steps is predicted as the last one
 * and the step; the step becomes another only at the second miss in a row, so that a loop within a loop misses once a
 * turn. */
#ifndef TRACES_STREAM_H
#define TRACES_STREAM_H

#include "traces/bytes.h"
#include "traces/trace.h"

enum {
  STREAM_CONTEXTS = 2048,
  STREAM_SHAPES = 16, /* that a stream remembers, first in, first out */
};

struct stream_context {
  struct trace_common common;
  uint32_t follower; /* the context visited after this one: where to look first */
  uint32_t turns;    /* two bits a stepping value: how many visits ago it was, less 1; 0: it steps */
  uint16_t sure;     /* a bit a stepping value: its last prediction was right */
  bool fresh;        /* not visited before with lanes */
  uint8_t kind;      /* of the instruction at pc */
  bool bare;         /* that has no fields */
  uint64_t value[];  /* fields; a struct stream_step each for those that step; of each vector shape, base, step */
};

/* What else is known of a value that steps. */
struct stream_step {
  uint64_t step, before[3]; /* two, three and four visits ago */
};
#define STREAM_STEP_WORDS (sizeof(struct stream_step) / sizeof(uint64_t))
#define STREAM_VECTOR_WORDS (2 + STREAM_STEP_WORDS)

struct stream {
  const uint8_t *kinds;
  uint32_t count; /* of kinds: pcs */
  uint32_t lanes;
  uint32_t pc;     /* of the next operation */
  uint32_t last;   /* the context visited last, STREAM_NONE at first */
  uint64_t mask;   /* of the operation before; at first all lanes */
  uint64_t *arena; /* contexts, one behind the other; a context's number is its first word's */
  uint32_t used, room;
  uint32_t contexts;
  uint32_t *table; /* from pc to context, open addressing, a power of two of places, half empty */
  uint32_t places;
  uint64_t *shapes; /* STREAM_SHAPES rows of `lanes` offsets, once there are any */
  uint32_t shape;   /* the row that the next new shape takes */
  uint32_t shapes_made;
};

#define STREAM_NONE UINT32_MAX

/* Numbers of shapes: an even one is a stride, zigzag-coded; an odd one a row, or a new shape. */
static inline uint64_t shape_of_stride(uint64_t stride) { return zigzag(stride) << 1; }
static inline uint64_t stride_of_shape(uint64_t shape) { return unzigzag(shape >> 1); }
static inline uint64_t shape_of_row(uint32_t row) { return (uint64_t)row << 1 | 1; }
#define SHAPE_NEW ((uint64_t)STREAM_SHAPES << 1 | 1)

/* Bits of an exception: the common fields, the kind's fields, shape and base of each vector, notes. */
enum { MISS_NEXT = 1, MISS_MASK = 2, MISS_FLAGS = 4, MISS_FIELD = 3 };
static inline unsigned miss_vector(const struct trace_kind_row *row, unsigned vector) {
  return MISS_FIELD + row->fields + 2 * vector;
}
static inline unsigned miss_notes(const struct trace_kind_row *row) {
  return MISS_FIELD + row->fields + 2 * row->vectors;
}

/* A stream from its beginning; what it has allocated is used again. */
void stream_start(struct stream *stream, const uint8_t *kinds, uint32_t count, uint32_t lanes);
void stream_free(struct stream *stream);

/* The slow part of stream_visit(): looks the context up, or makes it. */
struct stream_context *stream_find(struct stream *stream);

/* Room for a new shape; NULL when memory runs out. */
uint64_t *stream_new_shape(struct stream *stream);

static inline struct stream_context *stream_context(const struct stream *stream, uint32_t number) {
  return (struct stream_context *)(void *)(stream->arena + number);
}

/* The context that came after the last one before, if it is that of the operation at stream->pc; else STREAM_NONE. */
static inline uint32_t stream_follower(const struct stream *stream) {
  if (stream->last == STREAM_NONE)
    return STREAM_NONE;
  const uint32_t follower = stream_context(stream, stream->last)->follower;
  return follower != STREAM_NONE && stream_context(stream, follower)->common.pc == stream->pc ? follower : STREAM_NONE;
}

/* The context of the operation at stream->pc. NULL when the program has no such pc, or memory runs out. */
static inline struct stream_context *stream_visit(struct stream *stream) {
  const uint32_t follower = stream_follower(stream);
  if (follower == STREAM_NONE)
    return stream_find(stream);
  stream->last = follower;
  return stream_context(stream, follower);
}

/* What a value is predicted to be that was `last`. `number` is its own in the context. */
static inline uint64_t stream_predict(const struct stream_context *context, unsigned number, uint64_t last,
                                      const struct stream_step *step) {
  const uint32_t turn = context->turns >> 2 * number & 3;
  return turn ? step->before[turn - 1] : last + step->step;
}

/* The value was not as predicted. */
void stream_missed(struct stream_context *context, unsigned number, uint64_t last, struct stream_step *step,
                   uint64_t value);

/* The value is seen: learns for the next prediction. */
static inline void stream_learn(struct stream_context *context, unsigned number, uint64_t *last,
                                struct stream_step *step, uint64_t predicted, uint64_t value) {
  if (value != predicted && !context->fresh)
    stream_missed(context, number, *last, step, value);
  else if (!context->fresh)
    context->sure |= (uint16_t)(1u << number);
  step->before[2] = step->before[1];
  step->before[1] = step->before[0];
  step->before[0] = *last;
  *last = value;
}

/* What is known of the first field that steps, and behind it of the others. */
static inline struct stream_step *stream_steps(struct stream_context *context, const struct trace_kind_row *row) {
  return (struct stream_step *)(void *)(context->value + row->fields);
}

/* Where a vector's shape, base, and struct stream_step are in context->value. */
static inline uint64_t *stream_vector(struct stream_context *context, const struct trace_kind_row *row,
                                      unsigned vector) {
  return context->value + row->fields + row->stepping * STREAM_STEP_WORDS + vector * STREAM_VECTOR_WORDS;
}

/* The shape as a vector's offsets or stride. */
static inline void stream_shape(const struct stream *stream, uint64_t shape, struct trace_vector *vector) {
  vector->offset = shape & 1 ? stream->shapes + (size_t)(shape >> 1) * stream->lanes : NULL;
  vector->stride = shape & 1 ? 0 : stride_of_shape(shape);
}

static inline unsigned first_lane(uint64_t mask) { return (unsigned)__builtin_ctzll(mask); }
static inline uint64_t all_lanes(unsigned lanes) { return lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX; }

#endif
