#include "sim/cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/text.h"

/* ---- errors -------------------------------------------------------------------------------------- */

/* Other tools have --json; here it is a form of the report. */
static const char *habit_of(enum verb verb, const char *word) {
  return strcmp(word, "--json") == 0 && option_named(verb, "report") ? "--report json" : NULL;
}

static bool refuse_unknown(enum verb verb, const char *word, struct message *message) {
  const char *names[OPTIONS], *near = NULL;
  char asked[64];
  size_t count = 0;
  snprintf(asked, sizeof asked, "%.*s", (int)strcspn(word, "="), word);
  const char *habit = habit_of(verb, asked);
  for (size_t i = 0; i < option_row_count; i++)
    if (is_of(option_rows[i].verbs, verb) && option_rows[i].group != GROUP_HIDDEN)
      names[count++] = option_rows[i].name;
  for (size_t i = 0; strncmp(asked, "--", 2) == 0 && !habit && i < option_row_count; i++)
    if (strcmp(asked + 2, option_rows[i].name) == 0 && option_rows[i].group != GROUP_HIDDEN)
      return message_fail(message, "%s: is not an option of this verb, but of `warpwait %s`", asked,
                          verb_rows[__builtin_ctzll(option_rows[i].verbs)].name);
  if (strncmp(asked, "--", 2) == 0 && !habit)
    near = nearest_word(asked + 2, names, count, sizeof *names);
  if (habit || near)
    return message_fail(message, "%s: no such option; did you mean '%s%s'?", asked, habit ? "" : "--",
                        habit ? habit : near);
  return message_fail(message, "%s: no such option; --help lists them", asked);
}

bool read_number(const char *option, const char *word, uint64_t minimum, uint64_t maximum, const char *unit,
                 uint64_t *number, struct message *message) {
  const char *at = word;
  if (text_read_whole(&at, number) && !*at && *number >= minimum && *number <= maximum)
    return true;
  return message_fail(message, "%s: '%.60s' is not a whole number in [%" PRIu64 ", %" PRIu64 "]%s", option, word,
                      minimum, maximum, unit);
}

bool read_choice(const char *choices, const char *word, uint64_t *number) {
  *number = 0;
  for (const char *at = choices; *at; at += strspn(at, "|"), (*number)++) {
    const size_t length = strcspn(at, "|");
    if (strlen(word) == length && strncmp(word, at, length) == 0)
      return true;
    at += length;
  }
  return false;
}

static bool refuse_choice(const struct option_row *row, const char *word, struct message *message) {
  char choices[100];
  snprintf(choices, sizeof choices, "%s", row->value);
  for (char *bar = choices; (bar = strchr(bar, '|'));)
    *bar = ' ';
  return message_fail(message, "--%s: '%.60s' is not one of: %s", row->name, word, choices);
}

/* ---- options ------------------------------------------------------------------------------------- */

/* The words being parsed; `at` is the next one. */
struct parsing {
  struct command *command;
  size_t at;
  struct message *message;
};

static bool add(struct parsing *parsing, const struct option_row *row, const char *word) {
  struct command *command = parsing->command;
  struct given given = {.row = row, .word = word};
  char name[40];
  snprintf(name, sizeof name, "--%s", row->name);
  if (word && row->kind.is == VALUE_NUMBER &&
      !read_number(name, word, row->kind.minimum, row->kind.maximum, row->kind.unit, &given.number, parsing->message))
    return false;
  if (word && row->kind.is == VALUE_CHOICE && !read_choice(row->value, word, &given.number))
    return refuse_choice(row, word, parsing->message);
  command->wants_help |= row->id == OPTION_HELP;
  command->wants_version |= row->id == OPTION_VERSION;
  command->given = need_more(command->given, command->count + 1, sizeof *command->given);
  command->given[command->count++] = given;
  return true;
}

/* An option at the end of `word`: if it needs a value, the next word is the value. */
static bool add_last(struct parsing *parsing, const struct option_row *row, const char *word) {
  struct command *command = parsing->command;
  if (row->kind.is == VALUE_NONE || row->kind.optional)
    return add(parsing, row, NULL);
  if (parsing->at == command->word_count)
    return message_fail(parsing->message, "%.60s: needs a value, %s", word, row->value);
  return add(parsing, row, command->words[parsing->at++]);
}

static bool take_name(struct parsing *parsing, const char *word) {
  const size_t length = strcspn(word, "=");
  const struct option_row *row = option_found(parsing->command->verb, word + 2, length - 2);
  if (!row)
    return refuse_unknown(parsing->command->verb, word, parsing->message);
  if (!word[length])
    return add_last(parsing, row, word);
  if (row->kind.is == VALUE_NONE)
    return message_fail(parsing->message, "%.60s: takes no value", word);
  return add(parsing, row, word + length + 1);
}

