/* warpwait trace info: what was recorded, counted. */
#include <stdlib.h>

#include "sim/cli/trace_verbs.h"
#include "sim/timeline/look.h"
#include "sim/tracetools/info.h"

struct invocation {
  struct trace_call common;
  struct trace_info_form form;
};

static bool tell_timeline(struct invocation *call) {
  struct message *message = &call->common.message;
  if (call->form.lines || call->form.json)
    return message_fail(message, "%.300s: is a timeline; --lines and --json are for traces", call->common.path);
  return timeline_info(call->common.path, call->common.mode, &console_sink, &console_caller, message);
}

static bool tell_trace(struct invocation *call) {
  struct message *message = &call->common.message;
  struct opened_trace opened = {0};
  struct text text = {0};
  const bool good = trace_look_at(&call->common, &opened) &&
                    trace_info(&opened, call->common.path, &call->form, &text, message) &&
                    sink_text(&console_sink, &text, message);
  trace_shut(&opened);
  free(text.data);
  return good;
}

int verb_trace_info(struct command *command) {
  struct invocation call = {.form = {.brief = command_has(command, OPTION_BRIEF),
                                     .lines = command_has(command, OPTION_LINES),
                                     .json = command_has(command, OPTION_JSON)}};
  struct message *message = &call.common.message;
  if (call.form.brief && (call.form.lines || call.form.json))
    message_fail(message, "--brief: has neither lines nor JSON");
  else if (trace_take(command, &call.common) && (timeline_is_one(call.common.path) ? tell_timeline : tell_trace)(&call))
    return STATUS_FINE;
  return console_bad_input(message);
}
