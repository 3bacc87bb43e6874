/* Where two traces are no longer the same: machines, buffers, programs, launches, what each warp did. */
#ifndef SIM_TRACETOOLS_DIFF_H
#define SIM_TRACETOOLS_DIFF_H

#include "sim/tracetools/opened.h"

enum { TRACE_DIFF_CONTEXT = 64 };

struct trace_diff {
  const char *path[2];
  enum trace_open_mode mode;
  uint64_t most, context; /* differences that are shown of a kind; operations before one, up to TRACE_DIFF_CONTEXT */
  bool time;              /* compare too when batches of operations were recorded, and on which CU */
  bool any_machine;       /* do not compare machines and cycle limits */
};

/* Writes the differences to the sink; *differ says whether there are any. */
bool trace_diff(const struct trace_diff *wishes, const struct sink *sink, const struct caller *caller, bool *differ,
                struct message *message);

#endif
