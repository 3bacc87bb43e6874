/* Merges traces, with their launches in sequence or at once. docs/trace-tools.md describes what happens to machines and
 * memory. */
#ifndef TOOLS_TRACE_MERGE_H
#define TOOLS_TRACE_MERGE_H

#include "tools/trace/opened.h"

/* Whether the traces have the same buffers in common. */
enum trace_memory {
  TRACE_MEMORY_FITTING /* shared if the buffers are equal */,
  TRACE_MEMORY_SHARED,
  TRACE_MEMORY_APART
};

struct trace_merge {
  const char *path[TRACE_MERGE_MOST];
  size_t count; /* number of paths, at least 2 */
  enum trace_open_mode mode;
  bool together; /* launches run at once: the first of each trace, then the second of each, ... */
  enum trace_memory memory;
};

/* Writes the trace. Takes over the descriptor; `name` is the file's in messages. */
bool trace_merge(const struct trace_merge *settings, int file, const char *name, const struct caller *caller,
                 struct message *message);

#endif
