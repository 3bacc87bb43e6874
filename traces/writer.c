#include "traces/writer.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/block.h"
#include "traces/encode.h"
#include "traces/reader.h"
#include "traces/schema.h"

#include <assert.h>

struct trace_group {
  struct trace_writer *writer;
  struct trace_group *before, *after; /* list of resident or of unused groups */
  uint32_t launch, group, warps, cu, room;
  cycle_t from, now;        /* when the group began or its last batch was closed; cycle of the last operation */
  size_t bytes;             /* of all its streams */
  struct encoder *encoders; /* `room` of them */
};

/* A closed batch that is kept for its order. */
struct pending {
  cycle_t cycle;
  uint32_t cu, launch, group;
  uint64_t number; /* sequence number: batches of one compute unit stay in order */
  struct bytes bytes;
};

struct trace_writer {
  struct block_writer out;
  struct trace_launch *launches;
  const uint8_t **kinds; /* of each program */
  uint32_t *counts;
  uint32_t launch_count, program_count;
  struct trace_group *resident, *last, *unused;
  struct pending *pending;
  size_t pending_count, pending_room;
  uint64_t closed;    /* batches closed so far */
  struct bytes block; /* the data block that is being filled */
  uint32_t place;     /* batches in it */
  struct reader_row *batches;
  size_t batch_count, batches_room;
  uint64_t operations;
};

struct trace_writer *trace_writer_open(const char *path, struct message *error) {
  const int file = block_create(path, error);
  return file < 0 ? NULL : trace_writer_open_on(file, path, error);
}

static struct trace_writer *open_on(const struct block_target *target, struct message *error) {
  struct trace_writer *writer = need(1, sizeof *writer);
  struct bytes schema = {0};
  if (!block_writer_open(&writer->out, target, &trace_format, error)) {
    free(writer);
    return NULL;
  }
  schema_write(&schema);
  block_write(&writer->out, BLOCK_SCHEMA, schema.at, schema.size);
  free(schema.at);
  return writer;
}

struct trace_writer *trace_writer_open_on(int file, const char *name, struct message *error) {
  return open_on(&(struct block_target){.file = file, .name = name}, error);
}

struct trace_writer *trace_writer_open_sink(const struct sink *sink, const char *name, struct message *error) {
  return open_on(&(struct block_target){.file = -1, .sink = sink, .name = name}, error);
}

bool trace_writer_good(const struct trace_writer *writer) { return !writer->out.failed; }

/* ---- metas, programs, launches ---------------------------------------------------------------- */

void trace_write_meta(struct trace_writer *writer, const char *name, const void *bytes, size_t size) {
  block_write_meta(&writer->out, name, bytes, size);
}

uint32_t trace_write_program(struct trace_writer *writer, const uint8_t *kinds, uint32_t count) {
  const uint32_t number = writer->program_count;
  uint8_t *own = need_more(NULL, count, 1);
  writer->kinds = need_more(writer->kinds, number + 1u, sizeof(uint8_t *));
  writer->counts = need_more(writer->counts, number + 1u, sizeof *writer->counts);
  if (count)
    memcpy(own, kinds, count);
  writer->kinds[number] = own;
  writer->counts[number] = count;
  writer->program_count++;
  block_write(&writer->out, BLOCK_PROGRAM, own, count);
  return number;
}

