/* Finds and calls the verb: verbs.def with functions. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"
#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"

static verb_function *const *functions; /* this program's */
static const char *built_from;          /* its commit; "": unknown */

static bool is_there(enum verb verb) {
  bool any = functions[verb];
  for (enum verb of = 0; !verb_rows[verb].operands && of < VERBS; of++)
    any |= verb_group(of) == verb && functions[of];
  return any;
}

static int refuse_verb(enum verb group, const char *word) {
  const char *names[VERBS];
  struct message message;
  char hint[200];
  size_t count = 0;
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (verb_group(verb) == group && *verb_rows[verb].summary && is_there(verb))
      names[count++] = verb_word(verb);
  message_suggest(hint, sizeof hint, word, names, count);
  message_fail(&message, "no verb '%.60s'%s", word, hint);
  return console_bad_input(&message);
}

static int print_version(void) {
  char tools[600];
  opencl_describe_tools(tools, sizeof tools);
  printf("warpwait %s%s%s%s\nOpenCL C: %s\n", WARPWAIT_VERSION, *built_from ? " (" : "", built_from,
         *built_from ? ")" : "", tools);
  return STATUS_FINE;
}

int cli_end(struct text *text, bool good, struct message *message) {
  good = good && sink_text(&console_sink, text, message);
  free(text->data);
  return good ? STATUS_FINE : console_bad_input(message);
}

static int print_help(enum verb verb) {
  struct text text = {0};
  struct message message;
  help_text(verb, &text);
  return cli_end(&text, true, &message);
}

static int run_parsed(struct command *command) {
  if (command->wants_version)
    return print_version();
  if (command->wants_help)
    return print_help(command->verb);
  const int status = functions[command->verb](command);
  assert((status == STATUS_BAD_INPUT || !command_forgotten(command)) && "a verb asks for each option of its rows");
  return status;
}

static int run_verb(enum verb verb, char **words) {
  struct command command;
  struct message message;
  const bool good = command_parse(&command, verb, words, &message);
  const int status = good ? run_parsed(&command) : console_bad_input(&message);
  command_free(&command);
  return status;
}

static bool asks_for_help(enum verb group, const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0 ||
         (group != NO_VERB && strcmp(word, "help") == 0);
}

/* Runs the verb of the group that the first word names. */
static int run_of_group(enum verb group, char **words) {
  struct message message;
  const char *word = words[0];
  if (!word) {
    message_fail(&message, "a verb is missing; `warpwait%s%s --help` lists them", group == NO_VERB ? "" : " ",
                 group == NO_VERB ? "" : verb_rows[group].name);
    return console_bad_input(&message);
  }
  if (asks_for_help(group, word))
    return print_help(group);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
    return print_version();
  if (group == VERB_SWEEP && strcmp(file_extension(word), ".ini") == 0) /* the short form */
    return run_verb(VERB_SWEEP_RUN, words);
  const enum verb verb = verb_named(group, word);
  if (verb == NO_VERB || !is_there(verb))
    return refuse_verb(group, word);
  return verb_rows[verb].operands ? run_verb(verb, words + 1) : run_of_group(verb, words + 1);
}

static int run_words(void *words) { return run_of_group(NO_VERB, words); }

int cli_run(verb_function *const all[VERBS], const char *commit, char **words) {
  functions = all;
  built_from = commit;
  return console_run(run_words, words, words);
}

int verb_help(struct command *command) {
  enum verb verb = NO_VERB;
  const char *word;
  for (size_t i = 0; (word = command_operand(command, i)); i++) {
    const enum verb of = verb_named(verb, word);
    if (of == NO_VERB)
      return refuse_verb(verb, word);
    verb = of;
  }
  return print_help(verb);
}
