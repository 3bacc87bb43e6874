/* Traces: what the warps of a run did, in a file (.wwt) that is written during the run and read to replay it.
 *
 *   recorder ──operations──► encoder of a warp ──┐                                   ┌─► decoder of a warp ──► replayer
 *   recorder ──operations──► encoder of a warp ──┴─► batch of a group ─► blocks ─► file ─► blocks ─► pieces ┘
 *
 * A trace has *metas* (named bytes: the program, the machine, anything the recorder adds), programs (the kind of the
 * instruction at each pc, so that a reader need not know the instructions) and launches. For each warp of each
 * work-group of each launch it has a *stream* of operations. rows.def says what an operation contains.
 *
 * Streams. A warp's encoder keeps a context for each pc: the operation there at its last visit, and by how much its
 * stepping values had changed. From the context, encoder and decoder predict the next visit. Operations that match the
 * prediction only cost a count; others state which fields differ, and by how much. So a loop costs bytes only at its
 * beginning and end. Per-lane values are a *shape* (the lanes' offsets, mostly a multiple of the lane number) and a
 * base. A stream remembers its latest shapes; a shape that recurs costs one number.
 *
 * File. Blocks, each with a header and checksums of header and payload, compressed by zlib. The bytes of a group's
 * streams are collected until together they exceed TRACE_BATCH_BYTES or the group ends; this is a *batch*. Batches are
 * written in the order of (cycle, compute unit) in which they were closed. Index and end come last. A file without them
 * (killed run, full disk) is valid up to its last whole block. docs/trace-format.md documents every byte.
 *
 * Invariant: the decoder returns exactly what the encoder received, operation by operation. The bytes of the file
 * depend only on the operations and their cycles, not on the order in which compute units are stepped or on the
 * compiler. Checksums detect a changed byte before anything of its block is used; the decoder checks everything else
 * that a foreign writer may have put there. Writing and reading use memory for what is resident (TRACE_BATCH_BYTES per
 * group, contexts of the pcs that a warp visited recently), not for the length of the run. Only the index grows, by
 * some 16 bytes per batch.
 *
 * Threads: a writer or reader belongs to one thread. Another thread reads the same file with its own reader
 * (trace_share()).
 *
 * Not modeled: data (no byte of memory or register is kept), and the cycle in which an operation issued (only batches
 * have a start and an end). */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/message.h"
#include "sim/core/time.h"

enum {
  TRACE_MERGE_MOST = 64, /* traces that one call merges */
  TRACE_VERSION = 1,
  TRACE_LANES = 64,              /* the widest warp */
  TRACE_WARPS = 1 << 16,         /* most warps of a work-group */
  TRACE_VECTORS = 3,             /* most vectors of a kind */
  TRACE_FIELDS = 16,             /* most fields of a kind */
  TRACE_BATCH_BYTES = 16 << 10,  /* of a group's streams, before they become a batch */
  TRACE_BLOCK_BYTES = 128 << 10, /* of a block of batches, before compression */
};

/* Kinds of instructions: TRACE_ACCESS, ... */
enum trace_kind {
#define KIND(id, ...) TRACE_##id,
#include "traces/rows.def"
#undef KIND
  TRACE_KINDS
};

/* Indices in trace_op.field and .vector: TRACE_COPY_FORM, TRACE_PREFETCH_BYTES, ... */
#define FIELD(kind, id, ...) TRACE_##kind##_##id,
#define VECTOR(...)
#define KIND(id, name, text, fields, vectors) enum { fields TRACE_##id##_FIELDS };
#include "traces/rows.def"
#undef KIND
#undef VECTOR
#undef FIELD

#define FIELD(...)
#define VECTOR(kind, id, ...) TRACE_##kind##_##id,
#define KIND(id, name, text, fields, vectors) enum { vectors TRACE_##id##_VECTORS };
#include "traces/rows.def"
#undef KIND
#undef VECTOR
#undef FIELD

/* Bits of trace_op.flags: TRACE_DONE, ... */
enum trace_flag_bit {
#define FLAG(id, ...) TRACE_##id##_BIT,
#include "traces/rows.def"
#undef FLAG
  TRACE_FLAG_BITS
};
enum trace_flag {
#define FLAG(id, ...) TRACE_##id = 1 << TRACE_##id##_BIT,
#include "traces/rows.def"
#undef FLAG
};

enum trace_note_kind {
#define NOTE(id, ...) TRACE_NOTE_##id,
#include "traces/rows.def"
#undef NOTE
  TRACE_NOTE_KINDS
};

/* The rows, for messages and tools. */
struct trace_field_row {
  const char *name, *text;
  bool steps; /* its predictor is "step" */
};
struct trace_kind_row {
  const char *name, *text;
  unsigned fields, stepping, vectors;                                        /* counts; `stepping` of the fields step */
  struct trace_field_row field[TRACE_FIELDS + 1], vector[TRACE_VECTORS + 1]; /* an empty row ends them */
};
extern const struct trace_kind_row trace_kind_rows[TRACE_KINDS];
extern const char *const trace_flag_names[TRACE_FLAG_BITS];
extern const char *const trace_note_names[TRACE_NOTE_KINDS];

