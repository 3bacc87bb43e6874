#include "traces/schema.h"

#include "traces/stream.h"

#include <stdarg.h>
#include <stdio.h>

void schema_add(struct bytes *into, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  bytes_add(into, line, strlen(line));
}

static const struct {
  const char *what, *name, *text;
} named[] = {
#define PREDICTOR(id, name, text) {"predictor", name, text},
#include "traces/rows.def"
#undef PREDICTOR
#define FLAG(id, name, text) {"flag", name, text},
#include "traces/rows.def"
#undef FLAG
#define NOTE(id, name, text) {"note", name, text},
#include "traces/rows.def"
#undef NOTE
};

static const struct {
  const char *name, *predictor, *text;
} common[] = {
#define NEXT "next"
#define MASK "mask"
#define SAME "same"
#define COMMON(id, name, predictor, text) {name, predictor, text},
#include "traces/rows.def"
#undef COMMON
#undef SAME
#undef MASK
#undef NEXT
};

static void add_kind(struct bytes *into, const struct trace_kind_row *row) {
  schema_add(into, "kind %s %s\n", row->name, row->text);
  for (unsigned i = 0; i < row->fields; i++)
    schema_add(into, "field %s %s %s %s\n", row->name, row->field[i].name, row->field[i].steps ? "step" : "same",
               row->field[i].text);
  for (unsigned i = 0; i < row->vectors; i++)
    schema_add(into, "vector %s %s %s\n", row->name, row->vector[i].name, row->vector[i].text);
}

void schema_write(struct bytes *into) {
  schema_add(into, "trace %d\ncontexts %d\nshapes %d\n", TRACE_VERSION, STREAM_CONTEXTS, STREAM_SHAPES);
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    schema_add(into, "%s %s %s\n", named[i].what, named[i].name, named[i].text);
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    schema_add(into, "common %s %s %s\n", common[i].name, common[i].predictor, common[i].text);
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++)
    add_kind(into, &trace_kind_rows[kind]);
}

/* ---- comparison with a file's schema ---------------------------------------------------------- */

/* The lists, and how many words of a line must match. The rest is the sentence. */
static const struct {
  const char *name;
  unsigned words;
} lists[] = {{"trace", 2}, {"contexts", 2}, {"shapes", 2}, {"predictor", 2}, {"flag", 2},
             {"note", 2},  {"common", 3},   {"kind", 2},   {"field", 4},     {"vector", 3}};

static size_t line_length(const char *line) { return strcspn(line, "\n"); }

static const char *next_line(const char *line) {
  line += line_length(line);
  return line + (*line == '\n');
}

/* The length of a line's first words. */
static size_t key_length(const char *line, unsigned words) {
  size_t length = 0;
  for (unsigned i = 0; i < words && line[length] && line[length] != '\n'; i++) {
    length += i != 0;
    length += strcspn(line + length, " \n");
  }
  return length;
}

static bool in_list(const char *line, const char *list) {
  const size_t length = strlen(list);
  return strncmp(line, list, length) == 0 && line[length] == ' ';
}

/* The first line of the list at or after `line`, or the end. */
static const char *find_line(const char *line, const char *list) {
  while (*line && !in_list(line, list))
    line = next_line(line);
  return line;
}

const char *schema_list_fault(const char *file, const char *own, const char *list, unsigned words, unsigned *rows) {
  *rows = 0;
  for (file = find_line(file, list); *file; file = find_line(next_line(file), list)) {
    own = find_line(own, list);
    const size_t length = key_length(file, words);
    if (!*own || length != key_length(own, words) || memcmp(file, own, length) != 0)
      return file;
    own = next_line(own);
    ++*rows;
  }
  return NULL;
}

void schema_fault_line(char line[100], const char *fault) {
  snprintf(line, 100, "%.*s", (int)(line_length(fault) < 99 ? line_length(fault) : 99), fault);
}

/* Whether a file has all fields and vectors of its kinds. */
static bool counts_fit(unsigned kinds, unsigned fields, unsigned vectors) {
  for (unsigned kind = 0; kind < kinds; kind++) {
    fields -= trace_kind_rows[kind].fields;
    vectors -= trace_kind_rows[kind].vectors;
  }
  return !fields && !vectors;
}

const char *schema_fault(const char *schema, unsigned *kinds, char line[100]) {
  enum { LISTS = sizeof lists / sizeof *lists, KINDS = LISTS - 3 };
  struct bytes own = {0};
  const char *fault = NULL;
  unsigned rows[LISTS] = {0};
  schema_write(&own);
  bytes_add(&own, "", 1);
  for (unsigned i = 0; !fault && i < LISTS; i++)
    fault = schema_list_fault(schema, (const char *)own.at, lists[i].name, lists[i].words, &rows[i]);
  free(own.at);
  *kinds = rows[KINDS];
  if (!fault &&
      (rows[0] != 1 || rows[1] != 1 || rows[2] != 1 || !counts_fit(rows[KINDS], rows[KINDS + 1], rows[KINDS + 2])))
    fault = "an incomplete list";
  if (fault)
    schema_fault_line(line, fault);
  return fault ? line : NULL;
}
