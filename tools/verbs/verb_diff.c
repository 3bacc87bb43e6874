/* warpwait diff: where the cycles went between two reports. A trace is replayed first. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"
#include "tools/diff/diff.h"
#include "tools/verbs/run_call.h"

struct invocation {
  struct run_call common;
  struct words sets_b;
  const char *machine_b;
  uint64_t launch[DIFF_SIDES];
  struct diff_view view;
  struct diff_side side[DIFF_SIDES];
};

/* Machine options need a trace: a report already has its machine. */
static bool options_fit(struct invocation *call) {
  const bool a = diff_is_trace(call->side[DIFF_A].path), b = diff_is_trace(call->side[DIFF_B].path);
  const char *option = call->common.machine ? "--machine" : "--set";
  if ((call->common.machine || call->common.sets.count) && !a && !b)
    return message_fail(&call->common.message, "%s: needs a trace, because only traces are replayed", option);
  if (call->launch[DIFF_B] && !call->launch[DIFF_A])
    return message_fail(&call->common.message, "--launch-b: needs --launch, the launch of A");
  if ((call->machine_b || call->sets_b.count) && !b)
    return message_fail(&call->common.message, "%s: B, %.300s, is not a trace, and only traces are replayed",
                        call->machine_b ? "--machine-b" : "--set-b", call->side[DIFF_B].path);
  return true;
}

static bool outputs_possible(struct invocation *call) {
  struct message *message = &call->common.message;
  const char *out = call->common.out;
  for (int side = 0; out && side < DIFF_SIDES; side++)
    if (file_is_same(out, call->side[side].path))
      return message_fail(message, "--out: %.300s: is also an input", out);
  return run_can_write(&call->common, "--out", out);
}

/* An option of both sides that fails only for B fails because of B's own "--set-b". */
static void name_option(struct invocation *call, const char *option, bool own) {
  struct message *message = &call->common.message;
  const struct message error = *message;
  const size_t length = strlen(option);
  if (own && strncmp(error.text, option, length) == 0 && error.text[length] == ':')
    message_fail(message, "%s-b%s", option, error.text + length);
}

static void name_options(struct invocation *call) {
  const bool shared = call->common.sets.count && !call->side[DIFF_A].replayed;
  name_option(call, "--machine", call->machine_b);
  name_option(call, "--set", call->sets_b.count && !shared);
}

/* Reads or replays one side, on its machine. */
static bool read_side(struct invocation *call, int side) {
  const size_t own = side == DIFF_B ? call->sets_b.count : 0, common = call->common.sets.count;
  const char **set = need(common + own + 1, sizeof *set);
  for (size_t i = 0; i < common + own; i++)
    set[i] = i < common ? call->common.sets.word[i] : call->sets_b.word[i - common];
  const struct job_request request = {
      .machine = {.name = side == DIFF_B && call->machine_b ? call->machine_b : call->common.machine,
                  .set = set,
                  .set_count = common + own},
  };
  const bool good = diff_read(&call->side[side], &request, &call->common.terminal.caller, &call->common.message);
  free(set);
  if (!good && side == DIFF_B)
    name_options(call);
  return good;
}

static bool write_diff(struct invocation *call, const struct diff *diff) {
  char *text = call->common.json ? diff_json(diff) : help_report(VERB_DIFF, diff_text(diff, &call->view));
  const bool good = console_output(call->common.out, text, strlen(text), &call->common.message);
  free(text);
  return good;
}

static int compare(struct invocation *call) {
  struct diff diff = {0};
  const size_t number[DIFF_SIDES] = {need_size(call->launch[DIFF_A]), need_size(call->launch[DIFF_B])};
  const bool good = diff_compare(&diff, call->side, number, &call->common.message) && write_diff(call, &diff);
  const int status = !good ? console_bad_input(&call->common.message) : diff.differ ? STATUS_WENT_WRONG : STATUS_FINE;
  diff_free(&diff);
  return status;
}

static bool take_sides(struct command *command, struct invocation *call) {
  struct message *message = &call->common.message;
  for (int side = 0; side < DIFF_SIDES; side++) {
    const char *word = command_operand(command, (size_t)side), *before = call->side[DIFF_A].path;
    if (before && strcmp(before, "/dev/stdin") == 0 && strcmp(word, "-") == 0)
      return message_fail(message, "-: standard input cannot be both A and B");
    if (!console_input(word, &call->side[side].path, message))
      return false;
  }
  return true;
}

static bool take(struct command *command, struct invocation *call) {
  command_number(command, OPTION_TOP, &call->view.top);
  call->view.all = command_has(command, OPTION_ALL);
  command_number(command, OPTION_LAUNCH, &call->launch[DIFF_A]);
  command_number(command, OPTION_LAUNCH_B, &call->launch[DIFF_B]);
  call->machine_b = command_word(command, OPTION_MACHINE_B);
  call->sets_b = command_words(command, OPTION_SET_B);
  return run_take(command, &call->common) && take_sides(command, call);
}

int verb_diff(struct command *command) {
  struct invocation call = {.view = {.top = 20}};
  const bool good = take(command, &call) && options_fit(&call) && outputs_possible(&call) && read_side(&call, DIFF_A) &&
                    read_side(&call, DIFF_B);
  const int status = good ? compare(&call) : console_bad_input(&call.common.message);
  for (int side = 0; side < DIFF_SIDES; side++)
    json_decref(call.side[side].report);
  run_call_free(&call.common);
  free(call.sets_b.word);
  return status;
}
