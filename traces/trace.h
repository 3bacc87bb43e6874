/* Traces: what the warps of a run did, in a file (.wwt) that is written while they run and read when they run again.
 *
 *   recorder ──operations──► encoder of a warp ──┐                                   ┌─► decoder of a warp ──► replayer
 *   recorder ──operations──► encoder of a warp ──┴─► batch of a group ─► blocks ─► file ─► blocks ─► pieces ┘
 *
 * A trace has *metas* (named bytes: the program, the machine, whatever who records wants to say), programs (the kind of
 * the instruction at each pc, so that operations can be read without knowing the instructions), launches, and for each
 * warp of each work-group of each launch a *stream* of operations. rows.def says what an operation holds.
 *
 * Streams. A warp's encoder keeps a context for each pc: what the operation there held at its last visit, and by how
 * much the values that move had moved. From that, both encoder and decoder predict the next visit. Operations that are
 * just as predicted cost nothing but a count; others say which fields differ, and by how much. A loop therefore costs
 * bytes where it begins and ends. Per-lane values are a *shape* (the lanes' offsets, mostly a multiple of the lane's
 * number) and a base; a stream remembers its last shapes, so that a shape costs a number when it comes back.
 *
 * File. Blocks, each with a header and checksums over header and payload, compressed by zlib. The bytes of a group's
 * streams are kept until together they exceed TRACE_BATCH_BYTES or the group ends: a *batch*. Batches are written in
 * the order of (cycle, compute unit) in which they were closed. Index and end come last; a file without them (a killed
 * run, a full disk) is good up to its last whole block. docs/trace-format.md has every byte.
 *
 * Invariant: what the decoder hands out is what the encoder took, operation by operation, and the file's bytes depend
 * on the operations and their cycles only: not on the order in which compute units are stepped, not on the compiler. A
 * byte of the file that has changed is found by a checksum before anything of its block is used; what a writer of
 * another make may have put there is checked by the decoder. Memory is bounded both ways: by what is resident
 * (TRACE_BATCH_BYTES a group, contexts of the pcs that a warp has visited lately), not by the length of the run; the
 * index alone grows, by some 16 bytes a batch.
 *
 * Threads: a writer or reader is one thread's; another thread reads the same file with a reader of its own
 * (trace_share()).
 *
 * Not modelled: data (no byte of memory or register is kept), and when an operation issued (batches say from when to
 * when they reach). */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/time.h"

enum {
  TRACE_VERSION = 1,
  TRACE_LANES = 64,              /* the widest warp */
  TRACE_WARPS = 1 << 16,         /* of a work-group, at most */
  TRACE_VECTORS = 3,             /* vectors that a kind may have */
  TRACE_FIELDS = 16,             /* fields that a kind may have */
  TRACE_BATCH_BYTES = 16 << 10,  /* of a group's streams, before they are handed on */
  TRACE_BLOCK_BYTES = 128 << 10, /* of a block of them, before compression */
};

/* Kinds of instructions: TRACE_ACCESS, ... */
enum trace_kind {
#define KIND(id, ...) TRACE_##id,
#include "traces/rows.def"
#undef KIND
  TRACE_KINDS
};

/* Places in trace_op.field and .vector: TRACE_COPY_FORM, TRACE_PREFETCH_BYTES, ... */
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
  bool steps; /* predictor "step" */
};
struct trace_kind_row {
  const char *name, *text;
  unsigned fields, stepping, vectors;                                        /* how many; `stepping` of the fields */
  struct trace_field_row field[TRACE_FIELDS + 1], vector[TRACE_VECTORS + 1]; /* an empty row ends them */
};
extern const struct trace_kind_row trace_kind_rows[TRACE_KINDS];
extern const char *const trace_flag_names[TRACE_FLAG_BITS];
extern const char *const trace_note_names[TRACE_NOTE_KINDS];

/* A number for each lane: lane l has base + offset[l], or, without offsets, base + l * stride; modulo 2^64. Lanes that
 * take no part have no value (but offset[] is as long as the warp is wide). */
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

/* An operation, going in or coming out. Going in, values may be given as they are: offset = the lanes' values and base
 * = 0, or minus what they are relative to. Coming out, what pointers lead to is good until the next call on the same
 * trace. */
struct trace_op {
  uint32_t pc, next;
  uint64_t mask;
  enum trace_kind kind;  /* coming out; going in it is known */
  uint32_t flags;        /* TRACE_DONE, ... */
  const uint64_t *field; /* of its kind; not looked at, or NULL, when the mask is empty or there are none */
  struct trace_vector vector[TRACE_VECTORS]; /* of its kind; of the lanes in mask and not in field[0] */
  uint32_t notes;
  const struct trace_note *note;
};

