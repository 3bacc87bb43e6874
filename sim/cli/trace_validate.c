/* warpwait trace validate: whether a trace is whole. */
#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"

static error_t parse_option(int key, char *word, struct argp_state *state) { return trace_option(key, word, state); }

int trace_verb_validate(int argc, char **argv) {
  static const char documentation[] = "Reads all of a trace. Exit status 2, and the offset, if anything is wrong.";
  static const struct argp argp = {NULL, parse_option, "TRACE.wwt", documentation, NULL, NULL, NULL};
  struct trace_call call = {0};
  struct trace_error error = {0};
  const bool good = cli_parse(&argp, argc, argv, &call.message) &&
                    (trace_validate(call.path, &error) || trace_fail(&call.message, &error));
  return good ? CLI_FINE : cli_bad_input(&call.message);
}
