/* warpwait params: every parameter of a machine, from the rows that declare them. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/manual.h"
#include "sim/session/machines.h"

struct listing {
  struct message message; /* first: see cli_parse() */
  const char *prefix, *machine;
  bool markdown;
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct listing *listing = state->input;
  switch (key) {
  case 'm':
    listing->machine = arg;
    return 0;
  case 'd':
    listing->markdown = true;
    return 0;
  case ARGP_KEY_ARG:
    if (listing->prefix)
      return cli_refuse(state, "%.60s: one PREFIX is enough", arg);
    listing->prefix = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bool print(const struct listing *listing, struct text *text, struct message *message) {
  struct machine machine;
  if (!machine_load(listing->machine, NULL, NULL, &machine, message))
    return message_within(message, "--machine");
  manual_params(&machine, listing->prefix, listing->markdown, text);
  if (text->length)
    return true;
  char nearest[64];
  param_find(machine_groups, MACHINE_GROUPS, listing->prefix, NULL, nearest);
  return message_fail(message, "no parameter starts with '%.60s'%s%s%s", listing->prefix,
                      *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
}

int verb_params(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"machine", 'm', "NAME|FILE", 0, "Show the values of this machine (default: teaching)", 0},
      {"markdown", 'd', NULL, 0, "As tables in Markdown, with where values were seen", 0},
      {0}};
  static const struct argp argp = {
      options,
      parse_option,
      "[PREFIX]",
      "Lists the parameters of a machine, all or those that start with PREFIX, such as dma "
      "or cu.int.",
      NULL,
      NULL,
      NULL};
  struct listing listing = {.machine = "teaching"};
  struct text text = {0};
  bool good = cli_parse(&argp, argc, argv, &listing.message) && print(&listing, &text, &listing.message) &&
              cli_output(NULL, text.data, text.length, &listing.message);
  free(text.data);
  return good ? STATUS_FINE : cli_bad_input(&listing.message);
}
