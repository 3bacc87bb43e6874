/* warpwait params: every parameter of a machine, from the rows that declare them. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/report/params.h"
#include "sim/session/machines.h"

static bool print(struct command *command, struct text *text, struct message *message) {
  const char *name = command_word(command, OPTION_MACHINE), *prefix = command_operand(command, 0);
  const bool markdown = command_has(command, OPTION_MARKDOWN);
  struct machine machine;
  if (!machine_load(name ? name : "teaching", NULL, NULL, &machine, message))
    return message_within(message, "--machine");
  report_params(&machine, prefix, markdown, text);
  if (text->length)
    return true;
  char nearest[64];
  param_find(machine_groups, MACHINE_GROUPS, prefix, NULL, nearest);
  return message_fail(message, "no parameter starts with '%.60s'%s%s%s", prefix, *nearest ? "; did you mean '" : "",
                      nearest, *nearest ? "'?" : "");
}

int verb_params(struct command *command) {
  struct message message;
  struct text text = {0};
  bool good = print(command, &text, &message) && console_output(NULL, text.data, text.length, &message);
  free(text.data);
  return good ? STATUS_FINE : console_bad_input(&message);
}
