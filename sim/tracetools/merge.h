/* Traces made of several: the launches of one after the other's, or at once. docs/trace-tools.md says what becomes of
 * their machines and memory. */
#ifndef SIM_TRACETOOLS_MERGE_H
#define SIM_TRACETOOLS_MERGE_H

#include "sim/tracetools/opened.h"

enum { TRACE_MERGE_MOST = 64 };

/* Whether the traces' buffers are the same ones. */
enum trace_memory { TRACE_MEMORY_FITTING /* if they are alike */, TRACE_MEMORY_SHARED, TRACE_MEMORY_APART };

struct trace_merge {
  const char *path[TRACE_MERGE_MOST];
  size_t count; /* of them: at least 2 */
  enum trace_open_mode mode;
  bool together; /* the launches run at once: the first of each, then the second, ... */
  enum trace_memory memory;
};

/* Writes the trace. Takes the descriptor; `name` is the file's in messages. */
bool trace_merge(const struct trace_merge *wishes, int file, const char *name, const struct caller *caller,
                 struct message *message);

#endif
