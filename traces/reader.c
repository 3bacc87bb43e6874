#include "traces/reader.h"

#include "traces/schema.h"
#include "traces/stream.h"

#include <stdio.h>

/* Room for one more; false, with the error noted, when there is none. */
static bool grow(struct trace *trace, void *array, uint32_t *room, uint32_t count, size_t size) {
  void *at;
  if (count < *room)
    return true;
  const uint32_t more = *room ? 2 * *room : 64;
  memcpy(&at, array, sizeof at);
  void *grown = realloc(at, more * size);
  if (!grown)
    return block_expected(&trace->in, 0, "memory for the index", "none");
  memcpy(array, &grown, sizeof grown);
  *room = more;
  return true;
}

/* ---- blocks that are read when a trace is opened -------------------------------------------- */

static bool take_schema(struct trace *trace, uint64_t offset, const struct bytes *payload) {
  char line[100];
  const char *fault = strlen((const char *)payload->at) == payload->size
                          ? schema_fault((const char *)payload->at, &trace->kinds, line)
                          : "a zero byte";
  return !fault || block_expected(&trace->in, offset, "a schema that this version knows", "\"%s\"", fault);
}

static bool take_meta(struct trace *trace, uint64_t offset, struct bytes *payload) {
  struct cursor cursor = {payload->at, payload->at + payload->size, false};
  const uint64_t length = cursor_varint(&cursor);
  const uint8_t *name = cursor_bytes(&cursor, length);
  if (!name || memchr(name, 0, length))
    return block_expected(&trace->in, offset, "a meta with a name", "none");
  struct reader_meta *metas = realloc(trace->metas, (trace->meta_count + 1) * sizeof *metas);
  trace->metas = metas ? metas : trace->metas;
  char *own = strndup((const char *)name, length);
  if (!metas || !own) {
    free(own);
    return block_expected(&trace->in, offset, "memory for a meta", "none");
  }
  metas[trace->meta_count++] = (struct reader_meta){own, *payload, (size_t)(cursor.at - payload->at)};
  *payload = (struct bytes){0};
  return true;
}

static bool take_program(struct trace *trace, uint64_t offset, struct bytes *payload) {
  for (size_t pc = 0; pc < payload->size; pc++)
    if (payload->at[pc] >= trace->kinds)
      return block_expected(&trace->in, offset, "kinds that the schema has", "kind %u at pc %zu", payload->at[pc], pc);
  struct reader_program *programs = realloc(trace->programs, (trace->program_count + 1) * sizeof *programs);
  if (!programs)
    return block_expected(&trace->in, offset, "memory for a program", "none");
  trace->programs = programs;
  programs[trace->program_count++] = (struct reader_program){payload->at, (uint32_t)payload->size};
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
  struct trace_launch *launches = realloc(trace->launches, (trace->launch_count + 1) * sizeof *launches);
  if (!launches)
    return block_expected(&trace->in, offset, "memory for a launch", "none");
  trace->launches = launches;
  launches[trace->launch_count++] =
      (struct trace_launch){(uint32_t)value[0], (uint32_t)value[1], (uint32_t)value[2], (uint32_t)value[3]};
  return true;
}

static bool take_block(struct trace *trace, uint64_t offset, uint32_t type, struct bytes *payload) {
  if ((type == BLOCK_SCHEMA) != (trace->blocks == 0))
    return block_expected(&trace->in, offset, "the schema, and first", "another order of blocks");
  switch (type) {
  case BLOCK_SCHEMA:
    return take_schema(trace, offset, payload);
  case BLOCK_META:
    return take_meta(trace, offset, payload);
  case BLOCK_PROGRAM:
    return take_program(trace, offset, payload);
  case BLOCK_LAUNCH:
    return take_launch(trace, offset, payload);
  default:
    return true;
  }
}

static bool add_block(struct trace *trace, uint64_t end) {
  if (!grow(trace, &trace->offsets, &trace->blocks_room, trace->blocks + 1, sizeof *trace->offsets))
    return false;
  trace->offsets[++trace->blocks] = end;
  return true;
}

