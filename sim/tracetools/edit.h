/* Traces made of parts of others: what `warpwait trace slice` and `merge` write.
 *
 *     launches of one trace or several ──chosen, in an order──► a trace that can be replayed
 *
 * Work-groups are taken whole, batch by batch as they are in the file, and keep their numbers: a launch of which a part
 * is taken says in the meta `run` which part (`first_group`, `part_groups`), and a replay starts no others. Global
 * addresses stay as they were recorded; a launch's `shift` in `run` says how much higher a replay has them.
 *
 * Invariant: memory is bounded by the batches that lie in one cycle and by the inputs' caches, not by their length; the
 * caller, who gives the output its name, has it whole or not at all.
 *
 * Not modelled: what launches that are left out had put into the L2, or made of memory. */
#ifndef SIM_TRACETOOLS_EDIT_H
#define SIM_TRACETOOLS_EDIT_H

#include <jansson.h>

#include "sim/tracetools/opened.h"

/* A trace that parts are taken of. */
struct trace_input {
  const char *path;
  struct opened_trace opened;
  json_t *run;        /* its meta */
  uint32_t *programs; /* their numbers in the output */
  uint32_t *parts;    /* the parts that its launches are */
  uint32_t next;      /* of its batches, in the file's order */
};

/* A launch of the output; no launch of an input is two. */
struct trace_part {
  uint32_t input, launch; /* whose, which of them */
  uint32_t first, groups; /* the work-groups that are taken */
  cycle_t later;          /* its cycles come so many later, modulo 2^64 */
};

struct trace_edit {
  struct trace_input *inputs;
  size_t input_count;
  struct trace_part *parts;
  size_t part_count;
  json_t *run; /* the output's meta; its launches begin with the parts */
};

/* Opens a trace as an input. Free it with trace_input_free(), whatever comes back. */
bool trace_input_open(const char *path, enum trace_open_mode mode, const struct caller *caller,
                      struct trace_input *input, struct message *message);
void trace_input_free(struct trace_input *input);

/* Launch `number`, from 0, of an input's meta `run`. */
json_t *trace_input_launch(const struct trace_input *input, uint32_t number);

/* The work-groups of a launch that the input has: all, or the part that it is. */
void trace_input_groups(const struct trace_input *input, uint32_t launch, uint32_t *first, uint32_t *groups);

/* Calls `visit` with each batch of the input, in the file's order. */
bool trace_input_batches(struct trace_input *input, void (*visit)(void *context, const struct trace_batch *batch),
                         void *context, struct message *message);

/* Writes the trace. Takes the descriptor; `name` is the file's in messages. */
bool trace_edit_write(struct trace_edit *edit, int file, const char *name, struct message *message);

#endif
