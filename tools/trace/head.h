/* `warpwait trace head`: a warp's first operations, one per line. */
#ifndef TOOLS_TRACE_HEAD_H
#define TOOLS_TRACE_HEAD_H

#include "tools/trace/opened.h"

/* Which warp, and how many operations. */
struct trace_head {
  uint64_t launch, group, warp, count; /* launches count from 1 */
};

/* Writes them to the sink; `path` is the trace's name in messages. */
bool trace_head(const struct recording *opened, const char *path, const struct trace_head *settings,
                const struct sink *sink, struct message *message);

#endif
