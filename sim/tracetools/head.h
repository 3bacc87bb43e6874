/* `warpwait trace head`: a warp's first operations, one per line. */
#ifndef SIM_TRACETOOLS_HEAD_H
#define SIM_TRACETOOLS_HEAD_H

#include "sim/tracetools/opened.h"

/* Which warp, and how many operations. */
struct trace_head {
  uint64_t launch, group, warp, count; /* launches count from 1 */
};

/* Writes them to the sink; `path` is the trace's name in messages. */
bool trace_head(const struct opened_trace *opened, const char *path, const struct trace_head *settings,
                const struct sink *sink, struct message *message);

#endif
