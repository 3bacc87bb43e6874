/* A command line, taken apart by the rows of its verb: options in their order, then operands.
 *
 *     warpwait run -qm h200 --set dma.queue=2 k.cl --report=json      options may stand behind operands
 *                   └┬──┘   └───┬───────────┘ └┬─┘ └─────┬─────┘
 *                 letters      name         operand     a beginning that no other option has will do
 *
 * Invariant: numbers and choices are legal once command_parse() has returned, and operands are as many as the verb
 * takes. What a verb is given it asks for: an option that nobody asked for is a defect (command_forgotten()). */
#ifndef SIM_CLI_COMMAND_H
#define SIM_CLI_COMMAND_H

#include "sim/base/message.h"
#include "sim/base/words.h"
#include "sim/cli/rows.h"

struct given {
  const struct option_row *row;
  const char *word; /* its value; NULL: it has none */
  uint64_t number;  /* that, as a number, or which of the choices */
  bool asked;
};

struct command {
  enum verb verb;
  struct given *given;
  size_t count;
  struct words operands;
  char **words; /* all behind the verb, as they were typed; NULL behind the last */
  size_t word_count;
  bool wants_help, wants_version; /* then nothing else is looked at */
};

/* Takes the words behind the verb apart. False with the message filled; the caller frees the command anyway. Words of a
 * verb without rows are not looked at. */
bool command_parse(struct command *command, enum verb verb, char **words, struct message *message);
void command_free(struct command *command);

/* What was given of an option; the last time counts. Every verb may ask for every option. */
bool command_has(struct command *command, enum option option);
const char *command_word(struct command *command, enum option option); /* NULL: not given */
uint64_t command_choice(struct command *command, enum option option);  /* 0, the first, if not given */

/* False, and *number stays, if it was not given. */
bool command_number(struct command *command, enum option option, uint64_t *number);

/* All of them: the value at or behind *at, which goes on, or NULL. */
const char *command_next(struct command *command, enum option option, size_t *at);

/* These values, which the caller frees as a list. */
struct words command_words(struct command *command, enum option option);

/* The operand, or NULL. */
const char *command_operand(const struct command *command, size_t number);

/* An input and an output, the latter as an operand or as --out. */
bool command_in_and_out(struct command *command, const char **in, const char **out, struct message *message);

/* The first option that nobody asked for, or NULL. */
const struct option_row *command_forgotten(const struct command *command);

/* A part of a value of `option`, "--order": a whole number in [minimum, maximum]; `unit` follows that in the message.
 */
bool read_number(const char *option, const char *word, uint64_t minimum, uint64_t maximum, const char *unit,
                 uint64_t *number, struct message *message);

/* Which of the words in "first|second" this is; false: none. */
bool read_choice(const char *choices, const char *word, uint64_t *number);

#endif
