/* What the verbs of `warpwait trace` share, a file each (trace_info.c, ...). */
#ifndef SIM_CLI_TRACE_VERBS_H
#define SIM_CLI_TRACE_VERBS_H

#include "sim/cli/cli.h"
#include "sim/console/output.h"
#include "sim/tracetools/opened.h"

/* A call of a verb that reads one trace; what a verb has besides stands behind it. */
struct trace_call {
  struct message message;
  const char *path;
  enum trace_open_mode mode;
};

/* Into an empty call what the command says of the trace. */
bool trace_take(struct command *command, struct trace_call *call);
enum trace_open_mode trace_mode(struct command *command);

/* The trace of a call, open, with its warnings on stderr. */
static inline bool trace_look_at(struct trace_call *call, struct opened_trace *opened) {
  return trace_look(call->path, call->mode, &console_caller, opened, &call->message);
}

/* Writes a trace beside `path`, reads its job as a replay does, which would refuse it at once if it were none, and
 * gives it its name. `write` takes the descriptor, and returns false with the message filled. */
bool trace_write_file(const char *path, bool (*write)(void *self, int file, const char *name, struct message *message),
                      void *self, struct message *message);

#endif
