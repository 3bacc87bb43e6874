/* warpwait trace diff: where two traces are no longer the same. */
#include "isa/asm/asm.h"
#include "sim/cli/trace_verbs.h"
#include "sim/tracetools/diff.h"

struct invocation {
  struct trace_call common; /* first: see cli_parse() */
  struct trace_diff wishes;
};

enum { KEY_ALL = KEY_OF_TRACE_VERB, KEY_TIME, KEY_CONTEXT, KEY_ANY_MACHINE };

static const struct argp_option options[] = {
    {"count", 'n', "N", 0, "Show N differences of each kind (default: 1); of operations, one of a warp", 1},
    {"all", KEY_ALL, NULL, 0, "Show all", 1},
    {"context", KEY_CONTEXT, "N", 0, "Operations shown before one that differs, up to 64 (default: 3)", 1},
    {"time", KEY_TIME, NULL, 0, "Compare too when batches of operations were recorded, and on which CU", 1},
    {"any-machine", KEY_ANY_MACHINE, NULL, 0, "Do not compare machines and cycle limits", 1},
    SALVAGE_OPTION,
    {0}};

static const char documentation[] =
    "Compares two traces: machines, buffers, programs, launches, and what each warp did. Shows the first difference "
    "of each kind, the first trace's value before a bar and the second's behind it.\v"
    "Exit status: 0 they are alike, 1 they differ, 2 bad input.\n";

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case 'n':
    return trace_number(state, "--count", word, 1, &call->wishes.most);
  case KEY_ALL:
    call->wishes.most = UINT64_MAX;
    return 0;
  case KEY_CONTEXT:
    if (trace_number(state, "--context", word, 0, &call->wishes.context))
      return EINVAL;
    return call->wishes.context <= TRACE_DIFF_CONTEXT ? 0 : cli_refuse(state, "--context: %.60s is more than %d", word, TRACE_DIFF_CONTEXT);
  case KEY_TIME:
    call->wishes.time = true;
    return 0;
  case KEY_ANY_MACHINE:
    call->wishes.any_machine = true;
    return 0;
  case ARGP_KEY_ARG:
    if (call->wishes.path[1])
      return cli_refuse(state, "%.60s: two traces are enough", word);
    return cli_input(state, word, &call->wishes.path[call->wishes.path[0] ? 1 : 0]);
  case ARGP_KEY_END:
    return call->wishes.path[1] ? 0 : cli_refuse(state, "two traces are compared; --help says more");
  default:
    return trace_option(key, word, state);
  }
}

int trace_verb_diff(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "A.wwt B.wwt", documentation, NULL, NULL, NULL};
  struct invocation call = {.wishes = {.most = 1, .context = 3}};
  bool differ = false;
  bool good = cli_parse(&argp, argc, argv, &call.common.message);
  call.wishes.mode = trace_mode(&call.common);
  good = good && trace_diff(&call.wishes, &cli_sink, &cli_caller, &differ, &call.common.message);
  if (!good)
    return cli_bad_input(&call.common.message);
  return differ ? STATUS_WENT_WRONG : STATUS_FINE;
}
