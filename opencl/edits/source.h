/* A text with its code apart, and a list of changes of it. Nobody but edits.c and loops.c includes it. */
#ifndef OPENCL_EDITS_SOURCE_H
#define OPENCL_EDITS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#define DIRECTIVE '\1' /* what the bytes of a directive are in `code` */

struct span {
  size_t from, to; /* bytes [from, to) */
};

struct change {
  struct span span;
  char *with;
};

struct source {
  const char *text;
  char *code;  /* as long as the text: comments, strings and characters blank, directives marked */
  char *clean; /* likewise, comments alone blank, ends of lines too */
  size_t length;
  struct change *change; /* in order of their places */
  size_t changes;
};

struct source source_read(const char *text);

/* The text as changed, or NULL when nothing was; frees the source. */
char *source_finish(struct source *source);

/* Puts `with`, which the source then owns, in the place of some text; not if some of it has another in its place. */
void source_change(struct source *source, struct span span, char *with);

/* A part of the text in one line, without comments. */
char *source_part(const struct source *source, struct span span);

/* The same with every `name` in parentheses, and as `as` says; `as` has no name of the text's. */
char *source_with(const struct source *source, struct span span, const char *name, const char *as);

bool source_of_name(char c);
size_t source_blanks(const struct source *source, size_t at); /* past blanks */
struct span source_trim(const struct source *source, struct span span);
bool source_word_at(const struct source *source, size_t at, const char *word);
/* The first such word in the span; span.to: there is none. */
size_t source_find(const struct source *source, struct span span, const char *word);
bool source_has(const struct source *source, struct span span, const char *word);
/* What closes the bracket at `at`; the text's length: nothing. */
size_t source_close(const struct source *source, size_t at);
/* The first of these characters that no bracket of the span holds; span.to: none. */
size_t source_cut(const struct source *source, struct span span, const char *any);
/* The name that begins at `at`: an empty span when none does. */
struct span source_name(const struct source *source, size_t at);
bool source_same(const struct source *source, struct span span, const char *word);

#endif
