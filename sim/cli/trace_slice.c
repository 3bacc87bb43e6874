/* warpwait trace slice: some launches of a trace, or some work-groups of them, as a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/trace_verbs.h"
#include "sim/tracetools/slice.h"

struct invocation {
  struct trace_call common; /* first: see cli_parse() */
  const char *out;
  struct trace_slice wishes;
};

enum { KEY_LAUNCH = KEY_OF_TRACE_VERB, KEY_GROUP, KEY_FROM, KEY_TO };

static const struct argp_option options[] = {
    {"out", 'o', "FILE", 0, "The trace to write", 1},
    {"launch", KEY_LAUNCH, "N[-M]", 0, "These launches, from 1", 1},
    {"group", KEY_GROUP, "N[-M]", 0, "These work-groups of each launch, from 0; launches without them are left out", 1},
    {"from", KEY_FROM, "CYCLE", 0, "Work-groups that began in this cycle of the recording or later", 1},
    {"to", KEY_TO, "CYCLE", 0, "Work-groups that began before this one", 1},
    SALVAGE_OPTION,
    {0}};

static const char documentation[] = "Writes a part of a trace as a trace, which `warpwait replay` takes as any other.\v"
                                    "Work-groups are kept whole and keep their numbers. Of a launch, all from the\n"
                                    "first to the last that is asked for are kept: groups begin in the order of\n"
                                    "their numbers, so those that began in a window of time follow one another.\n"
                                    "Of several options, each asks for less.\n"
                                    "\n"
                                    "A replay of a slice is a run of these work-groups alone: it begins with an\n"
                                    "empty machine, and with nothing of what was left out. Of a trace with pipes,\n"
                                    "only whole launches can be kept, from the first one on.\n";

static error_t parse_range(struct argp_state *state, const char *option, const char *word, uint64_t minimum,
                           struct trace_range *range) {
  const size_t length = strcspn(word, "-");
  char first[32];
  snprintf(first, sizeof first, "%.*s", (int)(length < 31 ? length : 31), word);
  error_t error = trace_number(state, option, first, minimum, &range->first);
  range->given = true;
  range->last = range->first;
  if (!error && word[length])
    error = trace_number(state, option, word + length + 1, minimum, &range->last);
  if (error)
    return cli_refuse(state, "%s: '%.60s' is not a whole number in [%" PRIu64 ", %u], or a range of them such as 2-5",
                      option, word, minimum, UINT32_MAX);
  if (range->last < range->first)
    return cli_refuse(state, "%s: '%.60s' ends before it begins", option, word);
  return 0;
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case 'o':
    call->out = word;
    return 0;
  case KEY_LAUNCH:
    return parse_range(state, "--launch", word, 1, &call->wishes.launches);
  case KEY_GROUP:
    return parse_range(state, "--group", word, 0, &call->wishes.groups);
  case KEY_FROM:
    call->wishes.window = true;
    return cli_number(state, "--from", word, 0, NEVER, " cycles", &call->wishes.from);
  case KEY_TO:
    call->wishes.window = true;
    return cli_number(state, "--to", word, 0, NEVER, " cycles", &call->wishes.to);
  case ARGP_KEY_END:
    if (call->common.path && !call->out)
      return cli_refuse(state, "-o FILE is missing: the trace to write");
    if (call->wishes.from >= call->wishes.to)
      return cli_refuse(state, "--to: %" PRIu64 " is not after --from, %" PRIu64, call->wishes.to, call->wishes.from);
    return trace_option(key, word, state);
  default:
    return trace_option(key, word, state);
  }
}

static bool write_slice(void *self, int file, const char *name, struct message *message) {
  return trace_slice(self, file, name, &cli_caller, message);
}

static bool slice(struct invocation *call) {
  struct trace_slice *wishes = &call->wishes;
  wishes->path = call->common.path;
  wishes->mode = trace_mode(&call->common);
  if (file_is_same(wishes->path, call->out))
    return message_fail(&call->common.message, "%s: is an input, too", call->out);
  return trace_write_file(call->out, write_slice, wishes, &call->common.message);
}

int trace_verb_slice(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "TRACE.wwt -o OUT.wwt", documentation, NULL, NULL, NULL};
  struct invocation call = {.wishes.to = NEVER};
  const bool good = cli_parse(&argp, argc, argv, &call.common.message) && slice(&call);
  return good ? STATUS_FINE : cli_bad_input(&call.common.message);
}
