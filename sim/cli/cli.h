/* The command line: one function a verb, and what they share. */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <argp.h>

#include "models/machine.h"
#include "sim/base/caller.h"
#include "sim/base/message.h"
#include "sim/base/text.h"
#include "sim/base/version.h"

/* Each takes "warpwait VERB" as argv[0] and returns an exit status. */
int verb_run(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_replay(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_trace(int argc, char **argv);
int verb_sweep(int argc, char **argv);
int verb_asm(int argc, char **argv);
int verb_dis(int argc, char **argv);
int verb_params(int argc, char **argv);
int verb_machines(int argc, char **argv);
int verb_playground(int argc, char **argv);

/* A row of a table of verbs. */
struct verb {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *text; /* for help */
};

/* Runs the verb that argv[1] names, which is there, with "argv[0] VERB" as its argv[0]. Returns its exit status. */
int cli_verb(const struct verb *verbs, size_t count, int argc, char **argv);

/* The word in a verb's place asks which there are. */
bool cli_asks_for_help(const char *word);

/* Prints a line for each. */
void cli_list_verbs(const struct verb *verbs, size_t count);

/* Parses a verb's arguments with argp, but says what is wrong in one line. A parser that refuses fills
 * the message at the start of its `input` and returns EINVAL. False: the message is filled. */
bool cli_parse(const struct argp *argp, int argc, char **argv, struct message *input);

/* A parser's answer to what it does not want: fills the message of its input. */
error_t cli_refuse(struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An option's value: a whole number in [minimum, maximum]; `unit` follows that in the message. */
error_t cli_number(struct argp_state *state, const char *option, const char *word, uint64_t minimum, uint64_t maximum,
                   const char *unit, uint64_t *number);

/* An input and an output, the latter behind the former or behind -o (`key` is 'o'). False: it is one word too many. */
bool cli_in_and_out(int key, const char *word, const char **in, const char **out);

/* An input that the user names `word`, - being standard input: where it is read. What comes through a pipe is read more
 * than once, so it is kept in a file without a name, which is standard input from then on. */
error_t cli_input(struct argp_state *state, const char *word, const char **path);

/* The whole of a process: run(argc, argv), whose exit status it returns; or, where need() or the JSON parser gets no
 * memory, STATUS_BAD_INPUT after a line with the words of the command. */
int cli_run(int (*run)(int argc, char **argv), int argc, char **argv);

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
