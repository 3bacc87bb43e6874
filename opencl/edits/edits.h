/* Changes of OpenCL C that programmers try by hand, made to its text.
 *
 *   text ──► what is code, without comments, strings and directives ──► places of one form ──► the text, changed there
 *
 * Invariant: lines keep their numbers, so that whatever is said of the changed program holds for the places of the
 * first one.
 *
 * Not modelled: meaning. A form is recognised by its words alone, what a macro hides is not seen, and a change may
 * alter what a kernel does: whoever makes one runs it and compares results. */
#ifndef OPENCL_EDITS_EDITS_H
#define OPENCL_EDITS_EDITS_H

#include <stdbool.h>
#include <stddef.h>

/* EDIT(id, "what it does, as a heading has it") */
#define OPENCL_EDITS(EDIT)                                                                                             \
  EDIT(UNROLL_2, "inner loops unrolled by 2")                                                                          \
  EDIT(UNROLL_4, "inner loops unrolled by 4")                                                                          \
  EDIT(UNROLL_8, "inner loops unrolled by 8")                                                                          \
  EDIT(PAD, "local arrays padded by an element a row")                                                                 \
  EDIT(ALIGN, "local arrays at multiples of 16 bytes")                                                                 \
  EDIT(COPY_2D, "2D copies for loops of copies")                                                                       \
  EDIT(PREFETCH, "prefetches of the next turn's loads")                                                                \
  EDIT(FLOAT4, "float4 for float, a quarter of work-items")                                                            \
  EDIT(INT4, "int4 for int, a quarter of work-items")                                                                  \
  EDIT(UINT4, "uint4 for uint, a quarter of work-items")

enum opencl_edit {
#define EDIT(id, text) OPENCL_EDIT_##id,
  OPENCL_EDITS(EDIT)
#undef EDIT
      OPENCL_EDIT_COUNT
};
extern const char *const opencl_edit_names[OPENCL_EDIT_COUNT];

/* Of the last three: four components take the place of one, for four times as few work-items. */
static inline bool opencl_edit_widens(enum opencl_edit edit) { return edit >= OPENCL_EDIT_FLOAT4; }

/* The text with the change wherever it fits; NULL: nowhere. The caller frees it. */
char *opencl_edit(const char *text, enum opencl_edit edit);

/* Defines of a small whole number, "#define DEPTH 2": the next one at or after *at, which begins as the text. */
struct opencl_define {
  char name[64];
  unsigned long value;
};
bool opencl_define_next(const char **at, struct opencl_define *define);

/* The text in which each such define of the name has another value. The caller frees it. */
char *opencl_define_set(const char *text, const char *name, unsigned long value);

#endif
