/* Batches of a timeline: events as columns of small numbers (docs/timeline-format.md, batches).
 *
 * A batch has a column of kinds and, for each kind that occurs in it, columns of units, of beginnings, of lengths, and
 * one for each field. What a column holds is the difference to what the event's *context*, the last event of the same
 * kind and unit, lets expect; a column that is mostly zeros keeps the others, and how many zeros are before each. */
#ifndef TRACES_TIMELINE_CODE_H
#define TRACES_TIMELINE_CODE_H

#include "traces/bytes.h"
#include "traces/timeline_file.h"

/* What a field is expected to be. */
enum timeline_guess {
  GUESS_SAME,  /* as in its context: the difference is written */
  GUESS_BITS,  /* likewise: the bits that differ */
  GUESS_CYCLE, /* the event's first cycle */
};

/* The rows that a file has. */
struct timeline_layout {
  unsigned kinds;
  uint8_t fields[TIMELINE_KINDS];
  uint8_t guess[TIMELINE_KINDS][TIMELINE_FIELDS];
};
struct timeline_layout timeline_layout(void); /* that of today's rows */

/* The last event of a kind and unit in a batch. Of one that is not of this batch nothing holds. */
struct timeline_context {
  uint32_t batch;
  cycle_t to;
  uint64_t field[TIMELINE_FIELDS];
};

struct timeline_contexts {
  struct timeline_context *of; /* by unit */
  uint32_t room, batch;
};

/* The context of a unit; NULL when memory runs out. A new one ends at `base`, and its fields are 0. */
struct timeline_context *timeline_context(struct timeline_contexts *contexts, uint32_t unit, cycle_t base);

enum { TIMELINE_END_BYTES = 40 /* payload of a timeline's end */ };

/* One event more. */
static inline void timeline_extend(struct timeline_extent *extent, const struct timeline_event *event) {
  extent->from = extent->events && extent->from < event->from ? extent->from : event->from;
  extent->to = extent->events && extent->to > event->to ? extent->to : event->to;
  extent->events++;
}

/* Columns of a kind. */
enum { COLUMN_UNIT, COLUMN_FROM, COLUMN_LENGTH, COLUMN_FIELD, TIMELINE_COLUMNS = COLUMN_FIELD + TIMELINE_FIELDS };
static inline unsigned timeline_columns(const struct timeline_layout *layout, unsigned kind) {
  return COLUMN_FIELD + (unsigned)layout->fields[kind];
}

/* ---- encoding: timeline_encode.c ----------------------------------------------------------------- */

struct timeline_column {
  struct bytes bytes; /* of all values */
  uint32_t others;    /* of them, those that are not 0 */
};

/* A stream's batch under way. */
struct timeline_encoder {
  struct timeline_layout layout;
  uint32_t cu, events, batch;
  cycle_t base; /* the first event's first cycle */
  unsigned last_kind;
  struct timeline_column kinds;
  uint8_t order[TIMELINE_KINDS], occur; /* kinds that have occurred in the batch, in the order of their first events */
  struct {
    uint32_t events, last_unit;
    struct timeline_contexts contexts;
    struct timeline_column *column; /* made when the first event comes */
  } of[TIMELINE_KINDS];
};

/* Takes an event into the batch. False when memory runs out. */
bool timeline_encode(struct timeline_encoder *encoder, const struct timeline_event *event);

/* Appends the batch, of at least one event, and begins the next. */
bool timeline_encode_batch(struct timeline_encoder *encoder, uint32_t stream, struct bytes *into);
void timeline_encoder_free(struct timeline_encoder *encoder);

/* ---- decoding: timeline_decode.c ----------------------------------------------------------------- */

struct timeline_reader_column {
  struct cursor cursor;
  bool sparse;
  uint64_t zeros; /* before the next value of a sparse one */
};

struct timeline_decoder {
  struct timeline_layout layout;
  uint32_t stream, cu, left, batch; /* events of the batch that are left */
  cycle_t base;
  unsigned last_kind;
  struct timeline_reader_column kinds;
  struct {
    bool begun; /* in this batch */
    uint32_t last_unit;
    struct timeline_contexts contexts;
    struct timeline_reader_column column[TIMELINE_COLUMNS];
  } of[TIMELINE_KINDS];
  struct cursor rest; /* columns of kinds that have not occurred yet */
};

/* Goes to the batch at the cursor, which goes behind it. False when it is not right. */
bool timeline_decode_batch(struct timeline_decoder *decoder, struct cursor *cursor);

/* The batch's next event, one of decoder->left. False when it is not right. */
bool timeline_decode(struct timeline_decoder *decoder, struct timeline_event *event);
void timeline_decoder_free(struct timeline_decoder *decoder);

#endif
