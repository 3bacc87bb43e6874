/* warpwait diff: where the cycles went between two reports, or two traces that are replayed first. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/run_call.h"
#include "sim/diff/diff.h"

struct invocation {
  struct run_call common; /* first: see cli_parse() */
  struct words sets_b;
  const char *machine_b;
  uint64_t launch[DIFF_SIDES];
  struct diff_view view;
  struct diff_side side[DIFF_SIDES];
};

enum { KEY_TOP = KEY_OF_VERB, KEY_ALL, KEY_LAUNCH, KEY_LAUNCH_B, KEY_MACHINE_B, KEY_SET_B };

static const struct argp_option options[] = {
    {"machine", 'm', "NAME|FILE", 0, "Replay traces on this machine (default: the recording's)", 1},
    {"set", 's', "KEY=VALUE", 0, "Set a parameter of the machine that traces are replayed on (repeatable)", 1},
    {"machine-b", KEY_MACHINE_B, "NAME|FILE", 0, "The machine for the trace B alone", 1},
    {"set-b", KEY_SET_B, "KEY=VALUE", 0, "Set a parameter for the trace B alone, after those of --set (repeatable)", 1},
    {"report", 'r', "text|json", 0, "Form of the comparison (default: text)", 2},
    {"out", 'o', "FILE", 0, "Write it to a file", 2},
    {"top", KEY_TOP, "N", 0, "Show N lines of the source, those that changed most (default: 20)", 2},
    {"all", KEY_ALL, NULL, 0, "Show every counter that differs", 2},
    {"launch", KEY_LAUNCH, "N", 0, "Compare launch N of A and its partner in B alone (default: all launches, added up)",
     2},
    {"launch-b", KEY_LAUNCH_B, "N", 0, "Compare the launch of --launch with launch N of B, whatever its partner", 2},
    {"quiet", 'q', NULL, 0, "No progress on the terminal", 2},
    {0}};

static const char documentation[] =
    "Compares two JSON reports of `run` or `replay`, or traces, which are replayed first: what it took in all, where "
    "the warps were by stall bucket and by source line, LDS, copies, memory, hazards, the machine.\v"
    "Lines are matched by their text, so that a line stays the same when others\n"
    "are put before it. Buckets add up to the total, and lines do.\n"
    "\n"
    "Each of A and B may be `-`, a report on standard input. One trace on two\n"
    "machines: warpwait diff T.wwt T.wwt --set-b dma.setup=0\n"
    "Two launches of one report: warpwait diff R.json R.json --launch 1 --launch-b 2\n"
    "\n"
    "Exit status: 0 they are the same, and nothing is printed; 1 they differ;\n"
    "2 bad input; 3 a defect of warpwait; 130 interrupted.\n";

static error_t parse_side(struct argp_state *state, struct invocation *call, const char *word) {
  if (call->side[DIFF_B].path)
    return cli_refuse(state, "%.60s: two reports or traces are enough", word);
  const bool second = call->side[DIFF_A].path;
  if (second && strcmp(call->side[DIFF_A].path, "/dev/stdin") == 0 && strcmp(word, "-") == 0)
    return cli_refuse(state, "-: standard input is one report, not two");
  return cli_input(state, word, &call->side[second ? DIFF_B : DIFF_A].path);
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case KEY_TOP:
    return cli_number(state, "--top", word, 0, UINT32_MAX, " lines", &call->view.top);
  case KEY_ALL:
    call->view.all = true;
    return 0;
  case KEY_LAUNCH:
    return cli_number(state, "--launch", word, 1, UINT32_MAX, "", &call->launch[DIFF_A]);
  case KEY_LAUNCH_B:
    return cli_number(state, "--launch-b", word, 1, UINT32_MAX, "", &call->launch[DIFF_B]);
  case KEY_MACHINE_B:
    call->machine_b = word;
    return 0;
  case KEY_SET_B:
    words_add(&call->sets_b, word);
    return 0;
  case ARGP_KEY_ARG:
    return parse_side(state, call, word);
  case ARGP_KEY_END:
    return call->side[DIFF_B].path ? 0 : cli_refuse(state, "two reports or traces are compared; --help says more");
  default:
    return run_option(key, word, state, &call->common);
  }
}

