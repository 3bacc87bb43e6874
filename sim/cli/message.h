/* Messages: what a user error says, in one line.
 *
 * Whatever reads input returns false and leaves the line here, without "warpwait:" and without a
 * newline. main() prints the line and exits with CLI_BAD_INPUT. Text that came from outside may hold
 * anything; message_print() shows control characters as \x1b and the like, so that a line stays a line. */
#ifndef SIM_CLI_MESSAGE_H
#define SIM_CLI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses of every verb. */
enum cli_status {
  CLI_FINE = 0,
  CLI_WENT_WRONG = 1, /* the simulated kernel: a failed check, a deadlock, the cycle limit */
  CLI_BAD_INPUT = 2,  /* bad input or usage, or more than there is memory for, told in one line */
  CLI_DEFECT = 3,     /* ours: a broken invariant */
};

struct message {
  char text[1024];
};

/* Writes the line; always returns false, so that readers can `return message_fail(...)`. */
bool message_fail(struct message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before what the message already says. */
bool message_within(struct message *message, const char *prefix);

/* Prints the line to stderr. */
void message_print(const struct message *message);

/* "; did you mean 'x'?" for the nearest of `count` words, or ", legal: a, b, c" when none is near. */
void message_suggest(char *text, size_t size, const char *word, const char *const *words, size_t count);

#endif
