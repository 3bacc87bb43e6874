/* warpwait trace info: what was recorded, counted. */
#include <stdlib.h>

#include "sim/cli/trace_verbs.h"
#include "sim/timeline/look.h"
#include "sim/tracetools/info.h"

struct invocation {
  struct trace_call common; /* first: see cli_parse() */
  struct trace_info_form form;
};

enum { KEY_BRIEF = KEY_OF_TRACE_VERB, KEY_LINES, KEY_JSON };

static const struct argp_option options[] = {
    {"brief", KEY_BRIEF, NULL, 0, "Only what can be said without reading every operation", 1},
    {"lines", KEY_LINES, NULL, 0, "What each source line did, too", 1},
    {"json", KEY_JSON, NULL, 0, "All of it as JSON, lines too", 1},
    SALVAGE_OPTION,
    {0}};

static const char documentation[] =
    "Says what a trace is of, how much of it there is, where it depends on time, and what each kernel did; "
    "or of what kinds a timeline's events are.\v"
    "Launches of one kernel are counted together. Operations are warps'; lanes are\n"
    "those that ran one, the mean; a copy of a work-group is counted once, though\n"
    "all of its warps call it.\n";

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case KEY_BRIEF:
    call->form.brief = true;
    return 0;
  case KEY_LINES:
    call->form.lines = true;
    return 0;
  case KEY_JSON:
    call->form.json = true;
    return 0;
  case ARGP_KEY_END:
    if (call->form.brief && (call->form.lines || call->form.json))
      return cli_refuse(state, "--brief: has neither lines nor JSON");
    return trace_option(key, word, state);
  default:
    return trace_option(key, word, state);
  }
}

static bool tell_timeline(struct invocation *call) {
  struct message *message = &call->common.message;
  if (call->form.lines || call->form.json)
    return message_fail(message, "%.300s: is a timeline; --lines and --json are for traces", call->common.path);
  return timeline_info(call->common.path, trace_mode(&call->common), &cli_sink, &cli_caller, message);
}

static bool tell_trace(struct invocation *call) {
  struct message *message = &call->common.message;
  struct opened_trace opened = {0};
  struct text text = {0};
  const bool good = trace_look_at(&call->common, &opened) &&
                    trace_info(&opened, call->common.path, &call->form, &text, message) &&
                    sink_text(&cli_sink, &text, message);
  trace_shut(&opened);
  free(text.data);
  return good;
}

int trace_verb_info(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "TRACE.wwt|TIMELINE.wtl", documentation, NULL, NULL, NULL};
  struct invocation call = {0};
  const bool good = cli_parse(&argp, argc, argv, &call.common.message) &&
                    (timeline_is_one(call.common.path) ? tell_timeline : tell_trace)(&call);
  return good ? STATUS_FINE : cli_bad_input(&call.common.message);
}
