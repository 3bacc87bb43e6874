/* Timelines: what the blocks of a machine did, and when, as events for a listener.
 *
 *   warps, schedulers ─┐
 *   LDS banks ─────────┤ tap: a stream of events of one block of one compute unit
 *   DMA channels ──────┼──────────────► timeline.take() ──► a file (traces/timeline_file.h), a test, ...
 *   memory port ───────┤
 *   memory ────────────┘
 *
 * timeline.def has the events. A block whose tap is closed (the normal case) reports nothing; that costs one test of a
 * pointer.
 *
 * Invariant (accounts): the WARP events of a warp's slot follow each other without gap or overlap from its start to its
 * end. Their cycles by bucket and by instruction equal those of the report. So do the counts and the sums of the fields
 * of BANKS, CHANNEL, REQUEST, PASSED and COPY events. Listening does not change the run.
 * Invariant (order): the order of the events of a tap depends only on the run, not on the host or the order in which
 * components are stepped. Within a tap, `now`, the cycle in which an event is reported, never decreases. An event may
 * be reported some time after its end, or before it, when the end is known. If a run is cut short, open events end
 * there.
 *
 * Not modeled: what L2 slices and DRAM banks did; registers; data. */
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

/* Indices in timeline_event.field: TIMELINE_WARP_STALL, ... */
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
  uint64_t field[TIMELINE_FIELDS]; /* the kind's fields; the rest is 0 */
};

/* A listener. */
struct timeline {
  /* Stream `stream` reports an event in cycle `now`. Streams are numbered from 0 to `streams` - 1. */
  void (*take)(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event);
  void *self;
  uint32_t kinds;   /* the requested kinds, a bit each */
  uint32_t launch;  /* number of the first of the concurrent launches */
  uint32_t streams; /* number of streams assigned to taps so far */
};

/* A block's connection to the listener. It is closed while `timeline` is NULL. */
struct timeline_tap {
  struct timeline *timeline;
  uint32_t cu, stream;
};

/* Whether the listener wants events of this kind from the block. */
static inline bool timeline_wants(const struct timeline_tap *tap, enum timeline_kind kind) {
  return tap->timeline && tap->timeline->kinds >> kind & 1;
}

/* Reports an event that the listener wants. `now` is the cycle of the current step. Fills in event->cu. */
void timeline_emit(const struct timeline_tap *tap, cycle_t now, struct timeline_event event);

#endif
