/* warpwait trace diff: where two traces are no longer the same. */
#include "sim/cli/trace_verbs.h"
#include "sim/tracetools/diff.h"

static bool take(struct command *command, struct trace_diff *wishes, struct message *message) {
  command_number(command, OPTION_COUNT, &wishes->most);
  command_number(command, OPTION_CONTEXT, &wishes->context);
  if (command_has(command, OPTION_ALL))
    wishes->most = UINT64_MAX;
  wishes->time = command_has(command, OPTION_TIME);
  wishes->any_machine = command_has(command, OPTION_ANY_MACHINE);
  wishes->mode = trace_mode(command);
  if (wishes->context > TRACE_DIFF_CONTEXT)
    return message_fail(message, "--context: %s is more than %d", command_word(command, OPTION_CONTEXT),
                        TRACE_DIFF_CONTEXT);
  return console_input(command_operand(command, 0), &wishes->path[0], message) &&
         console_input(command_operand(command, 1), &wishes->path[1], message);
}

int verb_trace_diff(struct command *command) {
  struct trace_diff wishes = {.most = 1, .context = 3};
  struct message message;
  bool differ = false;
  if (!take(command, &wishes, &message) || !trace_diff(&wishes, &console_sink, &console_caller, &differ, &message))
    return console_bad_input(&message);
  return differ ? STATUS_WENT_WRONG : STATUS_FINE;
}
