#include "traces/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"

bool block_expected(struct block_reader *reader, uint64_t offset, const char *expected, const char *found, ...) {
  if (reader->failed)
    return false;
  char text[160];
  va_list arguments;
  va_start(arguments, found);
  vsnprintf(text, sizeof text, found, arguments);
  va_end(arguments);
  reader->failed = true;
  return message_fail(&reader->error, "%.200s: offset %llu: expected %.100s, found %s", reader->path,
                      (unsigned long long)offset, expected, text);
}

const char *block_type_text(uint32_t type, char text[16]) {
  bool letters = true;
  for (unsigned i = 0; i < 4; i++) {
    text[i] = (char)(type >> 8 * i & 0xff);
    letters = letters && text[i] >= ' ' && text[i] <= '~';
  }
  text[4] = 0;
  if (!letters)
    snprintf(text, 16, "type 0x%08x", (unsigned)type);
  return text;
}

/* Reads `size` bytes at `offset`, all of which must be in the file. */
static bool read_all(struct block_reader *reader, uint64_t offset, uint8_t *to, size_t size) {
  if (reader->memory && offset <= reader->size && size <= reader->size - offset) {
    memcpy(to, reader->memory + offset, size);
    return true;
  }
  while (size) {
    ssize_t got = pread(reader->file, to, size, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return block_expected(reader, offset, "bytes", "%s", got < 0 ? text_errno(errno) : "the end of the file");
    to += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

/* Names the format if it is another one of ours, with the command that converts it to a trace. Otherwise shows the
 * bytes. */
static bool expected_magic(struct block_reader *reader, const uint8_t *header) {
  const struct {
    const void *start;
    size_t size;
    const char *what;
  } others[] = {
      {trace_format.magic, sizeof trace_format.magic, "a trace"},
      {timeline_format.magic, sizeof timeline_format.magic, "a timeline"},
      {"wwtt", 4, "the text of a trace, which `warpwait trace convert` turns into a trace"},
  };
  const char *expected = reader->format->magic_text;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (memcmp(header, others[i].start, others[i].size) == 0)
      return block_expected(reader, 0, expected, "%s", others[i].what);
  return block_expected(reader, 0, expected, "%02x %02x %02x %02x %02x %02x %02x %02x", header[0], header[1], header[2],
                        header[3], header[4], header[5], header[6], header[7]);
}

static bool check_file_header(struct block_reader *reader) {
  uint8_t header[FILE_HEADER];
  if (reader->size < FILE_HEADER)
    return block_expected(reader, 0, reader->format->header, "a file of %llu", (unsigned long long)reader->size);
  if (!read_all(reader, 0, header, sizeof header))
    return false;
  if (memcmp(header, reader->format->magic, sizeof reader->format->magic) != 0)
    return expected_magic(reader, header);
  if (crc32(0, header, 12) != get32(header + 12))
    return block_expected(reader, 12, "the header's checksum", "another");
  if (get32(header + 8) != reader->format->version)
    return block_expected(reader, 8, reader->format->version_text, "version %u", (unsigned)get32(header + 8));
  return true;
}

static bool open_file(struct block_reader *reader, const char *path) {
  struct stat stat;
  reader->file = file_held(open(path, O_RDONLY | O_CLOEXEC));
  if (reader->file < 0 || fstat(reader->file, &stat) != 0 || !S_ISREG(stat.st_mode)) {
    const char *why = reader->file < 0 ? text_errno(errno) : "not a file with an end";
    reader->failed = true;
    return message_fail(&reader->error, "%.300s: cannot be read: %s", path, why);
  }
  reader->size = (uint64_t)stat.st_size;
  return true;
}

bool block_reader_open(struct block_reader *reader, const struct trace_place *place,
                       const struct block_format *format) {
  *reader = (struct block_reader){.file = -1, .path = need_copy(place->name), .format = format};
  if (place->bytes) {
    reader->memory = place->bytes;
    reader->size = place->size;
  }
  if (!place->bytes && !open_file(reader, place->name))
    return false;
  if (!check_file_header(reader))
    return false;
  reader->offsets = vector_room(NULL, &reader->blocks_room, 1, sizeof *reader->offsets);
  reader->offsets[0] = FILE_HEADER;
  return true;
}

void block_reader_close(struct block_reader *reader) {
  if (reader->file >= 0)
    file_close(reader->file);
  for (uint32_t i = 0; i < reader->meta_count; i++) {
    free(reader->metas[i].name);
    free(reader->metas[i].bytes.at);
  }
  free(reader->metas);
  free(reader->offsets);
  free(reader->path);
  free(reader->stored.at);
  *reader = (struct block_reader){.file = -1};
}

struct block_reader block_reader_share(const struct block_reader *reader) {
  return (struct block_reader){.file = reader->file,
                               .path = reader->path,
                               .memory = reader->memory,
                               .size = reader->size,
                               .format = reader->format,
                               .cut = reader->cut,
                               .offsets = reader->offsets,
                               .blocks = reader->blocks,
                               .metas = reader->metas,
                               .meta_count = reader->meta_count};
}

void block_reader_unshare(struct block_reader *reader) {
  free(reader->stored.at);
  *reader = (struct block_reader){.file = -1};
}

/* Whether the sizes in a header are possible. */
static bool check_sizes(struct block_reader *reader, uint64_t offset, struct block *block) {
  const uint64_t left = reader->size - offset - BLOCK_HEADER;
  block->cut = block->stored > left;
  if (block->cut && !(reader->cut && block->type == BLOCK_DATA))
    return block_expected(reader, offset + 16, "a payload inside the file", "%u bytes where %llu are left",
                          block->stored, (unsigned long long)left);
  if (block->method > BLOCK_DEFLATED)
    return block_expected(reader, offset + 8, "method 0 or 1", "%u", block->method);
  if (block->raw > BLOCK_MOST ||
      (block->method == BLOCK_STORED ? block->raw != block->stored : block->raw / BLOCK_INFLATES > block->stored))
    return block_expected(reader, offset + 12, "a possible size of the payload", "%u of %u stored bytes", block->raw,
                          block->stored);
  if (block->cut) {
    const uint64_t most = left * (block->method == BLOCK_STORED ? 1 : BLOCK_INFLATES);
    block->stored = (uint32_t)left;
    block->raw = block->raw < most ? block->raw : (uint32_t)most;
  }
  return true;
}

bool block_read_header(struct block_reader *reader, uint64_t offset, uint32_t number, struct block *block) {
  uint8_t header[BLOCK_HEADER];
  if (reader->size < BLOCK_HEADER || offset > reader->size - BLOCK_HEADER)
    return block_expected(reader, offset, "a block's header of 28 bytes", "the end of the file after %llu",
                          (unsigned long long)(offset < reader->size ? reader->size - offset : 0));
  if (!read_all(reader, offset, header, sizeof header))
    return false;
  const uint32_t crc = (uint32_t)crc32(0, header, 24);
  if (crc != get32(header + 24))
    return block_expected(reader, offset, "a block's header with the checksum of its bytes", "0x%08x instead of 0x%08x",
                          get32(header + 24), crc);
  *block = (struct block){(enum block_type)get32(header),
                          get32(header + 4),
                          get32(header + 8),
                          get32(header + 12),
                          get32(header + 16),
                          get32(header + 20),
                          false};
  if (block->number != number)
    return block_expected(reader, offset + 4, "the block's number", "%u instead of %u", block->number, number);
  return check_sizes(reader, offset, block);
}

bool block_peek_number(struct block_reader *reader, uint64_t offset, uint32_t *number) {
  uint8_t bytes[4];
  if (offset + BLOCK_HEADER > reader->size || !read_all(reader, offset + 4, bytes, sizeof bytes))
    return false;
  *number = get32(bytes);
  return true;
}

/* Inflates a cut payload as far as possible. Sets `*raw` to the number of bytes that it gives. */
static bool inflate_payload(const struct block *block, const uint8_t *from, uint8_t *to, size_t *raw) {
  z_stream zlib = {.next_in = (Bytef *)(uintptr_t)from,
                   .avail_in = block->stored,
                   .next_out = to,
                   .avail_out = block->raw,
                   .zalloc = block_zlib_alloc,
                   .zfree = block_zlib_free};
  const int begun = inflateInit(&zlib), end = begun == Z_OK ? inflate(&zlib, Z_SYNC_FLUSH) : begun;
  if (end == Z_MEM_ERROR)
    heap_out(heap_refused());
  *raw = zlib.total_out;
  inflateEnd(&zlib);
  return end == Z_STREAM_END || (block->cut && (end == Z_OK || end == Z_BUF_ERROR));
}

bool block_read_payload(struct block_reader *reader, uint64_t offset, const struct block *block, struct bytes *into) {
  struct bytes *stored = block->method == BLOCK_STORED ? into : &reader->stored;
  const uint64_t at = offset + BLOCK_HEADER;
  stored->size = into->size = 0;
  /* One more byte, so that the pointer is valid for an empty payload, and a zero can follow. */
  bytes_reserve(stored, block->stored + 1u);
  bytes_reserve(into, block->raw + 1u);
  if (!read_all(reader, at, stored->at, block->stored))
    return false;
  const uint32_t crc = (uint32_t)crc32(0, stored->at, (uInt)block->stored);
  if (crc != block->crc && !block->cut)
    return block_expected(reader, at, "a payload with the checksum in its header", "0x%08x instead of 0x%08x", crc,
                          block->crc);
  size_t raw = block->raw;
  if (block->method == BLOCK_DEFLATED &&
      (!inflate_payload(block, stored->at, into->at, &raw) || (raw != block->raw && !block->cut)))
    return block_expected(reader, at, "zlib data of the size in the header", "others");
  into->size = raw;
  into->at[into->size] = 0;
  return true;
}
