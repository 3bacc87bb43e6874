/* warpwait trace validate: whether a trace is whole. */
#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"
#include "sim/timeline/look.h"

static const struct argp_option options[] = {
    {"salvage", KEY_SALVAGE, NULL, 0, "Be content with what is intact of a damaged trace", 1}, {0}};

static error_t parse_option(int key, char *word, struct argp_state *state) { return trace_option(key, word, state); }

static bool validate_prefix(struct trace_call *call) {
  struct trace_error damage = {0}, error = {0};
  if (!trace_validate_prefix(call->path, &damage, &error))
    return trace_fail(&call->message, &error);
  struct trace *trace = trace_open(call->path, TRACE_SALVAGE, &error);
  if (!trace)
    return trace_fail(&call->message, &error);
  trace_tell_prefix(trace, &damage, &cli_caller);
  trace_close(trace);
  return true;
}

static bool validate(struct trace_call *call) {
  struct trace_error error = {0};
  return trace_validate(call->path, &error) || trace_fail(&call->message, &error);
}

int trace_verb_validate(int argc, char **argv) {
  static const char documentation[] =
      "Reads all of a trace or timeline. Exit status 2, and the offset, if anything is wrong.\v"
      "With --salvage, what is wrong is told too, but the status is 0 if all that is\n"
      "before it, up to the last whole block, can be read.\n";
  static const struct argp argp = {options, parse_option, "TRACE.wwt|TIMELINE.wtl", documentation, NULL, NULL, NULL};
  struct trace_call call = {0};
  bool good = cli_parse(&argp, argc, argv, &call.message);
  if (good && timeline_is_one(call.path))
    good = timeline_check(call.path, trace_mode(&call), &cli_caller, &call.message);
  else
    good = good && (call.salvage ? validate_prefix : validate)(&call);
  return good ? STATUS_FINE : cli_bad_input(&call.message);
}
