/* libFuzzer: a timeline with correct checksums and arbitrary blocks of data. The input is a list of blocks: two bytes
 * for the size, whose top bit makes it a meta, then the payload; schema, index and end are put around them. What can be
 * read must be events of the rows, read as a complete and as a damaged file. The meta `run` must have words for each of
 * them, and every export format must accept them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "tools/timeline/export.h"
#include "tools/timeline/run.h"
#include "traces/block.h"
#include "traces/timeline_code.h"
#include "traces/timeline_schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* SystemC, which writes waveforms, has its own main() that calls this function; libFuzzer's main() replaces it. */
int sc_main(int argc, char **argv);
int sc_main(int argc, char **argv) { return argc < 0 && argv; }

struct made {
  struct bytes file, rows;
  uint32_t number;
};

static void put_block(struct made *made, uint32_t type, const uint8_t *payload, uint32_t size) {
  uint8_t header[BLOCK_HEADER];
  put32(header, type);
  put32(header + 4, made->number++);
  put32(header + 8, BLOCK_STORED);
  put32(header + 12, size);
  put32(header + 16, size);
  put32(header + 20, (uint32_t)crc32(0, payload, size));
  put32(header + 24, (uint32_t)crc32(0, header, 24));
  bytes_add(&made->file, header, sizeof header);
  bytes_add(&made->file, payload, size);
  bytes_varint(&made->rows, type);
  bytes_varint(&made->rows, size);
}

/* Builds the file that the input describes. */
static struct bytes build(const uint8_t *data, size_t size) {
  struct made made = {.number = 0};
  struct bytes schema = {0}, index = {0};
  struct cursor cursor = {data, data + size, false};
  uint8_t header[FILE_HEADER], end[TIMELINE_END_BYTES] = {0};
  memcpy(header, timeline_format.magic, sizeof timeline_format.magic);
  put32(header + 8, timeline_format.version);
  put32(header + 12, (uint32_t)crc32(0, header, 12));
  bytes_add(&made.file, header, sizeof header);
  timeline_schema_write(&schema);
  put_block(&made, BLOCK_SCHEMA, schema.at, (uint32_t)schema.size);
  while (cursor.end - cursor.at >= 2) {
    const uint8_t *head = cursor_bytes(&cursor, 2);
    const uint32_t told = head[0] | (head[1] & 0x7fu) << 8, left = (uint32_t)(cursor.end - cursor.at);
    const uint32_t length = told < left ? told : left;
    put_block(&made, head[1] & 0x80 ? BLOCK_META : BLOCK_DATA, cursor_bytes(&cursor, length), length);
  }
  put64(end, made.file.size);
  put64(end + 8, made.number);
  bytes_varint(&index, made.number);
  bytes_add(&index, made.rows.at, made.rows.size);
  put_block(&made, BLOCK_BLOCKS, index.at, (uint32_t)index.size);
  put_block(&made, BLOCK_END, end, sizeof end);
  free(schema.at);
  free(index.at);
  free(made.rows.at);
  return made.file;
}

/* Formats what people read about an event. */
static void say(const struct timeline_run *run, const struct timeline_event *event) {
  char text[TIMELINE_VALUE];
  const struct timeline_code *code = timeline_code_of(run, event);
  size_t bytes = code ? strlen(code->file) + strlen(code->text) : 0;
  for (unsigned i = 0; i < timeline_kind_rows[event->kind].fields; i++)
    bytes += strlen(timeline_value(run, event, i, text));
  if (bytes > 1 << 20)
    abort();
}

static void read_all(const char *path, enum trace_open_mode mode) {
  struct message error;
  struct message message = {""};
  struct timeline_event event;
  struct timeline_run run;
  struct timeline_file *file = timeline_open_file(path, mode, &error);
  if (!file)
    return;
  const bool said = timeline_run_read(file, &run, &message);
  if (!said && !message.text[0])
    abort();
  while (timeline_next(file, &event)) {
    if (event.kind >= TIMELINE_KINDS || event.unit >= TIMELINE_UNITS || event.to < event.from)
      abort();
    if (said)
      say(&run, &event);
  }
  timeline_run_free(&run);
  if (mode == TRACE_SALVAGE && timeline_failed(file))
    abort();
  timeline_close(file);
}

/* Exports to each format. */
static void export(const char *path, enum trace_open_mode mode) {
  for (size_t i = 0; i < timeline_export_count; i++) {
    struct message error;
    struct message message = {""};
    struct timeline_file *file = timeline_open_file(path, mode, &error);
    FILE *nowhere = fopen("/dev/null", "w");
    if (file && !timeline_export_rows[i].write(file, "/dev/null", nowhere, &message) && !message.text[0])
      abort();
    if (file)
      timeline_close(file);
    fclose(nowhere);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = build(data, size);
  struct message error;
  char path[64];
  int file = memfd_create("timeline", 0);
  if (file < 0 || write(file, bytes.at, bytes.size) != (ssize_t)bytes.size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  read_all(path, TRACE_WHOLE);
  read_all(path, TRACE_SALVAGE);
  timeline_validate(path, &error);
  export(path, TRACE_WHOLE);
  export(path, TRACE_SALVAGE);
  close(file);
  free(bytes.at);
  return 0;
}
