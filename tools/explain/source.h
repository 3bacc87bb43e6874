/* A text with its code separated, and a list of changes to it. Only edits.c and loops.c include this header. */
#ifndef TOOLS_EXPLAIN_SOURCE_H
#define TOOLS_EXPLAIN_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#define DIRECTIVE '\1' /* replaces the bytes of a directive in `code` */

struct span {
  size_t from, to; /* bytes [from, to) */
};

struct change {
  struct span span;
  char *with;
};

struct source {
  const char *text;
  char *code;  /* as long as the text: comments, strings and character constants blank, directives marked */
  char *clean; /* as long as the text: comments and line ends blank */
  size_t length;
  struct change *change; /* sorted by position */
  size_t changes, room;
};

struct source source_read(const char *text);

/* Returns the changed text, or NULL if nothing changed; frees the source's memory. */
char *source_finish(struct source *source);

/* Replaces a span of the text by `with`, which the source then owns. Does nothing if an earlier change overlaps the
 * span. */
void source_change(struct source *source, struct span span, char *with);

/* Part of the text, on one line, without comments. */
char *source_part(const struct source *source, struct span span);

/* The same with every `name` replaced by (`as`). `as` may contain `name`. */
char *source_with(const struct source *source, struct span span, const char *name, const char *as);

bool source_of_name(char c);
size_t source_blanks(const struct source *source, size_t at); /* skips blanks */
struct span source_trim(const struct source *source, struct span span);
bool source_word_at(const struct source *source, size_t at, const char *word);
/* The first such word in the span; span.to: none. */
size_t source_find(const struct source *source, struct span span, const char *word);
bool source_has(const struct source *source, struct span span, const char *word);
/* The end of the bracket that opens at `at`; the text's length: it is not closed. */
size_t source_close(const struct source *source, size_t at);
/* The first of these characters that is not inside a bracket of the span; span.to: none. */
size_t source_cut(const struct source *source, struct span span, const char *any);
/* The name that begins at `at`; an empty span: none. */
struct span source_name(const struct source *source, size_t at);
/* Is the variable or element that ends at `at`, or a part of it, assigned there? */
bool source_assigned(const struct source *source, size_t at);

#endif
