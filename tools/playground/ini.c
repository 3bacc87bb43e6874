/* Debian has inih only for its own architectures, and no longer as source. So this is the one function of inih that
 * reads machine files, for the playground. It accepts the same lines with the same results (a test compares it with
 * inih), with the options of Debian's build: a byte-order mark, comments after values, and values that continue on
 * lines that begin with a space; 50 bytes for a name or a section, 200 for a line. */
#include <ctype.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 200, WORD = 50 };

/* State from earlier lines. */
struct reading {
  char section[WORD], name[WORD];
  ini_handler handler;
  void *user;
};

static char *strip(char *text) {
  for (size_t length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
    text[--length] = '\0';
  while (isspace((unsigned char)*text))
    text++;
  return text;
}

/* The first of these characters, or of a comment that follows a space, or the end. */
static char *find_end(char *text, const char *characters) {
  for (bool space = false; *text && !strchr(characters, *text) && !(space && *text == ';'); text++)
    space = isspace((unsigned char)*text);
  return text;
}

static bool take_section(struct reading *reading, char *line) {
  char *end = find_end(line + 1, "]");
  if (*end != ']')
    return false;
  *end = '\0';
  snprintf(reading->section, WORD, "%.*s", WORD - 1, line + 1);
  reading->name[0] = '\0';
  return true;
}

static bool take_key(struct reading *reading, char *line) {
  char *end = find_end(line, "=:"), name[LINE];
  if (*end != '=' && *end != ':')
    return false;
  *end = '\0';
  snprintf(name, sizeof name, "%s", strip(line));
  snprintf(reading->name, WORD, "%.*s", WORD - 1, name);
  *find_end(end + 1, "") = '\0';
  return reading->handler(reading->user, reading->section, name, strip(end + 1));
}

static bool take_line(struct reading *reading, char *text) {
  char *line = strip(text);
  if (!*line || *line == ';' || *line == '#')
    return true;
  if (reading->name[0] && line > text)
    return reading->handler(reading->user, reading->section, reading->name, line); /* including comments */
  return *line == '[' ? take_section(reading, line) : take_key(reading, line);
}

int ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user) {
  static const char mark[] = "\xEF\xBB\xBF";
  struct reading reading = {.handler = handler, .user = user};
  char line[LINE];
  int wrong = 0;
  for (int number = 1; reader(line, LINE, stream); number++) {
    const bool marked = number == 1 && strncmp(line, mark, sizeof mark - 1) == 0;
    if (!take_line(&reading, marked ? line + sizeof mark - 1 : line) && !wrong)
      wrong = number;
  }
  return wrong;
}
