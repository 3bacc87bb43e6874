/* Standard input, output and error for verbs: errors are reported, and output is safe to show on a terminal. */
#ifndef SIM_CLI_CONSOLE_H
#define SIM_CLI_CONSOLE_H

#include "sim/base/caller.h"
#include "sim/base/message.h"
#include "sim/base/text.h"

/* The path from which to read the input that the user calls `word`; - is standard input. Inputs are read more than
 * once, so a pipe's contents go to an unnamed file, which becomes standard input. */
bool console_input(const char *word, const char **path, struct message *message);

/* The folder of this program, with a final slash; "" if it is unknown. */
enum { CONSOLE_PATH = 4096 };
void console_own_folder(char folder[CONSOLE_PATH]);

/* Replaces this process by the first of these programs that exists; their paths start at that folder. Returns on
 * failure, with errno; ENOENT: none exists. */
void console_become(const char *const *places, size_t count, char **words);

/* Runs a whole process: work(self), and returns its exit status. If need() or the JSON parser runs out of memory,
 * prints a line with the words of the command (NULL follows the last) and returns STATUS_BAD_INPUT. */
int console_run(int (*work)(void *self), void *self, char *const *words);

/* Prints the line to stderr. */
void message_print(const struct message *message);

/* Prints the message and returns STATUS_BAD_INPUT. */
int console_bad_input(const struct message *message);

/* Writes to `path`, or to standard output if it is NULL, in one piece. Files and pipes get the bytes unchanged; a
 * terminal gets no control characters (text_screen()), whatever a kernel prints or a file's name contains. */
bool console_output(const char *path, const char *data, size_t size, struct message *message);

/* The same to standard output, keeping our colors; the text's foreign words must be free of control characters. */
bool console_output_painted(const char *text, struct message *message);

/* A caller that only takes warnings, on stderr. Long work uses a terminal (terminal.h). */
extern const struct caller console_caller;

/* Standard output as a sink. */
extern const struct sink console_sink;

/* Whether all printed text has reached standard output; reports a failure once. */
bool console_flush(struct message *message);

#endif
