/* The file as blocks: header, payload, checksums (docs/trace-format.md, file). */
#ifndef TRACES_BLOCK_H
#define TRACES_BLOCK_H

#include "sim/base/caller.h"
#include "traces/bytes.h"
#include "traces/trace.h"

/* Types are four characters, little-endian. */
#define BLOCK_TYPE(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum block_type {
  BLOCK_SCHEMA = BLOCK_TYPE('s', 'c', 'h', 'm'),
  BLOCK_META = BLOCK_TYPE('m', 'e', 't', 'a'),
  BLOCK_PROGRAM = BLOCK_TYPE('p', 'r', 'o', 'g'),
  BLOCK_LAUNCH = BLOCK_TYPE('l', 'n', 'c', 'h'),
  BLOCK_DATA = BLOCK_TYPE('d', 'a', 't', 'a'),
  BLOCK_BLOCKS = BLOCK_TYPE('b', 'l', 'k', 's'),  /* index: the blocks */
  BLOCK_BATCHES = BLOCK_TYPE('b', 't', 'c', 'h'), /* index: the batches */
  BLOCK_END = BLOCK_TYPE('e', 'n', 'd', ' '),
};

enum block_method { BLOCK_STORED, BLOCK_DEFLATED };

enum {
  FILE_HEADER = 16,
  BLOCK_HEADER = 28,
  BLOCK_END_BYTES = 32,       /* payload of the end */
  BLOCK_MOST = 1 << 30,       /* bytes of a payload, raw */
  BLOCK_INFLATES = 1100,      /* no payload of zlib's grows by more */
  BLOCK_INDEX_ROWS = 1 << 16, /* of a block of the index */
};

/* A kind of file that is made of blocks: how it begins, and what messages say of it. */
struct block_format {
  uint8_t magic[8];
  uint32_t version;
  const char *header, *magic_text, *version_text, *whole;
};
extern const struct block_format trace_format, timeline_format;

struct block {
  enum block_type type;
  uint32_t number, method, raw, stored, crc;
  bool cut; /* the file ends in the payload: `stored` bytes are left of it, and at most `raw` come of them */
};

static inline void put32(uint8_t *to, uint32_t value) {
  for (unsigned i = 0; i < 4; i++)
    to[i] = (uint8_t)(value >> 8 * i);
}
static inline void put64(uint8_t *to, uint64_t value) {
  put32(to, (uint32_t)value);
  put32(to + 4, (uint32_t)(value >> 32));
}
static inline uint32_t get32(const uint8_t *from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}
static inline uint64_t get64(const uint8_t *from) { return get32(from) | (uint64_t)get32(from + 4) << 32; }

/* ---- writing: block_write.c, block_index.c ------------------------------------------------------- */

struct block_row {
  uint32_t type, stored;
};

/* Where blocks go: a file that is open, which whoever opens a writer on it takes and closes; or with -1 there, a sink.
 */
struct block_target {
  int file;
  const struct sink *sink;
  const char *name; /* for errors */
};
void block_target_close(const struct block_target *target);

struct block_writer {
  int file;
  struct sink sink;
  char *path;
  uint64_t offset; /* bytes written */
  uint32_t blocks; /* of them */
  bool failed;
  struct trace_error error;
  struct block_row *rows; /* of all blocks, for the index */
  size_t rows_room;
  struct bytes buffer;
  void *deflate; /* z_stream, between blocks ready for the next */
};

/* Creates a file to write to; negative with *error filled when it cannot be. */
int block_create(const char *path, struct trace_error *error);

/* Takes the target's descriptor, whatever comes back. */
bool block_writer_open(struct block_writer *writer, const struct block_target *target,
                       const struct block_format *format, struct trace_error *error);
void block_writer_close(struct block_writer *writer);

/* Writes a block; returns its stored bytes. Does nothing after a failure. */
uint32_t block_write(struct block_writer *writer, enum block_type type, const void *payload, size_t size);

/* Notes the first failure, and what the system says of it. */
void block_write_failed(struct block_writer *writer, const char *what);

/* Room for one more of `count` things at the pointer that `array` leads to; false, with the failure noted, when there
 * is none. */
bool block_write_grow(struct block_writer *writer, void *array, size_t *room, size_t count, size_t size);