/* "-qo FILE", "-oFILE" */
static bool take_letters(struct parsing *parsing, const char *word) {
  for (const char *letter = word + 1; *letter; letter++) {
    const struct option_row *row = option_lettered(parsing->command->verb, *letter);
    if (!row)
      return refuse_unknown(parsing->command->verb, word, parsing->message);
    if (row->kind.is != VALUE_NONE && letter[1])
      return add(parsing, row, letter + 1);
    if (!add_last(parsing, row, word))
      return false;
  }
  return true;
}

static bool take_all(struct parsing *parsing) {
  struct command *command = parsing->command;
  bool good = true, options = true;
  while (good && parsing->at < command->word_count) {
    const char *word = command->words[parsing->at++];
    if (options && strcmp(word, "--") == 0)
      options = false;
    else if (!options || word[0] != '-' || !word[1])
      words_add(&command->operands, word);
    else
      good = word[1] == '-' ? take_name(parsing, word) : take_letters(parsing, word);
  }
  return good;
}

static bool check_operands(const struct command *command, struct message *message) {
  const struct operands_row *row = &operands_rows[command->verb];
  if (command->operands.count > row->most)
    return message_fail(message, "%.60s: %s", command->operands.word[row->most], row->enough);
  return command->operands.count >= row->fewest || message_fail(message, "%s", row->missing);
}

/* A request for help is granted despite any error in the other words. */
static bool asks(struct command *command) {
  for (size_t i = 0; i < command->word_count && strcmp(command->words[i], "--") != 0; i++) {
    const char *word = command->words[i];
    command->wants_help |= strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0;
    command->wants_version |= strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
  }
  return command->wants_help || command->wants_version;
}

bool command_parse(struct command *command, enum verb verb, char **words, struct message *message) {
  *command = (struct command){.verb = verb, .words = words};
  while (words[command->word_count])
    command->word_count++;
  struct parsing parsing = {command, 0, message};
  if (!option_named(verb, "help") || asks(command))
    return true;
  return take_all(&parsing) && (command->wants_help || command->wants_version || check_operands(command, message));
}

void command_free(struct command *command) {
  free(command->given);
  free(command->operands.word);
}

/* ---- queries ------------------------------------------------------------------------------------- */

/* The first occurrence at or after *at, which moves past it; NULL: there is none. */
static struct given *next(struct command *command, enum option option, size_t *at) {
  while (*at < command->count) {
    struct given *given = &command->given[(*at)++];
    if (given->row->id == option) {
      given->asked = true;
      return given;
    }
  }
  return NULL;
}

static const struct given *last(struct command *command, enum option option) {
  const struct given *found = NULL;
  size_t at = 0;
  for (const struct given *given; (given = next(command, option, &at));)
    found = given;
  return found;
}

bool command_has(struct command *command, enum option option) { return last(command, option); }

const char *command_word(struct command *command, enum option option) {
  const struct given *given = last(command, option);
  return given ? given->word : NULL;
}

uint64_t command_choice(struct command *command, enum option option) {
  const struct given *given = last(command, option);
  return given ? given->number : 0;
}

bool command_number(struct command *command, enum option option, uint64_t *number) {
  const struct given *given = last(command, option);
  *number = given ? given->number : *number;
  return given;
}

const char *command_next(struct command *command, enum option option, size_t *at) {
  const struct given *given = next(command, option, at);
  return given ? given->word : NULL;
}

struct words command_words(struct command *command, enum option option) {
  struct words words = {0};
  size_t at = 0;
  for (const char *word; (word = command_next(command, option, &at));)
    words_add(&words, word);
  return words;
}

const char *command_operand(const struct command *command, size_t number) {
  return number < command->operands.count ? command->operands.word[number] : NULL;
}

bool command_in_and_out(struct command *command, const char **in, const char **out, struct message *message) {
  const struct operands_row *row = &operands_rows[command->verb];
  const char *named = command_word(command, OPTION_OUT);
  const size_t most = named ? 1 : 2;
  *in = command_operand(command, 0);
  *out = named ? named : command_operand(command, 1);
  if (command->operands.count > most)
    return message_fail(message, "%.60s: %s", command->operands.word[most], row->enough);
  return (*in && *out) || message_fail(message, "%s", row->missing);
}

const struct option_row *command_forgotten(const struct command *command) {
  for (size_t i = 0; i < command->count; i++)
    if (!command->given[i].asked)
      return command->given[i].row;
  return NULL;
}
