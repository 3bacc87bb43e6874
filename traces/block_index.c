/* What files of blocks share beyond blocks: file headers, metas, the index, and scanning. */
#include "traces/block.h"
#include "traces/timeline_file.h"

#include <errno.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"

/* A byte that is not text, then line ends of two kinds: copying the file as text changes them, which is detected. */
const struct block_format trace_format = {
    .magic = {0x89, 'W', 'W', 'T', '\r', '\n', 0x1a, '\n'},
    .version = TRACE_VERSION,
    .header = "a trace's header of 16 bytes",
    .magic_text = "a trace (89 57 57 54 0d 0a 1a 0a)",
    .version_text = "version 1",
    .whole = "the end of a whole trace",
};
const struct block_format timeline_format = {
    .magic = {0x89, 'W', 'W', 'L', '\r', '\n', 0x1a, '\n'},
    .version = TIMELINE_VERSION,
    .header = "a timeline's header of 16 bytes",
    .magic_text = "a timeline (89 57 57 4c 0d 0a 1a 0a)",
    .version_text = "version 1",
    .whole = "the end of a whole timeline",
};

/* ---- writing -------------------------------------------------------------------------------- */

void block_write_meta(struct block_writer *writer, const char *name, const void *bytes, size_t size) {
  struct bytes meta = {0};
  const size_t length = strlen(name);
  bytes_varint(&meta, length);
  bytes_add(&meta, name, length);
  bytes_add(&meta, bytes, size);
  block_write(writer, BLOCK_META, meta.at, meta.size);
  free(meta.at);
}

/* Index blocks have up to BLOCK_INDEX_ROWS rows each. Each can be read by itself. */
void block_write_index(struct block_writer *writer) {
  const uint32_t count = writer->blocks;
  struct bytes bytes = {0};
  for (uint32_t i = 0; i < count && !writer->failed; i += BLOCK_INDEX_ROWS) {
    const uint32_t end = count - i < BLOCK_INDEX_ROWS ? count : i + BLOCK_INDEX_ROWS;
    bytes.size = 0;
    bytes_varint(&bytes, end - i);
    for (uint32_t row = i; row < end; row++) {
      bytes_varint(&bytes, writer->rows[row].type);
      bytes_varint(&bytes, writer->rows[row].stored);
    }
    block_write(writer, BLOCK_BLOCKS, bytes.at, bytes.size);
  }
  free(bytes.at);
}

bool block_writer_finish(struct block_writer *writer, struct message *error) {
  if (writer->file >= 0 && file_close(writer->file) != 0)
    block_write_failed(writer, text_errno(errno));
  writer->file = -1;
  if (writer->failed)
    *error = writer->error;
  return !writer->failed;
}

/* ---- reading -------------------------------------------------------------------------------- */

void block_read_add(struct block_reader *reader, uint64_t end) {
  reader->offsets = vector_room(reader->offsets, &reader->blocks_room, ++reader->blocks + 1u, sizeof *reader->offsets);
  reader->offsets[reader->blocks] = end;
}

bool block_read_meta(struct block_reader *reader, uint64_t offset, struct bytes *payload) {
  struct cursor cursor = {payload->at, payload->at + payload->size, false};
  const uint64_t length = cursor_varint(&cursor);
  const uint8_t *name = cursor_bytes(&cursor, length);
  if (!name || memchr(name, 0, (size_t)length))
    return block_expected(reader, offset, "a meta with a name", "none");
  reader->metas = need_more(reader->metas, reader->meta_count + 1, sizeof *reader->metas);
  reader->metas[reader->meta_count++] =
      (struct block_meta){need_bytes((const char *)name, (size_t)length), *payload, (size_t)(cursor.at - payload->at)};
  *payload = (struct bytes){0};
  return true;
}

const char *block_meta(const struct block_reader *reader, const char *name, size_t *size) {
  for (uint32_t i = reader->meta_count; i-- > 0;) {
    const struct block_meta *meta = &reader->metas[i];
    if (strcmp(meta->name, name) != 0)
      continue;
    if (size)
      *size = meta->bytes.size - meta->at;
    return (const char *)meta->bytes.at + meta->at;
  }
  return NULL;
}

/* In a whole file, the end block is at the end of the file, so its offset follows from the size. */
bool block_read_end(struct block_reader *reader, uint64_t *value, unsigned count) {
  const uint64_t size = BLOCK_HEADER + 8 * count;
  const uint64_t offset = reader->size > size + FILE_HEADER ? reader->size - size : FILE_HEADER;
  struct bytes payload = {0};
  struct block block;
  char text[16];
  if (!block_peek_number(reader, offset, &block.number) || !block_read_header(reader, offset, block.number, &block)) {
    reader->failed = false;
    return block_expected(reader, offset, reader->format->whole,
                          "something else; the file was cut off or not finished");
  }
  if (block.type != BLOCK_END || block.stored != 8 * count || block.raw != 8 * count)
    return block_expected(reader, offset, "a block of type end", "%s", block_type_text(block.type, text));
  const bool good = block_read_payload(reader, offset, &block, &payload);
  for (unsigned i = 0; good && i < count; i++)
    value[i] = get64(payload.at + 8 * i);
  free(payload.at);
  return good;
}