/* A report is of the machine that it is of. */
static bool options_fit(struct invocation *call) {
  const bool a = diff_is_trace(call->side[DIFF_A].path), b = diff_is_trace(call->side[DIFF_B].path);
  const char *option = call->common.machine ? "--machine" : "--set";
  if ((call->common.machine || call->common.sets.count) && !a && !b)
    return message_fail(&call->common.message, "%s: neither A nor B is a trace: only traces are replayed", option);
  if (call->launch[DIFF_B] && !call->launch[DIFF_A])
    return message_fail(&call->common.message, "--launch-b: needs --launch, the launch of A");
  if ((call->machine_b || call->sets_b.count) && !b)
    return message_fail(&call->common.message, "%s: B, %.300s, is no trace: only traces are replayed",
                        call->machine_b ? "--machine-b" : "--set-b", call->side[DIFF_B].path);
  return true;
}

static bool outputs_possible(struct invocation *call) {
  struct message *message = &call->common.message;
  const char *out = call->common.out;
  for (int side = 0; out && side < DIFF_SIDES; side++)
    if (file_is_same(out, call->side[side].path))
      return message_fail(message, "--out: %.300s: is an input, too", out);
  return run_can_write(&call->common, "--out", out);
}

/* What is wrong with an option of both sides is wrong with B's own, "--set-b", when A was fine with the others. */
static void name_option(struct invocation *call, const char *option, bool own) {
  struct message *message = &call->common.message;
  const struct message told = *message;
  const size_t length = strlen(option);
  if (own && strncmp(told.text, option, length) == 0 && told.text[length] == ':')
    message_fail(message, "%s-b%s", option, told.text + length);
}

static void name_options(struct invocation *call) {
  const bool shared = call->common.sets.count && !call->side[DIFF_A].replayed;
  name_option(call, "--machine", call->machine_b);
  name_option(call, "--set", call->sets_b.count && !shared);
}

/* Reads or replays a side, on its machine. */
static bool read_side(struct invocation *call, int side) {
  const size_t own = side == DIFF_B ? call->sets_b.count : 0, common = call->common.sets.count;
  const char **set = need(common + own + 1, sizeof *set);
  for (size_t i = 0; i < common + own; i++)
    set[i] = i < common ? call->common.sets.word[i] : call->sets_b.word[i - common];
  const struct job_request request = {
      .machine = side == DIFF_B && call->machine_b ? call->machine_b : call->common.machine,
      .set = set,
      .set_count = common + own,
  };
  const bool good = diff_read(&call->side[side], &request, &call->common.terminal.caller, &call->common.message);
  free(set);
  if (!good && side == DIFF_B)
    name_options(call);
  return good;
}

static bool write_diff(struct invocation *call, const struct diff *diff) {
  char *text = call->common.json ? diff_json(diff) : diff_text(diff, &call->view);
  const bool good = cli_output(call->common.out, text, strlen(text), &call->common.message);
  free(text);
  return good;
}

static int compare(struct invocation *call) {
  struct diff diff = {0};
  const size_t number[DIFF_SIDES] = {need_size(call->launch[DIFF_A]), need_size(call->launch[DIFF_B])};
  const bool good = diff_compare(&diff, call->side, number, &call->common.message) && write_diff(call, &diff);
  const int status = !good ? cli_bad_input(&call->common.message) : diff.differ ? STATUS_WENT_WRONG : STATUS_FINE;
  diff_free(&diff);
  return status;
}

int verb_diff(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "A B", documentation, NULL, NULL, NULL};
  struct invocation call = {.common = run_call_new(), .view = {.top = 20}};
  const bool good = cli_parse(&argp, argc, argv, &call.common.message) && run_settle(&call.common) && options_fit(&call) &&
                    outputs_possible(&call) && read_side(&call, DIFF_A) && read_side(&call, DIFF_B);
  const int status = good ? compare(&call) : cli_bad_input(&call.common.message);
  for (int side = 0; side < DIFF_SIDES; side++)
    json_decref(call.side[side].report);
  free(call.common.sets.word);
  free(call.sets_b.word);
  return status;
}
