/* warpwait trace merge: the launches of several traces, one after the other or at once, as a trace. */
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/trace_verbs.h"
#include "sim/tracetools/merge.h"

struct invocation {
  struct trace_call common; /* first: see cli_parse() */
  const char *out;
  struct trace_merge wishes;
};

enum { KEY_TOGETHER = KEY_OF_TRACE_VERB, KEY_MEMORY };

static const struct argp_option options[] = {
    {"out", 'o', "FILE", 0, "The trace to write", 1},
    {"together", KEY_TOGETHER, NULL, 0, "The traces' launches run at once: the first of each, then the second, ...", 1},
    {"memory", KEY_MEMORY, "shared|apart", 0,
     "Whether the traces' buffers are the same ones (default: if they are alike, else each has its own)", 1},
    SALVAGE_OPTION,
    {0}};

static const char documentation[] = "Writes the launches of several traces as one trace, which `warpwait replay` "
                                    "takes as any other: one trace's launches after the other's, or, with "
                                    "--together, at once on one machine.\v"
                                    "The machine and the name are the first trace's, the cycle limit is the\n"
                                    "largest. Traces with warps of another size are refused.\n"
                                    "\n"
                                    "Traces whose buffers are alike (names, addresses, sizes), slices of a\n"
                                    "recording say, are taken to share them. Others get memory of their own: a\n"
                                    "replay has their buffers behind those of the traces before, in the same\n"
                                    "order, all of them the same multiple of 2 MiB further than in the recording.\n"
                                    "--memory says it otherwise. Only the first trace may have pipes.\n";

static error_t parse_memory(struct argp_state *state, const char *word, struct invocation *call) {
  call->wishes.memory = strcmp(word, "shared") == 0 ? TRACE_MEMORY_SHARED : TRACE_MEMORY_APART;
  if (call->wishes.memory == TRACE_MEMORY_SHARED || strcmp(word, "apart") == 0)
    return 0;
  return cli_refuse(state, "--memory: '%.60s' is neither shared nor apart", word);
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case 'o':
    call->out = word;
    return 0;
  case KEY_TOGETHER:
    call->wishes.together = true;
    return 0;
  case KEY_MEMORY:
    return parse_memory(state, word, call);
  case ARGP_KEY_ARG:
    if (call->wishes.count == TRACE_MERGE_MOST)
      return cli_refuse(state, "%.60s: more than %d traces", word, TRACE_MERGE_MOST);
    return cli_input(state, word, &call->wishes.path[call->wishes.count++]);
  case ARGP_KEY_END:
    if (call->wishes.count < 2)
      return cli_refuse(state, "traces are missing: at least two are merged; --help says more");
    return call->out ? 0 : cli_refuse(state, "-o FILE is missing: the trace to write");
  default:
    return trace_option(key, word, state);
  }
}

static bool write_merged(void *self, int file, const char *name, struct message *message) {
  return trace_merge(self, file, name, &cli_caller, message);
}

static bool merge(struct invocation *call) {
  struct message *message = &call->common.message;
  call->wishes.mode = trace_mode(&call->common);
  for (size_t i = 0; i < call->wishes.count; i++)
    if (file_is_same(call->wishes.path[i], call->out))
      return message_fail(message, "%s: is an input, too", call->out);
  return trace_write_file(call->out, write_merged, &call->wishes, message);
}

int trace_verb_merge(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "A.wwt B.wwt... -o OUT.wwt", documentation, NULL, NULL, NULL};
  struct invocation call = {0};
  const bool good = cli_parse(&argp, argc, argv, &call.common.message) && merge(&call);
  return good ? STATUS_FINE : cli_bad_input(&call.common.message);
}
