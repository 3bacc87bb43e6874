/* Words and numbers of a line of text, and what is said when they are wrong. */
#ifndef TRACES_TEXT_LEX_H
#define TRACES_TEXT_LEX_H

#include "traces/bytes.h"
#include "traces/trace.h"

/* A line of a file, from `at` on. */
struct lex {
  const char *path;
  uint64_t line;
  const char *at, *end;
  struct trace_error *error;
};

/* A part of the line; `at` is NULL when there is none. */
struct slice {
  const char *at;
  size_t size;
};

/* A word, NAME=VALUE, or a list, NAME=[...], of which the value has the inside. */
struct item {
  struct slice name, value;
  bool list;
};

/* "PATH:LINE: ...". Returns false. */
bool lex_fail(const struct lex *lex, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "PATH:LINE: field 'x': 'v' is not WHAT". Returns false. */
bool lex_refuse(const struct lex *lex, const char *field, struct slice value, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether there is more before the line's end or a comment; goes there. */
bool lex_more(struct lex *lex);

/* What comes next, which there is. */
bool lex_item(struct lex *lex, struct item *item);
struct slice lex_word(struct lex *lex); /* up to the next blank */

bool slice_is(struct slice slice, const char *word);

/* The number of the word in a list up to NULL, or its end. */
size_t slice_find(struct slice slice, const char *const *words);

/* Decimal or 0x; with a minus modulo 2^64. */
bool slice_number(struct slice slice, uint64_t *number);

/* The value of a field, from `minimum` to `maximum`; `what` names these for people. */
bool lex_number(const struct lex *lex, const char *field, struct slice value, uint64_t minimum, uint64_t maximum,
                const char *what, uint64_t *number);

/* N, or N..M, with N <= M <= maximum. */
bool lex_range(const struct lex *lex, const char *field, struct slice value, uint64_t maximum, const char *what,
               uint64_t range[2]);

/* One of the words, up to NULL: its number. */
bool lex_one_of(const struct lex *lex, const char *field, struct slice value, const char *const *words, size_t *number);

#endif
