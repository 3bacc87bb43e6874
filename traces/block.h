/* The file as blocks: header, payload, checksums (docs/trace-format.md, File). */
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
  BLOCK_END_BYTES = 32,       /* payload of the end block */
  BLOCK_MOST = 1 << 30,       /* most bytes of a raw payload */
  BLOCK_INFLATES = 1100,      /* zlib never compresses by a larger factor */
  BLOCK_INDEX_ROWS = 1 << 16, /* most rows of an index block */
};

/* A kind of file that consists of blocks: its magic and version, and texts for messages. */
struct block_format {
  uint8_t magic[8];
  uint32_t version;
  const char *header, *magic_text, *version_text, *whole;
};
extern const struct block_format trace_format, timeline_format;

struct block {
  enum block_type type;
  uint32_t number, method, raw, stored, crc;
  bool cut; /* the file ends in the payload: `stored` bytes are left, which inflate to at most `raw` */
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

/* Where blocks are written: an open file, which the writer takes over and closes; or, if `file` is -1, a sink. */
struct block_target {
  int file;
  const struct sink *sink;
  const char *name; /* for messages */
};

struct block_writer {
  int file;
  struct sink sink;
  char *path;
  uint64_t offset; /* bytes written so far */
  uint32_t blocks; /* blocks written so far */
  bool failed;
  struct message error;
  struct block_row *rows; /* of all blocks, for the index */
  size_t rows_room;
  struct bytes buffer;
  void *deflate; /* a z_stream, reused for every block */
};

/* Creates a file for writing. Returns a negative number and sets *error if that fails. */
int block_create(const char *path, struct message *error);

/* Takes over the target's descriptor, also on failure. */
bool block_writer_open(struct block_writer *writer, const struct block_target *target,
                       const struct block_format *format, struct message *error);
void block_writer_close(struct block_writer *writer);

/* Writes a block and returns its stored bytes. Does nothing after a failure. */
uint32_t block_write(struct block_writer *writer, enum block_type type, const void *payload, size_t size);

/* Keeps the first failure and the system's message about it. */
void block_write_failed(struct block_writer *writer, const char *what);

void block_write_meta(struct block_writer *writer, const char *name, const void *bytes, size_t size);

/* Writes the index of the blocks so far. */
void block_write_index(struct block_writer *writer);

/* Closes the file. Returns false and sets *error if this or anything before failed. */
bool block_writer_finish(struct block_writer *writer, struct message *error);

/* zalloc and zfree for zlib, so that its memory is also freed when an allocation fails (sim/base/heap.h). */
void *block_zlib_alloc(void *self, unsigned items, unsigned size);
void block_zlib_free(void *self, void *block);

/* ---- reading: block_read.c, block_index.c -------------------------------------------------------- */

struct block_meta {
  char *name;
  struct bytes bytes; /* the whole payload */
  size_t at;          /* where the meta's bytes begin in it */
};

struct block_reader {
  int file;
  const uint8_t *memory; /* instead of a file; owned by the caller */
  char *path;
  uint64_t size;
  const struct block_format *format;
  struct message error;
  bool failed;
  bool cut;          /* a data block may be cut */
  uint64_t *offsets; /* of each known block, and where the next would be */
  uint32_t blocks;
  size_t blocks_room;
  struct block_meta *metas;
  uint32_t meta_count;
  struct bytes stored; /* a payload as in the file */
};

bool block_reader_open(struct block_reader *reader, const struct trace_place *place, const struct block_format *format);
void block_reader_close(struct block_reader *reader);

/* A reader of the same file for another thread. It shares what has been read so far and has its own errors. One
 * descriptor serves all threads because pread() does not use the file position. */
struct block_reader block_reader_share(const struct block_reader *reader);
void block_reader_unshare(struct block_reader *reader);

/* Reads the header at `offset` of block `number`. Returns false and sets reader->error if it is wrong. */
bool block_read_header(struct block_reader *reader, uint64_t offset, uint32_t number, struct block *block);

/* The block number in the header at `offset`. Returns false if the file is too short for a header. */
bool block_peek_number(struct block_reader *reader, uint64_t offset, uint32_t *number);

/* Reads and inflates the block's payload into `into`. For a cut block, as much as there is; no checksum covers it. */
bool block_read_payload(struct block_reader *reader, uint64_t offset, const struct block *block, struct bytes *into);

/* Keeps the error "PATH: offset N: expected E, found F" unless there already is one. Returns false. */
bool block_expected(struct block_reader *reader, uint64_t offset, const char *expected, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* A block type as text, for messages. */
const char *block_type_text(uint32_t type, char text[16]);

/* Adds the next block, which ends at `end`. */
void block_read_add(struct block_reader *reader, uint64_t end);

/* block_read_meta() takes over a payload of type meta. block_meta() returns the bytes of a meta, or NULL. */
bool block_read_meta(struct block_reader *reader, uint64_t offset, struct bytes *payload);
const char *block_meta(const struct block_reader *reader, const char *name, size_t *size);

/* Called for a block when a file is opened. */
typedef bool block_taker(void *self, uint64_t offset, uint32_t type, struct bytes *payload);

/* Reads the `count` numbers of the end block, which must be the last bytes of the file. */
bool block_read_end(struct block_reader *reader, uint64_t *value, unsigned count);

/* Reads the index block at `*offset` and advances *offset past it. *cursor is at its rows; *rows is their number. */
bool block_read_rows(struct block_reader *reader, uint64_t *offset, uint32_t number, enum block_type type,
                     struct bytes *payload, struct cursor *cursor, uint64_t *rows);

/* Reads the index of `count` blocks. Calls `take` for each block that is not data. */
bool block_read_index(struct block_reader *reader, block_taker *take, void *self, uint64_t *offset, uint32_t *number,
                      uint64_t count);

/* Reads block after block up to the end or the first wrong one and calls `take` for each. With `cut`, `take` also gets
 * the rest of a data block in which the file ends; reader->cut is true then. */
void block_scan(struct block_reader *reader, block_taker *take, void *self, bool cut);

bool block_bad_index(struct block_reader *reader, uint64_t offset);

#endif