/* What every operation has: all of those without fields, if they have no notes. */
struct trace_common {
  uint32_t pc, next;
  uint64_t mask;
  uint8_t flags; /* TRACE_DONE, ... */
};

/* The lanes whose values the vectors of an operation hold; its kind has some. */
static inline uint64_t trace_lanes(const struct trace_op *op) { return op->mask ? op->mask & ~op->field[0] : 0; }

/* What is wrong with a file, and where: one line with the path, the offset, what was expected and what was found. */
struct trace_error {
  uint64_t offset;
  char text[512];
};

/* A launch: warps of `lanes` lanes run a program, in `groups` work-groups of up to `warps`. */
struct trace_launch {
  uint32_t program;       /* which of the trace's, from 0 */
  uint32_t lanes;         /* 1 to TRACE_LANES */
  uint32_t groups, warps; /* TRACE_WARPS at most */
};

/* ---- writing ------------------------------------------------------------------------------------- */

struct trace_writer;
struct trace_group; /* a resident work-group's encoders */

struct sink;

/* Creates the file. NULL, with *error filled, when it cannot be. After that a failure to write is kept for
 * trace_writer_close(), and what follows it is dropped. */
struct trace_writer *trace_writer_open(const char *path, struct trace_error *error);

/* The same into a file that is open, which it takes and closes; errors call it by the name. */
struct trace_writer *trace_writer_open_on(int file, const char *name, struct trace_error *error);

/* The same into a sink (sim/base/caller.h), which outlives the writer and gets the bytes from first to last. */
struct trace_writer *trace_writer_open_sink(const struct sink *sink, const char *name, struct trace_error *error);

/* Whether all went well until now, so that a long run can end early when its disk is full. */
bool trace_writer_good(const struct trace_writer *writer);

/* A meta may come at any time; of two with one name readers see the last. */
void trace_write_meta(struct trace_writer *writer, const char *name, const void *bytes, size_t size);

/* Programs and launches are numbered from 0 in the order in which they are written. A launch must be written before its
 * first group begins. `kinds` are enum trace_kind. */
uint32_t trace_write_program(struct trace_writer *writer, const uint8_t *kinds, uint32_t count);
uint32_t trace_write_launch(struct trace_writer *writer, const struct trace_launch *launch);

/* A work-group of `warps` warps becomes resident on a compute unit; its streams are empty. NULL: out of memory. */
struct trace_group *trace_group_begin(struct trace_writer *writer, uint32_t launch, uint32_t group, uint32_t warps,
                                      uint32_t cu, cycle_t now);

/* The warp's first operation will be at `pc`. Once a warp, before its first operation. */
void trace_warp_begin(struct trace_group *group, uint32_t warp, uint32_t pc);

/* The warp's next operation, in cycle `now`, which never goes back within a compute unit. Its pc is `next` of the one
 * before. */
void trace_encode(struct trace_group *group, uint32_t warp, cycle_t now, const struct trace_op *op);

/* The group ends; its memory is used again. */
void trace_group_end(struct trace_group *group, cycle_t now);

/* All that happens before cycle `now` has been said, on all compute units: what was kept for its order is written. */
void trace_writer_settle(struct trace_writer *writer, cycle_t now);

/* Writes what is left (groups that have not ended, too), index and end, and frees the writer. False, with *error
 * filled, when this or anything before could not be written. */
bool trace_writer_close(struct trace_writer *writer, struct trace_error *error);

/* Frees without an index and an end, as if the run had been killed here. */
void trace_writer_abandon(struct trace_writer *writer);

/* ---- reading ------------------------------------------------------------------------------------- */

struct trace;
struct trace_warp; /* a warp's decoder */

enum trace_open_mode {
  TRACE_WHOLE,   /* anything but a whole trace is an error */
  TRACE_SALVAGE, /* the intact prefix of a damaged one is read */
};

/* A file by its path; or bytes in memory, which are there for as long as they are read, and their name in messages. */
struct trace_place {
  const char *name;
  const void *bytes; /* NULL: the file of that name */
  size_t size;
};

/* Opens a trace. NULL, with *error filled, when it is not one, or damaged. Blocks of operations are checked when they
 * are read. With TRACE_SALVAGE all are checked at once, and *error says what made the rest unusable ("" when nothing
 * did). */
