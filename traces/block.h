/* The file as blocks: header, payload, checksums (docs/trace-format.md, file). */
#ifndef TRACES_BLOCK_H
#define TRACES_BLOCK_H

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

struct block {
  enum block_type type;
  uint32_t number, method, raw, stored, crc;
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

/* ---- writing: block_write.c ---------------------------------------------------------------------- */

struct block_writer {
  int file;
  char *path;
  uint64_t offset; /* bytes written */
  uint32_t blocks; /* of them */
  bool failed;
  struct trace_error error;
  struct bytes buffer;
  void *deflate; /* z_stream, between blocks ready for the next */
};

bool block_writer_open(struct block_writer *writer, const char *path, struct trace_error *error);
void block_writer_close(struct block_writer *writer);

/* Writes a block; returns its stored bytes. Does nothing after a failure. */
uint32_t block_write(struct block_writer *writer, enum block_type type, const void *payload, size_t size);

/* Notes the first failure, and what the system says of it. */
void block_write_failed(struct block_writer *writer, const char *what);

/* ---- reading: block_read.c ----------------------------------------------------------------------- */

struct block_reader {
  int file;
  char *path;
  uint64_t size;
  struct trace_error error;
  bool failed;
  struct bytes stored; /* payload, as in the file */
};

bool block_reader_open(struct block_reader *reader, const char *path);
void block_reader_close(struct block_reader *reader);

/* The header at `offset`, of which the block's number is known. False, with reader->error filled, when it is not right.
 */
bool block_read_header(struct block_reader *reader, uint64_t offset, uint32_t number, struct block *block);

/* What the header at `offset` says its number is. False when there is no room for one. */
bool block_peek_number(struct block_reader *reader, uint64_t offset, uint32_t *number);

/* Its payload, inflated, into `into` from its beginning on. */
bool block_read_payload(struct block_reader *reader, uint64_t offset, const struct block *block, struct bytes *into);

/* What is wrong: "PATH: offset N: expected E, found F". Only the first is kept. Returns false. */
bool block_expected(struct block_reader *reader, uint64_t offset, const char *expected, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* A type as text, for messages. */
const char *block_type_text(uint32_t type, char text[16]);

extern const uint8_t trace_magic[8];

#endif
