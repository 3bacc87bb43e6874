#include "sim/base/need.h"
#include "traces/block.h"
#include "traces/timeline_code.h"
#include "traces/timeline_schema.h"

#include <stdio.h>

struct timeline_file {
  struct block_reader in;
  struct timeline_extent extent;
  struct timeline_decoder decoder;
  uint32_t block;       /* number of the next block */
  uint64_t offset;      /* of the current block */
  struct bytes payload; /* of the current block */
  struct cursor cursor; /* at its next batch */
};

static bool bad_batch(struct timeline_file *file) {
  return block_expected(&file->in, file->offset, "batches of events that the schema has", "another");
}

/* ---- blocks that are read when a timeline is opened ----------------------------------------- */

static bool take_schema(struct timeline_file *file, uint64_t offset, const struct bytes *payload) {
  char line[100];
  const char *fault = strlen((const char *)payload->at) == payload->size
                          ? timeline_schema_fault((const char *)payload->at, &file->decoder.layout, line)
                          : "a zero byte";
  return !fault || block_expected(&file->in, offset, "a schema that this version knows", "\"%s\"", fault);
}

static bool take_block(void *self, uint64_t offset, uint32_t type, struct bytes *payload) {
  struct timeline_file *file = self;
  if ((type == BLOCK_SCHEMA) != (file->in.blocks == 0))
    return block_expected(&file->in, offset, "the schema, and first", "another order of blocks");
  return type == BLOCK_SCHEMA ? take_schema(file, offset, payload)
         : type == BLOCK_META ? block_read_meta(&file->in, offset, payload)
                              : true;
}

/* ---- with the index, and without it --------------------------------------------------------- */

static bool read_whole(struct timeline_file *file) {
  uint64_t end[TIMELINE_END_BYTES / 8];
  struct block_reader *in = &file->in;
  if (!block_read_end(in, end, TIMELINE_END_BYTES / 8))
    return false;
  if (end[0] > in->size || end[1] > UINT32_MAX)
    return block_bad_index(in, in->size - TIMELINE_END_BYTES);
  uint64_t offset = end[0];
  uint32_t number = (uint32_t)end[1];
  file->extent = (struct timeline_extent){end[2], end[3], end[4]};
  return block_read_index(in, take_block, file, &offset, &number, end[1]) &&
         (offset == in->size - BLOCK_HEADER - TIMELINE_END_BYTES || block_bad_index(in, offset));
}

/* Adds all events of a block to the extent. */
static bool scan_data(struct timeline_file *file, uint64_t offset, const struct bytes *payload) {
  struct cursor cursor = {payload->at, payload->at + payload->size, false};
  struct timeline_extent extent = file->extent;
  file->offset = offset;
  while (cursor.at < cursor.end) {
    if (!timeline_decode_batch(&file->decoder, &cursor))
      return bad_batch(file);
    while (file->decoder.left) {
      struct timeline_event event;
      if (!timeline_decode(&file->decoder, &event))
        return bad_batch(file);
      timeline_extend(&extent, &event);
    }
  }
  file->extent = extent;
  return true;
}

static bool scan_block(void *self, uint64_t offset, uint32_t type, struct bytes *payload) {
  return take_block(self, offset, type, payload) && (type != BLOCK_DATA || scan_data(self, offset, payload));
}

/* ---- open and close ------------------------------------------------------------------------- */

bool timeline_is_one(const char *path) {
  uint8_t magic[sizeof timeline_format.magic];
  FILE *file = fopen(path, "rbe");
  const bool is = file && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                  memcmp(magic, timeline_format.magic, sizeof magic) == 0;
  if (file)
    fclose(file);
  return is;
}

struct timeline_file *timeline_open_file(const char *path, enum trace_open_mode mode, struct message *error) {
  return timeline_open_at(&(struct trace_place){.name = path}, mode, error);
}

struct timeline_file *timeline_open_at(const struct trace_place *place, enum trace_open_mode mode,
                                       struct message *error) {
  struct timeline_file *file = need(1, sizeof *file);
  bool good = block_reader_open(&file->in, place, &timeline_format);
  if (good && mode == TRACE_SALVAGE)
    block_scan(&file->in, scan_block, file, false);
  else if (good)
    good = read_whole(file);
  *error = file->in.error;
  if (!good) {
    timeline_close(file);
    return NULL;
  }
  file->in.failed = false;
  file->in.error = (struct message){""};
  timeline_rewind(file);
  return file;
}

void timeline_close(struct timeline_file *file) {
  if (!file)
    return;
  timeline_decoder_free(&file->decoder);
  block_reader_close(&file->in);
  free(file->payload.at);
  free(file);
}

/* ---- contents -------------------------------------------------------------------------- */

const char *timeline_meta(struct timeline_file *file, const char *name, size_t *size) {
  return block_meta(&file->in, name, size);
}

struct timeline_extent timeline_extent_of(const struct timeline_file *file) {
  return file->extent;
}

const struct message *timeline_failed(const struct timeline_file *file) {
  return file->in.failed ? &file->in.error : NULL;
}

void timeline_rewind(struct timeline_file *file) {
  file->block = 0;
  file->cursor = (struct cursor){0};
  file->decoder.left = 0;
}

/* Goes to the next data block. */
static bool next_block(struct timeline_file *file) {
  struct block header = {.type = BLOCK_END};
  do {
    if (file->block == file->in.blocks)
      return false;
    file->offset = file->in.offsets[file->block];
    if (!block_read_header(&file->in, file->offset, file->block++, &header))
      return false;
  } while (header.type != BLOCK_DATA);
  if (!block_read_payload(&file->in, file->offset, &header, &file->payload))
    return false;
  file->cursor = (struct cursor){file->payload.at, file->payload.at + file->payload.size, false};
  return true;
}

bool timeline_next(struct timeline_file *file, struct timeline_event *event) {
  if (file->in.failed)
    return false;
  while (!file->decoder.left) {
    while (file->cursor.at == file->cursor.end)
      if (!next_block(file))
        return false;
    if (!timeline_decode_batch(&file->decoder, &file->cursor))
      return bad_batch(file);
  }
  return timeline_decode(&file->decoder, event) || bad_batch(file);
}

/* Compares the end block with what was found without it. */
bool timeline_validate(const char *path, struct message *error) {
  struct timeline_file *found = timeline_open_file(path, TRACE_SALVAGE, error);
  if (!found)
    return false;
  struct timeline_file *whole = error->text[0] ? NULL : timeline_open_file(path, TRACE_WHOLE, error);
  if (whole && (whole->extent.events != found->extent.events || whole->extent.from != found->extent.from ||
                whole->extent.to != found->extent.to || whole->in.meta_count != found->in.meta_count))
    block_expected(&whole->in, whole->in.offsets[whole->in.blocks], "an index of what the blocks hold", "another");
  const bool good = whole && !whole->in.failed;
  if (whole)
    *error = whole->in.error;
  timeline_close(found);
  timeline_close(whole);
  return good;
}