/* A number for each lane, modulo 2^64. Lane l has base + offset[l]; without offsets, base + l * stride. Lanes that do
 * not take part have no value, but offset[] is as long as the warp is wide. */
struct trace_vector {
  const uint64_t *offset;
  uint64_t base, stride;
};

/* Writes the values of lanes 0 to lanes - 1. */
void trace_spread(const struct trace_vector *vector, unsigned lanes, uint64_t *value);

enum { TRACE_NOTE_VALUES = 80 };

struct trace_note {
  enum trace_note_kind kind;
  uint32_t values;
  const uint64_t *value; /* TRACE_NOTE_VALUES at most */
  const char *text;      /* may be NULL, which reads back as "" */
};

/* An operation, as encoder input or decoder output. As input, values may be given directly: offset = the lanes' values,
 * and base = 0 or minus the value that they are relative to. As output, the pointers are valid until the next call on
 * the same trace. */
struct trace_op {
  uint32_t pc, next;
  uint64_t mask;
  enum trace_kind kind;  /* output only; the encoder knows it */
  uint32_t flags;        /* TRACE_DONE, ... */
  const uint64_t *field; /* the kind's fields; ignored or NULL if the mask is empty or there are none */
  struct trace_vector vector[TRACE_VECTORS]; /* the kind's vectors, for the lanes in mask and not in field[0] */
  uint32_t notes;
  const struct trace_note *note;
};

/* What every operation has. For an operation without fields and notes, this is everything. */
struct trace_common {
  uint32_t pc, next;
  uint64_t mask;
  uint8_t flags; /* TRACE_DONE, ... */
};

/* The lanes for which the vectors of an operation have values. Its kind must have vectors. */
static inline uint64_t trace_lanes(const struct trace_op *op) { return op->mask ? op->mask & ~op->field[0] : 0; }

/* A launch: warps of `lanes` lanes run a program, in `groups` work-groups of up to `warps`. */
struct trace_launch {
  uint32_t program;       /* number of the program, from 0 */
  uint32_t lanes;         /* 1 to TRACE_LANES */
  uint32_t groups, warps; /* TRACE_WARPS at most */
};

/* ---- writing ------------------------------------------------------------------------------------- */

struct trace_writer;
struct trace_group; /* a resident work-group's encoders */

struct sink;

/* Creates the file. Returns NULL and sets *error if that fails. Later write errors are kept for trace_writer_close(),
 * and everything after them is dropped. */
struct trace_writer *trace_writer_open(const char *path, struct message *error);

/* The same for an open file, which the writer takes over and closes. `name` is for messages. */
struct trace_writer *trace_writer_open_on(int file, const char *name, struct message *error);

/* The same for a sink (sim/base/caller.h), which must outlive the writer. It gets the bytes in order. */
struct trace_writer *trace_writer_open_sink(const struct sink *sink, const char *name, struct message *error);

/* Whether there has been no error so far, so that a long run can stop early when its disk is full. */
bool trace_writer_good(const struct trace_writer *writer);

/* A meta can be written at any time. If two have the same name, readers see the later one. */
void trace_write_meta(struct trace_writer *writer, const char *name, const void *bytes, size_t size);

/* Programs and launches are numbered from 0 in the order in which they are written. A launch must be written before its
 * first group begins. `kinds` contains enum trace_kind values. */
uint32_t trace_write_program(struct trace_writer *writer, const uint8_t *kinds, uint32_t count);
uint32_t trace_write_launch(struct trace_writer *writer, const struct trace_launch *launch);

/* A work-group of `warps` warps becomes resident on a compute unit. Its streams are empty. */
struct trace_group *trace_group_begin(struct trace_writer *writer, uint32_t launch, uint32_t group, uint32_t warps,
                                      uint32_t cu, cycle_t now);

/* The warp's first operation will be at `pc`. To be called once per warp, before its first operation. */
void trace_warp_begin(struct trace_group *group, uint32_t warp, uint32_t pc);

/* The warp's next operation, in cycle `now`, which never decreases within a compute unit. Its pc is `next` of the
 * previous operation. */
void trace_encode(struct trace_group *group, uint32_t warp, cycle_t now, const struct trace_op *op);

/* The group ends, and its memory is reused. */
void trace_group_end(struct trace_group *group, cycle_t now);

/* Nothing more will happen before cycle `now` on any compute unit: writes the batches that were kept for their
 * order. */
void trace_writer_settle(struct trace_writer *writer, cycle_t now);

/* Writes what is left (also groups that have not ended), index and end, and frees the writer. Returns false and sets
 * *error if this or an earlier write failed. */
bool trace_writer_close(struct trace_writer *writer, struct message *error);

/* Frees the writer without writing an index and an end, as if the run had been killed. */
void trace_writer_abandon(struct trace_writer *writer);

/* ---- reading ------------------------------------------------------------------------------------- */

struct trace;
struct trace_warp; /* a warp's decoder */