static bool add_row(struct trace *trace, struct reader_row row) {
  if (!grow(trace, &trace->rows, &trace->rows_room, trace->row_count, sizeof *trace->rows))
    return false;
  trace->rows[trace->row_count++] = row;
  return true;
}

/* ---- by the index --------------------------------------------------------------------------- */

/* The end of a whole trace is the file's: found from there. */
static bool read_end(struct trace *trace, uint64_t value[4]) {
  struct block_reader *in = &trace->in;
  uint8_t bytes[BLOCK_HEADER + BLOCK_END_BYTES];
  const uint64_t offset = in->size > sizeof bytes + FILE_HEADER ? in->size - sizeof bytes : FILE_HEADER;
  struct bytes payload = {0};
  struct block block;
  char text[16];
  if (!block_peek_number(in, offset, &block.number) || !block_read_header(in, offset, block.number, &block)) {
    in->failed = false;
    return block_expected(in, offset, "the end of a whole trace", "something else: it was cut off, or not finished");
  }
  if (block.type != BLOCK_END || block.stored != BLOCK_END_BYTES || block.raw != BLOCK_END_BYTES)
    return block_expected(in, offset, "a block of type end", "%s", block_type_text(block.type, text));
  const bool good = block_read_payload(in, offset, &block, &payload);
  for (unsigned i = 0; good && i < 4; i++)
    value[i] = get64(payload.at + 8 * i);
  free(payload.at);
  return good;
}

/* A block of the index at `*offset`, which goes on behind it; the cursor is at its rows, `*rows` of them. */
static bool read_index(struct trace *trace, uint64_t *offset, uint32_t number, enum block_type type,
                       struct bytes *payload, struct cursor *cursor, uint64_t *rows) {
  struct block block;
  char text[16];
  if (!block_read_header(&trace->in, *offset, number, &block) ||
      !block_read_payload(&trace->in, *offset, &block, payload))
    return false;
  if (block.type != type)
    return block_expected(&trace->in, *offset, "a block of the index", "%s", block_type_text(block.type, text));
  *cursor = (struct cursor){payload->at, payload->at + payload->size, false};
  *rows = cursor_varint(cursor);
  if (!*rows || *rows > BLOCK_INDEX_ROWS)
    return block_expected(&trace->in, *offset, "1 to 65536 rows of the index", "%llu", (unsigned long long)*rows);
  *offset += BLOCK_HEADER + block.stored;
  return true;
}

static bool bad_index(struct trace *trace, uint64_t offset) {
  return block_expected(&trace->in, offset, "an index of the blocks before it", "another");
}

/* Reads the blocks that are not data as it comes past them. */
static bool read_blocks(struct trace *trace, uint64_t *offset, uint32_t *number, uint64_t count) {
  const uint64_t index = *offset;
  struct bytes payload = {0}, other = {0};
  bool good = true;
  while (good && trace->blocks < count) {
    struct cursor cursor;
    uint64_t rows;
    good = read_index(trace, offset, (*number)++, BLOCK_BLOCKS, &payload, &cursor, &rows);
    for (uint64_t i = 0; good && i < rows; i++) {
      const uint64_t type = cursor_varint(&cursor), stored = cursor_varint(&cursor), at = trace->offsets[trace->blocks];
      struct block block;
      if (cursor.bad || stored > UINT32_MAX || at + BLOCK_HEADER + stored > index)
        good = bad_index(trace, *offset);
      else if (type != BLOCK_DATA)
        good = block_read_header(&trace->in, at, trace->blocks, &block) &&
               block_read_payload(&trace->in, at, &block, &other) &&
               ((block.type == type && block.stored == stored) || bad_index(trace, *offset)) &&
               take_block(trace, at, block.type, &other);
      good = good && add_block(trace, at + BLOCK_HEADER + stored);
    }
    good = good && (cursor.at == cursor.end || bad_index(trace, *offset));
  }
  free(payload.at);
  free(other.at);
  return good && ((trace->blocks == count && trace->offsets[trace->blocks] == index) || bad_index(trace, index));
}

