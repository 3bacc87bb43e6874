/* Timelines: what the blocks of a machine did, and when, as events that somebody listens to.
 *
 *   warps, schedulers ─┐
 *   LDS banks ─────────┤ tap: a stream of events of one block of one compute unit
 *   DMA channels ──────┼──────────────► timeline.take() ──► a file (traces/timeline_file.h), a test, ...
 *   memory port ───────┤
 *   memory ────────────┘
 *
 * timeline.def has the events. A block whose tap is closed (the normal case) tells nothing: one test of a pointer.
 *
 * Invariant (accounts): the WARP events of a warp's slot follow each other without gap or overlap from its start to its
 * end, and their cycles by bucket and by instruction are those of the report; the counts of BANKS, CHANNEL, REQUEST,
 * PASSED and COPY events, and what their fields sum to, are the report's, too. Listening changes nothing of the run.
 * Invariant (order): the events of one tap come in an order that depends on the run alone, not on the host or the order
 * in which components are stepped; `now`, the cycle in which one is told, never goes back within a tap. An event may be
 * told some time after it has ended, or before, when its end is known; one that is still going on when a run is cut
 * short is told with that as its end.
 *
 * Not modelled: what L2 slices and DRAM banks did; registers; data. */
#ifndef SIM_CORE_TIMELINE_H
#define SIM_CORE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/time.h"

enum { TIMELINE_FIELDS = 10, TIMELINE_CHANNELS = 64 /* the stride of engines in the units of channels */ };

enum timeline_block {
#define BLOCK(id, ...) TIMELINE_BLOCK_##id,
#include "sim/core/timeline.def"
#undef BLOCK
  TIMELINE_BLOCKS
};

/* TIMELINE_GROUP, ... */
enum timeline_kind {
#define EVENT(id, ...) TIMELINE_##id,
#include "sim/core/timeline.def"
#undef EVENT
  TIMELINE_KINDS
};

/* Places in timeline_event.field: TIMELINE_WARP_STALL, ... */
#define FIELD(event, id, ...) TIMELINE_##event##_##id,
#define EVENT(id, block, name, unit, text, fields) enum { fields TIMELINE_##id##_COUNT };
#include "sim/core/timeline.def"
#undef EVENT
#undef FIELD

struct timeline_field_row {
  const char *name, *type, *text;
};
struct timeline_kind_row {
  const char *name, *unit, *text;
  enum timeline_block block;
  unsigned fields;
  struct timeline_field_row field[TIMELINE_FIELDS + 1]; /* an empty row ends them */
};
struct timeline_block_row {
  const char *name, *text;
};
extern const struct timeline_kind_row timeline_kind_rows[TIMELINE_KINDS];
extern const struct timeline_block_row timeline_block_rows[TIMELINE_BLOCKS];

struct timeline_event {
  enum timeline_kind kind;
  uint32_t cu, unit;
  cycle_t from, to;
  uint64_t field[TIMELINE_FIELDS]; /* of its kind; the others are 0 */
};

/* Who listens. */
struct timeline {
  /* Stream `stream` tells of an event in cycle `now`. Streams are numbered from 0, below `streams`. */
  void (*take)(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event);
  void *self;
  uint32_t kinds;   /* a bit each: those that are wanted */
  uint32_t launch;  /* number of the first of the launches that run at once */
  uint32_t streams; /* given to taps so far */
};

/* What a block holds: closed while `timeline` is NULL. */
struct timeline_tap {
  struct timeline *timeline;
  uint32_t cu, stream;
};

/* Whether anybody wants events of this kind from the block. */
static inline bool timeline_wants(const struct timeline_tap *tap, enum timeline_kind kind) {
  return tap->timeline && tap->timeline->kinds >> kind & 1;
}

/* Tells of an event that somebody wants. `now`: the cycle of the step under way. event->cu is filled in. */
void timeline_tell(const struct timeline_tap *tap, cycle_t now, struct timeline_event event);

#endif
