/* warpwait machines and params: the built-in machines, and all parameters of a machine. */
#include "models/machine.h"
#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/launch/machines.h"
#include "sim/report/params.h"

static bool show_machines(struct command *command, struct text *text, struct message *message) {
  const char *name = command_operand(command, 0);
  struct machine machine;
  if (name && !preset_find(name))
    return machine_load(name, NULL, NULL, &machine, message) &&
           message_fail(message, "'%.60s' is not a built-in machine", name);
  if (name)
    text_print(text, "%s", preset_find(name)->text);
  for (size_t i = 0; !name && i < preset_count; i++)
    preset_describe(&presets[i], text);
  return true;
}

static bool show_params(struct command *command, struct text *text, struct message *message) {
  const struct machine_request request = {.name = command_word(command, OPTION_MACHINE)};
  const char *prefix = command_operand(command, 0);
  const bool markdown = command_has(command, OPTION_MARKDOWN);
  struct machine machine;
  if (!machine_choose(&request, NULL, NULL, NULL, &machine, message))
    return false;
  report_params(&machine, prefix, markdown, text);
  if (text->length)
    return true;
  char nearest[64], hint[MESSAGE_HINT];
  param_find(machine_groups, MACHINE_GROUPS, prefix, NULL, nearest);
  return message_fail(message, "no parameter starts with '%.60s'%s", prefix, message_hint(hint, nearest));
}

int verb_machines(struct command *command) {
  struct message message;
  struct text text = {0};
  return cli_end(&text, show_machines(command, &text, &message), &message);
}

int verb_params(struct command *command) {
  struct message message;
  struct text text = {0};
  return cli_end(&text, show_params(command, &text, &message), &message);
}
