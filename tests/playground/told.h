/* tools/playground/ini.c and inih on the same text: what each of them reports, for comparison. */
#ifndef WARPWAIT_TESTS_PLAYGROUND_TOLD_H
#define WARPWAIT_TESTS_PLAYGROUND_TOLD_H

#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ini_parse_stream playground_ini_parse_stream
int playground_ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user);
#include "tools/playground/ini.c"
#undef ini_parse_stream

enum { SAID = 1 << 18 };

/* What a reader reported: "section|name|value" lines. A name that begins with 'x' is refused. */
struct told {
  const char *rest;
  size_t length;
  char text[SAID];
};

static inline char *next_line(char *line, int size, void *context) {
  struct told *told = context;
  const size_t length = strcspn(told->rest, "\n");
  if (!*told->rest)
    return NULL;
  snprintf(line, (size_t)size, "%.*s", (int)length, told->rest);
  told->rest += length + (told->rest[length] == '\n');
  return line;
}

static inline int on_key(void *context, const char *section, const char *name, const char *value) {
  struct told *told = context;
  const int length = snprintf(told->text + told->length, SAID - told->length, "%s|%s|%s\n", section, name, value);
  told->length += (size_t)length;
  if (told->length >= SAID)
    abort();
  return name[0] != 'x';
}

static inline void told_begin(struct told *told, const char *text) {
  told->rest = text;
  told->length = 0;
  told->text[0] = '\0';
}

/* Both read `text`. Whether they end at the same line (0 if there is no error) and have reported the same. */
static inline bool told_the_same(const char *text, struct told *ours, struct told *theirs) {
  told_begin(ours, text);
  told_begin(theirs, text);
  const int wrong = ini_parse_stream(next_line, theirs, on_key, theirs);
  return playground_ini_parse_stream(next_line, ours, on_key, ours) == wrong && strcmp(ours->text, theirs->text) == 0;
}

#endif
