/* The command line: one function a verb, and what they share. */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include "sim/base/caller.h"
#include "sim/base/message.h"
#include "sim/base/text.h"
#include "sim/base/version.h"
#include "sim/cli/command.h"

/* Each returns an exit status. */
typedef int verb_function(struct command *command);
#define VERB(id, function, ...) verb_function verb_##function;
#include "sim/cli/verbs.def"

/* Runs the verb that the words name; NULL is behind the last of them. `functions` has one for each verb that there is
 * in this program. Returns its exit status. */
int cli_run(verb_function *const functions[VERBS], char **words);

/* An input that the user names `word`, - being standard input: where it is read. What comes through a pipe is read more
 * than once, so it is kept in a file without a name, which is standard input from then on. */
bool cli_input(const char *word, const char **path, struct message *message);

/* Where need() or the JSON parser gets no memory, the program ends with STATUS_BAD_INPUT and a line with these words of
 * the command. */
void cli_tell_memory(int argc, char **argv);

/* Prints the line to stderr. */
void message_print(const struct message *message);

/* Prints the message and returns STATUS_BAD_INPUT. */
int cli_bad_input(const struct message *message);

/* Writes to `path`, or to standard output when it is NULL, in one piece. A file and a pipe get the bytes as they are; a
 * terminal gets no control characters (text_screen()), whatever a kernel prints or a file is called. */
bool cli_output(const char *path, const char *data, size_t size, struct message *message);

/* That to standard output, with colors of ours, of a text whose foreign words have no control characters. */
bool cli_output_painted(const char *text, struct message *message);

/* printf(), likewise. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same to standard output, of a text that grows: once it has some length, it is written and begun again. */
bool cli_output_some(struct text *text, struct message *message);

/* Who only wants warnings, on stderr. Work that takes long has a terminal (terminal.h). */
extern const struct caller cli_caller;

/* Standard output, for who writes text as it grows. */
extern const struct sink cli_sink;

/* Whether all that was printed has reached standard output; told once. */
bool cli_flush(struct message *message);

#endif
