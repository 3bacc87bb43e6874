/* Lines of text that are read: what text_read.c and text_blocks.c know of it. */
#ifndef TRACES_TEXT_READER_H
#define TRACES_TEXT_READER_H

#include "traces/text.h"
#include "traces/text_nodes.h"

#define NO_NODE UINT32_MAX

struct text_reader {
  FILE *from;
  struct lex lex; /* the line under way */
  struct bytes line, block;
  struct trace_writer *writer;
  const struct text_hooks *hooks;
  struct text_run *run;
  uint32_t launch;     /* of the groups that come; once there is one */
  uint32_t next_group; /* that comes when none is said */
  cycle_t to;          /* of the batch before */
  bool in_group, in_warp;
  struct text_group group; /* under way */
  uint64_t group_line;
  uint64_t mask; /* of the line before */
  struct text_node *nodes;
  uint32_t node_count, node_room;
  uint32_t warps;             /* the open range of warps, or NO_NODE */
  uint32_t loops[TEXT_LOOPS]; /* open ones */
  unsigned loop_count;
};

/* The next line, without its end. False at the file's end, and when it cannot be read, with *good false. */
bool text_next_line(struct text_reader *reader, bool *good);

/* The line has no more, or says too much. */
bool text_expect_end(struct text_reader *reader);

bool text_memory_out(const struct text_reader *reader);

/* ---- text_blocks.c: statements, each of which takes the rest of a line ----------------------------- */

/* A block begins. */
bool text_expect_brace(struct text_reader *reader);

bool text_take_meta_line(struct text_reader *reader);
bool text_take_program(struct text_reader *reader);
bool text_take_hooked(struct text_reader *reader, const char *head);

#endif
