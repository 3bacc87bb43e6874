/* warpwait trace validate: whether a trace is whole. */
#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"
#include "sim/timeline/look.h"

static bool validate_prefix(struct trace_call *call) {
  struct trace_error damage = {0}, error = {0};
  if (!trace_validate_prefix(call->path, &damage, &error))
    return trace_fail(&call->message, &error);
  struct trace *trace = trace_open(call->path, TRACE_SALVAGE, &error);
  if (!trace)
    return trace_fail(&call->message, &error);
  trace_tell_prefix(trace, &damage, &console_caller);
  trace_close(trace);
  return true;
}

static bool validate(struct trace_call *call) {
  struct trace_error error = {0};
  return trace_validate(call->path, &error) || trace_fail(&call->message, &error);
}

int verb_trace_validate(struct command *command) {
  struct trace_call call = {0};
  bool good = trace_take(command, &call);
  if (good && timeline_is_one(call.path))
    good = timeline_check(call.path, call.mode, &console_caller, &call.message);
  else
    good = good && (call.mode == TRACE_SALVAGE ? validate_prefix : validate)(&call);
  return good ? STATUS_FINE : console_bad_input(&call.message);
}
