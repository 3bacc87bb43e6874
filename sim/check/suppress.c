#include "sim/check/suppress.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { FILE_BYTES = 1 << 20, WORDS = 3, PARTS = 3 };

/* Patterns; NULL matches anything. */
struct pattern {
  const char *file, *number[2]; /* of the line, and of the column */
};

struct suppression {
  char *words; /* the other pointers point into this */
  char *said;  /* the line as written */
  const char *rule;
  struct pattern place[2]; /* here, the other */
  char *path;              /* of the file with this line */
  size_t number;           /* number of the line */
  bool used;
};

static bool fits(const char *pattern, const char *text) { return !pattern || fnmatch(pattern, text, 0) == 0; }

/* ---- reading ----------------------------------------------------------------------------------- */

/* The short name "X5" of "X5-destination-read-in-flight". */
static void identifier(const char *rule, char text[16]) { snprintf(text, 16, "%.*s", (int)strcspn(rule, "-"), rule); }

static bool fits_rule(const char *pattern, const char *rule) {
  char short_name[16];
  identifier(rule, short_name);
  return fits(pattern, rule) || fits(pattern, short_name);
}

static bool known_rule(const char *pattern, struct message *message) {
  const char *names[HAZARDS];
  char hint[2000];
  for (size_t i = 0; i < HAZARDS; i++) {
    names[i] = isa_hazard_rows[i].rule;
    if (fits_rule(pattern, names[i]))
      return true;
  }
  message_suggest(hint, sizeof hint, pattern, names, HAZARDS);
  return message_fail(message, "no rule '%.60s'%s", pattern,
                      strncmp(hint, "; did", 5) == 0 ? hint : "; legal: X5, X5-destination-read-in-flight, X*, ...");
}

/* Splits FILE[:LINE[:COLUMN]] at its colons. */
static bool read_place(char *word, struct pattern *place, struct message *message) {
  static const char *const names[] = {"line", "column"};
  char *rest = word;
  place->file = strsep(&rest, ":");
  if (!*place->file)
    return message_fail(message, "a place cannot begin with ':'; legal: FILE, FILE:LINE or FILE:LINE:COLUMN");
  for (size_t i = 0; rest && i < PARTS - 1; i++) {
    place->number[i] = strsep(&rest, ":");
    if (!*place->number[i] || place->number[i][strspn(place->number[i], "0123456789*?")])
      return message_fail(message, "'%.40s' is not a %s; legal: digits, * and ?", place->number[i], names[i]);
  }
  return !rest || message_fail(message, "'%.40s' follows the column; legal: FILE:LINE:COLUMN", rest);
}

static bool read_words(struct suppression *line, struct message *message) {
  char *rest = line->words, *word[WORDS + 1];
  size_t count = 0;
  for (char *next; count <= WORDS && (next = strsep(&rest, " \t\r"));)
    if (*next)
      word[count++] = next;
  if (count > WORDS)
    return message_fail(message, "'%.40s' is one word too many; legal: RULE [PLACE [OTHER-PLACE]]", word[WORDS]);
  line->rule = word[0];
  if (!known_rule(line->rule, message))
    return false;
  for (size_t i = 1; i < count; i++)
    if (!read_place(word[i], &line->place[i - 1], message))
      return false;
  return true;
}

/* Reads one line, without its comment and its end. */
static bool read_line(struct suppressions *all, const char *text, size_t length, const char *path, size_t number,
                      struct message *message) {
  while (length && strchr(" \t\r", text[length - 1]))
    length--;
  char *words = need(length + 1, 1);
  memcpy(words, text, length);
  if (!words[strspn(words, " \t\r")]) {
    free(words);
    return true;
  }
  struct suppression *line = vector_next(all->line, all->count, all->room);
  *line = (struct suppression){.words = words, .said = need_copy(words), .path = need_copy(path), .number = number};
  return read_words(line, message);
}

bool suppressions_read(struct suppressions *all, const char *path, struct message *message) {
  char *text = NULL;
  size_t size = 0, number = 0;
  if (!file_read(path, FILE_BYTES, &text, &size, message))
    return message_within(message, "--suppress");
  bool good = !memchr(text, '\0', size) ||
              message_fail(message, "%.300s: contains a zero byte; a file of suppressions is text", path);
  static const char mark[] = "\xef\xbb\xbf"; /* byte order mark, which some editors write */
  for (const char *at = text + (strncmp(text, mark, 3) == 0 ? 3 : 0); good && *at;) {
    const size_t length = strcspn(at, "\n");
    const size_t said = strcspn(at, "#\n");
    number++;
    good = read_line(all, at, said, path, number, message);
    if (!good)
      message_at(message, path, number);
    at += length + (at[length] == '\n');
  }
  free(text);
  return good;
}

/* ---- use --------------------------------------------------------------------------------------- */

/* Matches the whole path, or its end after any '/'. */
static bool fits_path(const char *pattern, const char *path) {
  for (const char *at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
    if (fits(pattern, at))
      return true;
  return false;
}

/* An unknown number matches only patterns that match anything. */
static bool fits_number(const char *pattern, uint32_t number) {
  char text[16] = "";
  if (number)
    snprintf(text, sizeof text, "%" PRIu32, number);
  return fits(pattern, text);
}

static bool fits_place(const struct pattern *pattern, const struct suppress_place *place) {
  if (!pattern->file)
    return true;
  return place && fits_path(pattern->file, place->path) && fits_number(pattern->number[0], place->line) &&
         fits_number(pattern->number[1], place->column);
}

bool suppressions_fit(struct suppressions *all, const char *rule, const struct suppress_place *here,
                      const struct suppress_place *other) {
  bool any = false;
  for (size_t i = 0; i < all->count; i++) {
    struct suppression *line = &all->line[i];
    if (!fits_rule(line->rule, rule) || !fits_place(&line->place[0], here) || !fits_place(&line->place[1], other))
      continue;
    any = line->used = true;
  }
  return any;
}

void suppressions_report_unused(const struct suppressions *all, const struct caller *caller) {
  struct message message;
  for (size_t i = 0; i < all->count; i++) {
    const struct suppression *line = &all->line[i];
    if (line->used)
      continue;
    message_fail(&message, "%.300s:%zu: note: '%.200s' suppressed nothing", line->path, line->number,
                 line->said + strspn(line->said, " \t\r"));
    caller_warn(caller, &message);
  }
}

void suppressions_free(struct suppressions *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->line[i].words);
    free(all->line[i].said);
    free(all->line[i].path);
  }
  free(all->line);
  *all = (struct suppressions){0};
}