void block_write_meta(struct block_writer *writer, const char *name, const void *bytes, size_t size);

/* The index of the blocks so far. */
void block_write_index(struct block_writer *writer);

/* Closes the file. False, with *error filled, when this or anything before went wrong. */
bool block_writer_finish(struct block_writer *writer, struct trace_error *error);

/* zlib takes its memory as we do, so that it is free again when that runs out (sim/base/heap.h): zalloc and zfree. */
void *block_zlib_alloc(void *self, unsigned items, unsigned size);
void block_zlib_free(void *self, void *block);

/* ---- reading: block_read.c, block_index.c -------------------------------------------------------- */

struct block_meta {
  char *name;
  struct bytes bytes; /* of the whole payload */
  size_t at;          /* where the meta's own begin */
};

struct block_reader {
  int file;
  const uint8_t *memory; /* the bytes of what is no file, which the caller keeps; else NULL */
  char *path;
  uint64_t size;
  const struct block_format *format;
  struct trace_error error;
  bool failed;
  bool cut;          /* a block of data may be cut */
  uint64_t *offsets; /* of each block that is known, and of where the next would be */
  uint32_t blocks, blocks_room;
  struct block_meta *metas;
  uint32_t meta_count;
  struct bytes stored; /* payload, as in the file */
};

bool block_reader_open(struct block_reader *reader, const struct trace_place *place, const struct block_format *format);
void block_reader_close(struct block_reader *reader);

/* A reader of the same file for another thread: it shares what was read until now, and has its own failures. pread()
 * knows no position in the file, so that one descriptor serves all. */
struct block_reader block_reader_share(const struct block_reader *reader);
void block_reader_unshare(struct block_reader *reader);

/* The header at `offset`, of which the block's number is known. False with reader->error filled: it is not right. */
bool block_read_header(struct block_reader *reader, uint64_t offset, uint32_t number, struct block *block);

/* What the header at `offset` says its number is. False when there is no room for one. */
bool block_peek_number(struct block_reader *reader, uint64_t offset, uint32_t *number);

/* Its payload, inflated, into `into` from its beginning on; of a cut one what is left, which no checksum covers. */
bool block_read_payload(struct block_reader *reader, uint64_t offset, const struct block *block, struct bytes *into);

/* What is wrong: "PATH: offset N: expected E, found F". Only the first is kept. Returns false. */
bool block_expected(struct block_reader *reader, uint64_t offset, const char *expected, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* A type as text, for messages. */
const char *block_type_text(uint32_t type, char text[16]);

/* Room for one more, as block_write_grow(). */
bool block_read_grow(struct block_reader *reader, void *array, uint32_t *room, uint32_t count, size_t size);

/* Notes that the next block ends at `end`. */
bool block_read_add(struct block_reader *reader, uint64_t end);

/* A payload of type meta, which is thereby taken; and a meta's bytes, NULL when there is none of this name. */
bool block_read_meta(struct block_reader *reader, uint64_t offset, struct bytes *payload);
const char *block_meta(const struct block_reader *reader, const char *name, size_t *size);

/* What is done with a block when a file is opened. */
typedef bool block_taker(void *self, uint64_t offset, uint32_t type, struct bytes *payload);

/* The `count` numbers in the end, which a whole file has as its last bytes. */
bool block_read_end(struct block_reader *reader, uint64_t *value, unsigned count);

/* A block of the index at `*offset`, which goes on behind it; the cursor is at its rows, `*rows` of them. */
bool block_read_rows(struct block_reader *reader, uint64_t *offset, uint32_t number, enum block_type type,
                     struct bytes *payload, struct cursor *cursor, uint64_t *rows);

/* The index of `count` blocks: `take` gets those that are not data as it comes past them. */
bool block_read_index(struct block_reader *reader, block_taker *take, void *self, uint64_t *offset, uint32_t *number,
                      uint64_t count);

/* Block after block, all of which `take` gets, up to the end or the first that is not right. With `cut`, `take` also
 * gets what is left of a block of data that the file ends in; reader->cut says so. */
void block_scan(struct block_reader *reader, block_taker *take, void *self, bool cut);

bool block_bad_index(struct block_reader *reader, uint64_t offset);

#endif