static bool read_batches(struct trace *trace, uint64_t *offset, uint32_t *number, uint64_t count) {
  struct bytes payload = {0};
  bool good = true;
  while (good && trace->row_count < count) {
    struct cursor cursor;
    struct reader_row row = {0};
    uint64_t rows;
    good = read_index(trace, offset, (*number)++, BLOCK_BATCHES, &payload, &cursor, &rows);
    for (uint64_t i = 0; good && i < rows; i++) {
      const uint64_t launch = cursor_varint(&cursor), group = cursor_varint(&cursor),
                     block = unzigzag(cursor_varint(&cursor)) + row.block, place = cursor_varint(&cursor);
      const uint64_t in_launch = launch ? group : group + row.group;
      if (cursor.bad || launch + row.launch >= trace->launch_count ||
          in_launch >= trace->launches[launch + row.launch].groups || block >= trace->blocks || place > UINT32_MAX)
        good = bad_index(trace, *offset);
      row = (struct reader_row){row.launch + (uint32_t)launch, (uint32_t)in_launch, (uint32_t)block, (uint32_t)place};
      good = good && add_row(trace, row);
    }
    good = good && (cursor.at == cursor.end || bad_index(trace, *offset));
  }
  free(payload.at);
  return good && (trace->row_count == count || bad_index(trace, *offset));
}

static bool read_whole(struct trace *trace) {
  uint64_t end[4];
  if (!read_end(trace, end))
    return false;
  if (end[0] > trace->in.size || end[1] > UINT32_MAX || end[2] > UINT32_MAX)
    return bad_index(trace, trace->in.size - BLOCK_END_BYTES);
  uint64_t offset = end[0];
  uint32_t number = (uint32_t)end[1];
  trace->operations = end[3];
  return read_blocks(trace, &offset, &number, end[1]) && read_batches(trace, &offset, &number, end[2]) &&
         (offset == trace->in.size - BLOCK_HEADER - BLOCK_END_BYTES || bad_index(trace, offset));
}

/* ---- without it ----------------------------------------------------------------------------- */

static int by_group(const void *a, const void *b) {
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
      trace->row_count = rows;
      return block_expected(&trace->in, offset, "batches of the trace's launches", "others, in batch %u of the block",
                            place);
    }
    if (!add_row(trace, (struct reader_row){batch.head.launch, batch.head.group, trace->blocks, place}))
      return false;
    trace->operations += batch.head.operations;
  }
  return true;
}

/* The block at `*offset`, which goes on behind it. */
static bool scan_block(struct trace *trace, uint64_t *offset, struct bytes *payload, bool *ended) {
  struct block block;
  if (!block_read_header(&trace->in, *offset, trace->blocks, &block) ||
      !block_read_payload(&trace->in, *offset, &block, payload) || !take_block(trace, *offset, block.type, payload) ||
      (block.type == BLOCK_DATA && !scan_data(trace, *offset, payload)))
    return false;
  *ended = block.type == BLOCK_END;
  *offset += BLOCK_HEADER + block.stored;
  return add_block(trace, *offset);
}

/* Block after block, up to the end or the first that is not right. */
static void scan(struct trace *trace) {
  struct bytes payload = {0};
  uint64_t offset = FILE_HEADER;
  bool ended = false;
  while (!ended && scan_block(trace, &offset, &payload, &ended))
    continue;
  if (ended && offset < trace->in.size)
    block_expected(&trace->in, offset, "nothing after the end", "%llu bytes",
                   (unsigned long long)(trace->in.size - offset));
  free(payload.at);
  if (trace->row_count)
    qsort(trace->rows, trace->row_count, sizeof *trace->rows, by_group);
}

/* ---- open and close ------------------------------------------------------------------------- */

