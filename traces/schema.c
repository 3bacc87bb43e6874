#include "traces/schema.h"

#include "traces/stream.h"

#include <stdarg.h>
#include <stdio.h>

static bool add(struct bytes *into, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool add(struct bytes *into, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return bytes_add(into, line, strlen(line));
}

static const struct {
  const char *what, *name, *text;
} words[] = {
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

static bool add_kind(struct bytes *into, const struct trace_kind_row *row) {
  bool good = add(into, "kind %s %s\n", row->name, row->text);
  for (unsigned i = 0; i < row->fields; i++)
    good = good && add(into, "field %s %s %s %s\n", row->name, row->field[i].name,
                       row->field[i].steps ? "step" : "same", row->field[i].text);
  for (unsigned i = 0; i < row->vectors; i++)
    good = good && add(into, "vector %s %s %s\n", row->name, row->vector[i].name, row->vector[i].text);
  return good;
}

bool schema_write(struct bytes *into) {
  bool good = add(into, "trace %d\ncontexts %d\nshapes %d\n", TRACE_VERSION, STREAM_CONTEXTS, STREAM_SHAPES);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    good = good && add(into, "%s %s %s\n", words[i].what, words[i].name, words[i].text);
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    good = good && add(into, "common %s %s %s\n", common[i].name, common[i].predictor, common[i].text);
  for (unsigned kind = 0; kind < TRACE_KINDS; kind++)
    good = good && add_kind(into, &trace_kind_rows[kind]);
  return good;
}
