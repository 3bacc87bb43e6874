/* The lines of work-groups as nodes: a node per line; the lines of a loop are between its node and its end.
 *
 *   lines ──text_parse.c──► nodes ──text_run.c──► writer
 *
 * Nodes are kept while they are inside something that can repeat: a loop, a range of warps or of work-groups. All
 * others are executed at once and dropped. */
#ifndef TRACES_TEXT_NODES_H
#define TRACES_TEXT_NODES_H

#include "traces/text.h"
#include "traces/text_lex.h"

/* base + lane * (the lane) + warp * (the warp) + group * (the work-group) + step[i] * (iteration of a loop). step[0]
 * belongs to the innermost loop. */
struct text_value {
  uint64_t base, lane, warp, group, step[TEXT_LOOPS];
};

struct text_op {
  uint32_t pc, next, flags;
  bool next_given, mask_given;
  uint64_t mask;
  const struct trace_kind_row *row;
  struct text_value field[TRACE_FIELDS], vector[TRACE_VECTORS];
  bool field_given[TRACE_FIELDS], given[TRACE_VECTORS];
  uint8_t listed[TRACE_VECTORS]; /* number of values in list[]; 0: base and stride instead */
  uint64_t list[TRACE_VECTORS][TRACE_LANES];
};

struct text_note {
  enum trace_note_kind kind;
  uint32_t values;
  uint64_t value[TRACE_NOTE_VALUES];
  char *text; /* NULL: none */
};

struct text_warp {
  uint32_t first, last;
  bool pc_given;
  uint32_t pc;
};

enum text_node_type { TEXT_WARP, TEXT_OP, TEXT_NOTE, TEXT_REPEAT };

struct text_node {
  enum text_node_type type;
  uint64_t line;
  uint32_t end; /* for a loop or a range of warps: the node after its last */
  union {
    struct text_op op;
    struct text_note note;
    struct text_warp warp;
    uint64_t turns;
  };
};

/* The head of a batch, for one work-group or for several in turn. */
struct text_group {
  uint32_t launch, first, last, warps, cu;
  cycle_t from, to;
  bool from_given, more;
};

/* ---- text_parse.c: each function takes the rest of a line --------------------------------------------- */

/* An operation at `pc` of a program with these kinds, inside `loops` loops. *mask is the mask of the previous line and
 * becomes that of this one. */
bool text_parse_op(struct lex *lex, struct slice pc, const uint8_t *kinds, uint32_t count, unsigned lanes,
                   unsigned loops, uint64_t *mask, struct text_op *op);
bool text_parse_note(struct lex *lex, struct text_note *note);
bool text_parse_warp(struct lex *lex, uint32_t warps, struct text_warp *warp);

/* ---- text_run.c -------------------------------------------------------------------------------------- */

struct text_run;

struct text_run *text_run_new(struct trace_writer *writer, const char *path, struct message *error);
void text_run_free(struct text_run *run);

/* The state of a resident group after its latest batch. NULL if the group is not resident. */
struct text_resident {
  uint32_t launch, group, warps, cu;
  cycle_t to;
  struct trace_group *streams;
  uint8_t *state; /* for each warp: whether it has begun and ended */
  uint32_t *pc;   /* for each warp: that of its next operation */
};
const struct text_resident *text_run_resident(const struct text_run *run, uint32_t launch, uint32_t group);

/* Begins a batch of one group; executes nodes [from, to); ends the batch. Return false and set the error if wrong. */
bool text_run_begin(struct text_run *run, const struct text_group *head, uint32_t group, uint64_t line);
bool text_run_nodes(struct text_run *run, const struct text_node *nodes, uint32_t from, uint32_t to);
void text_run_end(struct text_run *run);

#endif
