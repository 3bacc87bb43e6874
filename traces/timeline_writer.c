#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/block.h"
#include "traces/timeline_code.h"
#include "traces/timeline_file.h"
#include "traces/timeline_schema.h"

#include <assert.h>

/* A closed batch that is kept for its order. */
struct pending {
  cycle_t cycle;
  uint32_t stream;
  uint64_t number; /* sequence number: batches of one stream stay in order */
  struct bytes bytes;
};

struct timeline_writer {
  struct block_writer out;
  struct timeline_window window;
  uint8_t *cus;
  struct timeline listener;
  struct timeline_encoder **streams;
  size_t stream_room; /* NULL: no event with this number yet */
  struct pending *pending;
  size_t pending_count, pending_room;
  uint64_t closed;    /* batches closed so far */
  struct bytes block; /* the data block that is being filled */
  struct timeline_extent extent;
};

/* ---- events --------------------------------------------------------------------------------- */

static void close_batch(struct timeline_writer *writer, uint32_t stream, cycle_t now) {
  struct bytes bytes = {0};
  timeline_encode_batch(writer->streams[stream], stream, &bytes);
  *vector_next(writer->pending, writer->pending_count, writer->pending_room) =
      (struct pending){now, stream, writer->closed++, bytes};
}

static struct timeline_encoder *encoder_of(struct timeline_writer *writer, uint32_t stream) {
  if (stream >= writer->stream_room) {
    const size_t before = writer->stream_room;
    writer->streams = vector_room(writer->streams, &writer->stream_room, stream + 1u, sizeof *writer->streams);
    memset(writer->streams + before, 0, (writer->stream_room - before) * sizeof *writer->streams);
  }
  if (!writer->streams[stream])
    writer->streams[stream] = need(1, sizeof **writer->streams);
  return writer->streams[stream];
}

/* Whether [from, to) contains a cycle of the samples. */
static bool sampled(const struct timeline_window *window, cycle_t from, cycle_t to) {
  const cycle_t into = from % window->period;
  return into < window->sample || to - from > window->period - into;
}

bool timeline_window_has(const struct timeline_window *window, const struct timeline_event *event) {
  if (!(window->kinds >> event->kind & 1) ||
      (window->cus && (event->cu >= window->cu_count || !window->cus[event->cu])))
    return false;
  const cycle_t end = event->to > event->from ? event->to : event->from + 1;
  const cycle_t from = event->from > window->from ? event->from : window->from;
  const cycle_t to = end < window->to ? end : window->to;
  return from < to && (!window->period || sampled(window, from, to));
}

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct timeline_writer *writer = self;
  if (writer->out.failed || !timeline_window_has(&writer->window, event))
    return;
  struct timeline_encoder *encoder = encoder_of(writer, stream);
  timeline_encode(encoder, event);
  assert(encoder->cu == event->cu && "a stream is of one compute unit");
  timeline_extend(&writer->extent, event);
  if (encoder->events == TIMELINE_BATCH_EVENTS)
    close_batch(writer, stream, now);
}

/* ---- batches, in order ---------------------------------------------------------------------- */

static void write_data(struct timeline_writer *writer) {
  if (writer->block.size)
    block_write(&writer->out, BLOCK_DATA, writer->block.at, writer->block.size);
  writer->block.size = 0;
}

static int by_time(const void *a, const void *b) {
  const struct pending *x = a, *y = b;
  if (x->cycle != y->cycle)
    return x->cycle < y->cycle ? -1 : 1;
  if (x->stream != y->stream)
    return x->stream < y->stream ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

void timeline_writer_settle(struct timeline_writer *writer, cycle_t now) {
  if (!writer->pending_count)
    return;
  qsort(writer->pending, writer->pending_count, sizeof *writer->pending, by_time);
  size_t done = 0;
  for (; done < writer->pending_count && writer->pending[done].cycle < now; done++) {
    struct bytes *bytes = &writer->pending[done].bytes;
    bytes_add(&writer->block, bytes->at, bytes->size);
    free(bytes->at);
    if (writer->block.size >= TRACE_BLOCK_BYTES)
      write_data(writer);
  }
  writer->pending_count -= done;
  memmove(writer->pending, writer->pending + done, writer->pending_count * sizeof *writer->pending);
}

/* ---- the file ------------------------------------------------------------------------------- */

struct timeline_writer *timeline_writer_open(const char *path, const struct timeline_window *window,
                                             struct message *error) {
  const int file = block_create(path, error);
  return file < 0 ? NULL : timeline_writer_open_on(file, path, window, error);
}

static struct timeline_writer *open_on(const struct block_target *target, const struct timeline_window *window,
                                       struct message *error) {
  struct timeline_writer *writer = need(1, sizeof *writer);
  struct bytes schema = {0};
  if (!block_writer_open(&writer->out, target, &timeline_format, error)) {
    free(writer);
    return NULL;
  }
  writer->listener = (struct timeline){.take = take, .self = writer, .kinds = window->kinds};
  writer->window = *window;
  if (window->cus) {
    writer->window.cus = writer->cus = need(window->cu_count, 1);
    memcpy(writer->cus, window->cus, window->cu_count);
  }
  timeline_schema_write(&schema);
  block_write(&writer->out, BLOCK_SCHEMA, schema.at, schema.size);
  free(schema.at);
  return writer;
}

struct timeline_writer *timeline_writer_open_on(int file, const char *name, const struct timeline_window *window,
                                                struct message *error) {
  return open_on(&(struct block_target){.file = file, .name = name}, window, error);
}

struct timeline_writer *timeline_writer_open_sink(const struct sink *sink, const char *name,
                                                  const struct timeline_window *window, struct message *error) {
  return open_on(&(struct block_target){.file = -1, .sink = sink, .name = name}, window, error);
}

struct timeline *timeline_writer_listener(struct timeline_writer *writer) {
  return &writer->listener;
}

void timeline_write_meta(struct timeline_writer *writer, const char *name, const void *bytes, size_t size) {
  block_write_meta(&writer->out, name, bytes, size);
}

bool timeline_writer_good(const struct timeline_writer *writer) { return !writer->out.failed; }

static void write_end(struct timeline_writer *writer) {
  uint8_t end[TIMELINE_END_BYTES];
  put64(end, writer->out.offset);
  put64(end + 8, writer->out.blocks);
  put64(end + 16, writer->extent.events);
  put64(end + 24, writer->extent.from);
  put64(end + 32, writer->extent.to);
  block_write_index(&writer->out);
  block_write(&writer->out, BLOCK_END, end, sizeof end);
}

void timeline_writer_abandon(struct timeline_writer *writer) {
  for (uint32_t i = 0; i < writer->stream_room; i++)
    if (writer->streams[i]) {
      timeline_encoder_free(writer->streams[i]);
      free(writer->streams[i]);
    }
  for (size_t i = 0; i < writer->pending_count; i++)
    free(writer->pending[i].bytes.at);
  block_writer_close(&writer->out);
  free(writer->streams);
  free(writer->pending);
  free(writer->block.at);
  free(writer->cus);
  free(writer);
}

bool timeline_writer_close(struct timeline_writer *writer, struct message *error) {
  timeline_writer_settle(writer, NEVER);
  for (uint32_t i = 0; i < writer->stream_room && !writer->out.failed; i++)
    if (writer->streams[i] && writer->streams[i]->events)
      close_batch(writer, i, 0);
  timeline_writer_settle(writer, NEVER);
  write_data(writer);
  write_end(writer);
  const bool good = block_writer_finish(&writer->out, error);
  timeline_writer_abandon(writer);
  return good;
}
