/* Standard input, output and error, as verbs see them: whole or told of, and safe to show on a terminal. */
#ifndef SIM_CONSOLE_CONSOLE_H
#define SIM_CONSOLE_CONSOLE_H

#include "sim/base/caller.h"
#include "sim/base/message.h"
#include "sim/base/text.h"

/* An input that the user names `word`, - being standard input: where it is read. What comes through a pipe is read more
 * than once, so it is kept in a file without a name, which is standard input from then on. */
bool console_input(const char *word, const char **path, struct message *message);

/* The folder of this program, with a slash at its end; "" when it is not known. */
enum { CONSOLE_PATH = 4096 };
void console_own_folder(char folder[CONSOLE_PATH]);

/* Becomes the first of these programs, which are paths from that folder. Returns when there is none, or it cannot be
 * started: errno says why, ENOENT that there is none. */
void console_become(const char *const *places, size_t count, char **words);

/* The whole of a process: work(self), whose exit status it returns; or, where need() or the JSON parser gets no memory,
 * STATUS_BAD_INPUT after a line with the words of the command, of which NULL is the last. */
int console_run(int (*work)(void *self), void *self, char *const *words);

/* Prints the line to stderr. */
void message_print(const struct message *message);

/* Prints the message and returns STATUS_BAD_INPUT. */
int console_bad_input(const struct message *message);

/* Writes to `path`, or to standard output when it is NULL, in one piece. A file and a pipe get the bytes as they are; a
 * terminal gets no control characters (text_screen()), whatever a kernel prints or a file is called. */
bool console_output(const char *path, const char *data, size_t size, struct message *message);

/* That to standard output, with colors of ours, of a text whose foreign words have no control characters. */
bool console_output_painted(const char *text, struct message *message);

/* printf(), likewise. */
void console_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same to standard output, of a text that grows: once it has some length, it is written and begun again. */
bool console_output_some(struct text *text, struct message *message);

/* Who only wants warnings, on stderr. Work that takes long has a terminal (terminal.h). */
extern const struct caller console_caller;

/* Standard output, for who writes text as it grows. */
extern const struct sink console_sink;

/* Whether all that was printed has reached standard output; told once. */
bool console_flush(struct message *message);

#endif
