/* A command line, parsed by the rows of its verb: options in order, then operands.
 *
 *     warpwait run -qm h200 --set dma.queue=2 k.cl --report=json      options may follow operands
 *                   └┬──┘   └───┬───────────┘ └┬─┘ └─────┬─────┘
 *                 letters      name         operand     a unique prefix of a name is enough
 *
 * Invariant: after command_parse(), numbers and choices are legal, and the number of operands is one that the verb
 * takes. A verb reads every option that it was given: an option that no code reads is a defect
 * (command_forgotten()). */
#ifndef SIM_CLI_COMMAND_H
#define SIM_CLI_COMMAND_H

#include "sim/base/message.h"
#include "sim/base/words.h"
#include "sim/cli/rows.h"

struct given {
  const struct option_row *row;
  const char *word; /* its value; NULL: none */
  uint64_t number;  /* the value as a number, or the index of the choice */
  bool asked;
};

struct command {
  enum verb verb;
  struct given *given;
  size_t count;
  struct words operands;
  char **words; /* all words after the verb, as typed; NULL follows the last */
  size_t word_count;
  bool wants_help, wants_version; /* then the other words are not checked */
};

/* Parses the words after the verb. False with the message filled; the caller frees the command in either case. Words of
 * a verb without rows are not parsed. */
bool command_parse(struct command *command, enum verb verb, char **words, struct message *message);
void command_free(struct command *command);

/* Queries of one option. The last occurrence counts. Every verb may query every option. */
bool command_has(struct command *command, enum option option);
const char *command_word(struct command *command, enum option option); /* NULL: not given */
uint64_t command_choice(struct command *command, enum option option);  /* 0, the first, if not given */

/* False, leaving *number unchanged, if the option was not given. */
bool command_number(struct command *command, enum option option, uint64_t *number);

/* For repeatable options: the first value at or after *at, which moves past it, or NULL. */
const char *command_next(struct command *command, enum option option, size_t *at);

/* All values of the option; the caller frees the list. */
struct words command_words(struct command *command, enum option option);

/* The operand, or NULL. */
const char *command_operand(const struct command *command, size_t number);

/* An input and an output; the output is an operand or --out. */
bool command_in_and_out(struct command *command, const char **in, const char **out, struct message *message);

/* The first option given that no code has queried, or NULL. */
const struct option_row *command_forgotten(const struct command *command);

/* Reads a part of the value of `option`, such as "--order": a whole number in [minimum, maximum]. `unit` follows the
 * range in the message. */
bool read_number(const char *option, const char *word, uint64_t minimum, uint64_t maximum, const char *unit,
                 uint64_t *number, struct message *message);

/* The index of the word in "first|second"; false: it is none of them. */
bool read_choice(const char *choices, const char *word, uint64_t *number);

#endif
