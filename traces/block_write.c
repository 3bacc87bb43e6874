#include "traces/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"

/* The level of zlib. On real runs, higher levels save a few percent and take twice the time. */
enum { LEVEL = 3 };

void block_write_failed(struct block_writer *writer, const char *what) {
  if (writer->failed)
    return;
  writer->failed = true;
  char place[40] = "";
  if (writer->offset)
    snprintf(place, sizeof place, ": offset %llu", (unsigned long long)writer->offset);
  message_fail(&writer->error, "%.300s%s: cannot be written: %s", writer->path, place, what);
}

static void put_into_sink(struct block_writer *writer, const uint8_t *from, size_t size) {
  struct message message = {""};
  if (writer->sink.write(writer->sink.self, (const char *)from, size, &message))
    writer->offset += size;
  else
    block_write_failed(writer, message.text);
}

static void put_all(struct block_writer *writer, const uint8_t *from, size_t size) {
  if (writer->sink.write && !writer->failed) {
    put_into_sink(writer, from, size);
    return;
  }
  while (size && !writer->failed) {
    ssize_t put = write(writer->file, from, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0) {
      block_write_failed(writer, put < 0 ? text_errno(errno) : "nothing can be written");
      return;
    }
    from += put;
    size -= (size_t)put;
    writer->offset += (uint64_t)put;
  }
}

static void put_file_header(struct block_writer *writer, const struct block_format *format) {
  uint8_t header[FILE_HEADER];
  memcpy(header, format->magic, sizeof format->magic);
  put32(header + 8, format->version);
  put32(header + 12, (uint32_t)crc32(0, header, 12));
  put_all(writer, header, sizeof header);
}

int block_create(const char *path, struct message *error) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    message_fail(error, "%.300s: cannot be written: %s", path, text_errno(errno));
  return file;
}

void *block_zlib_alloc(void *self, unsigned items, unsigned size) {
  (void)self;
  return calloc(items, size);
}

void block_zlib_free(void *self, void *block) {
  (void)self;
  free(block);
}

static void open_deflate(struct block_writer *writer) {
  writer->deflate = need(1, sizeof(z_stream));
  *(z_stream *)writer->deflate = (z_stream){.zalloc = block_zlib_alloc, .zfree = block_zlib_free};
  if (deflateInit(writer->deflate, LEVEL) != Z_OK)
    heap_out(heap_refused());
}

bool block_writer_open(struct block_writer *writer, const struct block_target *target,
                       const struct block_format *format, struct message *error) {
  *writer = (struct block_writer){.file = file_held(target->file), .path = need_copy(target->name)};
  if (target->sink)
    writer->sink = *target->sink;
  open_deflate(writer);
  put_file_header(writer, format);
  if (!writer->failed)
    return true;
  *error = writer->error;
  block_writer_close(writer);
  return false;
}

void block_writer_close(struct block_writer *writer) {
  if (writer->file >= 0 && file_close(writer->file) != 0)
    block_write_failed(writer, text_errno(errno));
  writer->file = -1;
  if (writer->deflate)
    deflateEnd(writer->deflate);
  free(writer->deflate);
  free(writer->buffer.at);
  free(writer->path);
  free(writer->rows);
  writer->deflate = writer->path = NULL;
  writer->rows = NULL;
  writer->buffer = (struct bytes){0};
}

/* Compresses the payload into the buffer behind the header. Returns its size, or 0 if it is not smaller. */
static size_t deflate_payload(struct block_writer *writer, const void *payload, size_t size) {
  z_stream *zlib = writer->deflate;
  deflateReset(zlib);
  zlib->next_in = (Bytef *)(uintptr_t)payload;
  zlib->avail_in = (uInt)size;
  zlib->next_out = writer->buffer.at + BLOCK_HEADER;
  zlib->avail_out = (uInt)size;
  return deflate(zlib, Z_FINISH) == Z_STREAM_END && zlib->total_out < size ? zlib->total_out : 0;
}

uint32_t block_write(struct block_writer *writer, enum block_type type, const void *payload, size_t size) {
  if (writer->failed)
    return 0;
  writer->buffer.size = 0;
  if (size > BLOCK_MOST) {
    block_write_failed(writer, "a block would be larger than 1 GiB");
    return 0;
  }
  bytes_reserve(&writer->buffer, BLOCK_HEADER + size);
  /* The end block is found from the end of the file, so its size must be fixed. */
  size_t stored = type != BLOCK_END && size ? deflate_payload(writer, payload, size) : 0;
  const uint32_t method = stored ? BLOCK_DEFLATED : BLOCK_STORED;
  uint8_t *header = writer->buffer.at;
  if (!stored && size)
    memcpy(header + BLOCK_HEADER, payload, size);
  stored = stored ? stored : size;
  put32(header, type);
  put32(header + 4, writer->blocks);
  put32(header + 8, method);
  put32(header + 12, (uint32_t)size);
  put32(header + 16, (uint32_t)stored);
  put32(header + 20, (uint32_t)crc32(0, header + BLOCK_HEADER, (uInt)stored));
  put32(header + 24, (uint32_t)crc32(0, header, 24));
  put_all(writer, header, BLOCK_HEADER + stored);
  *vector_next(writer->rows, writer->blocks, writer->rows_room) = (struct block_row){type, (uint32_t)stored};
  return (uint32_t)stored;
}
