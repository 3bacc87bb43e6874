/* Edits that programmers try by hand on OpenCL C, applied to the text.
 *
 * text ──► its code, without comments, strings and directives ──► places that match a pattern ──► edited text
 *
 * Invariant: line numbers do not change, so a report on the edited program refers to the lines of the original.
 *
 * Not modeled: meaning. A pattern is matched by words alone and macros are not expanded, so an edit may change what a
 * kernel does: the caller runs the edited kernel and compares the results. */
#ifndef TOOLS_EXPLAIN_EDITS_H
#define TOOLS_EXPLAIN_EDITS_H

#include <stdbool.h>

/* EDIT(id, "what it does, as a heading shows it") */
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

/* The last three edits: four components replace one, for a quarter of the work-items. */
static inline bool opencl_edit_widens(enum opencl_edit edit) { return edit >= OPENCL_EDIT_FLOAT4; }

/* The text with the edit applied wherever it fits; NULL: nowhere. The caller frees it. */
char *opencl_edit(const char *text, enum opencl_edit edit);

/* Finds the next define of a small whole number, "#define DEPTH 2", at or after *at, which starts as the text. */
struct opencl_define {
  char name[64];
  unsigned long value;
};
bool opencl_define_next(const char **at, struct opencl_define *define);

/* The text with another value in each such define of the name. The caller frees it. */
char *opencl_define_set(const char *text, const char *name, unsigned long value);

#endif
