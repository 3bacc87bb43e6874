/* The command line: one function per verb, and what verbs share. */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include "sim/base/version.h"
#include "sim/cli/command.h"
#include "sim/cli/console.h"

/* Each returns an exit status. */
typedef int verb_function(struct command *command);
#define VERB(id, function, ...) verb_function verb_##function;
#include "sim/cli/verbs.def"

/* Runs the verb that the words name; NULL follows the last word. `functions` has one entry for each verb, NULL for
 * verbs that this program lacks. `commit` is what the program was built from, or "". Returns the verb's exit status. */
int cli_run(verb_function *const functions[VERBS], const char *commit, char **words);

/* Ends a verb whose answer is a text: prints the text, or the message unless `good`. Frees the text and returns the
 * exit status. */
int cli_end(struct text *text, bool good, struct message *message);

#endif
