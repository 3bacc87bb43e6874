#include "traces/reader.h"

#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/schema.h"
#include "traces/stream.h"

/* ---- blocks that are read when a trace is opened -------------------------------------------- */

static bool take_schema(struct trace *trace, uint64_t offset, const struct bytes *payload) {
  char line[100];
  const char *fault = strlen((const char *)payload->at) == payload->size
                          ? schema_fault((const char *)payload->at, &trace->kinds, line)
                          : "a zero byte";
  return !fault || block_expected(&trace->in, offset, "a schema that this version knows", "\"%s\"", fault);
}

static bool take_program(struct trace *trace, uint64_t offset, struct bytes *payload) {
  for (size_t pc = 0; pc < payload->size; pc++)
    if (payload->at[pc] >= trace->kinds)
      return block_expected(&trace->in, offset, "kinds that the schema has", "kind %u at pc %zu", payload->at[pc], pc);
  trace->programs = need_more(trace->programs, trace->program_count + 1, sizeof *trace->programs);
  trace->programs[trace->program_count++] = (struct reader_program){payload->at, (uint32_t)payload->size};
  *payload = (struct bytes){0};
  return true;
}

static bool take_launch(struct trace *trace, uint64_t offset, const struct bytes *payload) {
  struct cursor cursor = {payload->at, payload->at + payload->size, false};
  uint64_t value[4];
  for (unsigned i = 0; i < 4; i++)
    value[i] = cursor_varint(&cursor);
  if (cursor.bad || cursor.at < cursor.end || value[0] >= trace->program_count || !value[1] || value[1] > TRACE_LANES ||
      value[2] > UINT32_MAX || value[3] > TRACE_WARPS)
    return block_expected(&trace->in, offset,
                          "a launch of a program, with 1 to 64 lanes and at most 65536 warps a work-group", "another");
  trace->launches = need_more(trace->launches, trace->launch_count + 1, sizeof *trace->launches);
  trace->launches[trace->launch_count++] =
      (struct trace_launch){(uint32_t)value[0], (uint32_t)value[1], (uint32_t)value[2], (uint32_t)value[3]};
  return true;
}

static bool take_block(void *self, uint64_t offset, uint32_t type, struct bytes *payload) {
  struct trace *trace = self;
  if ((type == BLOCK_SCHEMA) != (trace->in.blocks == 0))
    return block_expected(&trace->in, offset, "the schema, and first", "another order of blocks");
  switch (type) {
  case BLOCK_SCHEMA:
    return take_schema(trace, offset, payload);
  case BLOCK_META:
    return block_read_meta(&trace->in, offset, payload);
  case BLOCK_PROGRAM:
    return take_program(trace, offset, payload);
  case BLOCK_LAUNCH:
    return take_launch(trace, offset, payload);
  default:
    return true;
  }
}

/* ---- with the index ------------------------------------------------------------------------- */

static bool read_batches(struct trace *trace, uint64_t *offset, uint32_t *number, uint64_t count) {
  struct bytes payload = {0};
  bool good = true;
  while (good && trace->row_count < count) {
    struct cursor cursor;
    struct reader_row row = {0};
    uint64_t rows;
    good = block_read_rows(&trace->in, offset, (*number)++, BLOCK_BATCHES, &payload, &cursor, &rows);
    for (uint64_t i = 0; good && i < rows; i++) {
      const uint64_t launch = cursor_varint(&cursor), group = cursor_varint(&cursor),
                     block = unzigzag(cursor_varint(&cursor)) + row.block, place = cursor_varint(&cursor);
      const uint64_t in_launch = launch ? group : group + row.group;
      if (cursor.bad || launch + row.launch >= trace->launch_count ||
          in_launch >= trace->launches[launch + row.launch].groups || block >= trace->in.blocks || place > UINT32_MAX)
        good = block_bad_index(&trace->in, *offset);
      row = (struct reader_row){row.launch + (uint32_t)launch, (uint32_t)in_launch, (uint32_t)block, (uint32_t)place};
      if (good)
        *vector_next(trace->rows, trace->row_count, trace->rows_room) = row;
    }
    good = good && (cursor.at == cursor.end || block_bad_index(&trace->in, *offset));
  }
  free(payload.at);
  return good && (trace->row_count == count || block_bad_index(&trace->in, *offset));
}

