/* A cache of inflated blocks of batches. It keeps the most recently used ones. */
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/reader.h"

bool reader_batch(const struct trace *trace, struct cursor *cursor, struct reader_batch *batch) {
  uint64_t head[8], total = 0, warp = 0, operations = 0;
  for (unsigned i = 0; i < 8; i++)
    head[i] = cursor_varint(cursor);
  if (cursor->bad || head[0] >= trace->launch_count || head[1] >= trace->launches[head[0]].groups ||
      head[2] > trace->launches[head[0]].warps || head[3] > UINT32_MAX || head[4] >= NEVER ||
      head[5] >= NEVER - head[4] || head[6] > 1 || head[7] > head[2])
    return false;
  batch->pieces = (uint32_t)head[7];
  batch->next = 0;
  batch->table = *cursor;
  for (uint32_t i = 0; i < batch->pieces; i++) {
    warp += cursor_varint(cursor) + (i != 0);
    operations += cursor_varint(cursor);
    const uint64_t size = cursor_varint(cursor);
    total += size;
    if (cursor->bad || warp >= head[2] || total > (uint64_t)(cursor->end - cursor->at) || total < size)
      return false;
  }
  batch->bytes = (struct cursor){cursor->at, cursor->at + total, false};
  cursor->at += total;
  batch->head = (struct trace_batch){.launch = (uint32_t)head[0],
                                     .group = (uint32_t)head[1],
                                     .warps = (uint32_t)head[2],
                                     .cu = (uint32_t)head[3],
                                     .from = head[4],
                                     .to = head[4] + head[5],
                                     .last = head[6],
                                     .operations = operations};
  return true;
}

bool reader_piece(struct reader_batch *batch, struct reader_piece *piece) {
  if (!batch->pieces)
    return false;
  batch->pieces--;
  piece->warp = (uint32_t)cursor_varint(&batch->table) + batch->next;
  batch->next = piece->warp + 1;
  piece->operations = cursor_varint(&batch->table);
  piece->size = cursor_varint(&batch->table);
  piece->bytes = cursor_bytes(&batch->bytes, piece->size);
  return true;
}

/* ---- the cache ------------------------------------------------------------------------------ */

static void drop(struct trace *trace, uint32_t slot) {
  struct reader_block *block = &trace->cache[slot];
  trace->cache_bytes -= block->bytes.room;
  free(block->bytes.at);
  free(block->batch);
  trace->slot[block->number] = READER_NONE;
  *block = trace->cache[--trace->cache_count];
  if (slot < trace->cache_count)
    trace->slot[block->number] = slot;
}

static void drop_oldest(struct trace *trace) {
  uint32_t oldest = 0;
  for (uint32_t i = 1; i < trace->cache_count; i++)
    if (trace->cache[i].used < trace->cache[oldest].used)
      oldest = i;
  drop(trace, oldest);
}

void reader_new_cache(struct trace *trace) {
  trace->slot = need_more(NULL, trace->in.blocks + 1u, sizeof *trace->slot);
  memset(trace->slot, 0xff, (trace->in.blocks + 1u) * sizeof *trace->slot);
}

void reader_free_cache(struct trace *trace) {
  while (trace->cache_count)
    drop(trace, trace->cache_count - 1);
  free(trace->cache);
  free(trace->slot);
}

/* Finds where each batch of the block begins. */
static bool find_batches(struct trace *trace, struct reader_block *block, uint64_t offset, bool cut) {
  struct cursor cursor = {block->bytes.at, block->bytes.at + block->bytes.size, false};
  size_t room = 0;
  while (cursor.at < cursor.end) {
    struct reader_batch batch;
    *vector_next(block->batch, block->batches, room) = (uint32_t)(cursor.at - block->bytes.at);
    if (!reader_batch(trace, &cursor, &batch)) {
      block->batches--;
      return cut || block_expected(&trace->in, offset, "batches of the trace's launches",
                                   "others, in batch %u of the block", block->batches);
    }
  }
  return true;
}

static bool read_block(struct trace *trace, uint32_t number, struct reader_block *block) {
  const uint64_t offset = trace->in.offsets[number];
  struct block header;
  char text[16];
  *block = (struct reader_block){.number = number};
  if (!block_read_header(&trace->in, offset, number, &header))
    return false;
  if (header.type != BLOCK_DATA)
    return block_expected(&trace->in, offset, "a block of type data", "%s", block_type_text(header.type, text));
  if (block_read_payload(&trace->in, offset, &header, &block->bytes) && find_batches(trace, block, offset, header.cut))
    return true;
  free(block->bytes.at);
  free(block->batch);
  return false;
}

static const struct reader_block *load_block(struct trace *trace, uint32_t number) {
  if (trace->slot[number] == READER_NONE) {
    while (trace->cache_count && trace->cache_bytes > READER_CACHE)
      drop_oldest(trace);
    trace->cache = vector_room(trace->cache, &trace->cache_room, trace->cache_count + 1u, sizeof *trace->cache);
    if (!read_block(trace, number, &trace->cache[trace->cache_count]))
      return NULL;
    trace->slot[number] = trace->cache_count++;
    trace->cache_bytes += trace->cache[trace->slot[number]].bytes.room;
  }
  struct reader_block *block = &trace->cache[trace->slot[number]];
  block->used = ++trace->uses;
  return block;
}

bool reader_load(struct trace *trace, const struct reader_row *row, struct reader_batch *batch) {
  const struct reader_block *block = load_block(trace, row->block);
  if (!block)
    return false;
  const uint64_t offset = trace->in.offsets[row->block];
  if (row->place >= block->batches)
    return block_expected(&trace->in, offset, "as many batches as the index says", "%u", block->batches);
  struct cursor cursor = {block->bytes.at + block->batch[row->place], block->bytes.at + block->bytes.size, false};
  reader_batch(trace, &cursor, batch);
  if (batch->head.launch != row->launch || batch->head.group != row->group)
    return block_expected(&trace->in, offset, "the work-group that the index says", "group %u of launch %u",
                          batch->head.group, batch->head.launch);
  return true;
}

uint32_t reader_find(const struct trace *trace, uint32_t launch, uint32_t group) {
  uint32_t low = 0, high = trace->row_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct reader_row *row = &trace->rows[middle];
    if (row->launch < launch || (row->launch == launch && row->group < group))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
