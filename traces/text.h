/* The text form of traces (.wwtt): all that a trace holds, as lines that people can read and write.
 *
 *     trace ──trace_text_write()──► lines ──trace_text_read()──► writer ──► the same bytes
 *
 * Lines say metas, programs, launches, and then for each batch its work-group, for each warp its operations, one a
 * line, in the file's order. docs/trace-text.md has the whole grammar. Who writes by hand may leave out most of it, and
 * say loops: `repeat N {`, and ranges of warps and work-groups.
 *
 * Invariant: a trace that a trace_writer has written comes back to the byte, batches, blocks and all. Memory is bounded
 * both ways by what is resident, and by what is between the braces of a loop.
 *
 * Not modelled: what instructions are. Who knows them lends a hand: hooks turn metas into text of their own and back,
 * say an operation's instruction, and take blocks that are shorter by hand. */
#ifndef TRACES_TEXT_H
#define TRACES_TEXT_H

#include <stdio.h>

#include "traces/trace.h"

enum {
  TEXT_VERSION = 1,
  TEXT_LINE_BYTES = 16 << 20,   /* the longest line */
  TEXT_BLOCK_BYTES = 256 << 20, /* of a block between braces, at most */
  TEXT_PROGRAM = 16 << 20,      /* instructions of a program, at most */
  TEXT_KEPT_LINES = 1 << 14,    /* of a loop, or a range of warps or work-groups */
  TEXT_LOOPS = 4,               /* within one another */
  TEXT_TURNS = 1000000000,      /* of a loop, and of those within it together */
  TEXT_NOTE_BYTES = 64 << 20,   /* of an operation's notes */
  TEXT_WARPS = 1 << 20,         /* of work-groups that are resident at a time */
};

/* What is between the braces of `HEAD {`, without its indentation; a zero follows. */
struct text_block {
  const char *path;
  const char *text;
  size_t size;
  uint32_t line; /* the number of its first one in the file */
};

/* Any may be NULL. */
struct text_hooks {
  void *self;

  /* Writing: a meta in another form than text_meta.c's: the form's name and the block's text, whole lines, which the
   * caller frees. NULL: none. */
  char *(*put_meta)(void *self, const char *name, const void *bytes, size_t size, const char **form);

  /* A comment on the operation at `pc` of a program: its instruction. NULL when there is nothing to say. */
  const char *(*comment)(void *self, uint32_t program, uint32_t pc);

  /* Reading: the bytes of a meta in such a form, which the caller frees. NULL with the error's text filled. */
  void *(*take_meta)(void *self, const char *form, const char *name, const struct text_block *block, size_t *size,
                     struct trace_error *error);

  /* A block with another head than "meta" and "program"; it may write metas, programs and launches. False with the
   * error's text filled. */
  bool (*take_block)(void *self, const char *head, const char *name, const struct text_block *block,
                     struct trace_writer *writer, struct trace_error *error);

  /* The words that take_meta() and take_block() know, each list up to a NULL. */
  const char *const *forms, *const *heads;
};

/* Writes the trace as text. False, with *error filled, when it cannot be read; `to` says whether all was written. */
bool trace_text_write(struct trace *trace, FILE *to, const struct text_hooks *hooks, struct trace_error *error);

/* Reads text into a writer that has nothing yet. False, with *error filled: "PATH:LINE: field 'x': 'v' is not ...". */
bool trace_text_read(FILE *from, const char *path, struct trace_writer *writer, const struct text_hooks *hooks,
                     struct trace_error *error);

#endif
