/* Batches of a timeline: events as columns of small numbers (docs/timeline-format.md, Batches).
 *
 * A batch has a column of kinds. For each kind that occurs in it, it also has columns of units, of beginnings, of
 * lengths and of each field. A column contains the differences from the event's *context*, the last event of the same
 * kind and unit. A column of mostly zeros stores only the other values and how many zeros precede each. */
#ifndef TRACES_TIMELINE_CODE_H
#define TRACES_TIMELINE_CODE_H

#include "traces/bytes.h"
#include "traces/timeline_file.h"

/* The prediction for a field. */
enum timeline_guess {
  GUESS_SAME,  /* as in its context; the difference is written */
  GUESS_BITS,  /* as in its context; the bits that differ are written */
  GUESS_CYCLE, /* the event's first cycle */
};

/* The rows that a file knows. */
struct timeline_layout {
  unsigned kinds;
  uint8_t fields[TIMELINE_KINDS];
  uint8_t guess[TIMELINE_KINDS][TIMELINE_FIELDS];
};
struct timeline_layout timeline_layout(void); /* that of the current rows */

/* The last event of a kind and unit in a batch. Invalid unless `batch` is the current batch. */
struct timeline_context {
  uint32_t batch;
  cycle_t to;
  uint64_t field[TIMELINE_FIELDS];
};

struct timeline_contexts {
  struct timeline_context *of; /* by unit */
  size_t room;
  uint32_t batch;
};

/* The context of a unit. A new one ends at `base`, and its fields are 0. */
struct timeline_context *timeline_context(struct timeline_contexts *contexts, uint32_t unit, cycle_t base);

enum { TIMELINE_END_BYTES = 40 /* payload of a timeline's end block */ };

/* Extends the extent by an event. */
static inline void timeline_extend(struct timeline_extent *extent, const struct timeline_event *event) {
  extent->from = extent->events && extent->from < event->from ? extent->from : event->from;
  extent->to = extent->events && extent->to > event->to ? extent->to : event->to;
  extent->events++;
}

/* The columns of a kind. */
enum { COLUMN_UNIT, COLUMN_FROM, COLUMN_LENGTH, COLUMN_FIELD, TIMELINE_COLUMNS = COLUMN_FIELD + TIMELINE_FIELDS };
static inline unsigned timeline_columns(const struct timeline_layout *layout, unsigned kind) {
  return COLUMN_FIELD + (unsigned)layout->fields[kind];
}

/* ---- encoding: timeline_encode.c ----------------------------------------------------------------- */

struct timeline_column {
  struct bytes bytes; /* all values */
  uint32_t others;    /* number of values that are not 0 */
};

/* The open batch of a stream. */
struct timeline_encoder {
  struct timeline_layout layout;
  uint32_t cu, events, batch;
  cycle_t base; /* the first event's first cycle */
  unsigned last_kind;
  struct timeline_column kinds;
  uint8_t order[TIMELINE_KINDS], occur; /* kinds in the batch, in the order of their first events */
  struct {
    uint32_t events, last_unit;
    struct timeline_contexts contexts;
    struct timeline_column *column; /* allocated at the first event */
  } of[TIMELINE_KINDS];
};

/* Adds an event to the batch. */
void timeline_encode(struct timeline_encoder *encoder, const struct timeline_event *event);

/* Appends the batch, which has at least one event, to `into` and begins the next. */
void timeline_encode_batch(struct timeline_encoder *encoder, uint32_t stream, struct bytes *into);
void timeline_encoder_free(struct timeline_encoder *encoder);

/* ---- decoding: timeline_decode.c ----------------------------------------------------------------- */

struct timeline_reader_column {
  struct cursor cursor;
  bool sparse;
  uint64_t zeros; /* zeros before the next value of a sparse column */
};

struct timeline_decoder {
  struct timeline_layout layout;
  uint32_t stream, cu, left, batch; /* `left`: events of the batch not decoded yet */
  cycle_t base;
  unsigned last_kind;
  struct timeline_reader_column kinds;
  struct {
    bool begun; /* in this batch */
    uint32_t last_unit;
    struct timeline_contexts contexts;
    struct timeline_reader_column column[TIMELINE_COLUMNS];
  } of[TIMELINE_KINDS];
  struct cursor rest; /* columns of kinds that have not occurred so far */
};

/* Begins the batch at the cursor and moves the cursor past it. Returns false if it is wrong. */
bool timeline_decode_batch(struct timeline_decoder *decoder, struct cursor *cursor);

/* The next of the batch's decoder->left events. Returns false if it is wrong. */
bool timeline_decode(struct timeline_decoder *decoder, struct timeline_event *event);
void timeline_decoder_free(struct timeline_decoder *decoder);

#endif
