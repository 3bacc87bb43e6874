/* An open trace and its job, with which every trace tool begins. */
#ifndef TOOLS_TRACE_OPENED_H
#define TOOLS_TRACE_OPENED_H

#include "sim/base/caller.h"
#include "sim/replay/trial.h"

/* Opens a trace and reads its job. False with the message filled. Call recording_close() in either case. */
bool trace_look(const char *path, enum trace_open_mode mode, const struct caller *caller, struct recording *opened,
                struct message *message);

/* Whether a newly written trace can be replayed; `path` is its name in messages. */
bool trace_can_be_replayed(const char *written, const char *path, struct message *message);

/* Warns why a trace is read no further, and how much precedes the damage. `damage` has no text if all of it is read. */
void trace_report_prefix(struct trace *trace, const struct message *damage, const struct caller *caller);

/* Reads the whole trace. With TRACE_SALVAGE, damage is only a warning, and the part before it is enough. */
bool trace_check(const char *path, enum trace_open_mode mode, const struct caller *caller, struct message *message);

#endif