struct trace *trace_open(const char *path, enum trace_open_mode mode, struct trace_error *error);
struct trace *trace_open_at(const struct trace_place *place, enum trace_open_mode mode, struct trace_error *error);
void trace_close(struct trace *trace);

/* Another reader of the same file, for another thread: what was read when the trace was opened is shared, so `trace`
 * stays open for as long; failures and inflated blocks are its own. Several threads may ask at once, also while `trace`
 * is read. NULL: out of memory. */
struct trace *trace_share(const struct trace *trace);

/* Reads all of the file and decodes every stream. False, with *error filled, when something is wrong. */
bool trace_validate(const char *path, struct trace_error *error);

/* The same for the intact prefix of a trace that may be damaged: *damage says what made the rest unusable ("" when
 * nothing did). */
bool trace_validate_prefix(const char *path, struct trace_error *damage, struct trace_error *error);

/* The bytes of a meta, followed by a zero that *size (it may be NULL) does not count; NULL when there is none. */
const char *trace_meta(struct trace *trace, const char *name, size_t *size);

/* The name of the meta number `i`, in the file's order; NULL beyond the last. */
const char *trace_meta_name(const struct trace *trace, uint32_t i);

uint32_t trace_programs(const struct trace *trace);
const uint8_t *trace_program(const struct trace *trace, uint32_t program, uint32_t *count);
uint32_t trace_launches(const struct trace *trace);
const struct trace_launch *trace_launch(const struct trace *trace, uint32_t launch);

/* Batches, sorted by launch, work-group and place in the file: who has operations, and when. */
struct trace_batch {
  uint32_t launch, group, warps, cu;
  cycle_t from, to; /* the cycle in which the group began or its batch before was closed, and in which this one was */
  bool first, last; /* the group began with it, ended with it */
  uint64_t operations;
};
uint32_t trace_batches(const struct trace *trace);
bool trace_batch(struct trace *trace, uint32_t i, struct trace_batch *batch, struct trace_error *error);

/* Bytes of the blocks that are known: as they were before compression, and in the file with their headers. False when a
 * header cannot be read. */
bool trace_sizes(struct trace *trace, uint64_t *raw, uint64_t *stored);

/* The numbers of all batches in the file's order, which is that of time. NULL: there are none, or out of memory. */
const uint32_t *trace_file_order(struct trace *trace);

/* Writes batch `i` of a trace as it is, but as one of another launch and work-group, and `later` cycles later: for
 * traces made of parts of others. The writer's launch must have the same lanes and a program of the same kinds, and a
 * group's batches must come in their order. False, with *error filled, when the batch cannot be read. */
bool trace_write_batch(struct trace_writer *writer, struct trace *from, uint32_t i, uint32_t launch, uint32_t group,
                       cycle_t later, struct trace_error *error);

/* Whether the group ever began, and how many warps it has. */
bool trace_group_warps(struct trace *trace, uint32_t launch, uint32_t group, uint32_t *warps);

/* A decoder, for one warp after the other. NULL when memory runs out. */
struct trace_warp *trace_warp_new(struct trace *trace);
void trace_warp_free(struct trace_warp *warp);

/* Goes to the beginning of a stream; *pc is its first operation's. False when the trace does not have it (an intact
 * prefix may not), or when it cannot be read, which trace_failed() tells. */
bool trace_warp_start(struct trace_warp *warp, uint32_t launch, uint32_t group, uint32_t index, uint32_t *pc);

/* The next operation. False at the end of the stream, and when it cannot be read. */
bool trace_decode(struct trace_warp *warp, struct trace_op *op);

/* The next operation, if it has no fields and is the very one that came out at its pc before: a loop's. Else NULL, and
 * trace_decode() has it. */
const struct trace_common *trace_decode_again(struct trace_warp *warp);

/* All operations of a trace, batch by batch in the file's order: it is read once, however work-groups overlap in it.
 * Memory is bounded by the groups that are resident at a time. */
struct trace_walk;
struct trace_walk *trace_walk_new(struct trace *trace); /* NULL when memory runs out */
void trace_walk_free(struct trace_walk *walk);

/* A warp's operations in a batch. */
struct trace_piece {
  uint32_t launch, group, warp;
  uint64_t operations;
  struct trace_warp *decoder; /* which has them: all of them are to be decoded before the next piece */
};

/* The next piece. False at the end, and when it cannot be read. */
bool trace_walk_next(struct trace_walk *walk, struct trace_piece *piece);

/* What went wrong while reading; NULL when nothing did. */
const struct trace_error *trace_failed(const struct trace *trace);

#endif
