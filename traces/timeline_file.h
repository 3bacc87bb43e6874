/* Timelines in a file (.wtl): the events of sim/core/timeline.h, written while they are told and read in one pass.
 *
 *   taps ──events──► encoder of a stream ──► batches ──► blocks ─► file ─► blocks ─► events, one after the other
 *
 * The file is made of a trace's blocks (docs/timeline-format.md has every byte), with a magic of its own. Its schema is
 * made from the rows of sim/core/timeline.def; its metas say what ran, on which machine. TIMELINE_BATCH_EVENTS events
 * of a stream are a batch, which can be decoded without those before it. Batches are written in the order of (cycle in
 * which they were closed, stream).
 *
 * Invariant: what comes out is what was told and lies in the window, event by event, in the order of its stream; the
 * file's bytes depend on the run alone. A changed byte is found by a checksum before anything of its block is used.
 * Memory is bounded both ways: by the number of streams, not by the length of the run; the index alone grows, by some
 * 10 bytes a block.
 *
 * Not modelled: an order of events between streams beyond that of batches: who wants all in the order of time sorts. */
#ifndef TRACES_TIMELINE_FILE_H
#define TRACES_TIMELINE_FILE_H

#include "sim/core/timeline.h"
#include "traces/trace.h"

enum {
  TIMELINE_VERSION = 1,
  TIMELINE_BATCH_EVENTS = 8192, /* at most */
  TIMELINE_UNITS = 1 << 12,     /* units are below */
  TIMELINE_CUS = 1024,          /* compute units are below: the most that cu.count can be */
};

/* What is kept of what is told: events that have a cycle in common with the window, whole. One that takes no time
 * counts as being in its first cycle. */
struct timeline_window {
  cycle_t from, to;       /* [from, to); 0 and NEVER: all */
  cycle_t sample, period; /* of each `period` cycles from cycle 0 on the first `sample`; period 0: all */
  const uint8_t *cus;     /* of each compute unit whether it is wanted; NULL: all */
  uint32_t cu_count;      /* of these */
  uint32_t kinds;         /* a bit each */
};

/* Whether the event is kept. */
bool timeline_window_has(const struct timeline_window *window, const struct timeline_event *event);

/* ---- writing ------------------------------------------------------------------------------------- */

struct timeline_writer;

/* Creates the file. NULL, with *error filled, when it cannot be. A later failure to write is kept for
 * timeline_writer_close(). */
struct timeline_writer *timeline_writer_open(const char *path, const struct timeline_window *window,
                                             struct trace_error *error);

/* The same into a file that is open, which it takes and closes; errors call it by the name. */
struct timeline_writer *timeline_writer_open_on(int file, const char *name, const struct timeline_window *window,
                                                struct trace_error *error);

/* The same into a sink (sim/base/caller.h), which outlives the writer and gets the bytes from first to last. */
struct timeline_writer *timeline_writer_open_sink(const struct sink *sink, const char *name,
                                                  const struct timeline_window *window, struct trace_error *error);

/* Who listens, for simulation_tell(). */
struct timeline *timeline_writer_listener(struct timeline_writer *writer);

/* Of two metas with one name readers see the last. */
void timeline_write_meta(struct timeline_writer *writer, const char *name, const void *bytes, size_t size);

/* All that happens before cycle `now` has been told by all streams: what was kept for its order is written. */
void timeline_writer_settle(struct timeline_writer *writer, cycle_t now);
bool timeline_writer_good(const struct timeline_writer *writer);

/* Writes what is left, index and end, and frees the writer. False, with *error filled, when this or anything before
 * could not be written. */
bool timeline_writer_close(struct timeline_writer *writer, struct trace_error *error);
void timeline_writer_abandon(struct timeline_writer *writer);

/* ---- reading ------------------------------------------------------------------------------------- */

struct timeline_file;

/* Whether the file begins as a timeline does. */
bool timeline_is_one(const char *path);

/* NULL, with *error filled, when it is none, or damaged. Modes as of trace_open(). */
struct timeline_file *timeline_open_file(const char *path, enum trace_open_mode mode, struct trace_error *error);
struct timeline_file *timeline_open_at(const struct trace_place *place, enum trace_open_mode mode,
                                       struct trace_error *error);
void timeline_close(struct timeline_file *file);

/* The bytes of a meta, followed by a zero that *size (it may be NULL) does not count; NULL when there is none. */
const char *timeline_meta(struct timeline_file *file, const char *name, size_t *size);

/* Events in all, and the first and last cycle that any has. */
struct timeline_extent {
  uint64_t events;
  cycle_t from, to;
};
struct timeline_extent timeline_extent_of(const struct timeline_file *file);

/* The next event in the file's order. False at the end, and when something is wrong, which timeline_failed() tells. */
bool timeline_next(struct timeline_file *file, struct timeline_event *event);
/* From the first event again. */
void timeline_rewind(struct timeline_file *file);
const struct trace_error *timeline_failed(const struct timeline_file *file);

/* Reads all of it. False, with *error filled, when something is wrong. */
bool timeline_validate(const char *path, struct trace_error *error);

#endif
