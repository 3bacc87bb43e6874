/* What a warp's encoder and decoder share: the contexts that predict its next operation, and its shapes.
 *
 * Both see the same operations in the same order and change this state with the same functions. So the state is the
 * same on both sides at each operation.
 *
 * A context is the operation at one pc at its last visit. It is created at the first visit. There are at most
 * STREAM_CONTEXTS; when one more is needed, all are forgotten. A stepping value is predicted as the last one plus the
 * step. The step changes only at the second miss in a row, so that an inner loop misses only once per run of the
 * loop. */
#ifndef TRACES_STREAM_H
#define TRACES_STREAM_H

#include "sim/base/map.h"
#include "traces/bytes.h"
#include "traces/trace.h"

enum {
  STREAM_CONTEXTS = 2048,
  STREAM_SHAPES = 16, /* that a stream remembers; the oldest is replaced */
};

struct stream_context {
  struct trace_common common;
  uint32_t follower; /* the context visited after this one, tried first */
  uint32_t turns;    /* two bits per stepping value: repeats the value of this + 1 visits ago; 0: it steps */
  uint16_t sure;     /* a bit per stepping value: its last prediction was right */
  bool fresh;        /* not visited with lanes yet */
  uint8_t kind;      /* kind of the instruction at pc */
  bool bare;         /* the kind has no fields */
  uint64_t value[];  /* fields; a struct stream_step per stepping field; shape, base and step of each vector */
};

/* The history of a stepping value. */
struct stream_step {
  uint64_t step, before[3]; /* two, three and four visits ago */
};
#define STREAM_STEP_WORDS (sizeof(struct stream_step) / sizeof(uint64_t))
#define STREAM_VECTOR_WORDS (2 + STREAM_STEP_WORDS)

struct stream {
  const uint8_t *kinds;
  uint32_t count; /* number of kinds, one per pc */
  uint32_t lanes;
  uint32_t pc;     /* of the next operation */
  uint32_t last;   /* the context visited last; STREAM_NONE at the start */
  uint64_t mask;   /* of the previous operation; all lanes at the start */
  uint64_t *arena; /* contexts, contiguous; a context's number is the index of its first word */
  uint32_t used;
  size_t room;
  struct map contexts; /* from the hash of a pc, which only that pc has, to its context */
  uint64_t *shapes;    /* STREAM_SHAPES rows of `lanes` offsets; NULL before the first */
  uint32_t shape;      /* the row that the next new shape takes */
  uint32_t shapes_made;
};

#define STREAM_NONE UINT32_MAX

/* Numbers of shapes: an even one is a zigzag-coded stride; an odd one is a row, or a new shape. */
static inline uint64_t shape_of_stride(uint64_t stride) { return zigzag(stride) << 1; }
static inline uint64_t stride_of_shape(uint64_t shape) { return unzigzag(shape >> 1); }
static inline uint64_t shape_of_row(uint32_t row) { return (uint64_t)row << 1 | 1; }
#define SHAPE_NEW ((uint64_t)STREAM_SHAPES << 1 | 1)

/* Bits of an exception: the common fields, the kind's fields, shape and base of each vector, notes. A set bit:
 * differs. */
enum { MISS_NEXT = 1, MISS_MASK = 2, MISS_FLAGS = 4, MISS_FIELD = 3 };
static inline unsigned miss_vector(const struct trace_kind_row *row, unsigned vector) {
  return MISS_FIELD + row->fields + 2 * vector;
}
static inline unsigned miss_notes(const struct trace_kind_row *row) {
  return MISS_FIELD + row->fields + 2 * row->vectors;
}

/* Resets to the beginning of a stream. Reuses the allocated memory. */
void stream_start(struct stream *stream, const uint8_t *kinds, uint32_t count, uint32_t lanes);
void stream_free(struct stream *stream);

/* The slow path of stream_visit(): finds or creates the context. */
struct stream_context *stream_find(struct stream *stream);

/* Room for a new shape. */
uint64_t *stream_new_shape(struct stream *stream);

static inline struct stream_context *stream_context(const struct stream *stream, uint32_t number) {
  return (struct stream_context *)(void *)(stream->arena + number);
}

/* The context that followed the last visited one the time before, if it belongs to stream->pc. Else STREAM_NONE. */
static inline uint32_t stream_follower(const struct stream *stream) {
  if (stream->last == STREAM_NONE)
    return STREAM_NONE;
  const uint32_t follower = stream_context(stream, stream->last)->follower;
  return follower != STREAM_NONE && stream_context(stream, follower)->common.pc == stream->pc ? follower : STREAM_NONE;
}

/* The context of the operation at stream->pc. NULL if the program has no such pc. */
static inline struct stream_context *stream_visit(struct stream *stream) {
  const uint32_t follower = stream_follower(stream);
  if (follower == STREAM_NONE)
    return stream_find(stream);
  stream->last = follower;
  return stream_context(stream, follower);
}

/* The prediction for a value that was `last`. `number` is the value's number in the context. */
static inline uint64_t stream_predict(const struct stream_context *context, unsigned number, uint64_t last,
                                      const struct stream_step *step) {
  const uint32_t turn = context->turns >> 2 * number & 3;
  return turn ? step->before[turn - 1] : last + step->step;
}

/* Updates the context after a wrong prediction. */
void stream_missed(struct stream_context *context, unsigned number, uint64_t last, struct stream_step *step,
                   uint64_t value);

/* Updates the context with the actual value. */
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

/* The history of the first stepping field; those of the others follow it. */
static inline struct stream_step *stream_steps(struct stream_context *context, const struct trace_kind_row *row) {
  return (struct stream_step *)(void *)(context->value + row->fields);
}

/* The vector's shape, base and struct stream_step in context->value. */
static inline uint64_t *stream_vector(struct stream_context *context, const struct trace_kind_row *row,
                                      unsigned vector) {
  return context->value + row->fields + row->stepping * STREAM_STEP_WORDS + vector * STREAM_VECTOR_WORDS;
}

/* Sets the vector's offsets or stride to the shape. */
static inline void stream_shape(const struct stream *stream, uint64_t shape, struct trace_vector *vector) {
  vector->offset = shape & 1 ? stream->shapes + (size_t)(shape >> 1) * stream->lanes : NULL;
  vector->stride = shape & 1 ? 0 : stride_of_shape(shape);
}

static inline unsigned first_lane(uint64_t mask) { return (unsigned)__builtin_ctzll(mask); }
static inline uint64_t all_lanes(unsigned lanes) { return lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX; }

#endif
