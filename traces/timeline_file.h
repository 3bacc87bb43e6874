/* Timelines in a file (.wtl): the events of sim/core/timeline.h, written as they are reported and read in one pass.
 *
 *   taps ──events──► encoder of a stream ──► batches ──► blocks ─► file ─► blocks ─► events, one after the other
 *
 * The file consists of the same blocks as a trace, with its own magic; docs/timeline-format.md documents every byte.
 * Its schema comes from the rows of sim/core/timeline.def; its metas say what ran, and on which machine. A batch is
 * TIMELINE_BATCH_EVENTS events of a stream; it can be decoded without those before it. Batches are written in the order
 * of (cycle in which they were closed, stream).
 *
 * Invariant: a reader gets exactly the reported events in the window, in the order of their stream. The bytes of the
 * file depend only on the run. Checksums detect a changed byte before anything of its block is used. Writing and
 * reading use memory for the number of streams, not for the length of the run. Only the index grows, by some 10 bytes
 * per block.
 *
 * Not modeled: an order of events between streams beyond that of batches. Readers that need all events in the order of
 * time must sort them. */
#ifndef TRACES_TIMELINE_FILE_H
#define TRACES_TIMELINE_FILE_H

#include "sim/core/timeline.h"
#include "traces/trace.h"

enum {
  TIMELINE_VERSION = 1,
  TIMELINE_BATCH_EVENTS = 8192, /* most events of a batch */
  TIMELINE_UNITS = 1 << 12,     /* number of units; unit numbers are below */
  TIMELINE_CUS = 1024,          /* the largest cu.count; compute unit numbers are below */
};

/* Which events are kept: those that have a cycle in common with the window, in full. An event of no duration counts as
 * being in its first cycle. */
struct timeline_window {
  cycle_t from, to;       /* [from, to); all: 0 and NEVER */
  cycle_t sample, period; /* keep the first `sample` of every `period` cycles, from cycle 0 on; period 0: all */
  const uint8_t *cus;     /* for each compute unit whether to keep it; NULL: all */
  uint32_t cu_count;      /* length of `cus` */
  uint32_t kinds;         /* a bit per kind */
};

/* Whether the event is kept. */
bool timeline_window_has(const struct timeline_window *window, const struct timeline_event *event);

/* ---- writing ------------------------------------------------------------------------------------- */

struct timeline_writer;

/* Creates the file. Returns NULL and sets *error if that fails. Later write errors are kept for
 * timeline_writer_close(). */
struct timeline_writer *timeline_writer_open(const char *path, const struct timeline_window *window,
                                             struct message *error);

/* The same for an open file, which the writer takes over and closes. `name` is for messages. */
struct timeline_writer *timeline_writer_open_on(int file, const char *name, const struct timeline_window *window,
                                                struct message *error);

/* The same for a sink (sim/base/caller.h), which must outlive the writer. It gets the bytes in order. */
struct timeline_writer *timeline_writer_open_sink(const struct sink *sink, const char *name,
                                                  const struct timeline_window *window, struct message *error);

/* The listener to pass to simulation_emit(). */
struct timeline *timeline_writer_listener(struct timeline_writer *writer);

/* If two metas have the same name, readers see the later one. */
void timeline_write_meta(struct timeline_writer *writer, const char *name, const void *bytes, size_t size);

/* No stream will report anything more before cycle `now`: writes the batches that were kept for their order. */
void timeline_writer_settle(struct timeline_writer *writer, cycle_t now);
bool timeline_writer_good(const struct timeline_writer *writer);

/* Writes what is left, index and end, and frees the writer. Returns false and sets *error if this or an earlier write
 * failed. */
bool timeline_writer_close(struct timeline_writer *writer, struct message *error);
void timeline_writer_abandon(struct timeline_writer *writer);

/* ---- reading ------------------------------------------------------------------------------------- */

struct timeline_file;

/* Whether the file begins like a timeline. */
bool timeline_is_one(const char *path);

/* Returns NULL and sets *error if it is damaged or not a timeline. The modes are those of trace_open(). */
struct timeline_file *timeline_open_file(const char *path, enum trace_open_mode mode, struct message *error);
struct timeline_file *timeline_open_at(const struct trace_place *place, enum trace_open_mode mode,
                                       struct message *error);
void timeline_close(struct timeline_file *file);

/* The bytes of a meta, followed by a zero that *size does not count. `size` may be NULL. NULL if there is no such
 * meta. */
const char *timeline_meta(struct timeline_file *file, const char *name, size_t *size);

/* The number of events, the first cycle and the last cycle of all of them. */
struct timeline_extent {
  uint64_t events;
  cycle_t from, to;
};
struct timeline_extent timeline_extent_of(const struct timeline_file *file);

/* The next event in file order. Returns false at the end, and on an error; then timeline_failed() has it. */
bool timeline_next(struct timeline_file *file, struct timeline_event *event);
/* Starts again at the first event. */
void timeline_rewind(struct timeline_file *file);
const struct message *timeline_failed(const struct timeline_file *file);

/* Reads the whole file. Returns false and sets *error if something is wrong. */
bool timeline_validate(const char *path, struct message *error);

#endif
