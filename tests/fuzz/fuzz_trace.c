/* libFuzzer: a trace with correct checksums and arbitrary blocks. The input is a list of blocks: a byte for the type,
 * two for the size, the payload; the schema is prepended, and the end states where the index begins. What can be read
 * must have operations of the program and lanes of the warp, read as a complete and as a damaged file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "traces/block.h"
#include "traces/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_block(struct bytes *file, uint32_t *number, uint32_t type, const uint8_t *payload, uint32_t size) {
  uint8_t header[BLOCK_HEADER];
  put32(header, type);
  put32(header + 4, (*number)++);
  put32(header + 8, BLOCK_STORED);
  put32(header + 12, size);
  put32(header + 16, size);
  put32(header + 20, (uint32_t)crc32(0, payload, size));
  put32(header + 24, (uint32_t)crc32(0, header, 24));
  bytes_add(file, header, sizeof header);
  bytes_add(file, payload, size);
}

/* Builds the file that the input describes. */
static struct bytes build(const uint8_t *data, size_t size) {
  static const uint32_t types[] = {BLOCK_META,   BLOCK_PROGRAM, BLOCK_LAUNCH, BLOCK_DATA,
                                   BLOCK_BLOCKS, BLOCK_BATCHES, BLOCK_END,    BLOCK_SCHEMA};
  struct bytes file = {0}, schema = {0}, rows = {0}, made = {0};
  struct cursor cursor = {data, data + size, false};
  uint8_t header[FILE_HEADER], end[BLOCK_END_BYTES];
  uint32_t number = 0;
  uint64_t index = 0, blocks = 0;
  memcpy(header, trace_format.magic, sizeof trace_format.magic);
  put32(header + 8, trace_format.version);
  put32(header + 12, (uint32_t)crc32(0, header, 12));
  bytes_add(&file, header, sizeof header);
  schema_write(&schema);
  put_block(&file, &number, BLOCK_SCHEMA, schema.at, (uint32_t)schema.size);
  bytes_varint(&rows, BLOCK_SCHEMA);
  bytes_varint(&rows, schema.size);
  free(schema.at);
  while (cursor.end - cursor.at >= 3) {
    const uint8_t *head = cursor_bytes(&cursor, 3);
    const uint32_t type = types[head[0] % 8], told = head[1] | (uint32_t)head[2] << 8;
    const uint32_t left = (uint32_t)(cursor.end - cursor.at), length = told < left ? told : left;
    const uint8_t *payload = cursor_bytes(&cursor, length);
    uint32_t bytes = length;
    if (type == BLOCK_BLOCKS && !index) {
      index = file.size, blocks = number;
      if (!length) {
        bytes_varint(&made, number);
        bytes_add(&made, rows.at, rows.size);
        payload = made.at, bytes = (uint32_t)made.size;
      }
    }
    if (type == BLOCK_END && length == BLOCK_END_BYTES) {
      memcpy(end, payload, sizeof end);
      put64(end, index);
      put64(end + 8, blocks);
      payload = end;
    }
    put_block(&file, &number, type, payload, bytes);
    bytes_varint(&rows, type);
    bytes_varint(&rows, bytes);
  }
  free(rows.at);
  free(made.at);
  return file;
}

static void read_all(const char *path, enum trace_open_mode mode) {
  struct message error;
  struct trace *trace = trace_open(path, mode, &error);
  if (!trace)
    return;
  struct trace_warp *warp = trace_warp_new(trace);
  for (uint32_t launch = 0; launch < trace_launches(trace) && launch < 4; launch++)
    for (uint32_t group = 0; group < trace_launch(trace, launch)->groups && group < 4; group++)
      for (uint32_t i = 0; i < 4; i++) {
        const unsigned lanes = trace_launch(trace, launch)->lanes;
        uint64_t value[TRACE_LANES];
        struct trace_op op;
        uint32_t pc, left = 20000, count;
        if (!trace_warp_start(warp, launch, group, i, &pc))
          continue;
        trace_program(trace, trace_launch(trace, launch)->program, &count);
        for (; left && trace_decode(warp, &op); left--) {
          if (op.pc >= count || (lanes < 64 && op.mask >> lanes))
            abort();
          for (unsigned v = 0; trace_kind_rows[op.kind].vectors > v && trace_lanes(&op); v++)
            trace_spread(&op.vector[v], lanes, value);
        }
      }
  trace_warp_free(warp);
  trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = build(data, size);
  struct message error;
  char path[64];
  int file = memfd_create("trace", 0);
  if (file < 0 || write(file, bytes.at, bytes.size) != (ssize_t)bytes.size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  read_all(path, TRACE_WHOLE);
  read_all(path, TRACE_SALVAGE);
  trace_validate(path, &error);
  close(file);
  free(bytes.at);
  return 0;
}
