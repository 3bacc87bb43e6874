/* Traces made of parts of others, for `warpwait trace slice` and `merge`.
 *
 *     launches of one trace or several ──selected and ordered──► a trace that can be replayed
 *
 * Work-groups are copied completely, batch by batch as in the file, and keep their numbers. If only part of a launch is
 * copied, the meta `run` records which part (`first_group`, `part_groups`), and a replay starts no other work-groups.
 * Global addresses stay as recorded; a launch's `shift` in `run` is what a replay adds to them.
 *
 * Invariant: memory is bounded by the batches of one cycle and by the inputs' caches, not by the inputs' length. The
 * output, which the caller names, is complete or absent.
 *
 * Not modeled: what omitted launches left in the L2 or in memory. */
#ifndef TOOLS_TRACE_EDIT_H
#define TOOLS_TRACE_EDIT_H

#include <jansson.h>

#include "tools/trace/opened.h"

/* A trace that parts are taken from. */
struct trace_input {
  const char *path;
  struct recording opened;
  json_t *run;        /* its meta */
  uint32_t *programs; /* their numbers in the output */
  uint32_t *parts;    /* the part of each of its launches */
  uint32_t next;      /* next batch, in the file's order */
};

/* A launch of the output; a launch of an input is in at most one part. */
struct trace_part {
  uint32_t input, launch; /* input, and launch of that input */
  uint32_t first, groups; /* work-groups to copy */
  cycle_t later;          /* added to its cycles, modulo 2^64 */
};

struct trace_edit {
  struct trace_input *inputs;
  size_t input_count;
  struct trace_part *parts;
  size_t part_count;
  json_t *run; /* the output's meta, in which the parts are the first launches */
};

/* Opens a trace as an input. Call trace_input_free() in either case. */
bool trace_input_open(const char *path, enum trace_open_mode mode, const struct caller *caller,
                      struct trace_input *input, struct message *message);
void trace_input_free(struct trace_input *input);

/* Launch `number`, from 0, of an input's meta `run`. */
json_t *trace_input_launch(const struct trace_input *input, uint32_t number);

/* The work-groups of a launch that the input contains: all, or a part. */
void trace_input_groups(const struct trace_input *input, uint32_t launch, uint32_t *first, uint32_t *groups);

/* Calls `visit` with each batch of the input, in the file's order. */
bool trace_input_batches(struct trace_input *input, void (*visit)(void *context, const struct trace_batch *batch),
                         void *context, struct message *message);

/* Writes the trace. Takes over the descriptor; `name` is the file's in messages. */
bool trace_edit_write(struct trace_edit *edit, int file, const char *name, struct message *message);

#endif
