#include "tools/explain/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"

/* ---- code ------------------------------------------------------------------------------------------- */

static void blank(struct source *source, size_t from, size_t to, bool clean) {
  for (size_t i = from; i < to; i++) {
    source->code[i] = source->text[i] == '\n' ? '\n' : ' ';
    source->clean[i] = clean || source->text[i] == '\n' ? ' ' : source->text[i];
  }
}

static size_t end_of_comment(const char *text, size_t at) {
  const char *end = text[at + 1] == '*' ? strstr(text + at + 2, "*/") : NULL;
  if (text[at + 1] == '*')
    return end ? (size_t)(end - text) + 2 : strlen(text);
  return at + strcspn(text + at, "\n");
}

static size_t end_of_quoted(const char *text, size_t at) {
  const char quote = text[at++];
  while (text[at] && text[at] != quote && text[at] != '\n')
    at += text[at] == '\\' && text[at + 1] ? 2 : 1;
  return text[at] == quote ? at + 1 : at;
}

/* A directive continues after a line that ends in a backslash. */
static size_t end_of_directive(const char *text, size_t at) {
  while (text[at] && (text[at] != '\n' || text[at - 1] == '\\'))
    at++;
  return at;
}

static bool begins_line(const char *text, size_t at) {
  while (at && (text[at - 1] == ' ' || text[at - 1] == '\t'))
    at--;
  return !at || text[at - 1] == '\n';
}

struct source source_read(const char *text) {
  struct source source = {.text = text, .code = need_copy(text), .clean = need_copy(text), .length = strlen(text)};
  for (size_t i = 0, end; i < source.length; i = end) {
    end = i + 1;
    if (text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '*')) {
      blank(&source, i, end = end_of_comment(text, i), true);
    } else if (text[i] == '"' || text[i] == '\'') {
      blank(&source, i, end = end_of_quoted(text, i), false);
    } else if (text[i] == '#' && begins_line(text, i)) {
      end = end_of_directive(text, i);
      memset(source.code + i, DIRECTIVE, end - i);
    } else if (text[i] == '\n') {
      source.clean[i] = ' ';
    }
  }
  return source;
}

/* ---- changes ---------------------------------------------------------------------------------------- */

static bool overlap(struct span a, struct span b) { return a.from < b.to && b.from < a.to; }

void source_change(struct source *source, struct span span, char *with) {
  for (size_t i = 0; i < source->changes; i++)
    if (overlap(source->change[i].span, span)) {
      free(with);
      return;
    }
  source->change = vector_room(source->change, &source->room, source->changes + 1, sizeof *source->change);
  size_t at = source->changes++;
  for (; at && source->change[at - 1].span.from > span.from; at--)
    source->change[at] = source->change[at - 1];
  source->change[at] = (struct change){span, with};
}

/* Line ends that a change removes are added after it, so that lines keep their numbers. */
static void put_change(const struct source *source, const struct change *change, struct text *out) {
  size_t lines = 0;
  for (size_t i = change->span.from; i < change->span.to; i++)
    lines += source->text[i] == '\n';
  for (const char *at = change->with; *at; at++)
    lines -= *at == '\n';
  text_print(out, "%s", change->with);
  while (lines--)
    text_print(out, "\n");
}

char *source_finish(struct source *source) {
  struct text made = {0};
  size_t at = 0;
  for (size_t i = 0; i < source->changes; i++) {
    const struct change *change = &source->change[i];
    text_add(&made, source->text + at, change->span.from - at);
    put_change(source, change, &made);
    at = change->span.to;
    free(change->with);
  }
  if (source->changes)
    text_print(&made, "%s", source->text + at);
  free(source->change);
  free(source->code);
  free(source->clean);
  *source = (struct source){0};
  return made.data;
}

char *source_part(const struct source *source, struct span span) {
  return need_print("%.*s", (int)(span.to - span.from), source->clean + span.from);
}

char *source_with(const struct source *source, struct span span, const char *name, const char *as) {
  struct text made = {0};
  size_t at = span.from;
  for (;;) {
    const size_t found = source_find(source, (struct span){at, span.to}, name);
    text_add(&made, source->clean + at, found - at);
    if (found == span.to)
      return made.data;
    text_print(&made, "(%s)", as);
    at = found + strlen(name);
  }
}

/* ---- words and brackets ------------------------------------------------------------------------------ */

bool source_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

size_t source_blanks(const struct source *source, size_t at) {
  while (isspace((unsigned char)source->code[at]))
    at++;
  return at;
}

struct span source_trim(const struct source *source, struct span span) {
  while (span.from < span.to && isspace((unsigned char)source->code[span.from]))
    span.from++;
  while (span.from < span.to && isspace((unsigned char)source->code[span.to - 1]))
    span.to--;
  return span;
}

bool source_word_at(const struct source *source, size_t at, const char *word) {
  const size_t length = strlen(word);
  return strncmp(source->code + at, word, length) == 0 && (!at || !source_of_name(source->code[at - 1])) &&
         !source_of_name(source->code[at + length]);
}

size_t source_find(const struct source *source, struct span span, const char *word) {
  for (size_t at = span.from; at + strlen(word) <= span.to; at++)
    if (source_word_at(source, at, word))
      return at;
  return span.to;
}

bool source_has(const struct source *source, struct span span, const char *word) {
  return source_find(source, span, word) < span.to;
}

size_t source_close(const struct source *source, size_t at) {
  size_t depth = 0;
  for (; source->code[at]; at++) {
    depth += strchr("([{", source->code[at]) != NULL;
    if (strchr(")]}", source->code[at]) && --depth == 0)
      return at;
  }
  return source->length;
}

size_t source_cut(const struct source *source, struct span span, const char *any) {
  for (size_t at = span.from; at < span.to; at++) {
    if (strchr(any, source->code[at]))
      return at;
    if (strchr("([{", source->code[at]))
      at = source_close(source, at);
  }
  return span.to;
}

struct span source_name(const struct source *source, size_t at) {
  struct span name = {at, at};
  while (source_of_name(source->code[name.to]))
    name.to++;
  return isdigit((unsigned char)source->code[at]) ? (struct span){at, at} : name;
}

bool source_assigned(const struct source *source, size_t at) {
  for (at = source_blanks(source, at); source->code[at] == '[' || source->code[at] == '.';
       at = source_blanks(source, at)) {
    const bool part = source->code[at] == '[';
    at = part ? source_close(source, at) : source_name(source, source_blanks(source, at + 1)).to;
    at += part && at < source->length;
  }
  const char *code = source->code + at;
  return (*code == '=' && code[1] != '=') || (*code && strchr("+-*/%&|^", *code) && code[1] == '=') ||
         strncmp(code, "<<=", 3) == 0 || strncmp(code, ">>=", 3) == 0 || strncmp(code, "++", 2) == 0 ||
         strncmp(code, "--", 2) == 0;
}
