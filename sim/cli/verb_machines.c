/* warpwait machines: the built-in machines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/session/machines.h"

struct choice {
  struct message message; /* first: see cli_parse() */
  const char *name;
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct choice *choice = state->input;
  if (key != ARGP_KEY_ARG)
    return ARGP_ERR_UNKNOWN;
  if (choice->name)
    return cli_refuse(state, "%.60s: one NAME is enough", arg);
  choice->name = arg;
  return 0;
}

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

int verb_machines(int argc, char **argv) {
  static const struct argp argp = {
      NULL, parse_option, "[NAME]", "Lists the built-in machines, or prints the file of one: a model for your own.",
      NULL, NULL,         NULL};
  struct choice choice = {0};
  struct text text = {0};
  bool good = cli_parse(&argp, argc, argv, &choice.message) && show(choice.name, &text, &choice.message) &&
              cli_output(NULL, text.data, text.length, &choice.message);
  free(text.data);
  return good ? STATUS_FINE : cli_bad_input(&choice.message);
}
