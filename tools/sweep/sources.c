#include "tools/sweep/sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { FILES = 4096 /* more than any kernel includes */, FILE_BYTES = 64 << 20 };

struct reading {
  const char *const *folders;
  struct reads *reads;
  struct text *text;
  char **seen; /* resolved paths */
  size_t count, room;
};

static void add_file(struct reading *reading, const char *path);

static bool seen_before(const struct reading *reading, const char *path) {
  for (size_t i = 0; i < reading->count; i++)
    if (strcmp(reading->seen[i], path) == 0)
      return true;
  return false;
}

/* Searches like the compiler: a name in quotes first beside the file that includes it, then in the folders in order. */
static void add_included(struct reading *reading, const char *from, const char *name, bool quoted) {
  char *path = quoted || *name == '/' ? file_beside(from, name) : NULL;
  for (const char *const *folder = reading->folders; !(path && file_exists(path)) && *folder; folder++) {
    const size_t size = strlen(*folder) + strlen(name) + 2;
    free(path);
    path = need(size, 1);
    snprintf(path, size, "%s/%s", *folder, name);
  }
  if (path && file_exists(path))
    add_file(reading, path);
  free(path);
}

/* Handles `#include "NAME"` or `#include <NAME>`. */
static void read_line(struct reading *reading, const char *from, const char *line) {
  static const char word[] = "include", blanks[] = " \t";
  line += strspn(line, blanks);
  if (*line++ != '#')
    return;
  line += strspn(line, blanks);
  if (strncmp(line, word, strlen(word)) != 0)
    return;
  line += strlen(word);
  line += strspn(line, blanks);
  const size_t length = *line == '"' ? strcspn(line + 1, "\"\n") : *line == '<' ? strcspn(line + 1, ">\n") : 0;
  if (!length || length >= PATH_MAX)
    return;
  char *name = need(length + 1, 1);
  memcpy(name, line + 1, length);
  add_included(reading, from, name, *line == '"');
  free(name);
}

static void add_file(struct reading *reading, const char *path) {
  struct message ignored;
  char *whole = realpath(path, NULL), *data = NULL;
  size_t size = 0;
  if (!whole || reading->count == FILES || seen_before(reading, whole) ||
      !reads_file(reading->reads, path, FILE_BYTES, &data, &size, &ignored)) {
    free(whole);
    return;
  }
  *vector_next(reading->seen, reading->count, reading->room) = whole;
  text_print(reading->text, "%zu\n", size);
  text_add(reading->text, data, size);
  for (const char *line = data; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL)
    read_line(reading, path, line);
  free(data);
}

void sweep_sources_add(const char *path, const char *const *folders, struct reads *reads, struct text *text) {
  struct reading reading = {.folders = folders, .reads = reads, .text = text};
  add_file(&reading, path);
  for (size_t i = 0; i < reading.count; i++)
    free(reading.seen[i]);
  free(reading.seen);
}