bool block_read_rows(struct block_reader *reader, uint64_t *offset, uint32_t number, enum block_type type,
                     struct bytes *payload, struct cursor *cursor, uint64_t *rows) {
  struct block block;
  char text[16];
  if (!block_read_header(reader, *offset, number, &block) || !block_read_payload(reader, *offset, &block, payload))
    return false;
  if (block.type != type)
    return block_expected(reader, *offset, "a block of the index", "%s", block_type_text(block.type, text));
  *cursor = (struct cursor){payload->at, payload->at + payload->size, false};
  *rows = cursor_varint(cursor);
  if (!*rows || *rows > BLOCK_INDEX_ROWS)
    return block_expected(reader, *offset, "1 to 65536 rows of the index", "%llu", (unsigned long long)*rows);
  *offset += BLOCK_HEADER + block.stored;
  return true;
}

bool block_bad_index(struct block_reader *reader, uint64_t offset) {
  return block_expected(reader, offset, "an index of the blocks before it", "another");
}

bool block_read_index(struct block_reader *reader, block_taker *take, void *self, uint64_t *offset, uint32_t *number,
                      uint64_t count) {
  const uint64_t index = *offset;
  struct bytes payload = {0}, other = {0};
  bool good = true;
  while (good && reader->blocks < count) {
    struct cursor cursor;
    uint64_t rows;
    good = block_read_rows(reader, offset, (*number)++, BLOCK_BLOCKS, &payload, &cursor, &rows);
    for (uint64_t i = 0; good && i < rows; i++) {
      const uint64_t type = cursor_varint(&cursor), stored = cursor_varint(&cursor),
                     at = reader->offsets[reader->blocks];
      struct block block;
      if (cursor.bad || stored > UINT32_MAX || at + BLOCK_HEADER + stored > index)
        good = block_bad_index(reader, *offset);
      else if (type != BLOCK_DATA)
        good = block_read_header(reader, at, reader->blocks, &block) &&
               block_read_payload(reader, at, &block, &other) &&
               ((block.type == type && block.stored == stored) || block_bad_index(reader, *offset)) &&
               take(self, at, block.type, &other);
      if (good)
        block_read_add(reader, at + BLOCK_HEADER + stored);
    }
    good = good && (cursor.at == cursor.end || block_bad_index(reader, *offset));
  }
  free(payload.at);
  free(other.at);
  return good &&
         ((reader->blocks == count && reader->offsets[reader->blocks] == index) || block_bad_index(reader, index));
}

/* Takes the block at `*offset` and moves *offset past it. */
static bool scan_block(struct block_reader *reader, block_taker *take, void *self, uint64_t *offset,
                       struct bytes *payload, bool *ended) {
  struct block block;
  if (!block_read_header(reader, *offset, reader->blocks, &block) ||
      !block_read_payload(reader, *offset, &block, payload) || !take(self, *offset, block.type, payload))
    return false;
  *ended = block.type == BLOCK_END;
  *offset += BLOCK_HEADER + block.stored;
  block_read_add(reader, *offset);
  return true;
}

/* Takes the block at which the scan stopped, if the file ends in it. Keeps the error that stopped the scan. */
static void scan_cut(struct block_reader *reader, block_taker *take, void *self, uint64_t offset,
                     struct bytes *payload) {
  const struct message error = reader->error;
  struct block block;
  reader->failed = false;
  reader->cut = true;
  reader->cut = block_read_header(reader, offset, reader->blocks, &block) && block.cut &&
                block_read_payload(reader, offset, &block, payload) && take(self, offset, block.type, payload);
  if (reader->cut)
    block_read_add(reader, offset + BLOCK_HEADER + block.stored);
  reader->failed = true;
  reader->error = error;
}

void block_scan(struct block_reader *reader, block_taker *take, void *self, bool cut) {
  struct bytes payload = {0};
  uint64_t offset = FILE_HEADER;
  bool ended = false;
  while (!ended && scan_block(reader, take, self, &offset, &payload, &ended))
    continue;
  if (!ended && cut)
    scan_cut(reader, take, self, offset, &payload);
  if (ended && offset < reader->size)
    block_expected(reader, offset, "nothing after the end", "%llu bytes", (unsigned long long)(reader->size - offset));
  free(payload.at);
}
