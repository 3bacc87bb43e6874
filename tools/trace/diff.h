/* Differences between two traces: machines, buffers, programs, launches, and what each warp did. */
#ifndef TOOLS_TRACE_DIFF_H
#define TOOLS_TRACE_DIFF_H

#include "tools/trace/opened.h"

enum { TRACE_DIFF_CONTEXT = 64 };

struct trace_diff {
  const char *path[2];
  enum trace_open_mode mode;
  uint64_t most, context; /* differences shown per kind; operations shown before one, up to TRACE_DIFF_CONTEXT */
  bool time;              /* also compare when batches of operations were recorded, and on which CU */
  bool any_machine;       /* ignore machines and cycle limits */
};

/* Writes the differences to the sink; *differ: whether there are any. */
bool trace_diff(const struct trace_diff *settings, const struct sink *sink, const struct caller *caller, bool *differ,
                struct message *message);

#endif
