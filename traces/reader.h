/* An open trace, as reader.c, cache.c and warp.c share it. */
#ifndef TRACES_READER_H
#define TRACES_READER_H

#include "traces/block.h"

enum {
  READER_CACHE = 32 << 20, /* most bytes of inflated blocks that are kept */
};

struct reader_program {
  uint8_t *kinds;
  uint32_t count;
};

/* Where a batch is: number `place` in its block. */
struct reader_row {
  uint32_t launch, group, block, place;
};

/* The order of rows, for qsort(): by launch, group, block and place. */
int reader_by_group(const void *a, const void *b);

/* An inflated block of batches. */
struct reader_block {
  uint32_t number;
  uint64_t used; /* last use, as a value of trace.uses */
  struct bytes bytes;
  uint32_t *batch; /* offset of each batch */
  uint32_t batches;
};

struct trace {
  struct block_reader in;
  unsigned kinds; /* number of kinds in its schema */
  struct reader_program *programs;
  uint32_t program_count;
  struct trace_launch *launches;
  uint32_t launch_count;
  struct reader_row *rows; /* of batches, sorted by launch, group, block and place */
  uint32_t row_count;
  size_t rows_room;
  uint32_t *order;            /* row numbers sorted by block and place; NULL until requested */
  uint64_t operations;        /* total, from the end block */
  struct reader_block *cache; /* slots, of which `cache_count` are in use */
  uint32_t *slot;             /* the slot of each block; READER_NONE: not in the cache */
  uint32_t cache_count;
  size_t cache_room;
  size_t cache_bytes;
  uint64_t uses;
  bool shares; /* file and everything read at opening belong to another trace */
};

#define READER_NONE UINT32_MAX

/* A batch in its block. Its pieces are in the same order in the table and in the bytes. */
struct reader_batch {
  struct trace_batch head;
  uint32_t pieces, next; /* pieces left; the lowest warp that the next one can belong to */
  struct cursor table, bytes;
};

/* A piece of a stream: a warp's operations in one batch. */
struct reader_piece {
  uint32_t warp;
  uint64_t operations, size;
  const uint8_t *bytes;
};

/* Reads the head of the batch at the cursor and moves the cursor past the batch. Returns false if it is wrong. */
bool reader_batch(const struct trace *trace, struct cursor *cursor, struct reader_batch *batch);

/* The next piece of a batch. Returns false at the end. */
bool reader_piece(struct reader_batch *batch, struct reader_piece *piece);

/* Loads the batch of a row through the cache. Keeps the error and returns false if it cannot be read. */
bool reader_load(struct trace *trace, const struct reader_row *row, struct reader_batch *batch);

/* The first row of a group, or where it would be. */
uint32_t reader_find(const struct trace *trace, uint32_t launch, uint32_t group);

/* Begins the stream of a warp whose first piece is in the batch of row number `row`. See trace_warp_start(). */
bool reader_warp_start(struct trace_warp *warp, uint32_t launch, uint32_t group, uint32_t index, uint32_t row,
                       uint32_t *pc);

/* Whether the last piece of a warp has no bytes left, after all of its operations were decoded. */
bool reader_warp_end(struct trace_warp *warp);

/* Sets the first row whose batch may contain the warp's next piece. */
void reader_warp_skip(struct trace_warp *warp, uint32_t row);

/* Creates an empty cache for the blocks of the index. */
void reader_new_cache(struct trace *trace);
void reader_free_cache(struct trace *trace);

#endif