uint32_t trace_write_launch(struct trace_writer *writer, const struct trace_launch *launch) {
  const uint32_t number = writer->launch_count;
  struct bytes bytes = {0};
  assert(launch->program < writer->program_count && launch->lanes && launch->lanes <= TRACE_LANES &&
         launch->warps <= TRACE_WARPS && "a launch is one that can be read");
  writer->launches = need_more(writer->launches, number + 1u, sizeof *writer->launches);
  writer->launches[writer->launch_count++] = *launch;
  bytes_varint(&bytes, launch->program);
  bytes_varint(&bytes, launch->lanes);
  bytes_varint(&bytes, launch->groups);
  bytes_varint(&bytes, launch->warps);
  block_write(&writer->out, BLOCK_LAUNCH, bytes.at, bytes.size);
  free(bytes.at);
  return number;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* A group's memory, with encoders for `warps` warps. */
static struct trace_group *take_group(struct trace_writer *writer, uint32_t warps) {
  struct trace_group *group = writer->unused;
  if (group)
    writer->unused = group->after;
  else
    group = need(1, sizeof *group);
  if (group->room < warps) {
    group->encoders = need_more(group->encoders, warps, sizeof *group->encoders);
    memset(group->encoders + group->room, 0, (warps - group->room) * sizeof *group->encoders);
    group->room = warps;
  }
  return group;
}

struct trace_group *trace_group_begin(struct trace_writer *writer, uint32_t launch, uint32_t number, uint32_t warps,
                                      uint32_t cu, cycle_t now) {
  assert(launch < writer->launch_count && "a launch is written before its groups begin");
  const struct trace_launch *of = &writer->launches[launch];
  assert(number < of->groups && warps <= of->warps && "a group is one of its launch");
  struct trace_group *group = take_group(writer, warps);
  group->writer = writer;
  group->launch = launch;
  group->group = number;
  group->warps = warps;
  group->cu = cu;
  group->from = group->now = now;
  group->bytes = 0;
  group->after = NULL;
  group->before = writer->last;
  *(writer->last ? &writer->last->after : &writer->resident) = group;
  writer->last = group;
  for (uint32_t i = 0; i < warps; i++) {
    struct encoder *encoder = &group->encoders[i];
    stream_start(&encoder->stream, writer->kinds[of->program], writer->counts[of->program], of->lanes);
    encoder->run = encoder->operations = 0;
    encoder->bytes.size = 0;
  }
  return group;
}

void trace_warp_begin(struct trace_group *group, uint32_t warp, uint32_t pc) {
  assert(warp < group->warps && !group->encoders[warp].bytes.size && "a warp of the group begins once");
  encode_start(&group->encoders[warp], pc);
  group->bytes += group->encoders[warp].bytes.size;
}

/* Writes the batch: its head and table, then the bytes of the streams, which are cleared. */
static void put_batch(struct trace_group *group, struct bytes *into, cycle_t now, bool last) {
  uint32_t pieces = 0;
  for (uint32_t i = 0; i < group->warps; i++) {
    encode_flush(&group->encoders[i]);
    pieces += group->encoders[i].bytes.size != 0;
  }
  const uint64_t head[] = {group->launch, group->group,      group->warps, group->cu,
                           group->from,   now - group->from, last,         pieces};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    bytes_varint(into, head[i]);
  for (uint32_t i = 0, next = 0; i < group->warps; i++) {
    const struct encoder *encoder = &group->encoders[i];
    if (!encoder->bytes.size)
      continue;
    bytes_varint(into, i - next);
    bytes_varint(into, encoder->operations);
    bytes_varint(into, encoder->bytes.size);
    next = i + 1;
  }
  for (uint32_t i = 0; i < group->warps; i++) {
    struct encoder *encoder = &group->encoders[i];
    bytes_add(into, encoder->bytes.at, encoder->bytes.size);
    group->writer->operations += encoder->operations;
    encoder->operations = encoder->bytes.size = 0;
  }
}

static void close_batch(struct trace_group *group, cycle_t now, bool last) {
  struct trace_writer *writer = group->writer;
  struct bytes bytes = {0};
  put_batch(group, &bytes, now, last);
  *vector_next(writer->pending, writer->pending_count, writer->pending_room) =
      (struct pending){now, group->cu, group->launch, group->group, writer->closed++, bytes};
  group->from = now;
  group->bytes = 0;
}

void trace_encode(struct trace_group *group, uint32_t warp, cycle_t now, const struct trace_op *op) {
  struct encoder *encoder = &group->encoders[warp];
  assert(warp < group->warps && now >= group->now && "a group's operations come in the order of time");
  if (group->writer->out.failed)
    return;
  const size_t before = encoder->bytes.size;
  group->now = now;
  encode(encoder, op);
  group->bytes += encoder->bytes.size - before;
  if (group->bytes >= TRACE_BATCH_BYTES)
    close_batch(group, now, false);
}

void writer_release(struct trace_group *group) {
  struct trace_writer *writer = group->writer;
  *(group->before ? &group->before->after : &writer->resident) = group->after;
  *(group->after ? &group->after->before : &writer->last) = group->before;
  group->after = writer->unused;
  writer->unused = group;
}

void trace_group_end(struct trace_group *group, cycle_t now) {
  if (!group->writer->out.failed)
    close_batch(group, now, true);
  writer_release(group);
}

/* ---- batches, in order ---------------------------------------------------------------------- */

static void write_data(struct trace_writer *writer) {
  /* The number of the block is only known now. */
  for (uint32_t i = 0; i < writer->place; i++)
    writer->batches[writer->batch_count - 1 - i].block = writer->out.blocks;
  if (writer->block.size)
    block_write(&writer->out, BLOCK_DATA, writer->block.at, writer->block.size);
  writer->block.size = 0;
  writer->place = 0;
}

static void take_batch(struct trace_writer *writer, const struct pending *batch) {
  *vector_next(writer->batches, writer->batch_count, writer->batches_room) =
      (struct reader_row){batch->launch, batch->group, 0, writer->place++};
  bytes_add(&writer->block, batch->bytes.at, batch->bytes.size);
  if (writer->block.size >= TRACE_BLOCK_BYTES)
    write_data(writer);
}

static int by_time(const void *a, const void *b) {
  const struct pending *x = a, *y = b;
  if (x->cycle != y->cycle)
    return x->cycle < y->cycle ? -1 : 1;
  if (x->cu != y->cu)
    return x->cu < y->cu ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

void trace_writer_settle(struct trace_writer *writer, cycle_t now) {
  if (!writer->pending_count)
    return;
  qsort(writer->pending, writer->pending_count, sizeof *writer->pending, by_time);
  size_t done = 0;
  for (; done < writer->pending_count && writer->pending[done].cycle < now; done++) {
    if (!writer->out.failed)
      take_batch(writer, &writer->pending[done]);
    free(writer->pending[done].bytes.at);
  }
  writer->pending_count -= done;
  memmove(writer->pending, writer->pending + done, writer->pending_count * sizeof *writer->pending);
}

/* ---- batches that the caller ends --------------------------------------------------------------- */

uint32_t writer_programs(const struct trace_writer *writer) { return writer->program_count; }

const uint8_t *writer_kinds(const struct trace_writer *writer, uint32_t program, uint32_t *count) {
  *count = writer->counts[program];
  return writer->kinds[program];
}

uint32_t writer_launches(const struct trace_writer *writer) { return writer->launch_count; }

const struct trace_launch *writer_launch(const struct trace_writer *writer, uint32_t launch) {
  return &writer->launches[launch];
}

void writer_encode(struct trace_group *group, uint32_t warp, const struct trace_op *op) {
  struct encoder *encoder = &group->encoders[warp];
  const size_t before = encoder->bytes.size;
  encode(encoder, op);
  group->bytes += encoder->bytes.size - before;
}

size_t writer_bytes(const struct trace_group *group) { return group->bytes; }

void writer_close_batch(struct trace_group *group, cycle_t from, cycle_t to, bool last) {
  struct pending batch = {.cycle = to, .cu = group->cu, .launch = group->launch, .group = group->group};
  group->from = from;
  put_batch(group, &batch.bytes, to, last);
  if (!group->writer->out.failed)
    take_batch(group->writer, &batch);
  free(batch.bytes.at);
  group->bytes = 0;
}

bool trace_write_batch(struct trace_writer *writer, struct trace *from, uint32_t i, uint32_t launch, uint32_t group,
                       cycle_t later, struct message *error) {
  struct reader_batch batch;
  struct bytes bytes = {0};
  assert(launch < writer->launch_count && group < writer->launches[launch].groups && "a group is one of its launch");
  if (!reader_load(from, &from->rows[i], &batch)) {
    *error = from->in.error;
    return false;
  }
  const struct trace_batch *of = &batch.head;
  const uint64_t head[] = {launch,   group,       of->warps, of->cu, of->from + later, of->to - of->from,
                           of->last, batch.pieces};
  for (size_t field = 0; field < sizeof head / sizeof *head; field++)
    bytes_varint(&bytes, head[field]);
  bytes_add(&bytes, batch.table.at, (size_t)(batch.bytes.end - batch.table.at));
  *vector_next(writer->pending, writer->pending_count, writer->pending_room) =
      (struct pending){of->to + later, of->cu, launch, group, writer->closed++, bytes};
  writer->operations += of->operations;
  return true;
}

/* ---- index and end -------------------------------------------------------------------------- */

static void write_batches(struct trace_writer *writer) {
  struct bytes bytes = {0};
  const size_t count = writer->batch_count;
  if (count)
    qsort(writer->batches, count, sizeof *writer->batches, reader_by_group);
  for (size_t i = 0; i < count; i += BLOCK_INDEX_ROWS) {
    const size_t end = count - i < BLOCK_INDEX_ROWS ? count : i + BLOCK_INDEX_ROWS;
    struct reader_row last = {0};
    bytes.size = 0;
    bytes_varint(&bytes, end - i);
    for (size_t row = i; row < end; row++) {
      const struct reader_row *batch = &writer->batches[row];
      if (batch->launch != last.launch)
        last.group = 0;
      bytes_varint(&bytes, batch->launch - last.launch);
      bytes_varint(&bytes, batch->group - last.group);
      bytes_varint(&bytes, zigzag((uint64_t)batch->block - last.block));
      bytes_varint(&bytes, batch->place);
      last = *batch;
    }
    block_write(&writer->out, BLOCK_BATCHES, bytes.at, bytes.size);
  }
  free(bytes.at);
}

static void write_end(struct trace_writer *writer) {
  const uint64_t index = writer->out.offset;
  const uint32_t blocks = writer->out.blocks;
  uint8_t end[BLOCK_END_BYTES];
  block_write_index(&writer->out);
  write_batches(writer);
  put64(end, index);
  put64(end + 8, blocks);
  put64(end + 16, writer->batch_count);
  put64(end + 24, writer->operations);
  block_write(&writer->out, BLOCK_END, end, sizeof end);
}

static void free_groups(struct trace_group *group) {
  while (group) {
    struct trace_group *after = group->after;
    for (uint32_t i = 0; i < group->room; i++) {
      stream_free(&group->encoders[i].stream);
      free(group->encoders[i].bytes.at);
    }
    free(group->encoders);
    free(group);
    group = after;
  }
}

void trace_writer_abandon(struct trace_writer *writer) {
  free_groups(writer->resident);
  free_groups(writer->unused);
  for (size_t i = 0; i < writer->pending_count; i++)
    free(writer->pending[i].bytes.at);
  for (uint32_t i = 0; i < writer->program_count; i++)
    free((uint8_t *)(uintptr_t)writer->kinds[i]);
  block_writer_close(&writer->out);
  free(writer->pending);
  free(writer->kinds);
  free(writer->counts);
  free(writer->launches);
  free(writer->block.at);
  free(writer->batches);
  free(writer);
}

bool trace_writer_close(struct trace_writer *writer, struct message *error) {
  for (struct trace_group *group = writer->resident; group && !writer->out.failed; group = group->after)
    close_batch(group, group->now, false);
  trace_writer_settle(writer, NEVER);
  write_data(writer);
  write_end(writer);
  const bool good = block_writer_finish(&writer->out, error);
  trace_writer_abandon(writer);
  return good;
}
