/* Messages: user errors, in one line.
 *
 * Code that reads input returns false and leaves the line here, without "warpwait:" and without a newline. Text from
 * outside may contain anything: the code that prints the line shows control characters as \x1b and the like, so that a
 * line stays a line. */
#ifndef SIM_BASE_MESSAGE_H
#define SIM_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The outcome of a piece of work: the exit status of every verb. */
enum status {
  STATUS_FINE = 0,
  STATUS_WENT_WRONG = 1, /* the simulated kernel: a failed check, a deadlock, the cycle limit */
  STATUS_BAD_INPUT = 2,  /* bad input or usage, or out of memory; reported in one line */
  STATUS_DEFECT = 3,     /* our defect: a broken invariant */
};

struct message {
  char text[1024];
};

/* Writes the line. Always returns false, so that readers can `return message_fail(...)`. */
bool message_fail(struct message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the message; returns false. */
bool message_within(struct message *message, const char *prefix);

/* Puts "PATH:LINE: " before the message, or "PATH: " if the line is 0; returns false. */
bool message_at(struct message *message, const char *path, uint64_t line);
#define message_fail_at(message, path, line, ...) (message_fail(message, __VA_ARGS__), message_at(message, path, line))

/* Writes "; did you mean 'x'?", or "" if `near` is NULL or empty. Returns the text. */
enum { MESSAGE_HINT = 100 };
const char *message_hint(char text[MESSAGE_HINT], const char *near);

/* Writes "; did you mean 'x'?" for the nearest of `count` words, or "; legal: a, b, c" if none is near. */
void message_suggest(char *text, size_t size, const char *word, const char *const *words, size_t count);

#endif
