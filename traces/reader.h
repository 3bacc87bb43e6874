/* A trace that is open: what reader.c, cache.c and warp.c know of it. */
#ifndef TRACES_READER_H
#define TRACES_READER_H

#include "traces/block.h"

enum {
  READER_CACHE = 32 << 20, /* bytes of inflated blocks that are kept */
};

struct reader_program {
  uint8_t *kinds;
  uint32_t count;
};

/* Where a batch is: the `place`th of its block. */
struct reader_row {
  uint32_t launch, group, block, place;
};

/* The order of rows, for qsort(). */
int reader_by_group(const void *a, const void *b);

/* A block of batches, inflated. */
struct reader_block {
  uint32_t number;
  uint64_t used; /* when: the trace's count of uses */
  struct bytes bytes;
  uint32_t *batch; /* where each begins */
  uint32_t batches;
};

struct trace {
  struct block_reader in;
  unsigned kinds; /* that its schema has */
  struct reader_program *programs;
  uint32_t program_count;
  struct trace_launch *launches;
  uint32_t launch_count;
  struct reader_row *rows; /* of batches: by launch, group, block and place */
  uint32_t row_count, rows_room;
  uint32_t *order;            /* numbers of the rows by block and place, once they were asked for */
  uint64_t operations;        /* that the end counts */
  struct reader_block *cache; /* slots, `cache_count` of them in use */
  uint32_t *slot;             /* of each block, READER_NONE: not in the cache */
  uint32_t cache_count, cache_room;
  size_t cache_bytes;
  uint64_t uses;
  bool shares; /* the file, and what was read when it was opened, belong to another trace */
};

#define READER_NONE UINT32_MAX

/* A batch as its block has it: pieces follow one another in the table and in the bytes. */
struct reader_batch {
  struct trace_batch head;
  uint32_t pieces, next; /* that are left; the least warp that the next can be of */
  struct cursor table, bytes;
};

/* A piece of a stream. */
struct reader_piece {
  uint32_t warp;
  uint64_t operations, size;
  const uint8_t *bytes;
};

/* Reads the head of the batch at the cursor, and goes to its end. False when it is not right. */
bool reader_batch(const struct trace *trace, struct cursor *cursor, struct reader_batch *batch);

/* The next piece of a batch. False at the end. */
bool reader_piece(struct reader_batch *batch, struct reader_piece *piece);

/* The batch of a row, through the cache. False, with the error noted, when it cannot be read. */
bool reader_load(struct trace *trace, const struct reader_row *row, struct reader_batch *batch);

/* The first row of a group, or the one where it would be. */
uint32_t reader_find(const struct trace *trace, uint32_t launch, uint32_t group);

/* Begins the stream of a warp whose first piece is in the batch of row number `row`; see trace_warp_start(). */
bool reader_warp_start(struct trace_warp *warp, uint32_t launch, uint32_t group, uint32_t index, uint32_t row,
                       uint32_t *pc);

/* Whether nothing is left in the last piece of a warp whose operations have all been decoded. */
bool reader_warp_end(struct trace_warp *warp);

/* Says that the warp's next piece is in no batch before that of row number `row`. */
void reader_warp_skip(struct trace_warp *warp, uint32_t row);

/* An empty one, for the blocks that the index knows. False: out of memory. */
bool reader_new_cache(struct trace *trace);
void reader_free_cache(struct trace *trace);

#endif
