/* Part of a trace as a trace: some launches, or some complete work-groups of them. Each additional condition narrows
 * the selection.
 *
 * Not modeled: what omitted launches left in the L2 or in memory. */
#ifndef TOOLS_TRACE_SLICE_H
#define TOOLS_TRACE_SLICE_H

#include "tools/trace/opened.h"

struct trace_range {
  uint64_t first, last;
  bool given;
};

struct trace_slice {
  const char *path;
  enum trace_open_mode mode;
  struct trace_range launches, groups; /* launches count from 1, groups from 0 */
  bool window;                         /* only work-groups that began in these cycles: */
  uint64_t from, to;
};

/* Writes the slice. Takes over the descriptor; `name` is the file's in messages. */
bool trace_slice(const struct trace_slice *settings, int file, const char *name, const struct caller *caller,
                 struct message *message);

#endif
