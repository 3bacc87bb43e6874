/* Words and numbers of a line of text, and messages about them. */
#ifndef TRACES_TEXT_LEX_H
#define TRACES_TEXT_LEX_H

#include "traces/bytes.h"
#include "traces/trace.h"

/* The rest of a line of a file, from `at` on. */
struct lex {
  const char *path;
  uint64_t line;
  const char *at, *end;
  struct message *error;
};

/* A part of the line. `at` is NULL if there is none. */
struct slice {
  const char *at;
  size_t size;
};

/* A word, NAME=VALUE, or a list NAME=[...], whose value is what is inside the brackets. */
struct item {
  struct slice name, value;
  bool list;
};

/* Sets the error "PATH:LINE: ...". Returns false. */
bool lex_fail(const struct lex *lex, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the error "PATH:LINE: field 'x': 'v' is not WHAT". Returns false. */
bool lex_refuse(const struct lex *lex, const char *field, struct slice value, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* Skips blanks. Returns whether something follows before the end of the line or a comment. */
bool lex_more(struct lex *lex);

/* Takes the next item, which must exist. */
bool lex_item(struct lex *lex, struct item *item);
struct slice lex_word(struct lex *lex); /* up to the next blank */

bool slice_is(struct slice slice, const char *word);

/* The index of the word in a NULL-terminated list; that of the NULL if it is not in it. */
size_t slice_find(struct slice slice, const char *const *words);

/* A number: decimal or 0x; with a minus, modulo 2^64. */
bool slice_number(struct slice slice, uint64_t *number);

/* The value of a field, from `minimum` to `maximum`. `what` describes these in the message. */
bool lex_number(const struct lex *lex, const char *field, struct slice value, uint64_t minimum, uint64_t maximum,
                const char *what, uint64_t *number);

/* N or N..M, where N <= M <= maximum. */
bool lex_range(const struct lex *lex, const char *field, struct slice value, uint64_t maximum, const char *what,
               uint64_t range[2]);

/* Takes one of the words of a NULL-terminated list. Sets *number to its index. */
bool lex_one_of(const struct lex *lex, const char *field, struct slice value, const char *const *words, size_t *number);

#endif