static bool read_whole(struct trace *trace) {
  uint64_t end[4];
  if (!block_read_end(&trace->in, end, 4))
    return false;
  if (end[0] > trace->in.size || end[1] > UINT32_MAX || end[2] > UINT32_MAX)
    return block_bad_index(&trace->in, trace->in.size - BLOCK_END_BYTES);
  uint64_t offset = end[0];
  uint32_t number = (uint32_t)end[1];
  trace->operations = end[3];
  return block_read_index(&trace->in, take_block, trace, &offset, &number, end[1]) &&
         read_batches(trace, &offset, &number, end[2]) &&
         (offset == trace->in.size - BLOCK_HEADER - BLOCK_END_BYTES || block_bad_index(&trace->in, offset));
}

/* ---- without the index ----------------------------------------------------------------------------- */

int reader_by_group(const void *a, const void *b) {
  const struct reader_row *x = a, *y = b;
  if (x->launch != y->launch)
    return x->launch < y->launch ? -1 : 1;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static bool scan_data(struct trace *trace, uint64_t offset, const struct bytes *payload) {
  struct cursor cursor = {payload->at, payload->at + payload->size, false};
  const uint32_t rows = trace->row_count;
  for (uint32_t place = 0; cursor.at < cursor.end; place++) {
    struct reader_batch batch;
    if (!reader_batch(trace, &cursor, &batch)) {
      if (trace->in.cut) /* the first batch that is not whole */
        return true;
      trace->row_count = rows;
      return block_expected(&trace->in, offset, "batches of the trace's launches", "others, in batch %u of the block",
                            place);
    }
    *vector_next(trace->rows, trace->row_count, trace->rows_room) =
        (struct reader_row){batch.head.launch, batch.head.group, trace->in.blocks, place};
    trace->operations += batch.head.operations;
  }
  return true;
}

static bool scan_block(void *self, uint64_t offset, uint32_t type, struct bytes *payload) {
  return take_block(self, offset, type, payload) && (type != BLOCK_DATA || scan_data(self, offset, payload));
}

static void scan(struct trace *trace) {
  block_scan(&trace->in, scan_block, trace, true);
  if (trace->row_count)
    qsort(trace->rows, trace->row_count, sizeof *trace->rows, reader_by_group);
}

/* ---- open and close ------------------------------------------------------------------------- */

static struct trace *fail(struct trace *trace, struct message *error) {
  *error = trace->in.error;
  trace_close(trace);
  return NULL;
}

struct trace *trace_open(const char *path, enum trace_open_mode mode, struct message *error) {
  return trace_open_at(&(struct trace_place){.name = path}, mode, error);
}

struct trace *trace_open_at(const struct trace_place *place, enum trace_open_mode mode, struct message *error) {
  struct trace *trace = need(1, sizeof *trace);
  if (!block_reader_open(&trace->in, place, &trace_format))
    return fail(trace, error);
  if (mode == TRACE_SALVAGE)
    scan(trace);
  else if (!read_whole(trace))
    return fail(trace, error);
  *error = trace->in.error;
  trace->in.failed = false;
  trace->in.error = (struct message){""};
  reader_new_cache(trace);
  return trace;
}

struct trace *trace_share(const struct trace *trace) {
  struct trace *own = need(1, sizeof *own);
  *own = (struct trace){.in = block_reader_share(&trace->in),
                        .kinds = trace->kinds,
                        .programs = trace->programs,
                        .program_count = trace->program_count,
                        .launches = trace->launches,
                        .launch_count = trace->launch_count,
                        .rows = trace->rows,
                        .row_count = trace->row_count,
                        .operations = trace->operations,
                        .shares = true};
  reader_new_cache(own);
  return own;
}

static void close_shared(struct trace *trace) {
  block_reader_unshare(&trace->in);
  free(trace->order);
  free(trace);
}

void trace_close(struct trace *trace) {
  if (!trace)
    return;
  reader_free_cache(trace);
  if (trace->shares) {
    close_shared(trace);
    return;
  }
  for (uint32_t i = 0; i < trace->program_count; i++)
    free(trace->programs[i].kinds);
  free(trace->programs);
  free(trace->launches);
  free(trace->rows);
  free(trace->order);
  block_reader_close(&trace->in);
  free(trace);
}

const struct message *trace_failed(const struct trace *trace) { return trace->in.failed ? &trace->in.error : NULL; }

/* ---- contents -------------------------------------------------------------------------- */

const char *trace_meta(struct trace *trace, const char *name, size_t *size) {
  return block_meta(&trace->in, name, size);
}

const char *trace_meta_name(const struct trace *trace, uint32_t i) {
  return i < trace->in.meta_count ? trace->in.metas[i].name : NULL;
}

uint32_t trace_programs(const struct trace *trace) { return trace->program_count; }

const uint8_t *trace_program(const struct trace *trace, uint32_t program, uint32_t *count) {
  *count = trace->programs[program].count;
  return trace->programs[program].kinds;
}

uint32_t trace_launches(const struct trace *trace) { return trace->launch_count; }

const struct trace_launch *trace_launch(const struct trace *trace, uint32_t launch) { return &trace->launches[launch]; }

uint32_t trace_batches(const struct trace *trace) { return trace->row_count; }

bool trace_batch(struct trace *trace, uint32_t i, struct trace_batch *batch, struct message *error) {
  struct reader_batch found;
  if (!reader_load(trace, &trace->rows[i], &found)) {
    *error = trace->in.error;
    return false;
  }
  *batch = found.head;
  const struct reader_row *row = &trace->rows[i];
  batch->first = !i || row[-1].launch != row->launch || row[-1].group != row->group;
  return true;
}

bool trace_sizes(struct trace *trace, uint64_t *raw, uint64_t *stored) {
  *raw = *stored = 0;
  for (uint32_t i = 0; i < trace->in.blocks; i++) {
    struct block block;
    if (!block_read_header(&trace->in, trace->in.offsets[i], i, &block))
      return false;
    *raw += block.raw;
    *stored += BLOCK_HEADER + block.stored;
  }
  return true;
}

static int by_place(const void *a, const void *b) {
  const struct reader_row *const *x = a, *const *y = b;
  if ((*x)->block != (*y)->block)
    return (*x)->block < (*y)->block ? -1 : 1;
  return (*x)->place < (*y)->place ? -1 : (*x)->place > (*y)->place;
}

const uint32_t *trace_file_order(struct trace *trace) {
  if (trace->order || !trace->row_count)
    return trace->order;
  const struct reader_row **rows = need_more(NULL, trace->row_count, sizeof *rows);
  trace->order = need_more(NULL, trace->row_count, sizeof *trace->order);
  for (uint32_t i = 0; i < trace->row_count; i++)
    rows[i] = &trace->rows[i];
  qsort(rows, trace->row_count, sizeof *rows, by_place);
  for (uint32_t i = 0; i < trace->row_count; i++)
    trace->order[i] = (uint32_t)(rows[i] - trace->rows);
  free(rows);
  return trace->order;
}

bool trace_group_warps(struct trace *trace, uint32_t launch, uint32_t group, uint32_t *warps) {
  struct reader_batch batch;
  const uint32_t row = reader_find(trace, launch, group);
  if (row == trace->row_count || trace->rows[row].launch != launch || trace->rows[row].group != group ||
      !reader_load(trace, &trace->rows[row], &batch))
    return false;
  *warps = batch.head.warps;
  return true;
}