static struct trace *fail(struct trace *trace, struct trace_error *error) {
  *error = trace->in.error;
  trace_close(trace);
  return NULL;
}

struct trace *trace_open(const char *path, enum trace_open_mode mode, struct trace_error *error) {
  struct trace *trace = calloc(1, sizeof *trace);
  *error = (struct trace_error){.text = "memory is out"};
  if (!trace)
    return NULL;
  if (!block_reader_open(&trace->in, path) ||
      !grow(trace, &trace->offsets, &trace->blocks_room, 0, sizeof *trace->offsets))
    return fail(trace, error);
  trace->offsets[0] = FILE_HEADER;
  if (mode == TRACE_SALVAGE)
    scan(trace);
  else if (!read_whole(trace))
    return fail(trace, error);
  *error = trace->in.error;
  trace->in.failed = false;
  trace->in.error = (struct trace_error){0};
  trace->slot = malloc((trace->blocks + 1u) * sizeof *trace->slot);
  if (!trace->slot) {
    block_expected(&trace->in, 0, "memory for the index", "none");
    return fail(trace, error);
  }
  memset(trace->slot, 0xff, (trace->blocks + 1u) * sizeof *trace->slot);
  return trace;
}

void trace_close(struct trace *trace) {
  if (!trace)
    return;
  reader_free_cache(trace);
  for (uint32_t i = 0; i < trace->meta_count; i++) {
    free(trace->metas[i].name);
    free(trace->metas[i].bytes.at);
  }
  for (uint32_t i = 0; i < trace->program_count; i++)
    free(trace->programs[i].kinds);
  free(trace->metas);
  free(trace->programs);
  free(trace->launches);
  free(trace->rows);
  free(trace->order);
  free(trace->offsets);
  block_reader_close(&trace->in);
  free(trace);
}

const struct trace_error *trace_failed(const struct trace *trace) { return trace->in.failed ? &trace->in.error : NULL; }

/* ---- what it holds -------------------------------------------------------------------------- */

const char *trace_meta(struct trace *trace, const char *name, size_t *size) {
  for (uint32_t i = trace->meta_count; i-- > 0;) {
    const struct reader_meta *meta = &trace->metas[i];
    if (strcmp(meta->name, name) != 0)
      continue;
    if (size)
      *size = meta->bytes.size - meta->at;
    return (const char *)meta->bytes.at + meta->at;
  }
  return NULL;
}

const char *trace_meta_name(const struct trace *trace, uint32_t i) {
  return i < trace->meta_count ? trace->metas[i].name : NULL;
}

uint32_t trace_programs(const struct trace *trace) { return trace->program_count; }

const uint8_t *trace_program(const struct trace *trace, uint32_t program, uint32_t *count) {
  *count = trace->programs[program].count;
  return trace->programs[program].kinds;
}

uint32_t trace_launches(const struct trace *trace) { return trace->launch_count; }

const struct trace_launch *trace_launch(const struct trace *trace, uint32_t launch) { return &trace->launches[launch]; }

uint32_t trace_batches(const struct trace *trace) { return trace->row_count; }

bool trace_batch(struct trace *trace, uint32_t i, struct trace_batch *batch, struct trace_error *error) {
  struct reader_batch found;
  if (!reader_load(trace, &trace->rows[i], &found)) {
    *error = trace->in.error;
    return false;
  }
  *batch = found.head;
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
  const struct reader_row **rows = malloc(trace->row_count * sizeof *rows);
  trace->order = malloc(trace->row_count * sizeof *trace->order);
  for (uint32_t i = 0; rows && i < trace->row_count; i++)
    rows[i] = &trace->rows[i];
  if (rows)
    qsort(rows, trace->row_count, sizeof *rows, by_place);
  for (uint32_t i = 0; rows && trace->order && i < trace->row_count; i++)
    trace->order[i] = (uint32_t)(rows[i] - trace->rows);
  if (!rows) {
    free(trace->order);
    trace->order = NULL;
  }
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
