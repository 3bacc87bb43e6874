/* A trace that is open, and the job in it: what all tools of traces begin with. */
#ifndef SIM_TRACETOOLS_OPENED_H
#define SIM_TRACETOOLS_OPENED_H

#include "sim/base/caller.h"
#include "sim/replay/job.h"

struct opened_trace {
  struct trace *trace;
  struct job job;
  cycle_t max_cycles;
};

/* Opens a trace and reads its job. trace_shut() it, whatever comes back. False with the message filled. */
bool trace_look(const char *path, enum trace_open_mode mode, const struct caller *caller, struct opened_trace *opened,
                struct message *message);
void trace_shut(struct opened_trace *opened);

/* Whether a trace that was written is one that can be replayed; `path` is its name in messages. */
bool trace_can_be_replayed(const char *written, const char *path, struct message *message);

/* Warns why a trace is read no further, and how much is before. `damage` has no text when all of it is read. */
void trace_tell_prefix(struct trace *trace, const struct trace_error *damage, const struct caller *caller);

/* Reads all of a trace. Of a damaged one, with TRACE_SALVAGE, what is wrong is told, and what is before is enough. */
bool trace_check(const char *path, enum trace_open_mode mode, const struct caller *caller, struct message *message);

/* Puts the error into the message; returns false. */
bool trace_fail(struct message *message, const struct trace_error *error);

#endif
