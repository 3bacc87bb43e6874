/* warpwait machines: the built-in machines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/session/machines.h"

/* The name and the first sentence of the file's first comment, whose lines are joined. */
static void describe(const struct preset *preset, struct text *text) {
  const char *at = preset->text;
  text_print(text, "%-10s ", preset->name);
  for (bool ended = false; *at == ';' && !ended; at += *at == '\n') {
    at += strspn(at, "; ");
    size_t line = strcspn(at, "\n"), length = 0;
    for (; length < line && !ended; length++)
      ended = at[length] == '.' && strchr(" \n", at[length + 1]);
    text_print(text, "%.*s%s", (int)length, at, ended ? "" : " ");
    at += line;
  }
  text_print(text, "\n");
}

static bool show(const char *name, struct text *text, struct message *message) {
  struct machine machine;
  if (name && !preset_find(name))
    return machine_load(name, NULL, NULL, &machine, message) &&
           message_fail(message, "'%.60s' is not a built-in machine", name);
  if (name)
    text_print(text, "%s", preset_find(name)->text);
  for (size_t i = 0; !name && i < preset_count; i++)
    describe(&presets[i], text);
  return true;
}

int verb_machines(struct command *command) {
  struct message message;
  struct text text = {0};
  bool good =
      show(command_operand(command, 0), &text, &message) && console_output(NULL, text.data, text.length, &message);
  free(text.data);
  return good ? STATUS_FINE : console_bad_input(&message);
}