enum trace_open_mode {
  TRACE_WHOLE,   /* an incomplete trace is an error */
  TRACE_SALVAGE, /* reads the intact prefix of a damaged trace */
};

/* A file by its path, or bytes in memory with a name for messages. The bytes must exist while the trace is open. */
struct trace_place {
  const char *name;
  const void *bytes; /* NULL: the file of that name */
  size_t size;
};

/* Opens a trace. Returns NULL and sets *error if it is damaged or not a trace. Blocks of operations are checked when
 * they are read. With TRACE_SALVAGE all are checked at once, and *error says what made the rest unusable ("" if nothing
 * did). An error is one line with the path, the offset, what was expected and what was found. */
struct trace *trace_open(const char *path, enum trace_open_mode mode, struct message *error);
struct trace *trace_open_at(const struct trace_place *place, enum trace_open_mode mode, struct message *error);
void trace_close(struct trace *trace);

/* Creates another reader of the same file, for another thread. It shares what was read when the trace was opened, so
 * `trace` must stay open while the reader exists; it has its own errors and inflated blocks. Several threads may call
 * this at the same time, also while `trace` is read. */
struct trace *trace_share(const struct trace *trace);

/* Reads the whole file and decodes every stream. Returns false and sets *error if something is wrong. */
bool trace_validate(const char *path, struct message *error);

/* The same for the intact prefix of a trace that may be damaged. *damage says what made the rest unusable ("" if
 * nothing did). */
bool trace_validate_prefix(const char *path, struct message *damage, struct message *error);

/* The bytes of a meta, followed by a zero that *size does not count. `size` may be NULL. NULL if there is no such
 * meta. */
const char *trace_meta(struct trace *trace, const char *name, size_t *size);

/* The name of meta number `i`, in file order. NULL after the last. */
const char *trace_meta_name(const struct trace *trace, uint32_t i);

uint32_t trace_programs(const struct trace *trace);
const uint8_t *trace_program(const struct trace *trace, uint32_t program, uint32_t *count);
uint32_t trace_launches(const struct trace *trace);
const struct trace_launch *trace_launch(const struct trace *trace, uint32_t launch);

/* Batches, sorted by launch, work-group and position in the file: whose operations they contain, and from when. */
struct trace_batch {
  uint32_t launch, group, warps, cu;
  cycle_t from, to; /* cycles: when the group began or its previous batch was closed; when this one was */
  bool first, last; /* of its group */
  uint64_t operations;
};
uint32_t trace_batches(const struct trace *trace);
bool trace_batch(struct trace *trace, uint32_t i, struct trace_batch *batch, struct message *error);

/* The bytes of all known blocks: before compression, and in the file with their headers. Returns false if a header
 * cannot be read. */
bool trace_sizes(struct trace *trace, uint64_t *raw, uint64_t *stored);

/* The numbers of all batches in file order, which is the order of time. NULL: there are none. */
const uint32_t *trace_file_order(struct trace *trace);

/* Copies batch `i` of a trace as a batch of another launch and work-group, `later` cycles later, to compose traces from
 * parts of others. The writer's launch must have the same lanes and a program of the same kinds, and a group's batches
 * must be written in order. Returns false and sets *error if the batch cannot be read. */
bool trace_write_batch(struct trace_writer *writer, struct trace *from, uint32_t i, uint32_t launch, uint32_t group,
                       cycle_t later, struct message *error);

/* Whether the group ever began. *warps gets the number of its warps. */
bool trace_group_warps(struct trace *trace, uint32_t launch, uint32_t group, uint32_t *warps);

/* A decoder, which can be used for one warp after the other. */
struct trace_warp *trace_warp_new(struct trace *trace);
void trace_warp_free(struct trace_warp *warp);

/* Goes to the beginning of a stream. *pc is the pc of its first operation. Returns false if the trace does not contain
 * the stream (an intact prefix may not), or if it cannot be read; then trace_failed() has the error. */
bool trace_warp_start(struct trace_warp *warp, uint32_t launch, uint32_t group, uint32_t index, uint32_t *pc);

/* The next operation. Returns false at the end of the stream, and on an error. */
bool trace_decode(struct trace_warp *warp, struct trace_op *op);

/* The next operation if it has no fields and equals the previous one at its pc, as in a loop. Otherwise returns NULL,
 * and trace_decode() gets it. */
const struct trace_common *trace_decode_again(struct trace_warp *warp);

/* All operations of a trace, batch by batch in file order. The file is read once, however work-groups overlap in it.
 * Uses memory only for the groups that are resident at the same time. */
struct trace_walk;
struct trace_walk *trace_walk_new(struct trace *trace);
void trace_walk_free(struct trace_walk *walk);

/* A warp's operations in a batch. */
struct trace_piece {
  uint32_t launch, group, warp;
  uint64_t operations;
  struct trace_warp *decoder; /* all operations must be decoded before the next piece */
};

/* The next piece. Returns false at the end, and on an error. */
bool trace_walk_next(struct trace_walk *walk, struct trace_piece *piece);

/* The error that occurred while reading, or NULL. */
const struct message *trace_failed(const struct trace *trace);

#endif
