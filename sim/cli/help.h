/* --help: the rows of a verb as text for a terminal. */
#ifndef SIM_CLI_HELP_H
#define SIM_CLI_HELP_H

#include "sim/base/text.h"
#include "sim/cli/rows.h"

/* The help of a verb or a group; NO_VERB: of the program. */
void help_text(enum verb verb, struct text *text);

/* "-m, --machine NAME|FILE", "--why[=yes|no]" */
enum { HELP_OPTION = 80 };
void help_option(const struct option_row *row, char option[HELP_OPTION]);

/* One form of the command, read from *operands, which moves to the next form: "warpwait run [OPTION...] LAUNCH.json".
 * False: there are no more. */
enum { HELP_USAGE = 120 };
bool help_usage(enum verb verb, const char **operands, char usage[HELP_USAGE]);

/* What the program is, and what its exit statuses mean. */
extern const char help_program[], help_program_more[];

/* The lines that explain the exit statuses; "" for verbs that need none. */
void help_exit(enum verb verb, struct text *text);

/* Appends an empty line and the command that helps after the verb, or nothing. Text reports end with it. */
void help_next(enum verb verb, struct text *text);

/* The same with a report that the caller has allocated: returns it longer. An empty one stays empty. */
char *help_report(enum verb verb, char *report);

#endif
