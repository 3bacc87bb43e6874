/* The command line: one function a verb, and what they share. */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include "sim/base/version.h"
#include "sim/cli/command.h"
#include "sim/console/console.h"

/* Each returns an exit status. */
typedef int verb_function(struct command *command);
#define VERB(id, function, ...) verb_function verb_##function;
#include "sim/cli/verbs.def"

/* Runs the verb that the words name; NULL is behind the last of them. `functions` has one for each verb that there is
 * in this program. Returns its exit status. */
int cli_run(verb_function *const functions[VERBS], char **words);

/* How a verb ends whose answer is a text: prints it, or the message if all was not good. Frees the text, and returns
 * the exit status. */
int cli_end(struct text *text, bool good, struct message *message);

#endif
