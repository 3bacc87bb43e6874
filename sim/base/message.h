/* Messages: what a user error says, in one line.
 *
 * Whatever reads input returns false and leaves the line here, without "warpwait:" and without a
 * newline. Text that came from outside may hold anything: who prints the line shows control characters as \x1b and the
 * like, so that a line stays a line. */
#ifndef SIM_BASE_MESSAGE_H
#define SIM_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* What became of a piece of work: the exit statuses of every verb. */
enum status {
  STATUS_FINE = 0,
  STATUS_WENT_WRONG = 1, /* the simulated kernel: a failed check, a deadlock, the cycle limit */
  STATUS_BAD_INPUT = 2,  /* bad input or usage, or more than there is memory for, told in one line */
  STATUS_DEFECT = 3,     /* ours: a broken invariant */
};

struct message {
  char text[1024];
};

/* Writes the line; always returns false, so that readers can `return message_fail(...)`. */
bool message_fail(struct message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before what the message already says. */
bool message_within(struct message *message, const char *prefix);

/* "; did you mean 'x'?" for the nearest of `count` words, or "; legal: a, b, c" when none is near. */
void message_suggest(char *text, size_t size, const char *word, const char *const *words, size_t count);

#endif
