/* The reader of text lines, as text_read.c and text_blocks.c share it. */
#ifndef TRACES_TEXT_READER_H
#define TRACES_TEXT_READER_H

#include "traces/text.h"
#include "traces/text_nodes.h"

#define NO_NODE UINT32_MAX

struct text_reader {
  FILE *from;
  struct lex lex; /* the current line */
  struct bytes line, block;
  struct trace_writer *writer;
  const struct text_hooks *hooks;
  struct text_run *run;
  uint32_t launch;     /* of the next groups, if there is one */
  uint32_t next_group; /* used if the line names none */
  cycle_t to;          /* of the previous batch */
  bool in_group, in_warp;
  struct text_group group; /* the current one */
  uint64_t group_line;
  uint64_t mask; /* of the previous line */
  struct text_node *nodes;
  uint32_t node_count;
  size_t node_room;
  uint32_t warps;             /* node of the open range of warps, or NO_NODE */
  uint32_t loops[TEXT_LOOPS]; /* nodes of the open loops */
  unsigned loop_count;
};

/* The next line, without its end. Returns false at the end of the file; also on an error, and then sets *good to
 * false. */
bool text_next_line(struct text_reader *reader, bool *good);

/* Fails unless the line is at its end. */
bool text_expect_end(struct text_reader *reader);

/* ---- text_blocks.c: statements; each function takes the rest of a line ------------------------------ */

/* Takes the brace that begins a block. */
bool text_expect_brace(struct text_reader *reader);

bool text_take_meta_line(struct text_reader *reader);
bool text_take_program(struct text_reader *reader);
bool text_take_hooked(struct text_reader *reader, const char *head);

#endif
