/* The text form of traces (.wwtt): everything that a trace contains, as lines that people can read and write.
 *
 *     trace ──trace_text_write()──► lines ──trace_text_read()──► writer ──► the same bytes
 *
 * The lines are metas, programs and launches. Then, for each batch in file order: its work-group, and for each warp its
 * operations, one per line. docs/trace-text.md has the grammar. When writing by hand, most of it can be left out, and
 * `repeat N {` and ranges of warps and work-groups say loops.
 *
 * Invariant: a trace from a trace_writer comes back byte by byte, with the same batches and blocks. Writing and reading
 * use memory only for what is resident and for what is between the braces of a loop.
 *
 * Not modeled: the meaning of instructions. Hooks convert metas to and from their own text forms, comment an operation
 * with its instruction, and read blocks that are shorter to write by hand. */
#ifndef TRACES_TEXT_H
#define TRACES_TEXT_H

#include <stdio.h>

#include "traces/trace.h"

enum {
  TEXT_VERSION = 1,
  TEXT_LINE_BYTES = 16 << 20,   /* the longest line */
  TEXT_BLOCK_BYTES = 256 << 20, /* most bytes of a block between braces */
  TEXT_PROGRAM = 16 << 20,      /* most instructions of a program */
  TEXT_KEPT_LINES = 1 << 14,    /* most lines of a loop, or for a range of warps or work-groups */
  TEXT_LOOPS = 4,               /* most nested loops */
  TEXT_TURNS = 1000000000,      /* most iterations of a loop, including those of loops around it */
  TEXT_NOTE_BYTES = 64 << 20,   /* most bytes of an operation's notes */
  TEXT_WARPS = 1 << 20,         /* most warps of all resident work-groups */
};

/* What is between the braces of `HEAD {`, without its indentation. A zero follows. */
struct text_block {
  const char *path;
  const char *text;
  size_t size;
  uint32_t line; /* number of its first line in the file */
};

/* Hooks. Any may be NULL. */
struct text_hooks {
  void *self;

  /* Writing: converts a meta to a form that text_meta.c does not have. Returns the block's text, in whole lines, which
   * the caller frees, and sets *form to the name of the form. NULL: no such form. */
  char *(*put_meta)(void *self, const char *name, const void *bytes, size_t size, const char **form);

  /* A comment on the operation at `pc` of a program: its instruction. NULL: no comment. */
  const char *(*comment)(void *self, uint32_t program, uint32_t pc);

  /* Reading: the bytes of a meta in such a form, which the caller frees. Returns NULL and sets the error's text if it
   * is wrong. */
  void *(*take_meta)(void *self, const char *form, const char *name, const struct text_block *block, size_t *size,
                     struct message *error);

  /* Reads a block with a head other than "meta" and "program". May write metas, programs and launches. Returns false
   * and sets the error's text if it is wrong. */
  bool (*take_block)(void *self, const char *head, const char *name, const struct text_block *block,
                     struct trace_writer *writer, struct message *error);

  /* The words that take_meta() and take_block() accept, NULL-terminated. */
  const char *const *forms, *const *heads;
};

/* Writes the trace as text. Returns false and sets *error if the trace cannot be read. The caller checks `to` for
 * errors. */
bool trace_text_write(struct trace *trace, FILE *to, const struct text_hooks *hooks, struct message *error);

/* Reads text into an empty writer. Returns false and sets *error on "PATH:LINE: field 'x': 'v' is not ...". */
bool trace_text_read(FILE *from, const char *path, struct trace_writer *writer, const struct text_hooks *hooks,
                     struct message *error);

#endif
